import type { Change, Changes } from '@clinic/prisma/changes';
import { deadline } from '@clinic/shared/deadline';
import type { AccountRole } from '@clinic/shared/domain/accounts/accounts';
import { type Right, roleHas } from '@clinic/shared/domain/accounts/rights';
import { z } from 'zod';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Overview', access: 'clinic', right: 'dashboard', patientData: 'none' });

/** A client that hears nothing for three of them knows that its connection is gone. */
const HEARTBEAT_MS = 5_000;
/** How often it is asked whether the session still lives. */
const SESSION_ASKED_MS = 15_000;
/** A client comes back after this, with its token, so that no stream outlives its session by much. */
const LIFE_MS = 30 * 60_000;
/** Beyond this a client that reads slowly is told once that anything may have changed. */
const MAX_HELD = 500;

/** The tables whose changes are told, each with the right of those who may see its records. */
export const toldTables = new Map<string, Right>([
  ['recovery_cases', 'workflows'],
  ['workflow_runs', 'workflows'],
  ['calls', 'workflows'],
  ['call_decisions', 'workflows'],
  ['tool_calls', 'workflows'],
  ['deliveries', 'deliveries'],
  ['staff_tasks', 'tasks'],
  ['task_notes', 'tasks'],
  ['patients', 'patients.read'],
  ['documents', 'patients.read'],
  ['legal_holds', 'patients.read'],
  ['opt_outs', 'patients.read'],
  ['appointments', 'appointments.read'],
  ['providers', 'appointments.read'],
  ['clinics', 'dashboard'],
  ['api_keys', 'keys'],
  ['secrets', 'settings'],
  ['audit_entries', 'audit'],
  ['outreach_pauses', 'workflows'],
  ['validation_runs', 'sandbox'],
  ['sandbox_failures', 'settings.read'],
  ['bulk_jobs', 'workflows'],
  ['waitlist_entries', 'appointments.read'],
  ['viewers', 'dashboard'],
]);

interface Feed {
  clinicId: string;
  sessionId: string;
  accountId: string;
  /** When it changes, the stream ends. */
  role: AccountRole;
  /** Whether the session still does; true where nobody can say. */
  lives: () => Promise<boolean>;
  changes: Changes;
  /** Aborted when the client has gone or the process stops. */
  signal: AbortSignal;
}

/** What changed in the clinic's records, as server-sent events with ids only (docs/contract.md, 11). */
export const streamRoutes = [
  routes.get('/stream', {
    summary: 'What changes, as server-sent events: ids only',
    description:
      'Each message is `event: change` with `data: {"table","id"}`, where the table is one of ' +
      `${[...toldTables.keys()].map((table) => `\`${table}\``).join(', ')}; ` +
      'of those alone that the role may see, and the id is `*` where several of its rows were written together; `{"table":"*","id":"*"}` says that anything may have changed. A comment comes every 5 s: a connection that is silent for 15 s is gone. ' +
      'The stream ends within seconds of its session, and every half hour: read it again then. It gives the session no more time. One session may have only so many open.',
    responses: {
      200: {
        description: 'A stream of events',
        schema: z.string(),
        type: 'text/event-stream',
        example: 'event: change\ndata: {"table":"staff_tasks","id":"task-1"}\n\n',
      },
    },
    isHeld: () => true,
    isBackground: true,
    handle({ caller: { clinicId, sessionId, accountId, role, token }, signal }, { accounts, changes, stopping }) {
      const lives = async () => {
        const session = await accounts.session(token, { isBackground: true }).catch(() => 'unknown' as const);
        return session === 'unknown' || (session !== null && !session.needsSecondFactor);
      };
      const until = deadline(LIFE_MS, signal, stopping);
      return {
        type: 'text/event-stream',
        headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
        stream: changesOf({ clinicId, sessionId, accountId, role, lives, changes, signal: until }),
      };
    },
  }),
];

/** The messages of one stream, with one at least every `heartbeatMs`; it ends with its session, which is asked for every `askMs`. */
export async function* changesOf(
  { clinicId, sessionId, accountId, role, lives, changes, signal }: Feed,
  { heartbeatMs, askMs } = { heartbeatMs: HEARTBEAT_MS, askMs: SESSION_ASKED_MS },
): AsyncGenerator<string> {
  const end = new AbortController();
  const over = AbortSignal.any([signal, end.signal]);
  const held = createHeldChanges();
  let mayHaveEnded = false;
  const unsubscribe = changes.subscribe((change) => {
    const { table, id } = change;
    // The account may have lost its clinic or its role: its client comes back with the token, and is told.
    if ((table === 'sessions' && id === sessionId) || (table === 'users' && id === accountId)) return end.abort();
    // It may require a second factor now.
    if (table === 'clinics' && id === clinicId) mayHaveEnded = true;
    if (table === '*' || (isFor(role, table) && isAbout(change, clinicId))) held.put({ table, id });
  });
  over.addEventListener('abort', held.wake);
  try {
    yield 'retry: 1000\n: connected\n\n';
    let askedAt = performance.now();
    while (!over.aborted) {
      await held.nextOr(heartbeatMs);
      // A session that is not used, or a week old, ends without a change that tells of it.
      if (mayHaveEnded || performance.now() - askedAt >= askMs - 1) {
        mayHaveEnded = false;
        if (!(await lives())) return;
        askedAt = performance.now();
      }
      if (over.aborted) return;
      const told = held.take().map((change) => `event: change\ndata: ${JSON.stringify(change)}\n\n`);
      yield told.join('') || ': still here\n\n';
    }
  } finally {
    unsubscribe();
  }
}

function isFor(role: AccountRole, table: string): boolean {
  const right = toldTables.get(table);
  return right !== undefined && roleHas(role, right);
}

type Told = Pick<Change, 'table' | 'id'>;

/** Changes since they were last taken, each once. */
function createHeldChanges() {
  const held = new Map<string, Told>();
  let wake = () => {};
  return {
    wake: () => wake(),
    put(change: Told) {
      if (held.has('*/*')) return;
      const isTooMuch = change.table === '*' || held.size >= MAX_HELD;
      if (isTooMuch) held.clear();
      const told = isTooMuch ? { table: '*', id: '*' } : change;
      held.set(`${told.table}/${told.id}`, told);
      wake();
    },
    take(): Told[] {
      const all = [...held.values()];
      held.clear();
      return all;
    },
    /** Resolves when something waits, when woken, or after `ms`. */
    nextOr: (ms: number) =>
      new Promise<void>((resolve) => {
        if (held.size > 0) return resolve();
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

/** A clinic's own row carries its id where others carry their clinic's. A pause without a clinic is about every one. */
function isAbout(change: Change, clinicId: string): boolean {
  if (change.table === 'clinics') return change.id === clinicId;
  return change.clinicId === clinicId || (change.table === 'outreach_pauses' && change.clinicId === null);
}
