import { CaseDetail, CaseState, CaseView, ListCases, SelectedProducts } from '@clinic/shared/contracts/outreach/cases';
import { WorkflowStatus } from '@clinic/shared/contracts/outreach/workflows';
import { nextStep } from '@clinic/shared/domain/outreach/calling-policy';
import { roleHas } from '@clinic/shared/domain/accounts/rights';
import { AppError } from '@clinic/shared/errors';
import type { CaseHistory, CaseWithPatient } from '@clinic/prisma/stores/outreach/case-records';
import { z } from 'zod';
import { factsOf } from '../../http/facts';
import { countedPage, mapPage } from '../../http/list-route';
import type { Deps } from '../../http/route';
import { namesOf } from '../accounts/staff-names';
import { momentOf, zoneOf } from '../../clinic-span';
import { timelineOf } from './case-timeline';
import { routesOf } from '../../http/routes-of';
import { temporalUrlOf } from './temporal-url';

const routes = routesOf({ tag: 'Recovery cases', access: 'clinic', right: 'workflows' });

/** Recovery cases, and one case as a timeline (docs/contract.md, 11). */
export const caseRoutes = [
  routes.list('/cases', {
    patientData: { action: 'case.list' },
    summary: 'List recovery cases, newest first',
    description: 'Filters by status, patient, session and time. `total=true` counts on the first page.',
    query: ListCases,
    item: CaseView,
    items: 'cases',
    isCounted: true,
    subjectOf: ({ patient }) => patient.id,
    async read(
      { caller: { clinicId, role }, query: { limit, cursor, total, order, from, until, ...query } },
      { stores },
    ) {
      const zone = await zoneOf(stores, clinicId);
      const span = { from: momentOf('from', from, zone), until: momentOf('until', until, zone) };
      const filter = { ...query, ...span, zone };
      const page = await countedPage(stores.caseRecords, { clinicId, filter, page: { order, limit, cursor }, total });
      return mapPage(page, (each) => toCase(each, roleHas(role, 'exports')));
    },
  }),
  routes.get('/cases/:recoveryCaseId', {
    patientData: { action: 'case.read' },
    summary: 'One case as a timeline: events, calls with their tools, barrier, outcome, tasks, deliveries',
    description: '`nextCall` is when the next attempt is due, and by which rule. `timeline` is in order of time.',
    responses: { 200: { description: 'The case', schema: CaseDetail }, 404: { description: 'No such case' } },
    async handle({ caller: { clinicId }, params: { recoveryCaseId } }, { stores, config }) {
      const history = await stores.caseRecords.history(clinicId, recoveryCaseId);
      if (!history) throw new AppError('not_found', `Recovery case ${recoveryCaseId} not found`);
      const { recoveryCase } = history;
      const hasPeople = history.tasks.length > 0 || recoveryCase.run.cancelledBy !== null;
      const names = hasPeople ? await namesOf(stores, clinicId) : new Map<string, string>();
      const body: CaseDetail = {
        ...toCase(recoveryCase, true),
        form: toForm(recoveryCase),
        workflowStatus: WorkflowStatus.parse(recoveryCase.run.status),
        temporalUrl: temporalUrlOf(config, recoveryCase.workflowId),
        nextCall: await nextCallOf({ stores }, history),
        queuedAt: history.queuedAt?.toISOString() ?? null,
        barrier: factsOf(recoveryCase.barrier),
        resolution: factsOf(recoveryCase.resolution),
        timeline: timelineOf(history, names),
      };
      return { body, subjects: [recoveryCase.patient.id] };
    },
  }),
];

/** What the workflow decides, by the same rule, from what the records tell. */
const nextCallOf = async (
  { stores }: Deps<'stores'>,
  { recoveryCase, calls }: CaseHistory,
): Promise<CaseDetail['nextCall']> => {
  const { clinicId, workflowId, status, run } = recoveryCase;
  const facts = status === 'PENDING' ? await stores.runs.facts(clinicId, workflowId) : null;
  if (!facts || facts.recovery?.isFormCompleted) return null;
  const last = calls.findLast(({ isTest, endedAt }) => !isTest && endedAt !== null);
  const step = nextStep({
    ...facts,
    hasPhone: facts.phone !== null,
    patientZones: facts.patientZones ?? [],
    pause: facts.pause ?? null,
    attemptsMade: run.attempts,
    lastAttemptEndedAt: last?.endedAt?.toISOString() ?? null,
    now: new Date().toISOString(),
  });
  return step.kind === 'wait' ? { at: step.until, reason: step.reason } : null;
};

function toCase(recoveryCase: CaseWithPatient, hasPhone: boolean): CaseView {
  const products = Products.parse(recoveryCase.selectedProducts);
  const { id, sessionId, status, workflowId, patient, formName, completionPercentage, run } = recoveryCase;
  return {
    recoveryCaseId: id,
    sessionId,
    workflowId,
    formName,
    completionPercentage,
    attempts: run.attempts,
    isSimulated: run.isSimulated,
    recoveryStatus: CaseState.parse(status),
    patient: {
      id: patient.id,
      firstName: patient.firstName,
      lastName: patient.lastName,
      phone: hasPhone ? patient.phone : null,
    },
    barrier: Barrier.parse(recoveryCase.barrier)?.primaryBarrier ?? null,
    value: products.length === 0 ? null : products.reduce((sum, { unitPrice }) => sum + unitPrice, 0),
    createdAt: recoveryCase.createdAt.toISOString(),
    endedAt: recoveryCase.endedAt?.toISOString() ?? null,
  };
}

function toForm(recoveryCase: CaseWithPatient): CaseDetail['form'] {
  const { formId, formName, lastPageReached, totalPages, completionPercentage, abandonedAtCheckout } = recoveryCase;
  return {
    formId,
    formName,
    lastPageReached,
    totalPages,
    completionPercentage,
    abandonedAtCheckout,
    abandonedAt: recoveryCase.abandonedAt?.toISOString() ?? null,
    completedAt: recoveryCase.formCompletedAt?.toISOString() ?? null,
    resumeUrl: recoveryCase.resumeUrl,
    selectedProducts: Products.parse(recoveryCase.selectedProducts),
  };
}

const Products = SelectedProducts.catch([]);
const Barrier = z.object({ primaryBarrier: z.string() }).nullable().catch(null);
