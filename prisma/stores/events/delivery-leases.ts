import type { DeliveryOwner, ToReceiver } from '@clinic/shared/domain/events/delivery-owner';
import type { SandboxFailureCode } from '@clinic/shared/domain/sandbox/sandbox-failures';
import { newId } from '@clinic/shared/crypto';
import { nextDeliveryWaitMs } from '@clinic/shared/domain/events/delivery-schedule';
import {
  lookAgainAfterMs,
  MAX_FAILURES,
  MAX_UNDER_WAY,
  mayAttempt,
} from '@clinic/shared/domain/events/receiver-health';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { emit, SAMPLE } from './deliveries';
import {
  nextLook,
  noteFailure,
  noteSuccess,
  noteTaken,
  type ReceiverKind,
  receiverIdOf,
  receiverKinds,
} from './receivers';

const EVENT_GIVEN_UP: SandboxFailureCode = 'event_given_up';

/** Longer than an attempt may take, so that a lease outlives its attempt and a lost one is soon free again. */
const LEASE_SECONDS = 30;

/** A kind of receiver that only a newer release knows is left to its workers: Temporal gives the next look to any. */
const LOOK_OF_OTHERS_MS = 60_000;

/** Senders to a receiver that fails, or has no place free, wait for it on purpose. Should all of them be lost, a few see when it is well again. */
const WOKEN_WHILE_WAITING = 5;

export interface DueDelivery {
  deliveryId: string;
  receiverId: string;
  kind: ReceiverKind;
  /** What the receiver knows it by: the same for every endpoint. */
  eventId: string;
  event: string;
  data: Record<string, unknown>;
  createdAt: Date;
  /** Of a change that a subscription tells of. */
  number: number | null;
  /** It goes to the clinic's first endpoint. */
  isFirst: boolean;
  url: string | null;
  isEnabled: boolean;
  /** Its endpoint was removed while it waited. */
  isRemoved: boolean;
  /** It tells of a run whose calls the simulator played, or is a sample. */
  isSimulated: boolean;
  /** Its body is no longer kept. */
  isPurged: boolean;
  /** The failure that the clinic's team has chosen for its next event, while its sandbox is on. */
  failureId: string | null;
  /** The subject has later events for this receiver, that wait for it. */
  hasMore: boolean;
}

export type Lease =
  | { kind: 'none' }
  /** Not yet due, or somebody else is at it. `waitMs` is by the clock that says when: another machine's may differ. */
  | { kind: 'later'; at: Date; waitMs: number }
  /** `token` is the lease's own: what is written with it counts while nobody else has taken the delivery. */
  | { kind: 'leased'; delivery: DueDelivery; token: string };

export type AttemptResult =
  | { kind: 'delivered'; status: number }
  | { kind: 'failed'; status: number | null; error: string; retryAfterMs: number | null };

/** An attempt that was made, and what came of it. */
export interface AttemptToRecord {
  clinicId: string;
  deliveryId: string;
  token: string;
  url: string;
  result: AttemptResult;
  durationMs: number;
  response: string | null;
  random: number;
}

/** What waits for a sender, perhaps in vain; `newest` is the id of its newest delivery that waits. */
export type WaitingOwner = ToReceiver & { newest: string };

export interface DeliveryLeases {
  /**
   * Takes the oldest pending delivery of a subject to a receiver when it is due and nobody holds it: events of a subject go to each
   * receiver in order. One to an endpoint that was removed is always due.
   */
  lease(owner: DeliveryOwner): Promise<Lease>;
  /**
   * Records an attempt and what follows from it: delivered, tried again later, or dead. Once another has taken the
   * delivery, the attempt alone is noted: nothing follows from it.
   */
  record(attempt: AttemptToRecord): Promise<void>;
  /** Dead at once, without an attempt: the endpoint is off, or was removed. */
  abandon(input: { clinicId: string; deliveryId: string; token: string; error: string }): Promise<void>;
  /** The receivers that are owed something about a subject. */
  receiversOf(clinicId: string, subject: string): Promise<string[]>;
  /**
   * What has been due for a while: nobody seems to be sending it. The receivers take turns; of one that fails, or has no place
   * free, there are a few.
   */
  overdue(olderThanMs: number, limit: number): Promise<WaitingOwner[]>;
  /**
   * What was not tried yet and is younger than so, but for what is owed to a clinic's first endpoint, whose sender each case wakes,
   * test events aside. The receivers take turns.
   */
  untried(youngerThanMs: number, limit: number): Promise<WaitingOwner[]>;
}

export function createDeliveryLeases({ sql, transaction }: Database): DeliveryLeases {
  return {
    async lease({ clinicId, subject, ...to }) {
      const receiverId = await receiverIdOf(sql, clinicId, 'receiverId' in to ? to.receiverId : undefined);
      if (receiverId === null) return { kind: 'none' };
      return transaction((tx) => leaseNext(tx, { clinicId, subject, receiverId }));
    },

    record: (attempt) => transaction((tx) => recordAttempt(tx, attempt)),

    async abandon({ clinicId, deliveryId, token, error }) {
      await sql`
        with noted as (
          insert into delivery_attempts (id, clinic_id, delivery_id, receiver_id, url, error, duration_ms)
          select ${newId()}, clinic_id, id, receiver_id, '', ${error}, 0
          from deliveries where clinic_id = ${clinicId} and id = ${deliveryId}
        )
        update deliveries set state = 'DEAD', next_attempt_at = null, leased_until = null, lease_token = null
        where clinic_id = ${clinicId} and id = ${deliveryId} and lease_token = ${token}`;
    },

    async receiversOf(clinicId, subject) {
      const found = await sql<{ id: string }>`
        select distinct d.receiver_id as id from receivers r
        join deliveries d on d.clinic_id = r.clinic_id and d.receiver_id = r.id
        where r.clinic_id = ${clinicId} and d.subject = ${subject} and d.state = 'PENDING'`;
      return found.map(({ id }) => id);
    },

    overdue: (olderThanMs, limit) => sql<WaitingOwner>`
      select o.clinic_id as "clinicId", o.subject, o.receiver_id as "receiverId", o.newest
      from (
        select clinic_id, subject, receiver_id, min(next_attempt_at) as due_at,
          coalesce((array_agg(id order by place desc))[1], '') as newest,
          row_number() over (partition by clinic_id, receiver_id order by min(next_attempt_at)) as turn
        from deliveries
        where state = 'PENDING' and next_attempt_at <= now() - make_interval(secs => ${olderThanMs / 1000})
          and coalesce(leased_until <= now(), true)
        group by clinic_id, subject, receiver_id
      ) o
      join receivers r on r.clinic_id = o.clinic_id and r.id = o.receiver_id
      left join (
        select clinic_id, receiver_id, count(*) from deliveries where leased_until > now() group by clinic_id, receiver_id
      ) l on l.clinic_id = o.clinic_id and l.receiver_id = o.receiver_id
      where r.failures < ${MAX_FAILURES} and coalesce(l.count, 0) < ${MAX_UNDER_WAY} or o.turn <= ${WOKEN_WHILE_WAITING}
      order by o.turn, o.due_at limit ${limit}`,

    untried: (youngerThanMs, limit) => sql<WaitingOwner>`
      select w.clinic_id as "clinicId", w.subject, w.receiver_id as "receiverId", w.newest
      from (
        select d.clinic_id, d.subject, d.receiver_id, min(d.next_attempt_at) as due_at,
          coalesce((array_agg(d.id order by d.place desc))[1], '') as newest,
          row_number() over (partition by d.clinic_id, d.receiver_id order by min(d.next_attempt_at)) as turn
        from deliveries d join receivers r on r.clinic_id = d.clinic_id and r.id = d.receiver_id
        where d.state = 'PENDING' and (not r.is_first or d.event = 'test') and d.tries = 0 and d.leased_until is null
          and d.next_attempt_at > now() - make_interval(secs => ${youngerThanMs / 1000}) and d.next_attempt_at <= now()
        group by d.clinic_id, d.subject, d.receiver_id
      ) w
      order by w.turn, w.due_at limit ${limit}`,
  };
}

interface NextDelivery extends Omit<DueDelivery, 'kind'> {
  receiverKind: string;
  isDue: boolean;
  isHeld: boolean;
  isTestEvent: boolean;
  at: Date;
  now: Date;
  failuresInARow: number;
  isPaused: boolean;
  attemptsUnderWay: number;
  longestUnderWayMs: number;
}

async function leaseNext(tx: Sql, { clinicId, subject, receiverId }: ToReceiver): Promise<Lease> {
  // One lease at a time per receiver, so that counting and leasing are one step.
  await tx`select pg_advisory_xact_lock(hashtextextended(${`deliveries:${clinicId}:${receiverId}`}, 0))`;
  // What is due now is stored rounded to a millisecond, which may be one that is still to come.
  const [next] = await tx<NextDelivery>`
    select d.id as "deliveryId", d.receiver_id as "receiverId", e.id as "eventId", e.event, e.data, e.created_at as "createdAt",
      e.number, r.kind as "receiverKind", r.is_first as "isFirst", r.url, r.is_enabled and coalesce(s.ends_at > now(), true) as "isEnabled", r.removed_at is not null as "isRemoved",
      coalesce(starts_with(d.subject, ${SAMPLE}), false) or exists (
        select 1 from workflow_runs w where w.clinic_id = d.clinic_id and w.is_simulated and w.id = coalesce(
          (select c.workflow_id from recovery_cases c where c.clinic_id = d.clinic_id and c.id = d.subject), d.subject)) as "isSimulated",
      r.kind = 'endpoint' and e.data = '{}'::jsonb as "isPurged",
      (select f.id from sandbox_failures f join clinics c on c.id = f.clinic_id
        where f.clinic_id = d.clinic_id and f.failure = ${EVENT_GIVEN_UP} and f.played < f.times and f.ends_at > now()
          and c.sandbox_enabled and r.kind = 'endpoint' order by f.created_at, f.id limit 1) as "failureId",
      exists (
        select 1 from deliveries l where l.clinic_id = d.clinic_id and l.receiver_id = d.receiver_id and l.subject = d.subject
          and l.place > d.place and l.state = 'PENDING') as "hasMore",
      coalesce(d.next_attempt_at, now()) <= now() + interval '1 millisecond' as "isDue", coalesce(d.leased_until > now(), false) as "isHeld",
      coalesce(starts_with(d.subject, ${SAMPLE}) or d.event = 'test', false) as "isTestEvent",
      coalesce(greatest(d.next_attempt_at, d.leased_until), now()) as at, now() as now,
      r.failures as "failuresInARow", coalesce(r.paused_until > now(), false) as "isPaused",
      u.count as "attemptsUnderWay", u."longestUnderWayMs"
    from deliveries d
    join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
    join receivers r on r.clinic_id = d.clinic_id and r.id = d.receiver_id
    left join fhir_subscriptions s on s.clinic_id = r.clinic_id and s.id = r.id
    cross join lateral (
      select count(*)::int as count,
        coalesce(1000 * (${LEASE_SECONDS}::float8 - extract(epoch from min(leased_until) - now())::float8), 0) as "longestUnderWayMs"
      from deliveries where clinic_id = ${clinicId} and leased_until > now() and receiver_id = ${receiverId}
    ) u
    where d.clinic_id = ${clinicId} and d.receiver_id = ${receiverId} and d.subject = ${subject} and d.state = 'PENDING'
    order by d.place limit 1
    for update of d`;
  if (!next) return { kind: 'none' };
  const {
    receiverKind,
    isDue,
    isHeld,
    isTestEvent,
    at,
    now,
    failuresInARow,
    isPaused,
    attemptsUnderWay,
    longestUnderWayMs,
    ...delivery
  } = next;
  const kind = receiverKinds.find((known) => known === receiverKind);
  const later = (until: Date): Lease => ({ kind: 'later', at: until, waitMs: until.getTime() - now.getTime() });
  if (kind === undefined) return later(new Date(now.getTime() + LOOK_OF_OTHERS_MS));
  const { deliveryId, isRemoved } = delivery;
  // What a subscription is owed waits until it is on again.
  if (kind === 'subscription' && !delivery.isEnabled) {
    await park(tx, clinicId, receiverId);
    return { kind: 'none' };
  }
  if (isHeld || (!isDue && !isRemoved)) return later(at);
  const isFree = mayAttempt({ failuresInARow, isPaused, attemptsUnderWay, isTestEvent });
  if (delivery.url && delivery.isEnabled && !isRemoved && !isFree) {
    const afterMs = lookAgainAfterMs({ failuresInARow, longestUnderWayMs });
    return later(await nextLook(tx, { clinicId, receiverId, afterMs }));
  }
  const token = newId();
  await tx`
    update deliveries set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}), lease_token = ${token}
    where clinic_id = ${clinicId} and id = ${deliveryId}`;
  return { kind: 'leased', delivery: { ...delivery, kind }, token };
}

/** Nobody looks for it then. */
async function park(tx: Sql, clinicId: string, receiverId: string): Promise<void> {
  await tx`
    update deliveries set next_attempt_at = null
    where clinic_id = ${clinicId} and receiver_id = ${receiverId} and state = 'PENDING' and coalesce(leased_until <= now(), true)`;
}

async function recordAttempt(
  tx: Sql,
  { clinicId, deliveryId, token, url, result, durationMs, response, random }: AttemptToRecord,
): Promise<void> {
  const error = result.kind === 'failed' ? result.error : null;
  const isDelivered = result.kind === 'delivered';
  const [held] = await tx<Held>`
    with noted as (
      insert into delivery_attempts (id, clinic_id, delivery_id, receiver_id, url, status, error, duration_ms, response)
      select ${newId()}, clinic_id, id, receiver_id, ${url}, ${result.status}::int, ${error}, ${durationMs}::int, ${response}
      from deliveries where clinic_id = ${clinicId} and id = ${deliveryId}
    )
    update deliveries d set tries = tries + 1, leased_until = null, lease_token = null,
      state = case when ${isDelivered}::boolean then 'DELIVERED' else d.state end,
      delivered_at = case when ${isDelivered}::boolean then now() end,
      next_attempt_at = case when ${isDelivered}::boolean then null else d.next_attempt_at end
    from receivers r
    where d.clinic_id = ${clinicId} and d.id = ${deliveryId} and d.lease_token = ${token}
      and r.clinic_id = d.clinic_id and r.id = d.receiver_id
    returning d.tries, d.receiver_id as "receiverId", r.kind as "receiverKind", d.place::float8 as place, d.event = 'test' as "isTestEvent",
      r.failures > 0 or r.last_error is not null as "hasFailed"`;
  if (!held) return;
  const { receiverId, receiverKind, place, isTestEvent, hasFailed } = held;
  const tried = { clinicId, receiverId, url };
  if (result.kind === 'delivered') {
    if (receiverKind === 'subscription') await noteTaken(tx, { clinicId, receiverId, place });
    if (hasFailed) await noteSuccess(tx, tried);
    return;
  }
  const waitMs = waitAfter(result, held, random);
  await tx`
    update deliveries set state = ${waitMs === null ? 'DEAD' : 'PENDING'},
      next_attempt_at = now() + make_interval(secs => ${waitMs === null ? null : waitMs / 1000}::float8)
    where clinic_id = ${clinicId} and id = ${deliveryId}`;
  const { error: reason, retryAfterMs } = result;
  const isAsked = await noteFailure(tx, {
    ...tried,
    error: reason,
    isLast: waitMs === null,
    isTestEvent,
    retryAfterMs,
  });
  if (isAsked) await askAgain(tx, clinicId, receiverId);
}

interface Held {
  tries: number;
  receiverId: string;
  receiverKind: string;
  place: number;
  isTestEvent: boolean;
  /** The receiver did not take what it was sent before. */
  hasFailed: boolean;
}

/** Null where it is not tried again. A 410 of a FHIR Subscription is taken at its word: what it is owed waits for it. */
function waitAfter(
  result: AttemptResult & { kind: 'failed' },
  { tries, receiverKind }: Held,
  random: number,
): number | null {
  if (receiverKind === 'subscription' && result.status === 410) return null;
  return nextDeliveryWaitMs({ tries, random, retryAfterMs: result.retryAfterMs });
}

/** Whether an endpoint is gone, or refuses one event alone, is told by what it answers to an event about nobody. */
async function askAgain(tx: Sql, clinicId: string, receiverId: string): Promise<void> {
  const [asked] = await tx`
    select id from deliveries
    where clinic_id = ${clinicId} and receiver_id = ${receiverId} and event = 'test' and state = 'PENDING' limit 1`;
  if (asked) return;
  await emit(tx, { clinicId, onlyTo: receiverId, event: 'test', data: { message: 'Are you still there?' } });
}
