import { FormEvent, type TimelineEntry } from '@clinic/shared/contracts/outreach/cases';
import { RecoveryStatus } from '@clinic/shared/contracts/outreach/recovery';
import type { CaseHistory } from '@clinic/prisma/stores/outreach/case-records';
import { toDecision } from './call-decision';
import { factsOf } from '../../http/facts';
import { toCallDetail } from './calls';
import { toDelivery } from '../events/deliveries';
import { toTask, whoIs } from '../tasks/tasks';

/** What happened to a case, in order. At the same moment, cause comes before effect. */
export function timelineOf(history: CaseHistory, staffNames: ReadonlyMap<string, string>): TimelineEntry[] {
  const { recoveryCase, events, calls, tasks, deliveries, decisions } = history;
  const entries: TimelineEntry[] = [
    ...events.map(({ event, receivedAt }) => ({
      kind: 'event' as const,
      at: receivedAt.toISOString(),
      event: FormEvent.parse(event),
    })),
    { kind: 'created', at: recoveryCase.createdAt.toISOString() },
    ...calls.map((call) => ({ kind: 'call' as const, at: call.createdAt.toISOString(), call: toCallDetail(call) })),
    ...decisions.map((decision) => ({
      kind: 'decision' as const,
      at: decision.decidedAt.toISOString(),
      decision: toDecision(decision),
    })),
    ...barrierOf(history),
    ...outcomeOf(recoveryCase, staffNames),
    ...tasks.map((task) => ({
      kind: 'task' as const,
      at: task.createdAt.toISOString(),
      task: toTask(task, staffNames),
    })),
    ...deliveries.map((delivery) => ({
      kind: 'delivery' as const,
      at: delivery.createdAt.toISOString(),
      delivery: toDelivery(delivery),
    })),
  ];
  return entries.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** The moment a barrier was understood is the end of the tool call that recorded it. */
function barrierOf({ recoveryCase, calls }: CaseHistory): TimelineEntry[] {
  const barrier = factsOf(recoveryCase.barrier);
  if (!barrier) return [];
  const recorded = calls
    .flatMap(({ toolCalls }) => toolCalls)
    .findLast(({ tool, isSuccess }) => tool === 'record_abandonment_barrier' && isSuccess === true);
  return [{ kind: 'barrier', at: (recorded?.completedAt ?? recoveryCase.createdAt).toISOString(), barrier }];
}

function outcomeOf(
  { status, endedAt, resolution, run }: CaseHistory['recoveryCase'],
  staffNames: ReadonlyMap<string, string>,
): TimelineEntry[] {
  if (endedAt === null) return [];
  const recoveryStatus = RecoveryStatus.parse(status);
  const cancelledBy = run.cancelledBy === null ? null : whoIs(run.cancelledBy, staffNames);
  return [{ kind: 'outcome', at: endedAt.toISOString(), recoveryStatus, resolution: factsOf(resolution), cancelledBy }];
}
