import { Instant } from '@clinic/shared/contracts/primitives';
import type { CaseHistory } from '@clinic/prisma/stores/case-records';
import { z } from 'zod';
import { objectOf } from '../http/listing';
import { CallDetail, toCallDetail } from './calls';
import { DeliveryView, toDelivery } from './deliveries';
import { TaskView, toTask } from './tasks';

const at = Instant;
const Facts = z.record(z.string(), z.unknown());

/** Something that happened to a case. */
export const TimelineEntry = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('event'), at, event: z.string() }),
    z.object({ kind: z.literal('created'), at }),
    z.object({ kind: z.literal('call'), at, call: CallDetail }),
    z.object({ kind: z.literal('barrier'), at, barrier: Facts }),
    z.object({ kind: z.literal('outcome'), at, recoveryStatus: z.string(), resolution: Facts.nullable() }),
    z.object({ kind: z.literal('task'), at, task: TaskView }),
    z.object({ kind: z.literal('delivery'), at, delivery: DeliveryView }),
  ])
  .meta({ id: 'TimelineEntry' });
export type TimelineEntry = z.input<typeof TimelineEntry>;

/** What happened to a case, in order. At the same moment, cause comes before effect. */
export function timelineOf(history: CaseHistory, staffNames: ReadonlyMap<string, string>): TimelineEntry[] {
  const { recoveryCase, events, calls, tasks, deliveries } = history;
  const entries: TimelineEntry[] = [
    ...events.map(({ event, receivedAt }) => ({ kind: 'event' as const, at: receivedAt.toISOString(), event })),
    { kind: 'created', at: recoveryCase.createdAt.toISOString() },
    ...calls.map((call) => ({ kind: 'call' as const, at: call.createdAt.toISOString(), call: toCallDetail(call) })),
    ...barrierOf(history),
    ...outcomeOf(recoveryCase),
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
  const barrier = objectOf(recoveryCase.barrier);
  if (!barrier) return [];
  const recorded = calls
    .flatMap(({ toolCalls }) => toolCalls)
    .findLast(({ tool, isSuccess }) => tool === 'record_abandonment_barrier' && isSuccess === true);
  return [{ kind: 'barrier', at: (recorded?.completedAt ?? recoveryCase.createdAt).toISOString(), barrier }];
}

function outcomeOf({ status, endedAt, resolution }: CaseHistory['recoveryCase']): TimelineEntry[] {
  if (endedAt === null) return [];
  return [{ kind: 'outcome', at: endedAt.toISOString(), recoveryStatus: status, resolution: objectOf(resolution) }];
}
