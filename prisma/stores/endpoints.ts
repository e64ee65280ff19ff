import type { KeyRing } from '@clinic/shared/config';
import { newId } from '@clinic/shared/crypto';
import { MAX_ENDPOINTS } from '@clinic/shared/domain/outbound-endpoint';
import type { Database } from '../client';
import { type Actor, audit } from './audit';
import { firstSigningSecret } from './keys';

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

/** A clinic's endpoints beside its first one, which `clinics.outboundEndpoint` reads. */
export interface EndpointStores {
  /** The oldest first, without those that were removed. */
  list(clinicId: string): Promise<FurtherEndpointRecord[]>;
  find(clinicId: string, id: string): Promise<FurtherEndpointRecord | null>;
  /** With its signing secret, which is shown once. Null where the clinic has `MAX_ENDPOINTS` already. */
  add(
    clinicId: string,
    settings: FurtherEndpointSettings,
    by?: Actor,
  ): Promise<{ endpoint: FurtherEndpointRecord; secret: string } | null>;
  /** Null for an unknown one. Another URL begins with a clean bill of health. */
  change(
    clinicId: string,
    id: string,
    settings: FurtherEndpointSettings,
    by?: Actor,
  ): Promise<FurtherEndpointRecord | null>;
  /** What waited for it ends as `endpoint_removed`; its deliveries stay on record. False for an unknown one. */
  remove(clinicId: string, id: string, by?: Actor): Promise<boolean>;
}

/** Waiting deliveries that one statement ends. */
const ENDED_AT_ONCE = 1_000;

export function createEndpointStores({ sql, transaction }: Database, secretKeys: KeyRing): EndpointStores {
  /** Ends what nobody is just sending; that, and what was recorded meanwhile, its sender ends. */
  const endWaiting = async (clinicId: string, id: string): Promise<number> => {
    const [ended] = await sql<{ count: number }>`
      with waiting as (
        select id from deliveries
        where clinic_id = ${clinicId} and endpoint_id = ${id} and endpoint_id <> '' and state = 'PENDING'
          and coalesce(leased_until <= now(), true)
        limit ${ENDED_AT_ONCE} for update skip locked
      ), ended as (
        update deliveries d set state = 'DEAD', next_attempt_at = null, leased_until = null, lease_token = null
        from waiting w where d.id = w.id returning d.id
      ), noted as (
        insert into delivery_attempts (id, clinic_id, delivery_id, endpoint_id, url, error, duration_ms)
        select gen_random_uuid()::text, ${clinicId}, e.id, ${id}, '', 'endpoint_removed', 0 from ended e
      )
      select count(*)::int as count from ended`;
    return ended?.count ?? 0;
  };

  return {
    list: (clinicId) => sql<FurtherEndpointRecord>`
      select id, name, url, is_enabled as "isEnabled", events, disabled_reason as "disabledReason", created_at as "createdAt"
      from further_endpoints where clinic_id = ${clinicId} and removed_at is null order by created_at, id`,

    async find(clinicId, id) {
      const [found] = await sql<FurtherEndpointRecord>`
        select id, name, url, is_enabled as "isEnabled", events, disabled_reason as "disabledReason", created_at as "createdAt"
        from further_endpoints where clinic_id = ${clinicId} and id = ${id} and removed_at is null`;
      return found ?? null;
    },

    add: (clinicId, { name, url, isEnabled, events }, by) =>
      transaction(async (tx) => {
        // One at a time, so that they are counted exactly.
        await tx`select pg_advisory_xact_lock(hashtextextended(${`endpoints:${clinicId}`}, 0))`;
        const [others] = await tx<{ count: number }>`
          select count(*)::int as count from further_endpoints where clinic_id = ${clinicId} and removed_at is null`;
        // The first endpoint counts, set or not.
        if ((others?.count ?? 0) + 1 >= MAX_ENDPOINTS) return null;
        const id = newId('endpoint');
        const [endpoint] = await tx<FurtherEndpointRecord>`
          insert into further_endpoints (id, clinic_id, name, url, is_enabled, events)
          values (${id}, ${clinicId}, ${name}, ${url}, ${isEnabled}, ${events})
          returning id, name, url, is_enabled as "isEnabled", events, disabled_reason as "disabledReason", created_at as "createdAt"`;
        if (!endpoint) return null;
        const secret = await firstSigningSecret(tx, secretKeys, { clinicId, endpointId: id });
        await audit(tx, by, { clinicId, action: 'endpoint.add', subject: id, detail: detailOf(endpoint) });
        return { endpoint, secret };
      }),

    change: (clinicId, id, { name, url, isEnabled, events }, by) =>
      transaction(async (tx) => {
        const [endpoint] = await tx<FurtherEndpointRecord>`
          update further_endpoints set name = ${name}, url = ${url}, is_enabled = ${isEnabled}, events = ${events},
            disabled_reason = null, updated_at = now(),
            failures = case when url = ${url} then failures else 0 end,
            failing_since = case when url = ${url} then failing_since end,
            paused_until = case when url = ${url} then paused_until end,
            next_look_at = case when url = ${url} then next_look_at end
          where clinic_id = ${clinicId} and id = ${id} and removed_at is null
          returning id, name, url, is_enabled as "isEnabled", events, disabled_reason as "disabledReason", created_at as "createdAt"`;
        if (!endpoint) return null;
        await audit(tx, by, { clinicId, action: 'endpoint.change', subject: id, detail: detailOf(endpoint) });
        return endpoint;
      }),

    async remove(clinicId, id, by) {
      const isRemoved = await transaction(async (tx) => {
        const [removed] = await tx<{ name: string }>`
          update further_endpoints set removed_at = now(), is_enabled = false, updated_at = now()
          where clinic_id = ${clinicId} and id = ${id} and removed_at is null returning name`;
        if (!removed) return false;
        await tx`delete from secrets where clinic_id = ${clinicId} and kind = 'endpoint-signing' and name = ${id}`;
        await audit(tx, by, { clinicId, action: 'endpoint.remove', subject: id, detail: { name: removed.name } });
        return true;
      });
      while (isRemoved && (await endWaiting(clinicId, id)) === ENDED_AT_ONCE);
      return isRemoved;
    },
  };
}

/** What the audit says of one: the host alone, for a path may hold a key. */
const detailOf = ({ name, url, isEnabled, events }: FurtherEndpointRecord) => ({
  name,
  host: new URL(url).host,
  enabled: isEnabled,
  events,
});
