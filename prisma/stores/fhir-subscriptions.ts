import type { KeyRing } from '@clinic/shared/config';
import type { ShownVersion } from '@clinic/shared/contracts/fhir-appointment';
import type {
  SubscriptionContent,
  SubscriptionEvent,
  SubscriptionStatus,
} from '@clinic/shared/contracts/subscriptions';
import { newId } from '@clinic/shared/crypto';
import { nextDeliveryWaitMs } from '@clinic/shared/domain/delivery-schedule';
import type { Database } from '../client';
import type { Sql } from '../sql';
import { type Actor, audit } from './audit';
import type { AttemptResult } from './deliveries';
import { firstSigningSecret } from './keys';

/** So many subscriptions a sandbox has at most. */
export const MAX_SUBSCRIPTIONS = 10;

/** What a client says of its subscription, and may change. */
export interface SubscriptionSettings {
  content: SubscriptionContent;
  reason: string;
  /** Whose appointments; null for everybody's. */
  patientId: string | null;
  providerName: string | null;
  heartbeatSeconds: number | null;
  endsAt: Date | null;
}

export interface SubscriptionRecord extends SubscriptionSettings {
  id: string;
  baseUrl: string;
  url: string;
  /** Media type of what it is sent. */
  payload: string;
  version: number;
  status: SubscriptionStatus;
  /** Why the last attempt failed; null where it did not. */
  lastError: string | null;
  /** How many events have a number. */
  lastNumber: number;
  updatedAt: Date;
}

/** What is to be sent next. */
export type SubscriptionMessage = {
  baseUrl: string;
  url: string;
  payload: string;
  content: SubscriptionContent;
  /** How often the subscription was asked to begin: a handshake is one of its own each time. */
  version: number;
  lastNumber: number;
} & ({ type: 'handshake' | 'heartbeat' } | { type: 'event-notification'; event: SubscriptionEvent });

export type SubscriptionLease =
  | { kind: 'none' }
  /** Not yet due, or somebody else is at it. */
  | { kind: 'later'; at: Date }
  | { kind: 'leased'; message: SubscriptionMessage; token: string };

/** A subscription that something waits for. */
export interface WaitingSubscription {
  clinicId: string;
  id: string;
  /** Differs once there is more. */
  newest: string;
}

export interface FhirSubscriptionStores {
  /** The oldest first. */
  list(clinicId: string): Promise<SubscriptionRecord[]>;
  find(clinicId: string, id: string): Promise<SubscriptionRecord | null>;
  /** With its signing secret, which is shown once. Null where there are `MAX_SUBSCRIPTIONS` already. */
  add(
    clinicId: string,
    subscription: SubscriptionSettings & Pick<SubscriptionRecord, 'baseUrl' | 'url' | 'payload'>,
    by?: Actor,
  ): Promise<{ subscription: SubscriptionRecord; secret: string } | null>;
  /** Switched on again it begins with a handshake, and goes on with what the receiver has not taken. Null for an unknown one. */
  change(
    clinicId: string,
    id: string,
    settings: SubscriptionSettings & { isOn: boolean },
    by?: Actor,
  ): Promise<SubscriptionRecord | null>;
  /** With all its events. False for an unknown one. */
  remove(clinicId: string, id: string, by?: Actor): Promise<boolean>;
  /** Its events from one number to another, both included, as many as `limit`. Null for an unknown one. */
  events(
    clinicId: string,
    id: string,
    range: { from: number; until: number; limit: number },
  ): Promise<{ subscription: SubscriptionRecord; events: SubscriptionEvent[] } | null>;
  /** Those with something to be sent now, of all clinics, the longest waiting first. */
  due(limit: number): Promise<WaitingSubscription[]>;
  /** Takes what is to be sent next, when it is due and nobody holds it. */
  lease(clinicId: string, id: string): Promise<SubscriptionLease>;
  /** Records an attempt and what follows from it. Once another holds the lease nothing does. */
  record(attempt: {
    clinicId: string;
    id: string;
    token: string;
    message: SubscriptionMessage;
    result: AttemptResult;
    random: number;
  }): Promise<{ hasMore: boolean }>;
}

/** Longer than an attempt may take. */
const LEASE_SECONDS = 30;
/** So many events that the receiver has taken are kept, to be shown again. */
const KEPT = 10_000;
/** Changes that get their numbers in one statement. */
const NUMBERED_AT_ONCE = 1_000;

export function createFhirSubscriptionStores(
  { sql, transaction }: Pick<Database, 'sql' | 'transaction'>,
  secretKeys: KeyRing,
): FhirSubscriptionStores {
  const read = async (from: Sql, clinicId: string, id: string | null): Promise<SubscriptionRecord[]> => {
    const rows = await from<Row>`
      select id, base_url as "baseUrl", url, payload, content, reason, patient_id as "patientId", provider_name as "providerName",
        heartbeat_seconds as "heartbeatSeconds", ends_at as "endsAt", version, is_on and coalesce(ends_at > now(), true) as "isOn",
        needs_handshake as "needsHandshake", last_number as "lastNumber", last_error as "lastError", updated_at as "updatedAt"
      from fhir_subscriptions where clinic_id = ${clinicId} and (id = ${id} or ${id}::text is null) order by created_at, id`;
    return rows.map(toRecord);
  };
  const find = async (clinicId: string, id: string, from = sql): Promise<SubscriptionRecord | null> =>
    (await read(from, clinicId, id))[0] ?? null;

  return {
    list: (clinicId) => read(sql, clinicId, null),
    find: (clinicId, id) => find(clinicId, id),

    add: (clinicId, subscription, by) =>
      transaction(async (tx) => {
        // One at a time, so that they are counted exactly.
        await tx`select id from clinics where id = ${clinicId} for no key update`;
        const known = await tx`select id from fhir_subscriptions where clinic_id = ${clinicId}`;
        if (known.length >= MAX_SUBSCRIPTIONS) return null;
        const id = newId('subscription');
        const { baseUrl, url, payload, content, reason, patientId, providerName, heartbeatSeconds, endsAt } =
          subscription;
        // Noted by whoever booked while a subscription was removed.
        await tx`
          delete from subscription_changes c where c.clinic_id = ${clinicId} and not exists (
            select from fhir_subscriptions s where s.clinic_id = c.clinic_id and s.id = c.subscription_id)`;
        await tx`
          insert into fhir_subscriptions (clinic_id, id, base_url, url, payload, content, reason, patient_id, provider_name,
            heartbeat_seconds, ends_at)
          values (${clinicId}, ${id}, ${baseUrl}, ${url}, ${payload}, ${content}, ${reason}, ${patientId}, ${providerName},
            ${heartbeatSeconds}, ${endsAt})`;
        const secret = await firstSigningSecret(tx, secretKeys, { clinicId, endpointId: id });
        await audit(tx, by, {
          clinicId,
          action: 'sandbox.subscription.add',
          subject: id,
          detail: { host: new URL(url).host, content },
        });
        const added = await find(clinicId, id, tx);
        return added && { subscription: added, secret };
      }),

    change: (clinicId, id, { isOn, content, reason, patientId, providerName, heartbeatSeconds, endsAt }, by) =>
      transaction(async (tx) => {
        const [changed] = await tx`
          update fhir_subscriptions set content = ${content}, reason = ${reason}, patient_id = ${patientId},
            provider_name = ${providerName}, heartbeat_seconds = ${heartbeatSeconds}, ends_at = ${endsAt}, version = version + 1,
            needs_handshake = needs_handshake or not is_on or last_error is not null,
            is_on = ${isOn}, tries = 0, last_error = null, next_attempt_at = now(), updated_at = now()
          where clinic_id = ${clinicId} and id = ${id} returning id`;
        if (!changed) return null;
        await audit(tx, by, {
          clinicId,
          action: 'sandbox.subscription.change',
          subject: id,
          detail: { on: isOn, content },
        });
        return find(clinicId, id, tx);
      }),

    remove: (clinicId, id, by) =>
      transaction(async (tx) => {
        const [removed] = await tx`
          delete from fhir_subscriptions where clinic_id = ${clinicId} and id = ${id} returning id`;
        if (!removed) return false;
        await tx`delete from subscription_changes where clinic_id = ${clinicId} and subscription_id = ${id}`;
        await tx`delete from secrets where clinic_id = ${clinicId} and kind = 'endpoint-signing' and name = ${id}`;
        await audit(tx, by, { clinicId, action: 'sandbox.subscription.remove', subject: id });
        return true;
      }),

    async events(clinicId, id, { from, until, limit }) {
      await transaction((tx) => number(tx, clinicId, id));
      const subscription = await find(clinicId, id);
      if (!subscription) return null;
      const first = Math.max(from, 1);
      const last = Math.min(until, subscription.lastNumber, first + limit - 1);
      return { subscription, events: await eventsBetween(sql, { clinicId, id, first, last }) };
    },

    due: (limit) => sql<WaitingSubscription>`
      select s.clinic_id as "clinicId", s.id, concat_ws(':', s.id, s.version, s.sent_at, s.last_number, c.newest, s.tries) as newest
      from fhir_subscriptions s
      left join lateral (
        select max(id) as newest from subscription_changes where clinic_id = s.clinic_id and subscription_id = s.id
      ) c on true
      where s.is_on and s.next_attempt_at <= now() and coalesce(s.leased_until <= now(), true)
        and coalesce(s.ends_at > now(), true)
        and (s.needs_handshake or s.sent_number < s.last_number or c.newest is not null
          or s.sent_at + make_interval(secs => s.heartbeat_seconds) <= now())
      order by s.next_attempt_at limit ${limit}`,

    lease: (clinicId, id) =>
      transaction(async (tx) => {
        const subscription = await number(tx, clinicId, id);
        if (!subscription?.isOn) return { kind: 'none' };
        const { isHeld, isDue, at } = subscription;
        const message = await nextMessage(tx, { clinicId, id, subscription });
        if (!message) return { kind: 'none' };
        if (isHeld || !isDue) return { kind: 'later', at };
        const token = newId();
        await tx`
          update fhir_subscriptions set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}), lease_token = ${token}
          where clinic_id = ${clinicId} and id = ${id}`;
        return { kind: 'leased', message, token };
      }),

    record: ({ clinicId, id, token, message, result, random }) =>
      transaction(async (tx) => {
        const [held] = await tx<{ tries: number }>`
          update fhir_subscriptions set tries = tries + 1, leased_until = null, lease_token = null
          where clinic_id = ${clinicId} and id = ${id} and lease_token = ${token} returning tries`;
        if (!held) return { hasMore: true };
        if (result.kind !== 'delivered') {
          await noteFailure(tx, { clinicId, id, tries: held.tries, result, random });
          return { hasMore: true };
        }
        const taken = message.type === 'event-notification' ? message.event.number : 0;
        const [left] = await tx<{ hasMore: boolean }>`
          update fhir_subscriptions set tries = 0, last_error = null, sent_at = now(), next_attempt_at = now(),
            active_since = coalesce(active_since, now()), needs_handshake = needs_handshake and ${message.type} <> 'handshake',
            sent_number = greatest(sent_number, ${taken})
          where clinic_id = ${clinicId} and id = ${id}
          returning needs_handshake or sent_number < last_number or exists (
            select from subscription_changes c where c.clinic_id = ${clinicId} and c.subscription_id = ${id}) as "hasMore"`;
        if (taken > KEPT) {
          await tx`
            delete from subscription_events
            where clinic_id = ${clinicId} and subscription_id = ${id} and number <= ${taken - KEPT}`;
        }
        return { hasMore: left?.hasMore ?? false };
      }),
  };
}

interface Row extends Omit<SubscriptionRecord, 'status' | 'content'> {
  content: string;
  isOn: boolean;
  needsHandshake: boolean;
}

const toRecord = ({ isOn, needsHandshake, content, ...row }: Row): SubscriptionRecord => ({
  ...row,
  content: content as SubscriptionContent,
  status: statusOf({ isOn, needsHandshake, lastError: row.lastError }),
});

function statusOf({
  isOn,
  needsHandshake,
  lastError,
}: Pick<Row, 'isOn' | 'needsHandshake' | 'lastError'>): SubscriptionStatus {
  if (lastError !== null) return 'error';
  if (!isOn) return 'off';
  return needsHandshake ? 'requested' : 'active';
}

interface Numbered {
  baseUrl: string;
  url: string;
  payload: string;
  content: string;
  version: number;
  isOn: boolean;
  needsHandshake: boolean;
  isHeld: boolean;
  isDue: boolean;
  isHeartbeatDue: boolean;
  at: Date;
  lastNumber: number;
  sentNumber: number;
}

/**
 * Gives the changes that a subscription has heard of their numbers, under the lock of its row: one after the other, in the order in
 * which they were committed, and those of one appointment in the order in which they were made. Null for an unknown one.
 */
async function number(tx: Sql, clinicId: string, id: string): Promise<Numbered | null> {
  const [subscription] = await tx<Numbered>`
    select base_url as "baseUrl", url, payload, content, version, is_on and coalesce(ends_at > now(), true) as "isOn",
      needs_handshake as "needsHandshake", coalesce(leased_until > now(), false) as "isHeld",
      next_attempt_at <= now() + interval '1 millisecond' as "isDue", coalesce(greatest(next_attempt_at, leased_until), now()) as at,
      coalesce(sent_at + make_interval(secs => heartbeat_seconds) <= now(), false) as "isHeartbeatDue",
      last_number as "lastNumber", sent_number as "sentNumber"
    from fhir_subscriptions where clinic_id = ${clinicId} and id = ${id} for update`;
  if (!subscription) return null;
  // A statement of its own: it sees what was committed before the lock was had.
  const [given] = await tx<{ count: number }>`
    with taken as (
      delete from subscription_changes where id in (
        select id from subscription_changes where clinic_id = ${clinicId} and subscription_id = ${id}
        order by id limit ${NUMBERED_AT_ONCE})
      returning id, appointment_id, patient_id, is_new, shown, changed_at
    ), numbered as (
      insert into subscription_events (clinic_id, subscription_id, number, appointment_id, patient_id, is_new, shown, changed_at)
      select ${clinicId}, ${id}, ${subscription.lastNumber} + row_number() over (order by id), appointment_id, patient_id, is_new, shown,
        changed_at
      from taken returning number
    )
    select count(*)::int as count from numbered`;
  const count = given?.count ?? 0;
  if (count === 0) return subscription;
  const lastNumber = subscription.lastNumber + count;
  await tx`update fhir_subscriptions set last_number = ${lastNumber} where clinic_id = ${clinicId} and id = ${id}`;
  return { ...subscription, lastNumber };
}

async function nextMessage(
  tx: Sql,
  { clinicId, id, subscription }: { clinicId: string; id: string; subscription: Numbered },
): Promise<SubscriptionMessage | null> {
  const { baseUrl, url, payload, content, version, needsHandshake, isHeartbeatDue, lastNumber, sentNumber } =
    subscription;
  const about = { baseUrl, url, payload, content: content as SubscriptionContent, version, lastNumber };
  if (needsHandshake) return { ...about, type: 'handshake' };
  if (sentNumber === lastNumber) return isHeartbeatDue ? { ...about, type: 'heartbeat' } : null;
  const next = sentNumber + 1;
  const [event] = await eventsBetween(tx, { clinicId, id, first: next, last: next });
  return event ? { ...about, type: 'event-notification', event, lastNumber: next } : null;
}

/** All numbers of a span; those whose rows are gone, erased or too old, without what they were about. */
async function eventsBetween(
  from: Sql,
  { clinicId, id, first, last }: { clinicId: string; id: string; first: number; last: number },
): Promise<SubscriptionEvent[]> {
  const rows = await from<EventRow>`
    select number, appointment_id as "appointmentId", patient_id as "patientId", is_new as "isNew", shown, changed_at as "changedAt"
    from subscription_events where clinic_id = ${clinicId} and subscription_id = ${id} and number between ${first} and ${last}`;
  const known = new Map(rows.map((row) => [row.number, row]));
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => {
    const row = known.get(first + index);
    if (!row) return { number: first + index, change: null };
    const { number: of, appointmentId, patientId, isNew, shown, changedAt } = row;
    const appointment = {
      ...shown,
      id: appointmentId,
      patientId,
      startsAt: new Date(shown.startsAt),
      endsAt: new Date(shown.endsAt),
      updatedAt: changedAt,
      changedBy: null,
    };
    return { number: of, change: { at: changedAt, isNew, appointment } };
  });
}

interface EventRow {
  number: number;
  appointmentId: string;
  patientId: string;
  isNew: boolean;
  /** As the trigger note_for_subscriptions writes it. */
  shown: Pick<
    ShownVersion,
    'version' | 'status' | 'visitType' | 'providerName' | 'identifier' | 'cancellationReason'
  > & {
    startsAt: string;
    endsAt: string;
  };
  changedAt: Date;
}

/** Tried again by the schedule of all events, and switched off at its end, or by a receiver that is gone: nothing is passed over. */
async function noteFailure(
  tx: Sql,
  {
    clinicId,
    id,
    tries,
    result,
    random,
  }: {
    clinicId: string;
    id: string;
    tries: number;
    result: Exclude<AttemptResult, { kind: 'delivered' }>;
    random: number;
  },
): Promise<void> {
  const { error, retryAfterMs } = result.kind === 'gone' ? { error: 'http_410', retryAfterMs: null } : result;
  const wait = result.kind === 'gone' ? null : nextDeliveryWaitMs({ tries, random, retryAfterMs });
  await tx`
    update fhir_subscriptions set last_error = ${error}, is_on = is_on and ${wait !== null},
      next_attempt_at = now() + make_interval(secs => ${wait === null ? 0 : wait / 1000}::float8)
    where clinic_id = ${clinicId} and id = ${id}`;
}
