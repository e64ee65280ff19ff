import { Stack } from '@mantine/core';
import { Route, Routes } from 'react-router';
import { t, Trans } from '#texts';
import { Quiet, TextLink } from '#words';
import { ApiKeys } from '../pages/accounts/api-keys';
import { People } from '../pages/accounts/people';
import { SingleSignOn } from '../pages/accounts/single-sign-on';
import { ApprovedApi } from '../pages/calendar/approved-api';
import { Providers } from '../pages/calendar/providers';
import { Crm } from '../pages/events/crm';
import { Inbound } from '../pages/events/inbound';
import { Outbound } from '../pages/events/outbound';
import { ClinicLanguage } from '../pages/operations/language';
import { ResultSettings } from '../pages/operations/result-settings';
import { Retention } from '../pages/operations/retention';
import { Calling } from '../pages/outreach/calling';
import { ClosedDays } from '../pages/outreach/closed-days';
import { OptOuts } from '../pages/outreach/opt-outs';
import { Sandbox } from '../pages/sandbox/sandbox';
import { PhoneNumbers } from '../pages/voice/phone-numbers';
import { Voice } from '../pages/voice/voice';
import { clinicAreas, connectionAreas } from './navigation';
import { Areas } from './settings-layout';

/** How the clinic works, area by area; fetched when it is first gone to. */
export function ClinicAreas() {
  const lead = t`How your clinic works: when it is open, who works there, and when and how patients are called.`;
  return (
    <Routes>
      <Route element={<Areas at="/clinic" title={t`Clinic`} lead={lead} areas={clinicAreas} />}>
        <Route path="hours" element={<Hours />} />
        <Route path="providers" element={<Providers />} />
        <Route path="calling" element={<Calling />} />
        <Route path="opt-outs" element={<OptOuts />} />
        <Route
          path="people"
          element={
            <Stack>
              <People />
              <ClinicLanguage />
            </Stack>
          }
        />
        <Route path="single-sign-on" element={<SingleSignOn />} />
        <Route path="results" element={<ResultSettings />} />
        <Route path="retention" element={<Retention />} />
        <Route path="*" element={null} />
      </Route>
    </Routes>
  );
}

/** Where a clinic connects its systems, area by area. */
export function ConnectionAreas() {
  const lead = t`How your systems and this service reach each other.`;
  return (
    <Routes>
      <Route element={<Areas at="/connections" title={t`Connections`} lead={lead} areas={connectionAreas} />}>
        <Route path="sandbox" element={<Sandbox />} />
        <Route path="api-keys" element={<ApiKeys />} />
        <Route path="inbound" element={<Inbound />} />
        <Route path="outbound" element={<Outbound />} />
        <Route path="approved-api" element={<ApprovedApi />} />
        <Route path="crm" element={<Crm />} />
        <Route path="voice" element={<Voice />} />
        <Route path="phone-numbers" element={<PhoneNumbers />} />
        <Route path="*" element={null} />
      </Route>
    </Routes>
  );
}

/** Hours stand where they are used; the days on which nobody works stand here. */
const Hours = () => (
  <Stack>
    <ClosedDays />
    <Quiet>
      <Trans>
        When a provider works is set at <TextLink to="/clinic/providers">Providers</TextLink>, when patients are called
        at <TextLink to="/clinic/calling">Calling policy</TextLink>.
      </Trans>
    </Quiet>
  </Stack>
);
