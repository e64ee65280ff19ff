import type { WorkflowType } from '@clinic/shared/domain/workflow-types';
import { newId } from '@clinic/shared/crypto';
import type { Database } from '../client';
import type { OutreachPause } from '../generated/client';
import { type Actor, audit } from './audit';

export type PauseRecord = OutreachPause;

export interface NewPause {
  /** Null for every clinic, which is for the operator. */
  clinicId: string | null;
  /** Null for every type. */
  workflowType: WorkflowType | null;
  reason: string;
  /** Null: until somebody resumes it. */
  until: Date | null;
}

export interface PauseStores {
  /** Those that hold now for a clinic, the pause of everything among them; of all clinics with null. Newest first. */
  holding(clinicId: string | null): Promise<PauseRecord[]>;
  /** Once this returns, no call begins that the pause is about; those under way go on. */
  pause(pause: NewPause, by: Actor): Promise<PauseRecord>;
  /**
   * Ends a pause of a clinic or, with null, any. Runs that are in line get lines in their turn; the others that it held back
   * decide anew. False where there is none that holds.
   */
  resume(clinicId: string | null, id: string, by: Actor): Promise<boolean>;
}

export function createPauseStores({ transaction, prisma }: Database): PauseStores {
  return {
    holding: (clinicId) =>
      prisma.outreachPause.findMany({
        where: {
          resumedAt: null,
          AND: [
            { OR: [{ endsAt: null }, { endsAt: { gt: new Date() } }] },
            ...(clinicId === null ? [] : [{ OR: [{ clinicId }, { clinicId: null }] }]),
          ],
        },
        orderBy: [{ pausedAt: 'desc' }, { id: 'desc' }],
      }),

    async pause({ clinicId, workflowType, reason, until }, by) {
      const id = newId();
      await transaction(async (tx) => {
        await tx`
          insert into outreach_pauses (id, clinic_id, workflow_type, reason, paused_by, ends_at)
          values (${id}, ${clinicId}, ${workflowType}, ${reason}, ${by.actor}, ${until})`;
        const detail = { workflowType, until: until?.toISOString() ?? null };
        if (clinicId !== null) await audit(tx, by, { clinicId, action: 'outreach.pause', subject: id, detail });
      });
      return prisma.outreachPause.findUniqueOrThrow({ where: { id } });
    },

    resume: (clinicId, id, by) =>
      transaction(async (tx) => {
        const [resumed] = await tx<{ clinicId: string | null; workflowType: string | null }>`
          update outreach_pauses set resumed_at = now(), resumed_by = ${by.actor}
          where id = ${id} and resumed_at is null and (clinic_id = ${clinicId} or ${clinicId}::text is null)
          returning clinic_id as "clinicId", workflow_type as "workflowType"`;
        if (!resumed) return false;
        await tx`
          insert into workflow_messages (id, clinic_id, workflow_id, signal, payload)
          select ${`resumed-${id}-`}::text || r.id, r.clinic_id, r.id, 'rulesChanged', '{}'::jsonb from workflow_runs r
          where r.status = 'started' and (r.clinic_id = ${resumed.clinicId} or ${resumed.clinicId}::text is null)
            and (r.workflow_type = ${resumed.workflowType} or ${resumed.workflowType}::text is null)
            and not exists (
              select 1 from line_tickets t where t.workflow_id = r.id and (t.not_after is null or t.not_after > now()))
          on conflict (id) do nothing`;
        if (resumed.clinicId !== null) {
          await audit(tx, by, { clinicId: resumed.clinicId, action: 'outreach.resume', subject: id });
        }
        return true;
      }),
  };
}
