import { BulkStarted, CancelRuns } from '@clinic/shared/contracts/operations/bulk-jobs';
import { CountRuns, ListRuns, RunCounts, RunView } from '@clinic/shared/contracts/outreach/runs';
import { CallState } from '@clinic/shared/contracts/outreach/calls';
import { Outcome, WorkflowStatus, WorkflowTypeName } from '@clinic/shared/contracts/outreach/workflows';
import { endingOfCall } from '@clinic/shared/domain/voice/ended-reason';
import type { RunRecord } from '@clinic/prisma/stores/outreach/run-records';
import { beginBulkJob } from '../operations/bulk-job';
import { toDecision } from './call-decision';
import { countedPage, mapPage } from '../../http/list-route';
import { namesOf } from '../accounts/staff-names';
import { spanOf } from '../../clinic-span';
import { whoIs } from '../tasks/tasks';
import { routesOf } from '../../http/routes-of';
import { temporalUrlOf } from './temporal-url';

const routes = routesOf({ tag: 'Runs', access: 'clinic', right: 'workflows' });

/** Runs of every workflow type, for anyone who looks after them: where each stands, what comes next, and why. */
export const runRoutes = [
  routes.list('/runs', {
    patientData: { action: 'run.list' },
    summary: 'List runs of every workflow type, newest first, with what comes next and why',
    description:
      'Unlike `GET /workflows`, with the patient, the last call and decision, and what it waits for. `total=true` counts on the first page.',
    query: ListRuns,
    item: RunView,
    items: 'runs',
    isCounted: true,
    async read({ caller: { clinicId }, query: { limit, cursor, total, from, until, ...query } }, { stores, config }) {
      const filter = { ...query, ...(await spanOf(stores, clinicId, { from, until })) };
      const [page, names] = await Promise.all([
        countedPage(stores.runRecords, { clinicId, filter, page: { limit, cursor }, total }),
        namesOf(stores, clinicId),
      ]);
      return {
        ...mapPage(page, (run) => toRun(run, { names, temporalUrl: temporalUrlOf(config, run.id) })),
        subjects: page.items.map(({ patientId }) => patientId),
      };
    },
  }),
  routes.get('/runs/counts', {
    patientData: 'none',
    summary: 'How many runs there are of each type and status',
    description: 'With `from` and `until` of the list. Of the statuses in `cut` there are more than were counted.',
    query: CountRuns,
    responses: { 200: { description: 'The counts', schema: RunCounts } },
    async handle({ caller: { clinicId }, query }, { stores }) {
      const { counts, cut } = await stores.runRecords.counts(clinicId, await spanOf(stores, clinicId, query));
      const body: RunCounts = {
        cut,
        counts: counts.map(({ workflowType, ...each }) => ({
          ...each,
          workflowType: WorkflowTypeName.parse(workflowType),
        })),
      };
      return { body };
    },
  }),
  routes.post('/runs/cancel', {
    right: 'operations',
    summary: 'Cancel many open runs, or say which these would be',
    description:
      'A dry run, unless `dryRun` is false: it counts the open runs, and returns `until`, which the request that cancels them repeats. They are cancelled one after the other, each as by `POST /workflows/{workflowId}/cancel`, with its event and its task. `job` is the handle that says how far it is.',
    body: CancelRuns,
    isIdempotent: true,
    responses: {
      200: { description: 'What it is about, and its handle once it has begun', schema: BulkStarted },
      409: { description: 'Runs are being cancelled already' },
    },
    async handle({ caller: { clinicId }, body, idOfNew: id, by }, { stores, temporal }) {
      const asked = { ...body, id, kind: 'cancel_runs' as const };
      return { body: await beginBulkJob({ stores, temporal }, clinicId, asked, by) };
    },
  }),
];

function toRun(
  run: RunRecord,
  { names, temporalUrl }: { names: ReadonlyMap<string, string>; temporalUrl: string },
): RunView {
  const { lastCall, lastDecision } = run;
  return {
    workflowId: run.id,
    status: WorkflowStatus.parse(run.status),
    outcome: Outcome.nullable().parse(run.outcome),
    completedAt: run.completedAt?.toISOString() ?? null,
    workflowType: WorkflowTypeName.parse(run.workflowType),
    startedAt: run.startedAt.toISOString(),
    recoveryCaseId: run.caseId,
    attempts: run.attempts,
    isSimulated: run.isSimulated,
    sessionId: run.sessionId,
    patient: run.patient,
    next: nextOf(run),
    cancelledBy: run.cancelledBy === null ? null : whoIs(run.cancelledBy, names),
    lastDecision: lastDecision && toDecision(lastDecision),
    lastCall: lastCall && {
      id: lastCall.id,
      state: CallState.parse(lastCall.state),
      endedReason: lastCall.endedReason,
      ending: lastCall.state === 'ENDED' ? endingOfCall(lastCall) : null,
    },
    temporalUrl,
  };
}

/** By what the records say: its call, its place in the line, and its newest decision. */
function nextOf({ status, dispatchedAt, lastCall, queuedAt, lastDecision }: RunRecord): RunView['next'] {
  if (status !== 'started') return null;
  if (lastCall && lastCall.state !== 'ENDED') return { step: 'call', at: null, rule: null };
  if (!dispatchedAt) return { step: 'start', at: null, rule: null };
  if (queuedAt) return { step: 'line', at: queuedAt.toISOString(), rule: null };
  const decision = lastDecision && toDecision(lastDecision);
  const isLatest = decision && (!lastCall || decision.at >= lastCall.createdAt.toISOString());
  if (isLatest && decision.decided === 'wait') return { step: 'wait', at: decision.until, rule: decision.rule };
  return { step: 'decide', at: null, rule: null };
}
