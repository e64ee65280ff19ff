import { z } from 'zod';
import { timeOrders } from '../../domain/list-order';
import { callStates } from '../../domain/outreach/call-state';
import { callEndings } from '../../domain/outreach/call-ending';
import { toolFacts } from '../../domain/outreach/conversation';
import { CallDecisionView } from './call-decisions';
import { PatientName, PatientSearch } from '../patients/patients';
import { CountedPage, Facts, Flag, Id, Instant, IsSimulated, Moment, orderOf, Phone } from '../primitives';
import { WorkflowTypeName } from './workflows';

export const CallState = z.enum(callStates).meta({ id: 'CallState' });
const CallEnding = z.enum(callEndings).meta({ id: 'CallEnding' });

const CallDirection = z.enum(['inbound', 'outbound']);

/** `GET /api/calls`. */
export const ListCalls = CountedPage.extend({
  state: CallState.optional(),
  live: Flag.optional().describe('true: calls that have not ended; false: calls that have'),
  recoveryCaseId: Id.optional(),
  patientId: Id.optional(),
  workflowId: Id.optional(),
  search: PatientSearch.optional(),
  workflowType: WorkflowTypeName.optional(),
  direction: CallDirection.optional(),
  ending: CallEnding.optional().describe(
    'What the end of the call means to its workflow; calls that have not ended have none',
  ),
  from: Moment.optional().describe('Of this day of the clinic, of this instant, or later'),
  until: Moment.optional().describe('Of before'),
  order: orderOf(timeOrders),
});

export const CallView = z
  .object({
    id: z.string(),
    platformCallId: z.string().nullable(),
    workflowType: WorkflowTypeName.nullable(),
    workflowId: z.string().nullable(),
    recoveryCaseId: z.string().nullable(),
    formName: z.string().nullable().describe('Of a recovery: the form that was left'),
    patient: PatientName,
    phone: z.string().nullable(),
    direction: CallDirection,
    isTest: z.boolean(),
    isSimulated: IsSimulated,
    state: CallState,
    attempt: z.int().describe('Counts how often the patient was reached out to; 0 for an inbound or test call'),
    endedReason: z.string().nullable().describe("The voice platform's own word; new ones come at any time"),
    ending: CallEnding.nullable().describe('What the end of the call means to its workflow; null until it has ended'),
    summary: z.string().nullable(),
    createdAt: Instant,
    startedAt: Instant.nullable(),
    endedAt: Instant.nullable(),
  })
  .meta({ id: 'Call' });
export type CallView = z.infer<typeof CallView>;

/** `GET /api/calls/under-way`. */
export const CallUnderWay = CallView.extend({
  isKnown: z.boolean().describe('false: a caller of whom the clinic has no more than a form or a number'),
  barrier: Facts.nullable().describe('Of a recovery: why the patient stopped, as said by now'),
  reasonForVisit: z.string().nullable().describe('As the patient gave it last'),
  appointmentStartsAt: Instant.nullable().describe('The visit that the call is about'),
  did: z
    .array(
      z.object({
        fact: z.enum(toolFacts).meta({ id: 'ToolFact' }),
        at: Instant,
        startsAt: Instant.nullable().describe('Of a visit that was booked or moved'),
      }),
    )
    .describe('What its tools have changed, in order'),
  lastTool: z.string().nullable().describe('The last tool that was of use, whether it changed anything or not'),
  takenOver: z
    .object({ taskId: z.string(), by: z.object({ id: z.string(), name: z.string() }) })
    .nullable()
    .describe('Whose task its follow-up is; null while it is nobody’s'),
}).meta({ id: 'CallUnderWay' });
export type CallUnderWay = z.infer<typeof CallUnderWay>;

export const CallsUnderWay = z.object({ items: z.array(CallUnderWay) });

const ToolCallView = z
  .object({
    toolCallId: z.string(),
    family: z.string(),
    tool: z.string(),
    arguments: z.unknown(),
    result: z.unknown().describe('What the agent was told; null while the tool is at work'),
    success: z.boolean().nullable(),
    startedAt: Instant,
    completedAt: Instant.nullable(),
  })
  .meta({ id: 'ToolCall' });

export const CallDetail = CallView.extend({
  tools: z.array(ToolCallView),
  whyNow: z
    .array(CallDecisionView)
    .describe('Why it was placed when it was, or was not: the decision, and the check before dialling'),
}).meta({ id: 'CallDetail' });
export type CallDetail = z.infer<typeof CallDetail>;

const CallEvidenceView = z
  .object({
    transcript: z.string().nullable(),
    recordingUrl: z.string().nullable().describe("At the platform, or in the clinic's own bucket; it may expire there"),
    costUsd: z.number().nullable(),
    durationSeconds: z.int().nullable(),
    success: z.string().nullable().describe("The platform's own verdict, as `true`"),
  })
  .meta({ id: 'CallEvidence' });

/** `GET /api/calls/{id}`. Lists and timelines go without the transcript. */
const EhrRequest = z
  .object({
    at: Instant.describe('When its answer was there'),
    action: z.string().describe('As `appointment.book`'),
    method: z.string(),
    path: z.string().describe('Without ids, as `/Patient/{id}`'),
    status: z.int().nullable().describe('null where there was no answer'),
    milliseconds: z.int(),
  })
  .meta({ id: 'EhrRequest' });

export const CallWithEvidence = CallDetail.extend({
  ehrRequests: z
    .array(EhrRequest)
    .describe('What the clinic’s own system was asked during the call, in order: the newest two hundred'),
  evidence: CallEvidenceView.nullable().describe(
    'What the platform handed over after the call; null where it has not, or it has been deleted by now',
  ),
}).meta({ id: 'CallWithEvidence' });
export type CallWithEvidence = z.infer<typeof CallWithEvidence>;

/** `POST /api/voice/test-calls`. */
export const OpenTestCall = z.strictObject({
  workflowType: WorkflowTypeName.optional(),
  patientId: z.string().max(64).optional(),
  phone: Phone.optional(),
  recoveryCaseId: z.string().max(64).optional(),
});
export type OpenTestCall = z.infer<typeof OpenTestCall>;

export const OpenedTestCall = z.object({ callId: z.string() });
