import { randomUUID } from 'node:crypto';
import { scenes } from '@clinic/shared/domain/voice/scenes';

/** The simulator's numbers, by what their owners do (docs/contract.md, 5). */
export const phones = {
  agrees: scenes.agrees.phone,
  wantsCallback: scenes['wants-callback'].phone,
  findsItExpensive: scenes['finds-it-expensive'].phone,
  asksClinicalQuestion: scenes['asks-clinical-question'].phone,
  declines: scenes.declines.phone,
  neverAnswers: scenes['never-answers'].phone,
  answersSecondTime: scenes['answers-second-time'].phone,
  hangsUp: scenes['hangs-up'].phone,
  refusedTwice: scenes['platform-refuses'].phone,
};

let lastPhone = 0;

/** Where it is day at this hour, so that a real phone there may be called: San Francisco, Tokyo or London. */
const daytimeArea = (): string => {
  const hour = new Date().getUTCHours();
  if (hour >= 16 || hour < 3) return '+1415555';
  return hour < 10 ? '+8135550' : '+44207946';
};

/** A number nobody else has; its owner is awake, answers and agrees. */
export const aPhone = (): string => `${daytimeArea()}${String((lastPhone += 1)).padStart(4, '0')}`;

export const aSession = (): string => `session-${randomUUID()}`;

export interface Form {
  sessionId?: string;
  phone?: string | null;
  firstName?: string;
  lastName?: string;
  email?: string;
  /** Replaces or adds fields of `data`. */
  data?: Record<string, unknown>;
}

/** The body of `forms-abandoned`, as the contract shows it. */
export function anAbandonedForm({ sessionId = aSession(), phone = phones.agrees, data, ...person }: Form = {}) {
  return {
    event: 'forms.abandoned',
    tenant_id: 'tenant-1',
    sent_at: '2026-11-20T10:05:00.000Z',
    data: {
      session_id: sessionId,
      form_id: 'intake',
      form_name: 'New patient intake',
      last_page_reached: 3,
      total_pages: 7,
      completion_percentage: 42.5,
      last_activity_at: '2026-11-20T10:00:00Z',
      draft_age_hours: 2.5,
      abandoned_at: '2026-11-20T10:00:00Z',
      abandoned_at_checkout: false,
      resume_url: 'https://forms.example/resume/1',
      partial_form_data: {
        phi_first_name: person.firstName ?? 'Ann',
        phi_last_name: person.lastName ?? 'Lee',
        phi_email: person.email ?? 'ann@example.com',
        ...(phone !== null && { phi_phone: phone }),
        selectedProducts: [{ productName: 'Annual physical', unitPrice: 120 }],
      },
      ...data,
    },
  };
}

export const aCompletedForm = (sessionId: string) => ({
  event: 'forms.completed',
  tenant_id: 'tenant-1',
  data: { session_id: sessionId },
});

/** The body of `POST /workflows/start`. */
export function aStart({
  clinicId,
  sessionId = aSession(),
  phone = phones.agrees,
}: {
  clinicId: string;
  sessionId?: string;
  phone?: string;
}) {
  return {
    workflowType: 'abandonment-recovery',
    clinicId,
    patient: { firstName: 'Ann', lastName: 'Lee', phone },
    context: { sessionId, resumeUrl: 'https://forms.example/resume/1' },
  };
}

export interface ToolCall {
  id?: string;
  arguments?: unknown;
}

/** The envelope of the contract, with a pointer to its call as the voice platform sends it. */
export function anEnvelope(callId: string | null, calls: ToolCall[]) {
  return {
    message: {
      ...(callId !== null && { call: { id: callId } }),
      toolCalls: calls.map((call) => ({
        id: call.id ?? randomUUID(),
        function: { arguments: call.arguments ?? {} },
      })),
    },
  };
}
