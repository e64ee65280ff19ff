import { changesIn, type Kindnesses, kindnessesOf, type StoredKindnesses } from '@clinic/shared/domain/kindnesses';
import type { Database } from '../client';
import type { Agendas } from './agendas';
import { type Actor, audit } from './audit';

export interface SandboxKindnessStores {
  find(clinicId: string): Promise<Kindnesses>;
  /** Changes what is given and leaves the rest as it is; returns all of it as it is then. */
  change(request: { clinicId: string; to: StoredKindnesses }, by?: Actor): Promise<Kindnesses>;
}

export function createSandboxKindnessStores({ sql, transaction }: Database, agendas: Agendas): SandboxKindnessStores {
  return {
    async find(clinicId) {
      const [found] = await sql<{ stored: StoredKindnesses }>`
        select sandbox_kindnesses as stored from clinics where id = ${clinicId}`;
      return kindnessesOf(found?.stored ?? {});
    },

    async change({ clinicId, to }, by) {
      const changed = await transaction(async (tx) => {
        const [clinic] = await tx<{ stored: StoredKindnesses }>`
          select sandbox_kindnesses as stored from clinics where id = ${clinicId} for no key update`;
        const before = kindnessesOf(clinic?.stored ?? {});
        const after = { ...before, ...to };
        const detail = Object.fromEntries(
          Object.entries(to).filter(([name, value]) => before[name as keyof Kindnesses] !== value),
        );
        if (Object.keys(detail).length === 0) return before;
        await tx`
          update clinics set sandbox_kindnesses = ${JSON.stringify(changesIn(after))}::jsonb where id = ${clinicId}`;
        await audit(tx, by, { clinicId, action: 'sandbox.kindness.set', detail });
        return kindnessesOf(changesIn(after));
      });
      agendas.forget({ table: 'clinics', clinicId: null, id: clinicId });
      return changed;
    },
  };
}
