import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TimeOrder } from '@clinic/shared/domain/list-order';
import { AppError } from '@clinic/shared/errors';
import { allOf, type Condition, condition } from '../sql';

/** One page of a list; `nextCursor` is null on the last page. */
export interface PageOf<Item> {
  items: Item[];
  nextCursor: string | null;
}

/** Where the next page begins: after this row, in the order of the list. */
export interface Position {
  at: Date;
  id: string;
}

export interface Cursors {
  /** Those of one list: what it gave out is refused everywhere else. */
  of(list: string): Cursors;
  /** A cursor carries the clinic and the list under a MAC: in another clinic or list it is refused. */
  encode(clinicId: string, position: Position): string;
  /**
   * The position of a cursor, or null where none was given. Throws `bad_request`, with the name of the query parameter,
   * for one that is not this clinic's.
   */
  decode(cursor: string | undefined, clinicId: string, parameter?: string): Position | null;
  /** Cuts `limit + 1` rows into a page. */
  page<Row>(clinicId: string, rows: Row[], limit: number, positionOf: (row: Row) => Position): PageOf<Row>;
}

export function refusedCursor(parameter = 'cursor', message = 'is not one that this service gave out'): AppError {
  return new AppError('bad_request', `${parameter} ${message}`, [{ path: parameter, message }]);
}

/** Cursors outlive a restart and are read by every process: all of them share the secret. */
export function createCursors(secret: string): Cursors {
  return cursorsOf(createHmac('sha256', secret).update('cursors').digest(), '');
}

function cursorsOf(key: Buffer, list: string): Cursors {
  const mac = (clinicId: string, body: string) =>
    createHmac('sha256', key).update(`${list}\n${clinicId}\n${body}`).digest('base64url').slice(0, 22);

  const encode: Cursors['encode'] = (clinicId, { at, id }) => {
    const body = Buffer.from(JSON.stringify([at.toISOString(), id])).toString('base64url');
    return `${body}.${mac(clinicId, body)}`;
  };

  return {
    of: (name) => cursorsOf(key, `${list}/${name}`),
    encode,
    decode(cursor, clinicId, parameter = 'cursor') {
      if (cursor === undefined) return null;
      const [body = '', signature = ''] = cursor.split('.');
      const expected = Buffer.from(mac(clinicId, body));
      const given = Buffer.from(signature);
      if (expected.length !== given.length || !timingSafeEqual(expected, given)) throw refusedCursor(parameter);
      const [at, id] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [string, string];
      return { at: new Date(at), id };
    },
    page(clinicId, rows, limit, positionOf) {
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return { items, nextCursor: rows.length > limit && last ? encode(clinicId, positionOf(last)) : null };
    },
  };
}

/** The `where` of rows after a position, for lists that show the newest first. By its first part an index begins there. */
export function olderThan<Field extends string>(field: Field, position: Position | null) {
  if (!position) return {};
  const { at, id } = position;
  return { [field]: { lte: at }, OR: [{ [field]: { lt: at } }, { [field]: at, id: { lt: id } }] };
}

/** The same for lists that begin with the earliest. */
function laterThan<Field extends string>(field: Field, position: Position | null) {
  if (!position) return {};
  const { at, id } = position;
  return { [field]: { gte: at }, OR: [{ [field]: { gt: at } }, { [field]: at, id: { gt: id } }] };
}

/** Both, for a list that is read in either direction: what comes after a position, and in which order. */
export const inDirection = <Field extends string>(
  field: Field,
  direction: 'asc' | 'desc',
  position: Position | null,
) => ({
  after: direction === 'desc' ? olderThan(field, position) : laterThan(field, position),
  by: [{ [field]: direction }, { id: direction }],
});

/** How the rows `c` of a table are read in an order, in SQL. */
export interface Sorting {
  /** For `order by`. */
  by: Condition;
  /** Rows that come after a position. */
  after(position: Position): Condition;
}

/** By when rows were made. */
export const byTime: Record<TimeOrder, Sorting> = {
  newest: {
    by: condition`c.created_at desc, c.id desc`,
    after: ({ at, id }) => condition`(c.created_at, c.id) < (${at}::timestamptz, ${id})`,
  },
  oldest: {
    by: condition`c.created_at, c.id`,
    after: ({ at, id }) => condition`(c.created_at, c.id) > (${at}::timestamptz, ${id})`,
  },
};

/** Cursors of one order of a list: in another one they are refused. */
export const cursorsIn = (order: string, cursors: Cursors): Cursors =>
  order === 'newest' ? cursors : cursors.of(order);

/** The rows of a page as their ids were found. */
export const inOrderOf = <Row extends { id: string }>(ids: readonly string[], rows: Row[]): Row[] => {
  const places = new Map(ids.map((id, place) => [id, place]));
  return rows.toSorted((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0));
};

/** Rows `c` that were made at the instant `from` or later, and before `until`. */
export const between = ({ from, until }: { from?: string; until?: string }): Condition =>
  allOf(
    from !== undefined && condition`c.created_at >= ${from}::timestamptz`,
    until !== undefined && condition`c.created_at < ${until}::timestamptz`,
  );
