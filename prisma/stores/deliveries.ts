import type { OutboundEvent as SentEvent } from '@clinic/shared/contracts/outbound-events';
import type { DeliveryState } from '@clinic/shared/domain/delivery-state';
import { derivedId, newId } from '@clinic/shared/crypto';
import { nextDeliveryWaitMs } from '@clinic/shared/domain/delivery-schedule';
import {
  FAILING_TASK_AFTER_MS,
  MAX_FAILURES,
  mayAttempt,
  pauseAfterFailureMs,
} from '@clinic/shared/domain/receiver-health';
import { AppError } from '@clinic/shared/errors';
import type { Database } from '../client';
import type { Sql } from '../sql';
import type { Delivery, DeliveryAttempt, OutboundEvent } from '../generated/client';
import { type Cursors, olderThan, type PageOf } from './cursor';
import { openTask } from './tasks';

/** Longer than an attempt may take, so that a lease outlives its attempt and a lost one is soon free again. */
const LEASE_SECONDS = 30;

/** Senders that may not go yet look again one after the other, at this pace: slower where the receiver fails. */
const LOOK_AGAIN_SECONDS = { busy: 0.01, failing: 0.2 };

/** Senders to a receiver that fails wait for it on purpose. Should all of them be lost, a few see when it is well again. */
const WOKEN_WHILE_FAILING = 5;

export interface DueDelivery {
  deliveryId: string;
  event: string;
  data: Record<string, unknown>;
  createdAt: Date;
  url: string | null;
  isEnabled: boolean;
  /** It tells of a run whose calls the simulator played. */
  isSimulated: boolean;
  /** The subject has later events that wait for it. */
  hasMore: boolean;
}

export type Lease =
  | { kind: 'none' }
  /** Not yet due, or somebody else is at it. */
  | { kind: 'later'; at: Date }
  /** `token` is the lease's own: what is written with it counts while nobody else has taken the delivery. */
  | { kind: 'leased'; delivery: DueDelivery; token: string };

export type AttemptResult =
  | { kind: 'delivered'; status: number }
  | { kind: 'gone'; status: number }
  | { kind: 'failed'; status: number | null; error: string; retryAfterMs: number | null };

export type DeliveryRecord = Delivery & { event: OutboundEvent; attempts: DeliveryAttempt[] };

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

/**
 * An event for the clinic. `subject`: events of one subject are delivered in order; without one it stands alone. `at`: when
 * it happened, which the clinic is told; now where it is left out.
 */
export type EventToSend = { clinicId: string; subject?: string; at?: Date | null } & SentEvent;

export interface OverdueSubject {
  clinicId: string;
  subject: string;
  /** The id of its newest overdue delivery. */
  newest: string;
}

export interface DeliveryStores {
  /** Takes the oldest pending delivery of a subject, when it is due and nobody holds it: events of a subject go in order. */
  lease(clinicId: string, subject: string): Promise<Lease>;
  /**
   * Records an attempt and what follows from it: delivered, tried again later, or dead. Once another has taken the
   * delivery, the attempt alone is noted: nothing follows from it.
   */
  record(attempt: AttemptToRecord): Promise<void>;
  /** Dead at once, without an attempt: the endpoint is off. */
  abandon(input: { clinicId: string; deliveryId: string; token: string; error: string }): Promise<void>;
  /**
   * Subjects with a delivery that has been due for a while: nobody seems to be sending it. The clinics take turns; of one
   * whose receiver fails there are a few.
   */
  overdueSubjects(olderThanMs: number, limit: number): Promise<OverdueSubject[]>;
  find(clinicId: string, deliveryId: string): Promise<DeliveryRecord | null>;
  list(
    clinicId: string,
    filter: { state?: DeliveryState; event?: string; subject?: string; limit: number; cursor?: string },
  ): Promise<PageOf<DeliveryRecord>>;
  /** Queues a delivery again, now. Returns its subject; null when unknown. Throws `conflict` while an attempt is under way, and once its body was purged. */
  resend(clinicId: string, deliveryId: string): Promise<{ subject: string } | null>;
  /** Writes an event that is not part of another fact, as a test event. Returns its id, which is its delivery's too. */
  emit(event: EventToSend): Promise<string>;
}

export function createDeliveryStores({ sql, transaction, prisma }: Database, cursors: Cursors): DeliveryStores {
  const withAttempts = { event: true, attempts: { orderBy: { at: 'asc' } } } as const;

  return {
    lease: (clinicId, subject) =>
      transaction(async (tx) => {
        // One lease at a time per clinic, so that counting and leasing are one step.
        await tx`select pg_advisory_xact_lock(hashtextextended(${`deliveries:${clinicId}`}, 0))`;
        // What is due now is stored rounded to a millisecond, which may be one that is still to come.
        const [due] = await tx<DueDelivery & Receiver & { isDue: boolean; isHeld: boolean; at: Date }>`
          select d.id as "deliveryId", e.event, e.data, e.created_at as "createdAt", o.url, coalesce(o.is_enabled, false) as "isEnabled",
            exists (
              select 1 from workflow_runs r left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
              where r.clinic_id = e.clinic_id and r.is_simulated and e.subject in (r.id, c.id)) as "isSimulated",
            exists (
              select 1 from outbound_events later join deliveries w on w.clinic_id = later.clinic_id and w.event_id = later.id
              where later.clinic_id = e.clinic_id and later.subject = e.subject and later.sequence > e.sequence
                and w.state = 'PENDING') as "hasMore",
            coalesce(d.next_attempt_at, now()) <= now() + interval '1 millisecond' as "isDue", coalesce(d.leased_until > now(), false) as "isHeld",
            coalesce(greatest(d.next_attempt_at, d.leased_until), now()) as at,
            coalesce(h.failures, 0) as "failuresInARow", coalesce(h.paused_until > now(), false) as "isPaused",
            (select count(*)::int from deliveries o where o.clinic_id = ${clinicId} and o.leased_until > now()) as "attemptsUnderWay"
          from deliveries d
          join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
          left join outbound_endpoints o on o.clinic_id = d.clinic_id
          left join endpoint_health h on h.clinic_id = o.clinic_id and h.url = o.url
          where e.clinic_id = ${clinicId} and e.subject = ${subject} and d.state = 'PENDING'
          order by e.sequence limit 1
          for update of d`;
        if (!due) return { kind: 'none' };
        const { isDue, isHeld, at, failuresInARow, isPaused, attemptsUnderWay, ...delivery } = due;
        if (!isDue || isHeld) return { kind: 'later', at };
        const isTestEvent = delivery.event === 'test';
        const isFree = mayAttempt({ failuresInARow, isPaused, attemptsUnderWay, isTestEvent });
        if (delivery.url && delivery.isEnabled && !isFree) {
          return {
            kind: 'later',
            at: await nextLook(tx, { clinicId, url: delivery.url, isFailing: failuresInARow > 0 }),
          };
        }
        const token = newId();
        await tx`
          update deliveries set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}), lease_token = ${token}
          where id = ${delivery.deliveryId}`;
        return { kind: 'leased', delivery, token };
      }),

    record: ({ clinicId, deliveryId, token, url, result, durationMs, response, random }) =>
      transaction(async (tx) => {
        const error = result.kind === 'failed' ? result.error : null;
        await tx`
          insert into delivery_attempts (id, clinic_id, delivery_id, url, status, error, duration_ms, response)
          values (${newId()}, ${clinicId}, ${deliveryId}, ${url}, ${result.status}, ${error}, ${durationMs}, ${response})`;
        const [held] = await tx<{ tries: number }>`
          update deliveries set tries = tries + 1, leased_until = null, lease_token = null
          where clinic_id = ${clinicId} and id = ${deliveryId} and lease_token = ${token} returning tries`;
        if (!held) return;
        const { tries } = held;
        const wait =
          result.kind === 'failed' ? nextDeliveryWaitMs({ tries, random, retryAfterMs: result.retryAfterMs }) : null;
        const state: DeliveryState = result.kind === 'delivered' ? 'DELIVERED' : wait === null ? 'DEAD' : 'PENDING';
        await tx`
          with healthy as (
            update endpoint_health set failures = 0, failing_since = null, paused_until = null, next_look_at = null
            where ${state} = 'DELIVERED' and clinic_id = ${clinicId} and url = ${url} and failures > 0
          )
          update deliveries set state = ${state},
            delivered_at = case when ${state} = 'DELIVERED' then now() end,
            next_attempt_at = now() + make_interval(secs => ${wait === null ? null : wait / 1000}::float8)
          where clinic_id = ${clinicId} and id = ${deliveryId}`;
        if (result.kind === 'failed') await noteFailure(tx, { clinicId, url, retryAfterMs: result.retryAfterMs });
        if (result.kind === 'gone') {
          await tx`
            update outbound_endpoints set is_enabled = false, disabled_reason = 'the receiver answered 410 Gone'
            where clinic_id = ${clinicId} and url = ${url}`;
        }
      }),

    async abandon({ clinicId, deliveryId, token, error }) {
      await transaction(async (tx) => {
        await tx`
          insert into delivery_attempts (id, clinic_id, delivery_id, url, error, duration_ms)
          values (${newId()}, ${clinicId}, ${deliveryId}, '', ${error}, 0)`;
        await tx`
          update deliveries set state = 'DEAD', next_attempt_at = null, leased_until = null, lease_token = null
          where clinic_id = ${clinicId} and id = ${deliveryId} and lease_token = ${token}`;
      });
    },

    overdueSubjects: (olderThanMs, limit) => sql<OverdueSubject>`
      select o.clinic_id as "clinicId", o.subject, o.newest
      from (
        select e.clinic_id, e.subject, min(d.next_attempt_at) as due_at,
          coalesce((array_agg(d.id order by e.sequence desc))[1], '') as newest,
          row_number() over (partition by e.clinic_id order by min(d.next_attempt_at)) as turn
        from deliveries d join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
        where d.state = 'PENDING' and d.next_attempt_at <= now() - make_interval(secs => ${olderThanMs / 1000})
          and coalesce(d.leased_until <= now(), true)
        group by e.clinic_id, e.subject
      ) o
      left join outbound_endpoints p on p.clinic_id = o.clinic_id
      left join endpoint_health h on h.clinic_id = o.clinic_id and h.url = p.url
      where coalesce(h.failures, 0) < ${MAX_FAILURES} or o.turn <= ${WOKEN_WHILE_FAILING}
      order by o.turn, o.due_at limit ${limit}`,

    find: (clinicId, deliveryId) =>
      prisma.delivery.findFirst({ where: { clinicId, id: deliveryId }, include: withAttempts }),

    async list(clinicId, { state, event, subject, limit, cursor }) {
      const rows = await prisma.delivery.findMany({
        where: {
          clinicId,
          state,
          eventName: event,
          event: subject === undefined ? undefined : { subject },
          ...olderThan('createdAt', cursors.decode(cursor, clinicId)),
        },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
        include: withAttempts,
      });
      return cursors.page(clinicId, rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    async resend(clinicId, deliveryId) {
      const [queued] = await sql<{ subject: string; isHeld: boolean; isPurged: boolean }>`
        with found as (
          select d.id, e.subject, coalesce(d.leased_until > now(), false) as is_held,
            e.data = '{}'::jsonb as is_purged
          from deliveries d join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
          where d.clinic_id = ${clinicId} and d.id = ${deliveryId} for update of d
        ), queued as (
          update deliveries d set state = 'PENDING', tries = 0, next_attempt_at = now(), delivered_at = null, lease_token = null
          from found where d.id = found.id and not found.is_held and not found.is_purged
        ), tried_now as (
          update endpoint_health set paused_until = null where clinic_id = ${clinicId} and exists (select 1 from found)
        )
        select subject, is_held as "isHeld", is_purged as "isPurged" from found`;
      if (!queued) return null;
      if (queued.isPurged) throw new AppError('conflict', 'This event is so old that its body is no longer kept');
      if (queued.isHeld) throw new AppError('conflict', 'An attempt to deliver this event is under way');
      return { subject: queued.subject };
    },

    emit: (event) => emit(sql, event),
  };
}

interface Receiver {
  failuresInARow: number;
  attemptsUnderWay: number;
  isPaused: boolean;
}

/** When a sender that may not go yet looks again. One after the other: there may be many, and the receiver is not free sooner. */
async function nextLook(
  tx: Sql,
  { clinicId, url, isFailing }: { clinicId: string; url: string; isFailing: boolean },
): Promise<Date> {
  const seconds = isFailing ? LOOK_AGAIN_SECONDS.failing : LOOK_AGAIN_SECONDS.busy;
  const [turn] = await tx<{ at: Date }>`
    insert into endpoint_health as h (clinic_id, url, next_look_at)
    values (${clinicId}, ${url}, now() + make_interval(secs => ${seconds}))
    on conflict (clinic_id) do update set
      next_look_at = make_interval(secs => ${seconds}) + greatest(now(),
        case when h.url = excluded.url then h.paused_until end,
        case when h.next_look_at < now() + interval '5 minutes' then h.next_look_at end)
    returning coalesce(next_look_at, now()) as at`;
  if (!turn) throw new Error('a sender that waits must have its turn');
  return turn.at;
}

/** A receiver that fails is given pauses; one that has failed for a day is a task for staff. What came of an earlier URL says nothing of the present one. */
async function noteFailure(
  tx: Sql,
  { clinicId, url, retryAfterMs }: { clinicId: string; url: string; retryAfterMs: number | null },
): Promise<void> {
  const [receiver] = await tx<{ failures: number; since: Date; now: Date }>`
    insert into endpoint_health as h (clinic_id, url, failures, failing_since)
    select clinic_id, url, 1, now() from outbound_endpoints where clinic_id = ${clinicId} and url = ${url}
    on conflict (clinic_id) do update set url = excluded.url,
      failures = case when h.url = excluded.url then h.failures + 1 else 1 end,
      failing_since = case when h.url = excluded.url then coalesce(h.failing_since, now()) else now() end,
      paused_until = case when h.url = excluded.url then h.paused_until end
    returning failures, coalesce(failing_since, now()) as since, now() as now`;
  if (!receiver) return;
  const { failures: failuresInARow, since, now } = receiver;
  const failingForMs = now.getTime() - since.getTime();
  const pauseMs = pauseAfterFailureMs({ failuresInARow, failingForMs, retryAfterMs });
  if (pauseMs > 0) {
    await tx`
      update endpoint_health set paused_until = greatest(paused_until, now() + make_interval(secs => ${pauseMs / 1000}::float8))
      where clinic_id = ${clinicId}`;
  }
  if (failingForMs < FAILING_TASK_AFTER_MS) return;
  const failingSince = since.toISOString();
  await openTask(tx, {
    clinicId,
    reason: 'endpoint_failing',
    cause: `endpoint_failing:${failingSince}`,
    detail: { failingSince },
  });
}

/**
 * The id of an event, by which receivers know what they have had: derived from the fact, so that one which is told again
 * after a restore of the records has the same. A test event is one of its own each time.
 */
export function eventIdOf({ clinicId, event, subject }: { clinicId: string; event: string; subject?: string }): string {
  if (event === 'test' || subject === undefined) return newId();
  return derivedId('outbound-event', clinicId, event, subject);
}

/**
 * Writes an event in the transaction that makes it true. The database adds its delivery where the clinic wants one.
 * Returns the id of the event, which is its delivery's too.
 */
export async function emit(tx: Sql, { clinicId, event, subject, data, at }: EventToSend): Promise<string> {
  const id = eventIdOf({ clinicId, event, subject });
  await tx`
    insert into outbound_events (id, clinic_id, event, subject, data, created_at)
    values (${id}, ${clinicId}, ${event}, ${subject ?? id}, ${JSON.stringify(data)}::jsonb, coalesce(${at ?? null}::timestamptz, now()))`;
  return id;
}
