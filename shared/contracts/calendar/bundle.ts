/** A page of search results. */
export interface Page {
  /** Where it was asked for, and where the next page is. */
  links: { self: string; next?: string };
  /** How many match, on all pages. */
  total: number;
  entries: { fullUrl: string; resource: object }[];
}

/** A Bundle of type searchset. An empty one has an empty `entry`, as the contract shows it. */
export function searchset({ links, total, entries }: Page) {
  const link = Object.entries(links).map(([relation, url]) => ({ relation, url }));
  return { resourceType: 'Bundle', type: 'searchset', total, link, entry: entries };
}

/** The address of a search with those of its parameters that were used. */
export function searchUrl(base: string, parameters: Record<string, string | string[] | undefined>): string {
  const query = Object.entries(parameters).flatMap(([name, given]) =>
    [given ?? []].flat().map((value) => `${name}=${encodeURIComponent(value).replaceAll('%2F', '/')}`),
  );
  return `${base}?${query.join('&')}`;
}
