import { Stack } from '@mantine/core';
import { Route, Routes } from 'react-router';
import { pageOnDemand } from '#parts';
import { t, Trans } from '#texts';
import { Quiet, TextLink } from '#words';
import { clinicAreas, connectionAreas } from './navigation';
import { Areas } from './settings-layout';

const ApiKeys = pageOnDemand(async () => (await import('../pages/accounts/api-keys')).ApiKeys);
const People = pageOnDemand(async () => (await import('../pages/accounts/people')).People);
const SingleSignOn = pageOnDemand(async () => (await import('../pages/accounts/single-sign-on')).SingleSignOn);
const ApprovedApi = pageOnDemand(async () => (await import('../pages/calendar/approved-api')).ApprovedApi);
const Providers = pageOnDemand(async () => (await import('../pages/calendar/providers')).Providers);
const Crm = pageOnDemand(async () => (await import('../pages/events/crm')).Crm);
const Inbound = pageOnDemand(async () => (await import('../pages/events/inbound')).Inbound);
const Outbound = pageOnDemand(async () => (await import('../pages/events/outbound')).Outbound);
const ClinicCountry = pageOnDemand(async () => (await import('../pages/operations/country')).ClinicCountry);
const ClinicLanguage = pageOnDemand(async () => (await import('../pages/operations/language')).ClinicLanguage);
const ResultSettings = pageOnDemand(async () => (await import('../pages/operations/result-settings')).ResultSettings);
const Retention = pageOnDemand(async () => (await import('../pages/operations/retention')).Retention);
const Calling = pageOnDemand(async () => (await import('../pages/outreach/calling')).Calling);
const ClosedDays = pageOnDemand(async () => (await import('../pages/outreach/closed-days')).ClosedDays);
const OptOuts = pageOnDemand(async () => (await import('../pages/outreach/opt-outs')).OptOuts);
const Sandbox = pageOnDemand(async () => (await import('../pages/sandbox/sandbox')).Sandbox);
const PhoneNumbers = pageOnDemand(async () => (await import('../pages/voice/phone-numbers')).PhoneNumbers);
const Voice = pageOnDemand(async () => (await import('../pages/voice/voice')).Voice);

/** How the clinic works, area by area. */
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
              <ClinicCountry />
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
