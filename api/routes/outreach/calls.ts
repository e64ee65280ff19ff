import { ListPatientDecisions, PatientDecisionView } from '@clinic/shared/contracts/outreach/call-decisions';
import {
  type CallDetail,
  CallState,
  CallView,
  CallWithEvidence,
  ListCalls,
} from '@clinic/shared/contracts/outreach/calls';
import { pageOf } from '@clinic/shared/contracts/primitives';
import { WorkflowTypeName } from '@clinic/shared/contracts/outreach/workflows';
import type { CallEnding } from '@clinic/shared/domain/outreach/call-ending';
import { endingOfCall } from '@clinic/shared/domain/voice/ended-reason';
import { AppError } from '@clinic/shared/errors';
import type {
  CallWithEvidence as CallWithEvidenceRecord,
  CallWithPatient,
  CallWithTools,
  PatientDecision,
} from '@clinic/prisma/stores/outreach/call-records';
import type { AuditEntryRecord } from '@clinic/prisma/stores/operations/audit';
import { z } from 'zod';
import { toDecision } from './call-decision';
import { countedPage, mapPage } from '../../http/list-route';
import { ofPatientPath } from '../../http/route';
import { spanOf } from '../../clinic-span';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Calls', access: 'clinic', right: 'workflows' });

/** Calls, live and past, with what their tools did (docs/contract.md, 11). */
export const callRoutes = [
  routes.list('/calls', {
    patientData: { action: 'call.list' },
    summary: 'List calls, newest first',
    description:
      'Test calls and inbound ones too. `ending` is what the end of a call means to its workflow, `endedReason` the platform’s own word.',
    query: ListCalls,
    item: CallView,
    items: 'calls',
    isCounted: true,
    subjectOf: ({ patient }) => patient.id,
    async read(
      { caller: { clinicId }, query: { limit, cursor, total, order, recoveryCaseId: caseId, from, until, ...query } },
      { stores },
    ) {
      const span = await spanOf(stores, clinicId, { from, until });
      const filter = { ...query, ...span, caseId };
      const page = await countedPage(stores.callRecords, { clinicId, filter, page: { order, limit, cursor }, total });
      return mapPage(page, toCall);
    },
  }),
  routes.get('/calls/:callId', {
    patientData: { action: 'call.read' },
    summary: 'One call with its tool calls, their results, its summary and what the platform handed over of it',
    description: '`evidence` is null until the platform has handed something over, and once it has been deleted.',
    responses: { 200: { description: 'The call', schema: CallWithEvidence }, 404: { description: 'No such call' } },
    async handle({ caller: { clinicId }, params: { callId } }, { stores }) {
      const call = await stores.callRecords.find(clinicId, callId);
      if (!call) throw new AppError('not_found', `Call ${callId} not found`);
      const { items } = await stores.audit.list(clinicId, { actor: `call:${callId}`, limit: MAX_REQUESTS });
      const ehrRequests = items.flatMap(toEhrRequest).toReversed();
      return { body: { ...toCallDetail(call), evidence: evidenceOf(call), ehrRequests }, subjects: [call.patient.id] };
    },
  }),
  routes.get('/patients/:patientId/call-decisions', {
    right: 'patients.read',
    patientData: { action: 'patient.decisions', asksFor: ofPatientPath },
    summary: 'Why a patient was called, or was not, whatever it was about; newest first',
    description: 'Each decision names its rule, and until when it waits.',
    query: ListPatientDecisions,
    responses: {
      200: { description: 'A page of decisions', schema: pageOf(PatientDecisionView) },
      404: { description: 'No such patient' },
    },
    async handle({ caller: { clinicId }, params: { patientId }, query }, { stores }) {
      if (!(await stores.patients.exists(clinicId, patientId))) {
        throw new AppError('not_found', `Patient ${patientId} not found`);
      }
      return {
        body: mapPage(await stores.callRecords.decisions(clinicId, { ...query, patientId }), toPatientDecision),
      };
    },
  }),
];

const MAX_REQUESTS = 200;
const Outbound = z.object({
  method: z.string(),
  pathTemplate: z.string(),
  status: z.int().nullable(),
  durationMs: z.int(),
});

/** A request to the clinic's own system as it stands in the audit, which never holds an id or a name of a patient. */
function toEhrRequest({ action, at, detail }: AuditEntryRecord): CallWithEvidence['ehrRequests'] {
  const [, about] = /^outbound\.(.+)$/.exec(action) ?? [];
  const asked = Outbound.safeParse(detail).data;
  if (about === undefined || !asked) return [];
  const { method, pathTemplate: path, status, durationMs: milliseconds } = asked;
  return [{ at: at.toISOString(), action: about, method, path, status, milliseconds }];
}

const toPatientDecision = (record: PatientDecision): PatientDecisionView => ({
  ...toDecision(record),
  workflowId: record.workflowId,
  workflowType: WorkflowTypeName.parse(record.run.workflowType),
  callId: record.callId,
});

export function toCall(call: CallWithPatient): CallView {
  const { id, platformCallId, workflowType, workflowId, caseId, patient, phone, isTest, attempt } = call;
  return {
    id,
    platformCallId,
    workflowType: WorkflowTypeName.nullable().parse(workflowType),
    workflowId,
    recoveryCaseId: caseId,
    formName: call.case?.formName ?? null,
    patient: { id: patient.id, firstName: patient.firstName, lastName: patient.lastName },
    phone,
    isTest,
    isSimulated: call.run?.isSimulated ?? false,
    attempt,
    direction: call.direction === 'inbound' ? 'inbound' : 'outbound',
    state: CallState.parse(call.state),
    endedReason: call.endedReason,
    ending: endingOf(call),
    summary: call.summary,
    createdAt: call.createdAt.toISOString(),
    startedAt: call.startedAt?.toISOString() ?? null,
    endedAt: call.endedAt?.toISOString() ?? null,
  };
}

/** As the call's workflow decides it; null while the call goes on. */
function endingOf({ state, endedReason, said, earlierReasons }: CallWithPatient): CallEnding | null {
  return state === 'ENDED' ? endingOfCall({ said, endedReason, earlierReasons }) : null;
}

export function toCallDetail(call: CallWithTools): CallDetail {
  const tools = call.toolCalls.map(({ toolCallId, family, tool, arguments: args, reply, ...about }) => ({
    toolCallId,
    family,
    tool,
    arguments: args,
    result: readReply(reply),
    success: about.isSuccess,
    startedAt: about.startedAt.toISOString(),
    completedAt: about.completedAt?.toISOString() ?? null,
  }));
  return { ...toCall(call), tools, whyNow: call.decisions.map(toDecision) };
}

function evidenceOf({ evidence, costUsd, durationSeconds }: CallWithEvidenceRecord): CallWithEvidence['evidence'] {
  if (evidence === null) return null;
  const { transcript, recordingUrl, success } = evidence;
  return { transcript, recordingUrl, costUsd, durationSeconds, success };
}

/** A reply is kept as it was spoken: JSON, or a sentence. */
function readReply(reply: string | null): unknown {
  if (reply === null) return null;
  try {
    return JSON.parse(reply);
  } catch {
    return reply;
  }
}
