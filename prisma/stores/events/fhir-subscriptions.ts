import type { KeyRing } from '@clinic/shared/config';
import type { ShownVersion } from '@clinic/shared/contracts/calendar/fhir-appointment';
import type {
  SubscriptionContent,
  SubscriptionEvent,
  SubscriptionStatus,
} from '@clinic/shared/contracts/events/subscriptions';
import { newId } from '@clinic/shared/crypto';
import { newSigningSecret } from '@clinic/shared/signing';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { type Actor, audit } from '../operations/audit';
import { firstSigningSecret, type NewSecret, refuseGone } from '../accounts/keys';

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

/** Changes that get their numbers in one statement. */
const NUMBERED_AT_ONCE = 1_000;

export const createFhirSubscriptionStores = (database: Pick<Database, 'sql' | 'transaction'>, secretKeys: KeyRing) =>
  bound({ ...database, secretKeys }, { list, find, add, change, remove, events, prepare });

type Context = Pick<Database, 'sql' | 'transaction'> & { secretKeys: KeyRing };

/** The oldest first. */
const list = ({ sql }: Pick<Context, 'sql'>, clinicId: string): Promise<SubscriptionRecord[]> =>
  read(sql, clinicId, null);

async function find({ sql }: Pick<Context, 'sql'>, clinicId: string, id: string): Promise<SubscriptionRecord | null> {
  return (await read(sql, clinicId, id))[0] ?? null;
}

/** With its signing secret, which is shown once. Null where there are `MAX_SUBSCRIPTIONS` already. */
const add = (
  { transaction, secretKeys }: Context,
  clinicId: string,
  subscription: SubscriptionSettings & Pick<SubscriptionRecord, 'baseUrl' | 'url' | 'payload'>,
  by?: Actor,
  made?: NewSecret | null,
): Promise<{ subscription: SubscriptionRecord; secret: string } | null> =>
  transaction(async (tx) => {
    // One at a time, so that they are counted exactly.
    await tx`select id from clinics where id = ${clinicId} for no key update`;
    const id = made ? `subscription-${made.id}` : newId('subscription');
    if (made) {
      const found = await find({ sql: tx }, clinicId, id);
      if (found) return { subscription: found, secret: newSigningSecret(made.bytes) };
      refuseGone(made);
    }
    const known = await tx`select id from fhir_subscriptions where clinic_id = ${clinicId}`;
    if (known.length >= MAX_SUBSCRIPTIONS) return null;
    await forgetOrphans(tx, clinicId);
    const { baseUrl, url, payload, content, reason, patientId, providerName, heartbeatSeconds, endsAt } = subscription;
    await tx`
      insert into receivers (id, clinic_id, kind, name, url) values (${id}, ${clinicId}, 'subscription', ${reason}, ${url})`;
    await tx`
      insert into fhir_subscriptions (clinic_id, id, base_url, payload, content, patient_id, provider_name, heartbeat_seconds, ends_at)
      values (${clinicId}, ${id}, ${baseUrl}, ${payload}, ${content}, ${patientId}, ${providerName}, ${heartbeatSeconds}, ${endsAt})`;
    await owe(tx, { clinicId, id, event: 'subscription.handshake' });
    const secret = await firstSigningSecret(tx, secretKeys, { clinicId, receiverId: id, made });
    const detail = { host: new URL(url).host, content };
    await audit(tx, by, { clinicId, action: 'sandbox.subscription.add', subject: id, detail });
    const added = await find({ sql: tx }, clinicId, id);
    return added && { subscription: added, secret };
  });

/** Switched on again it begins with a handshake, and goes on with what the receiver has not taken. Null for an unknown one. */
const change = (
  { transaction }: Context,
  clinicId: string,
  id: string,
  {
    isOn,
    content,
    reason,
    patientId,
    providerName,
    heartbeatSeconds,
    endsAt,
  }: SubscriptionSettings & { isOn: boolean },
  by?: Actor,
): Promise<SubscriptionRecord | null> =>
  transaction(async (tx) => {
    // As who records an attempt: deliveries before their receiver.
    await tx`
      select id from deliveries where clinic_id = ${clinicId} and receiver_id = ${id} and state <> 'DELIVERED' for update`;
    const [before] = await tx<{ wasOn: boolean; lastError: string | null }>`
      update receivers r set name = ${reason}, is_enabled = ${isOn}, disabled_reason = null, failures = 0, failing_since = null,
        paused_until = null, next_look_at = null, last_error = null, updated_at = now()
      from receivers o
      where r.clinic_id = ${clinicId} and r.id = ${id} and r.kind = 'subscription' and o.id = r.id
      returning o.is_enabled as "wasOn", o.last_error as "lastError"`;
    if (!before) return null;
    await tx`
      update fhir_subscriptions set content = ${content}, patient_id = ${patientId}, provider_name = ${providerName},
        heartbeat_seconds = ${heartbeatSeconds}, ends_at = ${endsAt}, version = version + 1
      where clinic_id = ${clinicId} and id = ${id}`;
    if (isOn && (!before.wasOn || before.lastError !== null)) await shakeHandsAgain(tx, clinicId, id);
    await tx`
      update deliveries set state = 'PENDING', tries = 0, next_attempt_at = case when ${isOn} then now() end
      where clinic_id = ${clinicId} and receiver_id = ${id} and state <> 'DELIVERED'`;
    const detail = { on: isOn, content };
    await audit(tx, by, { clinicId, action: 'sandbox.subscription.change', subject: id, detail });
    return find({ sql: tx }, clinicId, id);
  });

/** With all its events. False for an unknown one. */
const remove = ({ transaction }: Context, clinicId: string, id: string, by?: Actor): Promise<boolean> =>
  transaction(async (tx) => {
    const [known] = await tx`select id from fhir_subscriptions where clinic_id = ${clinicId} and id = ${id}`;
    if (!known) return false;
    await tx`delete from outbound_events where clinic_id = ${clinicId} and subject = ${id}`;
    const [removed] = await tx`delete from receivers where clinic_id = ${clinicId} and id = ${id} returning id`;
    if (!removed) return false;
    await tx`delete from secrets where clinic_id = ${clinicId} and kind = 'signing' and name = ${id}`;
    await audit(tx, by, { clinicId, action: 'sandbox.subscription.remove', subject: id });
    return true;
  });

/** Its events from one number to another, both included, as many as `limit`. Null for an unknown one. */
async function events(
  { sql, transaction }: Context,
  clinicId: string,
  id: string,
  { from, until, limit }: { from: number; until: number; limit: number },
): Promise<{ subscription: SubscriptionRecord; events: SubscriptionEvent[] } | null> {
  await transaction((tx) => number(tx, clinicId, id));
  const subscription = await find({ sql }, clinicId, id);
  if (!subscription) return null;
  const first = Math.max(from, 1);
  const last = Math.min(until, subscription.lastNumber, first + limit - 1);
  return { subscription, events: await eventsBetween(sql, { clinicId, id, first, last }) };
}

/**
 * Makes deliveries of what subscriptions of all clinics have heard of, and heartbeats where nothing was sent for long. Returns how
 * many of them there were.
 */
async function prepare({ sql, transaction }: Context, limit: number): Promise<number> {
  const due = await sql<{ clinicId: string; id: string; isBeat: boolean }>`
    select r.clinic_id as "clinicId", r.id, h.is_beat as "isBeat"
    from fhir_subscriptions s
    join receivers r on r.clinic_id = s.clinic_id and r.id = s.id
    cross join lateral (select exists (
      select from outbound_events e
      where e.clinic_id = r.clinic_id and e.subject = r.id and e.event = 'subscription.event' and e.number is null) as is_changed) c
    cross join lateral (select coalesce(s.sent_at + make_interval(secs => s.heartbeat_seconds) <= now(), false) and not exists (
      select from deliveries d
      where d.clinic_id = r.clinic_id and d.receiver_id = r.id and d.subject = r.id and d.state = 'PENDING') as is_beat) h
    where r.is_enabled and coalesce(s.ends_at > now(), true) and (c.is_changed or h.is_beat)
    limit ${limit}`;
  for (const { clinicId, id, isBeat } of due) {
    await transaction(async (tx) => {
      const numbered = await number(tx, clinicId, id);
      if (isBeat && numbered === 0) await beat(tx, clinicId, id);
    });
  }
  return due.length;
}

/** The change that an event of a subscription tells of; null once its patient was erased, or it is too old to be kept. */
export function changeOf({
  data,
  createdAt,
}: {
  data: Record<string, unknown>;
  createdAt: Date;
}): SubscriptionEvent['change'] {
  if (!('shown' in data)) return null;
  const { appointmentId, patientId, isNew, shown } = data as unknown as Heard;
  const appointment = {
    ...shown,
    id: appointmentId,
    patientId,
    startsAt: new Date(shown.startsAt),
    endsAt: new Date(shown.endsAt),
    updatedAt: createdAt,
    changedBy: null,
  };
  return { at: createdAt, isNew, appointment };
}

/** As the trigger note_for_subscriptions writes it. */
interface Heard {
  appointmentId: string;
  patientId: string;
  isNew: boolean;
  shown: Pick<
    ShownVersion,
    'version' | 'status' | 'visitType' | 'providerName' | 'identifier' | 'cancellationReason'
  > & {
    startsAt: string;
    endsAt: string;
  };
}

interface Row extends Omit<SubscriptionRecord, 'status' | 'content'> {
  content: string;
  isOn: boolean;
  needsHandshake: boolean;
}

async function read(sql: Sql, clinicId: string, id: string | null): Promise<SubscriptionRecord[]> {
  const rows = await sql<Row>`
    select r.id, s.base_url as "baseUrl", coalesce(r.url, '') as url, s.payload, s.content, coalesce(r.name, '') as reason,
      s.patient_id as "patientId", s.provider_name as "providerName", s.heartbeat_seconds as "heartbeatSeconds", s.ends_at as "endsAt",
      s.version, r.is_enabled and coalesce(s.ends_at > now(), true) as "isOn", s.last_number as "lastNumber",
      r.last_error as "lastError", r.updated_at as "updatedAt",
      exists (
        select from deliveries d where d.clinic_id = r.clinic_id and d.receiver_id = r.id and d.subject = r.id and d.place = 0
          and d.event = 'subscription.handshake' and d.state = 'PENDING') as "needsHandshake"
    from fhir_subscriptions s join receivers r on r.clinic_id = s.clinic_id and r.id = s.id
    where s.clinic_id = ${clinicId} and (s.id = ${id} or ${id}::text is null) order by r.created_at, r.id`;
  return rows.map(({ isOn, needsHandshake, content, ...row }) => ({
    ...row,
    content: content as SubscriptionContent,
    status: statusOf({ isOn, needsHandshake, lastError: row.lastError }),
  }));
}

function statusOf({
  isOn,
  needsHandshake,
  lastError,
}: Pick<Row, 'isOn' | 'needsHandshake' | 'lastError'>): SubscriptionStatus {
  if (lastError !== null) return 'error';
  if (!isOn) return 'off';
  return needsHandshake ? 'requested' : 'active';
}

/** Before the changes that wait, whose numbers begin with 1. */
async function owe(
  tx: Sql,
  { clinicId, id, event }: { clinicId: string; id: string; event: 'subscription.handshake' | 'subscription.heartbeat' },
): Promise<void> {
  const eventId = newId();
  await tx`
    insert into outbound_events (id, clinic_id, event, subject, data)
    values (${eventId}, ${clinicId}, ${event}, ${id}, ${JSON.stringify({ subscriptionId: id })}::jsonb)`;
  await tx`
    insert into deliveries (id, clinic_id, event_id, receiver_id, event, subject, place, next_attempt_at)
    values (${`${eventId}-${id}`}, ${clinicId}, ${eventId}, ${id}, ${event}, ${id}, 0, now())`;
}

/** A handshake of its own, in place of what was asked before and not taken. */
async function shakeHandsAgain(tx: Sql, clinicId: string, id: string): Promise<void> {
  await tx`
    delete from outbound_events e using deliveries d
    where d.clinic_id = ${clinicId} and d.receiver_id = ${id} and d.place = 0 and d.state <> 'DELIVERED'
      and e.clinic_id = d.clinic_id and e.id = d.event_id`;
  await owe(tx, { clinicId, id, event: 'subscription.handshake' });
}

/** One heartbeat, in place of the one that was taken last. */
async function beat(tx: Sql, clinicId: string, id: string): Promise<void> {
  await tx`
    delete from outbound_events e using deliveries d
    where d.clinic_id = ${clinicId} and d.event = 'subscription.heartbeat' and d.receiver_id = ${id}
      and e.clinic_id = d.clinic_id and e.id = d.event_id`;
  await owe(tx, { clinicId, id, event: 'subscription.heartbeat' });
}

/** Noted by anyone who booked while a subscription was removed. */
async function forgetOrphans(tx: Sql, clinicId: string): Promise<void> {
  await tx`
    delete from outbound_events e
    where e.clinic_id = ${clinicId} and e.event = 'subscription.event' and e.number is null and not exists (
      select from fhir_subscriptions s where s.clinic_id = e.clinic_id and s.id = e.subject)`;
}

/**
 * Gives the changes that a subscription has heard of their numbers, under the lock of its row: one after the other, in the order in
 * which they were committed, and those of one appointment in the order in which they were made. Each is owed from then on. Returns
 * how many there were.
 */
async function number(tx: Sql, clinicId: string, id: string): Promise<number> {
  const [subscription] = await tx<{ lastNumber: number }>`
    select last_number as "lastNumber" from fhir_subscriptions where clinic_id = ${clinicId} and id = ${id} for no key update`;
  if (!subscription) return 0;
  // A statement of its own: it sees what was committed before the lock was had.
  const [given] = await tx<{ count: number }>`
    with heard as (
      select id, row_number() over (order by sequence) as turn from outbound_events
      where clinic_id = ${clinicId} and subject = ${id} and event = 'subscription.event' and number is null
      order by sequence limit ${NUMBERED_AT_ONCE}
    ), numbered as (
      update outbound_events e set number = ${subscription.lastNumber}::int + h.turn::int from heard h where e.id = h.id
      returning e.id, e.number
    ), owed as (
      insert into deliveries (id, clinic_id, event_id, receiver_id, event, subject, place, next_attempt_at)
      select id || ${`-${id}`}, ${clinicId}, id, ${id}, 'subscription.event', ${id}, number, now() from numbered
    )
    select count(*)::int as count from numbered`;
  const count = given?.count ?? 0;
  if (count === 0) return 0;
  await tx`
    update fhir_subscriptions set last_number = last_number + ${count} where clinic_id = ${clinicId} and id = ${id}`;
  return count;
}

/** All numbers of a span; those whose rows are gone, erased or too old, without what they were about. */
async function eventsBetween(
  sql: Sql,
  { clinicId, id, first, last }: { clinicId: string; id: string; first: number; last: number },
): Promise<SubscriptionEvent[]> {
  const rows = await sql<{ number: number; data: Record<string, unknown>; createdAt: Date }>`
    select coalesce(number, 0) as number, data, created_at as "createdAt" from outbound_events
    where clinic_id = ${clinicId} and subject = ${id} and number between ${first} and ${last}`;
  const known = new Map(rows.map((row) => [row.number, row]));
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => {
    const row = known.get(first + index);
    return { number: first + index, change: row ? changeOf(row) : null };
  });
}
