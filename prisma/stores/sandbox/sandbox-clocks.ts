import { type SandboxClock, sandboxTime } from '@clinic/shared/domain/sandbox/sandbox-clock';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import type { Agendas } from '../calendar/agendas';
import { type Actor, audit } from '../operations/audit';

interface Context {
  database: Database;
  agendas: Agendas;
}

export const createSandboxClockStores = (database: Database, agendas: Agendas) =>
  bound({ database, agendas }, { set: setClock });

/**
 * Sets the clock of a clinic's sandbox to what `to` makes of it; null is the real time. What has ended by the new time is
 * fulfilled, as far as the sandbox made it. Returns what it was set to.
 */
async function setClock(
  { database: { transaction }, agendas }: Context,
  {
    clinicId,
    realNow,
    to,
  }: { clinicId: string; realNow: Date; to: (clock: SandboxClock | null) => SandboxClock | null },
  by?: Actor,
): Promise<SandboxClock | null> {
  const set = await transaction(async (tx) => {
    const clock = to((await lockSandbox(tx, clinicId)).clock);
    await saveClock(tx, clinicId, clock);
    const shown = sandboxTime(clock, realNow);
    await tx`
      update appointments set status = 'fulfilled', updated_at = now()
      where clinic_id = ${clinicId} and in_sandbox and status in ('booked', 'arrived') and starts_at < ${shown} and ends_at <= ${shown}`;
    const detail = clock ? { shows: clock.shows, isFrozen: clock.runsSince === null } : {};
    await audit(tx, by, { clinicId, action: clock ? 'sandbox.clock.set' : 'sandbox.clock.clear', detail });
    return clock;
  });
  agendas.forget({ table: 'sandbox_clocks', clinicId, id: '*' });
  return set;
}

/** One change of a clinic's sandbox at a time: anyone who comes meanwhile waits here. */
export async function lockSandbox(tx: Sql, clinicId: string): Promise<{ zone: string; clock: SandboxClock | null }> {
  const [clinic] = await tx<{ zone: string }>`
    select timezone as zone from clinics where id = ${clinicId} for no key update`;
  const [clock] = await tx<{ shows: Date; runsSince: Date | null }>`
    select shows, runs_since as "runsSince" from sandbox_clocks where clinic_id = ${clinicId}`;
  return {
    zone: clinic?.zone ?? 'UTC',
    clock: clock ? { shows: clock.shows.toISOString(), runsSince: clock.runsSince?.toISOString() ?? null } : null,
  };
}

/** Writes what the clock is set to, within the transaction of what goes with it. */
export async function saveClock(tx: Sql, clinicId: string, clock: SandboxClock | null): Promise<void> {
  if (clock === null) {
    await tx`delete from sandbox_clocks where clinic_id = ${clinicId}`;
    return;
  }
  await tx`
    insert into sandbox_clocks (clinic_id, shows, runs_since)
    values (${clinicId}, ${clock.shows}::timestamptz, ${clock.runsSince}::timestamptz)
    on conflict (clinic_id) do update set shows = excluded.shows, runs_since = excluded.runs_since`;
}
