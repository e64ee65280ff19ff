import { BulkStarted, CancelRuns } from '@clinic/shared/contracts/bulk-jobs';
import { CountRuns, ListRuns, RunCounts, RunView } from '@clinic/shared/contracts/runs';
import { CallState } from '@clinic/shared/contracts/calls';
import { Outcome, WorkflowStatus, WorkflowTypeName } from '@clinic/shared/contracts/workflows';
import { endingOfCall } from '@clinic/shared/voice/ended-reason';
import type { RunRecord } from '@clinic/prisma/stores/run-records';
import { beginBulkJob } from '../bulk-jobs';
import { toDecision } from '../call-decisions';
import { countedPage, listRoute, mapPage } from '../http/list-route';
import { actorOf, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';
import { momentOf } from './appointments';
import { whoIs } from './tasks';

const tag = 'Runs';

/** Runs of every workflow type, for whoever looks after them: where each stands, what comes next, and why. */
export function runRoutes({ stores, config }: RouteDeps): Route[] {
  const spanOf = async (clinicId: string, { from, until }: { from?: string; until?: string }) => {
    const zone = (await stores.agendas.of(clinicId))?.zone ?? 'UTC';
    return { from: momentOf('from', from, zone), until: momentOf('until', until, zone) };
  };
  const temporalUrl = (workflowId: string) =>
    `${config.TEMPORAL_UI_URL}/namespaces/${config.TEMPORAL_NAMESPACE}/workflows/${workflowId}`;

  return [
    listRoute({
      path: '/runs',
      access: 'clinic',
      patientData: { action: 'run.list' },
      tag,
      summary: 'List runs of every workflow type, newest first, with what comes next and why',
      query: ListRuns,
      item: RunView,
      items: 'runs',
      isCounted: true,
      async read({ caller: { clinicId }, query: { limit, cursor, total, from, until, ...query } }) {
        const filter = { ...query, ...(await spanOf(clinicId, { from, until })) };
        const [page, staff] = await Promise.all([
          countedPage(
            { cursor, total },
            {
              list: () => stores.runRecords.list(clinicId, { ...filter, limit, cursor }),
              count: () => stores.runRecords.count(clinicId, filter),
            },
          ),
          stores.staff.list(clinicId),
        ]);
        const names = new Map(staff.map(({ id, name }) => [id, name]));
        return {
          ...mapPage(page, (run) => toRun(run, { names, temporalUrl: temporalUrl(run.id) })),
          subjects: page.items.map(({ patientId }) => patientId),
        };
      },
    }),
    route({
      method: 'get',
      path: '/runs/counts',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'How many runs there are of each type and status',
      query: CountRuns,
      responses: { 200: { description: 'The counts', schema: RunCounts } },
      async handle({ caller: { clinicId }, query }) {
        const { counts, cut } = await stores.runRecords.counts(clinicId, await spanOf(clinicId, query));
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
    route({
      method: 'post',
      path: '/runs/cancel',
      access: 'admin',
      tag,
      summary: 'Cancel many open runs, or say which these would be',
      description:
        'A dry run, unless `dryRun` is false: it counts the open runs, and returns `until`, which the request that cancels them repeats. They are cancelled one after the other, each as by `POST /workflows/{workflowId}/cancel`, with its event and its task. `job` is the handle that says how far it is.',
      body: CancelRuns,
      isIdempotent: true,
      responses: {
        200: { description: 'What it is about, and its handle once it has begun', schema: BulkStarted },
        409: { description: 'Runs are being cancelled already' },
      },
      async handle({ caller, body, requestId }) {
        const asked = { ...body, kind: 'cancel_runs' as const };
        return { body: await beginBulkJob(stores, caller.clinicId, asked, actorOf(caller, requestId)) };
      },
    }),
  ];
}

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
  if (lastCall && lastCall.state !== 'ENDED') return { step: 'call', at: null, why: 'A call is under way.' };
  if (!dispatchedAt) return { step: 'start', at: null, why: 'It is stored and about to start.' };
  if (queuedAt) {
    return { step: 'line', at: queuedAt.toISOString(), why: 'The call is due and waits for a free line.' };
  }
  const decision = lastDecision && toDecision(lastDecision);
  const isLatest = decision && (!lastCall || decision.at >= lastCall.createdAt.toISOString());
  if (isLatest && decision.decided === 'wait') return { step: 'wait', at: decision.until, why: decision.why };
  return { step: 'decide', at: null, why: 'It is about to take its next step.' };
}
