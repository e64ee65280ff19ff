import { emptyMemory } from '@clinic/gateways/calendar/fhir/call-memory';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createMetrics } from '@clinic/api/metrics';
import { createToolRunner } from '@clinic/api/tools/run-tool';
import { type App, startApp } from '../../support/app';
import { anEnvelope, aPhone, aSession } from '../../support/builders';
import { aCall, aPatient, setSandbox, tasksOf } from '../../support/calls';
import { eventually } from '../../support/eventually';

let app: App;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  await setSandbox(app, true);
}, 240_000);

afterAll(() => app.stop());

const aTestCall = async (patientId?: string) => app.openTestCall({ patientId: patientId ?? (await aPatient(app)) });

const post = (tool: string, body: unknown, headers: Record<string, string> = {}) =>
  app.asVoice(`/emr-tools/${tool}`, body, headers);
const resultOf = (text: string): Record<string, unknown> => JSON.parse(JSON.parse(text).results[0].result);

let daysAhead = 7;
/** Open times of Dr. Chen on a day that no other test has touched. */
async function openTimes(callId: string): Promise<string[]> {
  daysAhead += 7;
  const aroundDate = new Date(Date.now() + daysAhead * 86_400_000).toISOString().slice(0, 10);
  const { slots } = await app.tool('emr-tools/check_availability', callId, { providerName: 'Dr.Chen', aroundDate });
  return slots.map(({ startsAt }: { startsAt: string }) => startsAt);
}

const booking = (scheduledAt: string) => ({ providerName: 'Dr.Chen', visitType: 'Follow-up', scheduledAt });
const appointmentsOf = (patientId: string) =>
  app.database.prisma.appointment.findMany({ where: { patientId }, orderBy: { startsAt: 'asc' } });

describe('fifty at once', () => {
  test('of one tool call make one booking and fifty identical replies, and so does a new id afterwards', async () => {
    const patientId = await aPatient(app);
    const callId = await aTestCall(patientId);
    const [time] = await openTimes(callId);
    const envelope = anEnvelope(callId, [{ id: 'tool-call-1', arguments: booking(time!) }]);

    const answers = await Promise.all(Array.from({ length: 50 }, () => post('book_appointment', envelope)));
    const later = await post('book_appointment', envelope);
    const again = await post(
      'book_appointment',
      anEnvelope(callId, [{ id: 'tool-call-2', arguments: booking(time!) }]),
    );

    expect(new Set([...answers, later].map(({ text }) => text)).size).toBe(1);
    expect(resultOf(again.text)).toEqual(resultOf(later.text));
    expect(resultOf(later.text)).toMatchObject({ success: true });
    expect(await appointmentsOf(patientId)).toHaveLength(1);
  });

  test('under fifty ids make one booking, one move and one cancellation', async () => {
    const patientId = await aPatient(app);
    const callId = await aTestCall(patientId);
    const [time, other, second] = await openTimes(callId);
    await app.tool('emr-tools/book_appointment', callId, booking(second!));
    const fifty = (tool: string, args: Record<string, unknown>) =>
      Promise.all(Array.from({ length: 50 }, () => app.tool(`emr-tools/${tool}`, callId, args)));

    const booked = await fifty('book_appointment', booking(time!));
    const moved = await fifty('reschedule_appointment', { newDateTime: other! });
    const cancelled = await fifty('cancel_appointment', {});

    for (const replies of [booked, moved, cancelled]) {
      expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    }
    expect((await appointmentsOf(patientId)).map(({ startsAt, status }) => [startsAt.toISOString(), status])).toEqual([
      [other, 'cancelled'],
      [second, 'booked'],
    ]);
  });

  test('with one id and different arguments do one thing', async () => {
    const patientId = await aPatient(app);
    const callId = await aTestCall(patientId);
    const times = await openTimes(callId);

    const answers = await Promise.all(
      times.map((time) => post('book_appointment', anEnvelope(callId, [{ id: 'same', arguments: booking(time) }]))),
    );

    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await appointmentsOf(patientId)).toHaveLength(1);
  });

  test('from fifty callers give the time to one of them', async () => {
    const calls = await Promise.all(Array.from({ length: 50 }, () => aTestCall()));
    const [time] = await openTimes(calls[0]!);

    const replies = await Promise.all(
      calls.map((each) => app.tool('emr-tools/book_appointment', each, booking(time!))),
    );

    expect(replies.filter(({ success }) => success)).toHaveLength(1);
    expect(replies.filter(({ reason }) => reason === 'slot_taken')).toHaveLength(49);
  });
});

test('a database that comes back within seconds is waited for, and what the agent asked for is done once', async () => {
  const patientId = await aPatient(app);
  const callId = await aTestCall(patientId);
  const [time] = await openTimes(callId);
  // As a server that is starting: not at the claim, then not when the booking has been made.
  await app.database.sql`create sequence tries`;
  await app.database.sql`create function refuse_twice() returns trigger language plpgsql as $$
    begin
      if nextval('tries') in (1, 3) then raise 'the database system is starting up' using errcode = '57P03'; end if;
      return new;
    end $$`;
  await app.database.sql`create trigger refuse_twice before insert or update of reply on tool_calls
    for each row execute function refuse_twice()`;

  const reply = await app.tool('emr-tools/book_appointment', callId, booking(time!));
  const [tries] = await app.database.sql<{ count: string }>`
    select coalesce(last_value, 0) as count from pg_sequences where sequencename = 'tries'`;
  await app.database.sql`drop trigger refuse_twice on tool_calls`;

  expect(reply).toMatchObject({ success: true });
  expect(Number(tries?.count)).toBeGreaterThan(3);
  expect(await appointmentsOf(patientId)).toHaveLength(1);
});

describe('a try that was cut short', () => {
  /** Takes a tool call as a process does that then dies, half a minute ago. */
  async function dyingClaim(callId: string, tool: string, toolCallId: string): Promise<string> {
    const claim = await app.stores.toolCalls.claim({
      clinicId: app.clinic.clinicId,
      callId,
      toolCallId,
      family: 'emr-tools',
      tool,
      arguments: {},
      meaning: randomUUID(),
      rivals: [tool],
    });
    if (claim.kind !== 'claimed') throw new Error('not claimed');
    await app.database.sql`update tool_calls set started_at = now() - interval '31 seconds' where id = ${claim.id}`;
    return claim.id;
  }

  test('after it booked is answered with that booking', async () => {
    const patientId = await aPatient(app);
    const callId = await aTestCall(patientId);
    const [time] = await openTimes(callId);
    const appointmentId = await dyingClaim(callId, 'book_appointment', 'cut-short');
    const { clinicId } = app.clinic;
    const provider = 'Dr.Chen';
    await app.stores.appointments.book({
      clinicId,
      appointmentId,
      patientId,
      provider,
      visitType: 'Follow-up',
      startsAt: time!,
      now: new Date(),
    });

    const reply = await app.tool('emr-tools/book_appointment', callId, booking(time!), 'cut-short');

    expect(reply).toMatchObject({ success: true, appointmentId, scheduledAt: time });
    expect(await appointmentsOf(patientId)).toHaveLength(1);
  });

  test('after it moved or cancelled leaves the next appointment alone', async () => {
    const patientId = await aPatient(app);
    const callId = await aTestCall(patientId);
    const [first, second, third] = await openTimes(callId);
    for (const time of [first!, second!]) await app.tool('emr-tools/book_appointment', callId, booking(time));
    const [earlier, later] = await appointmentsOf(patientId);
    const { clinicId } = app.clinic;

    const moving = await dyingClaim(callId, 'reschedule_appointment', 'moving');
    await app.stores.appointments.reschedule({
      clinicId,
      appointmentId: earlier!.id,
      startsAt: third!,
      now: new Date(),
      change: { key: moving },
    });
    const moved = await app.tool('emr-tools/reschedule_appointment', callId, { newDateTime: third }, 'moving');
    const cancelling = await dyingClaim(callId, 'cancel_appointment', 'cancelling');
    await app.stores.appointments.cancel({ clinicId, appointmentId: later!.id, change: { key: cancelling } });
    const cancelled = await app.tool('emr-tools/cancel_appointment', callId, {}, 'cancelling');

    expect(moved).toMatchObject({ success: true, appointmentId: earlier!.id });
    expect(cancelled).toEqual({ success: true, status: 'cancelled' });
    expect((await appointmentsOf(patientId)).map(({ id, status }) => [id, status])).toEqual([
      [later!.id, 'cancelled'],
      [earlier!.id, 'booked'],
    ]);
  });

  test('after it moved or cancelled leaves what staff have done since as it is', async () => {
    const patientId = await aPatient(app);
    const callId = await aTestCall(patientId);
    const [first, second, third] = await openTimes(callId);
    await app.tool('emr-tools/book_appointment', callId, booking(first!));
    const [{ id: appointmentId } = { id: '' }] = await appointmentsOf(patientId);
    const { clinicId } = app.clinic;
    const { reschedule, cancel } = app.stores.appointments;
    const about = { clinicId, appointmentId, now: new Date() };
    const statusNow = async () => (await app.stores.appointments.find(clinicId, appointmentId))?.status;

    const moving = await dyingClaim(callId, 'reschedule_appointment', 'moving-2');
    await reschedule({ ...about, startsAt: second!, change: { key: moving } });
    await reschedule({ ...about, startsAt: third! });
    const moved = await app.tool('emr-tools/reschedule_appointment', callId, { newDateTime: second }, 'moving-2');
    const time = (await app.stores.appointments.find(clinicId, appointmentId))?.startsAt.toISOString();
    const cancelling = await dyingClaim(callId, 'cancel_appointment', 'cancelling-2');
    await cancel({ clinicId, appointmentId, change: { key: cancelling } });
    await app.stores.visits.restore(about);
    const cancelled = await app.tool('emr-tools/cancel_appointment', callId, {}, 'cancelling-2');

    expect(moved).toMatchObject({ success: true, appointmentId, scheduledAt: second });
    expect(time).toBe(third);
    expect(cancelled).toEqual({ success: true, status: 'cancelled' });
    expect(await statusNow()).toBe('booked');
  });

  test('is answered again at once after a failure of ours', async () => {
    const callId = await aTestCall();
    const [time] = await openTimes(callId);
    const reply = () => app.tool('emr-tools/book_appointment', callId, booking(time!), 'failing');

    await app.database.sql`alter table appointments rename to appointments_away`;
    const failed = await reply();
    await app.database.sql`alter table appointments_away rename to appointments`;
    const claims = await app.database.sql`select reply, claimed_until from tool_calls where tool_call_id = 'failing'`;
    const triedAgainAt = Date.now();
    const retried = await reply();

    // Nobody waits for the claim of the first try to end.
    expect(claims).toEqual([{ reply: null, claimed_until: null }]);
    expect(Date.now() - triedAgainAt).toBeLessThan(10_000);
    expect(failed).toEqual({ success: false, error: expect.stringContaining('went wrong') });
    expect(retried).toMatchObject({ success: true });
    const metrics = await (await fetch(new URL('/metrics', app.baseUrl))).text();
    expect(metrics).toMatch(
      /tool_call_duration_seconds_count\{[^}]*tool="book_appointment",result="failed"[^}]*\} [1-9]/,
    );
  });
});

describe('nothing in a body chooses whose data is touched', () => {
  let mine: string;
  let theirs: string;
  let forged: Record<string, string>;

  beforeAll(async () => {
    const [me, them] = await Promise.all([aPatient(app), aPatient(app, { clinicId: app.otherClinic.clinicId })]);
    const neighbour = await aPatient(app);
    const other = await aTestCall(neighbour);
    const [time] = await openTimes(other);
    await app.tool('emr-tools/book_appointment', other, booking(time!));
    const { pointer } = await aCall(app, { workflowType: 'care-gap-follow-up', patientId: me });
    [mine, theirs] = [pointer, other];
    const ids = { clinicId: app.otherClinic.clinicId, patientId: neighbour, recoveryCaseId: them };
    forged = { ...ids, callId: other, workflowId: randomUUID() };
  });

  const auditOf = async () => {
    const { items } = await app.stores.audit.list(app.clinic.clinicId, { action: 'tool-call.contradiction', limit: 1 });
    return items[0];
  };
  const entry = (more: Record<string, unknown> = {}) => [{ id: randomUUID(), function: { arguments: {} }, ...more }];

  const places: [string, (own: string) => Record<string, unknown>, RegExp][] = [
    ['the body', (id) => ({ ...forged, message: { call: { id }, toolCalls: entry() } }), /^body\.clinicId$/],
    ['the message', (id) => ({ message: { ...forged, call: { id }, toolCalls: entry() } }), /^message\.patientId$/],
    [
      'metadata of the message',
      (id) => ({ message: { metadata: forged, call: { id }, toolCalls: entry() } }),
      /^message\.metadata\.clinicId$/,
    ],
    [
      'metadata of the call',
      (id) => ({ message: { call: { id, metadata: forged }, toolCalls: entry() } }),
      /^call\.metadata\.callId$/,
    ],
    [
      'metadata of the overrides',
      (id) => ({ message: { call: { id, assistantOverrides: { metadata: forged } }, toolCalls: entry() } }),
      /^call\.assistantOverrides\.metadata\.patientId$/,
    ],
    [
      'metadata of the assistant in the call',
      (id) => ({ message: { call: { id, assistant: { metadata: forged } }, toolCalls: entry() } }),
      /^call\.assistant\.metadata\.recoveryCaseId$/,
    ],
    [
      'metadata of the assistant',
      (id) => ({ message: { call: { id }, assistant: { metadata: forged }, toolCalls: entry() } }),
      /^assistant\.metadata\.workflowId$/,
    ],
    [
      'the number of the caller',
      (id) => ({ message: { call: { id }, customer: { number: aPhone() }, toolCalls: entry() } }),
      /^customer\.number$/,
    ],
    [
      'the number in the call',
      (id) => ({ message: { call: { id, customer: { number: aPhone() } }, toolCalls: entry() } }),
      /^call\.customer\.number$/,
    ],
    [
      'the arguments',
      (id) => ({ message: { call: { id }, toolCalls: entry({ function: { arguments: forged } }) } }),
      /^arguments\.patientId$/,
    ],
    [
      'arguments as a string',
      (id) => ({ message: { call: { id }, toolCallList: entry({ function: { arguments: JSON.stringify(forged) } }) } }),
      /^arguments\.clinicId$/,
    ],
  ];

  test.each(places)('%s', async (_place, body, field) => {
    const { text } = await post('get_upcoming_appointment', body(mine));

    expect(resultOf(text)).toEqual({ found: false });
    const { subject, actor, detail } = (await auditOf())!;
    const { fields } = detail as { fields: string[] };
    expect(actor).toBe(`call:${subject}`);
    expect(fields).toContainEqual(expect.stringMatching(field));
    expect(JSON.stringify(detail)).not.toContain(forged.patientId);
  });

  test('neither does a header beside the pointer in the body, nor our own id of a call', async () => {
    const body = { message: { call: { id: mine }, toolCalls: entry() } };
    const withHeader = await post('get_upcoming_appointment', body, { 'x-call-id': theirs });
    const { callId } = await aCall(app, { workflowType: 'care-gap-follow-up', patientId: await aPatient(app) });

    const byOwnId = await post('get_upcoming_appointment', anEnvelope(callId, [{}]));

    expect(resultOf(withHeader.text)).toEqual({ found: false });
    expect(resultOf(byOwnId.text)).toEqual({ success: false, error: 'call not recognised' });
  });

  test('no tool runs while a contradiction cannot be noted', async () => {
    const { callId, pointer } = await aCall(app, {
      workflowType: 'care-gap-follow-up',
      patientId: await aPatient(app),
    });
    const body = { message: { ...forged, call: { id: pointer }, toolCalls: entry() } };
    await app.database.sql`alter table audit_entries rename to audit_entries_away`;
    const failed = await post('get_upcoming_appointment', body);
    await app.database.sql`alter table audit_entries_away rename to audit_entries`;

    expect(failed.status).toBeGreaterThanOrEqual(500);
    expect(await app.stores.toolCalls.ofCall(app.clinic.clinicId, callId)).toEqual([]);
  });

  test('what agrees with the record leaves no trace', async () => {
    const { callId, pointer } = await aCall(app, {
      workflowType: 'care-gap-follow-up',
      patientId: await aPatient(app),
    });
    const { clinicId } = app.clinic;
    const call = { id: pointer, metadata: { callId, clinicId }, assistantOverrides: { metadata: { callId } } };

    await post('get_upcoming_appointment', { message: { call, toolCalls: entry() } });

    const { items } = await app.stores.audit.list(clinicId, { subject: callId, limit: 10 });
    expect(items).toEqual([]);
  });
});

describe('the workflow of a call', () => {
  test('hears what its tools made true, in order, once, without a word about the patient', async () => {
    const start = {
      workflowType: 'reschedule-follow-up',
      clinicId: app.clinic.clinicId,
      context: { sessionId: aSession() },
      patient: { firstName: 'Ann', lastName: 'Lee', phone: aPhone() },
    };
    const { workflowId } = (await app.start(start)).body;
    const patientId = await aPatient(app);
    const { callId, pointer } = await aCall(app, { workflowType: 'reschedule-follow-up', patientId, workflowId });
    const [time, other] = await openTimes(await aTestCall());
    const { clinicId } = app.clinic;
    const provider = 'Dr.Chen';
    const booked = await app.stores.appointments.book({
      clinicId,
      patientId,
      provider,
      visitType: 'x',
      startsAt: time!,
      now: new Date(),
    });

    await app.tool('emr-tools/get_upcoming_appointment', pointer);
    for (const id of ['one', 'two', 'one']) {
      await app.tool('emr-tools/reschedule_appointment', pointer, { newDateTime: other }, id);
    }
    await app.tool('emr-tools/document_and_escalate', pointer, { escalationReason: 'Wants a nurse' });
    await app.tool('emr-tools/cancel_appointment', pointer);
    await app.tool('emr-tools/cancel_appointment', pointer, {}, 'refused: nothing left');

    const messages = await app.database.prisma.workflowMessage.findMany({
      where: { workflowId, signal: 'toolUsed' },
      orderBy: { createdAt: 'asc' },
    });
    const appointmentId = booked.kind === 'booked' ? booked.appointment.id : '';
    expect(messages.map(({ payload }) => payload)).toEqual([
      { callId, tool: 'reschedule_appointment', fact: 'rescheduled', detail: { appointmentId, startsAt: other } },
      { callId, tool: 'document_and_escalate', fact: 'escalated' },
      { callId, tool: 'cancel_appointment', fact: 'cancelled', detail: { appointmentId } },
    ]);
  });
});

describe('the deadline', () => {
  test('is the same for every call of a request; the work goes on, in order, and is answered when asked again', async () => {
    let isApiSlow = true;
    const metrics = createMetrics();
    const runner = createToolRunner({
      stores: app.stores,
      systems: {
        approvedApi: async () => {
          while (isApiSlow) await delay(10);
          return null;
        },
        approvedApiWith: () => {
          throw new Error('nothing is checked here');
        },
        crm: async () => null,
        callMemory: emptyMemory,
        identityProviders: null as never,
      },
      temporal: { tell: () => undefined } as never,
      metrics,
      deadlineMs: 150,
    });
    const call = (await app.stores.calls.live(await aTestCall()))!;
    const from = { requestId: 'a-request', address: '192.0.2.1', log: { error: () => undefined } as never };
    const insurance = { payerName: 'Blue Example', memberId: 'BX-1' };
    const ask = (id: string, name: string, args: Record<string, unknown>) => ({
      family: 'patient-journey',
      name,
      request: { id, name: null, arguments: args, isUnreadable: false },
    });
    const asked = [
      ask('slow', 'submit_insurance_info', insurance),
      ask('behind', 'record_self_pay_decision', { decision: 'self_pay_continue' }),
      ask('unknown', 'no_such_tool', {}),
    ];

    const startedAt = Date.now();
    const late = await runner.run(call, asked, from);
    const took = Date.now() - startedAt;
    isApiSlow = false;
    const replies = await eventually(async () => {
      const stored = await app.stores.toolCalls.ofCall(call.clinicId, call.callId);
      return stored.length === 3 && stored.every(({ reply }) => reply) && stored;
    });
    const again = await runner.run(call, asked, from);

    expect(late.map((reply) => JSON.parse(reply))).toEqual(
      asked.map(() => ({ success: false, error: expect.stringContaining('taking a moment') })),
    );
    expect(took).toBeLessThan(5_000);
    const tasks = await eventually(async () => {
      const found = await tasksOf(app, { callId: call.callId });
      return found.length > 0 && found;
    });
    // What changes nothing is not for staff.
    const changes = 'submit_insurance_info, record_self_pay_decision';
    const why = `It took too long during the call: ${changes}. See what came of it, and tell the patient.`;
    expect(tasks).toMatchObject([{ reason: 'follow_up_required', patientId: call.patientId, detail: { why } }]);
    expect(replies.map(({ toolCallId }) => toolCallId)).toEqual(['slow', 'behind', 'unknown']);
    expect(again.map((reply) => JSON.parse(reply))).toEqual([
      { success: true, status: 'VERIFIED', copayCents: 2_500 },
      { success: true },
      { success: false, error: 'unknown tool' },
    ]);
    const counts = async () => {
      const { values } = await metrics.tools.get();
      return values
        .filter(({ metricName }) => metricName?.endsWith('_count'))
        .map(({ labels: { tool, result }, value }) => `${tool} ${result}: ${value}`)
        .toSorted();
    };
    const all = ['record_self_pay_decision', 'submit_insurance_info', 'unknown'].map((name) => `${name} answered: 2`);
    await eventually(async () => (await counts()).join() === ['any deadline: 1', ...all].join()).catch(() => undefined);
    expect(await counts()).toEqual(['any deadline: 1', ...all]);
  });
});

describe('a caller who states a wrong date of birth', () => {
  const UNVERIFIED = {
    success: false,
    error:
      'The caller is not verified. Use verify_patient with the date of birth before anything of their appointments.',
  };
  const emr = (tool: string, callId: string, args = {}) => app.tool(`emr-tools/${tool}`, callId, args);
  const state = (callId: string, dateOfBirth: string) => emr('verify_patient', callId, { dateOfBirth });

  test('sees and changes no appointment until a right one was stated', async () => {
    const patientId = await aPatient(app, { birthDate: '1980-05-05' });
    const callId = await aTestCall(patientId);
    const [time, other] = await openTimes(callId);
    await emr('book_appointment', callId, booking(time!));

    const wrong = await state(callId, '1980-05-06');
    const refused = [
      await emr('get_upcoming_appointment', callId),
      await emr('reschedule_appointment', callId, { newDateTime: other }),
      await emr('cancel_appointment', callId),
      await emr('book_appointment', callId, booking(other!)),
    ];
    const open = await openTimes(callId);
    const right = await state(callId, '1980-05-05');

    expect([wrong, right]).toEqual([{ verified: false }, { verified: true }]);
    expect(refused).toEqual([{ found: false, ...UNVERIFIED }, UNVERIFIED, UNVERIFIED, UNVERIFIED]);
    expect(open.length).toBeGreaterThan(0);
    expect(await emr('get_upcoming_appointment', callId)).toMatchObject({ found: true });
    expect(await appointmentsOf(patientId)).toMatchObject([{ status: 'booked' }]);
  });

  test('three times is asked no more, whatever is stated, and staff have a task', async () => {
    const patientId = await aPatient(app, { birthDate: '1980-05-05' });
    const callId = await aTestCall(patientId);
    for (const day of ['01', '02', '03']) await state(callId, `1980-05-${day}`);

    const locked = await state(callId, '1980-05-05');

    expect(locked).toMatchObject({ verified: false, success: false, error: expect.stringContaining('call back') });
    expect(await tasksOf(app, { patientId })).toMatchObject([{ reason: 'verification_locked', callId }]);
  });

  test('a search for one through many calls ends after five guesses an hour', async () => {
    const patientId = await aPatient(app, { birthDate: '1980-05-05' });
    const guesses = Array.from({ length: 12 }, (_, day) => `1980-04-${10 + day}`);
    const calls = await Promise.all(Array.from({ length: 4 }, () => aTestCall(patientId)));

    const results = await Promise.all(guesses.map((guess, index) => state(calls[index % 4]!, guess)));

    expect(results.filter(({ success }) => success === undefined)).toHaveLength(5);
  });
});

test('a request holds at most 32 tool calls; more of them are refused one by one', async () => {
  const callId = await aTestCall();
  const envelope = anEnvelope(
    callId,
    Array.from({ length: 40 }, (_, index) => ({ id: `call-${index}`, arguments: {} })),
  );

  const { status, body } = await post('get_upcoming_appointment', envelope);

  const results = body.results.map(({ toolCallId, result }: { toolCallId: string; result: string }) => [
    toolCallId,
    JSON.parse(result).error ?? null,
  ]);
  expect(status).toBe(200);
  expect(results).toHaveLength(40);
  expect(results[31]).toEqual(['call-31', null]);
  const refusals = results.slice(32).map(([, error]: [string, string]) => error);
  expect(new Set(refusals)).toEqual(
    new Set(['A request holds at most 32 tool calls. Send this one again in another request.']),
  );
});

test('while the voice secret is rotated the one before opens the tools too', async () => {
  const before = 'the-secret-of-last-month';
  const rotating = await startApp({ hasWorker: false, env: { VOICE_WEBHOOK_SECRET_PREVIOUS: before } });
  try {
    const ask = (secret: string) => rotating.asVoice('/emr-tools/verify_patient', {}, { 'x-voice-secret': secret });

    const statuses = [await ask(rotating.env.VOICE_WEBHOOK_SECRET!), await ask(before), await ask('some-other-secret')];

    expect(statuses.map(({ status }) => status)).toEqual([400, 400, 401]);
  } finally {
    await rotating.stop();
  }
});
