import { Navigate, Route, Routes, useLocation } from 'react-router';
import { useSession } from './http/session';
import { Deliveries } from './pages/deliveries';
import { Delivery } from './pages/delivery';
import { NotFound } from './pages/not-found';
import { SignIn } from './pages/sign-in';
import { Layout } from './shell/layout';

/** Every page and its address. Whoever is not signed in sees the sign-in, and returns to where they were. */
export function App() {
  const { kind } = useSession();
  return (
    <Routes>
      <Route path="/sign-in" element={<SignIn />} />
      <Route element={kind === 'signed-in' ? <Layout /> : <ToSignIn />}>
        <Route path="/deliveries" element={<Deliveries />} />
        <Route path="/deliveries/:deliveryId" element={<Delivery />} />
        <Route path="*" element={<NotFound />} />
      </Route>
    </Routes>
  );
}

function ToSignIn() {
  const { pathname, search } = useLocation();
  return <Navigate to="/sign-in" replace state={{ from: `${pathname}${search}` }} />;
}
