import { randomBytes } from 'node:crypto';
import { createClinic, type DevClinic } from '@clinic/accounts/seed';
import { readApiConfig } from '@clinic/shared/config';
import { startApp, type App } from '../../support/app';
import { aPatient } from '../../support/calls';
import { openSandbox } from '../../support/fhir';

/** A clinic with real patients has no sandbox: what a sandbox does to records would be done to theirs. */

let app: App;
beforeAll(async () => {
  app = await startApp({ hasWorker: false });
});
afterAll(() => app.stop());

const CONFIG = '/abandonment-recovery/sandbox-emr/config';

/** A clinic as the operator makes one for real calls, or for rehearsals with the simulator. */
const aClinic = (voiceProvider: 'vapi' | 'simulator'): Promise<DevClinic> => {
  const { SECRET_KEYS: secretKeys, AUTH_SECRET: authSecret } = readApiConfig(app.env);
  const about = { name: `Real ${randomBytes(4).toString('hex')}`, timezone: 'America/Denver', demo: false };
  return createClinic({ database: app.database, secretKeys, authSecret }, { ...about, voiceProvider });
};

/** Books the last open time of a fortnight; returns the appointment's id. */
const book = async ({ clinicId }: DevClinic, patientId: string): Promise<string> => {
  const now = new Date();
  const until = new Date(now.getTime() + 14 * 86_400_000).toISOString();
  const found = await app.stores.appointments.openSlots({
    clinicId,
    provider: null,
    from: now.toISOString(),
    until,
    now,
  });
  const slot = found.kind === 'slots' ? found.slots.at(-1) : undefined;
  if (!slot) throw new Error('no time is open');
  const booking = { provider: slot.providerName, visitType: 'Visit', startsAt: slot.startsAt, now };
  const booked = await app.stores.appointments.book({ clinicId, patientId, ...booking });
  if (booked.kind !== 'booked') throw new Error(booked.kind);
  return booked.appointment.id;
};

test('a clinic with real patients cannot switch a sandbox on, reset, restore, set its clock or choose failures', async () => {
  const clinic = await aClinic('vapi');
  const bearer = await app.signIn(clinic);
  const patientId = await aPatient(app, { clinicId: clinic.clinicId });
  const appointmentId = await book(clinic, patientId);
  const ask = (method: string, path: string, body?: unknown) => app.request(method, path, { body, bearer });

  const refused = [
    await ask('PUT', CONFIG, { enabled: true }),
    await ask('POST', '/sandbox/reset'),
    await ask('POST', '/sandbox/snapshots', { name: 'x' }),
    await ask('POST', '/sandbox/snapshots/x/restore'),
    await ask('PUT', '/sandbox/clock', { at: '2028-02-28T08:00:00-07:00' }),
    await ask('POST', '/sandbox/clock/advance', { days: 900 }),
    await ask('DELETE', '/sandbox/clock'),
    await ask('POST', '/sandbox/failures', { failure: 'server_error' }),
  ];

  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 409));
  for (const { body } of refused)
    expect(body).toMatchObject({ code: 'conflict', message: expect.stringMatching(/named sandbox/) });
  expect((await ask('GET', CONFIG)).body).toEqual({ enabled: false });
  expect((await ask('PUT', CONFIG, { enabled: false })).body).toEqual({ saved: true, enabled: false });
  expect((await app.stores.appointments.find(clinic.clinicId, appointmentId))?.status).toBe('booked');
  // The way that the refusal names.
  expect((await ask('POST', '/sandboxes', { name: 'To try' })).status).toBe(200);
});

test('nothing but a demo or a simulated clinic has a sandbox, whatever writes to the database', async () => {
  const { clinicId } = await aClinic('vapi');
  const enable = app.database.sql`update clinics set sandbox_enabled = true where id = ${clinicId}`;

  await expect(enable).rejects.toThrow(/clinics_sandbox_without_patients/);
});

test('a clinic that leaves the simulator loses its sandbox, and the audit says so', async () => {
  const clinic = await aClinic('simulator');
  const { admin } = await openSandbox(app, clinic);

  await app.stores.clinics.setVoiceProvider(clinic.clinicId, 'vapi', { actor: 'operator' });

  expect(await app.stores.clinics.find(clinic.clinicId)).toMatchObject({ isSandboxEnabled: false });
  const { body } = await app.request('GET', '/audit?action=sandbox.disable', { bearer: admin });
  expect(body.items).toMatchObject([{ actor: 'operator' }]);
});

test('a reset and the clock touch only what the sandbox made, and the audit holds counts and ids', async () => {
  const clinic = await aClinic('simulator');
  const { clinicId } = clinic;
  const before = await aPatient(app, { clinicId, birthDate: '1980-01-01' });
  await app.database.sql`update patients set identifier = 'REAL-1' where id = ${before}`;
  const kept = await book(clinic, before);
  const sandbox = await openSandbox(app, clinic);
  const stranger = await sandbox.aPatient();
  const booked = await sandbox.aBooked({ patient: stranger });

  const bearer = sandbox.admin;
  await app.request('PUT', '/sandbox/clock', { body: { at: '2040-02-28T08:00:00-07:00' }, bearer });
  const ofClock = await app.stores.appointments.find(clinicId, kept);
  await app.request('DELETE', '/sandbox/clock', { bearer });
  const reset = await app.request('POST', '/sandbox/reset', { bearer });

  expect([reset.status, ofClock?.status]).toEqual([200, 'booked']);
  expect((await app.stores.appointments.find(clinicId, kept))?.status).toBe('booked');
  expect(await app.stores.patients.exists(clinicId, before)).toBe(true);
  expect(await app.stores.appointments.find(clinicId, booked.id)).toBeNull();
  expect(await app.stores.patients.exists(clinicId, stranger)).toBe(false);
  const { body } = await app.request('GET', '/audit?action=sandbox.reset', { bearer });
  const { detail } = body.items[0];
  expect(detail).toMatchObject({ patients: 13, documents: 0, patientIds: expect.arrayContaining([stranger]) });
  expect(detail.appointmentIds).toContain(booked.id);
  expect(detail.appointmentIds).toHaveLength(detail.appointments);
  expect(JSON.stringify(detail)).not.toContain(kept);
});
