import { Instant, Page } from '@clinic/shared/contracts/primitives';
import { nextStep, waitReasons } from '@clinic/shared/domain/calling-policy';
import { caseStates } from '@clinic/shared/domain/case-state';
import { AppError } from '@clinic/shared/errors';
import type { Stores } from '@clinic/prisma/stores';
import type { CaseHistory, CaseWithPatient } from '@clinic/prisma/stores/case-records';
import { z } from 'zod';
import { Flag, Id, objectOf, pageOf, Person } from '../http/listing';
import { route, type Route } from '../http/route';
import { TimelineEntry, timelineOf } from './case-timeline';

const tag = 'Recovery cases';
const CaseStatus = z.enum(caseStates);

const CaseView = z
  .object({
    recoveryCaseId: z.string(),
    sessionId: z.string(),
    recoveryStatus: CaseStatus,
    workflowId: z.string(),
    patient: Person,
    formName: z.string().nullable(),
    completionPercentage: z.number().nullable(),
    attempts: z.int(),
    createdAt: Instant,
    endedAt: Instant.nullable(),
  })
  .meta({ id: 'RecoveryCase' });

const CaseDetail = CaseView.extend({
  patient: Person.extend({ phone: z.string().nullable() }),
  form: z.object({
    formId: z.string().nullable(),
    formName: z.string().nullable(),
    lastPageReached: z.int().nullable(),
    totalPages: z.int().nullable(),
    completionPercentage: z.number().nullable(),
    abandonedAtCheckout: z.boolean().nullable(),
    abandonedAt: Instant.nullable(),
    completedAt: Instant.nullable(),
    resumeUrl: z.string().nullable(),
    selectedProducts: z.array(z.object({ productName: z.string(), unitPrice: z.number() })),
  }),
  workflowStatus: z.string(),
  temporalUrl: z.string().describe("The workflow's page in the Temporal UI"),
  nextCall: z
    .object({ at: Instant, reason: z.enum(waitReasons) })
    .nullable()
    .describe(
      'When the patient is called next, by the calling policy as it is now; null where no call waits for its time',
    ),
  barrier: z.record(z.string(), z.unknown()).nullable(),
  resolution: z.record(z.string(), z.unknown()).nullable(),
  timeline: z.array(TimelineEntry),
}).meta({ id: 'RecoveryCaseDetail' });

export interface CaseRouteDeps {
  stores: Stores;
  config: { TEMPORAL_UI_URL: string; TEMPORAL_NAMESPACE: string };
}

/** Recovery cases, and one case as a timeline (decisions, section 11). */
export function caseRoutes({ stores, config }: CaseRouteDeps): Route[] {
  const temporalUrl = (workflowId: string) =>
    `${config.TEMPORAL_UI_URL}/namespaces/${config.TEMPORAL_NAMESPACE}/workflows/${workflowId}`;

  /** What the workflow decides, by the same rule, from what the records tell. */
  const nextCallOf = async ({ recoveryCase, calls }: CaseHistory): Promise<z.input<typeof CaseDetail>['nextCall']> => {
    const { clinicId, workflowId, status, run } = recoveryCase;
    const facts = status === 'PENDING' ? await stores.runs.facts(clinicId, workflowId) : null;
    if (!facts || facts.recovery?.isFormCompleted) return null;
    const last = calls.findLast(({ isTest, endedAt }) => !isTest && endedAt !== null);
    const step = nextStep({
      ...facts,
      attemptsMade: run.attempts,
      lastAttemptEndedAt: last?.endedAt?.toISOString() ?? null,
      now: new Date().toISOString(),
    });
    return step.kind === 'wait' ? { at: step.until, reason: step.reason } : null;
  };

  return [
    route({
      method: 'get',
      path: '/cases',
      access: 'clinic',
      tag,
      summary: 'List recovery cases, newest first',
      query: Page.extend({
        recoveryStatus: CaseStatus.optional(),
        open: Flag.optional().describe('true: cases that are still worked on; false: cases that have ended'),
        patientId: Id.optional(),
        search: z
          .string()
          .trim()
          .min(1)
          .max(200)
          .optional()
          .describe("Part of a session id or of the patient's first or last name"),
      }),
      responses: { 200: { description: 'A page of cases', schema: pageOf(CaseView) } },
      async handle({ caller, query }) {
        const { items, nextCursor } = await stores.caseRecords.list(caller.clinicId, query);
        return { body: { items: items.map(toCase), nextCursor } };
      },
    }),
    route({
      method: 'get',
      path: '/cases/:recoveryCaseId',
      access: 'clinic',
      tag,
      summary: 'One case as a timeline: events, calls with their tools, barrier, outcome, tasks, deliveries',
      params: z.object({ recoveryCaseId: z.string() }),
      responses: { 200: { description: 'The case', schema: CaseDetail }, 404: { description: 'No such case' } },
      async handle({ caller: { clinicId }, params: { recoveryCaseId } }) {
        const history = await stores.caseRecords.history(clinicId, recoveryCaseId);
        if (!history) throw new AppError('not_found', `Recovery case ${recoveryCaseId} not found`);
        const { recoveryCase } = history;
        const staff = history.tasks.length > 0 ? await stores.staff.list(clinicId) : [];
        const body: z.input<typeof CaseDetail> = {
          ...toCase(recoveryCase),
          patient: recoveryCase.patient,
          form: toForm(recoveryCase),
          workflowStatus: recoveryCase.run.status,
          temporalUrl: temporalUrl(recoveryCase.workflowId),
          nextCall: await nextCallOf(history),
          barrier: objectOf(recoveryCase.barrier),
          resolution: objectOf(recoveryCase.resolution),
          timeline: timelineOf(history, new Map(staff.map(({ id, name }) => [id, name]))),
        };
        return { body };
      },
    }),
  ];
}

function toCase(recoveryCase: CaseWithPatient): z.input<typeof CaseView> {
  const { id, sessionId, status, workflowId, patient, formName, completionPercentage, run } = recoveryCase;
  return {
    recoveryCaseId: id,
    sessionId,
    workflowId,
    formName,
    completionPercentage,
    attempts: run.attempts,
    recoveryStatus: CaseStatus.parse(status),
    patient: { id: patient.id, firstName: patient.firstName, lastName: patient.lastName },
    createdAt: recoveryCase.createdAt.toISOString(),
    endedAt: recoveryCase.endedAt?.toISOString() ?? null,
  };
}

function toForm(recoveryCase: CaseWithPatient): z.input<typeof CaseDetail>['form'] {
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

const Products = z.array(z.object({ productName: z.string(), unitPrice: z.number() })).catch([]);
