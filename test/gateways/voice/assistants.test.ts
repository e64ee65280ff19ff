import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formOf, subjectOf } from '@clinic/activities/call-subject';
import { changedLines, differencesOf } from '@clinic/gateways/voice/assistants/differences';
import { readPrompts } from '@clinic/gateways/voice/assistants/prompts';
import { offeredTools } from '@clinic/api/tools/definitions';
import { VoiceSettings } from '@clinic/shared/contracts/voice/voice';
import type { ClinicCalendar } from '@clinic/gateways/calendar/clinic-calendar';
import { type WorkflowType, workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { sha256Hex } from '@clinic/shared/crypto';
import { assistantOf } from '@clinic/gateways/voice/vapi/assistant';
import { createCallBody } from '@clinic/gateways/voice/vapi/call-body';
import { clinicVoice } from '@clinic/gateways/voice/clinic-voice';

const folder = join(__dirname, '../../../gateways/voice/assistants');
const namesIn = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
];

/** As gateways/voice/assistants/README.md lists them. */
const documented = namesIn(
  readFileSync(join(folder, 'README.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|')[1] ?? '')
    .join('\n'),
  /`(\w+)`/g,
);

test('a call has the variables that are documented, and no others', () => {
  const at = '2026-11-24T19:30:00.000Z';
  const context = {
    appointment: { appointmentId: 'a', providerName: 'Dr. Rao', startsAt: at, visitType: 'Annual physical' },
    payment: { paymentId: 'p', amountCents: 100, currency: 'USD', failureReason: 'card_declined' },
    prescription: { prescriptionId: 'r', medicationName: 'x', status: 'ready', previousStatus: 'delayed' },
    followUp: { dueBy: at, note: 'blood pressure' },
  };
  const form = {
    formName: 'Intake',
    lastPageReached: 1,
    totalPages: 2,
    completionPercentage: 50,
    abandonedAtCheckout: true,
    selectedProducts: [{ productName: 'Consultation', unitPrice: 49 }],
  };
  const kept = VoiceSettings.parse({ apiKey: 'k', phoneNumberId: 'n', recording: { isOn: true, isDisclosed: true } });
  const variables = { apiKey: 'KEY', assistantId: 'ASSISTANT', phoneNumberId: 'NUMBER' };
  const operator = { apiKey: null, assistantId: 'a', phoneNumberId: null, secret: 's', variables };
  const call = {
    callId: 'c',
    clinicId: 'k',
    workflowType: 'payment-recovery' as const,
    phone: '+15005550001',
    attempt: 1,
    firstName: 'Zoë',
    language: 'es' as const,
    clinicName: 'Hill Clinic',
    clinicZone: 'America/Denver',
    now: at,
    opening: 'Hello.',
    subject: { ...subjectOf(context, 'America/Denver', at), ...formOf(form) },
    serverUrl: 'https://x.example',
  };

  const { assistantOverrides } = createCallBody(call, clinicVoice({ ...kept, number: '+15005550100' }, operator, 's'));

  expect(assistantOverrides.variableValues).toMatchObject({
    today: 'Tuesday, November 24, 2026',
    todayDate: '2026-11-24',
    timeNow: '12:30 PM',
  });
  expect(new Set(Object.keys(assistantOverrides.variableValues))).toEqual(new Set(documented));
});

const calendars: [string, ClinicCalendar][] = [
  ['its own calendar', { kind: 'own', holdsTimes: true, booksFollowUps: true }],
  ['an EHR', { kind: 'ehr', holdsTimes: false, booksFollowUps: false }],
  ['no calendar', { kind: 'none', holdsTimes: false, booksFollowUps: false }],
];
const everyPrompt = workflowTypeNames.flatMap((type) =>
  calendars.map(([what, calendar]): [WorkflowType, string, ClinicCalendar] => [type, what, calendar]),
);
const NOT_HAD = /^In this clinic you do not have (.*?)\. /m;

test.each(everyPrompt)(
  'the prompt of %s over %s uses documented variables and tools that work',
  async (type, _what, calendar) => {
    const tools = offeredTools(type, calendar).map(({ name }) => name);
    const missing = offeredTools(type, calendars[0]![1])
      .map(({ name }) => name)
      .filter((name) => !tools.includes(name));
    const prompt = (await readPrompts(folder))(type, missing);
    const notHad = NOT_HAD.exec(prompt)?.[1]?.split(', ') ?? [];
    const variables = [...namesIn(prompt, /\{\{\s*(\w+)\s*\}\}/g), ...namesIn(prompt, /\{% if (\w+)/g)];
    const fields = [
      'missingFields',
      'self_pay_continue',
      'escalateToClinicalTeam',
      'requestExternalRecords',
      'medicationNote',
      'leavesList',
    ];

    expect(variables.filter((name) => !documented.includes(name))).toEqual([]);
    const unknown = namesIn(prompt, /`(\w+)`/g).filter((name) => !tools.includes(name) && !fields.includes(name));
    expect(new Set(unknown)).toEqual(new Set(notHad));
    expect(prompt.includes('verify_patient')).toBe(tools.includes('verify_patient'));
    if (missing.includes('verify_patient'))
      expect(namesIn(prompt, /\{\{\s*(\w+)\s*\}\}/g)).not.toContain('appointmentTime');

    expect(prompt.split('{% if').length).toBe(prompt.split('{% endif %}').length);
    expect(prompt).toContain('record_do_not_call');
  },
);

describe('an assistant that is made', () => {
  const kept = VoiceSettings.parse({ apiKey: 'k', phoneNumberId: 'n' });
  const variables = { apiKey: 'KEY', assistantId: 'ASSISTANT', phoneNumberId: 'NUMBER' };
  const operator = { apiKey: null, assistantId: 'a', phoneNumberId: null, secret: 's', variables };
  const { style } = clinicVoice({ ...kept, number: '+15005550100' }, operator, 's');
  const named = (clinicName: string, workflowType: WorkflowType) => {
    if (style === null) throw new Error('a clinic with settings has a style');
    const about = { clinicId: 'clinic-1', clinicName, workflowType, prompt: 'Be kind.', tools: [], style };
    return assistantOf({ ...about, credentialId: 'credential-1' }, 'https://us.example');
  };

  test.each<[string, WorkflowType, string]>([
    ['Harbor', 'payment-recovery', 'Harbor, payment-recovery'],
    ['Harbor Clinic at Hills', 'payment-recovery', 'Harbor Clinic at Hills, payment-recovery'],
    ['Harbor Clinic at Hills 2', 'payment-recovery', 'Harbor Clinic at Hills, payment-recovery'],
    ['Harbor Clinic at Hillside', 'payment-recovery', 'Harbor Clinic at Hills, payment-recovery'],
    ['Harbor Clinic at Hills', 'waitlist-offer', 'Harbor Clinic at Hills, waitlist-offer'],
    ['Harbor Clinic at Hills', 'prescription-follow-up', 'Harbor Clinic at, prescription-follow-up'],
    ['Harbor Clinic in A', 'prescription-follow-up', 'Harbor Clinic in, prescription-follow-up'],
    ['Harbor Clinics A', 'prescription-follow-up', 'Harbor Clinics A, prescription-follow-up'],
    ['Harbor Clinical A', 'prescription-follow-up', 'Harbor Clinical, prescription-follow-up'],
  ])('for %s and %s is named %s, in forty characters', (clinicName, type, name) => {
    expect(named(clinicName, type).name).toBe(name);
    expect(name.length).toBeLessThanOrEqual(40);
  });

  test('says who made it for whom, and from which prompt', () => {
    expect(named('Harbor', 'payment-recovery')).toMatchObject({
      metadata: {
        madeBy: 'clinic-workflows',
        clinicId: 'clinic-1',
        workflowType: 'payment-recovery',
        model: 'gpt-4.1',
        prompt: sha256Hex('Be kind.'),
      },
      model: { messages: [{ role: 'system', content: 'Be kind.' }], tools: [{ type: 'endCall' }] },
      server: { credentialId: 'credential-1', url: 'https://us.example/api/voice/events' },
    });
  });
});

test('a folder without one of the prompts is refused by the name of the file', async () => {
  await expect(readPrompts(__dirname)).rejects.toThrow(/every-call\.md is missing/);
});

describe('what differs', () => {
  test('is what is wanted and not so; what the platform has beside it is none', () => {
    const found = { a: 1, tools: [{ name: 'x', id: 'made' }], server: { url: 'u', extra: true }, other: 'kept' };

    expect(
      differencesOf(found, { a: 1, tools: [{ name: 'x' }], server: { url: 'u' }, gone: null, unset: undefined }),
    ).toEqual([]);
    expect(differencesOf(found, { a: 2, tools: [], server: { url: 'v' } })).toEqual([
      '  a: 1 → 2',
      '  tools: 1 entries → 0 entries',
      '  server.url: "u" → "v"',
    ]);
    expect(differencesOf(undefined, { a: { b: 1 } })).toEqual(['  : none → {"a":{"b":1}}']);
  });

  test('of a text are the lines that go and come', () => {
    expect(changedLines(['a', 'b', 'c'], ['a', 'x', 'c', 'd'])).toEqual(['- b', '+ x', '+ d']);
    expect(differencesOf({ text: 'a\nb' }, { text: 'a\nc' })).toEqual(['  text:', '    - b', '    + c']);
  });
});
