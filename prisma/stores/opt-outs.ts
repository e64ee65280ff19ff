import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import type { OptOut } from '../generated/client';
import { type Actor, audit } from './audit';
import { type Cursors, olderThan, type PageOf } from './cursor';

export type OptOutRecord = OptOut;

export interface OptOutStores {
  list(clinicId: string, filter: { phone?: string; limit: number; cursor?: string }): Promise<PageOf<OptOutRecord>>;
  /** Never calls this phone again. One that is on the list already stays as it is. */
  add(clinicId: string, phone: string, by?: Actor): Promise<OptOutRecord>;
  /** False when the clinic has no such entry. */
  remove(clinicId: string, id: string, by?: Actor): Promise<boolean>;
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

    async add(clinicId, phone, by) {
      await transaction(async (tx) => {
        const [added] = await tx<{ id: string }>`
          insert into opt_outs (id, clinic_id, phone) values (${newId()}, ${clinicId}, ${phone})
          on conflict (clinic_id, phone) do nothing returning id`;
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
