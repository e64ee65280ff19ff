import {
  CallsUnderWay,
  CallState,
  type CallUnderWay as CallUnderWayView,
} from '@clinic/shared/contracts/outreach/calls';
import { TaskView } from '@clinic/shared/contracts/tasks/tasks';
import { toolFacts } from '@clinic/shared/domain/outreach/conversation';
import { AppError } from '@clinic/shared/errors';
import type { CallUnderWay } from '@clinic/prisma/stores/outreach/calls-under-way';
import { z } from 'zod';
import { factsOf } from '../../http/facts';
import { routesOf } from '../../http/routes-of';
import { namesOf } from '../accounts/staff-names';
import { toTask } from '../tasks/tasks';
import { toCall } from './calls';
import { cancelOpenRun } from './cancel-open-run';

const routes = routesOf({ tag: 'Calls', access: 'clinic', right: 'workflows' });

/** Calls while a voice agent is on the phone, for those at the front desk. */
export const callsUnderWayRoutes = [
  routes.get('/calls/under-way', {
    patientData: { action: 'call.list' },
    summary: 'The calls in which a phone rings or a voice agent talks now',
    description:
      'With what each is about and what its tools have done so far; the longest first, twenty at most, without test calls. `GET /stream` tells when to read it again, by `calls`, `tool_calls` and `staff_tasks`.',
    responses: { 200: { description: 'The calls', schema: CallsUnderWay } },
    async handle({ caller: { clinicId } }, { stores }) {
      const [calls, names] = await Promise.all([stores.calls.underWay(clinicId), namesOf(stores, clinicId)]);
      return {
        body: { items: calls.map((call) => toCallUnderWay(call, names)) },
        subjects: calls.map(({ patient }) => patient.id),
      };
    },
  }),
  routes.post('/calls/:callId/take-over', {
    right: 'tasks',
    summary: 'Make the follow-up of a call that is under way your own',
    description:
      'It becomes a task of yours, and its workflow calls nobody any more: it ends as `POST /workflows/{workflowId}/cancel` ends it. The call itself goes on: its agent finishes it, or transfers it where the patient asks for a person and the clinic has a number for that. What it books stands. The same again changes nothing.',
    responses: {
      200: { description: 'Your task', schema: TaskView },
      404: { description: 'No such call of this clinic' },
      409: { description: 'The call is over, it is a test call, or somebody else has taken it over' },
      503: { description: 'The workflow could not be reached: the task is yours, and calls may go on. Try again' },
    },
    async handle({ caller: { clinicId, accountId }, params: { callId }, by }, { stores, temporal }) {
      const call = await stores.calls.find(clinicId, callId);
      if (!call) throw new AppError('not_found', `Call ${callId} not found`);
      if (call.isTest) throw new AppError('conflict', 'A test call is not taken over');
      if (call.state === CallState.enum.ENDED) throw new AppError('conflict', 'The call is over');
      const taskId = await stores.tasks.takeOver(call, accountId, by);
      if (taskId === null) throw new AppError('conflict', 'Somebody else has taken this call over');
      const run = call.workflowId === null ? null : await stores.runs.find(clinicId, call.workflowId);
      // What the call has decided meanwhile stands.
      if (run?.status === 'started') await cancelOpenRun({ temporal }, run, by.actor);
      const task = await stores.tasks.find(clinicId, taskId);
      if (!task) throw new AppError('not_found', `Task ${taskId} not found`);
      return { body: toTask(task, await namesOf(stores, clinicId)), subjects: [task.patientId] };
    },
  }),
];

const ToolFact = z.enum(toolFacts);
const Starts = z.object({ startsAt: z.iso.datetime({ offset: true }) });

function toCallUnderWay(call: CallUnderWay, names: ReadonlyMap<string, string>): CallUnderWayView {
  const { patient, toolCalls, takenOver, appointmentStartsAt } = call;
  const did = toolCalls.flatMap(({ fact, detail, completedAt }) => {
    const known = ToolFact.safeParse(fact).data;
    if (known === undefined || completedAt === null) return [];
    const at = Starts.safeParse(detail).data?.startsAt;
    return [{ fact: known, at: completedAt.toISOString(), startsAt: at ? new Date(at).toISOString() : null }];
  });
  return {
    ...toCall(call),
    isKnown: !patient.isPlaceholder,
    reasonForVisit: patient.reasonForVisit,
    barrier: factsOf(call.case?.barrier),
    appointmentStartsAt: appointmentStartsAt?.toISOString() ?? null,
    did,
    lastTool: toolCalls.at(-1)?.tool ?? null,
    takenOver: takenOver && {
      taskId: takenOver.taskId,
      by: { id: takenOver.accountId, name: names.get(takenOver.accountId) ?? 'Former account' },
    },
  };
}
