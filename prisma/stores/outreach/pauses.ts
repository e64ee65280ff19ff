import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { OutreachPause } from '../../generated/client';
import { type Actor, audit } from '../operations/audit';

export type PauseRecord = OutreachPause;

export interface NewPause {
  /** The same again changes nothing. */
  id?: string;
  /** Null for every clinic, which is for the operator. */
  clinicId: string | null;
  /** Null for every type. */
  workflowType: WorkflowType | null;
  reason: string;
  /** Null: until somebody resumes it. */
  until: Date | null;
}

export const createPauseStores = (database: Database) => bound(database, { holding, during, pause, resume });

/** Those that hold now for a clinic, the pause of everything among them; of all clinics with null. Newest first. */
const holding = ({ prisma }: Database, clinicId: string | null): Promise<PauseRecord[]> =>
  prisma.outreachPause.findMany({
    where: {
      resumedAt: null,
      AND: [
        { OR: [{ endsAt: null }, { endsAt: { gt: new Date() } }] },
        ...(clinicId === null ? [] : [{ OR: [{ clinicId }, { clinicId: null }] }]),
      ],
    },
    orderBy: [{ pausedAt: 'desc' }, { id: 'desc' }],
  });

/** Those that held recovery calls of a clinic back at some time of a span, the pauses of everything among them. */
const during = (
  { sql }: Database,
  clinicId: string,
  { from, until }: { from: string; until: string },
): Promise<{ reason: string; pausedAt: Date; endedAt: Date | null }[]> => sql<{
  reason: string;
  pausedAt: Date;
  endedAt: Date | null;
}>`
  select reason, paused_at as "pausedAt", least(resumed_at, ends_at) as "endedAt" from outreach_pauses
  where (clinic_id = ${clinicId} or clinic_id is null) and coalesce(workflow_type, 'abandonment-recovery') = 'abandonment-recovery'
    and paused_at < ${until} and coalesce(least(resumed_at, ends_at), 'infinity') > ${from}
  order by paused_at`;

/** Once this returns, no call begins that the pause is about; those under way go on. */
async function pause(
  { transaction, prisma }: Database,
  { id = newId(), clinicId, workflowType, reason, until }: NewPause,
  by: Actor,
): Promise<PauseRecord> {
  await transaction(async (tx) => {
    const [made] = await tx`
      insert into outreach_pauses (id, clinic_id, workflow_type, reason, paused_by, ends_at)
      values (${id}, ${clinicId}, ${workflowType}, ${reason}, ${by.actor}, ${until})
      on conflict (id) do nothing returning id`;
    const detail = { workflowType, until: until?.toISOString() ?? null };
    if (made && clinicId !== null) await audit(tx, by, { clinicId, action: 'outreach.pause', subject: id, detail });
  });
  return prisma.outreachPause.findUniqueOrThrow({ where: { id } });
}

/**
 * Ends a pause of a clinic or, with null, any: one row, however many runs it held. They stand in line, and are woken as they get
 * lines. False where there is none that holds.
 */
const resume = ({ transaction }: Database, clinicId: string | null, id: string, by: Actor): Promise<boolean> =>
  transaction(async (tx) => {
    const [resumed] = await tx<{ clinicId: string | null }>`
      update outreach_pauses set resumed_at = now(), resumed_by = ${by.actor}
      where id = ${id} and resumed_at is null and (clinic_id = ${clinicId} or ${clinicId}::text is null)
      returning clinic_id as "clinicId"`;
    if (!resumed) return false;
    if (resumed.clinicId !== null) {
      await audit(tx, by, { clinicId: resumed.clinicId, action: 'outreach.resume', subject: id });
    }
    return true;
  });
