import { useLocation, useNavigate, useSearchParams } from 'react-router';

export interface GivenFilters<Name extends string> {
  given: Partial<Record<Name, string>>;
  set: (name: Name, value: string | null) => void;
  /** Whether any of them is set. */
  isAny: boolean;
}

/** The filters of a list, kept in the address, so that it can be shared, reloaded and returned to; what is searched for is not. */
export function useFilters<Name extends string>(...names: Name[]): GivenFilters<Name> {
  const [address] = useSearchParams();
  const setFilters = useSetFilters();
  const [searched, setSearched] = useSearch();
  const values = names.map((name) => [name, name === 'search' ? searched : (address.get(name) ?? undefined)] as const);
  return {
    given: Object.fromEntries(values) as Partial<Record<Name, string>>,
    set: (name, value) => (name === 'search' ? setSearched(value) : setFilters({ [name]: value })),
    isAny: values.some(([, value]) => value),
  };
}

/** A filter on its own. */
export function useFilter<Name extends string>(name: Name): [string | undefined, (value: string | null) => void] {
  const { given, set } = useFilters(name);
  return [given[name], (value) => set(name, value)];
}

/** Whether something is being added to a list. It begins by `?add=new` too, as from the finder. */
export function useAdding(): { isAdding: boolean; add: () => void; close: () => void } {
  const [asked, ask] = useFilter('add');
  return { isAdding: asked !== undefined, add: () => ask('new'), close: () => ask(null) };
}

/** Changes several filters at once; null takes one away. */
export function useSetFilters(): (values: Record<string, string | null>) => void {
  const [, setSearch] = useSearchParams();
  const { state } = useLocation();
  return (values) =>
    setSearch(
      (current) => {
        const next = new URLSearchParams(current);
        for (const [name, value] of Object.entries(values)) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
        return next;
      },
      { replace: true, state, preventScrollReset: true },
    );
}

/**
 * What somebody searches for, which may be a name or a phone: kept with the entry of the history, so that a reload or a way back
 * finds it again, and not in its address.
 */
function useSearch(): [string | undefined, (value: string | null) => void] {
  const { pathname, search, state } = useLocation();
  const navigate = useNavigate();
  const { searchText } = (state ?? {}) as Partial<SearchState>;
  const set = (value: string | null) =>
    void navigate(
      { pathname, search },
      { replace: true, state: searchState(value ?? undefined), preventScrollReset: true },
    );
  return [searchText, set];
}

interface SearchState {
  searchText: string | undefined;
}

/** The state of an entry of the history in which a list searches for this. */
export const searchState = (searchText: string | undefined): SearchState => ({ searchText });
