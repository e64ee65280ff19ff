import { z } from 'zod';
import { timeOrders } from '../../domain/list-order';
import { waitReasons } from '../../domain/outreach/calling-policy';
import { caseStates } from '../../domain/outreach/case-state';
import { CallDecisionView } from './call-decisions';
import { CallDetail } from './calls';
import { DeliveryView } from '../events/deliveries';
import { PatientName } from '../patients/patients';
import { CountedPage, Facts, Flag, Id, Instant, IsSimulated, Moment, orderOf } from '../primitives';
import { RecoveryStatus } from './recovery';
import { TaskView } from '../tasks/tasks';
import { RunSearch, WorkflowStatus } from './workflows';

export const CaseState = z.enum(caseStates).meta({ id: 'CaseState' });

/** Of a query, where all is text. */
const WholeNumber = (least: number, most: number) =>
  z.coerce.number().int().min(least).max(most).meta({ type: 'integer' });

/** `GET /api/cases`. */
export const ListCases = CountedPage.extend({
  recoveryStatus: CaseState.optional(),
  open: Flag.optional().describe('true: cases that are still worked on; false: cases that have ended'),
  patientId: Id.optional(),
  search: RunSearch.optional(),
  from: Moment.optional().describe('Opened on this day of the clinic, at this instant, or later'),
  until: Moment.optional().describe('Opened before'),
  called: Flag.optional().describe("Whether the patient's phone rang in it"),
  reached: Flag.optional().describe('Whether a person answered'),
  barrier: z.string().max(4_000).optional().describe('Why the patient stopped; case makes no difference'),
  formName: z.string().max(200).optional(),
  weekday: WholeNumber(1, 7).optional().describe("Opened on this weekday of the clinic's calendar: 1, Monday, to 7"),
  hour: WholeNumber(0, 23).optional().describe("Opened at this hour of the clinic's clock"),
  lost: Flag.optional().describe('Whether it ended without a recovery, and was not finished by the patient alone'),
  simulated: Flag.optional().describe('Whether the simulator played it'),
  providerName: z
    .string()
    .max(64)
    .optional()
    .describe('Of the visit that a recovered patient booked; `none`: no visit'),
  visitType: z.string().max(200).optional().describe('The same by its visit type'),
  hourReached: WholeNumber(0, 23).optional().describe("A person first answered at this hour of the clinic's clock"),
  order: orderOf(timeOrders).describe('By when they were opened'),
});

export const CaseView = z
  .object({
    recoveryCaseId: z.string(),
    sessionId: z.string(),
    recoveryStatus: CaseState,
    workflowId: z.string(),
    patient: PatientName.extend({
      phone: z.string().nullable().describe('In a list, null for anyone who may not export records'),
    }),
    formName: z.string().nullable(),
    barrier: z.string().nullable().describe('Why the patient stopped'),
    value: z.number().nullable().describe('Of the unit prices that came with the form; null where none did'),
    completionPercentage: z.number().nullable(),
    attempts: z.int(),
    isSimulated: IsSimulated,
    createdAt: Instant,
    endedAt: Instant.nullable(),
  })
  .meta({ id: 'RecoveryCase' });
export type CaseView = z.infer<typeof CaseView>;

const at = Instant;

/** The events of the form that a case is about. */
export const FormEvent = z.enum(['forms.abandoned', 'forms.completed']);

/** Something that happened to a case. */
export const TimelineEntry = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('event'), at, event: FormEvent }),
    z.object({ kind: z.literal('created'), at }),
    z.object({ kind: z.literal('call'), at, call: CallDetail }),
    z.object({ kind: z.literal('decision'), at, decision: CallDecisionView }),
    z.object({ kind: z.literal('barrier'), at, barrier: Facts }),
    z.object({
      kind: z.literal('outcome'),
      at,
      recoveryStatus: RecoveryStatus,
      resolution: Facts.nullable(),
      cancelledBy: z.string().nullable().describe('Who cancelled the case; null where nobody did'),
    }),
    z.object({ kind: z.literal('task'), at, task: TaskView }),
    z.object({ kind: z.literal('delivery'), at, delivery: DeliveryView }),
  ])
  .meta({ id: 'TimelineEntry' });
export type TimelineEntry = z.infer<typeof TimelineEntry>;

export const SelectedProducts = z.array(z.object({ productName: z.string(), unitPrice: z.number() }));

export const CaseDetail = CaseView.extend({
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
    selectedProducts: SelectedProducts,
  }),
  workflowStatus: WorkflowStatus,
  temporalUrl: z.string().describe("The workflow's page in the Temporal UI"),
  nextCall: z
    .object({ at: Instant, reason: z.enum(waitReasons) })
    .nullable()
    .describe(
      'When the patient is called next, by the calling policy as it is now; null where no call waits for its time',
    ),
  queuedAt: Instant.nullable().describe('Since when its call waits for a free line; null where none does'),
  barrier: Facts.nullable(),
  resolution: Facts.nullable(),
  timeline: z.array(TimelineEntry),
}).meta({ id: 'RecoveryCaseDetail' });
export type CaseDetail = z.infer<typeof CaseDetail>;
