import { createClinicHttp, type ClinicHttp, type OutboundAudit } from '@clinic/gateways/http/clinic-http';
import { createHubspot } from '@clinic/gateways/crm/hubspot';
import type { CrmContact } from '@clinic/gateways/crm/port';
import { createCrmWebhook } from '@clinic/gateways/crm/webhook';
import { createSafeHttp, type SafeHttp } from '@clinic/gateways/http/safe-http';
import { json, startHttpReceiver, type HttpReceiver } from '../../support/outside/http-receiver';
import { startHubspotServer, type HubspotServer } from '../../support/outside/hubspot-server';

let safeHttp: SafeHttp;
let http: ClinicHttp;
let audit: OutboundAudit[];

beforeEach(() => {
  safeHttp = createSafeHttp({ allowPrivateTargets: true });
  audit = [];
  http = createClinicHttp({ http: safeHttp, audit: (row) => void audit.push(row), adjustWait: () => 0 });
});
afterEach(() => safeHttp.close());

const aContact = (changed: Partial<CrmContact> = {}): CrmContact => ({
  externalKey: 'patient-1',
  firstName: 'Zoë',
  lastName: 'Marker',
  email: 'zoe@example.test',
  phone: '+15005550001',
  address: null,
  reasonForVisit: 'knee',
  ...changed,
});

describe('HubSpot', () => {
  let hubspot: HubspotServer;

  beforeEach(async () => {
    hubspot = await startHubspotServer('hubspot-token');
    hubspot.properties.add('clinic_workflows_key');
  });
  afterEach(() => hubspot.close());

  const gateway = (accessToken = 'hubspot-token') =>
    createHubspot({ http, clinicId: 'clinic-1', accessToken, baseUrl: hubspot.url });

  test('a new patient becomes a contact, what is not known is left out', async () => {
    expect(await gateway().upsertContact(aContact())).toEqual({ id: '101' });

    expect(hubspot.contacts.get('patient-1')?.properties).toEqual({
      clinic_workflows_key: 'patient-1',
      firstname: 'Zoë',
      lastname: 'Marker',
      email: 'zoe@example.test',
      phone: '+15005550001',
      message: 'knee',
    });
  });

  test('the same patient again is the same contact', async () => {
    await gateway().upsertContact(aContact());

    expect(await gateway().upsertContact(aContact({ lastName: 'Changed' }))).toEqual({ id: '101' });

    expect(hubspot.contacts.size).toBe(1);
    expect(hubspot.contacts.get('patient-1')?.properties).toMatchObject({ lastname: 'Changed' });
  });

  test.each([
    ['does not exist', (name: string) => `Property "${name}" does not exist`],
    ['is not unique', () => 'Unable to perform update/upsert by non-unique 0-1 property'],
    ['is not unique, by name', (name: string) => `Unable to perform update/upsert by non-unique 0-1 property ${name}`],
  ])('an account that says that the key property %s gets it', async (_how, sentence) => {
    hubspot.properties.clear();
    hubspot.missingProperty = sentence;

    expect(await gateway().upsertContact(aContact())).toEqual({ id: '101' });

    expect(JSON.parse(hubspot.requests[1]!.body)).toMatchObject({ name: 'clinic_workflows_key', hasUniqueValue: true });
  });

  test('a new account syncs at once, although it takes a moment to know its own property', async () => {
    hubspot.properties.clear();
    hubspot.propertyDelay = 2;

    expect(await gateway().upsertContact(aContact())).toEqual({ id: '101' });

    expect(hubspot.contacts.size).toBe(1);
  });

  test('an account whose key property stays not unique is refused in so many words', async () => {
    hubspot.propertyDelay = 100;

    await expect(gateway().upsertContact(aContact())).rejects.toMatchObject({
      code: 'refused',
      message: 'HubSpot does not take clinic_workflows_key as a unique property',
    });
  });

  test('an account that was just given the key property is not said to have another one', async () => {
    hubspot.properties.clear();
    hubspot.propertyDelay = 100;

    await expect(gateway().upsertContact(aContact())).rejects.toMatchObject({
      code: 'refused',
      message: expect.not.stringContaining('unique property'),
    });
  });

  test.each([
    ['make', [400, 403]],
    ['read', [400, 409, 403]],
  ])(
    'an account in which it may not %s the key property is refused, in words without what HubSpot says',
    async (_what, statuses) => {
      const answers = statuses.map((status) =>
        json(status, {
          status: 'error',
          message: 'Property "clinic_workflows_key" does not exist: Zoë',
          category: 'VALIDATION_ERROR',
        }),
      );
      hubspot.receiver.answer((request, response) => answers.shift()!(request, response));

      const error: unknown = await gateway()
        .upsertContact(aContact())
        .catch((caught: unknown) => caught);

      expect(error).toMatchObject({ name: 'CrmError', code: 'refused', message: 'HubSpot answered http 403' });
      expect(answers).toEqual([]);
    },
  );

  test('a contact that the clinic has under this e-mail address is updated, and found by our key from then on', async () => {
    const { id } = hubspot.addContact({ email: 'zoe@example.test', firstname: 'ZOE', company: 'Marker Ltd' });

    expect(await gateway().upsertContact(aContact())).toEqual({ id });
    expect(await gateway().upsertContact(aContact({ lastName: 'Changed' }))).toEqual({ id });

    expect(hubspot.contacts.size).toBe(1);
    expect(hubspot.contacts.get('patient-1')?.properties).toMatchObject({
      clinic_workflows_key: 'patient-1',
      firstname: 'Zoë',
      lastname: 'Changed',
      email: 'zoe@example.test',
      company: 'Marker Ltd',
    });
    expect(JSON.stringify(audit)).not.toContain(id);
  });

  test("a patient who has a contact of ours keeps it, and the address stays the other contact's", async () => {
    await gateway().upsertContact(aContact({ email: null }));
    hubspot.addContact({ email: 'zoe@example.test' });

    expect(await gateway().upsertContact(aContact({ lastName: 'Changed' }))).toEqual({ id: '101' });

    expect(hubspot.contacts.get('patient-1')?.properties).toMatchObject({ lastname: 'Changed' });
    expect(hubspot.contacts.get('patient-1')?.properties).not.toHaveProperty('email');
  });

  test.each([
    ['another first name', { firstname: 'Max', lastname: 'Marker' }],
    ['another last name', { firstname: 'Zoë', lastname: 'Other' }],
  ])('a contact that the clinic has under this address with %s is somebody else', async (_what, named) => {
    const { id } = hubspot.addContact({ email: 'zoe@example.test', phone: '+15005550001', ...named });

    const kept = await gateway().upsertContact(aContact());

    expect(kept).not.toEqual({ id });
    expect(hubspot.contacts.get(id)?.properties).toEqual({
      email: 'zoe@example.test',
      phone: '+15005550001',
      ...named,
    });
    expect(hubspot.contacts.get('patient-1')?.properties).not.toHaveProperty('email');
    expect(await gateway().upsertContact(aContact({ lastName: 'Changed' }))).toEqual(kept);
  });

  test('a second patient with the same e-mail address is kept without it', async () => {
    await gateway().upsertContact(aContact());

    expect(await gateway().upsertContact(aContact({ externalKey: 'patient-2', firstName: 'Max' }))).toEqual({
      id: '102',
    });

    expect(hubspot.contacts.get('patient-2')?.properties).not.toHaveProperty('email');
  });

  test('a wrong token is refused, in words without patient data', async () => {
    const error: unknown = await gateway('wrong')
      .upsertContact(aContact())
      .catch((caught: unknown) => caught);

    expect(error).toMatchObject({ name: 'CrmError', code: 'refused', message: 'HubSpot answered http 401' });
    expect(hubspot.requests).toHaveLength(1);
  });

  test.each([429, 500, 503])('%i is unavailable after the retries of our client alone', async (status) => {
    hubspot.receiver.answer(json(status, { status: 'error', message: 'Zoë Marker', category: 'RATE_LIMITS' }));

    await expect(gateway().upsertContact(aContact())).rejects.toMatchObject({
      code: 'unavailable',
      message: `HubSpot answered http ${status}`,
    });
    expect(hubspot.requests).toHaveLength(3);
  });

  test('a contact in conflict inside a 207 is kept without its e-mail address', async () => {
    const at = new Date().toISOString();
    const answers = [
      json(207, {
        status: 'COMPLETE',
        startedAt: at,
        completedAt: at,
        results: [],
        numErrors: 1,
        errors: [{ status: 'error', category: 'CONFLICT', message: 'taken' }],
      }),
      json(200, { status: 'COMPLETE', startedAt: at, completedAt: at, results: [{ id: 'hs-9', properties: {} }] }),
    ];
    hubspot.receiver.answer((request, response) => answers.shift()!(request, response));

    expect(await gateway().upsertContact(aContact())).toEqual({ id: 'hs-9' });
    expect(hubspot.requests[1]!.body).not.toContain('zoe@example.test');
  });

  test('a HubSpot that cannot be reached is unavailable', async () => {
    await hubspot.close();

    await expect(gateway().upsertContact(aContact())).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('its calls are guarded and written down as any other', async () => {
    await gateway().upsertContact(aContact());

    expect(audit).toMatchObject([
      {
        system: 'hubspot',
        action: 'contact.upsert',
        pathTemplate: '/crm/v3/objects/contacts/batch/upsert',
        outcome: 'ok',
      },
    ]);
    const guarded = createSafeHttp({ allowPrivateTargets: false });
    const refused = createHubspot({
      http: createClinicHttp({ http: guarded, audit: () => undefined }),
      clinicId: 'clinic-1',
      accessToken: 'hubspot-token',
      baseUrl: hubspot.url,
    });
    await expect(refused.upsertContact(aContact())).rejects.toMatchObject({ code: 'unavailable' });
    expect(hubspot.requests).toHaveLength(1);
  });
});

describe('a CRM behind a webhook', () => {
  let receiver: HttpReceiver;

  beforeEach(async () => {
    receiver = await startHttpReceiver(json(200, { id: 42 }));
  });
  afterEach(() => receiver.close());

  const gateway = (token?: string) =>
    createCrmWebhook({ http, clinicId: 'clinic-1', url: `${receiver.url}/crm`, token });

  test('gets the contact as JSON with its token, and its id is kept', async () => {
    expect(await gateway('abc').upsertContact(aContact())).toEqual({ id: '42' });

    const [request] = receiver.received;
    expect(request).toMatchObject({ method: 'POST', path: '/crm', headers: { authorization: 'Bearer abc' } });
    expect(JSON.parse(request!.body)).toEqual({ event: 'contact.upsert', contact: aContact() });
  });

  test.each([json(204, undefined), json(200, {}), json(200, { id: '' })])(
    '%# no id in the answer: our key stands for it',
    async (answer) => {
      receiver.answer(answer);

      expect(await gateway().upsertContact(aContact())).toEqual({ id: 'patient-1' });
      expect(receiver.received[0]!.headers.authorization).toBeUndefined();
    },
  );

  test.each([
    [400, 'refused', 1],
    [401, 'refused', 1],
    [302, 'refused', 1],
    [429, 'unavailable', 3],
    [503, 'unavailable', 3],
  ])('%i is %s', async (status, code, requests) => {
    receiver.answer(json(status, { message: 'Zoë Marker' }));

    await expect(gateway().upsertContact(aContact())).rejects.toMatchObject({
      code,
      message: `the CRM answered http ${status}`,
    });
    expect(receiver.received).toHaveLength(requests);
  });
});
