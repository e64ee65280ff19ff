// React Router for `dashboard.ts`: it leads elsewhere though nothing was drawn.
import { useSearchParams as useAddress } from 'react-router';
import { shown } from './react.mjs';

export * from 'react-router';

const go = (to, options) => {
  shown.left = shown.router.navigate(to, options);
};

export const useNavigate = () => go;

export function Navigate({ to, ...options }) {
  go(to, options);
  return null;
}

export function useSearchParams() {
  const [address] = useAddress();
  const set = (next, options) => {
    const { pathname, search } = shown.router.state.location;
    const query = typeof next === 'function' ? next(new URLSearchParams(search)) : next;
    go({ pathname, search: new URLSearchParams(query).toString() }, options);
  };
  return [address, set];
}
