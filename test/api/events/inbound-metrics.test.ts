import { type InboundPath, inboundEvents, inboundPaths } from '@clinic/shared/contracts/events/inbound-events';
import { type App, startApp } from '../../support/app';
import { aCompletedForm, anAbandonedForm, aPhone, aSession } from '../../support/builders';
import { eventually } from '../../support/eventually';
import { aPatientEvent, type PatientEventPath } from '../../support/patient-events';

let app: App;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
}, 240_000);

afterAll(() => app.stop());

function bodyOf(path: InboundPath): unknown {
  if (path === 'forms-abandoned') return anAbandonedForm();
  if (path === 'forms-completed') return aCompletedForm(aSession());
  return aPatientEvent(path);
}

test.each(inboundPaths)('%s is counted by its name, and apart where it came before', async (path) => {
  const body = bodyOf(path);
  for (const _ of [1, 2, 3]) expect((await app.inbound(path, body)).status).toBeLessThan(300);

  const metrics = await (await fetch(new URL('/metrics', app.baseUrl))).text();

  const count = (duplicate: boolean) => `inbound_events_total{event="${inboundEvents[path]}",duplicate="${duplicate}"}`;
  expect(metrics).toContain(`${count(false)} 1\n`);
  expect(metrics).toContain(`${count(true)} 2\n`);
  expect(metrics).toMatch(
    new RegExp(
      `^http_request_duration_seconds_count\\{route="POST /automation/webhook/:clinicId/${path}",status="20\\d"\\} \\d+$`,
      'm',
    ),
  );
});

/** The run that an event about a known patient starts. */
async function runOf(path: PatientEventPath, data: Record<string, unknown>) {
  const { status, body } = await app.inbound(path, aPatientEvent(path, { data }));
  expect([status, body]).toEqual([200, { accepted: true, duplicate: false, workflowId: expect.any(String) }]);
  return app.database.prisma.workflowRun.findUniqueOrThrow({
    where: { id: body.workflowId },
    include: { patient: true },
  });
}

const visit = {
  appointment_id: 'apt-1',
  provider_name: 'Dr.Chen',
  starts_at: '2031-03-03T15:00:00Z',
  visit_type: 'Eye',
};
const aboutVisit = {
  appointment: {
    appointmentId: 'apt-1',
    providerName: 'Dr.Chen',
    startsAt: '2031-03-03T15:00:00.000Z',
    visitType: 'Eye',
  },
};
const payment = { payment_id: 'pay-1', amount_cents: 0, currency: 'EUR', failure_reason: 'card_expired' };
const pills = { prescription_id: 'rx-1', medication_name: 'Amoxicillin', status: 'ready' };
const aboutPills = { prescriptionId: 'rx-1', medicationName: 'Amoxicillin', status: 'ready' };
const dueBy = '2031-03-03T15:00:00Z';

test.each<[PatientEventPath, data: Record<string, unknown>, workflowType: string, context: object]>([
  ['appointment-created', { appointment: visit }, 'appointment-confirmation', aboutVisit],
  ['appointment-approaching', { appointment: visit }, 'appointment-reminder', aboutVisit],
  [
    'payment-failed',
    { payment },
    'payment-recovery',
    { payment: { paymentId: 'pay-1', amountCents: 0, currency: 'EUR', failureReason: 'card_expired' } },
  ],
  [
    'prescription-status-changed',
    { prescription: { ...pills, previous_status: 'sent' } },
    'prescription-follow-up',
    { prescription: { ...aboutPills, previousStatus: 'sent' } },
  ],
  ['prescription-status-changed', { prescription: pills }, 'prescription-follow-up', { prescription: aboutPills }],
  [
    'prescription-status-changed',
    { prescription: { ...pills, previous_status: null } },
    'prescription-follow-up',
    { prescription: aboutPills },
  ],
  ['patient-follow-up-required', { follow_up: { reason: 'cancellation' } }, 'cancellation-follow-up', { followUp: {} }],
  [
    'patient-follow-up-required',
    { follow_up: { reason: 'reschedule', note: 'Mornings' } },
    'reschedule-follow-up',
    { followUp: { note: 'Mornings' } },
  ],
  [
    'patient-follow-up-required',
    { follow_up: { reason: 'care_gap', due_by: dueBy, note: null } },
    'care-gap-follow-up',
    { followUp: { dueBy: '2031-03-03T15:00:00.000Z' } },
  ],
])('%s with %j starts one %s', async (path, data, workflowType, context) => {
  const run = await runOf(path, data);

  expect([run.workflowType, run.context]).toEqual([workflowType, context]);
});

describe('an event tells of its patient', () => {
  const told = (about: Record<string, unknown>) => ({
    patient: { phi_first_name: 'Ann', phi_last_name: 'Lee', phi_phone: aPhone(), ...about },
  });

  test.each<[what: string, about: Record<string, unknown>, recorded: Record<string, unknown>]>([
    ['nothing more', {}, { firstName: 'Ann', lastName: 'Lee', email: null, birthDate: null, externalId: null }],
    ['names', { phi_first_name: ' Zoë ', phi_last_name: ' de la Cruz ' }, { firstName: 'Zoë', lastName: 'de la Cruz' }],
    ['an e-mail', { phi_email: ' ann@example.com ' }, { email: 'ann@example.com' }],
    ['a blank for an e-mail', { phi_email: '  ' }, { email: null }],
    ['null for an e-mail', { phi_email: null }, { email: null }],
    ['a date of birth', { phi_date_of_birth: '04/12/1986' }, { birthDate: '1986-04-12' }],
    ['no date for one', { phi_date_of_birth: 'in spring' }, { birthDate: null }],
    ['a date of birth to come', { phi_date_of_birth: '2999-01-01' }, { birthDate: null }],
    ['a phone of the country', { phi_phone: '(303) 555-0199' }, { phone: '+13035550199' }],
    ['a phone that is none', { phi_phone: 'call my son' }, { phone: null }],
    ['a blank for a phone', { phi_phone: '  ' }, { phone: null }],
    ['its own id', { patient_id: ' theirs-1 ' }, { externalId: 'theirs-1' }],
    ['a blank for its id', { patient_id: '  ' }, { externalId: null }],
  ])('%s', async (_what, about, recorded) => {
    const { patient } = await runOf('payment-failed', told(about));

    expect(patient).toMatchObject(recorded);
  });

  test.each([
    [' ann@example.com ', 'ann@example.com'],
    ['  ', null],
    [undefined, null],
  ])('a form that was left with %j for an e-mail', async (given, email) => {
    const form = anAbandonedForm({ data: { partial_form_data: { phi_phone: aPhone(), phi_email: given } } });
    const { body } = await app.inbound('forms-abandoned', form);

    const run = await app.database.prisma.workflowRun.findUniqueOrThrow({
      where: { id: body.workflowId },
      include: { patient: true },
    });
    expect(run.patient?.email).toBe(email);
  });

  test('whose phone is read by the country of the clinic, also once that is another', async () => {
    const { clinicId } = app.clinic;
    const isRead = async () =>
      (await runOf('payment-failed', told({ phi_phone: '020 7946 0958' }))).patient?.phone === '+442079460958';
    const before = await isRead();

    await app.stores.clinics.setCountry(clinicId, 'GB', { actor: 'operator' });
    await eventually(isRead, { within: 20_000 });
    await app.stores.clinics.setCountry(clinicId, 'US', { actor: 'operator' });

    expect(before).toBe(false);
    await eventually(async () => !(await isRead()), { within: 20_000 });
  });

  test.each([
    ['that cannot be read is left to staff', 'call my son', ['unreadable_phone']],
    ['that is none is left alone', '  ', []],
  ])('a phone %s', async (_what, phone, reasons) => {
    const { id: workflowId } = await runOf('payment-failed', told({ phi_phone: phone }));

    const tasks = await app.database.prisma.staffTask.findMany({ where: { workflowId } });
    expect(tasks.map(({ reason }) => reason)).toEqual(reasons);
  });
});
