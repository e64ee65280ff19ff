import { demoPolicy } from '@clinic/prisma/fixtures';
import { type App, startApp } from '../../support/app';
import { aPhone, aSession, aStart } from '../../support/builders';
import { eventually } from '../../support/eventually';

let app: App;

beforeAll(async () => {
  app = await startApp();
}, 240_000);

afterEach(() => app.stores.clinics.setPolicy(app.clinic.clinicId, demoPolicy));

afterAll(() => app.stop());

/** A workflow that waits for a call hours away. */
async function aWaitingWorkflow(sessionId = aSession()) {
  await app.stores.clinics.setPolicy(app.clinic.clinicId, { ...demoPolicy, firstCallDelaySeconds: 3_600 });
  const { body } = await app.start(aStart({ clinicId: app.clinic.clinicId, sessionId, phone: aPhone() }));
  return body.workflowId as string;
}

describe('starting', () => {
  test('is answered at once, as the contract shows it, and leads to an outcome', async () => {
    const { status, body } = await app.start(aStart({ clinicId: app.clinic.clinicId }));

    const workflow = await app.ended(body.workflowId);

    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'started', patientFirstName: 'Ann', patientLastName: 'Lee' });
    expect(body.workflowId).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(workflow).toMatchObject({ status: 'completed', outcome: 'RECOVERED', completedAt: expect.any(String) });
  });

  test('for a session whose person was erased opens nothing', async () => {
    const { clinicId } = app.clinic;
    const start = aStart({ clinicId });
    const { body } = await app.start(start);
    await app.ended(body.workflowId);
    const { patientId } = await app.database.prisma.recoveryCase.findFirstOrThrow({
      where: { workflowId: body.workflowId },
    });
    await app.stores.erasures.request({ clinicId, patientId, reason: 'patient_request' }, { actor: 'operator' });
    await eventually(async () => !(await app.stores.patients.exists(clinicId, patientId)));

    const again = await app.start(start);

    const { sessionId } = start.context;
    expect([again.status, again.body.code, again.body.message]).toEqual([
      409,
      'conflict',
      `What session ${sessionId} had opened was erased`,
    ]);
  });

  test('twice for one session is one workflow', async () => {
    const start = aStart({ clinicId: app.clinic.clinicId });

    const [first, again] = [await app.start(start), await app.start(start)];

    expect(again.status).toBe(200);
    expect(again.body.workflowId).toBe(first.body.workflowId);
  });

  test('works without a resume URL', async () => {
    const { patient, clinicId, workflowType } = aStart({ clinicId: app.clinic.clinicId });

    const { status } = await app.start({ workflowType, clinicId, patient, context: { sessionId: aSession() } });

    expect(status).toBe(200);
  });

  test('with an Idempotency-Key gives the first answer again; another body under it is 422', async () => {
    const ask = (body: unknown) =>
      app.request('POST', '/workflows/start', {
        body,
        bearer: app.clinic.apiKey,
        headers: { 'idempotency-key': 'start-1' },
      });
    const start = aStart({ clinicId: app.clinic.clinicId });

    const [first, again, other] = [await ask(start), await ask(start), await ask(aStart(app.clinic))];

    expect(again.text).toBe(first.text);
    expect(other).toMatchObject({ status: 422, body: { statusCode: 422, error: 'Unprocessable Entity' } });
  });

  test.each([
    ['workflowType', { workflowType: undefined }],
    ['clinicId', { clinicId: undefined }],
    ['patient.firstName', { patient: { lastName: 'Lee', phone: '+15005550001' } }],
    ['patient.lastName', { patient: { firstName: 'Ann', phone: '+15005550001' } }],
    ['patient.phone', { patient: { firstName: 'Ann', lastName: 'Lee' } }],
    ['patient.phone', { patient: { firstName: 'Ann', lastName: 'Lee', phone: '415 555 0100' } }],
    ['context.sessionId', { context: {} }],
    ['context.sessionId', { context: { sessionId: 'x'.repeat(201) } }],
    ['context.sessionId', { context: { sessionId: 'line\nbreak' } }],
    ['context.resumeUrl', { context: { sessionId: 's', resumeUrl: 'javascript:alert(1)' } }],
    ['patient', { patient: 'Ann' }],
    ['context', { context: null }],
  ])('without a good %s is 400 and names it', async (path, wrong) => {
    const { status, body } = await app.start({ ...aStart({ clinicId: app.clinic.clinicId }), ...wrong });

    expect(status).toBe(400);
    expect(body).toMatchObject({ statusCode: 400, error: 'Bad Request', message: expect.stringContaining(path) });
    expect(body.details).toEqual([{ path, message: expect.any(String) }]);
  });

  test('an unknown workflow type is 400 and lists those there are', async () => {
    const { status, body } = await app.start({ ...aStart(app.clinic), workflowType: 'recall' });

    expect(status).toBe(400);
    expect(body.message).toContain('abandonment-recovery');
    expect(body.message).toContain('prescription-follow-up');
  });
});

describe('asking', () => {
  test('knows nothing yet of what it does not know', async () => {
    const workflowId = await aWaitingWorkflow();

    const { status, body } = await app.workflow(workflowId);

    expect(status).toBe(200);
    expect(body).toEqual({
      workflowId,
      status: 'started',
      outcome: null,
      completedAt: null,
      workflowType: 'abandonment-recovery',
      attempts: 0,
      isSimulated: true,
      startedAt: expect.any(String),
      recoveryCaseId: expect.any(String),
    });
  });

  test('?wait= holds the answer until the workflow ends, and no longer than asked', async () => {
    const workflowId = await aWaitingWorkflow();

    const startedAt = Date.now();
    const patient = await app.workflow(workflowId, { wait: 1 });
    const waitedMs = Date.now() - startedAt;
    const ending = app.workflow(workflowId, { wait: 60 });
    await app.request('POST', `/workflows/${workflowId}/cancel`, { bearer: app.clinic.apiKey });
    const ended = await ending;

    expect(patient.body.status).toBe('started');
    expect(waitedMs).toBeGreaterThanOrEqual(1_000);
    expect(waitedMs).toBeLessThan(20_000);
    expect(ended.body.status).toBe('cancelled');
    expect(Date.now() - startedAt).toBeLessThan(45_000);
  });

  test.each(['?wait=soon', '?wait=-1', '?wait=1&wait=2'])('%s is 400', async (query) => {
    const { status } = await app.request('GET', `/workflows/any${query}`, { bearer: app.clinic.apiKey });

    expect(status).toBe(400);
  });

  test("an unknown workflow and another clinic's are answered alike", async () => {
    const workflowId = await aWaitingWorkflow();
    const stranger = { bearer: app.otherClinic.apiKey };

    const [unknown, foreign, foreignCancel] = await Promise.all([
      app.request('GET', '/workflows/nothing', stranger),
      app.request('GET', `/workflows/${workflowId}`, stranger),
      app.request('POST', `/workflows/${workflowId}/cancel`, stranger),
    ]);

    expect(unknown).toMatchObject({
      status: 404,
      body: { statusCode: 404, message: 'Workflow nothing not found', error: 'Not Found' },
    });
    expect(foreign).toMatchObject({ status: 404, body: { message: `Workflow ${workflowId} not found` } });
    expect(foreignCancel).toMatchObject({ status: 404, body: foreign.body });
    expect((await app.workflow(workflowId)).body.status).toBe('started');
  });
});

describe('listing', () => {
  test('pages from the newest to the oldest, each once, by status and type', async () => {
    const clinic = await app.addClinic();
    const started: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const { body } = await app.abandon({ phone: null }, clinic);
      started.unshift(body.workflowId);
    }
    for (const workflowId of started) await app.ended(workflowId, clinic);
    const list = (query: string) => app.request('GET', `/workflows?${query}`, { bearer: clinic.apiKey });

    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await list(`limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      seen.push(...body.items.map(({ workflowId }: { workflowId: string }) => workflowId));
      cursor = body.nextCursor ?? '';
    } while (cursor);
    const [completed, open, typed, first] = await Promise.all([
      list('status=completed'),
      list('status=started'),
      list('workflowType=abandonment-recovery&limit=1'),
      list('limit=2'),
    ]);
    const foreign = await app.request('GET', `/workflows?cursor=${first.body.nextCursor}`, {
      bearer: app.clinic.apiKey,
    });

    expect(seen).toEqual(started);
    expect(completed.body.items).toHaveLength(5);
    expect(open.body).toEqual({ items: [], nextCursor: null });
    expect(typed.body.items).toEqual([(await app.workflow(started[0] ?? '', { clinic })).body]);
    expect(foreign.status).toBe(400);
  });

  test.each(['limit=0', 'limit=-1', 'limit=many', 'status=done', 'workflowType=recall', 'cursor=x', 'limit=1&limit=2'])(
    '%s is 400',
    async (query) => {
      const { status, body } = await app.request('GET', `/workflows?${query}`, { bearer: app.clinic.apiKey });

      expect([status, body.error]).toEqual([400, 'Bad Request']);
    },
  );

  test('a limit beyond the most is read as the most', async () => {
    const { status } = await app.request('GET', '/workflows?limit=100000', { bearer: app.clinic.apiKey });

    expect(status).toBe(200);
  });
});

describe('cancelling', () => {
  test('ends the workflow and its case, once', async () => {
    const workflowId = await aWaitingWorkflow();
    const cancel = () => app.request('POST', `/workflows/${workflowId}/cancel`, { bearer: app.clinic.apiKey });

    const [first, again] = [await cancel(), await cancel()];

    expect(first).toMatchObject({
      status: 200,
      body: { workflowId, status: 'cancelled', outcome: 'FOLLOW_UP_REQUIRED', completedAt: expect.any(String) },
    });
    expect(again).toMatchObject({
      status: 409,
      body: { statusCode: 409, message: `Workflow ${workflowId} has ended already`, error: 'Conflict' },
    });
  });

  test('again under the same Idempotency-Key gets the first answer: it may have been lost', async () => {
    const workflowId = await aWaitingWorkflow();
    const cancel = (key: string) =>
      app.request('POST', `/workflows/${workflowId}/cancel`, {
        bearer: app.clinic.apiKey,
        headers: { 'idempotency-key': key },
      });

    const [first, again, another] = [await cancel('one'), await cancel('one'), await cancel('another')];

    expect([first.status, again.status, another.status]).toEqual([200, 200, 409]);
    expect(again.body).toEqual(first.body);
  });

  test('many times at once succeeds once', async () => {
    const workflowId = await aWaitingWorkflow();

    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        app.request('POST', `/workflows/${workflowId}/cancel`, { bearer: app.clinic.apiKey }),
      ),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
  });

  test('staff may, from the dashboard', async () => {
    const workflowId = await aWaitingWorkflow();

    const { status } = await app.request('POST', `/workflows/${workflowId}/cancel`, { bearer: await app.staff() });

    expect(status).toBe(200);
  });

  test('tells the clinic the outcome', async () => {
    const sessionId = aSession();
    const workflowId = await aWaitingWorkflow(sessionId);

    await app.request('POST', `/workflows/${workflowId}/cancel`, { bearer: app.clinic.apiKey });

    const events = await app.database.sql`
      select data ->> 'recoveryStatus' as status from outbound_events
      where event = 'recovery_case.outcome' and data ->> 'sessionId' = ${sessionId}`;
    expect(events).toEqual([{ status: 'FOLLOW_UP_REQUIRED' }]);
  });
});

describe('runs, as an administrator looks after them', () => {
  const ask = async (method: string, path: string, body?: unknown) =>
    app.request(method, path, { body, bearer: await app.admin() });

  test('say what comes next and why, are counted, and are cancelled together, by a job that says how far it is', async () => {
    // Runs of the tests before may end by themselves meanwhile.
    const from = new Date().toISOString();
    const ids = [await aWaitingWorkflow(), await aWaitingWorkflow(), await aWaitingWorkflow()];
    const { items } = await eventually(async () => {
      const { body } = await ask('GET', '/runs?status=started&limit=3');
      return body.items.every(({ next }: { next: { step: string } }) => next.step === 'wait') && body;
    });
    const { body: counted } = await ask('GET', '/runs/counts');
    const tried = await ask('POST', '/runs/cancel', { workflowType: 'abandonment-recovery', from });
    const later = await aWaitingWorkflow();
    const begun = await ask('POST', '/runs/cancel', {
      workflowType: 'abandonment-recovery',
      from,
      until: tried.body.until,
      dryRun: false,
    });
    const ended = await eventually(async () => {
      const { body } = await ask('GET', `/bulk-jobs/${begun.body.job.id}`);
      return body.state === 'DONE' && body;
    });

    const openOf = ({ counts }: { counts: { status: string; workflowType: string; count: number }[] }) =>
      counts.find(({ status, workflowType }) => status === 'started' && workflowType === 'abandonment-recovery')
        ?.count ?? 0;
    expect(items.map(({ workflowId }: { workflowId: string }) => workflowId).toSorted()).toEqual(ids.toSorted());
    expect(items[0]).toMatchObject({
      patient: { firstName: 'Ann', lastName: 'Lee' },
      next: { step: 'wait', at: expect.any(String), rule: 'first_call_delay' },
      lastDecision: { decided: 'wait', rule: 'first_call_delay' },
      cancelledBy: null,
    });
    expect(openOf(counted)).toBeGreaterThanOrEqual(3);
    const { total } = tried.body;
    expect(tried.body).toMatchObject({ parts: [{ name: 'abandonment-recovery', count: total }], job: null });
    expect(begun.body.job).toMatchObject({ kind: 'cancel_runs', state: 'RUNNING', total });
    expect(ended).toMatchObject({ failed: 0, requestedBy: 'Clinic admin' });
    expect([total, ended.done, ended.skipped]).toEqual([3, 3, 0]);
    const { body: after } = await ask('GET', '/runs?limit=4');
    expect(
      after.items.map(({ workflowId, status, outcome, cancelledBy, next }: Record<string, unknown>) => ({
        isLater: workflowId === later,
        status,
        outcome,
        cancelledBy,
        hasNext: next !== null,
      })),
    ).toEqual([
      { isLater: true, status: 'started', outcome: null, cancelledBy: null, hasNext: true },
      ...ids.map(() => ({
        isLater: false,
        status: 'cancelled',
        outcome: 'FOLLOW_UP_REQUIRED',
        cancelledBy: ended.requestedBy,
        hasNext: false,
      })),
    ]);
    expect(await ask('POST', `/bulk-jobs/${ended.id}/stop`)).toMatchObject({ status: 409 });
    const refused = await app.request('POST', '/runs/cancel', { body: {}, bearer: await app.staff() });
    expect(refused.status).toBe(403);
  });
});

describe('the API key', () => {
  const ask = (headers: Record<string, string>) => app.request('GET', '/workflows', { headers });

  test.each([
    ['is missing', {}],
    ['is empty', { authorization: 'Bearer ' }],
    ['is wrong', { authorization: `Bearer ck_${'x'.repeat(43)}` }],
    ['is sent as Basic', { authorization: 'Basic Y2s6eA==' }],
    ['is far too long', { authorization: `Bearer ${'k'.repeat(4_000)}` }],
  ])('that %s is 401', async (_how, headers) => {
    const { status, body, headers: answered } = await ask(headers);

    expect(status).toBe(401);
    expect(body).toEqual({ statusCode: 401, message: expect.any(String), error: 'Unauthorized', code: 'unauthorized' });
    expect(answered.get('www-authenticate')).toBe('Bearer');
  });

  test('is no session, and a session is no API key', async () => {
    const asSession = await app.request('GET', '/tasks', { bearer: app.clinic.apiKey });
    const asKey = await app.request('GET', '/workflows', { bearer: await app.admin() });

    expect([asSession.status, asKey.status]).toEqual([401, 401]);
  });

  test('that is revoked opens nothing from that moment on, while another one still does', async () => {
    const { clinicId, apiKey } = app.clinic;
    const { id, key } = await app.stores.keys.createApiKey({ clinicId, name: 'Second key', scopes: ['workflows'] });
    const before = await app.request('GET', '/workflows', { bearer: key });

    await app.stores.keys.revokeApiKey(clinicId, id);

    await eventually(async () => (await app.request('GET', '/workflows', { bearer: key })).status === 401, {
      within: 2_000,
    });
    expect(before.status).toBe(200);
    expect((await app.request('GET', '/workflows', { bearer: apiKey })).status).toBe(200);
  });

  test('of one clinic starts nothing for another: 403', async () => {
    const { status, body } = await app.start(aStart(app.otherClinic), app.clinic);

    expect([status, body.error]).toEqual([403, 'Forbidden']);
  });
});
