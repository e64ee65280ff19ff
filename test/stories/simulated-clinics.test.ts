import type { DevClinic } from '@clinic/accounts/seed';
import { typed } from '../support/command';
import { aPhone } from '../support/builders';
import { type App, startApp } from '../support/app';
import { eventually } from '../support/eventually';
import { type HttpReceiver, json, startHttpReceiver } from '../support/outside/http-receiver';
import { startVoicePlatform, type VoicePlatform } from '../support/live-call';

let app: App;
let platform: VoicePlatform;
let receiver: HttpReceiver;

beforeAll(async () => {
  platform = await startVoicePlatform();
  receiver = await startHttpReceiver(json(200, {}));
  app = await startApp({ env: platform.env });
}, 240_000);

afterAll(async () => {
  await app.stop();
  await platform.close();
  await receiver.close();
});

const command = (...args: string[]) => typed(['clinic', ...args], app.env);

/** A clinic as the documented command makes it, and open for calls at any time of the day. */
async function made(...options: string[]): Promise<DevClinic> {
  const args = ['create', '--name', `Clinic ${aPhone()}`, '--timezone', 'America/Denver', ...options];
  const created = (await command(...args, '--outbound-url', receiver.url)).shown as DevClinic;
  const { clinicId } = created;
  const policy = await app.stores.clinics.policy(app.clinic.clinicId);
  await app.stores.clinics.setPolicy(clinicId, policy);
  return created;
}

const eventsOf = ({ clinicId }: DevClinic) =>
  receiver.received
    .map(({ body, headers }) => ({ ...JSON.parse(body), isMarked: headers['x-clinic-simulated'] ?? null }))
    .filter((event) => event.clinicId === clinicId)
    .map(({ event, isMarked }) => ({ event, isMarked }));

const deliveriesOf = async (clinic: DevClinic) =>
  (await app.request('GET', '/deliveries', { bearer: await app.signIn(clinic) })).body.items;

const theCase = async (recoveryCaseId: string, clinic: DevClinic) => {
  const bearer = await app.signIn(clinic);
  const { body } = await app.request('GET', `/cases/${recoveryCaseId}`, { bearer });
  return body;
};

test('a clinic that is no demo calls real phones: no simulator plays its patients', async () => {
  const clinic = await made();
  const phone = aPhone();

  const { body } = await app.abandon({ phone }, clinic);
  await platform.callTo(phone);

  expect(await theCase(body.recoveryCaseId, clinic)).toMatchObject({ recoveryStatus: 'CALLING', isSimulated: false });
  await eventually(() => eventsOf(clinic).length > 0);
  expect(eventsOf(clinic)).toEqual([{ event: 'recovery_case.created', isMarked: null }]);
  expect(await deliveriesOf(clinic)).toMatchObject([{ about: { isSimulated: false } }]);
});

test('a clinic for production has an administrator of its own, and nothing that is invented', async () => {
  const email = `rosa.${aPhone().slice(1)}@clinic.example`;
  const args = [
    'create',
    '--name',
    'Clínica del Río',
    '--timezone',
    'America/Denver',
    '--no-fixtures',
    '--email',
    email,
  ];

  const { clinicId, country, password, inboundSecrets } = (await command(...args)).shown;

  const bearer = await app.signIn({ email, password });
  const read = async (path: string) => (await app.request('GET', path, { bearer })).body.items;
  expect(await Promise.all(['/providers', '/patients', '/calls'].map(read))).toEqual([[], [], []]);
  expect(await app.stores.clinics.find(clinicId)).toMatchObject({ voiceProvider: 'vapi', defaultCountry: country });
  expect((await command('set-country', '--clinic', clinicId, '--country', 'MX')).shown).toEqual({
    clinicId,
    country: 'MX',
  });
  expect(await app.stores.clinics.find(clinicId)).toMatchObject({ defaultCountry: 'MX' });
  await expect(command('set-country', '--clinic', clinicId, '--country', 'UK')).rejects.toThrow(
    /not a country of ISO 3166/,
  );
  expect(await app.database.prisma.user.count({ where: { clinicId } })).toBe(1);
  expect(Object.keys(inboundSecrets)).toHaveLength(7);
  await expect(command(...args)).rejects.toThrow(/There is an account with the email/);
  await expect(command(...args.slice(0, -2))).rejects.toThrow(/needs --email/);
  await expect(command(...args.slice(0, -1), 'rosa')).rejects.toThrow(/rosa is not an email address/);
});

test('where an operator asks for the simulator by name, all that it played is marked', async () => {
  const clinic = await made('--voice', 'simulator');
  const phone = aPhone();

  const { body } = await app.abandon({ phone }, clinic);
  const workflow = await app.ended(body.workflowId, clinic);

  expect(workflow).toMatchObject({ outcome: 'RECOVERED', isSimulated: true });
  expect(platform.ringsOf(phone)).toBe(0);
  await eventually(() => eventsOf(clinic).length === 2);
  expect(eventsOf(clinic)).toEqual([
    { event: 'recovery_case.created', isMarked: 'true' },
    { event: 'recovery_case.outcome', isMarked: 'true' },
  ]);
  expect(await deliveriesOf(clinic)).toMatchObject([
    { about: { isSimulated: true } },
    { about: { isSimulated: true } },
  ]);
  const recoveryCase = await theCase(body.recoveryCaseId, clinic);
  expect(recoveryCase).toMatchObject({ isSimulated: true });
  const calls = recoveryCase.timeline.filter(({ kind }: { kind: string }) => kind === 'call');
  expect(calls).toMatchObject([{ call: { isSimulated: true } }]);
});

test('a clinic leaves the simulator by a command; what was played before stays marked', async () => {
  const clinic = await made('--voice', 'simulator');
  const { clinicId } = clinic;
  const played = await app.abandon({ phone: aPhone() }, clinic);
  await app.ended(played.body.workflowId, clinic);

  expect((await command('set-voice', '--clinic', clinicId, '--voice', 'vapi')).shown).toEqual({
    clinicId,
    voiceProvider: 'vapi',
  });
  const phone = aPhone();
  const called = await app.abandon({ phone }, clinic);
  await platform.callTo(phone);

  expect(await theCase(called.body.recoveryCaseId, clinic)).toMatchObject({ isSimulated: false });
  expect(await theCase(played.body.recoveryCaseId, clinic)).toMatchObject({ isSimulated: true });
  const { items } = await app.stores.audit.list(clinicId, { action: 'voice-provider.change', limit: 5 });
  expect(items).toMatchObject([{ actor: 'operator', detail: { voiceProvider: 'vapi' } }]);
});

test('a clinic that goes back to the simulator has its open cases marked from then on', async () => {
  const clinic = await made();
  const phone = aPhone();
  const { body } = await app.abandon({ phone }, clinic);
  await platform.callTo(phone);

  await command('set-voice', '--clinic', clinic.clinicId, '--voice', 'simulator');

  expect(await theCase(body.recoveryCaseId, clinic)).toMatchObject({ isSimulated: true });
});

test('nothing else puts a clinic that is no demo on the simulator', async () => {
  const { clinicId } = await made();

  await expect(
    app.database.prisma.clinic.update({ where: { id: clinicId }, data: { voiceProvider: 'simulator' } }),
  ).rejects.toThrow(/clinics_simulator_by_name/);
  await expect(command('set-voice', '--clinic', clinicId, '--voice', 'twilio')).rejects.toThrow(
    "argument 'twilio' is invalid. Allowed choices are vapi, simulator.",
  );
  await expect(command('set-voice', '--clinic', 'clinic-none', '--voice', 'vapi')).rejects.toThrow(
    'There is no clinic clinic-none.',
  );
});
