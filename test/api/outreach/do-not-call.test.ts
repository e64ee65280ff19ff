import { setTimeout as delay } from 'node:timers/promises';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { type App, startApp } from '../../support/app';
import { aPhone, aSession, aStart } from '../../support/builders';
import { eventually } from '../../support/eventually';
import { aPatientEvent } from '../../support/patient-events';
import { giveUp, type LiveCall, startVoicePlatform, type VoicePlatform } from '../../support/live-call';

let platform: VoicePlatform;
let app: App;
let admin: string;

beforeAll(async () => {
  platform = await startVoicePlatform();
  app = await startApp({ env: platform.env });
  await app.database.sql`update clinics set voice_provider = 'vapi'`;
  admin = await app.admin();
}, 240_000);
afterAll(async () => {
  await app.stop();
  await platform.close();
});

const optOuts = async (phone: string) =>
  (await app.request('GET', `/integrations/opt-outs?phone=${encodeURIComponent(phone)}`, { bearer: admin })).body.items;
const tasksOf = (call: LiveCall) =>
  app.database.prisma.staffTask.findMany({ where: { clinicId: app.clinic.clinicId, workflowId: call.workflowId } });
const report = (call: LiveCall, more: Record<string, unknown>) =>
  app.voiceEvent({
    type: 'end-of-call-report',
    endedReason: 'customer-ended-call',
    call: { id: call.id, assistantOverrides: { metadata: { callId: call.callId } } },
    ...more,
  });

describe('said to the agent', () => {
  test('it is an opt-out before the tool has replied, and the case ends as refused, with no task to call back', async () => {
    const call = await platform.ring(app);
    await call.says('in-progress');

    const reply = await app.tool('calling-tools/record_do_not_call', call.id, {});

    expect(reply).toMatchObject({ success: true, say: expect.any(String) });
    expect(await optOuts(call.phone)).toMatchObject([
      { phone: call.phone, scope: 'all', source: 'tool', addedBy: `call:${call.callId}` },
    ]);
    await call.ends('customer-ended-call');
    expect(await app.ended(call.workflowId)).toMatchObject({ outcome: 'PATIENT_NOT_INTERESTED' });
    expect(await tasksOf(call)).toEqual([]);
  });

  test('a scope is kept, and only widens', async () => {
    const call = await platform.ring(app);
    await call.says('in-progress');
    const tool = (args: object) => app.tool('calling-tools/record_do_not_call', call.id, args);

    await tool({ scope: 'recovery_and_reminders' });
    const narrow = await optOuts(call.phone);
    await tool({ scope: 'all' });
    const wide = await optOuts(call.phone);
    await tool({ scope: 'recovery_and_reminders' });

    expect(narrow).toMatchObject([{ scope: 'recovery_and_reminders' }]);
    expect(wide).toMatchObject([{ scope: 'all' }]);
    expect(await optOuts(call.phone)).toEqual(wide);
    expect(await tool({ scope: 'some' })).toMatchObject({ success: false });
  });

  test('another run that waits to call the same phone ends at once', async () => {
    const phone = aPhone();
    const call = await platform.ring(app, { phone });
    await call.says('in-progress');
    const second = await app.abandon({ sessionId: aSession(), phone });
    await eventually(() => app.stores.runs.find(app.clinic.clinicId, second.body.workflowId));

    await app.tool('calling-tools/record_do_not_call', call.id, {});

    expect(await app.ended(second.body.workflowId)).toMatchObject({ outcome: 'PATIENT_NOT_INTERESTED' });
    expect(platform.ringsOf(phone)).toBe(1);
  });

  test('every assistant has the tool', async () => {
    for (const assistant of workflowTypeNames) {
      const { body } = await app.request('GET', `/voice/tools?assistant=${assistant}`, { bearer: admin });
      const names = body.tools.map((tool: { function: { name: string } }) => tool.function.name);
      expect(names).toContain('record_do_not_call');
    }
  });
});

describe('a number with the zero that is dialled within a country', () => {
  const [withZero, asDialled] = ['+4407911120456', '+447911120456'];
  const cases: [entrance: string, tell: () => Promise<{ body: { workflowId: string } }>][] = [
    ['a start', () => app.start(aStart({ clinicId: app.clinic.clinicId, sessionId: aSession(), phone: withZero }))],
    ['a form', () => app.abandon({ sessionId: aSession(), phone: withZero })],
    ['an event', () => app.inbound('payment-failed', aPatientEvent('payment-failed', { phone: withZero }))],
  ];

  test.each(cases)('is the one that opted out: %s calls nobody', async (_entrance, tell) => {
    await app.request('POST', '/integrations/opt-outs', { bearer: admin, body: { phone: asDialled } });

    const { workflowId } = (await tell()).body;

    expect((await app.ended(workflowId)).outcome).toMatch(/^PATIENT_NOT_(INTERESTED|REACHED)$/);
    expect(platform.ringsOf(withZero) + platform.ringsOf(asDialled)).toBe(0);
  });

  test('is put on the list, found there and kept of a patient in one form', async () => {
    const [phone, patient] = ['+44 07911 120457', { firstName: 'Ann', lastName: 'Lee', phone: '+4407911120457' }];
    const added = await app.request('POST', '/integrations/opt-outs', { bearer: admin, body: { phone } });
    const made = await app.request('POST', '/patients', { bearer: admin, body: patient });

    expect([added.body.phone, made.body.phone]).toEqual(['+447911120457', '+447911120457']);
    expect(await optOuts('+4407911120457')).toEqual(await optOuts('+447911120457'));
    expect(await optOuts('+4407911120457')).toHaveLength(1);
  });
});

describe('heard by the analysis', () => {
  test.each([
    ['in the structured data', { analysis: { summary: 'Cross.', structuredData: { doNotCall: true } } }],
    ['as its one word', { analysis: { structuredData: { outcome: 'do_not_call' } } }],
    [
      'in a structured output',
      { artifact: { structuredOutputs: { a1: { name: 'Call', result: { doNotCall: true } } } } },
    ],
    ['as text', { analysis: { structuredData: { doNotCall: ' Yes' } } }],
    [
      'as text, in an output of its own',
      { artifact: { structuredOutputs: { a2: { name: 'doNotCall', result: 'true' } } } },
    ],
    ['in an output of its own', { artifact: { structuredOutputs: { a2: { name: 'doNotCall', result: true } } } }],
  ])('it is an opt-out: %s', async (_where, heard) => {
    const call = await platform.ring(app);
    await call.says('in-progress');

    await report(call, heard);

    expect(await optOuts(call.phone)).toMatchObject([
      { scope: 'all', source: 'analysis', addedBy: `call:${call.callId}` },
    ]);
  });

  test.each([
    ['false', { analysis: { structuredData: { doNotCall: false } } }],
    ['no', { analysis: { structuredData: { doNotCall: 'no' } } }],
    ['something else', { artifact: { structuredOutputs: { a1: { name: 'mood', result: 'do_not_call' } } } }],
    ['unreadable', { artifact: { structuredOutputs: 'none' }, analysis: { structuredData: { doNotCall: 'maybe' } } }],
  ])('and nothing where it is %s', async (_what, heard) => {
    const call = await platform.ring(app);
    await call.says('in-progress');

    expect((await report(call, heard)).status).toBe(200);

    expect(await optOuts(call.phone)).toEqual([]);
  });
});

describe('how a call opens', () => {
  const policyOf = async () => (await app.request('GET', '/integrations/recovery-policy', { bearer: admin })).body;
  const disclose = async (disclosesAutomation: boolean) => {
    const body = { ...(await policyOf()), disclosesAutomation };
    return app.request('PUT', '/integrations/recovery-policy', { bearer: admin, body });
  };
  const audited = async () => {
    const { body } = await app.request('GET', '/audit', { bearer: admin });
    return body.items.map(({ action }: { action: string }) => action).filter((a: string) => a.startsWith('disclosure'));
  };

  test('it says who calls, for which clinic, and that it is automated; a clinic that switches it off is on record', async () => {
    const call = await platform.ring(app);
    const said = (await platform.callTo(call.phone)).assistantOverrides;
    const switchedOff = await disclose(false);
    const silent = await platform.ring(app);
    await disclose(true);

    expect(said).toMatchObject({
      firstMessage: `Hello, this is an automated assistant calling for ${app.clinic.name}.`,
      variableValues: { openingSentence: expect.stringContaining('automated') },
    });
    expect(switchedOff.body).toMatchObject({ disclosesAutomation: false });
    expect((await platform.callTo(silent.phone)).assistantOverrides).not.toHaveProperty('firstMessage');
    expect(await audited()).toEqual(['disclosure.on', 'disclosure.off']);
  });
});

test('opt-outs and pauses that come while dials begin: nothing is dialled once one was acknowledged', async () => {
  const givenUp: Promise<void>[] = [];
  platform.onCall = (call) => void givenUp.push(giveUp(app, call));
  const { otherClinic } = app;
  const policy = { ...(await app.stores.clinics.policy(otherClinic.clinicId)), maxAttempts: 1 };
  await app.stores.clinics.setPolicy(otherClinic.clinicId, policy);
  const adminOfPaused = await app.signIn(otherClinic);
  const clock = async () => {
    const [row] = await app.database.sql<{ at: Date | null }>`select clock_timestamp() as at`;
    return row?.at?.getTime() ?? 0;
  };
  /** What was dialled between two instants; both are rounded to the millisecond. */
  const dialled = async (workflowIds: string[], from: number, until = Infinity) => {
    const calls = await app.database.prisma.call.findMany({ where: { workflowId: { in: workflowIds } } });
    return calls.filter(({ requestedAt }) => {
      const at = requestedAt?.getTime() ?? 0;
      return at > from + 1 && at < until;
    });
  };
  const optOut = async (ms: number) => {
    const phone = aPhone();
    const { workflowId } = (await app.abandon({ phone })).body;
    await delay(ms);
    await app.request('POST', '/integrations/opt-outs', { bearer: admin, body: { phone } });
    const from = await clock();
    await app.ended(workflowId);
    return dialled([workflowId], from);
  };
  const pause = async (ms: number) => {
    const runs = await Promise.all([1, 2, 3].map(() => app.abandon({ phone: aPhone() }, otherClinic)));
    await delay(ms);
    const { body } = await app.request('POST', '/pauses', { bearer: adminOfPaused, body: { reason: 'a test' } });
    const from = await clock();
    // What was begun before arrives.
    await delay(150);
    const until = await clock();
    await app.request('DELETE', `/pauses/${body.id}`, { bearer: adminOfPaused });
    return dialled(
      runs.map(({ body: run }) => run.workflowId),
      from,
      until,
    );
  };

  const late = await Promise.all([
    ...[0, 30, 60, 90, 120, 150].map(optOut),
    (async () => [...(await pause(0)), ...(await pause(50)), ...(await pause(100))])(),
  ]);

  // What rings from here on finds nobody: the service stops.
  platform.onCall = () => undefined;
  await Promise.all(givenUp);
  expect(late.flat()).toEqual([]);
});
