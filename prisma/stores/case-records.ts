import type { CaseState } from '@clinic/shared/domain/case-state';
import type { Database } from '../client';
import type { CallDecision, RecoveryCase, WorkflowRun } from '../generated/client';
import { type CallWithTools, type PersonRecord, personOnly, withEarlierReasons, withTools } from './call-records';
import { type Cursors, olderThan, type PageOf } from './cursor';
import type { DeliveryRecord } from './deliveries';
import { type TaskRecord, withPhone } from './tasks';

export type CaseWithPatient = RecoveryCase & {
  patient: PersonRecord;
  run: Pick<WorkflowRun, 'attempts' | 'workflowType' | 'status' | 'isSimulated' | 'cancelledBy'>;
};

/** A case with everything that happened to it, each in order of time. */
export interface CaseHistory {
  recoveryCase: CaseWithPatient & { patient: PersonRecord & { phone: string | null } };
  events: { id: string; event: string; receivedAt: Date }[];
  calls: CallWithTools[];
  /** Those that led to no call. */
  decisions: CallDecision[];
  /** Since when its call waits for a free line; null where none does. */
  queuedAt: Date | null;
  deliveries: DeliveryRecord[];
  tasks: TaskRecord[];
}

/** Recovery cases as staff read them. */
export interface CaseRecordStores {
  list(
    clinicId: string,
    filter: {
      recoveryStatus?: CaseState;
      /** Cases that are still worked on, or those that have ended. */
      open?: boolean;
      patientId?: string;
      /** Part of a session id or of a patient's first or last name. */
      search?: string;
      limit: number;
      cursor?: string;
    },
  ): Promise<PageOf<CaseWithPatient>>;
  history(clinicId: string, caseId: string): Promise<CaseHistory | null>;
}

const run = {
  select: { attempts: true, workflowType: true, status: true, isSimulated: true, cancelledBy: true },
} as const;

export function createCaseRecordStores({ prisma }: Database, cursors: Cursors): CaseRecordStores {
  return {
    async list(clinicId, { recoveryStatus, open, patientId, search, limit, cursor }) {
      const part = { contains: search, mode: 'insensitive' } as const;
      const rows = await prisma.recoveryCase.findMany({
        where: {
          clinicId,
          patientId,
          status: recoveryStatus,
          ...(open !== undefined && { endedAt: open ? null : { not: null } }),
          AND: [
            olderThan('createdAt', cursors.decode(cursor, clinicId)),
            search === undefined
              ? {}
              : { OR: [{ sessionId: part }, { patient: { OR: [{ firstName: part }, { lastName: part }] } }] },
          ],
        },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
        include: { patient: personOnly, run },
      });
      return cursors.page(clinicId, rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    async history(clinicId, caseId) {
      const found = await prisma.recoveryCase.findFirst({
        where: { clinicId, id: caseId },
        include: {
          run,
          patient: { select: { ...personOnly.select, phone: true } },
          calls: { include: withTools, orderBy: { createdAt: 'asc' } },
        },
      });
      if (!found) return null;
      const { calls: rows, ...recoveryCase } = found;
      const [calls, events, deliveries, listed, decisions, ticket] = await Promise.all([
        withEarlierReasons(prisma, clinicId, rows),
        prisma.inboundEvent.findMany({
          where: { clinicId, event: { in: ['forms.abandoned', 'forms.completed'] }, dedupeKey: found.sessionId },
          orderBy: { receivedAt: 'asc' },
          select: { id: true, event: true, receivedAt: true },
        }),
        prisma.delivery.findMany({
          where: { clinicId, event: { subject: caseId } },
          orderBy: { event: { sequence: 'asc' } },
          include: { event: true, attempts: { orderBy: { at: 'asc' } } },
        }),
        prisma.staffTask.findMany({
          where: { clinicId, caseId },
          orderBy: { createdAt: 'asc' },
          include: { patient: withPhone },
        }),
        prisma.callDecision.findMany({
          where: { clinicId, workflowId: found.workflowId, callId: null },
          orderBy: { decidedAt: 'asc' },
        }),
        prisma.lineTicket.findFirst({ where: { clinicId, workflowId: found.workflowId, grantedAt: null } }),
      ]);
      const { barrier } = recoveryCase;
      const tasks = listed.map((task) => ({ ...task, barrier }));
      return { recoveryCase, events, calls, deliveries, tasks, decisions, queuedAt: ticket?.createdAt ?? null };
    },
  };
}
