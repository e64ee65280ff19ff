import { changesIn, type Leniency, leniencyOf, type StoredLeniency } from '@clinic/shared/domain/sandbox/leniency';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Agendas } from '../calendar/agendas';
import { type Actor, audit } from '../operations/audit';

interface Context {
  database: Database;
  agendas: Agendas;
}

export const createSandboxLeniencyStores = (database: Database, agendas: Agendas) =>
  bound({ database, agendas }, { find, change });

async function find({ database: { sql } }: Context, clinicId: string): Promise<Leniency> {
  const [found] = await sql<{ stored: StoredLeniency }>`
    select sandbox_leniency as stored from clinics where id = ${clinicId}`;
  return leniencyOf(found?.stored ?? {});
}

/** Changes what is given and leaves the rest as it is; returns all of it as it is then. */
async function change(
  { database: { transaction }, agendas }: Context,
  { clinicId, to }: { clinicId: string; to: StoredLeniency },
  by?: Actor,
): Promise<Leniency> {
  const changed = await transaction(async (tx) => {
    const [clinic] = await tx<{ stored: StoredLeniency }>`
      select sandbox_leniency as stored from clinics where id = ${clinicId} for no key update`;
    const before = leniencyOf(clinic?.stored ?? {});
    const after = { ...before, ...to };
    const detail = Object.fromEntries(
      Object.entries(to).filter(([name, value]) => before[name as keyof Leniency] !== value),
    );
    if (Object.keys(detail).length === 0) return before;
    await tx`
      update clinics set sandbox_leniency = ${JSON.stringify(changesIn(after))}::jsonb where id = ${clinicId}`;
    await audit(tx, by, { clinicId, action: 'sandbox.leniency.set', detail });
    return leniencyOf(changesIn(after));
  });
  agendas.forget({ table: 'clinics', clinicId: null, id: clinicId });
  return changed;
}
