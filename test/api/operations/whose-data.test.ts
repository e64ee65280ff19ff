import { type App, startApp } from '../../support/app';
import { aPhone, aSession, aStart } from '../../support/builders';
import { aCall, aPatient } from '../../support/calls';
import { openSandbox } from '../../support/fhir';

/** What shows or changes data of one patient, with the entry of the audit that names whose it is. */

let app: App;
let admin: string;
/** Ids by the names that stand in paths and bodies below. */
let ids: Record<string, string>;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  const { clinicId } = app.clinic;
  const sandbox = await openSandbox(app);
  admin = sandbox.admin;
  await app.sendEventsTo('http://127.0.0.1:9/events');
  const [appointment, other] = await Promise.all([sandbox.aBooked(), aPatient(app)]);
  const [, patientId] = appointment.participant[0].actor.reference.split('/');
  const { body: started } = await app.start(aStart({ clinicId, sessionId: aSession(), phone: aPhone() }));
  const recovery = await app.database.prisma.recoveryCase.findFirstOrThrow({
    where: { workflowId: started.workflowId },
  });
  const { callId } = await aCall(app, { workflowType: 'new-patient-journey', patientId });
  await app.stores.tasks.open({
    clinicId,
    reason: 'unverified_caller',
    cause: callId,
    patientId,
    callId,
    detail: {
      what: 'requested',
      providerName: 'Dr.Chen',
      visitType: 'Check-up',
      startsAt: await sandbox.aStart(),
    },
  });
  const [task] = (await ask('GET', `/tasks?patientId=${patientId}`)).body.items;
  const [delivery] = (await ask('GET', '/deliveries')).body.items;
  const erasure = await ask('POST', `/patients/${other}/erasure`, { reason: 'patient_request', confirm: other });
  ids = {
    patientId,
    other,
    appointmentId: appointment.id,
    start: await sandbox.aStart(),
    later: await sandbox.aStart(),
    workflowId: started.workflowId,
    inCase: recovery.patientId,
    caseId: recovery.id,
    callId,
    taskId: task.id,
    deliveryId: delivery.id,
    erasureId: erasure.body.id,
  };
}, 240_000);

afterAll(() => app.stop());

const ask = (method: string, path: string, body?: unknown, bearer = admin) =>
  app.request(method, path, { body, bearer });

const filled = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? '');

interface Row {
  does: string;
  body?: object;
  action: string;
  /** Names of ids. */
  of: string[];
  withKey?: boolean;
}

test.each<Row>([
  { does: 'PATCH /patients/{patientId}', body: { address: '1 Elm St' }, action: 'patient.change', of: ['patientId'] },
  { does: 'POST /patients/{patientId}/notes', body: { note: 'Late' }, action: 'patient.note', of: ['patientId'] },
  { does: 'GET /lookup?id={patientId}', action: 'record.look-up', of: ['patientId'] },
  { does: 'GET /appointments/{appointmentId}', action: 'appointment.read', of: ['patientId'] },
  {
    does: 'POST /appointments',
    body: { patientId: '{patientId}', providerName: 'Dr.Chen', startsAt: '{start}' },
    action: 'appointment.book',
    of: ['patientId'],
  },
  {
    does: 'POST /appointments/override',
    body: { patientId: '{patientId}', providerName: 'Dr.Chen', startsAt: '2035-01-14T11:07:00Z', reason: 'urgent' },
    action: 'appointment.book',
    of: ['patientId'],
  },
  {
    does: 'POST /appointments/{appointmentId}/reschedule',
    body: { startsAt: '{later}' },
    action: 'appointment.reschedule',
    of: ['patientId'],
  },
  { does: 'POST /appointments/{appointmentId}/cancel', action: 'appointment.cancel', of: ['patientId'] },
  { does: 'POST /appointments/{appointmentId}/restore', action: 'appointment.restore', of: ['patientId'] },
  {
    does: 'POST /appointments/{appointmentId}/attendance',
    body: { status: 'booked' },
    action: 'appointment.note',
    of: ['patientId'],
  },
  {
    does: 'POST /waitlist',
    body: { patientId: '{patientId}', earliestOn: '2035-01-01', latestOn: '2035-01-31' },
    action: 'waitlist.add',
    of: ['patientId'],
  },
  { does: 'GET /calls/{callId}', action: 'call.read', of: ['patientId'] },
  { does: 'GET /tasks/{taskId}', action: 'task.read', of: ['patientId'] },
  { does: 'POST /tasks/{taskId}/notes', body: { note: 'Rang twice' }, action: 'task.read', of: ['patientId'] },
  { does: 'POST /tasks/{taskId}/confirm', action: 'appointment.book', of: ['patientId'] },
  { does: 'GET /cases/{caseId}', action: 'case.read', of: ['inCase'] },
  { does: 'GET /deliveries/{deliveryId}', action: 'delivery.read', of: ['inCase'] },
  { does: 'GET /erasures/{erasureId}', action: 'erasure.read', of: ['other'] },
  { does: 'GET /workflows/{workflowId}', action: 'workflow.read', of: ['inCase'], withKey: true },
])('$does is in the audit as $action of $of', async ({ does, body, action, of, withKey }) => {
  const [method = '', path = ''] = filled(does).split(' ');
  const sent: unknown = body && JSON.parse(filled(JSON.stringify(body)));

  const { status, headers } = await ask(method, path, sent, withKey ? app.clinic.apiKey : admin);

  expect(status).toBe(200);
  const entry = await entryOf(headers);
  expect(entry?.action).toBe(action);
  expect(new Set(entry?.subjects)).toEqual(new Set(of.map((name) => ids[name])));
});

test('who is made or put on the waitlist is named by the entry, and who is taken off', async () => {
  const made = await ask('POST', '/patients', { firstName: 'Ines', lastName: 'Duarte', phone: '+13035550177' });
  const { id } = made.body;
  const added = await ask('POST', '/waitlist', { patientId: id, earliestOn: '2035-01-01', latestOn: '2035-01-31' });
  const removed = await ask('DELETE', `/waitlist/${added.body.id}`);

  const entries = await Promise.all([made, added, removed].map(({ headers }) => entryOf(headers)));
  expect(entries.map((entry) => [entry?.action, entry?.subjects])).toEqual([
    ['patient.create', [id]],
    ['waitlist.add', [id]],
    ['waitlist.remove', [id]],
  ]);
});

const entryOf = async (headers: Headers) => {
  await app.stores.auditChain.seal(1);
  const { items } = await app.stores.audit.list(app.clinic.clinicId, { hasReads: true, limit: 50 });
  return items.find(({ requestId, route }) => requestId === headers.get('x-request-id') && route !== null);
};
