import { listRoute, type ListQuery, type ListRoute } from './list-route';
import type { Access, ParamsOf, RightFor, Route } from './route';
import type { z } from 'zod';

type Method = Route['method'];

/** What the routes of one resource share; a route may say otherwise. */
type Shared =
  | 'tag'
  | 'countsOnce'
  | 'access'
  | 'right'
  | 'patientData'
  | 'isOpenToSandboxTokens'
  | 'isOpenWithoutSecondFactor';
interface Defaults<A extends Access> extends Pick<Route, Exclude<Shared, 'access' | 'right'>> {
  access: A;
  right: RightFor<A>;
}

type Own<Whole, Said extends keyof Whole> = Omit<Whole, Said | Shared> &
  Partial<Pick<Whole, Extract<Shared, keyof Whole>>>;

/** Declares the routes of one resource, as `tasks.get('/tasks/:taskId', { … })`, each typed by its own schemas. */
export function routesOf<Usual extends Access>(defaults: Defaults<Usual>) {
  const of =
    (method: Method) =>
    <
      Path extends string,
      A extends Access = Usual,
      Params extends z.ZodType = z.ZodType<ParamsOf<Path>>,
      Query extends z.ZodType = z.ZodType,
      Body extends z.ZodType = z.ZodType,
    >(
      path: Path,
      definition: Own<Route<A, Params, Query, Body>, 'method' | 'path'>,
    ): Route =>
      ({ ...defaults, method, path, ...definition }) as Route<A, Params, Query, Body>;

  return {
    get: of('get'),
    post: of('post'),
    put: of('put'),
    patch: of('patch'),
    delete: of('delete'),
    /** A list: `limit`, `cursor` and filters in its query, `{ items, nextCursor }` in its response. */
    list: <Query extends ListQuery, Item extends z.ZodType, A extends Access = Usual, Besides = unknown>(
      path: string,
      definition: Own<ListRoute<A, Query, Item, Besides>, 'path'>,
    ): Route =>
      listRoute({ patientData: 'none', ...defaults, path, ...definition } as unknown as ListRoute<
        A,
        Query,
        Item,
        Besides
      >),
  };
}
