import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Stack, Text } from '@mantine/core';
import { Link, Navigate, Route, Routes } from 'react-router';
import { clinicAreas, connectionAreas } from '../../shell/navigation';
import { ApiKeys } from './api-keys';
import { ApprovedApi } from './approved-api';
import { Calling } from './calling';
import { ClosedDays } from './closed-days';
import { Crm } from './crm';
import { Inbound } from './inbound';
import { ClinicLanguage } from './language';
import { Areas } from './layout';
import { OptOuts } from './opt-outs';
import { Outbound } from './outbound';
import { People } from './people';
import { PhoneNumbers } from './phone-numbers';
import { Providers } from './providers';
import { Retention } from './retention';
import { Sandbox } from './sandbox';
import { Voice } from './voice';

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
        <Route path="retention" element={<Retention />} />
        <Route path="*" element={<Navigate to="/clinic/hours" replace />} />
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
        <Route path="*" element={<Navigate to="/connections/sandbox" replace />} />
      </Route>
    </Routes>
  );
}

/** Hours stand where they are used; the days on which nobody works stand here. */
function Hours() {
  return (
    <Stack>
      <ClosedDays />
      <Text size="sm" c="dimmed">
        <Trans>
          When a provider works is set at{' '}
          <Anchor component={Link} to="/clinic/providers" inherit underline="always">
            Providers
          </Anchor>
          , when patients are called at{' '}
          <Anchor component={Link} to="/clinic/calling" inherit underline="always">
            Calling policy
          </Anchor>
          .
        </Trans>
      </Text>
    </Stack>
  );
}
