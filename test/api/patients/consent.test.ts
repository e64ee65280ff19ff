import { type App, startApp } from '../../support/app';
import { aPhone, aSession } from '../../support/builders';

let app: App;
let staff: string;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  staff = await app.staff();
});
afterAll(() => app.stop());

const patientOf = async (workflowId: string) => {
  const run = await app.database.prisma.workflowRun.findUniqueOrThrow({ where: { id: workflowId } });
  return String(run.patientId);
};
const consentOf = async (patientId: string) =>
  (await app.request('GET', `/patients/${patientId}`, { bearer: staff })).body.consent;

const post = (path: keyof App['clinic']['inboundSecrets'], body: unknown) =>
  app.request('POST', `/automation/webhook/${app.clinic.clinicId}/${path}`, {
    body,
    headers: { 'x-automation-secret': app.clinic.inboundSecrets[path] },
  });

const followUp = (phone: string, consent: unknown) =>
  post('patient-follow-up-required', {
    event: 'patient.follow_up_required',
    tenant_id: 'tenant-1',
    data: {
      event_id: aSession(),
      patient: { phi_first_name: 'Ada', phi_last_name: 'Example', phi_phone: phone },
      follow_up: { reason: 'care_gap' },
      consent,
    },
  });

test('the consent of an event is kept on the patient, and the next one takes its place', async () => {
  const phone = aPhone();
  const told = { basis: 'intake form, box 4', given_at: '2026-11-01T10:00:00Z', source: 'forms.example' };

  const first = await followUp(phone, told);
  const patientId = await patientOf(first.body.workflowId);
  const kept = await consentOf(patientId);
  await followUp(phone, null);
  const still = await consentOf(patientId);
  await followUp(phone, { given: false, basis: 'revoked online' });

  expect(kept).toEqual({
    isGiven: true,
    basis: 'intake form, box 4',
    at: '2026-11-01T10:00:00.000Z',
    source: 'forms.example',
  });
  expect(still).toEqual(kept);
  expect(await consentOf(patientId)).toMatchObject({
    isGiven: false,
    basis: 'revoked online',
    source: 'patient.follow_up_required',
  });
});

test('what the patient says in a call is kept with the call', async () => {
  const pointer = await app.openTestCall({ workflowType: 'new-patient-journey' });

  await app.tool('patient-journey/update_registration_field', pointer, { commsConsent: true });

  const { patientId, id } = await app.database.prisma.call.findUniqueOrThrow({ where: { platformCallId: pointer } });
  expect(await consentOf(patientId)).toMatchObject({ isGiven: true, basis: 'said in a call', source: `call:${id}` });
});

test('a consent without a basis is refused by name', async () => {
  expect(await followUp(aPhone(), { given: true })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'data.consent.basis' }] },
  });
});
