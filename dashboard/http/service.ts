import { QueryCache, QueryClient } from '@tanstack/react-query';
import type * as api from '#api';
import { t } from '#texts';
import { readAgain } from './areas';
import { client } from './client/client.gen';
import { isSomebodyHere } from './presence';
import { asRepeat } from './repeats';
import { session } from './session';
import { stepUp } from './step-up';

/** What the service says went wrong (its one error shape), or what is said here when it cannot be reached. */
export type Refusal = Pick<api.Error, 'statusCode' | 'message' | 'code' | 'details'>;

const unreachable: Refusal = {
  statusCode: 503,
  message: t`The service cannot be reached. Check your connection and try again.`,
};

/** Of a change that was never sent: it is not sent later by itself, when nobody expects it any more. */
const offline: Refusal = {
  statusCode: 503,
  message: t`You are offline: nothing was changed. Do it again once you are connected.`,
};

const unreadable = (statusCode: number): Refusal => ({
  statusCode,
  message: t`The service answered with status ${statusCode}.`,
});

client.setConfig({ fetch: fetchSignedIn, querySerializer: withoutEmpty });

/** `fetch` with the session's token; whatever goes wrong is told in the service's one error shape. */
async function fetchSignedIn(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = withoutNames(new Request(input, init));
  const token = session.token();
  if (token && !request.headers.has('authorization')) request.headers.set('authorization', `Bearer ${token}`);
  // What a page reads again by itself gives the session no more time.
  if (token && !isSomebodyHere()) request.headers.set('x-background', '1');
  const noteAnswer = await asRepeat(request);
  const again = request.clone();
  let response = await reach(request);
  if (token && (await needsStepUp(response))) response = (await stepUp.ask()) ? await reach(again) : notProved();
  noteAnswer(response.status);
  // Only the token that was refused is given up: another may have been opened meanwhile.
  const sent = request.headers.get('authorization');
  if (response.status === 401 && sent && sent === `Bearer ${session.token()}`) session.close('expired');
  if (response.ok || response.headers.get('content-type')?.includes('json')) return response;
  return Response.json(unreadable(response.status), { status: response.status });
}

/** Whether the person must prove first who they are: the request is sent once more then. */
async function needsStepUp(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  const refusal = (await response
    .clone()
    .json()
    .catch(() => null)) as Partial<Refusal> | null;
  return (refusal?.details ?? []).some(({ path }) => path === 'stepUp');
}

const notProved = () =>
  Response.json(
    { statusCode: 403, message: t`Nothing was done: you have not confirmed that it is you.` },
    { status: 403 },
  );

/** What people search by, or a phone: it is sent in a header, for the addresses of requests are kept in the logs of proxies. */
const namesPeople = ['search', 'phone', 'id', 'firstName', 'lastName', 'dateOfBirth'];

function withoutNames(request: Request): Request {
  const address = new URL(request.url);
  const unnamed = new URLSearchParams();
  for (const name of namesPeople) {
    const value = address.searchParams.get(name);
    if (value === null) continue;
    unnamed.set(name, value);
    address.searchParams.delete(name);
  }
  if (unnamed.size === 0) return request;
  const sent = new Request(address, request);
  sent.headers.set('x-query', unnamed.toString());
  return sent;
}

async function reach(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    // A page that was left wants no answer any more.
    if (request.signal.aborted) throw error;
    const isUnsent = request.method !== 'GET' && !navigator.onLine;
    return Response.json(isUnsent ? offline : unreachable, { status: 503 });
  }
}

/** A filter that is not set is not sent. */
function withoutEmpty(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

/** One sentence for people, whatever was thrown. */
export function sentenceOf(error: unknown): string {
  const message = (error as Partial<Refusal> | null)?.message;
  return message ? (/[.!?]$/.test(message) ? message : `${message}.`) : t`Something went wrong.`;
}

/** Why the service refused, where it says so. */
export const codeOf = (error: unknown): Refusal['code'] => (error as Partial<Refusal> | null)?.code;

export const statusOf = (error: unknown): number => (error as Partial<Refusal> | null)?.statusCode ?? 0;

/** Whether the clinic has come to require a second factor, which the account lacks. */
const lacksSecondFactor = (error: unknown): boolean =>
  statusOf(error) === 403 && ((error as Refusal).details ?? []).some(({ path }) => path === 'secondFactor');

export function createQueries(): QueryClient {
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      // What leads to its setting up is the account, as it is now.
      onError: (error) => void (lacksSecondFactor(error) && readAgain(queries, ['account'])),
    }),
    defaultOptions: {
      // The library would keep what is changed while there is no network, and send it later.
      mutations: { networkMode: 'always' },
      queries: {
        staleTime: 5_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) => failures < 2 && (statusOf(error) >= 500 || statusOf(error) === 429),
      },
    },
  });
  return queries;
}
