import { CallingQueue, ListQueue, type QueuedCall } from '@clinic/shared/contracts/outreach/calling-queue';
import { USUAL_PRIORITY, type WaitingRun } from '@clinic/prisma/stores/outreach/lines';
import { spanOf } from '../../clinic-span';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Calls', access: 'clinic', right: 'workflows' });

/** The clinic's lines, and the calls that wait for one. */
export const callingQueueRoutes = [
  routes.get('/calling-queue', {
    patientData: { action: 'calling-queue.list' },
    summary: 'Lines in use, and the calls that are due and wait for one, next first',
    description:
      'Calls wait while all of the clinic’s lines are in use. `notAfter` is until when one may still begin; `goesFirst` stands at what is preferred.',
    query: ListQueue,
    responses: { 200: { description: 'The queue as it is now', schema: CallingQueue } },
    async handle({ caller: { clinicId }, query: { from, until, ...page } }, { stores }) {
      const span = await spanOf(stores, clinicId, { from, until });
      const { lines, inUse, waiting, total, items, nextCursor } = await stores.lines.queue(clinicId, {
        ...page,
        ...span,
      });
      return {
        body: { lines: { total: lines, inUse }, waiting, total, items: items.map(toQueuedCall), nextCursor },
        subjects: items.map(({ patientId }) => patientId),
      };
    },
  }),
];

const toQueuedCall = ({ workflowId, workflowType, caseId, isPhoneInCall, ...run }: WaitingRun): QueuedCall => ({
  workflowId,
  workflowType,
  recoveryCaseId: caseId,
  patient: { id: run.patientId, firstName: run.firstName, lastName: run.lastName },
  dueAt: run.dueAt.toISOString(),
  queuedAt: run.queuedAt.toISOString(),
  notAfter: run.notAfter?.toISOString() ?? null,
  goesFirst: run.priority < USUAL_PRIORITY,
  isPhoneInCall,
});
