import type { Database } from '../client';
import type { Call, Patient, ToolCall } from '../generated/client';
import type { CallState } from '@clinic/shared/domain/call-state';
import { type Cursors, olderThan, type PageOf } from './cursor';

export type PersonRecord = Pick<Patient, 'id' | 'firstName' | 'lastName'>;
export type CallWithPatient = Call & { patient: PersonRecord };
export type CallWithTools = CallWithPatient & { toolCalls: ToolCall[] };

/** Calls as staff read them. */
export interface CallRecordStores {
  list(
    clinicId: string,
    filter: {
      state?: CallState;
      /** Calls that have not ended, or those that have. */
      live?: boolean;
      caseId?: string;
      patientId?: string;
      workflowId?: string;
      limit: number;
      cursor?: string;
    },
  ): Promise<PageOf<CallWithPatient>>;
  find(clinicId: string, callId: string): Promise<CallWithTools | null>;
}

export const personOnly = { select: { id: true, firstName: true, lastName: true } } as const;
export const withTools = { patient: personOnly, toolCalls: { orderBy: { startedAt: 'asc' } } } as const;

export function createCallRecordStores({ prisma }: Database, cursors: Cursors): CallRecordStores {
  return {
    async list(clinicId, { state, live, caseId, patientId, workflowId, limit, cursor }) {
      const rows = await prisma.call.findMany({
        where: {
          clinicId,
          state,
          caseId,
          patientId,
          workflowId,
          ...(live !== undefined && { NOT: { state: live ? 'ENDED' : { not: 'ENDED' } } }),
          ...olderThan('createdAt', cursors.decode(cursor, clinicId)),
        },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
        include: { patient: personOnly },
      });
      return cursors.page(clinicId, rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    find: (clinicId, id) => prisma.call.findFirst({ where: { clinicId, id }, include: withTools }),
  };
}
