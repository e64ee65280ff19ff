import type { CallState } from '@clinic/shared/domain/call-state';
import { dependsOnEarlierCalls } from '@clinic/shared/voice/ended-reason';
import type { Database } from '../client';
import type { Call, CallDecision, CallEvidence, Patient, Prisma, ToolCall, WorkflowRun } from '../generated/client';
import { type Cursors, olderThan, type PageOf } from './cursor';

export type PersonRecord = Pick<Patient, 'id' | 'firstName' | 'lastName'>;
export type CallWithPatient = Call & {
  patient: PersonRecord;
  /** Of a call that belongs to a workflow. */
  run: Pick<WorkflowRun, 'isSimulated'> | null;
  /** How the workflow's calls before this one ended, where that matters to what its own end means. */
  earlierReasons: string[];
};
export type CallWithTools = CallWithPatient & { toolCalls: ToolCall[]; decisions: CallDecision[] };
export type CallWithEvidence = CallWithTools & { evidence: CallEvidence | null };

/** A decision about a patient, and what it was about. */
export type PatientDecision = CallDecision & { run: Pick<WorkflowRun, 'workflowType'> };

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
  find(clinicId: string, callId: string): Promise<CallWithEvidence | null>;
  /** What was decided about calls to a patient, newest first: with `called`, what led to a call, or what led to none. */
  decisions(
    clinicId: string,
    filter: { patientId: string; called?: boolean; limit: number; cursor?: string },
  ): Promise<PageOf<PatientDecision>>;
}

export const personOnly = { select: { id: true, firstName: true, lastName: true } } as const;
const runOnly = { select: { isSimulated: true } } as const;
export const withTools = {
  patient: personOnly,
  run: runOnly,
  toolCalls: { orderBy: { startedAt: 'asc' } },
  decisions: { orderBy: [{ decidedAt: 'asc' }, { stage: 'desc' }] },
} as const satisfies Prisma.CallInclude;

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
        include: { patient: personOnly, run: runOnly },
      });
      const calls = await withEarlierReasons(prisma, clinicId, rows);
      return cursors.page(clinicId, calls, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    },

    async find(clinicId, id) {
      const found = await prisma.call.findFirst({ where: { clinicId, id }, include: { ...withTools, evidence: true } });
      const [call] = await withEarlierReasons(prisma, clinicId, found ? [found] : []);
      return call ?? null;
    },

    async decisions(clinicId, { patientId, called, limit, cursor }) {
      const rows = await prisma.callDecision.findMany({
        where: {
          clinicId,
          run: { clinicId, patientId },
          ...(called !== undefined && { callId: called ? { not: null } : null }),
          ...olderThan('decidedAt', cursors.decode(cursor, clinicId)),
        },
        orderBy: [{ decidedAt: 'desc' }, { id: 'desc' }],
        take: limit + 1,
        include: { run: { select: { workflowType: true } } },
      });
      return cursors.page(clinicId, rows, limit, ({ decidedAt, id }) => ({ at: decidedAt, id }));
    },
  };
}

/** The calls of a clinic, each with the reasons that its workflow's calls before it ended for. */
export async function withEarlierReasons<Row extends Call>(
  prisma: Database['prisma'],
  clinicId: string,
  calls: Row[],
): Promise<(Row & { earlierReasons: string[] })[]> {
  const asked = calls.filter(({ endedReason }) => endedReason !== null && dependsOnEarlierCalls(endedReason));
  const workflowIds = [...new Set(asked.flatMap(({ workflowId }) => workflowId ?? []))];
  const ended =
    workflowIds.length === 0
      ? []
      : await prisma.call.findMany({
          where: { clinicId, workflowId: { in: workflowIds }, isTest: false, endedReason: { not: null } },
          select: { workflowId: true, endedReason: true, createdAt: true },
          orderBy: { createdAt: 'asc' },
        });
  return calls.map((call) => ({
    ...call,
    earlierReasons: ended
      .filter(({ workflowId, createdAt }) => workflowId === call.workflowId && createdAt < call.createdAt)
      .flatMap(({ endedReason }) => endedReason ?? []),
  }));
}
