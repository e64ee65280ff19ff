import {
  GetWorkflow,
  ListWorkflows,
  Outcome,
  StartedWorkflow,
  StartWorkflow,
  Workflow,
} from '@clinic/shared/contracts/outreach/workflows';
import { deadline } from '@clinic/shared/deadline';
import { AppError } from '@clinic/shared/errors';
import type { Change } from '@clinic/prisma/changes';
import type { Run } from '@clinic/prisma/stores/outreach/runs';
import { mapPage } from '../../http/list-route';
import type { Deps, Reply } from '../../http/route';
import { routesOf } from '../../http/routes-of';
import { cancelOpenRun } from './cancel-open-run';

const routes = routesOf({ tag: 'Workflows', access: 'api-key', right: 'workflows' });

const unknown = { description: 'No such workflow of this clinic' };

/** The workflow REST API (docs/contract.md, 4). */
export const workflowRoutes = [
  routes.post('/workflows/start', {
    summary: 'Start a patient workflow',
    description:
      'Returns at once; ask `GET /workflows/{workflowId}` for the outcome. The same session and type return the same `workflowId` and start nothing twice, also without an `Idempotency-Key`. A `clinicId` other than the key’s is 403. What other types are about stands in `context`, as an appointment.',
    body: StartWorkflow,
    countsOnce: true,
    isIdempotent: true,
    patientData: { action: 'workflow.start', isChange: true },
    responses: {
      200: { description: 'Started, or already started for this session', schema: StartedWorkflow },
      409: { description: 'What the session had opened was erased' },
    },
    async handle({ caller, body }, { stores, temporal }) {
      const { clinicId, workflowType, patient } = body;
      if (clinicId !== caller.clinicId) throw new AppError('forbidden', 'The API key belongs to another clinic');
      const { sessionId, resumeUrl, ...context } = body.context;
      const opened =
        workflowType === 'abandonment-recovery'
          ? await stores.runs.openRecovery({ clinicId, sessionId, patient, form: { resumeUrl } })
          : await stores.runs.openRun({ clinicId, sessionId, workflowType, patient, context });
      if (opened.isErased) throw new AppError('conflict', `What session ${sessionId} had opened was erased`);
      const run = await find({ stores }, clinicId, opened.workflowId);
      if (opened.isNew) temporal.dispatch(run);
      return {
        subjects: [run.patientId, run.workflowId],
        body: {
          workflowId: run.workflowId,
          status: opened.isNew ? 'started' : run.status,
          patientFirstName: patient.firstName,
          patientLastName: patient.lastName,
        },
      };
    },
  }),
  routes.list('/workflows', {
    patientData: { action: 'workflow.list' },
    summary: 'List workflows, newest first',
    description: 'Of every type, with their outcomes. To wait for one, ask for it by its id with `wait`.',
    query: ListWorkflows,
    item: Workflow,
    items: 'workflows',
    async read({ caller: { clinicId }, query }, { stores }) {
      const runs = await stores.runs.list(clinicId, query);
      return { ...mapPage(runs, toWorkflow), subjects: runs.items.map(({ patientId }) => patientId) };
    },
  }),
  routes.get('/workflows/:workflowId', {
    patientData: { action: 'workflow.read' },
    summary: 'Status and outcome of a workflow',
    description:
      '`outcome` and `completedAt` are null until it ends. `wait` holds the response until then, 60 s at most; ask again while `status` is `started`.',
    query: GetWorkflow,
    responses: { 200: { description: 'The workflow', schema: Workflow }, 404: unknown },
    isHeld: ({ wait }) => wait > 0,
    async handle({ caller: { clinicId }, params, query, signal }, { stores, changes, stopping }) {
      const read = () => find({ stores }, clinicId, params.workflowId);
      if (query.wait === 0) return show(await read());
      const until = deadline(query.wait * 1_000, signal, stopping);
      return show(await settled({ changes }, read, params.workflowId, until));
    },
  }),
  routes.post('/workflows/:workflowId/cancel', {
    countsOnce: true,
    access: 'api-key-or-clinic',
    patientData: { action: 'workflow.cancel', isChange: true },
    summary: 'End a workflow: its case becomes FOLLOW_UP_REQUIRED',
    description:
      'No call begins any more, and its outcome event is sent. A workflow that has ended, however it did, is 409.',
    isIdempotent: true,
    responses: {
      200: { description: 'The cancelled workflow', schema: Workflow },
      404: unknown,
      409: { description: 'The workflow has ended already' },
      503: { description: 'The workflow could not be reached' },
    },
    async handle({ caller: { clinicId }, params, by }, { stores, temporal }) {
      const run = await find({ stores }, clinicId, params.workflowId);
      const ended = new AppError('conflict', `Workflow ${run.workflowId} has ended already`);
      if (run.status !== 'started') throw ended;
      if (!(await cancelOpenRun({ temporal }, run, by.actor))) throw ended;
      return {
        subjects: [run.patientId, run.workflowId],
        body: toWorkflow(await find({ stores }, clinicId, run.workflowId)),
      };
    },
  }),
];

const find = async ({ stores }: Deps<'stores'>, clinicId: string, workflowId: string): Promise<Run> => {
  const run = await stores.runs.find(clinicId, workflowId);
  if (!run) throw new AppError('not_found', `Workflow ${workflowId} not found`);
  return run;
};

/**
 * Holds until the run is terminal or the signal is aborted. It is read at the start, when the change feed names it, and
 * at the end.
 */
const settled = async (
  { changes }: Deps<'changes'>,
  read: () => Promise<Run>,
  workflowId: string,
  until: AbortSignal,
): Promise<Run> => {
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
