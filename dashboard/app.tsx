import { Navigate, Route, Routes, useLocation } from 'react-router';
import { useSession } from './http/session';
import { Calendar } from './pages/calendar';
import { Call } from './pages/call';
import { Calls } from './pages/calls';
import { Case } from './pages/case';
import { Cases } from './pages/cases';
import { Deliveries } from './pages/deliveries';
import { Delivery } from './pages/delivery';
import { ApiKeys } from './pages/integrations/api-keys';
import { ApprovedApi } from './pages/integrations/approved-api';
import { Calling } from './pages/integrations/calling';
import { Crm } from './pages/integrations/crm';
import { Inbound } from './pages/integrations/inbound';
import { Integrations } from './pages/integrations/layout';
import { OptOuts } from './pages/integrations/opt-outs';
import { Outbound } from './pages/integrations/outbound';
import { PhoneNumbers } from './pages/integrations/phone-numbers';
import { Providers } from './pages/integrations/providers';
import { Sandbox } from './pages/integrations/sandbox';
import { NotFound } from './pages/not-found';
import { Overview } from './pages/overview';
import { Patient } from './pages/patient';
import { Patients } from './pages/patients';
import { SignIn } from './pages/sign-in';
import { Tasks } from './pages/tasks';
import { TryIt } from './pages/try-it';
import { Layout } from './shell/layout';

/** Every page and its address. Whoever is not signed in sees the sign-in, and returns to where they were. */
export function App() {
  const { kind } = useSession();
  return (
    <Routes>
      <Route path="/sign-in" element={<SignIn />} />
      <Route element={kind === 'signed-in' ? <Layout /> : <ToSignIn />}>
        <Route path="/" element={<Overview />} />
        <Route path="/cases" element={<Cases />} />
        <Route path="/cases/:recoveryCaseId" element={<Case />} />
        <Route path="/calls" element={<Calls />} />
        <Route path="/calls/:callId" element={<Call />} />
        <Route path="/tasks" element={<Tasks />} />
        <Route path="/patients" element={<Patients />} />
        <Route path="/patients/:patientId" element={<Patient />} />
        <Route path="/calendar" element={<Calendar />} />
        <Route path="/deliveries" element={<Deliveries />} />
        <Route path="/deliveries/:deliveryId" element={<Delivery />} />
        <Route path="/integrations" element={<Integrations />}>
          <Route index element={<Navigate to="/integrations/sandbox" replace />} />
          <Route path="sandbox" element={<Sandbox />} />
          <Route path="api-keys" element={<ApiKeys />} />
          <Route path="inbound" element={<Inbound />} />
          <Route path="outbound" element={<Outbound />} />
          <Route path="approved-api" element={<ApprovedApi />} />
          <Route path="crm" element={<Crm />} />
          <Route path="calling" element={<Calling />} />
          <Route path="opt-outs" element={<OptOuts />} />
          <Route path="providers" element={<Providers />} />
          <Route path="phone-numbers" element={<PhoneNumbers />} />
        </Route>
        <Route path="/try-it" element={<TryIt />} />
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  );
}

function ToSignIn() {
  const { pathname, search } = useLocation();
  return <Navigate to="/sign-in" replace state={{ from: `${pathname}${search}` }} />;
}
