import { QueryClient } from '@tanstack/react-query';
import createFetchClient, { type Middleware } from 'openapi-fetch';
import createQueryHooks from 'openapi-react-query';
import type { components, paths } from './schema';
import { session } from './session';

export type Schemas = components['schemas'];

/** What the service says went wrong (its one error shape), or what we say when it cannot be reached. */
export interface Refusal {
  statusCode: number;
  message: string;
  details?: { path: string; message: string }[];
}

const credentials: Middleware = {
  onRequest({ request }) {
    const token = session.token();
    if (token && !request.headers.has('authorization')) request.headers.set('authorization', `Bearer ${token}`);
    return request;
  },
  async onResponse({ request, response }) {
    // Only the token that was refused is given up: another may have been opened meanwhile.
    const sent = request.headers.get('authorization');
    if (response.status === 401 && sent && sent === `Bearer ${session.token()}`) session.close('expired');
    if (response.ok || response.headers.get('content-type')?.includes('json')) return response;
    return Response.json(unreadable(response.status), { status: response.status });
  },
  onError: () => Response.json(unreachable, { status: 503 }),
};

const unreachable: Refusal = {
  statusCode: 503,
  message: 'The service cannot be reached. Check your connection and try again.',
};

const unreadable = (statusCode: number): Refusal => ({
  statusCode,
  message: `The service answered with status ${statusCode}.`,
});

/** The service over HTTP, typed by its OpenAPI document. */
export const service = createFetchClient<paths>({
  baseUrl: `${window.location.origin}/api`,
  querySerializer: withoutEmpty,
});
service.use(credentials);

/** The same as hooks; a query's key is its method, path and parameters. */
export const api = createQueryHooks(service);

/** A filter that is not set, and the cursor of a first page, are not sent. */
function withoutEmpty(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

/** One sentence for people, whatever was thrown. */
export function sentenceOf(error: unknown): string {
  const message = (error as Partial<Refusal> | null)?.message;
  return message ? (/[.!?]$/.test(message) ? message : `${message}.`) : 'Something went wrong.';
}

export const statusOf = (error: unknown): number => (error as Partial<Refusal> | null)?.statusCode ?? 0;

export const createQueries = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) => failures < 2 && (statusOf(error) >= 500 || statusOf(error) === 429),
      },
    },
  });
