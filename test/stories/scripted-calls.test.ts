import { randomUUID } from 'node:crypto';
import { playCall } from '@clinic/local/demo-call';
import { DATE_OF_BIRTH, type ScriptedCallName, scriptedCalls } from '@clinic/local/scripted-calls';
import { createCaller } from '@clinic/gateways/voice/simulator/caller';
import { perform, type Reply } from '@clinic/gateways/voice/simulator/talk';
import { type App, startApp } from '../support/app';
import { aPhone } from '../support/builders';
import { setSandbox, tasksOf } from '../support/calls';
import { eventually } from '../support/eventually';
import { startVoicePlatform, type VoicePlatform } from '../support/live-call';

let app: App;
let platform: VoicePlatform;

beforeAll(async () => {
  platform = await startVoicePlatform();
  app = await startApp({ env: platform.env });
  await app.database.sql`update clinics set voice_provider = 'vapi'`;
  await app.stores.phoneNumbers.replace(app.clinic.clinicId, [
    { number: '+13035550100', platformId: 'number-denver', assistantId: 'assistant-denver' },
  ]);
  await setSandbox(app, true);
}, 240_000);

afterAll(async () => {
  await app.stop();
  await platform.close();
});

const expected: Record<ScriptedCallName, [string, Reply][]> = {
  'new-patient': [
    ['patient-journey/resolve_patient_identity', { success: true, patientType: 'NEW' }],
    ['patient-journey/update_registration_field', { registrationStatus: 'ACTION_REQUIRED' }],
    ['patient-intake/validate_intake_field', { valid: false }],
    ['patient-intake/validate_intake_field', { valid: true }],
    ['patient-journey/update_registration_field', { registrationStatus: 'COMPLETE', missingFields: [] }],
    ['patient-intake/submit_intake', { success: true }],
    ['patient-journey/submit_insurance_info', { success: false, errorMessage: expect.any(String) }],
    ['patient-journey/submit_insurance_info', { success: true, status: 'VERIFIED' }],
    ['patient-journey/record_self_pay_decision', { success: true }],
    ['patient-journey/escalate_billing', { success: true }],
    ['emr-tools/check_availability', { slots: expect.any(Array) }],
    ['emr-tools/book_appointment', { success: true, status: 'booked' }],
  ],
  cancellation: [
    ['emr-tools/verify_patient', { verified: true }],
    ['emr-tools/get_upcoming_appointment', { found: true, status: 'booked' }],
    ['emr-tools/check_availability', { slots: expect.any(Array) }],
    ['emr-tools/cancel_appointment', { success: true, status: 'cancelled' }],
    ['emr-tools/reschedule_appointment', { success: false, error: 'no appointment on file' }],
    ['emr-tools/document_and_escalate', { success: true }],
  ],
  reschedule: [
    ['emr-tools/verify_patient', { verified: true }],
    ['emr-tools/get_upcoming_appointment', { found: true }],
    ['emr-tools/check_availability', { slots: expect.any(Array) }],
    ['emr-tools/reschedule_appointment', { success: true, status: 'booked' }],
    ['emr-tools/get_upcoming_appointment', { found: true, status: 'booked' }],
  ],
  'care-gap': [
    ['emr-tools/verify_patient', { verified: true }],
    ['emr-tools/get_upcoming_appointment', { found: true }],
    ['emr-tools/check_availability', { slots: expect.any(Array) }],
    ['emr-tools/reschedule_appointment', { success: true, status: 'booked' }],
    ['emr-tools/document_and_escalate', { success: true }],
  ],
};

/** Plays the agent's side of a call on the platform to its end; returns what every tool returned. */
async function play(name: ScriptedCallName, pointer: string): Promise<[string, Reply][]> {
  const turns: [string, Reply][] = [];
  const voiceSecret = String(app.env.VOICE_WEBHOOK_SECRET);
  const caller = createCaller({ baseUrl: app.baseUrl, voiceSecret, call: { id: pointer } });
  await perform(scriptedCalls[name].talk, async (line, index) => {
    const reply = await caller.say(line, index);
    if (line.say === 'tool') turns.push([`${line.family}/${line.tool}`, reply]);
    return reply;
  });
  return turns;
}

const toMatch = (turns: [string, Reply][]) => turns.map(([path, reply]) => [path, expect.objectContaining(reply)]);

test('somebody who rings the clinic becomes a patient with an appointment', async () => {
  const [pointer, from] = [`platform-${randomUUID()}`, aPhone()];
  const { body } = await app.voiceEvent({
    type: 'assistant-request',
    customer: { number: from },
    call: { id: pointer, type: 'inboundPhoneCall', phoneNumberId: 'number-denver' },
  });
  await app.voiceEvent({ type: 'status-update', status: 'in-progress', call: { id: pointer } });

  const turns = await play('new-patient', pointer);

  expect(body.assistantId).toBe('assistant-denver');
  expect(turns).toEqual(toMatch(expected['new-patient']));
  const call = await app.database.prisma.call.findUniqueOrThrow({ where: { platformCallId: pointer } });
  expect(await app.ended(call.workflowId!)).toMatchObject({ status: 'completed', outcome: 'REGISTERED' });
  expect(await app.stores.appointments.nextUpcoming(call.clinicId, call.patientId, new Date())).not.toBeNull();
  expect((await tasksOf(app, { callId: call.id })).map(({ reason }) => reason)).toEqual(['billing_escalation']);
});

test.each([
  ['cancellation', 'cancellation', 'ESCALATED'],
  ['reschedule', 'reschedule', 'REBOOKED'],
  ['care-gap', 'care_gap', 'ESCALATED'],
] as const)(
  'a %s follow-up rings the patient and goes from the first tool to the last',
  async (name, reason, outcome) => {
    const phone = aPhone();
    const person = { firstName: 'Robin', lastName: 'Vale', phone };
    const asClinic = { bearer: app.clinic.apiKey };
    const patient = await app.request('POST', '/patients', {
      ...asClinic,
      body: { ...person, dateOfBirth: DATE_OF_BIRTH },
    });
    const { slots } = (await app.request('GET', '/availability?limit=1', asClinic)).body;
    const { providerName, startsAt } = slots[0];
    await app.request('POST', '/appointments', {
      ...asClinic,
      body: { patientId: patient.body.id, providerName, startsAt },
    });

    const event = await app.request('POST', `/automation/webhook/${app.clinic.clinicId}/patient-follow-up-required`, {
      headers: { 'x-automation-secret': app.clinic.inboundSecrets['patient-follow-up-required'] },
      body: {
        event: 'patient.follow_up_required',
        tenant_id: 'tenant-1',
        data: {
          event_id: `event-${randomUUID()}`,
          follow_up: { reason },
          patient: { phi_first_name: 'Robin', phi_last_name: 'Vale', phi_phone: phone, patient_id: patient.body.id },
        },
      },
    });
    const placed = await platform.callTo(phone);
    // Nobody picks up before the platform has answered the request to ring.
    await eventually(() => app.database.prisma.call.findUnique({ where: { platformCallId: placed.id } }));
    await app.voiceEvent({ type: 'status-update', status: 'in-progress', call: { id: placed.id } });
    const turns = await play(name, placed.id);

    expect(turns).toEqual(toMatch(expected[name]));
    expect(await app.ended(event.body.workflowId)).toMatchObject({ status: 'completed', outcome });
    expect(platform.ringsOf(phone)).toBe(1);
  },
);

test.each(Object.entries(scriptedCalls))(
  'npm run demo -- --scene %s plays it in a test call',
  async (_name, script) => {
    const lines: string[] = [];
    const { voiceSecret, clinic } = { voiceSecret: String(app.env.VOICE_WEBHOOK_SECRET), clinic: app.clinic };

    await playCall({ dev: { baseUrl: app.baseUrl, voiceSecret }, clinic, script, say: (line) => lines.push(line) });

    const replies = lines.filter((line) => line.startsWith('    → '));
    expect(replies.length).toBeGreaterThanOrEqual(5);
    expect(replies.join()).not.toMatch(/went wrong|not recognised|not available/);
  },
);
