import { Suspense } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { useSession } from '#http';
import { LoadingPage, pageOnDemand, useAccount, useMay } from '#parts';
import { For, ForOperators, NotForThem } from './shell/allowed';
import { Layout } from './shell/layout';
import { navigationFor } from './shell/navigation';
import { NotFound } from './shell/not-found';

/**
 * On these most begin: they are asked for while it is seen who is signed in. What is typed while a first page is on its way may be
 * lost.
 */
const firstPages = {
  '/': async () => import('./pages/operations/overview'),
  '/my-day': async () => import('./pages/tasks/my-day'),
  '/sign-in': async () => import('./pages/accounts/sign-in'),
};
for (const [path, load] of Object.entries(firstPages)) {
  // Where it does not come, the page itself says so.
  if (path === location.pathname) load().catch(() => undefined);
}

/** Nobody loads what their role, or their day, never opens. */
const Overview = pageOnDemand(async () => (await firstPages['/']()).Overview);
const MyDay = pageOnDemand(async () => (await firstPages['/my-day']()).MyDay);
const SignIn = pageOnDemand(async () => (await firstPages['/sign-in']()).SignIn);
const SignOnReturn = pageOnDemand(async () => (await import('./pages/accounts/sign-on-return')).SignOnReturn);
const SetPassword = pageOnDemand(async () => (await import('./pages/accounts/set-password')).SetPassword);
const MyAccount = pageOnDemand(async () => (await import('./pages/accounts/my-account')).MyAccount);
const Calendar = pageOnDemand(async () => (await import('./pages/calendar/calendar')).Calendar);
const DayList = pageOnDemand(async () => (await import('./pages/calendar/day-list')).DayList);
const Waitlist = pageOnDemand(async () => (await import('./pages/calendar/waitlist')).Waitlist);
const Deliveries = pageOnDemand(async () => (await import('./pages/events/deliveries')).Deliveries);
const Delivery = pageOnDemand(async () => (await import('./pages/events/delivery')).Delivery);
const Audit = pageOnDemand(async () => (await import('./pages/operations/audit')).Audit);
const Call = pageOnDemand(async () => (await import('./pages/outreach/call')).Call);
const Calls = pageOnDemand(async () => (await import('./pages/outreach/calls')).Calls);
const Case = pageOnDemand(async () => (await import('./pages/outreach/case')).Case);
const Cases = pageOnDemand(async () => (await import('./pages/outreach/cases')).Cases);
const Queue = pageOnDemand(async () => (await import('./pages/outreach/queue')).Queue);
const Runs = pageOnDemand(async () => (await import('./pages/outreach/runs')).Runs);
const TryIt = pageOnDemand(async () => (await import('./pages/outreach/try-it')).TryIt);
const Erasure = pageOnDemand(async () => (await import('./pages/patients/erasure')).Erasure);
const Patient = pageOnDemand(async () => (await import('./pages/patients/patient')).Patient);
const Patients = pageOnDemand(async () => (await import('./pages/patients/patients')).Patients);
const Readiness = pageOnDemand(async () => (await import('./pages/sandbox/readiness')).Readiness);
const ReadinessRun = pageOnDemand(async () => (await import('./pages/sandbox/readiness-run')).ReadinessRun);
const Tasks = pageOnDemand(async () => (await import('./pages/tasks/tasks')).Tasks);
const Operator = pageOnDemand(async () => (await import('./pages/operations/operator')).Operator);
const Results = pageOnDemand(async () => (await import('./pages/operations/results')).Results);
const ClinicAreas = pageOnDemand(async () => (await import('./shell/settings-areas')).ClinicAreas);
const ConnectionAreas = pageOnDemand(async () => (await import('./shell/settings-areas')).ConnectionAreas);

/** Every page and its address. Anyone who is not signed in sees the sign-in, and returns to where they were. */
export function App() {
  const { kind } = useSession();
  return (
    <Suspense fallback={<LoadingPage />}>
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
          <Route element={<For right="privacy" />}>
            <Route path="/erasures/:erasureId" element={<Erasure />} />
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
          <Route element={<ForOperators />}>
            <Route path="/operator" element={<Operator />} />
          </Route>
          <Route path="/clinic/*" element={<ClinicAreas />} />
          <Route path="/connections/*" element={<ConnectionAreas />} />
          <Route path="/my-account" element={<MyAccount />} />
          <Route path="*" element={<NotFound />} />
        </Route>
      </Routes>
    </Suspense>
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
