import type { PlaceCall } from '@clinic/gateways/voice/port';
import { playOf } from '@clinic/gateways/voice/simulator/scenes';
import { createSimulatorGateway } from '@clinic/gateways/voice/simulator/simulator';
import { type Line, perform, type Reply } from '@clinic/gateways/voice/simulator/talk';
import { type WorkflowType, workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import type { SimulatedCall, SimulatedCalls } from '@clinic/shared/domain/voice/simulated-call';
import { type SceneName, scenes } from '@clinic/shared/domain/voice/scenes';

const PHONE = scenes.agrees.phone;
const slots = [
  { startsAt: '2035-03-05T09:00:00.000Z', providerName: 'Dr.Vega' },
  { startsAt: '2035-03-05T10:00:00.000Z', providerName: 'Dr.Vega' },
];

/** What is said in a call: each tool without its family, and at last how it ended and what the patient said. */
async function played(
  workflowType: WorkflowType,
  scene: SceneName,
  { attempt = 1, answers = {} }: { attempt?: number; answers?: Record<string, Reply | Reply[]> } = {},
) {
  const { isAnswered, talk } = playOf({ phone: scenes[scene].phone, attempt, workflowType });
  const lines: Line[] = [];
  await perform(talk, async (line) => {
    lines.push(line);
    if (line.say === 'end') return {};
    const times = lines.filter((each) => each.say === 'tool' && each.tool === line.tool).length;
    return [answers[line.tool] ?? { success: true, found: true, slots }].flat()[times - 1] ?? {};
  });
  const end = lines.at(-1);
  if (end?.say !== 'end') throw new Error('nobody ends the call');
  const tools = lines.flatMap((line) => (line.say === 'tool' ? [line] : []));
  return { isAnswered, tools, reason: end.reason, said: end.said ?? null };
}

const questions: [SceneName, string[], string][] = [
  ['finds-it-expensive', ['verify_patient', 'document_and_escalate'], 'escalated'],
  ['asks-clinical-question', ['verify_patient', 'document_and_escalate'], 'escalated'],
];
const words: [SceneName, string[], string][] = [
  ['wants-callback', [], 'callback'],
  ['declines', [], 'declined'],
];
const rebooking: [SceneName, string[], string | null][] = [
  ['agrees', ['verify_patient', 'get_upcoming_appointment', 'check_availability', 'reschedule_appointment'], null],
  ...questions,
  ...words,
];
const attendance: typeof rebooking = [
  ['agrees', ['verify_patient', 'get_upcoming_appointment'], 'confirmed'],
  ...questions,
  ...words,
];
/** Of each workflow type which tools the agent uses for a caller, and what that caller has said. */
const calls: Record<WorkflowType, typeof rebooking> = {
  'abandonment-recovery': [
    [
      'agrees',
      [
        'check_recovery_session_status',
        'record_abandonment_barrier',
        'send_resume_link',
        'resolve_recovery_outcome RECOVERED',
      ],
      null,
    ],
    ['wants-callback', ['record_abandonment_barrier', 'resolve_recovery_outcome FOLLOW_UP_REQUIRED'], null],
    ['finds-it-expensive', ['record_abandonment_barrier', 'resolve_recovery_outcome PRICING_ESCALATION'], null],
    ['asks-clinical-question', ['record_abandonment_barrier', 'resolve_recovery_outcome CLINICAL_ESCALATION'], null],
    ['declines', ['record_abandonment_barrier', 'resolve_recovery_outcome PATIENT_NOT_INTERESTED'], null],
  ],
  'new-patient-journey': [
    [
      'agrees',
      [
        'resolve_patient_identity',
        'update_registration_field',
        'update_registration_field',
        'check_availability',
        'book_appointment',
      ],
      'confirmed',
    ],
    ['finds-it-expensive', [], 'escalated'],
    ['asks-clinical-question', [], 'escalated'],
    ...words,
  ],
  'cancellation-follow-up': rebooking,
  'reschedule-follow-up': rebooking,
  'care-gap-follow-up': rebooking,
  'appointment-confirmation': attendance,
  'appointment-reminder': attendance,
  'payment-recovery': [
    ['agrees', ['record_self_pay_decision self_pay_continue'], 'confirmed'],
    ['finds-it-expensive', ['escalate_billing'], 'escalated'],
    ['asks-clinical-question', ['record_self_pay_decision billing_escalation'], 'escalated'],
    ...words,
  ],
  'prescription-follow-up': [['agrees', ['verify_patient'], 'confirmed'], ...questions, ...words],
  'waitlist-offer': [
    ['agrees', ['verify_patient', 'get_waitlist_offer', 'accept_waitlist_offer'], null],
    ...questions,
    ['wants-callback', [], 'callback'],
    ['declines', ['verify_patient', 'get_waitlist_offer', 'decline_waitlist_offer'], 'declined'],
  ],
};

test.each(workflowTypeNames.flatMap((type) => calls[type].map((row) => [type, ...row] as const)))(
  'in a call of %s a patient who plays %s has the agent use %j and has said %s',
  async (type, scene, tools, said) => {
    const call = await played(type, scene);
    const decided = ({ tool, arguments: { recoveryStatus, decision } }: { tool: string; arguments: Reply }) =>
      [tool, recoveryStatus, decision].filter(Boolean).join(' ');

    expect(call).toMatchObject({ isAnswered: true, reason: 'assistant-ended-call', said });
    expect(call.tools.map(decided)).toEqual(tools);
  },
);

test.each(workflowTypeNames)(
  'a patient whom %s calls may say nothing, or answer the second time alone',
  async (type) => {
    const nobody = { isAnswered: false, tools: [], reason: 'customer-did-not-answer', said: null };
    const agreed = await played(type, 'agrees');

    expect(await played(type, 'hangs-up')).toEqual({
      isAnswered: true,
      tools: [],
      reason: 'customer-ended-call',
      said: null,
    });
    expect(await played(type, 'never-answers', { attempt: 3 })).toEqual(nobody);
    expect(await played(type, 'answers-second-time')).toEqual(nobody);
    expect(await played(type, 'answers-second-time', { attempt: 2 })).toMatchObject({
      isAnswered: true,
      reason: agreed.reason,
      said: agreed.said,
    });
  },
);

describe('a patient who needs an appointment', () => {
  const moves = async (answers: Record<string, Reply | Reply[]>) => {
    const { tools, said } = await played('care-gap-follow-up', 'agrees', { answers });
    const tried = tools.filter(({ tool }) => tool === 'reschedule_appointment');
    return [tried.map(({ arguments: { newDateTime } }) => newDateTime), said];
  };
  const [first, second] = slots.map(({ startsAt }) => startsAt);

  test('takes the first time, the next where somebody has just taken it, and the desk’s where there is none', async () => {
    const taken = { success: false, reason: 'slot_taken' };

    expect(await moves({})).toEqual([[first], null]);
    expect(await moves({ reschedule_appointment: [taken, { success: true }] })).toEqual([[first, second], null]);
    expect(await moves({ reschedule_appointment: [taken, taken] })).toEqual([[first, second], 'rebooked']);
    expect(await moves({ check_availability: { slots: [] } })).toEqual([[], 'rebooked']);
    expect(await moves({ get_upcoming_appointment: { found: false } })).toEqual([[], 'rebooked']);
  });

  test('who waits for a time that somebody else got has another one', async () => {
    const late = { accept_waitlist_offer: { success: false } };

    expect((await played('waitlist-offer', 'agrees', { answers: late })).said).toBe('rebooked');
  });
});

test('who registers gives what is missing, and books the first time where there is one', async () => {
  const missing = { missingFields: ['phone', 'lastName', 'commsConsent'] };
  const booked = await played('new-patient-journey', 'agrees', { answers: { update_registration_field: missing } });
  const without = await played('new-patient-journey', 'agrees', { answers: { check_availability: {} } });

  expect(booked.tools.map(({ arguments: args }) => args)).toEqual([
    { statedPhone: PHONE },
    { preferredLocation: 'Main street' },
    { phone: PHONE, lastName: 'Vale', commsConsent: true },
    {},
    { providerName: 'Dr.Vega', scheduledAt: slots[0]?.startsAt, visitType: 'New patient visit' },
  ]);
  expect(without.tools.map(({ tool }) => tool)).not.toContain('book_appointment');
  expect(without.said).toBe('confirmed');
});

describe('the simulated platform', () => {
  const request = (scene: SceneName, earlierFaults = 0): PlaceCall => ({
    callId: 'call-1',
    clinicId: 'clinic-1',
    workflowType: 'care-gap-follow-up',
    phone: scenes[scene].phone,
    attempt: 2,
    earlierFaults,
    firstName: 'Ann',
    language: 'en',
    clinicName: 'Harbor',
    clinicZone: 'America/Denver',
    opening: 'Hello.',
    subject: {},
    serverUrl: 'https://service.example',
  });
  const platform = (given: Partial<SimulatedCalls> = {}) => {
    const started: SimulatedCall[] = [];
    const start = async (call: SimulatedCall) => void started.push(call);
    return { started, gateway: createSimulatorGateway({ start, describe: async () => null, ...given }) };
  };

  test('has placed a call once that plays, and not where it could not be begun', async () => {
    const { started, gateway } = platform();
    const down = platform({ start: () => Promise.reject(new Error('14 UNAVAILABLE')) });

    expect(await gateway.place(request('agrees'))).toEqual({ kind: 'placed', platformCallId: 'sim-call-1' });
    expect(started).toEqual([
      {
        callId: 'call-1',
        clinicId: 'clinic-1',
        platformCallId: 'sim-call-1',
        phone: PHONE,
        attempt: 2,
        workflowType: 'care-gap-follow-up',
        serverUrl: 'https://service.example',
      },
    ]);
    await expect(down.gateway.place(request('agrees'))).rejects.toThrow('UNAVAILABLE');
    // It is known at once of every call whether it was placed.
    expect([gateway.account, gateway.settleMs]).toEqual(['simulator', 0]);
  });

  test('refuses as often as its scene says', async () => {
    const { started, gateway } = platform();
    const kinds: string[] = [];
    for (const faults of [0, 1, 2]) kinds.push((await gateway.place(request('platform-refuses', faults))).kind);

    expect(kinds).toEqual(['refused', 'refused', 'placed']);
    expect(started).toHaveLength(1);
  });

  test.each<['running' | 'over' | null, string | null, object | null]>([
    ['running', 'sim-call-1', { state: 'IN_PROGRESS', endedReason: null }],
    ['over', 'sim-call-1', { state: 'ENDED', endedReason: 'call-lost-platformfault' }],
    [null, null, null],
  ])('shows a call that is %s as %s, %j', async (state, found, shown) => {
    const asked: string[] = [];
    const { gateway } = platform({
      async describe(callId) {
        asked.push(callId);
        return state;
      },
    });

    expect(await gateway.findByIntent('call-1', 1_000)).toBe(found);
    expect(await gateway.lookUp('sim-call-1')).toEqual(shown);
    expect(asked).toEqual(['call-1', 'call-1']);
  });
});
