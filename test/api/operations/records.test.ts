import { comparedWith } from '@clinic/shared/domain/operations/periods';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import type { DevClinic } from '@clinic/accounts/seed';
import { demoPolicy } from '@clinic/prisma/fixtures';
import { type App, startApp } from '../../support/app';
import { aPhone, aSession, aStart, phones } from '../../support/builders';
import { eventually } from '../../support/eventually';
import { fill } from '../../support/fill';
import { openStream } from '../../support/event-stream';
import { assertR4 } from '../../support/r4';

let app: App;
let admin: string;
let staff: string;
/** The other clinic's admin. */
let stranger: string;

beforeAll(async () => {
  app = await startApp();
  [admin, staff, stranger] = await Promise.all([app.admin(), app.staff(), app.signIn(app.otherClinic)]);
});
afterAll(() => app.stop());

const get = (path: string, bearer = staff) => app.request('GET', path, { bearer });
const patch = (path: string, body: unknown, bearer = staff) => app.request('PATCH', path, { bearer, body });

/** A case that has come to its end, and its events to their first attempt. */
async function anEndedCase({ phone, lastName = 'Lee' }: { phone?: string; lastName?: string } = {}) {
  const sessionId = aSession();
  const { body } = await app.abandon({ sessionId, phone: phone ?? phones.findsItExpensive, lastName });
  await app.ended(body.workflowId);
  // The case ends with the tool's word; the caller hangs up a moment later.
  await eventually(async () => (await get(`/calls?live=true&workflowId=${body.workflowId}`)).body.items.length === 0);
  return { sessionId, ...body } as { sessionId: string; workflowId: string; recoveryCaseId: string };
}

describe('a recovery case', () => {
  test('that waits says until when, and why', async () => {
    const { clinicId, apiKey } = app.clinic;
    await app.stores.clinics.setPolicy(clinicId, { ...demoPolicy, firstCallDelaySeconds: 3_600 });
    try {
      const { body } = await app.abandon({ sessionId: aSession(), phone: aPhone() });

      const { nextCall, createdAt } = (await get(`/cases/${body.recoveryCaseId}`)).body;

      expect(nextCall).toEqual({
        at: new Date(Date.parse(createdAt) + 3_600_000).toISOString(),
        reason: 'first_call_delay',
      });
      await app.request('POST', `/workflows/${body.workflowId}/cancel`, { bearer: apiKey });
      await eventually(async () => (await get(`/cases/${body.recoveryCaseId}`)).body.nextCall === null);
    } finally {
      await app.stores.clinics.setPolicy(clinicId, demoPolicy);
    }
  });

  test('is one timeline: event, call with tools and results, barrier, outcome, task, deliveries', async () => {
    await app.stores.clinics.setOutboundEndpoint(app.clinic.clinicId, {
      url: 'http://127.0.0.1:9/nobody-listens',
      isEnabled: true,
      events: ['recovery_case.created', 'recovery_case.outcome'],
    });
    const { sessionId, workflowId, recoveryCaseId } = await anEndedCase();

    const { status, body } = await get(`/cases/${recoveryCaseId}`);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      recoveryCaseId,
      sessionId,
      workflowId,
      recoveryStatus: 'PRICING_ESCALATION',
      attempts: 1,
      patient: { firstName: 'Ann', lastName: 'Lee', phone: phones.findsItExpensive },
      form: { formName: 'New patient intake', totalPages: 7 },
      temporalUrl: `${app.env.TEMPORAL_UI_URL ?? 'http://localhost:8233'}/namespaces/${app.namespace}/workflows/${workflowId}`,
    });
    const kinds = body.timeline.map(({ kind }: { kind: string }) => kind);
    expect(kinds.filter((kind: string) => kind === 'delivery')).toHaveLength(2);
    const story = kinds.filter((kind: string) => kind !== 'delivery');
    expect(story.toSorted()).toEqual(['barrier', 'call', 'created', 'event', 'outcome', 'task']);
    const place = (kind: string) => kinds.indexOf(kind);
    expect([place('event'), place('call'), place('barrier'), place('outcome')].toSorted((a, b) => a - b)).toEqual([
      place('event'),
      place('call'),
      place('barrier'),
      place('outcome'),
    ]);

    const { call } = body.timeline[place('call')];
    expect(call.tools.map(({ tool, success }: { tool: string; success: boolean }) => [tool, success])).toEqual(
      expect.arrayContaining([
        ['record_abandonment_barrier', true],
        ['resolve_recovery_outcome', true],
      ]),
    );
    expect(call.tools[0].result).toMatchObject({ success: true });
    const read = await get(`/calls/${call.id}`);
    expect(read.body.tools).toEqual(call.tools);
    expect(read.body).toMatchObject({
      recoveryCaseId,
      workflowId,
      state: 'ENDED',
      direction: 'outbound',
      isTest: false,
    });
  });

  test('is found by status, by session and by name, in pages', async () => {
    const made = [];
    for (const lastName of ['Quill', 'Quillon', 'Quilt']) {
      made.push(await anEndedCase({ phone: phones.declines, lastName }));
    }
    const [first] = made;

    const bySession = await get(`/cases?search=${first!.sessionId}`);
    expect(bySession.body.items).toHaveLength(1);
    const byName = await get('/cases?search=quill&recoveryStatus=PATIENT_NOT_INTERESTED&open=false');
    expect(byName.body.items.map(({ patient }: { patient: { lastName: string } }) => patient.lastName)).toEqual([
      'Quillon',
      'Quill',
    ]);

    const pages: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await get(`/cases?search=quil&limit=1${cursor && `&cursor=${cursor}`}`);
      pages.push(...body.items.map(({ recoveryCaseId }: { recoveryCaseId: string }) => recoveryCaseId));
      cursor = body.nextCursor;
    }
    expect(pages).toEqual(made.map(({ recoveryCaseId }) => recoveryCaseId).toReversed());

    const { nextCursor } = (await get('/cases?limit=1')).body;
    expect((await get(`/cases?cursor=${nextCursor}`, stranger)).status).toBe(400);
    expect((await get('/cases?recoveryStatus=LOST')).status).toBe(400);
  });
});

test('calls are listed by what they are about, live and past', async () => {
  const { recoveryCaseId } = await anEndedCase({ phone: phones.answersSecondTime });
  const callId = await app.openTestCall({ workflowType: 'care-gap-follow-up' });

  const ofCase = (await get(`/calls?recoveryCaseId=${recoveryCaseId}`)).body.items;
  expect(ofCase.map(({ attempt }: { attempt: number }) => attempt)).toEqual([2, 1]);
  const live = (await get('/calls?live=true&limit=200')).body.items;
  expect(live.map(({ id }: { id: string }) => id)).toContain(callId);
  expect(live.every(({ state }: { state: string }) => state !== 'ENDED')).toBe(true);
  const past = (await get('/calls?live=false&state=ENDED&limit=200')).body.items;
  expect(past.map(({ id }: { id: string }) => id)).not.toContain(callId);
});

test('a list of cases has the numbers of its patients for those who may take lists with them', async () => {
  const clinic = await app.addClinic();
  await fill(app.database, { clinicIds: [clinic.clinicId], cases: 1 });
  await app.database.sql`update patients set phone = '+13035550112' where clinic_id = ${clinic.clinicId}`;
  await app.database.sql`update users set role = 'manager' where email = ${clinic.email}`;
  const numbers = async (bearer: string) =>
    (await get('/cases', bearer)).body.items.map(({ patient }: { patient: { phone: string | null } }) => patient.phone);

  expect(await numbers(await app.signIn(clinic.staff))).toEqual([null]);
  expect(await numbers(await app.signIn(clinic))).toEqual([expect.stringMatching(/^\+1/)]);
});

describe('a call that is under way', () => {
  const number = '+13035550171';
  let clinic: DevClinic;
  let desk: string;
  let manager: string;

  beforeAll(async () => {
    clinic = await app.addClinic();
    [desk, manager] = await Promise.all([app.signIn(clinic.staff), app.signIn(clinic)]);
    await app.stores.phoneNumbers.replace(clinic.clinicId, [{ number, platformId: null, assistantId: 'assistant' }]);
    await app.stores.sandbox.setEnabled({ clinicId: clinic.clinicId, isEnabled: true, now: new Date() });
  });

  /** Somebody rings the clinic, and the agent talks with them. */
  async function aCaller() {
    const call = { id: `platform-${aSession()}`, type: 'inboundPhoneCall' };
    const from = aPhone();
    await app.voiceEvent({ type: 'assistant-request', call, phoneNumber: { number }, customer: { number: from } });
    await app.voiceEvent({ type: 'status-update', status: 'in-progress', call });
    const { id, workflowId } = await app.database.prisma.call.findUniqueOrThrow({ where: { platformCallId: call.id } });
    const hangUp = () => app.voiceEvent({ type: 'end-of-call-report', endedReason: 'customer-ended-call', call });
    return { pointer: call.id, callId: id, workflowId: workflowId ?? '', from, hangUp };
  }
  const underWay = async (callId: string, bearer = desk) =>
    (await get('/calls/under-way', bearer)).body.items.find(({ id }: { id: string }) => id === callId);
  const takeOver = (callId: string, bearer = desk) => app.request('POST', `/calls/${callId}/take-over`, { bearer });

  test('says who calls and what was done so far, to its clinic alone, until it is over; the stream tells of each change', async () => {
    const stream = await openStream(app.baseUrl, desk);
    const { pointer, callId, from, hangUp } = await aCaller();
    const begun = await underWay(callId);
    const { slots } = await app.tool('emr-tools/check_availability', pointer, { providerName: clinic.providers[0] });
    const { providerName, startsAt: scheduledAt } = slots[0];
    const asked = { providerName, visitType: 'Consultation', scheduledAt };
    const booked = await app.tool('emr-tools/book_appointment', pointer, asked);
    const then = await underWay(callId);
    const elsewhere = await underWay(callId, stranger);
    await hangUp();

    expect(begun).toMatchObject({
      direction: 'inbound',
      state: 'IN_PROGRESS',
      phone: from,
      isKnown: false,
      workflowType: 'new-patient-journey',
      did: [],
      lastTool: null,
      takenOver: null,
    });
    expect(booked).toMatchObject({ success: true });
    expect(then).toMatchObject({
      did: [{ fact: 'booked', startsAt: scheduledAt, at: expect.any(String) }],
      lastTool: 'book_appointment',
    });
    expect(elsewhere).toBeUndefined();
    expect(await underWay(callId)).toBeUndefined();
    await stream.change('calls', callId);
    await stream.change('tool_calls');
    stream.close();
  });

  test('is taken over by one person: its follow-up is their task, and its workflow calls nobody any more', async () => {
    const { callId, workflowId, hangUp } = await aCaller();

    const foreign = await takeOver(callId, stranger);
    const [first, again] = [await takeOver(callId), await takeOver(callId)];
    const late = await takeOver(callId, manager);
    const { takenOver } = await underWay(callId, manager);
    await hangUp();
    const over = await takeOver(callId);

    expect(foreign).toMatchObject({ status: 404, body: { message: `Call ${callId} not found` } });
    expect(first).toMatchObject({
      status: 200,
      body: { reason: 'follow_up_required', callId, workflowId, state: 'OPEN', assignee: { name: 'Clinic staff' } },
    });
    expect(again).toMatchObject({ status: 200, body: { id: first.body.id, version: first.body.version } });
    expect(late).toMatchObject({ status: 409, body: { message: 'Somebody else has taken this call over' } });
    expect(over).toMatchObject({ status: 409, body: { message: 'The call is over' } });
    expect(takenOver).toMatchObject({ taskId: first.body.id, by: { name: 'Clinic staff' } });
    expect((await app.workflow(workflowId, { clinic })).body).toMatchObject({
      status: 'cancelled',
      outcome: 'FOLLOW_UP_REQUIRED',
    });
    const tasks: { id: string; callId: string }[] = (await get('/tasks?reason=follow_up_required', desk)).body.items;
    expect(tasks.filter((each) => each.callId === callId).map(({ id }) => id)).toEqual([first.body.id]);
    const { items } = await app.stores.audit.list(clinic.clinicId, { subject: callId, limit: 5 });
    expect(items.map(({ action }) => action)).toContain('call.take-over');
  });
});

describe('a task', () => {
  test('is assigned to an account of the clinic, resolved and reopened', async () => {
    const { recoveryCaseId } = await anEndedCase();
    const [task] = (await get(`/tasks?recoveryCaseId=${recoveryCaseId}`)).body.items;
    expect(task).toMatchObject({ reason: 'billing_escalation', state: 'OPEN', assignee: null, recoveryCaseId });
    const people = (await get('/staff')).body.items;
    expect(people.map(({ role }: { role: string }) => role)).toEqual(['admin', 'staff']);

    const assigned = await patch(`/tasks/${task.id}`, { assigneeId: people[1].id });
    expect(assigned.body).toMatchObject({ state: 'OPEN', assignee: { id: people[1].id, name: 'Clinic staff' } });
    const mine = (await get(`/tasks?assigneeId=${people[1].id}`)).body.items;
    expect(mine.map(({ id }: { id: string }) => id)).toEqual([task.id]);

    const resolved = await patch(`/tasks/${task.id}`, { state: 'RESOLVED' });
    expect(resolved.body).toMatchObject({ state: 'RESOLVED', resolvedAt: expect.any(String) });
    const reopened = await patch(`/tasks/${task.id}`, { state: 'OPEN', assigneeId: null });
    expect(reopened.body).toMatchObject({ state: 'OPEN', resolvedAt: null, assignee: null });
    const { items } = (await get(`/audit?subject=${task.id}`, admin)).body;
    expect(items).toHaveLength(3);
    expect(items[0]).toMatchObject({ action: 'task.change', actorName: 'Clinic staff' });
    // The patient's page says so too.
    const { changes } = (await get(`/patients/${task.patient.id}`)).body;
    const told = changes.filter(({ action }: { action: string }) => action === 'task.change');
    expect(told).toMatchObject([
      { actorName: 'Clinic staff', detail: { reason: 'billing_escalation', state: 'OPEN' } },
      { actorName: 'Clinic staff', detail: { reason: 'billing_escalation', state: 'RESOLVED' } },
      { actorName: 'Clinic staff', detail: { assigneeId: people[1].id } },
    ]);
  });

  test('says when and in which language its patient is called, when they were born, and that they are not to be', async () => {
    const { recoveryCaseId } = await anEndedCase();
    const list = async () => (await get(`/tasks?recoveryCaseId=${recoveryCaseId}`)).body.items[0];
    const { id, patient } = await list();
    const ofPatient = (path: string, method: string, body: object) =>
      app.request(method, `/patients/${patient.id}${path}`, { body, bearer: staff });
    const before = await list();
    await ofPatient('', 'PATCH', {
      dateOfBirth: '1984-02-29',
      preferredCallHours: { from: '17:00' },
      preferredLanguage: 'es',
    });
    await ofPatient('/opt-outs', 'POST', { scope: 'recovery_and_reminders' });

    const known = {
      dateOfBirth: '1984-02-29',
      preferredCallHours: { from: '17:00', until: null },
      preferredLanguage: 'es',
      optOut: 'recovery_and_reminders',
    };
    const unknown = { preferredCallHours: null, preferredLanguage: null, optOut: null };
    expect(before.patient).toMatchObject(unknown);
    expect((await list()).patient).toMatchObject(known);
    expect((await get(`/tasks/${id}`)).body.patient).toMatchObject(known);
    const { timeline } = (await get(`/cases/${recoveryCaseId}`)).body;
    expect(JSON.stringify(timeline)).toContain('"optOut":"recovery_and_reminders"');
    await ofPatient('/opt-outs/lift', 'POST', { reason: 'patient_asked' });
    await ofPatient('', 'PATCH', { preferredCallHours: null, preferredLanguage: null });
    expect((await list()).patient).toMatchObject(unknown);
  });

  test('is not given to another clinic’s account, and a change must change something', async () => {
    const { recoveryCaseId } = await anEndedCase();
    const [task] = (await get(`/tasks?recoveryCaseId=${recoveryCaseId}`)).body.items;
    const [outsider] = (await get('/staff', stranger)).body.items;

    expect((await patch(`/tasks/${task.id}`, { assigneeId: outsider.id })).status).toBe(404);
    expect((await patch(`/tasks/${task.id}`, {})).status).toBe(400);
    expect((await patch(`/tasks/${task.id}`, { state: 'DONE' })).status).toBe(400);
    expect((await patch(`/tasks/${task.id}`, { reason: 'mine' })).status).toBe(400);
    expect((await patch(`/tasks/${task.id}`, { version: task.version })).status).toBe(400);
    expect((await patch(`/tasks/${task.id}`, { dueOn: '2035-02-30' })).status).toBe(400);
  });

  test('two people who change it at once: the second is refused, and nothing of the first is lost', async () => {
    const { recoveryCaseId } = await anEndedCase();
    const [task] = (await get(`/tasks?recoveryCaseId=${recoveryCaseId}`)).body.items;
    const [someone, another] = (await get('/staff')).body.items;
    expect(task).toMatchObject({ priority: 'NORMAL', dueOn: null, noteCount: 0 });

    const answers = await Promise.all(
      [someone, another].map(({ id }) => patch(`/tasks/${task.id}`, { assigneeId: id, version: task.version })),
    );
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const won = answers.find(({ status }) => status === 200)?.body;
    const late = await patch(`/tasks/${task.id}`, { state: 'RESOLVED', version: task.version });
    expect([late.status, late.body.message]).toEqual([409, 'Somebody else has changed this task meanwhile']);

    const due = { priority: 'HIGH', dueOn: '2035-02-28', version: won.version };
    expect((await patch(`/tasks/${task.id}`, due)).body).toMatchObject({
      ...due,
      version: expect.any(Number),
      assignee: won.assignee,
      state: 'OPEN',
    });
    const ids = async (query: string) => (await get(`/tasks?${query}`)).body.items.map(({ id }: { id: string }) => id);
    expect(await ids('priority=HIGH')).toEqual([task.id]);
    expect(await ids('dueUntil=2035-02-28')).toEqual([task.id]);
    expect(await ids('dueUntil=2035-02-27')).toEqual([]);
    expect((await patch(`/tasks/${task.id}`, { dueOn: null })).body).toMatchObject({ dueOn: null, priority: 'HIGH' });
  });

  test('open ones come in the order in which they are due: by day and time, by urgency, those without a day last', async () => {
    const { clinicId } = app.clinic;
    for (const cause of ['1', '2', '3', '4', '5', '6'])
      await app.stores.tasks.open({ clinicId, reason: 'endpoint_failing', cause });
    const opened = (await get('/tasks?reason=endpoint_failing')).body.items.toReversed();
    const [atNine, byNight, urgent, nextDay, undated, undatedUrgent] = opened;
    const [me] = (await get('/staff')).body.items;
    const due = (task: { id: string }, body: object) => patch(`/tasks/${task.id}`, { assigneeId: me.id, ...body });
    await due(atNine, { dueOn: '2034-02-01', dueTime: '09:00' });
    await due(byNight, { dueOn: '2034-02-01' });
    await due(urgent, { dueOn: '2034-02-01', priority: 'HIGH' });
    await due(nextDay, { dueOn: '2034-02-02', dueTime: '08:00' });
    await due(undated, {});
    await due(undatedUrgent, { priority: 'HIGH' });

    const mine = `/tasks?assigneeId=${me.id},none&order=due`;
    const listed = async (query: string) =>
      (await get(`${mine}${query}&reason=endpoint_failing`)).body.items.map(({ id }: { id: string }) => id);
    expect(await listed('')).toEqual([atNine, urgent, byNight, nextDay, undatedUrgent, undated].map(({ id }) => id));
    expect(await listed('&dueUntil=2034-02-01')).toEqual([atNine.id, urgent.id, byNight.id]);
    expect(await listed('&hasDueDate=false')).toEqual([undatedUrgent.id, undated.id]);

    const paged: string[] = [];
    for (let cursor = ''; ;) {
      const { items, nextCursor } = (await get(`${mine}&limit=2${cursor}`)).body;
      paged.push(...items.map(({ id }: { id: string }) => id));
      if (!nextCursor) break;
      cursor = `&cursor=${nextCursor}`;
    }
    expect(paged).toEqual((await get(`${mine}&limit=200`)).body.items.map(({ id }: { id: string }) => id));
  });

  test('says what a call about it came to: done, or open and due at another time; who gave it to whom is told to that person', async () => {
    const { recoveryCaseId } = await anEndedCase();
    const [task] = (await get(`/tasks?recoveryCaseId=${recoveryCaseId}`)).body.items;
    const [someone, me] = (await get('/staff')).body.items;
    const change = (body: object) => patch(`/tasks/${task.id}`, body);
    const refused = [
      { outcome: 'spoke' },
      { outcome: 'spoke', state: 'OPEN' },
      { outcome: 'try_later' },
      { outcome: 'try_later', dueOn: '2034-02-01', state: 'RESOLVED' },
      { outcome: 'gave_up', state: 'RESOLVED' },
      { dueTime: '09:00' },
      { dueOn: '2034-02-01', dueTime: '9 o’clock' },
    ];
    for (const body of refused) expect((await change(body)).status).toBe(400);

    const later = { outcome: 'try_later', dueOn: '2034-02-01', dueTime: '16:30' };
    expect((await change(later)).body).toMatchObject({ ...later, state: 'OPEN' });
    expect((await change({ outcome: 'spoke', state: 'RESOLVED' })).body).toMatchObject({
      outcome: 'spoke',
      state: 'RESOLVED',
    });
    expect((await change({ state: 'OPEN' })).body).toMatchObject({ outcome: null, state: 'OPEN', dueTime: '16:30' });
    const { items } = (await get(`/audit?subject=${task.id}`, admin)).body;
    expect(items.map(({ detail }: { detail: { outcome?: string } }) => detail.outcome)).toEqual([
      undefined,
      'spoke',
      'try_later',
    ]);

    const given = async (bearer: string) =>
      (await get('/tasks/assigned', bearer)).body.items.find(({ id }: { id: string }) => id === task.id);
    await app.request('PATCH', `/tasks/${task.id}`, { body: { assigneeId: me.id }, bearer: admin });
    expect(await given(staff)).toMatchObject({
      reason: 'billing_escalation',
      assignedBy: someone.name,
      isByOneself: false,
    });
    expect(await given(admin)).toBeUndefined();
    await change({ assigneeId: me.id });
    expect(await given(staff)).toMatchObject({ isByOneself: true });
    await change({ assigneeId: null });
    expect(await given(staff)).toBeUndefined();
  });

  test('several are changed at once; one that somebody else has changed stays, as does one that is not there', async () => {
    const cases = [await anEndedCase(), await anEndedCase()];
    const [one, two] = await Promise.all(
      cases.map(async ({ recoveryCaseId }) => (await get(`/tasks?recoveryCaseId=${recoveryCaseId}`)).body.items[0]),
    );
    await patch(`/tasks/${two.id}`, { priority: 'LOW' });

    const tasks = [one, two].map(({ id, version }) => ({ id, version }));
    const body = { tasks: [...tasks, { id: 'nowhere' }], change: { state: 'RESOLVED' } };
    const { body: changed } = await app.request('POST', '/tasks/changes', { body, bearer: staff });

    expect(changed.items).toMatchObject([
      { id: one.id, result: 'changed', task: { state: 'RESOLVED', version: one.version + 1 } },
      { id: two.id, result: 'changed_meanwhile', task: { state: 'OPEN', priority: 'LOW' } },
      { id: 'nowhere', result: 'unknown', task: null },
    ]);
    const refusals = [
      { tasks, change: {} },
      { tasks: [], change: { state: 'OPEN' } },
      { tasks: [tasks[0], tasks[0]], change: { state: 'OPEN' } },
    ];
    for (const refused of refusals) {
      expect((await app.request('POST', '/tasks/changes', { body: refused, bearer: staff })).status).toBe(400);
    }
    expect((await get(`/audit?subject=${two.id}`, admin)).body.items).toHaveLength(1);
  });

  test('people write notes to it, which are its patient’s: told to nobody else, and in no log', async () => {
    const { recoveryCaseId } = await anEndedCase();
    const [task] = (await get(`/tasks?recoveryCaseId=${recoveryCaseId}`)).body.items;
    const write = (note: string, key: string) =>
      app.request('POST', `/tasks/${task.id}/notes`, {
        body: { note },
        bearer: staff,
        headers: { 'idempotency-key': key },
      });

    expect((await write('Wants it after payday', 'note-1')).body.notes).toHaveLength(1);
    expect((await write('Wants it after payday', 'note-1')).body.notes).toHaveLength(1);
    expect((await write('Rang again', 'note-2')).status).toBe(200);
    expect((await write(' ', 'note-3')).status).toBe(400);

    const { body } = await get(`/tasks/${task.id}`);
    expect(body).toMatchObject({
      id: task.id,
      noteCount: 2,
      version: task.version,
      notes: [
        { note: 'Rang again', writtenBy: 'Clinic staff' },
        { note: 'Wants it after payday', writtenBy: 'Clinic staff' },
      ],
    });
    const [audited] = (await get(`/audit?subject=${task.id}`, admin)).body.items;
    expect(audited).toMatchObject({ action: 'task.note', subject: task.id });
    expect(JSON.stringify(audited)).not.toContain('Rang');
  });
});

test('filters are saved under a name, shared with the clinic, and changed only by the person who saved them', async () => {
  const view = { list: 'tasks', name: 'Mine, urgent', filters: { who: 'me', priority: 'HIGH' } };
  const post = (body: unknown, bearer = staff) => app.request('POST', '/views', { bearer, body });
  const seen = async (bearer = staff) => (await get('/views?list=tasks', bearer)).body.items;
  const saved = (await post(view)).body;
  const path = `/views/${saved.id}`;

  expect(saved).toMatchObject({ ...view, isShared: false, isOwn: true });
  expect((await post(view)).body).toMatchObject({ statusCode: 409, details: [{ path: 'name' }] });
  expect((await post({ ...view, filters: { 'a b': 'x' } })).status).toBe(400);
  expect([await seen(), await seen(admin)]).toEqual([[saved], []]);
  expect((await patch(path, { name: 'Theirs' }, admin)).status).toBe(404);
  const shared = (await patch(path, { isShared: true, name: 'Urgent' })).body;
  expect(await seen(admin)).toEqual([{ ...shared, isOwn: false }]);
  expect((await patch(path, { name: 'Theirs' }, admin)).status).toBe(403);
  expect([await seen(stranger), (await patch(path, { name: 'Theirs' }, stranger)).status]).toEqual([[], 404]);
  const ofAdmin = (await post({ ...view, name: 'Shared', isShared: true }, admin)).body;
  expect((await app.request('DELETE', `/views/${ofAdmin.id}`, { bearer: staff })).status).toBe(403);

  await app.database.sql`
    insert into saved_views (id, clinic_id, user_id, list, name)
    select 'many-' || n, clinic_id, user_id, 'calls', 'View ' || n from saved_views, generate_series(1, 49) n where id = ${saved.id}`;
  expect((await post({ ...view, name: 'One more' })).body).toMatchObject({
    statusCode: 409,
    message: /50 saved views/,
  });
  // Who saved a view removes it, and an administrator what somebody shares.
  expect((await app.request('DELETE', '/views/many-1', { bearer: staff })).status).toBe(204);
  expect((await app.request('DELETE', path, { bearer: admin })).status).toBe(204);
  expect((await post({ ...view, name: 'One more' })).status).toBe(200);
  const { items } = (await get('/audit?action=view.save', admin)).body;
  expect(items.find(({ subject }: { subject: string }) => subject === saved.id).detail).toEqual({
    list: 'tasks',
    isShared: false,
  });
});

test('a view whose answer was never stored is found again under its Idempotency-Key, as its owner has it by then', async () => {
  const headers = { 'idempotency-key': 'lost-view' };
  const body = { list: 'calls', name: 'Lost', filters: {} };
  const once = (bearer = admin) => app.request('POST', '/views', { bearer, body, headers });
  const lose = () => app.database.sql`delete from idempotency_records where key = 'lost-view'`;
  const first = await once();

  await lose();
  const again = await once();
  await patch(`/views/${first.body.id}`, { name: 'Found' }, admin);
  await lose();
  const renamed = await once();
  await lose();
  const byAnother = await once(staff);

  expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
  expect(renamed.body).toEqual({ ...first.body, name: 'Found' });
  expect(byAnother.status).toBe(409);
  const { items } = (await get('/audit?action=view.save', admin)).body;
  expect(items.filter(({ subject }: { subject: string }) => subject === first.body.id)).toHaveLength(1);
});

test.each<[what: string, of: 'staff' | 'admin', isShared: boolean, by: 'staff' | 'admin' | 'stranger', came: number[]]>(
  [
    ['their own', 'staff', false, 'staff', [200, 204]],
    ['their own that they share', 'staff', true, 'staff', [200, 204]],
    ['what staff share', 'staff', true, 'admin', [403, 204]],
    ['what an administrator shares', 'admin', true, 'staff', [403, 403]],
    ['what staff keep to themselves', 'staff', false, 'admin', [404, 404]],
    ['what an administrator keeps to themselves', 'admin', false, 'staff', [404, 404]],
    ['what another clinic shares', 'admin', true, 'stranger', [404, 404]],
  ],
)('of saved filters somebody changes and removes as they may: %s', async (what, of, isShared, by, came) => {
  const bearers = { staff, admin, stranger };
  const body = { list: 'runs', name: `Of ${what}`, filters: {}, isShared };
  const { id } = (await app.request('POST', '/views', { bearer: bearers[of], body })).body;
  const asked = (method: string, path: string, change?: object) =>
    app.request(method, path, { bearer: bearers[by], body: change });

  const answers = [
    await asked('PATCH', `/views/${id}`, { filters: { status: 'started' } }),
    await asked('DELETE', `/views/${id}`),
  ];
  const gone = [await asked('PATCH', '/views/nothing', { name: 'None' }), await asked('DELETE', '/views/nothing')];

  expect(answers.map(({ status }) => status)).toEqual(came);
  const words: Record<number, string> = {
    403: 'Only who saved a view may change it',
    404: `View ${id} not found`,
  };
  expect(answers.map((answer) => answer.body?.message)).toEqual(came.map((status) => words[status]));
  expect(gone.map(({ status }) => status)).toEqual([404, 404]);
  const [kept] = await app.database.sql`select filters from saved_views where id = ${id}`;
  if (came[1] === 204) expect(kept).toBeUndefined();
  else expect(kept).toEqual({ filters: {} });
});

describe('results', () => {
  let manager: string;
  let clinicId: string;

  beforeAll(async () => {
    const clinic = await app.addClinic();
    ({ clinicId } = clinic);
    manager = await app.signIn(clinic);
    await fill(app.database, { clinicIds: [clinicId], cases: 3_000 });
    // Of each day's cases some have recovered what they had chosen, for reasons that differ in case alone.
    await app.database.sql`
      update recovery_cases set selected_products = '[{"productName": "Physical", "unitPrice": 120.5}, {"productName": "Test", "unitPrice": 30}]',
        barrier = jsonb_build_object('primaryBarrier', case when id < 'a' then 'Too Expensive' else 'too expensive' end)
      where clinic_id = ${clinicId} and status in ('RECOVERED', 'PRICING_ESCALATION')`;
    await app.database.sql`update calls set said = 'voicemail' where clinic_id = ${clinicId} and id like '%5'`;
    await app.database.sql`update calls set ended_reason = 'voicemail' where clinic_id = ${clinicId} and id like '%6'`;
  });

  /** The same in plain SQL: case by case, and by the clinic's calendar. */
  async function counted(from: string, until: string) {
    const [row] = await app.database.sql`
      with chosen as (
        select c.*, exists (select from calls k where k.workflow_id = c.workflow_id and not k.is_test
            and coalesce(k.rang_at, k.started_at) is not null) as called,
          exists (select from calls k where k.workflow_id = c.workflow_id and not k.is_test
            and k.started_at is not null and 'voicemail' not in (coalesce(k.said, ''), coalesce(k.ended_reason, ''))) as reached
        from recovery_cases c
        where c.clinic_id = ${clinicId} and (c.created_at at time zone 'America/Denver')::date between ${from}::date and ${until}::date)
      select count(*)::int as opened, sum((ended_at is not null)::int)::int as ended, sum((status = 'RECOVERED')::int)::int as recovered,
        sum((status = 'ALREADY_COMPLETED')::int)::int as "alreadyCompleted", sum(called::int)::int as called, sum(reached::int)::int as reached,
        (select count(*)::int from calls k join chosen on chosen.workflow_id = k.workflow_id
          where not k.is_test and coalesce(k.rang_at, k.started_at) is not null) as calls,
        (sum((status = 'RECOVERED')::int) * 150.5)::float8 as "valueRecovered",
        sum((ended_at is not null and status not in ('RECOVERED', 'ALREADY_COMPLETED'))::int)::int as lost,
        sum((lower(barrier ->> 'primaryBarrier') = 'too expensive')::int)::int as expensive
      from chosen`;
    const ended = await app.database.sql<{ seconds: number }>`
      select extract(epoch from ended_at - created_at)::float8 as seconds from recovery_cases
      where clinic_id = ${clinicId} and ended_at is not null
        and (created_at at time zone 'America/Denver')::date between ${from}::date and ${until}::date order by 1`;
    const half = (ended.length - 1) / 2;
    const [low, high] = [Math.floor(half), Math.ceil(half)].map((index) => ended[index]?.seconds ?? NaN);
    const { expensive, ...figures } = row as Record<string, number>;
    return { expensive, figures, median: ((low ?? NaN) + (high ?? NaN)) / 2 };
  }

  test.each(['7', '30', '90'])(
    'of %s days equal an SQL of their own, and those of as many days before',
    async (days) => {
      const { body } = await get(`/results?days=${days}`, manager);

      const daysBefore = (date: string, many: number) =>
        new Date(Date.parse(date) - many * 86_400_000).toISOString().slice(0, 10);
      expect(body.from).toBe(daysBefore(body.until, Number(days) - 1));
      const { figures, median, expensive } = await counted(body.from, body.until);
      // What begins with a month is compared with months.
      const earlier = body.from.endsWith('-01')
        ? comparedWith(body, 'before')
        : { from: daysBefore(body.from, Number(days)), until: daysBefore(body.from, 1) };
      const before = await counted(earlier.from, earlier.until);
      expect(body.current).toMatchObject(figures);
      expect(body.before).toMatchObject(before.figures);
      expect(body.current.medianSecondsToOutcome).toBeCloseTo(median, 3);
      const { recovered, ended, alreadyCompleted, called, reached, calls } = figures as Record<string, number>;
      expect(body.current).toMatchObject({
        recoveryRate: recovered! / (ended! - alreadyCompleted!),
        reachRate: reached! / called!,
        callsPerRecovery: calls! / recovered!,
      });
      expect(body.byDay).toHaveLength(Number(days));
      expect(body.byDay.reduce((sum: number, { opened }: { opened: number }) => sum + opened, 0)).toBe(figures.opened);
      const byHour = await app.database.sql`
        select extract(isodow from at)::int as weekday, extract(hour from at)::int as hour, count(*)::int as opened, count(ended_at)::int as ended,
          sum((status = 'RECOVERED')::int)::int as recovered, sum((status = 'ALREADY_COMPLETED')::int)::int as "alreadyCompleted"
        from (select *, created_at at time zone 'America/Denver' as at from recovery_cases where clinic_id = ${clinicId}) c
        where at::date between ${body.from}::date and ${body.until}::date group by 1, 2 order by 1, 2`;
      expect(body.byHour).toEqual(byHour.map((hour) => expect.objectContaining(hour)));
      const byStatus = await app.database.sql<{ status: string; opened: number }>`
        select status, count(*)::int as opened from recovery_cases
        where clinic_id = ${clinicId}
          and (created_at at time zone 'America/Denver')::date between ${body.from}::date and ${body.until}::date
        group by status`;
      expect(body.current.byStatus).toEqual(Object.fromEntries(byStatus.map(({ status, opened }) => [status, opened])));
      expect(body.barriers.find(({ barrier }: { barrier: string }) => /too expensive/i.test(barrier))?.cases).toBe(
        expensive,
      );
    },
  );

  test('every list says with its first page how many its filters find, up to a thousand', async () => {
    const totalOf = async (path: string) => (await get(`${path}&total=true&limit=1`, manager)).body.total;
    const [found] = await app.database.sql`
      select (select count(*)::int from recovery_cases where clinic_id = ${clinicId} and status = 'RECOVERED') as cases,
        (select count(*)::int from workflow_runs where clinic_id = ${clinicId} and outcome = 'CLINICAL_ESCALATION') as runs,
        (select count(*)::int from staff_tasks where clinic_id = ${clinicId} and state = 'OPEN' and reason = 'billing_escalation') as tasks,
        (select count(*)::int from patients where clinic_id = ${clinicId} and not is_placeholder and created_at >= now() - interval '200 days'
          and created_at < now() - interval '100 days') as patients,
        (select count(*)::int from deliveries where clinic_id = ${clinicId} and state = 'DEAD') as deliveries,
        (select count(*)::int from audit_entries where clinic_id = ${clinicId} and action = 'task.change') as audit`;
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

    const totals = {
      cases: await totalOf('/cases?recoveryStatus=RECOVERED'),
      runs: await totalOf('/runs?outcome=CLINICAL_ESCALATION'),
      tasks: await totalOf('/tasks?state=OPEN&reason=billing_escalation'),
      patients: await totalOf(`/patients?from=${ago(200)}&until=${ago(100)}`),
      deliveries: await totalOf('/deliveries?state=DEAD'),
      audit: await totalOf('/audit?action=task.change'),
    };

    const exactly = Object.entries(found ?? {}).map(([list, count]) => [list, { count, isMore: false }]);
    expect(totals).toEqual(Object.fromEntries(exactly));
    for (const path of [
      '/cases?search=example',
      '/calls?ending=conversation',
      '/calls?live=false',
      '/audit?reads=true',
    ]) {
      expect([path, await totalOf(path)]).toEqual([path, { count: 1_000, isMore: true }]);
    }
    const first = (await get('/cases?limit=1', manager)).body;
    const second = (await get(`/cases?limit=1&total=true&cursor=${first.nextCursor}`, manager)).body;
    expect([first.total, second.total]).toEqual([null, null]);
    const { items } = (await get('/runs?outcome=CLINICAL_ESCALATION&limit=200', manager)).body;
    expect(new Set(items.map(({ outcome }: { outcome: string }) => outcome))).toEqual(new Set(['CLINICAL_ESCALATION']));
  });

  test('each lead to their cases, alone and found by a search, and come as CSV', async () => {
    const { from, until, current } = (await get('/results?days=30', manager)).body;
    const after = new Date(Date.parse(until) + 86_400_000).toISOString().slice(0, 10);
    const all = async (filter: string) => {
      const ids: string[] = [];
      for (let cursor = ''; ;) {
        const page = await get(`/cases?from=${from}&until=${after}&limit=20${filter}${cursor}`, manager);
        ids.push(...page.body.items.map(({ recoveryCaseId }: { recoveryCaseId: string }) => recoveryCaseId));
        if (page.body.nextCursor === null) return new Set(ids);
        cursor = `&cursor=${page.body.nextCursor}`;
      }
    };

    expect((await all('')).size).toBe(current.opened);
    const reached = await all('&reached=true');
    expect(reached.size).toBe(current.reached);
    const found = await all('&reached=true&search=a');
    expect(found.size).toBeGreaterThan(0);
    expect([...found].every((id) => reached.has(id))).toBe(true);

    const csv = await get('/results/export?days=30', manager);
    const [head, ...lines] = csv.text.trim().split('\n');
    expect(head).toBe(
      'date,opened,ended,recovered,alreadyCompleted,lost,called,reached,calls,valueRecovered,valueLost,callCostUsd,callSeconds',
    );
    expect(lines.reduce((sum, line) => sum + Number(line.split(',')[1]), 0)).toBe(current.opened);
    for (const refused of [
      'days=31',
      'from=2026-10-01',
      'from=2026-10-02&until=2026-10-01',
      'from=2020-01-01&until=2026-01-01',
      'from=0001-01-03&until=0001-01-05&comparedWith=year_before',
      'from=0001-01-01&until=0001-01-31',
    ]) {
      expect([refused, (await get(`/results?${refused}`, manager)).status]).toEqual([refused, 400]);
    }
  });

  test('count money in the currency of the clinic: what was recovered, what calls cost, what is left', async () => {
    await app.database.sql`update calls set cost_usd = 0.5, duration_seconds = 90 where clinic_id = ${clinicId}`;
    const [patients] = await app.database.sql<{ count: number }>`
      select count(distinct patient_id)::int as count from recovery_cases
      where clinic_id = ${clinicId} and status = 'RECOVERED' and created_at >= now() - interval '731 days'`;
    const shown = async () => (await get('/results?days=90', manager)).body;
    const settings = { currency: null, usdRate: null, targetRecoveryRate: 0.4, targetRecoveries: 50 };
    const put = (body: object) => app.request('PUT', '/integrations/results', { bearer: manager, body });

    const dollars = await shown();
    expect((await put({ ...settings, currency: 'EUR' })).body).toEqual({
      ...settings,
      currency: 'EUR',
      ownCurrency: 'USD',
    });
    const withoutRate = await shown();
    await put({ ...settings, currency: 'EUR', usdRate: 0.8 });
    const euros = await shown();

    const { calls, valueRecovered, recoveredPatients, recoveredWithPrice } = dollars.current;
    const [priced] = await app.database.sql<{ count: number }>`
      select count(*)::int as count from recovery_cases
      where clinic_id = ${clinicId} and status = 'RECOVERED' and jsonb_array_length(selected_products) > 0
        and (created_at at time zone ${dollars.timezone})::date between ${dollars.from}::date and ${dollars.until}::date`;
    expect([recoveredWithPrice > 0, recoveredWithPrice]).toEqual([true, priced?.count]);
    expect([dollars.currency, withoutRate.currency, euros.currency]).toEqual(['USD', 'EUR', 'EUR']);
    expect(dollars.current).toMatchObject({ callCostUsd: calls / 2, callCost: calls / 2, callSeconds: calls * 90 });
    expect(dollars.current.net).toBeCloseTo(valueRecovered - calls / 2);
    expect(withoutRate.current).toMatchObject({
      callCostUsd: calls / 2,
      callCost: null,
      net: null,
      netPerRecovered: null,
    });
    expect(euros.current.netPerRecovered).toBeCloseTo((valueRecovered - 0.8 * (calls / 2)) / recoveredPatients);
    expect(recoveredPatients).toBeGreaterThan(0);
    expect(recoveredPatients).toBeLessThanOrEqual(patients?.count ?? 0);
    expect(euros.targets).toEqual({ recoveryRate: 0.4, recoveries: 50 });
    expect((await put({ ...settings, currency: 'euro' })).status).toBe(400);
  });

  test('every number of them is the length of the list of its cases', async () => {
    await app.database.sql`
      update workflow_runs set is_simulated = true where clinic_id = ${clinicId} and id like '%7'`;
    const listOf: Record<string, object> = {
      opened: {},
      ended: { open: false },
      recovered: { recoveryStatus: 'RECOVERED' },
      alreadyCompleted: { recoveryStatus: 'ALREADY_COMPLETED' },
      lost: { lost: true },
      called: { called: true },
      reached: { reached: true },
    };
    // Of long ago: what is open is still called, by the worker, while the lists are asked for.
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    const period = `from=${daysAgo(130)}&until=${daysAgo(101)}`;
    const { body } = await get(`/results?${period}`, manager);
    const nextDay = (date: string) => new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
    const { from } = body;
    const until = nextDay(body.until);
    type Group = Record<string, number>;
    const groups: [object, Group][] = [
      [{ from, until }, body.current],
      [{ from: body.beforeFrom, until: nextDay(body.beforeUntil) }, body.before],
      ...Object.entries<number>(body.current.byStatus).map(([recoveryStatus, opened]) => [
        { from, until, recoveryStatus },
        { opened },
      ]),
      ...body.byDay
        .slice(0, 7)
        .map(({ date, ...counts }: Group) => [{ from: date, until: nextDay(String(date)) }, counts]),
      ...body.byHour
        .slice(0, 20)
        .map(({ weekday, hour, ...counts }: Group) => [{ from, until, weekday, hour }, counts]),
      ...body.barriers.map(({ barrier, ...counts }: Group) => [{ from, until, barrier }, counts]),
      ...body.forms.map(({ formName, ...counts }: Group) => [{ from, until, formName }, counts]),
      ...body.providers.map(({ name, ...counts }: Group) => [{ from, until, providerName: name }, counts]),
      ...body.visitTypes.map(({ name, ...counts }: Group) => [{ from, until, visitType: name }, counts]),
      ...body.hoursReached.map(({ hour, ...counts }: Group) => [{ from, until, hourReached: hour }, counts]),
    ];
    const figures = groups.flatMap(([group, counts]) =>
      Object.entries(listOf).flatMap(([figure, filter]) => {
        const asked = { simulated: false, ...group, ...filter };
        const contradicts = 'recoveryStatus' in group && figure !== 'opened';
        return counts[figure] === undefined || contradicts ? [] : [{ figure, asked, count: counts[figure] }];
      }),
    );

    const wrong: unknown[] = [];
    for (const { figure, asked, count } of figures) {
      const query = new URLSearchParams(
        Object.entries(asked).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const { total } = (await get(`/cases?${query.toString()}&total=true&limit=1`, manager)).body;
      if (total.count !== count || total.isMore) wrong.push({ figure, asked, count, total });
    }

    expect(wrong).toEqual([]);
    expect(figures.filter(({ count }) => count > 0).length).toBeGreaterThan(150);
    for (const group of [body.providers, body.visitTypes, body.hoursReached, body.barriers, body.forms]) {
      expect(group.length).toBeGreaterThan(0);
    }
    const all = (await get(`/results?${period}&simulated=true`, manager)).body;
    expect(body.current.simulated).toBeGreaterThan(0);
    expect(all.current.opened).toBe(body.current.opened + body.current.simulated);
    expect(all.current.simulated).toBe(body.current.simulated);
  });
});

test('calls of an outcome, a type, a direction or a day are those whose record says so', async () => {
  const { clinicId, ...clinic } = await app.addClinic();
  const bearer = await app.signIn(clinic);
  await fill(app.database, { clinicIds: [clinicId], cases: 300 });
  const reasons = ['failed-to-connect', 'customer-busy', 'customer-misdialed', 'call.start.error-http-500', 'new-word'];
  await app.database.sql`
    update calls set ended_reason = (${reasons}::text[])[1 + abs(hashtext(id)) % 7], said = case when id like '%5' then 'voicemail' end,
      direction = case when id like '%3' then 'inbound' else direction end
    where clinic_id = ${clinicId} and state = 'ENDED'`;
  const all = async (filter: string) => {
    const calls: Record<string, unknown>[] = [];
    for (let cursor = ''; ;) {
      const { body } = await get(`/calls?limit=150${filter}${cursor}`, bearer);
      calls.push(...body.items);
      if (body.nextCursor === null) return calls;
      cursor = `&cursor=${body.nextCursor}`;
    }
  };
  const everything = await all('');
  const like = (field: string, value: unknown) => everything.filter((call) => call[field] === value);

  for (const ending of ['conversation', 'not_reached', 'bad_number', 'platform_fault']) {
    expect(like('ending', ending).length).toBeGreaterThan(0);
    expect(await all(`&ending=${ending}`)).toEqual(like('ending', ending));
  }
  expect(await all('&direction=inbound')).toEqual(like('direction', 'inbound'));
  expect(await all('&workflowType=abandonment-recovery')).toEqual(like('workflowType', 'abandonment-recovery'));
  const since = everything[Math.floor(everything.length / 2)]?.createdAt as string;
  const ofLate = everything.filter(({ createdAt }) => (createdAt as string) >= since);
  expect(await all(`&from=${since}`)).toEqual(ofLate);
  expect((await all(`&until=${since}`)).length).toBe(everything.length - ofLate.length);
  const busy = await all('&ending=not_reached&search=a');
  expect(busy.length).toBeGreaterThan(0);
  expect(busy.every(({ ending }) => ending === 'not_reached')).toBe(true);
  expect((await get('/calls?ending=not_reached&live=true', bearer)).body.items).toEqual([]);
  expect((await get('/calls?ending=answered', bearer)).status).toBe(400);
});

test('the overview counts what happened today in the clinic’s zone', async () => {
  const before = (await get('/overview')).body;
  const { workflowId } = await anEndedCase();
  const played = await anEndedCase();
  const play = (id: string, isSimulated: boolean) =>
    app.database.sql`update workflow_runs set is_simulated = ${isSimulated} where id = ${id}`;
  await play(workflowId, false);
  await play(played.workflowId, true);
  const after = await eventually(async () => {
    const { body } = await get('/overview');
    return body.cases.ended > before.cases.ended && body;
  });

  expect(after.timezone).toBe(app.clinic.timezone);
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: app.clinic.timezone }).format();
  expect([before.date, after.date]).toContain(today);
  expect(after.cases.opened).toBe(before.cases.opened + 1);
  expect(after.cases.simulated).toBe(before.cases.simulated + 1);
  expect(after.cases.byStatus.PRICING_ESCALATION).toBe(before.cases.byStatus.PRICING_ESCALATION + 1);
  expect(after.tasks.open).toBe(before.tasks.open + 2);
  expect((await get('/overview', stranger)).body.cases).toMatchObject({ opened: 0, ended: 0 });
});

test('a record is found by the id of the request that changed it, in its own clinic', async () => {
  const { body, headers } = await app.request('POST', '/patients', {
    bearer: await app.admin(),
    body: { firstName: 'Ida', lastName: 'Asked', phone: '+13035550199' },
  });
  const id = headers.get('x-request-id') ?? '';
  const found = async (bearer: string) => (await app.request('GET', `/lookup?id=${id}`, { bearer })).body.found;

  const own = await eventually(async () => found(await app.admin()));
  const foreign = await found(await app.signIn(app.otherClinic));

  expect(own).toEqual({ kind: 'patient', id: body.id });
  expect(foreign).toBeNull();
});

test('the front desk finds a case, its call, its patient and its event by their ids', async () => {
  await app.stores.clinics.setOutboundEndpoint(app.clinic.clinicId, {
    url: 'http://127.0.0.1:9/nobody-listens',
    isEnabled: true,
    events: ['recovery_case.outcome'],
  });
  const { recoveryCaseId } = await anEndedCase();
  const [call] = (await get(`/calls?recoveryCaseId=${recoveryCaseId}`)).body.items;
  const [delivery] = (await get(`/deliveries?subject=${recoveryCaseId}`)).body.items;
  const records = { case: recoveryCaseId, call: call.id, patient: call.patient.id, delivery: delivery.id };

  for (const [kind, id] of Object.entries(records))
    expect((await get(`/lookup?id=${id}`)).body).toEqual({ found: { kind, id } });
});

test('every record of another clinic is answered as unknown', async () => {
  const { recoveryCaseId } = await anEndedCase();
  const [call] = (await get(`/calls?recoveryCaseId=${recoveryCaseId}`)).body.items;
  const [task] = (await get(`/tasks?recoveryCaseId=${recoveryCaseId}`)).body.items;

  for (const [method, path, id] of [
    ['GET', '/cases', recoveryCaseId],
    ['GET', '/calls', call.id],
    ['PATCH', '/tasks', task.id],
  ] as const) {
    const ask = (bearer: string, which: string) =>
      app.request(method, `${path}/${which}`, { bearer, ...(method === 'PATCH' && { body: { state: 'RESOLVED' } }) });
    const theirs = await ask(stranger, id);
    const nobodys = await ask(stranger, 'unknown');
    expect(theirs.status).toBe(404);
    expect(theirs.text.replaceAll(id, 'unknown')).toBe(nobodys.text);
    expect((await ask(staff, id)).status).toBe(200);
  }
  for (const list of ['/cases', '/calls', '/tasks', '/audit']) {
    const { text } = await get(`${list}?limit=200`, stranger);
    for (const id of [recoveryCaseId, call.id, task.id]) expect(text).not.toContain(id);
  }
});

describe('what is read of patients', () => {
  let patientId: string;
  /** The worker makes entries of it every second: not waited for. */
  const readsOf = async (query = '') => {
    await app.stores.auditChain.seal(1);
    return (await get(`/audit?reads=true&subject=${patientId}${query}`, admin)).body.items as Record<string, unknown>[];
  };

  beforeAll(async () => {
    const body = { firstName: 'Rhea', lastName: 'Audit', phone: aPhone() };
    patientId = (await app.request('POST', '/patients', { body, bearer: app.clinic.apiKey })).body.id;
  });

  test('is in the audit before the answer: who, what, whose, from where; shown again to a session it is not noted again', async () => {
    const { headers } = await get(`/patients/${patientId}`);
    await get(`/patients/${patientId}`);
    await get('/patients?search=rhea');
    await get(`/patients/${patientId}`, app.clinic.apiKey);
    await get(`/patients/${patientId}`, app.clinic.apiKey);

    const reads = (await readsOf()).toReversed();

    expect(reads.map(({ action }) => action)).toEqual([
      'patient.create',
      'patient.read',
      'patient.search',
      'patient.read',
      'patient.read',
    ]);
    expect(reads[1]).toMatchObject({
      actor: expect.stringMatching(/^account:/),
      actorName: 'Clinic staff',
      isRead: true,
      route: 'GET /patients/:patientId',
      subjects: [patientId],
      requestId: headers.get('x-request-id'),
      address: expect.stringContaining('127.0.0.1'),
    });
    expect(reads[3]).toMatchObject({ actor: expect.stringMatching(/^api-key:/) });
    expect(await readsOf('&action=patient.search')).toHaveLength(1);
  });

  test('in a page names all of the page', async () => {
    const { body, headers } = await get('/patients?limit=200', app.clinic.apiKey);
    await app.stores.auditChain.seal(1);

    const { items } = await app.stores.audit.list(app.clinic.clinicId, { hasReads: true, limit: 20 });
    const entry = items.find(({ requestId }) => requestId === headers.get('x-request-id'));
    const shown: string[] = body.items.map(({ id }: { id: string }) => id);
    expect(shown.length).toBeGreaterThan(1);
    expect(entry?.subjects.toSorted()).toEqual(shown.toSorted());
  });

  test.each([
    ['patient-journey/no_such_tool', 'unknown', true],
    ['patient-intake/validate_intake_field', 'validate_intake_field', true],
    ['emr-tools/document_and_escalate', 'document_and_escalate', false],
  ])('by a live tool is there too, as its call, once for each request: %s', async (path, tool, isRead) => {
    const callId = await app.openTestCall({ patientId });
    await app.tool(path, callId);

    const [family = ''] = path.split('/');
    expect(await readsOf(`&action=tool.${tool}`)).toMatchObject([
      { actor: `call:${callId}`, subjects: [patientId], isRead, route: `${family}/${tool}` },
    ]);
  });

  test('is shown to those with the right to the audit alone, as a list, as CSV and as FHIR', async () => {
    expect((await get('/audit?reads=true')).status).toBe(403);
    expect((await get('/audit/export')).status).toBe(403);
    expect((await get('/AuditEvent')).status).toBe(403);

    await app.stores.auditChain.seal(1);
    const { text } = await get(`/audit/export?reads=true&subject=${patientId}`, admin);
    const csv = text.split('\n');
    const changes = (await get(`/audit/export?subject=${patientId}`, admin)).text.trim().split('\n');
    const { body } = await get(`/AuditEvent?patient=Patient/${patientId}&date=ge2020-01-01&_count=2`, admin);

    const asked = `/audit/export?reads=true&subject=${patientId}&format=ndjson`;
    const lines = (await get(asked, admin)).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    await app.stores.auditChain.seal(1);
    const [{ route, subjects }] = (await get('/audit?reads=true&action=audit.list&limit=1', admin)).body.items;

    expect(csv[0]).toBe('at,actor,actorName,action,isRead,route,subject,subjects,detail,address,requestId,id');
    const rows: { id: string }[] = parse(text, { columns: true });
    const entries = rows.map(({ id }) => lines.find((line) => line.id === id));
    expect(rows).toEqual(
      entries.map(({ patient: _patient, ...entry }) => ({
        ...entry,
        actorName: entry.actorName ?? '',
        isRead: String(entry.isRead),
        route: entry.route ?? '',
        subject: entry.subject ?? '',
        subjects: entry.subjects.join(' '),
        detail: JSON.stringify(entry.detail),
      })),
    );
    expect(new Set(rows.flatMap(Object.keys)).size).toBe(12);
    expect(lines.length).toBeGreaterThan(changes.length);
    expect(lines[0].patient).toEqual({ id: patientId, firstName: 'Rhea', lastName: 'Audit' });
    expect([route, subjects]).toEqual(['GET /audit/export', [patientId]]);
    expect(csv.find((line) => line.includes('patient.search'))).toContain(patientId);
    expect(changes.map((line) => line.split(',')[3])).toEqual([
      'action',
      'tool.document_and_escalate',
      'patient.create',
    ]);
    assertR4(body);
    expect(body.entry).toHaveLength(2);
    expect(body.link.at(-1)).toMatchObject({ relation: 'next' });
    const next = (await get(body.link.at(-1).url.split('/api')[1], admin)).body;
    assertR4(next);
    expect(next.entry[0].resource.entity).toContainEqual(
      expect.objectContaining({ what: { reference: `Patient/${patientId}` } }),
    );
    expect(JSON.stringify([csv, body])).not.toContain('Rhea');
  });

  test('wakes no dashboard', async () => {
    const stream = await openStream(app.baseUrl, admin);
    await get(`/patients/${patientId}`, app.clinic.apiKey);
    await app.stores.auditChain.seal(1);
    await app.request('POST', `/patients/${patientId}/opt-outs`, { body: {}, bearer: app.clinic.apiKey });

    await app.stores.auditChain.seal(1);
    await stream.change('audit_entries');

    const told = stream.changes().flatMap(({ table, id }) => (table === 'audit_entries' ? [id] : []));
    const entries = await app.database.prisma.auditEntry.findMany({ where: { id: { in: told } } });
    expect(entries.map(({ action }) => action)).toEqual(['opt-out.add']);
    stream.close();
  });
});

describe('the stream', () => {
  test('tells what changes in this clinic, ids only, and nothing of another', async () => {
    const [mine, theirs] = await Promise.all([openStream(app.baseUrl, staff), openStream(app.baseUrl, stranger)]);
    expect(mine.contentType).toContain('text/event-stream');
    const { workflowId, recoveryCaseId } = await anEndedCase();

    await mine.change('recovery_cases', recoveryCaseId);
    await mine.change('workflow_runs', workflowId);
    await mine.change('calls');
    await mine.change('staff_tasks');
    expect(mine.changes().every((change) => Object.keys(change).toSorted().join() === 'id,table')).toBe(true);
    expect(mine.text()).not.toMatch(/Ann|Lee|\+1500/);
    expect(theirs.changes()).toEqual([]);
    mine.close();
    theirs.close();
  });

  test('ends when the session is revoked, and is closed to a token that was', async () => {
    const { email, password } = app.clinic.staff;
    const { token } = (await app.request('POST', '/auth/sign-in/email', { body: { email, password } })).body;
    const stream = await openStream(app.baseUrl, token);

    await app.request('POST', '/auth/sign-out', { bearer: token });

    await stream.ended;
    expect((await get('/stream', token)).status).toBe(401);
    expect((await get('/stream', await app.signIn(app.unlinkedAccount))).status).toBe(403);
  });
});

test('stopping the service ends its streams, and soon', async () => {
  const other = await startApp({ hasWorker: false });
  const stream = await openStream(other.baseUrl, await other.staff());

  const startedAt = Date.now();
  await other.stop();
  await stream.ended;

  expect(Date.now() - startedAt).toBeLessThan(15_000);
});

test('stopping the service answers who waits for an outcome, with the workflow as it is', async () => {
  const other = await startApp({ hasWorker: false });
  const { workflowId } = (await other.start(aStart({ clinicId: other.clinic.clinicId }))).body;

  const answer = other.request('GET', `/workflows/${workflowId}?wait=60`, { bearer: other.clinic.apiKey });
  await delay(200);
  await other.stop();

  expect(await answer).toMatchObject({ status: 200, body: { workflowId, status: 'started', outcome: null } });
});
