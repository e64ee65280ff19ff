const storageKey = 'clinic-workflows-visited';

/** Remembers with which filters a list was last looked at in this tab, so that the way back from a record keeps them. */
export function rememberList(pathname: string, search: string): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ ...read(), [pathname]: search }));
  } catch {
    // Storage may be switched off; the way back then leads to the whole list.
  }
}

export const lastAddressOf = (pathname: string): string => `${pathname}${read()[pathname] ?? ''}`;

function read(): Record<string, string> {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}
