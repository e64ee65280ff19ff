import { settingsIn, Subscription, topicResource, toSubscription } from '@clinic/api/fhir/subscription';
import type { SubscriptionRecord } from '@clinic/prisma/stores/events/fhir-subscriptions';
import { assertR4 } from '../../support/r4';

const baseUrl = 'https://clinic.example/api';
const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';
const CONTENT = `${BACKPORT}/backport-payload-content`;
const FILTER = `${BACKPORT}/backport-filter-criteria`;
const HEARTBEAT = `${BACKPORT}/backport-heartbeat-period`;

const filters = (...values: unknown[]) => ({
  _criteria: { extension: values.map((valueString) => ({ url: FILTER, valueString })) },
});

const aSubscription = ({ channel = {}, ...about }: { channel?: object } & Record<string, unknown> = {}) => ({
  resourceType: 'Subscription',
  reason: 'To keep our calendar as the EHR has it',
  criteria: `${baseUrl}/Basic/appointment-change`,
  ...about,
  channel: {
    type: 'rest-hook',
    endpoint: 'https://client.example/events',
    _payload: { extension: [{ url: CONTENT, valueCode: 'id-only' }] },
    ...channel,
  },
});

const read = (about?: Parameters<typeof aSubscription>[0]) =>
  settingsIn(Subscription.parse(aSubscription(about)), baseUrl);

const usual = {
  url: 'https://client.example/events',
  payload: 'application/fhir+json',
  content: 'id-only',
  reason: 'To keep our calendar as the EHR has it',
  heartbeatSeconds: null,
  patientId: null,
  providerName: null,
  endsAt: null,
};
const beating = (seconds: unknown) => ({
  channel: { extension: [{ url: HEARTBEAT, valueUnsignedInt: seconds }] },
});
const content = (valueCode: string) => ({ channel: { _payload: { extension: [{ url: CONTENT, valueCode }] } } });

test.each([
  ['nothing besides', {}, {}],
  ['plain JSON', { channel: { payload: 'application/json' } }, { payload: 'application/json' }],
  ['no content', content('empty'), { content: 'empty' }],
  ['all content', content('full-resource'), { content: 'full-resource' }],
  ['the quickest heartbeat', beating(10), { heartbeatSeconds: 10 }],
  ['the slowest heartbeat', beating(86_400), { heartbeatSeconds: 86_400 }],
  ['an end', { end: '2999-01-01T00:00:00Z' }, { endsAt: new Date('2999-01-01T00:00:00Z') }],
  ['no header', { channel: { header: [] } }, {}],
  ['extensions of others', { _criteria: { extension: [{ url: 'https://client.example/x', valueString: 'x=1' }] } }, {}],
  ['a patient', filters('Appointment?patient=Patient/ann'), { patientId: 'ann' }],
  ['a practitioner, shortly', filters('practitioner=Practitioner/Dr.Chen'), { providerName: 'Dr.Chen' }],
  [
    'both in one',
    filters('Appointment?patient=Patient/ann&practitioner=Practitioner/Dr.Chen'),
    { patientId: 'ann', providerName: 'Dr.Chen' },
  ],
  [
    'both in two',
    filters('patient=Patient/ann', 'practitioner=Practitioner/Dr.Chen'),
    { patientId: 'ann', providerName: 'Dr.Chen' },
  ],
])('a subscription may ask for %s', (_name, about, settings) => {
  expect(read(about)).toEqual({ settings: { ...usual, ...settings } });
});

test.each([
  ['another topic', { criteria: `${baseUrl}/Basic/other` }, 'Subscription.criteria'],
  ['another channel', { channel: { type: 'email' } }, 'Subscription.channel.type'],
  ['another payload', { channel: { payload: 'application/fhir+xml' } }, 'Subscription.channel.payload'],
  ['no content that is known', content('everything'), 'Subscription.channel.payload'],
  ['no word of the content', { channel: { _payload: {} } }, 'Subscription.channel.payload'],
  ['a header of its own', { channel: { header: ['Authorization: x'] } }, 'Subscription.channel.header'],
  ['a quicker heartbeat', beating(9), 'Subscription.channel'],
  ['a slower heartbeat', beating(86_401), 'Subscription.channel'],
  ['a heartbeat of parts of seconds', beating(10.5), 'Subscription.channel'],
  ['a heartbeat in words', beating('60'), 'Subscription.channel'],
  ['an end in the past', { end: '2001-01-01T00:00:00Z' }, 'Subscription.end'],
  ['a filter that is no text', filters(7), 'Subscription.criteria'],
  ['another filter', filters('Appointment?status=booked'), 'Subscription.criteria'],
  ['two patients', filters('patient=Patient/ann&patient=Patient/ben'), 'Subscription.criteria'],
  ['two practitioners', filters('practitioner=Practitioner/a', 'practitioner=Practitioner/b'), 'Subscription.criteria'],
])('%s is refused with its place', (_name, about, path) => {
  const { refused } = read(about);

  expect(refused).toMatchObject({
    status: 422,
    refusal: 'subscription_not_offered',
    body: { issue: [{ expression: [path], diagnostics: expect.stringMatching(/.{10}/) }] },
  });
});

test('a filter by a reference of another type is no filter', () => {
  expect(() => read(filters('patient=Practitioner/ann'))).toThrow(expect.objectContaining({ code: 'bad_request' }));
});

const aRecord: SubscriptionRecord = {
  id: 'one',
  baseUrl,
  status: 'active',
  reason: 'To know',
  content: 'id-only',
  payload: 'application/fhir+json',
  url: 'https://client.example/events',
  heartbeatSeconds: null,
  endsAt: null,
  lastError: null,
  patientId: null,
  providerName: null,
  version: 2,
  lastNumber: 0,
  updatedAt: new Date('2026-11-24T15:00:00Z'),
};

const shown = {
  resourceType: 'Subscription',
  id: 'one',
  meta: {
    versionId: '2',
    lastUpdated: '2026-11-24T15:00:00.000Z',
    profile: [`${BACKPORT}/backport-subscription`],
  },
  status: 'active',
  reason: 'To know',
  criteria: `${baseUrl}/Basic/appointment-change`,
  channel: {
    type: 'rest-hook',
    endpoint: 'https://client.example/events',
    payload: 'application/fhir+json',
    _payload: { extension: [{ url: CONTENT, valueCode: 'id-only' }] },
  },
};

test('a subscription is shown with what it has, and nothing else', () => {
  const bare = toSubscription(aRecord);
  const full = toSubscription(
    {
      ...aRecord,
      heartbeatSeconds: 60,
      endsAt: new Date('2027-01-01T00:00:00Z'),
      lastError: 'no answer',
      patientId: 'ann',
      providerName: 'Dr.Chen',
    },
    'whsec_x',
  );

  expect(bare).toEqual(shown);
  expect(full).toEqual({
    ...shown,
    end: '2027-01-01T00:00:00.000Z',
    error: 'no answer',
    ...filters('Appointment?patient=Patient/ann', 'Appointment?practitioner=Practitioner/Dr.Chen'),
    channel: {
      ...shown.channel,
      extension: [
        { url: HEARTBEAT, valueUnsignedInt: 60 },
        { url: `${baseUrl}/StructureDefinition/signing-secret`, valueString: 'whsec_x' },
      ],
    },
  });
  assertR4(bare);
  assertR4(full);
});

test.each(['requested', 'active', 'error', 'off'])('the status %s may stand in one', (status) => {
  expect(Subscription.safeParse(aSubscription({ status })).success).toBe(true);
});

test('an end may have an offset, and texts may be so long and no longer', () => {
  const isRead = (about: Parameters<typeof aSubscription>[0]) => Subscription.safeParse(aSubscription(about)).success;
  const [long, tooLong] = [(length: number) => 'x'.repeat(length), (length: number) => 'x'.repeat(length + 1)];
  const lengths = [long, tooLong].map((text) => [
    isRead({ criteria: text(500) }),
    isRead({ channel: { type: text(40) } }),
    isRead({ channel: { payload: text(100) } }),
    isRead({ id: text(64) }),
  ]);

  expect(isRead({ end: '2999-01-01T00:00:00+01:00' })).toBe(true);
  expect(lengths).toEqual([Array.from({ length: 4 }, () => true), Array.from({ length: 4 }, () => false)]);
});

test('a subscription with one filter, or one extension, shows it', () => {
  const shownWith = (about: Partial<SubscriptionRecord>, secret?: string) =>
    toSubscription({ ...aRecord, ...about }, secret);

  expect(shownWith({ patientId: 'ann' })).toMatchObject(filters('Appointment?patient=Patient/ann'));
  expect(shownWith({ heartbeatSeconds: 60 }).channel).toMatchObject(beating(60).channel);
});

test('the topic says what triggers it and what it is filtered by', () => {
  const topic = topicResource(baseUrl);
  const ofTopic = (name: string) => `http://hl7.org/fhir/5.0/StructureDefinition/extension-SubscriptionTopic.${name}`;
  const named = (name: string) =>
    topic.extension.filter(({ url }) => url === ofTopic(name)).map(({ url: _url, ...rest }) => rest);

  assertR4(topic);
  expect(topic).toMatchObject({
    resourceType: 'Basic',
    id: 'appointment-change',
    code: { coding: [{ system: 'http://hl7.org/fhir/fhir-types', code: 'SubscriptionTopic' }] },
    modifierExtension: [{ url: ofTopic('status'), valueCode: 'active' }],
  });
  expect(topic.extension.map(({ url }) => url.split('.').at(-1))).toEqual([
    'url',
    'title',
    'description',
    'resourceTrigger',
    'canFilterBy',
    'canFilterBy',
  ]);
  expect(named('url')).toEqual([{ valueUri: `${baseUrl}/Basic/appointment-change` }]);
  expect(named('resourceTrigger')).toEqual([
    {
      extension: [
        { url: 'resource', valueUri: 'http://hl7.org/fhir/StructureDefinition/Appointment' },
        { url: 'supportedInteraction', valueCode: 'create' },
        { url: 'supportedInteraction', valueCode: 'update' },
      ],
    },
  ]);
  expect(named('canFilterBy')).toEqual(
    ['patient', 'practitioner'].map((valueString) => ({
      extension: [
        { url: 'resource', valueUri: 'Appointment' },
        { url: 'filterParameter', valueString },
      ],
    })),
  );
});
