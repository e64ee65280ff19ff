import { lazy } from 'react';
import { Navigate, Route, Routes, useLocation, useParams } from 'react-router';
import { useSession } from './http/session';
import { Audit } from './pages/audit';
import { Calendar } from './pages/calendar';
import { Call } from './pages/call';
import { Calls } from './pages/calls';
import { Case } from './pages/case';
import { Cases } from './pages/cases';
import { Deliveries } from './pages/deliveries';
import { Delivery } from './pages/delivery';
import { MyAccount } from './pages/my-account';
import { NotFound } from './pages/not-found';
import { Overview } from './pages/overview';
import { Patient } from './pages/patient';
import { Patients } from './pages/patients';
import { Queue } from './pages/queue';
import { Readiness } from './pages/readiness';
import { ReadinessRun } from './pages/readiness-run';
import { Results } from './pages/results';
import { Runs } from './pages/runs';
import { SetPassword } from './pages/set-password';
import { SignIn } from './pages/sign-in';
import { Tasks } from './pages/tasks';
import { TryIt } from './pages/try-it';
import { Layout } from './shell/layout';
import { clinicAreas } from './shell/navigation';

const ClinicAreas = lazy(async () => ({ default: (await import('./pages/integrations/areas')).ClinicAreas }));
const ConnectionAreas = lazy(async () => ({ default: (await import('./pages/integrations/areas')).ConnectionAreas }));

/** Every page and its address. Whoever is not signed in sees the sign-in, and returns to where they were. */
export function App() {
  const { kind } = useSession();
  return (
    <Routes>
      <Route path="/sign-in" element={<SignIn />} />
      <Route path="/set-password" element={<SetPassword />} />
      <Route element={kind === 'signed-in' ? <Layout /> : <ToSignIn />}>
        <Route path="/" element={<Overview />} />
        <Route path="/cases" element={<Cases />} />
        <Route path="/cases/:recoveryCaseId" element={<Case />} />
        <Route path="/calls" element={<Calls />} />
        <Route path="/calls/:callId" element={<Call />} />
        <Route path="/queue" element={<Queue />} />
        <Route path="/tasks" element={<Tasks />} />
        <Route path="/runs" element={<Runs />} />
        <Route path="/results" element={<Results />} />
        <Route path="/patients" element={<Patients />} />
        <Route path="/patients/:patientId" element={<Patient />} />
        <Route path="/calendar" element={<Calendar />} />
        <Route path="/deliveries" element={<Deliveries />} />
        <Route path="/deliveries/:deliveryId" element={<Delivery />} />
        <Route path="/clinic/*" element={<ClinicAreas />} />
        <Route path="/connections/*" element={<ConnectionAreas />} />
        <Route path="/integrations/*" element={<Moved />} />
        <Route path="/my-account" element={<MyAccount />} />
        <Route path="/audit" element={<Audit />} />
        <Route path="/try-it" element={<TryIt />} />
        <Route path="/readiness" element={<Readiness />} />
        <Route path="/readiness/:runId" element={<ReadinessRun />} />
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  );
}

/** Where an area of settings is now that stood below `/integrations`. */
function Moved() {
  const { '*': area = '' } = useParams();
  const { search } = useLocation();
  const room = clinicAreas.some((each) => each.area === area) ? 'clinic' : 'connections';
  return <Navigate to={`/${room}/${area}${search}`} replace />;
}

function ToSignIn() {
  const { pathname, search } = useLocation();
  return <Navigate to="/sign-in" replace state={{ from: `${pathname}${search}` }} />;
}
