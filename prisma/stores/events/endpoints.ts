import type { KeyRing } from '@clinic/shared/config';
import { newId } from '@clinic/shared/crypto';
import { newSigningSecret } from '@clinic/shared/signing';
import { MAX_ENDPOINTS } from '@clinic/shared/domain/events/delivery-owner';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Actor, audit } from '../operations/audit';
import { firstSigningSecret, goneSince, type NewSecret, refuseGone } from '../accounts/keys';

interface FurtherEndpointSettings {
  name: string;
  url: string;
  isEnabled: boolean;
  /** Names of the events that it wants. */
  events: string[];
}

export interface FurtherEndpointRecord extends FurtherEndpointSettings {
  id: string;
  disabledReason: string | null;
  createdAt: Date;
}

/** Waiting deliveries that one statement ends. */
const ENDED_AT_ONCE = 1_000;

interface Context {
  database: Database;
  secretKeys: KeyRing;
}

/** A clinic's endpoints beside its first one, which `clinics.outboundEndpoint` reads. */
export const createEndpointStores = (database: Database, secretKeys: KeyRing) =>
  bound({ database, secretKeys }, { list, find, add, change, remove });

/** Ends what nobody is just sending; that, and what was recorded meanwhile, its sender ends. */
async function endWaiting({ database: { sql } }: Context, clinicId: string, id: string): Promise<number> {
  const [ended] = await sql<{ count: number }>`
    with waiting as (
      select id from deliveries
      where clinic_id = ${clinicId} and receiver_id = ${id} and state = 'PENDING'
        and coalesce(leased_until <= now(), true)
      limit ${ENDED_AT_ONCE} for update skip locked
    ), ended as (
      update deliveries d set state = 'DEAD', next_attempt_at = null, leased_until = null, lease_token = null
      from waiting w where d.id = w.id returning d.id
    ), noted as (
      insert into delivery_attempts (id, clinic_id, delivery_id, receiver_id, url, error, duration_ms)
      select gen_random_uuid()::text, ${clinicId}, e.id, ${id}, '', 'endpoint_removed', 0 from ended e
    )
    select count(*)::int as count from ended`;
  return ended?.count ?? 0;
}

/** The oldest first, without those that were removed. */
const list = (
  { database: { sql } }: Context,
  clinicId: string,
): Promise<FurtherEndpointRecord[]> => sql<FurtherEndpointRecord>`
  select id, coalesce(name, '') as name, coalesce(url, '') as url, is_enabled as "isEnabled", events, disabled_reason as "disabledReason", created_at as "createdAt"
  from receivers where clinic_id = ${clinicId} and kind = 'endpoint' and not is_first and removed_at is null order by created_at, id`;

async function find(
  { database: { sql } }: Context,
  clinicId: string,
  id: string,
): Promise<FurtherEndpointRecord | null> {
  const [found] = await sql<FurtherEndpointRecord>`
    select id, coalesce(name, '') as name, coalesce(url, '') as url, is_enabled as "isEnabled", events, disabled_reason as "disabledReason", created_at as "createdAt"
    from receivers where clinic_id = ${clinicId} and id = ${id} and kind = 'endpoint' and not is_first and removed_at is null`;
  return found ?? null;
}

/** With its signing secret, which is shown once. Null where the clinic has `MAX_ENDPOINTS` already. */
const add = (
  { database: { transaction }, secretKeys }: Context,
  clinicId: string,
  { name, url, isEnabled, events }: FurtherEndpointSettings,
  by?: Actor,
  made?: NewSecret | null,
): Promise<{ endpoint: FurtherEndpointRecord; secret: string } | null> =>
  transaction(async (tx) => {
    // One at a time, so that they are counted exactly.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`endpoints:${clinicId}`}, 0))`;
    const id = made ? `endpoint-${made.id}` : newId('endpoint');
    if (made) {
      const [found] = await tx<FurtherEndpointRecord & { isRemoved: boolean }>`
        select id, coalesce(name, '') as name, coalesce(url, '') as url, is_enabled as "isEnabled", events, disabled_reason as "disabledReason",
          created_at as "createdAt", removed_at is not null as "isRemoved"
        from receivers where clinic_id = ${clinicId} and id = ${id}`;
      if (found) {
        const { isRemoved, ...endpoint } = found;
        if (isRemoved) throw goneSince();
        return { endpoint, secret: newSigningSecret(made.bytes) };
      }
      refuseGone(made);
    }
    const [others] = await tx<{ count: number }>`
      select count(*)::int as count from receivers where clinic_id = ${clinicId} and kind = 'endpoint' and not is_first and removed_at is null`;
    // The first endpoint counts, set or not.
    if ((others?.count ?? 0) + 1 >= MAX_ENDPOINTS) return null;
    const [endpoint] = await tx<FurtherEndpointRecord>`
      insert into receivers (id, clinic_id, name, url, is_enabled, events)
      values (${id}, ${clinicId}, ${name}, ${url}, ${isEnabled}, ${events})
      returning id, coalesce(name, '') as name, coalesce(url, '') as url, is_enabled as "isEnabled", events, disabled_reason as "disabledReason", created_at as "createdAt"`;
    if (!endpoint) return null;
    const secret = await firstSigningSecret(tx, secretKeys, { clinicId, receiverId: id, made });
    await audit(tx, by, { clinicId, action: 'endpoint.add', subject: id, detail: detailOf(endpoint) });
    return { endpoint, secret };
  });

/** Null for an unknown one. Another URL begins with a clean bill of health. */
const change = (
  { database: { transaction } }: Context,
  clinicId: string,
  id: string,
  { name, url, isEnabled, events }: FurtherEndpointSettings,
  by?: Actor,
): Promise<FurtherEndpointRecord | null> =>
  transaction(async (tx) => {
    const [endpoint] = await tx<FurtherEndpointRecord>`
      update receivers set name = ${name}, url = ${url}, is_enabled = ${isEnabled}, events = ${events},
        disabled_reason = null, updated_at = now(),
        failures = case when url = ${url} then failures else 0 end,
        failing_since = case when url = ${url} then failing_since end,
        gone_since = null,
        paused_until = case when url = ${url} then paused_until end,
        next_look_at = case when url = ${url} then next_look_at end
      where clinic_id = ${clinicId} and id = ${id} and kind = 'endpoint' and not is_first and removed_at is null
      returning id, coalesce(name, '') as name, coalesce(url, '') as url, is_enabled as "isEnabled", events, disabled_reason as "disabledReason", created_at as "createdAt"`;
    if (!endpoint) return null;
    await audit(tx, by, { clinicId, action: 'endpoint.change', subject: id, detail: detailOf(endpoint) });
    return endpoint;
  });

/** What waited for it ends as `endpoint_removed`; its deliveries stay on record. False for an unknown one. */
async function remove(context: Context, clinicId: string, id: string, by?: Actor): Promise<boolean> {
  const { transaction } = context.database;
  const isRemoved = await transaction(async (tx) => {
    const [removed] = await tx<{ name: string }>`
      update receivers set removed_at = now(), is_enabled = false, updated_at = now()
      where clinic_id = ${clinicId} and id = ${id} and kind = 'endpoint' and not is_first and removed_at is null returning coalesce(name, '') as name`;
    if (!removed) return false;
    await tx`delete from secrets where clinic_id = ${clinicId} and kind = 'signing' and name = ${id}`;
    await audit(tx, by, { clinicId, action: 'endpoint.remove', subject: id, detail: { name: removed.name } });
    return true;
  });
  while (isRemoved && (await endWaiting(context, clinicId, id)) === ENDED_AT_ONCE);
  return isRemoved;
}

/** What the audit says of one: the host alone, for a path may hold a key. */
const detailOf = ({ name, url, isEnabled, events }: FurtherEndpointRecord) => ({
  name,
  host: new URL(url).host,
  enabled: isEnabled,
  events,
});
