import type { Database } from '../../client';
import type { Patient, Prisma, RecoveryCase, ToolCall } from '../../generated/client';
import { followUpCause } from '../tasks/taken-over';
import { type CallWithPatient, personOnly, shownOfAny } from './call-records';

/** As many as people can look at. */
const MAX_CALLS = 20;

/** A call in which the phone rings or people talk, with what staff see of it while it goes on. */
export type CallUnderWay = CallWithPatient & {
  patient: Pick<Patient, 'isPlaceholder' | 'reasonForVisit'>;
  case: Pick<RecoveryCase, 'formName' | 'barrier'> | null;
  toolCalls: Pick<ToolCall, 'tool' | 'fact' | 'detail' | 'completedAt'>[];
  /** Its follow-up, once somebody has taken it over. */
  takenOver: { taskId: string; accountId: string } | null;
};

const shown = {
  patient: { select: { ...personOnly.select, isPlaceholder: true, reasonForVisit: true } },
  run: shownOfAny.run,
  case: { select: { formName: true, barrier: true } },
  toolCalls: {
    select: { tool: true, fact: true, detail: true, completedAt: true },
    where: { isSuccess: true },
    orderBy: { startedAt: 'asc' },
  },
} as const satisfies Prisma.CallInclude;

/** Calls that go on now, the longest first. Test calls are not among them. */
export async function underWay({ sql, prisma }: Database, clinicId: string) {
  const live = await sql<{ id: string }>`
    select id from calls
    where clinic_id = ${clinicId} and state <> 'ENDED' and not is_test and state in ('RINGING', 'IN_PROGRESS')
    order by created_at, id limit ${MAX_CALLS}`;
  if (live.length === 0) return [];
  const calls = await prisma.call.findMany({
    where: { clinicId, id: { in: live.map(({ id }) => id) } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    include: shown,
  });
  const tasks = await prisma.staffTask.findMany({
    where: { clinicId, cause: { in: calls.map(followUpCause) }, state: 'OPEN', assigneeId: { not: null } },
    select: { id: true, cause: true, assigneeId: true },
  });
  return calls.map((call): CallUnderWay => {
    const task = tasks.find(({ cause }) => cause === followUpCause(call));
    const takenOver = task?.assigneeId ? { taskId: task.id, accountId: task.assigneeId } : null;
    return { ...call, earlierReasons: [], takenOver };
  });
}
