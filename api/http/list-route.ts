import { pageOf } from '@clinic/shared/contracts/primitives';
import type { z } from 'zod';
import { type Access, type PatientData, route, type Route, type RouteRequest } from './route';

interface PageOf<Item> {
  items: Item[];
  nextCursor: string | null;
}

type ListQuery = z.ZodType<{ limit: number; cursor?: string }>;

interface ListRoute<A extends Access, Query extends ListQuery, Item extends z.ZodType> {
  path: string;
  access: A;
  tag: string;
  summary: string;
  /** `Page` with the filters of this list. */
  query: Query;
  item: Item;
  /** What the items are called, as `calls`. */
  items: string;
  patientData: PatientData;
  /** Whose data an item is, where `patientData` is not `none`; the page says it where its items do not. */
  subjectOf?: (item: z.output<Item>) => string | null;
  read(
    request: RouteRequest<A, Record<string, string>, z.output<Query>, unknown>,
  ): Promise<PageOf<z.output<Item>> & { subjects?: (string | null)[] }>;
}

/** A list: `limit`, `cursor` and filters in its query, `{ items, nextCursor }` in its response. */
export function listRoute<A extends Access, Query extends ListQuery, Item extends z.ZodType>({
  item,
  items,
  subjectOf,
  read,
  ...definition
}: ListRoute<A, Query, Item>): Route {
  return route<A, z.ZodType<Record<string, string>>, Query>({
    ...definition,
    method: 'get',
    responses: { 200: { description: `A page of ${items}`, schema: pageOf(item) } },
    async handle(request) {
      const { subjects, ...page } = await read(request);
      return { body: page, subjects: subjects ?? (subjectOf && page.items.map(subjectOf)) };
    },
  });
}

/** A page of rows as a page of what is shown of them. */
export const mapPage = <Row, Item>({ items, nextCursor }: PageOf<Row>, show: (row: Row) => Item): PageOf<Item> => ({
  items: items.map(show),
  nextCursor,
});
