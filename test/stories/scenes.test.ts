import { aPhone, aSession, aStart, phones } from '../support/builders';
import { type App, startApp } from '../support/app';
import type { Answer } from '../support/clinic-client';
import { eventually } from '../support/eventually';
import { type Receiver, startReceiver } from '../support/outside/receiver';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let app: App;
let receiver: Receiver;

beforeAll(async () => {
  app = await startApp();
  receiver = await startReceiver(() => [app.clinic.outboundSigningSecret]);
  await app.sendEventsTo(receiver.url);
}, 240_000);

afterAll(async () => {
  await app.stop();
  await receiver.close();
});

const scenes = [
  ['answers, says why they stopped, agrees', phones.agrees, 'RECOVERED', 1],
  ['asks for a callback', phones.wantsCallback, 'FOLLOW_UP_REQUIRED', 1],
  ['finds it too expensive', phones.findsItExpensive, 'PRICING_ESCALATION', 1],
  ['has a clinical question', phones.asksClinicalQuestion, 'CLINICAL_ESCALATION', 1],
  ['declines', phones.declines, 'PATIENT_NOT_INTERESTED', 1],
  ['never answers', phones.neverAnswers, 'PATIENT_NOT_REACHED', 3],
  ['answers at the second attempt, agrees', phones.answersSecondTime, 'RECOVERED', 2],
  ['hangs up without an outcome', phones.hangsUp, 'FOLLOW_UP_REQUIRED', 1],
  ['is called by a platform that refuses twice', phones.refusedTwice, 'RECOVERED', 1],
  ['has a number without a scene', '+442071838750', 'RECOVERED', 1],
] as const;

describe('a patient who', () => {
  const played = new Map<string, { sessionId: string; answer: Answer }>();

  beforeAll(async () => {
    for (const [, phone] of scenes) {
      const sessionId = aSession();
      played.set(phone, { sessionId, answer: await app.abandon({ sessionId, phone }) });
    }
  });

  test.each(scenes)('%s', async (_scene, phone, outcome, attempts) => {
    const { sessionId, answer } = played.get(phone) ?? {};
    const { workflowId, recoveryCaseId } = answer?.body ?? {};

    const workflow = await app.ended(workflowId);

    expect(answer?.status).toBe(200);
    expect(answer?.body).toEqual({ accepted: true, duplicate: false, workflowId, recoveryCaseId });
    expect(workflow).toEqual({
      workflowId,
      recoveryCaseId,
      workflowType: 'abandonment-recovery',
      status: 'completed',
      outcome,
      attempts,
      isSimulated: true,
      startedAt: expect.stringMatching(instant),
      completedAt: expect.stringMatching(instant),
    });
    const calls = await app.database.prisma.call.findMany({ where: { workflowId }, orderBy: { createdAt: 'asc' } });
    expect(calls.at(-1)?.rangAt).not.toBeNull();
    expect(calls.some(({ startedAt }) => startedAt !== null)).toBe(phone !== phones.neverAnswers);
    await expectBothEvents({ sessionId: sessionId ?? '', outcome, recoveryCaseId });
  });
});

test('the created event is out before the phone rings', async () => {
  const { body } = await app.abandon();
  await receiver.heard(body.recoveryCaseId, 2);

  const [call] = await app.callsOf(body.workflowId);

  expect(receiver.about(body.recoveryCaseId)[0]?.at).toBeLessThanOrEqual(call?.requestedAt?.getTime() ?? 0);
});

test('one session sent fifty times at once is one case, one patient and one call', async () => {
  const [sessionId, phone] = [aSession(), aPhone()];

  const answers = await Promise.all(Array.from({ length: 50 }, () => app.abandon({ sessionId, phone })));

  const { workflowId, recoveryCaseId } = answers[0]?.body ?? {};
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(answers.filter(({ body }) => !body.duplicate)).toHaveLength(1);
  expect(new Set(answers.map(({ body }) => `${body.workflowId} ${body.recoveryCaseId}`)).size).toBe(1);
  await app.ended(workflowId);
  await expectBothEvents({ sessionId, outcome: 'RECOVERED', recoveryCaseId });
  expect(await counts(sessionId, phone)).toEqual({ cases: 1, runs: 1, patients: 1, calls: 1, events: 2 });
});

test('an event and a REST start of one session, each many times at once, meet in one workflow', async () => {
  const [sessionId, phone] = [aSession(), aPhone()];
  const { clinicId } = app.clinic;

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? app.abandon({ sessionId, phone }) : app.start(aStart({ clinicId, sessionId, phone })),
    ),
  );

  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(new Set(answers.map(({ body }) => body.workflowId)).size).toBe(1);
  const workflow = await app.ended(answers[0]?.body.workflowId);
  await expectBothEvents({ sessionId, outcome: 'RECOVERED', recoveryCaseId: workflow.recoveryCaseId });
  expect(await counts(sessionId, phone)).toEqual({ cases: 1, runs: 1, patients: 1, calls: 1, events: 2 });
});

test('the same session at two clinics is two cases', async () => {
  const sessionId = aSession();

  const [here, there] = await Promise.all([
    app.abandon({ sessionId }),
    app.abandon({ sessionId, phone: null }, app.otherClinic),
  ]);

  expect([here.body.duplicate, there.body.duplicate]).toEqual([false, false]);
  expect(here.body.workflowId).not.toBe(there.body.workflowId);
});

/** Created first, then the outcome, each once, as the contract words them; the receiver has checked the signatures. */
async function expectBothEvents(about: { sessionId: string; recoveryCaseId: string; outcome: string }): Promise<void> {
  const { sessionId, recoveryCaseId, outcome } = about;
  const events = await receiver.heard(recoveryCaseId, 2);
  const envelope = { clinicId: app.clinic.clinicId, sentAt: expect.stringMatching(instant) };
  expect(events.map(({ text }) => JSON.parse(text))).toEqual([
    {
      ...envelope,
      event: 'recovery_case.created',
      data: { recoveryCaseId, sessionId, patientFirstName: 'Ann', patientLastName: 'Lee' },
    },
    { ...envelope, event: 'recovery_case.outcome', data: { recoveryCaseId, sessionId, recoveryStatus: outcome } },
  ]);
  expect(receiver.forged).toEqual([]);
}

async function counts(sessionId: string, phone: string) {
  await eventually(async () => (await openCalls(phone)) === 0);
  const [row] = await app.database.sql`
    select (select count(*)::int from recovery_cases where session_id = ${sessionId}) as cases,
      (select count(*)::int from workflow_runs where session_id = ${sessionId}) as runs,
      (select count(*)::int from patients where phone = ${phone}) as patients,
      (select count(*)::int from calls where phone = ${phone}) as calls,
      (select count(*)::int from outbound_events where data ->> 'sessionId' = ${sessionId}) as events`;
  return row;
}

async function openCalls(phone: string): Promise<number> {
  const calls = await app.database.sql`select 1 from calls where phone = ${phone} and state <> 'ENDED'`;
  return calls.length;
}
