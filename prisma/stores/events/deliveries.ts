import type { OutboundEvent as SentEvent } from '@clinic/shared/contracts/events/outbound-events';
import type { ToReceiver } from '@clinic/shared/domain/events/delivery-owner';
import type { TimeOrder } from '@clinic/shared/domain/list-order';
import type { DeliveryState } from '@clinic/shared/domain/events/delivery-state';
import { derivedId, newId } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import type { Delivery, DeliveryAttempt, OutboundEvent } from '../../generated/client';
import { type Cursors, cursorsIn, inDirection, type PageOf } from '../cursor';
import { type ReceiverKind, receiverIdOf } from './receivers';
import { boundedTotal, newestRows, type Total } from '../total';

export type DeliveryRecord = Delivery & { event: OutboundEvent; attempts: DeliveryAttempt[] };

/** The run that an event tells of, and its patient. */
export interface DeliveryAbout {
  workflowId: string;
  workflowType: string;
  isSimulated: boolean;
  caseId: string | null;
  patientId: string | null;
  firstName: string | null;
  lastName: string | null;
}

/** A further endpoint or a subscription, as a delivery names it; null for the clinic's first endpoint. */
export type NamedEndpoint = { id: string; name: string; kind: ReceiverKind } | null;

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

/**
 * An event for the clinic. `subject`: events of one subject are delivered in order; without one it stands alone. `at`: when
 * it happened, which the clinic is told; now where it is left out. `onlyTo`: the one receiver that it is for. `id`: as who asks for
 * it once has chosen it.
 */
export type EventToSend = {
  id?: string;
  clinicId: string;
  subject?: string;
  at?: Date | null;
  onlyTo?: string;
} & SentEvent;

export interface DeliveryFilter {
  state?: DeliveryState;
  event?: string;
  subject?: string;
  receiverId?: string;
  /** Of events from this instant (ISO, UTC) on, and before `until`. */
  from?: string;
  until?: string;
}

export interface DeliveryStores {
  find(clinicId: string, deliveryId: string): Promise<DeliveryWithAbout | null>;
  list(
    clinicId: string,
    filter: DeliveryFilter & { limit: number; cursor?: string; order?: TimeOrder },
  ): Promise<PageOf<DeliveryWithAbout>>;
  count(clinicId: string, filter: DeliveryFilter): Promise<Total>;
  /** The clinic's first endpoint where none is named. */
  receiver(clinicId: string, receiverId?: string): Promise<ReceiverRecord>;
  /**
   * Queues a delivery again, now. Returns whose sender is to be woken; null when unknown. Throws `conflict` while an attempt is
   * under way, once its body was purged, once its endpoint was removed, and while its subscription is off.
   */
  resend(clinicId: string, deliveryId: string): Promise<ToReceiver | null>;
  /** Writes an event that is not part of another fact, as a test event. Returns its id, which is that of its delivery to the first endpoint too. */
  emit(event: EventToSend): Promise<string>;
}

const whereOf = (clinicId: string, { state, event, subject, receiverId, from, until }: DeliveryFilter) => ({
  clinicId,
  state,
  eventName: event,
  receiverId,
  event: subject === undefined ? undefined : { subject },
  createdAt: { gte: from, lt: until },
});

export function createDeliveryStores({ sql, prisma }: Database, cursors: Cursors): DeliveryStores {
  const withAttempts = { event: true, attempts: { orderBy: { at: 'asc' } } } as const;

  return {
    async find(clinicId, deliveryId) {
      const found = await prisma.delivery.findFirst({ where: { clinicId, id: deliveryId }, include: withAttempts });
      const [delivery] = await withAbout(sql, clinicId, found ? [found] : []);
      return delivery ?? null;
    },

    async list(clinicId, { limit, cursor, order = 'newest', ...filter }) {
      const ofOrder = cursorsIn(order, cursors);
      const direction = order === 'newest' ? 'desc' : 'asc';
      const { after, by } = inDirection('createdAt', direction, ofOrder.decode(cursor, clinicId));
      const rows = await prisma.delivery.findMany({
        where: { AND: [whereOf(clinicId, filter), after] },
        orderBy: by,
        take: limit + 1,
        include: withAttempts,
      });
      const deliveries = await withAbout(sql, clinicId, rows);
      return ofOrder.page(clinicId, deliveries, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    count(clinicId, filter) {
      const { newest, countUpTo } = newestRows(prisma.delivery, clinicId, 'createdAt');
      return boundedTotal(filter, { newest, count: (asked) => countUpTo(whereOf(clinicId, asked)) });
    },

    async receiver(clinicId, receiverId) {
      const id = await receiverIdOf(sql, clinicId, receiverId);
      const [now] = await sql<Omit<ReceiverRecord, 'hours'>>`
        select url, is_enabled as "isEnabled", failures, failing_since as "failingSince",
          case when paused_until > now() then paused_until end as "pausedUntil",
          (select count(*)::int from (
            select 1 from deliveries where clinic_id = ${clinicId} and state = 'PENDING' and receiver_id = ${id} limit ${MANY}) w)
            as waiting,
          (select count(*)::int from (
            select 1 from deliveries where clinic_id = ${clinicId} and state = 'DEAD' and receiver_id = ${id} limit ${MANY}) f)
            as failed
        from receivers where clinic_id = ${clinicId} and id = ${id}`;
      const hours = await sql<ReceiverRecord['hours'][number]>`
        select coalesce(date_trunc('hour', at, 'UTC'), now()) as "from", (count(*) filter (where status between 200 and 299))::int as delivered,
          (count(*) filter (where coalesce(status not between 200 and 299, true)))::int as failed, max(duration_ms) as "slowestMs"
        from (
          select at, status, duration_ms from delivery_attempts
          where clinic_id = ${clinicId} and at > now() - interval '24 hours' and receiver_id = ${id}
          order by at desc limit ${MANY_ATTEMPTS}
        ) attempts
        group by 1 order by 1`;
      const none = { url: null, isEnabled: false, failures: 0, failingSince: null, pausedUntil: null };
      return { ...(now ?? { ...none, waiting: 0, failed: 0 }), hours };
    },

    async resend(clinicId, deliveryId) {
      const [queued] = await sql<
        ToReceiver & { isHeld: boolean; isPurged: boolean; isRemoved: boolean; isOff: boolean }
      >`
        with found as (
          select d.id, d.clinic_id, d.subject, d.receiver_id, coalesce(d.leased_until > now(), false) as is_held,
            e.data = '{}'::jsonb as is_purged, r.removed_at is not null as is_removed,
            r.kind = 'subscription' and not r.is_enabled as is_off
          from deliveries d
          join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
          join receivers r on r.clinic_id = d.clinic_id and r.id = d.receiver_id
          where d.clinic_id = ${clinicId} and d.id = ${deliveryId} for update of d for share of e
        ), queued as (
          update deliveries d set state = 'PENDING', tries = 0, next_attempt_at = now(), delivered_at = null, lease_token = null
          from found where d.id = found.id and not found.is_held and not found.is_purged and not found.is_removed
            and not found.is_off
        ), tried_now as (
          update receivers r set paused_until = null
          from found where r.clinic_id = ${clinicId} and r.id = found.receiver_id and r.paused_until is not null
        )
        select clinic_id as "clinicId", subject, receiver_id as "receiverId", is_held as "isHeld", is_purged as "isPurged",
          is_removed as "isRemoved", is_off as "isOff"
        from found`;
      if (!queued) return null;
      if (queued.isRemoved) throw new AppError('conflict', 'The endpoint that this event was for has been removed');
      if (queued.isOff) throw new AppError('conflict', 'The subscription that this event was for is off');
      if (queued.isPurged) throw new AppError('conflict', 'This event is so old that its body is no longer kept');
      if (queued.isHeld) throw new AppError('conflict', 'An attempt to deliver this event is under way');
      const { subject, receiverId } = queued;
      return { clinicId, subject, receiverId };
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
    select coalesce(s.subject, '') as subject, r.id as "workflowId", r.workflow_type as "workflowType",
      r.is_simulated as "isSimulated", c.id as "caseId", p.id as "patientId", p.first_name as "firstName", p.last_name as "lastName"
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

/** With the name of each delivery's receiver, but for the clinic's first endpoint. */
export async function withEndpoints<Record extends { receiverId: string }>(
  sql: Sql,
  clinicId: string,
  records: Record[],
): Promise<(Record & { endpoint: NamedEndpoint })[]> {
  const ids = [...new Set(records.map(({ receiverId }) => receiverId))];
  const further = await sql<{ id: string; name: string; kind: string }>`
    select id, coalesce(name, '') as name, kind from receivers where clinic_id = ${clinicId} and id = any(${ids}) and not is_first`;
  const named = new Map(
    further.map(({ kind, ...receiver }) => [receiver.id, { ...receiver, kind: kind as ReceiverKind }]),
  );
  return records.map((record) => ({ ...record, endpoint: named.get(record.receiverId) ?? null }));
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
export async function emit(
  tx: Sql,
  { clinicId, event, subject, data, at, onlyTo, ...about }: EventToSend,
): Promise<string> {
  const { id = eventIdOf({ clinicId, event, subject }) } = about;
  await tx`
    insert into outbound_events (id, clinic_id, event, subject, data, created_at, only_to)
    values (${id}, ${clinicId}, ${event}, ${subject ?? id}, ${JSON.stringify(data)}::jsonb, coalesce(${at ?? null}::timestamptz, now()),
      ${onlyTo ?? null})`;
  return id;
}
