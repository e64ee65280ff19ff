import type { OutboundEvent as SentEvent } from '@clinic/shared/contracts/outbound-events';
import type { DeliveryState } from '@clinic/shared/domain/delivery-state';
import { derivedId, newId } from '@clinic/shared/crypto';
import { nextDeliveryWaitMs } from '@clinic/shared/domain/delivery-schedule';
import { FIRST_ENDPOINT } from '@clinic/shared/domain/outbound-endpoint';
import { lookAgainAfterMs, MAX_FAILURES, MAX_UNDER_WAY, mayAttempt } from '@clinic/shared/domain/receiver-health';
import { AppError } from '@clinic/shared/errors';
import type { Database } from '../client';
import type { Sql } from '../sql';
import type { Delivery, DeliveryAttempt, OutboundEvent } from '../generated/client';
import { type Cursors, olderThan, type PageOf } from './cursor';
import { nextLook, noteFailure, switchOff } from './receiver-health';
import { boundedTotal, newestRows, type Total } from './total';

/** Longer than an attempt may take, so that a lease outlives its attempt and a lost one is soon free again. */
const LEASE_SECONDS = 30;

/** Senders to a receiver that fails, or has no place free, wait for it on purpose. Should all of them be lost, a few see when it is well again. */
const WOKEN_WHILE_WAITING = 5;

export interface DueDelivery {
  deliveryId: string;
  /** What the receiver knows it by: the same for every endpoint. */
  eventId: string;
  event: string;
  data: Record<string, unknown>;
  createdAt: Date;
  url: string | null;
  isEnabled: boolean;
  /** Its endpoint was removed while it waited. */
  isRemoved: boolean;
  /** It tells of a run whose calls the simulator played, or is a sample. */
  isSimulated: boolean;
  /** The subject has later events for this endpoint, that wait for it. */
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

/** The run that an event tells of, and its patient. */
export interface DeliveryAbout {
  workflowId: string;
  workflowType: string;
  caseId: string | null;
  patientId: string | null;
  firstName: string | null;
  lastName: string | null;
}

/** A further endpoint, as a delivery names it; null for the clinic's first one. */
export type NamedEndpoint = { id: string; name: string } | null;

export type DeliveryWithAbout = DeliveryRecord & { about: DeliveryAbout | null; endpoint: NamedEndpoint };

/** How an endpoint does, and did in the last 24 hours. */
export interface ReceiverRecord {
  url: string | null;
  isEnabled: boolean;
  failures: number;
  failingSince: Date | null;
  /** Null where no pause holds. */
  pausedUntil: Date | null;
  waiting: number;
  failed: number;
  /** Hours with attempts, the oldest first. */
  hours: { from: Date; delivered: number; failed: number; slowestMs: number | null }[];
}

/** Samples are events of subjects that begin so, which no case and no run does. */
export const SAMPLE = 'sample-';

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
 * it happened, which the clinic is told; now where it is left out. `onlyTo`: the one further endpoint that it is for.
 */
export type EventToSend = { clinicId: string; subject?: string; at?: Date | null; onlyTo?: string } & SentEvent;

/** A subject whose events wait for an endpoint, and perhaps for a sender. */
export interface WaitingSubject {
  clinicId: string;
  subject: string;
  endpointId: string;
  /** The id of its newest delivery that waits. */
  newest: string;
}

export interface DeliveryFilter {
  state?: DeliveryState;
  event?: string;
  subject?: string;
  /** '' for those to the first endpoint. */
  endpointId?: string;
  /** Of events from this instant (ISO, UTC) on, and before `until`. */
  from?: string;
  until?: string;
}

export interface DeliveryStores {
  /**
   * Takes the oldest pending delivery of a subject to an endpoint, the first one where none is named, when it is due and nobody
   * holds it: events of a subject go to each endpoint in order. One to an endpoint that was removed is always due.
   */
  lease(clinicId: string, subject: string, endpointId?: string): Promise<Lease>;
  /**
   * Records an attempt and what follows from it: delivered, tried again later, or dead. Once another has taken the
   * delivery, the attempt alone is noted: nothing follows from it.
   */
  record(attempt: AttemptToRecord): Promise<void>;
  /** Dead at once, without an attempt: the endpoint is off, or was removed. */
  abandon(input: { clinicId: string; deliveryId: string; token: string; error: string }): Promise<void>;
  /**
   * Subjects with a delivery that has been due for a while: nobody seems to be sending it. The endpoints take turns; of one
   * that fails, or has no place free, there are a few.
   */
  overdueSubjects(olderThanMs: number, limit: number): Promise<WaitingSubject[]>;
  /**
   * Subjects with an event for a further endpoint that was not tried yet and is younger than so: a case wakes the sender of its
   * first endpoint alone. The endpoints take turns.
   */
  subjectsForFurther(youngerThanMs: number, limit: number): Promise<WaitingSubject[]>;
  find(clinicId: string, deliveryId: string): Promise<DeliveryWithAbout | null>;
  list(
    clinicId: string,
    filter: DeliveryFilter & { limit: number; cursor?: string },
  ): Promise<PageOf<DeliveryWithAbout>>;
  count(clinicId: string, filter: DeliveryFilter): Promise<Total>;
  receiver(clinicId: string, endpointId?: string): Promise<ReceiverRecord>;
  /**
   * Queues a delivery again, now. Returns whose sender is to be woken; null when unknown. Throws `conflict` while an attempt is
   * under way, once its body was purged, and once its endpoint was removed.
   */
  resend(clinicId: string, deliveryId: string): Promise<{ subject: string; endpointId?: string } | null>;
  /** Writes an event that is not part of another fact, as a test event. Returns its id, which is that of its delivery to the first endpoint too. */
  emit(event: EventToSend): Promise<string>;
}

const whereOf = (clinicId: string, { state, event, subject, endpointId, from, until }: DeliveryFilter) => ({
  clinicId,
  state,
  eventName: event,
  endpointId,
  event: subject === undefined ? undefined : { subject },
  createdAt: { gte: from, lt: until },
});

export function createDeliveryStores({ sql, transaction, prisma }: Database, cursors: Cursors): DeliveryStores {
  const withAttempts = { event: true, attempts: { orderBy: { at: 'asc' } } } as const;

  return {
    lease: (clinicId, subject, endpointId = FIRST_ENDPOINT) =>
      transaction(async (tx) => {
        // One lease at a time per endpoint, so that counting and leasing are one step.
        const turn = endpointId === FIRST_ENDPOINT ? `deliveries:${clinicId}` : `deliveries:${clinicId}:${endpointId}`;
        await tx`select pg_advisory_xact_lock(hashtextextended(${turn}, 0))`;
        // What is due now is stored rounded to a millisecond, which may be one that is still to come.
        const [due] = await tx<
          DueDelivery & Receiver & { isDue: boolean; isHeld: boolean; isSample: boolean; at: Date }
        >`
          select d.id as "deliveryId", e.id as "eventId", e.event, e.data, e.created_at as "createdAt", o.url,
            coalesce(o.is_enabled, false) as "isEnabled", coalesce(o.is_removed, false) as "isRemoved",
            coalesce(starts_with(e.subject, ${SAMPLE}), false) or exists (
              select 1 from workflow_runs r left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
              where r.clinic_id = e.clinic_id and r.is_simulated and e.subject in (r.id, c.id)) as "isSimulated",
            coalesce(starts_with(e.subject, ${SAMPLE}), false) as "isSample",
            exists (
              select 1 from outbound_events later join deliveries w on w.clinic_id = later.clinic_id and w.event_id = later.id
              where later.clinic_id = e.clinic_id and later.subject = e.subject and later.sequence > e.sequence
                and w.state = 'PENDING' and w.endpoint_id = d.endpoint_id) as "hasMore",
            coalesce(d.next_attempt_at, now()) <= now() + interval '1 millisecond' as "isDue", coalesce(d.leased_until > now(), false) as "isHeld",
            coalesce(greatest(d.next_attempt_at, d.leased_until), now()) as at,
            coalesce(o.failures, 0) as "failuresInARow", coalesce(o.paused_until > now(), false) as "isPaused",
            l.count as "attemptsUnderWay", l."longestUnderWayMs"
          from deliveries d
          join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
          left join endpoints o on o.clinic_id = d.clinic_id and o.id = d.endpoint_id
          cross join lateral (
            select count(*)::int as count,
              coalesce(1000 * (${LEASE_SECONDS}::float8 - extract(epoch from min(leased_until) - now())::float8), 0) as "longestUnderWayMs"
            from deliveries where clinic_id = ${clinicId} and leased_until > now() and endpoint_id = ${endpointId}
          ) l
          where e.clinic_id = ${clinicId} and e.subject = ${subject} and d.state = 'PENDING' and d.endpoint_id = ${endpointId}
          order by e.sequence limit 1
          for update of d`;
        if (!due) return { kind: 'none' };
        const {
          isDue,
          isHeld,
          isSample,
          at,
          failuresInARow,
          isPaused,
          attemptsUnderWay,
          longestUnderWayMs,
          ...delivery
        } = due;
        const { isRemoved } = delivery;
        if (isHeld || (!isDue && !isRemoved)) return { kind: 'later', at };
        const isTestEvent = isSample || delivery.event === 'test';
        const isFree = mayAttempt({ failuresInARow, isPaused, attemptsUnderWay, isTestEvent });
        if (delivery.url && delivery.isEnabled && !isRemoved && !isFree) {
          const afterMs = lookAgainAfterMs({ failuresInARow, longestUnderWayMs });
          return { kind: 'later', at: await nextLook(tx, { clinicId, endpointId, url: delivery.url, afterMs }) };
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
          insert into delivery_attempts (id, clinic_id, delivery_id, endpoint_id, url, status, error, duration_ms, response)
          values (${newId()}, ${clinicId}, ${deliveryId},
            coalesce((select endpoint_id from deliveries where clinic_id = ${clinicId} and id = ${deliveryId}), ''),
            ${url}, ${result.status}, ${error}, ${durationMs}, ${response})`;
        const [held] = await tx<{ tries: number; endpointId: string }>`
          update deliveries set tries = tries + 1, leased_until = null, lease_token = null
          where clinic_id = ${clinicId} and id = ${deliveryId} and lease_token = ${token} returning tries, endpoint_id as "endpointId"`;
        if (!held) return;
        const { tries, endpointId } = held;
        const wait =
          result.kind === 'failed' ? nextDeliveryWaitMs({ tries, random, retryAfterMs: result.retryAfterMs }) : null;
        const state: DeliveryState = result.kind === 'delivered' ? 'DELIVERED' : wait === null ? 'DEAD' : 'PENDING';
        await tx`
          with healthy as (
            update endpoint_health set failures = 0, failing_since = null, paused_until = null, next_look_at = null
            where ${state} = 'DELIVERED' and ${endpointId} = '' and clinic_id = ${clinicId} and url = ${url} and failures > 0
          ), healthy_further as (
            update further_endpoints set failures = 0, failing_since = null, paused_until = null, next_look_at = null
            where ${state} = 'DELIVERED' and clinic_id = ${clinicId} and id = ${endpointId} and url = ${url} and failures > 0
          )
          update deliveries set state = ${state},
            delivered_at = case when ${state} = 'DELIVERED' then now() end,
            next_attempt_at = now() + make_interval(secs => ${wait === null ? null : wait / 1000}::float8)
          where clinic_id = ${clinicId} and id = ${deliveryId}`;
        const tried = { clinicId, endpointId, url };
        if (result.kind === 'failed') await noteFailure(tx, { ...tried, retryAfterMs: result.retryAfterMs });
        if (result.kind === 'gone') await switchOff(tx, tried);
      }),

    async abandon({ clinicId, deliveryId, token, error }) {
      await transaction(async (tx) => {
        await tx`
          insert into delivery_attempts (id, clinic_id, delivery_id, endpoint_id, url, error, duration_ms)
          values (${newId()}, ${clinicId}, ${deliveryId},
            coalesce((select endpoint_id from deliveries where clinic_id = ${clinicId} and id = ${deliveryId}), ''),
            '', ${error}, 0)`;
        await tx`
          update deliveries set state = 'DEAD', next_attempt_at = null, leased_until = null, lease_token = null
          where clinic_id = ${clinicId} and id = ${deliveryId} and lease_token = ${token}`;
      });
    },

    overdueSubjects: (olderThanMs, limit) => sql<WaitingSubject>`
      select o.clinic_id as "clinicId", o.subject, o.endpoint_id as "endpointId", o.newest
      from (
        select e.clinic_id, e.subject, d.endpoint_id, min(d.next_attempt_at) as due_at,
          coalesce((array_agg(d.id order by e.sequence desc))[1], '') as newest,
          row_number() over (partition by e.clinic_id, d.endpoint_id order by min(d.next_attempt_at)) as turn
        from deliveries d join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
        where d.state = 'PENDING' and d.next_attempt_at <= now() - make_interval(secs => ${olderThanMs / 1000})
          and coalesce(d.leased_until <= now(), true)
        group by e.clinic_id, e.subject, d.endpoint_id
      ) o
      left join endpoints p on p.clinic_id = o.clinic_id and p.id = o.endpoint_id
      left join (
        select clinic_id, endpoint_id, count(*) from deliveries where leased_until > now() group by clinic_id, endpoint_id
      ) l on l.clinic_id = o.clinic_id and l.endpoint_id = o.endpoint_id
      where coalesce(p.failures, 0) < ${MAX_FAILURES} and coalesce(l.count, 0) < ${MAX_UNDER_WAY} or o.turn <= ${WOKEN_WHILE_WAITING}
      order by o.turn, o.due_at limit ${limit}`,

    subjectsForFurther: (youngerThanMs, limit) => sql<WaitingSubject>`
      select w.clinic_id as "clinicId", w.subject, w.endpoint_id as "endpointId", w.newest
      from (
        select e.clinic_id, e.subject, d.endpoint_id, min(d.next_attempt_at) as due_at,
          coalesce((array_agg(d.id order by e.sequence desc))[1], '') as newest,
          row_number() over (partition by e.clinic_id, d.endpoint_id order by min(d.next_attempt_at)) as turn
        from deliveries d join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
        where d.state = 'PENDING' and d.endpoint_id <> '' and d.tries = 0 and d.leased_until is null
          and d.next_attempt_at > now() - make_interval(secs => ${youngerThanMs / 1000}) and d.next_attempt_at <= now()
        group by e.clinic_id, e.subject, d.endpoint_id
      ) w
      order by w.turn, w.due_at limit ${limit}`,

    async find(clinicId, deliveryId) {
      const found = await prisma.delivery.findFirst({ where: { clinicId, id: deliveryId }, include: withAttempts });
      const [delivery] = await withAbout(sql, clinicId, found ? [found] : []);
      return delivery ?? null;
    },

    async list(clinicId, { limit, cursor, ...filter }) {
      const rows = await prisma.delivery.findMany({
        where: { AND: [whereOf(clinicId, filter), olderThan('createdAt', cursors.decode(cursor, clinicId))] },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
        include: withAttempts,
      });
      const deliveries = await withAbout(sql, clinicId, rows);
      return cursors.page(clinicId, deliveries, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    count(clinicId, filter) {
      const { newest, countUpTo } = newestRows(prisma.delivery, clinicId, 'createdAt');
      return boundedTotal(filter, { newest, count: (asked) => countUpTo(whereOf(clinicId, asked)) });
    },

    async receiver(clinicId, endpointId = FIRST_ENDPOINT) {
      const [now] = await sql<Omit<ReceiverRecord, 'hours'>>`
        select o.url, coalesce(o.is_enabled, false) as "isEnabled", coalesce(o.failures, 0) as failures,
          o.failing_since as "failingSince", case when o.paused_until > now() then o.paused_until end as "pausedUntil",
          (select count(*)::int from (
            select 1 from deliveries d where d.clinic_id = c.id and d.state = 'PENDING' and d.endpoint_id = ${endpointId} limit ${MANY}) w)
            as waiting,
          (select count(*)::int from (
            select 1 from deliveries d where d.clinic_id = c.id and d.state = 'DEAD' and d.endpoint_id = ${endpointId} limit ${MANY}) f)
            as failed
        from clinics c left join endpoints o on o.clinic_id = c.id and o.id = ${endpointId}
        where c.id = ${clinicId}`;
      const hours = await sql<ReceiverRecord['hours'][number]>`
        select coalesce(date_trunc('hour', at, 'UTC'), now()) as "from", (count(*) filter (where status between 200 and 299))::int as delivered,
          (count(*) filter (where coalesce(status not between 200 and 299, true)))::int as failed, max(duration_ms) as "slowestMs"
        from (
          select at, status, duration_ms from delivery_attempts
          where clinic_id = ${clinicId} and at > now() - interval '24 hours' and endpoint_id = ${endpointId}
          order by at desc limit ${MANY_ATTEMPTS}
        ) attempts
        group by 1 order by 1`;
      const none = { url: null, isEnabled: false, failures: 0, failingSince: null, pausedUntil: null };
      return { ...(now ?? { ...none, waiting: 0, failed: 0 }), hours };
    },

    async resend(clinicId, deliveryId) {
      const [queued] = await sql<{
        subject: string;
        endpointId: string;
        isHeld: boolean;
        isPurged: boolean;
        isRemoved: boolean;
      }>`
        with found as (
          select d.id, e.subject, d.endpoint_id, coalesce(d.leased_until > now(), false) as is_held,
            e.data = '{}'::jsonb as is_purged,
            exists (
              select 1 from further_endpoints f where f.clinic_id = d.clinic_id and f.id = d.endpoint_id and f.removed_at is not null
            ) as is_removed
          from deliveries d join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
          where d.clinic_id = ${clinicId} and d.id = ${deliveryId} for update of d
        ), queued as (
          update deliveries d set state = 'PENDING', tries = 0, next_attempt_at = now(), delivered_at = null, lease_token = null
          from found where d.id = found.id and not found.is_held and not found.is_purged and not found.is_removed
        ), tried_now as (
          update endpoint_health set paused_until = null
          where clinic_id = ${clinicId} and exists (select 1 from found where endpoint_id = '')
        ), further_tried_now as (
          update further_endpoints set paused_until = null
          where clinic_id = ${clinicId} and id = (select endpoint_id from found) and paused_until is not null
        )
        select subject, endpoint_id as "endpointId", is_held as "isHeld", is_purged as "isPurged", is_removed as "isRemoved" from found`;
      if (!queued) return null;
      if (queued.isRemoved) throw new AppError('conflict', 'The endpoint that this event was for has been removed');
      if (queued.isPurged) throw new AppError('conflict', 'This event is so old that its body is no longer kept');
      if (queued.isHeld) throw new AppError('conflict', 'An attempt to deliver this event is under way');
      return { subject: queued.subject, endpointId: queued.endpointId || undefined };
    },

    emit: (event) => emit(sql, event),
  };
}

const MANY = 1_000;
const MANY_ATTEMPTS = 20_000;

/** With the run and the patient that each tells of, and the name of its endpoint. */
async function withAbout(sql: Sql, clinicId: string, records: DeliveryRecord[]): Promise<DeliveryWithAbout[]> {
  const deliveries = await withEndpoints(sql, clinicId, records);
  const subjects = [...new Set(deliveries.map(({ event }) => event.subject))];
  const rows = await sql<DeliveryAbout & { subject: string }>`
    select coalesce(s.subject, '') as subject, r.id as "workflowId", r.workflow_type as "workflowType", c.id as "caseId", p.id as "patientId",
      p.first_name as "firstName", p.last_name as "lastName"
    from unnest(${subjects}::text[]) s(subject)
    cross join lateral (
      select workflow_id as id from recovery_cases where clinic_id = ${clinicId} and id = s.subject
      union all select id from workflow_runs where clinic_id = ${clinicId} and id = s.subject
    ) told
    join workflow_runs r on r.clinic_id = ${clinicId} and r.id = told.id
    left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
    left join patients p on p.clinic_id = r.clinic_id and p.id = r.patient_id`;
  return deliveries.map((delivery) => {
    const found = rows.find(({ subject }) => subject === delivery.event.subject);
    if (!found) return { ...delivery, about: null };
    const { subject: _subject, ...about } = found;
    return { ...delivery, about };
  });
}

interface Receiver {
  failuresInARow: number;
  attemptsUnderWay: number;
  longestUnderWayMs: number;
  isPaused: boolean;
}

/** With the name of each delivery's endpoint. */
export async function withEndpoints<Record extends { endpointId: string }>(
  sql: Sql,
  clinicId: string,
  records: Record[],
): Promise<(Record & { endpoint: NamedEndpoint })[]> {
  const ids = [...new Set(records.map(({ endpointId }) => endpointId))].filter((id) => id !== FIRST_ENDPOINT);
  const further =
    ids.length === 0
      ? []
      : await sql<{ id: string; name: string }>`
          select id, name from further_endpoints where clinic_id = ${clinicId} and id = any(${ids})`;
  const named = new Map(further.map((endpoint) => [endpoint.id, endpoint]));
  return records.map((record) => ({ ...record, endpoint: named.get(record.endpointId) ?? null }));
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
 * Writes an event in the transaction that makes it true. The database adds a delivery for each endpoint that wants it.
 * Returns the id of the event, which is that of its delivery to the first endpoint too.
 */
export async function emit(tx: Sql, { clinicId, event, subject, data, at, onlyTo }: EventToSend): Promise<string> {
  const id = eventIdOf({ clinicId, event, subject });
  await tx`
    insert into outbound_events (id, clinic_id, event, subject, data, created_at, only_to)
    values (${id}, ${clinicId}, ${event}, ${subject ?? id}, ${JSON.stringify(data)}::jsonb, coalesce(${at ?? null}::timestamptz, now()),
      ${onlyTo ?? null})`;
  return id;
}
