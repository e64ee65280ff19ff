import type { OutboundEvent as SentEvent } from '@clinic/shared/contracts/outbound-events';
import type { DeliveryState } from '@clinic/shared/domain/delivery-state';
import { newId } from '@clinic/shared/crypto';
import { nextDeliveryWaitMs } from '@clinic/shared/domain/delivery-schedule';
import { AppError } from '@clinic/shared/errors';
import type { Database } from '../client';
import type { Sql } from '../sql';
import type { Delivery, DeliveryAttempt, OutboundEvent } from '../generated/client';
import { type Cursors, olderThan, type PageOf } from './cursor';

/** Longer than an attempt may take, so that a lease outlives its attempt and a lost one is soon free again. */
const LEASE_SECONDS = 30;

export interface DueDelivery {
  deliveryId: string;
  event: string;
  data: Record<string, unknown>;
  createdAt: Date;
  url: string | null;
  isEnabled: boolean;
  /** It tells of a run whose calls the simulator played. */
  isSimulated: boolean;
}

export type Lease =
  | { kind: 'none' }
  /** Not yet due, or somebody else is at it. */
  | { kind: 'later'; at: Date }
  | { kind: 'leased'; delivery: DueDelivery };

export type AttemptResult =
  | { kind: 'delivered'; status: number }
  | { kind: 'gone'; status: number }
  | { kind: 'failed'; status: number | null; error: string; retryAfterMs: number | null };

export type DeliveryRecord = Delivery & { event: OutboundEvent; attempts: DeliveryAttempt[] };

/** An event for the clinic. `subject`: events of one subject are delivered in order; without one it stands alone. */
export type EventToSend = { clinicId: string; subject?: string } & SentEvent;

export interface DeliveryStores {
  /** Takes the oldest pending delivery of a subject, when it is due and nobody holds it: events of a subject go in order. */
  lease(clinicId: string, subject: string): Promise<Lease>;
  /** Records an attempt and what follows from it: delivered, tried again later, or dead. */
  record(input: {
    clinicId: string;
    deliveryId: string;
    url: string;
    result: AttemptResult;
    durationMs: number;
    response: string | null;
    random: number;
  }): Promise<void>;
  /** Dead at once, without an attempt: the endpoint is off. */
  abandon(input: { clinicId: string; deliveryId: string; error: string }): Promise<void>;
  /** Subjects with a delivery that has been due for a while: nobody seems to be sending it. */
  overdueSubjects(olderThanMs: number, limit: number): Promise<{ clinicId: string; subject: string }[]>;
  find(clinicId: string, deliveryId: string): Promise<DeliveryRecord | null>;
  list(
    clinicId: string,
    filter: { state?: DeliveryState; event?: string; subject?: string; limit: number; cursor?: string },
  ): Promise<PageOf<DeliveryRecord>>;
  /** Queues a delivery again, now. Returns its subject; null when unknown. Throws `conflict` while an attempt is under way. */
  resend(clinicId: string, deliveryId: string): Promise<{ subject: string } | null>;
  /** Writes an event that is not part of another fact, as a test event. Returns its id, which is its delivery's too. */
  emit(event: EventToSend): Promise<string>;
}

export function createDeliveryStores({ sql, transaction, prisma }: Database, cursors: Cursors): DeliveryStores {
  const withAttempts = { event: true, attempts: { orderBy: { at: 'asc' } } } as const;

  return {
    lease: (clinicId, subject) =>
      transaction(async (tx) => {
        const [due] = await tx<DueDelivery & { isDue: boolean; isHeld: boolean; at: Date }>`
          select d.id as "deliveryId", e.event, e.data, e.created_at as "createdAt", o.url, coalesce(o.is_enabled, false) as "isEnabled",
            exists (
              select 1 from workflow_runs r left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
              where r.clinic_id = e.clinic_id and r.is_simulated and e.subject in (r.id, c.id)) as "isSimulated",
            coalesce(d.next_attempt_at, now()) <= now() as "isDue", coalesce(d.leased_until > now(), false) as "isHeld",
            coalesce(greatest(d.next_attempt_at, d.leased_until), now()) as at
          from deliveries d
          join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
          left join outbound_endpoints o on o.clinic_id = d.clinic_id
          where e.clinic_id = ${clinicId} and e.subject = ${subject} and d.state = 'PENDING'
          order by e.sequence limit 1
          for update of d`;
        if (!due) return { kind: 'none' };
        const { isDue, isHeld, at, ...delivery } = due;
        if (!isDue || isHeld) return { kind: 'later', at };
        await tx`
          update deliveries set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}) where id = ${delivery.deliveryId}`;
        return { kind: 'leased', delivery };
      }),

    record: ({ clinicId, deliveryId, url, result, durationMs, response, random }) =>
      transaction(async (tx) => {
        const error = result.kind === 'failed' ? result.error : null;
        await tx`
          insert into delivery_attempts (id, clinic_id, delivery_id, url, status, error, duration_ms, response)
          values (${newId()}, ${clinicId}, ${deliveryId}, ${url}, ${result.status}, ${error}, ${durationMs}, ${response})`;
        const [{ tries } = { tries: 1 }] = await tx<{ tries: number }>`
          update deliveries set tries = tries + 1, leased_until = null
          where clinic_id = ${clinicId} and id = ${deliveryId} returning tries`;
        const wait =
          result.kind === 'failed' ? nextDeliveryWaitMs({ tries, random, retryAfterMs: result.retryAfterMs }) : null;
        const state: DeliveryState = result.kind === 'delivered' ? 'DELIVERED' : wait === null ? 'DEAD' : 'PENDING';
        await tx`
          update deliveries set state = ${state},
            delivered_at = case when ${state} = 'DELIVERED' then now() end,
            next_attempt_at = now() + make_interval(secs => ${wait === null ? null : wait / 1000}::float8)
          where clinic_id = ${clinicId} and id = ${deliveryId}`;
        if (result.kind === 'gone') {
          await tx`
            update outbound_endpoints set is_enabled = false, disabled_reason = 'the receiver answered 410 Gone'
            where clinic_id = ${clinicId} and url = ${url}`;
        }
      }),

    async abandon({ clinicId, deliveryId, error }) {
      await transaction(async (tx) => {
        await tx`
          insert into delivery_attempts (id, clinic_id, delivery_id, url, error, duration_ms)
          values (${newId()}, ${clinicId}, ${deliveryId}, '', ${error}, 0)`;
        await tx`
          update deliveries set state = 'DEAD', next_attempt_at = null, leased_until = null
          where clinic_id = ${clinicId} and id = ${deliveryId} and state = 'PENDING'`;
      });
    },

    overdueSubjects: (olderThanMs, limit) => sql<{ clinicId: string; subject: string }>`
      select e.clinic_id as "clinicId", e.subject
      from deliveries d join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
      where d.state = 'PENDING' and d.next_attempt_at <= now() - make_interval(secs => ${olderThanMs / 1000})
        and coalesce(d.leased_until <= now(), true)
      group by e.clinic_id, e.subject
      order by min(d.next_attempt_at) limit ${limit}`,

    find: (clinicId, deliveryId) =>
      prisma.delivery.findFirst({ where: { clinicId, id: deliveryId }, include: withAttempts }),

    async list(clinicId, { state, event, subject, limit, cursor }) {
      const rows = await prisma.delivery.findMany({
        where: {
          clinicId,
          state,
          event: { event, subject },
          ...olderThan('createdAt', cursors.decode(cursor, clinicId)),
        },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
        include: withAttempts,
      });
      return cursors.page(clinicId, rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    async resend(clinicId, deliveryId) {
      const [queued] = await sql<{ subject: string; isHeld: boolean }>`
        with found as (
          select d.id, e.subject, coalesce(d.leased_until > now(), false) as is_held
          from deliveries d join outbound_events e on e.clinic_id = d.clinic_id and e.id = d.event_id
          where d.clinic_id = ${clinicId} and d.id = ${deliveryId} for update of d
        ), queued as (
          update deliveries d set state = 'PENDING', tries = 0, next_attempt_at = now(), delivered_at = null
          from found where d.id = found.id and not found.is_held
        )
        select subject, is_held as "isHeld" from found`;
      if (!queued) return null;
      if (queued.isHeld) throw new AppError('conflict', 'An attempt to deliver this event is under way');
      return { subject: queued.subject };
    },

    emit: (event) => emit(sql, event),
  };
}

/**
 * Writes an event in the transaction that makes it true. The database adds its delivery where the clinic wants one.
 * Returns the id of the event, which is its delivery's too.
 */
export async function emit(tx: Sql, { clinicId, event, subject, data }: EventToSend): Promise<string> {
  const id = newId();
  await tx`
    insert into outbound_events (id, clinic_id, event, subject, data)
    values (${id}, ${clinicId}, ${event}, ${subject ?? id}, ${JSON.stringify(data)}::jsonb)`;
  return id;
}
