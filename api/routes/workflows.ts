import {
  GetWorkflow,
  ListWorkflows,
  Outcome,
  StartedWorkflow,
  StartWorkflow,
  Workflow,
} from '@clinic/shared/contracts/workflows';
import { newId } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import type { Change } from '@clinic/prisma/changes';
import type { Run } from '@clinic/prisma/stores/runs';
import { cancelRun } from '@clinic/workflows/messages';
import { z } from 'zod';
import { listRoute, mapPage } from '../http/list-route';
import { actorOf, type Reply, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

const tag = 'Workflows';
const WorkflowPath = z.object({ workflowId: z.string() });
const unknown = { description: 'No such workflow of this clinic' };

/** The workflow REST API (contract, "Workflow REST API"; decisions, section 4). */
export function workflowRoutes({ stores, temporal, changes, stopping }: RouteDeps): Route[] {
  const find = async (clinicId: string, workflowId: string): Promise<Run> => {
    const run = await stores.runs.find(clinicId, workflowId);
    if (!run) throw new AppError('not_found', `Workflow ${workflowId} not found`);
    return run;
  };

  /**
   * Holds until the run is terminal or the signal is aborted. It is read at the start, when the change feed names it, and
   * at the end.
   */
  const settled = async (read: () => Promise<Run>, workflowId: string, until: AbortSignal): Promise<Run> => {
    let ring: () => void = () => undefined;
    const isAboutIt = ({ table, id }: Change) => table === '*' || (table === 'workflow_runs' && id === workflowId);
    const unsubscribe = changes.subscribe((change) => isAboutIt(change) && ring());
    until.addEventListener('abort', () => ring(), { once: true });
    try {
      for (;;) {
        // Before it is read: what changes meanwhile is not missed.
        const rung = new Promise<void>((resolve) => (ring = resolve));
        const run = await read();
        if (run.status !== 'started' || until.aborted) return run;
        await rung;
      }
    } finally {
      unsubscribe();
    }
  };

  return [
    route({
      method: 'post',
      path: '/workflows/start',
      access: 'api-key',
      tag,
      summary: 'Start a patient workflow',
      body: StartWorkflow,
      isIdempotent: true,
      responses: {
        200: { description: 'Started, or already started for this session', schema: StartedWorkflow },
        409: { description: 'What the session had opened was erased' },
      },
      async handle({ caller, body }) {
        const { clinicId, workflowType, patient } = body;
        if (clinicId !== caller.clinicId) throw new AppError('forbidden', 'The API key belongs to another clinic');
        const { sessionId, resumeUrl, ...context } = body.context;
        const opened =
          workflowType === 'abandonment-recovery'
            ? await stores.runs.openRecovery({ clinicId, sessionId, patient, form: { resumeUrl } })
            : await stores.runs.openRun({ clinicId, sessionId, workflowType, patient, context });
        if (opened.isErased) throw new AppError('conflict', `What session ${sessionId} had opened was erased`);
        const run = await find(clinicId, opened.workflowId);
        if (opened.isNew) temporal.dispatch(run);
        return {
          body: {
            workflowId: run.workflowId,
            status: opened.isNew ? 'started' : run.status,
            patientFirstName: patient.firstName,
            patientLastName: patient.lastName,
          },
        };
      },
    }),

    listRoute({
      path: '/workflows',
      access: 'api-key',
      patientData: { action: 'workflow.list' },
      tag,
      summary: 'List workflows, newest first',
      query: ListWorkflows,
      item: Workflow,
      items: 'workflows',
      async read({ caller, query }) {
        const runs = await stores.runs.list(caller.clinicId, query);
        return { ...mapPage(runs, toWorkflow), subjects: runs.items.map(({ patientId }) => patientId) };
      },
    }),

    route({
      method: 'get',
      path: '/workflows/:workflowId',
      access: 'api-key',
      patientData: { action: 'workflow.read' },
      tag,
      summary: 'Status and outcome of a workflow',
      params: WorkflowPath,
      query: GetWorkflow,
      responses: { 200: { description: 'The workflow', schema: Workflow }, 404: unknown },
      isHeld: ({ wait }) => wait > 0,
      async handle({ caller, params, query, signal }) {
        const read = () => find(caller.clinicId, params.workflowId);
        if (query.wait === 0) return show(await read());
        const until = AbortSignal.any([signal, stopping, AbortSignal.timeout(query.wait * 1_000)]);
        return show(await settled(read, params.workflowId, until));
      },
    }),

    route({
      method: 'post',
      path: '/workflows/:workflowId/cancel',
      access: 'api-key-or-clinic',
      tag,
      summary: 'End a workflow: its case becomes FOLLOW_UP_REQUIRED',
      params: WorkflowPath,
      responses: {
        200: { description: 'The cancelled workflow', schema: Workflow },
        404: unknown,
        409: { description: 'The workflow has ended already' },
        503: { description: 'The workflow could not be reached' },
      },
      async handle({ caller, params, requestId }) {
        const run = await find(caller.clinicId, params.workflowId);
        const ended = new AppError('conflict', `Workflow ${run.workflowId} has ended already`);
        if (run.status !== 'started') throw ended;
        // One that is stored but has not reached Temporal yet is started first: only it may end its case.
        if (!run.dispatchedAt) await temporal.startNow(run);
        const asked = await temporal.ask(run.workflowId, cancelRun, {
          id: newId('cancel'),
          args: [{ by: actorOf(caller, requestId).actor }],
        });
        if (asked.kind !== 'done') throw ended;
        return { body: toWorkflow(await find(caller.clinicId, run.workflowId)) };
      },
    }),
  ];
}

const show = (run: Run): Reply => ({ body: toWorkflow(run), subjects: [run.patientId] });

function toWorkflow(run: Run): Workflow {
  return {
    workflowId: run.workflowId,
    status: run.status,
    outcome: Outcome.nullable().parse(run.outcome),
    completedAt: run.completedAt?.toISOString() ?? null,
    workflowType: run.workflowType,
    startedAt: run.startedAt.toISOString(),
    recoveryCaseId: run.caseId,
    attempts: run.attempts,
    isSimulated: run.isSimulated,
  };
}
