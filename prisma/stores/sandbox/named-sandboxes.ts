import { newShortId, sha256Hex } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { goneSince, type NewSecret, refuseGone, tokenOf } from '../accounts/keys';
import type { Agendas } from '../calendar/agendas';
import { type Actor, audit } from '../operations/audit';
import { seedSandbox } from './sandbox';

/** What the tokens of named sandboxes begin with; no session's and no client's does. */
export const SANDBOX_TOKEN = 'sandbox_';

/** So many named sandboxes a clinic has. */
export const MAX_NAMED_SANDBOXES = 10;

export interface NamedSandboxRecord {
  /** Under which its records are kept, as a clinic's. */
  id: string;
  name: string;
  createdAt: Date;
}

interface Context {
  pick: Pick<Database, 'sql' | 'transaction'>;
  agendas: Agendas;
}

export const createNamedSandboxStores = (pick: Pick<Database, 'sql' | 'transaction'>, agendas: Agendas) =>
  bound({ pick, agendas }, { list, open, renewToken, remove, ofToken });

/** By name. */
const list = ({ pick: { sql } }: Context, clinicId: string): Promise<NamedSandboxRecord[]> => sql<NamedSandboxRecord>`
  select clinic_id as id, name, created_at as "createdAt"
  from named_sandboxes where parent_id = ${clinicId} order by name`;

/**
 * Makes one more sandbox of a clinic, with its providers, hours and closed days as they are now and the fixture patients. Its token is
 * shown here and never again.
 */
const open = (
  { pick: { transaction } }: Context,
  { clinicId, name, now }: { clinicId: string; name: string; now: Date },
  by?: Actor,
  made?: NewSecret | null,
): Promise<{ kind: 'opened'; sandbox: NamedSandboxRecord; token: string } | { kind: 'too_many' | 'name_taken' }> =>
  transaction(async (tx) => {
    const [parent] = await tx<{ zone: string }>`
      select timezone as zone from clinics where id = ${clinicId} for no key update`;
    if (!parent) throw new Error('a clinic that opens a sandbox is there');
    const id = made ? `clinic-${made.id}` : newShortId('clinic');
    const token = newToken(made);
    if (made) {
      const [found] = await tx<NamedSandboxRecord>`
        select clinic_id as id, name, created_at as "createdAt" from named_sandboxes
        where parent_id = ${clinicId} and clinic_id = ${id} and token_hash = ${sha256Hex(token)}`;
      if (found) return { kind: 'opened', sandbox: found, token };
      // Of one that was removed this row stays; one that is there has another token by now.
      const [before] = await tx`select id from clinics where id = ${id}`;
      if (before) throw goneSince();
      refuseGone(made);
    }
    const known = await tx<{ name: string }>`select name from named_sandboxes where parent_id = ${clinicId}`;
    if (known.some((each) => each.name === name)) return { kind: 'name_taken' };
    if (known.length >= MAX_NAMED_SANDBOXES) return { kind: 'too_many' };
    await tx`
      insert into clinics (id, name, timezone, default_country, voice_provider, simulator_asked_at, sandbox_enabled,
        sandbox_seeded_at, closed_days)
      select ${id}, ${name}, timezone, default_country, 'simulator', now(), true, now(), closed_days
      from clinics where id = ${clinicId}`;
    await tx`
      insert into providers (id, clinic_id, name, display_name, working_hours, visit_types, special_days, notice_minutes)
      select gen_random_uuid()::text, ${id}, name, display_name, working_hours, visit_types, special_days, notice_minutes
      from providers where clinic_id = ${clinicId} and is_active`;
    await seedSandbox(tx, { clinicId: id, zone: parent.zone, now });
    const [sandbox] = await tx<NamedSandboxRecord>`
      insert into named_sandboxes (clinic_id, parent_id, name, token_hash)
      values (${id}, ${clinicId}, ${name}, ${sha256Hex(token)})
      returning clinic_id as id, name, created_at as "createdAt"`;
    if (!sandbox) throw new Error('an insert returns its row');
    await audit(tx, by, { clinicId, action: 'sandbox.named.open', subject: id });
    return { kind: 'opened', sandbox, token };
  });

/** A new token in place of the one that it has; null where there is no such sandbox of this clinic. */
const renewToken = (
  { pick: { transaction } }: Context,
  clinicId: string,
  sandboxId: string,
  by?: Actor,
  made?: NewSecret | null,
): Promise<string | null> =>
  transaction(async (tx) => {
    const token = newToken(made);
    if (made) {
      const [found] = await tx`
        select clinic_id from named_sandboxes
        where parent_id = ${clinicId} and clinic_id = ${sandboxId} and token_hash = ${sha256Hex(token)}`;
      if (found) return token;
      refuseGone(made);
    }
    const [renewed] = await tx`
      update named_sandboxes set token_hash = ${sha256Hex(token)}
      where parent_id = ${clinicId} and clinic_id = ${sandboxId} returning clinic_id`;
    if (!renewed) return null;
    await audit(tx, by, { clinicId, action: 'sandbox.named.renew', subject: sandboxId });
    return token;
  });

/** Ends it and erases what it holds; what stays is its audit. False where there is no such sandbox of this clinic. */
async function remove(
  { pick: { transaction }, agendas }: Context,
  clinicId: string,
  sandboxId: string,
  by?: Actor,
): Promise<boolean> {
  const isGone = await transaction(async (tx) => {
    // With its token gone first, what is under way ends before its rows do.
    const [gone] = await tx`
      delete from named_sandboxes where parent_id = ${clinicId} and clinic_id = ${sandboxId} returning clinic_id`;
    if (!gone) return false;
    await erase(tx, sandboxId);
    await audit(tx, by, { clinicId, action: 'sandbox.named.remove', subject: sandboxId });
    return true;
  });
  if (isGone) agendas.forget({ table: 'clinics', clinicId: null, id: sandboxId });
  return isGone;
}

/** Which sandbox a token opens. */
async function ofToken({ pick: { sql } }: Context, token: string): Promise<{ sandboxId: string } | null> {
  const [found] = await sql<{ sandboxId: string }>`
    select clinic_id as "sandboxId" from named_sandboxes where token_hash = ${sha256Hex(token)}`;
  return found ?? null;
}

const newToken = (made: NewSecret | null | undefined): string => `${SANDBOX_TOKEN}${tokenOf(made)}`;

/** Deletes whatever requests with its token can have made. Its row of `clinics` stays, without a name, for the audit. */
async function erase(tx: Sql, clinicId: string): Promise<void> {
  await tx`select id from clinics where id = ${clinicId} for update`;
  await tx`delete from validation_runs where clinic_id = ${clinicId}`;
  await tx`delete from sandbox_snapshots where clinic_id = ${clinicId}`;
  await tx`delete from sandbox_failures where clinic_id = ${clinicId}`;
  await tx`delete from sandbox_clocks where clinic_id = ${clinicId}`;
  await tx`delete from sandbox_clients where clinic_id = ${clinicId}`;
  await tx`delete from outbound_events where clinic_id = ${clinicId}`;
  await tx`delete from receivers where clinic_id = ${clinicId}`;
  await tx`delete from secrets where clinic_id = ${clinicId}`;
  await tx`delete from idempotency_records where clinic_id = ${clinicId}`;
  await tx`delete from staff_tasks where clinic_id = ${clinicId}`;
  await tx`delete from documents where clinic_id = ${clinicId}`;
  await tx`delete from appointments where clinic_id = ${clinicId}`;
  await tx`delete from patients where clinic_id = ${clinicId}`;
  await tx`delete from providers where clinic_id = ${clinicId}`;
  await tx`
    update clinics set name = 'Removed sandbox', sandbox_enabled = false, sandbox_leniency = '{}', closed_days = '{}'
    where id = ${clinicId}`;
}
