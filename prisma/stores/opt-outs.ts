import { newId } from '@clinic/shared/crypto';
import type { OptOutScope, OptOutSource } from '@clinic/shared/domain/opt-out';
import type { Database } from '../client';
import type { OptOut } from '../generated/client';
import { type Actor, audit } from './audit';
import { type Cursors, olderThan, type PageOf } from './cursor';

export type OptOutRecord = OptOut;

export interface OptOutStores {
  list(clinicId: string, filter: { phone?: string; limit: number; cursor?: string }): Promise<PageOf<OptOutRecord>>;
  /** Never calls this phone again, for what the scope says. One that is on the list stays on it, and its scope only widens. */
  add(clinicId: string, phone: string, by?: Actor, about?: OptOutAbout): Promise<OptOutRecord>;
  /** False when the clinic has no such entry. */
  remove(clinicId: string, id: string, by?: Actor): Promise<boolean>;
}

export interface OptOutAbout {
  scope?: OptOutScope | undefined;
  source?: OptOutSource;
}

export function createOptOutStores({ transaction, prisma }: Database, cursors: Cursors): OptOutStores {
  return {
    async list(clinicId, { phone, limit, cursor }) {
      const rows = await prisma.optOut.findMany({
        where: { clinicId, phone, ...olderThan('createdAt', cursors.decode(cursor, clinicId)) },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
      });
      return cursors.page(clinicId, rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    async add(clinicId, phone, by, { scope = 'all', source = 'staff' } = {}) {
      await transaction(async (tx) => {
        const [added] = await tx<{ id: string }>`
          insert into opt_outs (id, clinic_id, phone, scope, source, added_by)
          values (${newId()}, ${clinicId}, ${phone}, ${scope}, ${source}, ${by?.actor ?? 'system'})
          on conflict (clinic_id, phone) do update set scope = 'all'
            where opt_outs.scope <> 'all' and excluded.scope = 'all'
          returning id`;
        if (added) await audit(tx, by, { clinicId, action: 'opt-out.add', subject: added.id });
      });
      return prisma.optOut.findUniqueOrThrow({ where: { clinicId_phone: { clinicId, phone } } });
    },

    remove: (clinicId, id, by) =>
      transaction(async (tx) => {
        const [removed] = await tx`delete from opt_outs where clinic_id = ${clinicId} and id = ${id} returning id`;
        if (removed) await audit(tx, by, { clinicId, action: 'opt-out.remove', subject: id });
        return removed !== undefined;
      }),
  };
}
