import { lazy } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { useSession } from '#http';
import { useAccount, useMay } from '#parts';
import { MyAccount } from './pages/accounts/my-account';
import { SetPassword } from './pages/accounts/set-password';
import { SignIn } from './pages/accounts/sign-in';
import { SignOnReturn } from './pages/accounts/sign-on-return';
import { Calendar } from './pages/calendar/calendar';
import { DayList } from './pages/calendar/day-list';
import { Waitlist } from './pages/calendar/waitlist';
import { Deliveries } from './pages/events/deliveries';
import { Delivery } from './pages/events/delivery';
import { Audit } from './pages/operations/audit';
import { Overview } from './pages/operations/overview';
import { Call } from './pages/outreach/call';
import { Calls } from './pages/outreach/calls';
import { Case } from './pages/outreach/case';
import { Cases } from './pages/outreach/cases';
import { Queue } from './pages/outreach/queue';
import { Runs } from './pages/outreach/runs';
import { TryIt } from './pages/outreach/try-it';
import { Patient } from './pages/patients/patient';
import { Patients } from './pages/patients/patients';
import { Readiness } from './pages/sandbox/readiness';
import { ReadinessRun } from './pages/sandbox/readiness-run';
import { MyDay } from './pages/tasks/my-day';
import { Tasks } from './pages/tasks/tasks';
import { For, NotForThem } from './shell/allowed';
import { Layout } from './shell/layout';
import { navigationFor } from './shell/navigation';
import { NotFound } from './shell/not-found';

const Results = lazy(async () => ({ default: (await import('./pages/operations/results')).Results }));
const ClinicAreas = lazy(async () => ({ default: (await import('./shell/settings-areas')).ClinicAreas }));
const ConnectionAreas = lazy(async () => ({ default: (await import('./shell/settings-areas')).ConnectionAreas }));

/** Every page and its address. Anyone who is not signed in sees the sign-in, and returns to where they were. */
export function App() {
  const { kind } = useSession();
  return (
    <Routes>
      <Route path="/sign-in" element={<SignIn />} />
      <Route path="/sign-in/return/:clinicId" element={<SignOnReturn />} />
      <Route path="/set-password" element={<SetPassword />} />
      <Route element={kind === 'signed-in' ? <Layout /> : <ToSignIn />}>
        <Route path="/" element={<Home />} />
        <Route element={<For right="workflows" />}>
          <Route path="/cases" element={<Cases />} />
          <Route path="/cases/:recoveryCaseId" element={<Case />} />
          <Route path="/calls" element={<Calls />} />
          <Route path="/calls/:callId" element={<Call />} />
          <Route path="/queue" element={<Queue />} />
          <Route path="/runs" element={<Runs />} />
        </Route>
        <Route element={<For right="tasks" />}>
          <Route path="/my-day" element={<MyDay />} />
          <Route path="/tasks" element={<Tasks />} />
        </Route>
        <Route element={<For right="results" />}>
          <Route path="/results" element={<Results />} />
        </Route>
        <Route element={<For right="patients.read" />}>
          <Route path="/patients" element={<Patients />} />
          <Route path="/patients/:patientId" element={<Patient />} />
        </Route>
        <Route element={<For right="appointments.read" />}>
          <Route path="/calendar" element={<Calendar />} />
          <Route path="/day-list" element={<DayList />} />
          <Route path="/waitlist" element={<Waitlist />} />
        </Route>
        <Route element={<For right="deliveries" />}>
          <Route path="/deliveries" element={<Deliveries />} />
          <Route path="/deliveries/:deliveryId" element={<Delivery />} />
        </Route>
        <Route element={<For right="audit" />}>
          <Route path="/audit" element={<Audit />} />
        </Route>
        <Route element={<For right="sandbox" />}>
          <Route path="/try-it" element={<TryIt />} />
          <Route path="/readiness" element={<Readiness />} />
          <Route path="/readiness/:runId" element={<ReadinessRun />} />
        </Route>
        <Route path="/clinic/*" element={<ClinicAreas />} />
        <Route path="/connections/*" element={<ConnectionAreas />} />
        <Route path="/my-account" element={<MyAccount />} />
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  );
}

/** The first page that the role is led to. */
function Home() {
  const { role } = useAccount();
  const first = navigationFor(role, useMay()).groups[0]?.items[0]?.to;
  if (first === '/') return <Overview />;
  return first === undefined ? <NotForThem /> : <Navigate to={first} replace />;
}

function ToSignIn() {
  const { pathname, search } = useLocation();
  return <Navigate to="/sign-in" replace state={{ from: `${pathname}${search}` }} />;
}
