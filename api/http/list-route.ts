import { pageOf } from '@clinic/shared/contracts/primitives';
import type { z } from 'zod';
import { type Access, route, type Route, type RouteRequest } from './route';

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
  read(request: RouteRequest<A, Record<string, string>, z.output<Query>, unknown>): Promise<PageOf<z.output<Item>>>;
}

/** A list: `limit`, `cursor` and filters in its query, `{ items, nextCursor }` in its response. */
export function listRoute<A extends Access, Query extends ListQuery, Item extends z.ZodType>({
  item,
  items,
  read,
  ...definition
}: ListRoute<A, Query, Item>): Route {
  return route<A, z.ZodType<Record<string, string>>, Query>({
    ...definition,
    method: 'get',
    responses: { 200: { description: `A page of ${items}`, schema: pageOf(item) } },
    handle: async (request) => ({ body: await read(request) }),
  });
}

/** A page of rows as a page of what is shown of them. */
export const mapPage = <Row, Item>({ items, nextCursor }: PageOf<Row>, show: (row: Row) => Item): PageOf<Item> => ({
  items: items.map(show),
  nextCursor,
});
