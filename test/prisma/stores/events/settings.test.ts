import type { Database } from '@clinic/prisma/client';
import { createStores, type Stores } from '@clinic/prisma/stores';
import { ApprovedApi } from '@clinic/shared/contracts/events/approved-api';
import type { Crm } from '@clinic/shared/contracts/events/crm';
import { VoiceChange, withKeptKey } from '@clinic/shared/contracts/voice/voice';
import { aClinic, freshStores, secretKeys } from '../../../support/stores';

const approvedApi = ApprovedApi.parse({
  baseUrl: 'https://clinic.example/api',
  auth: { method: 'bearer', token: 'the-token-of-the-clinic' },
  actions: { 'patient.upsert': { method: 'PUT', path: '/patients/{patientId}' } },
});
const webhook: Crm = { kind: 'webhook', enabled: true, url: 'https://crm.example/hook', token: 'the-token-of-the-crm' };

const voice = withKeptKey(VoiceChange.parse({ provider: 'vapi', phoneNumberId: 'number-1' }), {
  ...withKeptKey(VoiceChange.parse({ provider: 'vapi' }), null),
  apiKey: 'the-token-of-the-account',
});

let database: Database;
let stores: Stores;
let clinicId: string;

beforeAll(async () => {
  ({ database, stores } = await freshStores());
});

beforeEach(async () => {
  clinicId = await aClinic(stores, 'Harbor');
});

afterAll(() => database.close());

test('a clinic that has set nothing has no API, no CRM and permits nothing', async () => {
  expect(await stores.settings.approvedApi(clinicId)).toBeNull();
  expect(await stores.settings.crm(clinicId)).toBeNull();
  expect(await stores.settings.voice(clinicId)).toBeNull();
  expect(await stores.settings.permittedActions(clinicId)).toEqual([]);
  expect(await stores.settings.removeApprovedApi(clinicId)).toBe(false);
});

test('what was set is read again, and a change replaces it', async () => {
  await stores.settings.setApprovedApi(clinicId, { ...approvedApi, actions: {} });
  await stores.settings.setApprovedApi(clinicId, approvedApi);
  await stores.settings.setCrm(clinicId, { kind: 'hubspot', enabled: false, accessToken: 'an-older-token' });
  await stores.settings.setCrm(clinicId, webhook);

  expect(await stores.settings.approvedApi(clinicId)).toEqual(approvedApi);
  expect(await stores.settings.permittedActions(clinicId)).toEqual(['patient.upsert']);
  expect(await stores.settings.crm(clinicId)).toEqual(webhook);
});

test('what a server said of itself is known until the API is at another one, and not when it is back', async () => {
  const there = { ...approvedApi, baseUrl: 'https://other.example/api' };
  const declared = { resourceType: 'CapabilityStatement' };
  const known = (baseUrl: string) => stores.settings.statement(clinicId, baseUrl);
  await stores.settings.setApprovedApi(clinicId, approvedApi);
  await stores.settings.keepStatement(clinicId, { baseUrl: approvedApi.baseUrl, declared });
  await stores.settings.setApprovedApi(clinicId, { ...approvedApi, actions: {} });
  const sameServer = await known(approvedApi.baseUrl);

  await stores.settings.setApprovedApi(clinicId, there);
  const atOther = [await known(there.baseUrl), await known(approvedApi.baseUrl)];
  await stores.settings.setApprovedApi(clinicId, approvedApi);

  expect(sameServer).toEqual(declared);
  expect([...atOther, await known(approvedApi.baseUrl)]).toEqual([null, null, null]);
});

test('what was removed is gone', async () => {
  await stores.settings.setApprovedApi(clinicId, approvedApi);
  await stores.settings.setCrm(clinicId, webhook);

  expect(await stores.settings.removeApprovedApi(clinicId)).toBe(true);
  await stores.settings.setCrm(clinicId, null);

  expect(await stores.settings.approvedApi(clinicId)).toBeNull();
  expect(await stores.settings.crm(clinicId)).toBeNull();
});

test('no credential is stored as text', async () => {
  await stores.settings.setApprovedApi(clinicId, approvedApi);
  await stores.settings.setCrm(clinicId, webhook);
  await stores.settings.setVoice(clinicId, 'simulator', voice);

  const stored = await database.sql<{ api: unknown; crm: unknown; voice: unknown }>`
    select to_jsonb(a) as api, to_jsonb(c) as crm, to_jsonb(v) as voice from approved_apis a
    join crm_settings c on c.clinic_id = a.clinic_id join voice_settings v on v.clinic_id = a.clinic_id
    where a.clinic_id = ${clinicId}`;

  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toMatch(/the-token/);
});

test('a voice key that no key of ours decrypts is told as that, and is there again once it is entered anew', async () => {
  await stores.settings.setVoice(clinicId, 'simulator', voice);
  await database.sql`update voice_settings set credentials = 'of another key ring' where clinic_id = ${clinicId}`;

  const unreadable = await stores.settings.voice(clinicId);
  await stores.settings.setVoice(clinicId, 'simulator', voice);

  expect(unreadable).toEqual({ ...voice, number: null, apiKey: null, isKeyUnreadable: true });
  expect(await stores.settings.voice(clinicId)).toEqual({ ...voice, number: null });
});

test('a number to call from is one of the clinic’s own, for as long as it is on its list', async () => {
  const other = await aClinic(stores, 'Meadow');
  const numbers = [{ number: `+1500555${String(Date.now()).slice(-4)}`, platformId: 'number-1', assistantId: null }];
  await stores.settings.setVoice(clinicId, 'simulator', voice);
  await stores.settings.setVoice(other, 'simulator', voice);

  await stores.phoneNumbers.replace(other, numbers);
  expect(await stores.settings.voice(clinicId)).toEqual({ ...voice, number: null });
  expect(await stores.settings.voice(other)).toEqual({ ...voice, number: numbers[0]?.number });
  await stores.phoneNumbers.replace(other, []);
  expect(await stores.settings.voice(other)).toEqual({ ...voice, number: null });
});

test('assistants that are named join those of their clinic alone, and everything else of its voice settings stays', async () => {
  const other = await aClinic(stores, 'Meadow');
  await stores.settings.setVoice(clinicId, 'simulator', voice);
  await stores.settings.setVoice(other, 'simulator', voice);

  await stores.settings.nameAssistants(clinicId, { 'abandonment-recovery': 'one', 'waitlist-offer': 'two' });
  await stores.settings.nameAssistants(clinicId, { 'waitlist-offer': 'three' }, { actor: 'operator' });

  const assistants = { 'abandonment-recovery': 'one', 'waitlist-offer': 'three' };
  expect(await stores.settings.voice(clinicId)).toEqual({ ...voice, number: null, assistants });
  expect(await stores.settings.voice(other)).toEqual({ ...voice, number: null });
  expect((await stores.audit.list(clinicId, { limit: 10 })).items).toMatchObject([
    { actor: 'operator', action: 'voice.assistants', detail: { assistants: { 'waitlist-offer': 'three' } } },
  ]);
  expect((await stores.audit.list(other, { limit: 10 })).items).toEqual([]);
});

test('a clinic that is no demo is not taken to the simulator by its settings', async () => {
  await stores.settings.setVoice(clinicId, 'vapi', voice, { actor: 'account:ada' });

  await expect(stores.settings.setVoice(clinicId, 'simulator', voice)).rejects.toMatchObject({ code: 'conflict' });

  expect(await stores.clinics.find(clinicId)).toMatchObject({ voiceProvider: 'vapi' });
  const { items } = await stores.audit.list(clinicId, { limit: 10 });
  // Both of one moment.
  expect(items.map(({ action }) => action).toSorted()).toEqual(['voice-provider.change', 'voice.change']);
  expect(JSON.stringify(items)).not.toMatch(/the-token/);
});

test('the secret of the voice platform is known by its digest for a day after the next one is made', async () => {
  const [first, second] = [await stores.keys.rotateVoice(clinicId), await stores.keys.rotateVoice(clinicId)];

  expect(await stores.keys.voiceSecret(clinicId)).toBe(second);
  expect(await stores.keys.clinicOfVoiceSecret(first)).toMatchObject({ clinicId });
  await database.sql`update secrets set expires_at = now() - interval '1 second' where clinic_id = ${clinicId} and expires_at is not null`;
  expect(await stores.keys.clinicOfVoiceSecret(first)).toBeNull();
  expect(await stores.keys.clinicOfVoiceSecret(second)).toMatchObject({ clinicId });
  expect(JSON.stringify(await database.sql`select * from secrets`)).not.toContain(second);
});

test('a credential that is copied to another clinic, or to another use, cannot be read there', async () => {
  const other = await aClinic(stores, 'Meadow');
  await stores.settings.setApprovedApi(clinicId, approvedApi);
  await stores.settings.setApprovedApi(other, approvedApi);
  await stores.settings.setCrm(clinicId, webhook);
  await database.sql`
    update approved_apis set credentials = (select credentials from approved_apis where clinic_id = ${clinicId})
    where clinic_id = ${other}`;
  await database.sql`
    update crm_settings set credentials = (select credentials from approved_apis where clinic_id = ${clinicId})
    where clinic_id = ${clinicId}`;

  await expect(stores.settings.approvedApi(other)).rejects.toThrow('unable to authenticate');
  await expect(stores.settings.crm(clinicId)).rejects.toThrow('unable to authenticate');
});

test('a new key takes over, and what an older key has sealed can still be read', async () => {
  await stores.settings.setCrm(clinicId, webhook);
  const newKey = { id: 'newer', key: Buffer.alloc(32, 9) };

  const later = createStores(database, [newKey, ...secretKeys]);
  const withoutOldKey = createStores(database, [newKey]);

  expect(await later.settings.crm(clinicId)).toEqual(webhook);
  await expect(withoutOldKey.settings.crm(clinicId)).rejects.toThrow('is not in the key ring');
  await later.settings.setCrm(clinicId, webhook);
  expect(await withoutOldKey.settings.crm(clinicId)).toEqual(webhook);
});

test('a change leaves an audit entry without the secret, and a change by nobody in particular leaves none', async () => {
  await stores.settings.setApprovedApi(clinicId, approvedApi, { actor: 'account:ada', requestId: 'request-1' });
  await stores.settings.setCrm(clinicId, webhook);

  const { items } = await stores.audit.list(clinicId, { limit: 10 });

  expect(items).toMatchObject([{ actor: 'account:ada', action: 'approved-api.change', requestId: 'request-1' }]);
  expect(JSON.stringify(items)).not.toMatch(/the-token/);
});
