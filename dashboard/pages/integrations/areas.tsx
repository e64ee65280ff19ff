import { Stack } from '@mantine/core';
import { Navigate, Route, Routes } from 'react-router';
import { ApiKeys } from './api-keys';
import { ApprovedApi } from './approved-api';
import { Calling } from './calling';
import { ClosedDays } from './closed-days';

import { Crm } from './crm';
import { Inbound } from './inbound';
import { Integrations } from './layout';
import { OptOuts } from './opt-outs';
import { Outbound } from './outbound';
import { People } from './people';
import { PhoneNumbers } from './phone-numbers';
import { Providers } from './providers';
import { Retention } from './retention';
import { Sandbox } from './sandbox';
import { Voice } from './voice';

/** The integrations page, area by area; fetched when it is first gone to. */
export default function IntegrationAreas() {
  return (
    <Routes>
      <Route element={<Integrations />}>
        <Route path="sandbox" element={<Sandbox />} />
        <Route path="api-keys" element={<ApiKeys />} />
        <Route path="inbound" element={<Inbound />} />
        <Route path="outbound" element={<Outbound />} />
        <Route path="approved-api" element={<ApprovedApi />} />
        <Route path="crm" element={<Crm />} />
        <Route path="voice" element={<Voice />} />
        <Route path="calling" element={<Calling />} />
        <Route path="opt-outs" element={<OptOuts />} />
        <Route
          path="providers"
          element={
            <Stack>
              <Providers />
              <ClosedDays />
            </Stack>
          }
        />
        <Route path="phone-numbers" element={<PhoneNumbers />} />
        <Route path="people" element={<People />} />
        <Route path="retention" element={<Retention />} />
        <Route path="*" element={<Navigate to="/integrations/sandbox" replace />} />
      </Route>
    </Routes>
  );
}
