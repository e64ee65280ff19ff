import { type ComponentType, lazy } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { useSession } from '#http';
import { useAccount, useMay } from '#parts';
import { SetPassword } from './pages/accounts/set-password';
import { SignOnReturn } from './pages/accounts/sign-on-return';
import { SignIn } from './pages/accounts/sign-in';
import { Overview } from './pages/operations/overview';
import { MyDay } from './pages/tasks/my-day';
import { For, NotForThem } from './shell/allowed';
import { Layout } from './shell/layout';
import { navigationFor } from './shell/navigation';
import { NotFound } from './shell/not-found';

/**
 * Its script comes with its first visit: nobody loads what their role, or their day, never opens. The overview and My day, on
 * which most begin, come at once: what is typed while a first page is on its way may be lost.
 */
const page = (load: () => Promise<ComponentType>) => lazy(async () => ({ default: await load() }));

const MyAccount = page(async () => (await import('./pages/accounts/my-account')).MyAccount);
const Calendar = page(async () => (await import('./pages/calendar/calendar')).Calendar);
const DayList = page(async () => (await import('./pages/calendar/day-list')).DayList);
const Waitlist = page(async () => (await import('./pages/calendar/waitlist')).Waitlist);
const Deliveries = page(async () => (await import('./pages/events/deliveries')).Deliveries);
const Delivery = page(async () => (await import('./pages/events/delivery')).Delivery);
const Audit = page(async () => (await import('./pages/operations/audit')).Audit);
const Call = page(async () => (await import('./pages/outreach/call')).Call);
const Calls = page(async () => (await import('./pages/outreach/calls')).Calls);
const Case = page(async () => (await import('./pages/outreach/case')).Case);
const Cases = page(async () => (await import('./pages/outreach/cases')).Cases);
const Queue = page(async () => (await import('./pages/outreach/queue')).Queue);
const Runs = page(async () => (await import('./pages/outreach/runs')).Runs);
const TryIt = page(async () => (await import('./pages/outreach/try-it')).TryIt);
const Patient = page(async () => (await import('./pages/patients/patient')).Patient);
const Patients = page(async () => (await import('./pages/patients/patients')).Patients);
const Readiness = page(async () => (await import('./pages/sandbox/readiness')).Readiness);
const ReadinessRun = page(async () => (await import('./pages/sandbox/readiness-run')).ReadinessRun);
const Tasks = page(async () => (await import('./pages/tasks/tasks')).Tasks);
const Results = page(async () => (await import('./pages/operations/results')).Results);
const ClinicAreas = page(async () => (await import('./shell/settings-areas')).ClinicAreas);
const ConnectionAreas = page(async () => (await import('./shell/settings-areas')).ConnectionAreas);

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
