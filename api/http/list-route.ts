import { countedPageOf, pageOf, type Total } from '@clinic/shared/contracts/primitives';
import type { z } from 'zod';
import type { Tag } from './tags';
import type { Access, PatientData, RightFor, Route, RouteDeps, RouteRequest } from './route';

interface PageOf<Item> {
  items: Item[];
  nextCursor: string | null;
  total?: Total | null;
}

export type ListQuery = z.ZodType<{ limit: number; cursor?: string }>;

export interface ListRoute<A extends Access, Query extends ListQuery, Item extends z.ZodType, Besides = unknown> {
  path: string;
  access: A;
  right: RightFor<A>;
  /** As of a route. */
  isOpenToSandboxTokens?: boolean;
  tag: Tag;
  summary: string;
  description: string;
  /** `Page` with the filters of this list. */
  query: Query;
  item: Item;
  /** What the items are called, as `calls`. */
  items: string;
  /** It takes `total`, and says then how many there are. */
  isCounted?: true;
  /** What a page says besides. */
  besides?: z.ZodObject & z.ZodType<Besides>;
  patientData: PatientData;
  /** Whose data an item is, where `patientData` is not `none`; the page says it where its items do not. */
  subjectOf?: (item: z.output<Item>) => string | null;
  read(
    request: RouteRequest<A, Record<string, string>, z.output<Query>, unknown>,
    deps: RouteDeps,
  ): Promise<PageOf<z.output<Item>> & Besides & { subjects?: (string | null)[] }>;
}

/** A list: `limit`, `cursor` and filters in its query, `{ items, nextCursor }` in its response, and `total` in that of a counted one. */
export function listRoute<A extends Access, Query extends ListQuery, Item extends z.ZodType, Besides>({
  item,
  items,
  isCounted,
  besides,
  subjectOf,
  read,
  ...definition
}: ListRoute<A, Query, Item, Besides>): Route {
  const page = isCounted ? countedPageOf(item) : pageOf(item);
  const route: Route<A, z.ZodType<Record<string, string>>, Query> = {
    ...definition,
    method: 'get',
    responses: { 200: { description: `A page of ${items}`, schema: besides ? page.extend(besides.shape) : page } },
    async handle(request, deps) {
      const { subjects, ...body } = await read(request, deps);
      return { body, subjects: subjects ?? (subjectOf && body.items.map(subjectOf)) };
    },
  };
  return route;
}

/** A page of what a filter finds; the first one with how many there are in all, where that was asked. */
export async function countedPage<Filter, Page extends { cursor: string | undefined }, Row>(
  records: {
    list(clinicId: string, asked: Filter & Page): Promise<PageOf<Row>>;
    count(clinicId: string, filter: Filter): Promise<Total>;
  },
  { clinicId, filter, page, total: isAsked }: { clinicId: string; filter: Filter; page: Page; total?: boolean },
): Promise<PageOf<Row>> {
  const [found, total] = await Promise.all([
    records.list(clinicId, { ...filter, ...page }),
    isAsked && page.cursor === undefined ? records.count(clinicId, filter) : null,
  ]);
  return { ...found, total };
}

/** A page of rows as a page of what is shown of them. */
export const mapPage = <Row, Item>({ items, ...page }: PageOf<Row>, show: (row: Row) => Item): PageOf<Item> => ({
  ...page,
  items: items.map(show),
});
