// React Router for `dashboard.ts`: it leads elsewhere though nothing was drawn.
import { useSearchParams as useAddress } from 'react-router';
import { shown } from './react.mjs';

export * from 'react-router';

const useRouter = () => {
  const { router } = shown;
  const go = (to, options) => {
    shown.left = router.navigate(to, options).then(() => router);
  };
  return { router, go };
};

export const useNavigate = () => useRouter().go;

export function Navigate({ to, ...options }) {
  useRouter().go(to, options);
  return null;
}

export function useSearchParams() {
  const [address] = useAddress();
  const { router, go } = useRouter();
  const set = (next, options) => {
    const { pathname, search } = router.state.location;
    const query = typeof next === 'function' ? next(new URLSearchParams(search)) : next;
    go({ pathname, search: new URLSearchParams(query).toString() }, options);
  };
  return [address, set];
}
