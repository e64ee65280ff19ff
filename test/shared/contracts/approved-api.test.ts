import {
  ApprovedApi,
  ApprovedApiChange,
  ClinicApiAuth,
  FhirAction,
  FormProgressAnswer,
  PermittedAction,
  withKeptSecret,
} from '@clinic/shared/contracts/events/approved-api';
import { NoticeAnswer } from '@clinic/shared/contracts/events/clinic-notice';
import { Crm, CrmChange, withKeptToken } from '@clinic/shared/contracts/events/crm';
import { isSameOrigin, TargetUrl } from '@clinic/shared/contracts/events/target-url';
import { read, takes } from '../../support/schemas';

const baseUrl = 'https://ehr.example/api';
const json = { baseUrl, auth: { method: 'none' } };
const fhir = { permitted: ['appointment.book', 'appointment.cancel'], isOn: true, isLive: true };
const ofFhir = (over: object = {}) => ({ ...json, kind: 'fhir-r4', fhir: { ...fhir, ...over } });

test('an API that says nothing more is of kind json, and permits nothing', () => {
  expect(read(ApprovedApi, json)).toEqual({ ...json, kind: 'json', headers: [], actions: {} });
  expect(read(ApprovedApi, ofFhir({ permitted: [], isOn: undefined, isLive: undefined }))).toMatchObject({
    fhir: { isOn: false, isLive: false, rescheduling: 'update', providers: [], visitTypes: [], locations: [] },
  });
});

test.each([
  ['a FHIR server without its settings', { ...json, kind: 'fhir-r4' }, 'fhir is required'],
  [
    'a FHIR server with actions of the other kind',
    { ...ofFhir(), actions: { 'appointment.book': { method: 'POST', path: '/a' } } },
    'actions are those of kind json; name them in fhir.permitted',
  ],
  ['settings of FHIR beside JSON', { ...ofFhir(), kind: 'json' }, 'fhir is for kind fhir-r4'],
  ['live calls while it is off', ofFhir({ isOn: false }), 'fhir.isLive needs that the server is switched on'],
  [
    'live calls that may not book',
    ofFhir({ permitted: ['appointment.cancel'] }),
    'fhir.isLive needs that appointment.book and appointment.cancel are permitted',
  ],
  [
    'live calls that may not cancel',
    ofFhir({ permitted: ['appointment.book'] }),
    'fhir.isLive needs that appointment.book and appointment.cancel are permitted',
  ],
  [
    'an action twice',
    ofFhir({ permitted: [...fhir.permitted, 'appointment.book'] }),
    'fhir.permitted must not name an action twice',
  ],
  [
    'a provider twice',
    ofFhir({ providers: ['1', '2'].map((id) => ({ name: 'Chen', reference: `Practitioner/${id}` })) }),
    'fhir.providers must not name anything twice',
  ],
  [
    'a header twice',
    { ...json, headers: ['X-One', 'x-one'].map((name) => ({ name, value: 'v' })) },
    'headers must not name a header twice',
  ],
  ['a query', { ...json, baseUrl: `${baseUrl}?a=b` }, 'baseUrl must not have a query'],
  ['a fragment', { ...json, baseUrl: `${baseUrl}#a` }, 'baseUrl must not have a query'],
  [
    'a certificate that is none',
    { ...json, clientCertificate: { certificate: 'x', privateKey: 'y' } },
    'clientCertificate.certificate must be a PEM text',
  ],
])('an API is refused with %s', (_what, api, message) => {
  expect(read(ApprovedApi, api)).toBe(`refused: ${message}`);
});

test('a FHIR server is taken with live calls, and off without them', () => {
  expect(
    takes(ApprovedApi, [ofFhir(), ofFhir({ isLive: false, isOn: false }), ofFhir({ isLive: false, permitted: [] })]),
  ).toEqual([true, true, true]);
  expect(FhirAction.options).toEqual([
    'patient.upsert',
    'insurance.verify',
    'appointment.book',
    'appointment.cancel',
    'document.write',
  ]);
});

test('references are to what the setting is about', () => {
  const referring = (setting: string, reference: string) =>
    ofFhir(setting === 'testPatient' ? { testPatient: reference } : { [setting]: [{ name: 'A', reference }] });

  expect(
    takes(ApprovedApi, [
      referring('providers', 'Practitioner/1'),
      referring('providers', 'PractitionerRole/1'),
      referring('locations', 'Location/1'),
      referring('testPatient', 'Patient/1'),
    ]),
  ).toEqual([true, true, true, true]);
  expect(read(ApprovedApi, referring('providers', 'Location/1'))).toBe(
    'refused: fhir.providers.0.reference must be a reference as Practitioner/123',
  );
  expect(
    takes(ApprovedApi, [
      referring('locations', 'Practitioner/1'),
      referring('testPatient', 'Patient/'),
      referring('testPatient', 'x Patient/1'),
    ]),
  ).toEqual([false, false, false]);
});

test.each([
  'Accept',
  'authorization',
  'connection',
  'Content-Type',
  'expect',
  'host',
  'Idempotency-Key',
  'If-Match',
  'prefer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])('the header %s is not for a clinic to set', (name) => {
  expect(read(ApprovedApi, { ...json, headers: [{ name, value: 'v' }] })).toBe(
    'refused: headers.0.name is a header that the service sets itself',
  );
});

test('other headers are, in printable ASCII', () => {
  const header = (name: string, value: string) => ({ ...json, headers: [{ name, value }] });

  expect(takes(ApprovedApi, [header('X-Api-Key', 'a b'), header('hostess', 'v'), header('x-if-match', 'v')])).toEqual([
    true,
    true,
    true,
  ]);
  expect(
    takes(ApprovedApi, [header('X-Key', ''), header('X-Key', 'a\nb'), header('X-Key', 'é'), header('X Key', 'v')]),
  ).toEqual([false, false, false, false]);
});

test.each([
  ['/', true],
  ['/forms/{sessionId}', true],
  ['/forms/{sessionId}?full=true', true],
  ['forms', false],
  ['/forms/{session id}', false],
  ['/forms/{}', false],
  ['/forms\n', false],
])('the path %j of an action is taken: %s', (path, expected) => {
  expect(takes(PermittedAction, [{ method: 'GET', path }])).toEqual([expected]);
});

test('each way to prove oneself has what it needs', () => {
  const ways = [
    { method: 'none' },
    { method: 'bearer', token: 't' },
    { method: 'basic', username: 'u', password: '' },
    { method: 'api-key-header', header: 'X-Key', value: 'v' },
    { method: 'oauth2-client-credentials', tokenUrl: baseUrl, clientId: 'c', clientSecret: 's' },
    { method: 'smart-backend', clientId: 'c' },
  ];

  expect(takes(ClinicApiAuth, ways)).toEqual(ways.map(() => true));
  expect(
    takes(
      ClinicApiAuth,
      ways.map(({ method }) => ({ method })),
    ),
  ).toEqual([true, false, false, false, false, false]);
});

test('what cannot be read of a form’s progress counts as not given', () => {
  expect(
    read(FormProgressAnswer, { completionPercentage: 101, formCompleted: 'yes', checkoutCompleted: true }),
  ).toEqual({
    completionPercentage: null,
    formCompleted: null,
    checkoutCompleted: true,
  });
  expect(read(FormProgressAnswer, { completionPercentage: 100, formCompleted: false })).toEqual({
    completionPercentage: 100,
    formCompleted: false,
  });
  expect(read(FormProgressAnswer, { completionPercentage: 0, checkoutCompleted: 1 })).toEqual({
    completionPercentage: 0,
    checkoutCompleted: null,
  });
  expect(read(FormProgressAnswer, { completionPercentage: -1 })).toEqual({ completionPercentage: null });
});

test.each([
  ['https://ehr.example/a', true],
  ['https://user@ehr.example/a', false],
  ['https://:secret@ehr.example/a', false],
  ['https://ehr.example/a#b', false],
])('%s can be a target: %s', (url, expected) => {
  expect(takes(TargetUrl, [url])).toEqual([expected]);
});

test('an origin is scheme, host and port', () => {
  expect(
    [
      'https://a.example/x',
      'https://a.example:443',
      'http://a.example',
      'https://b.example',
      'https://a.example:8443',
    ].map((url) => isSameOrigin(url, 'https://a.example/y')),
  ).toEqual([true, true, false, false, false]);
});

const certificate = {
  certificate: '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----',
  privateKey: '-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----',
};
const stored = ApprovedApi.parse({
  baseUrl,
  auth: { method: 'bearer', token: 'kept' },
  headers: [
    { name: 'X-One', value: 'one' },
    { name: 'X-Two', value: 'two' },
  ],
  clientCertificate: certificate,
});
const change = (over: object = {}) =>
  ApprovedApiChange.parse({ baseUrl, auth: { method: 'bearer' }, headers: [{ name: 'x-one' }], ...over });

test('secrets that are left out stay as they are, while nothing is sent elsewhere', () => {
  expect(withKeptSecret(change(), stored)).toMatchObject({
    auth: { method: 'bearer', token: 'kept' },
    headers: [{ name: 'x-one', value: 'one' }],
    clientCertificate: certificate,
  });
  expect(withKeptSecret(change({ auth: { method: 'bearer', token: 'new' } }), stored)).toMatchObject({
    auth: { method: 'bearer', token: 'new' },
  });
  expect(
    withKeptSecret(change({ headers: [{ name: 'X-Two', value: 'new' }, { name: 'X-Three' }] }), stored),
  ).toMatchObject({
    headers: [
      { name: 'X-Two', value: 'new' },
      { name: 'X-Three', value: undefined },
    ],
  });
  expect(withKeptSecret(change({ clientCertificate: null }), stored)).toMatchObject({ clientCertificate: undefined });
});

test.each<[string, object]>([
  ['another host', { baseUrl: 'https://other.example/api' }],
  [
    'a token from another host',
    { auth: { method: 'oauth2-client-credentials', tokenUrl: 'https://other.example/token', clientId: 'c' } },
  ],
])('nothing that is kept is sent to %s', (_what, over) => {
  const kept = withKeptSecret(change(over), stored);

  expect(JSON.stringify(kept)).not.toMatch(/kept|"one"|BEGIN/);
  expect(kept).toMatchObject({ headers: [{ name: 'x-one' }] });
});

test('a secret is kept for its own way alone', () => {
  expect(withKeptSecret(change({ auth: { method: 'basic', username: 'u' } }), stored)).toMatchObject({
    auth: { method: 'basic', username: 'u' },
  });
  expect(withKeptSecret(change({ auth: { method: 'none' } }), stored)).toMatchObject({ auth: { method: 'none' } });
  expect(withKeptSecret(change(), null)).toMatchObject({ auth: { method: 'bearer' } });
  expect(JSON.stringify(withKeptSecret(change(), null))).not.toContain('kept');
});

test.each([
  ['basic', { username: 'u' }, { password: 'kept' }],
  ['api-key-header', { header: 'X-Key' }, { value: 'kept' }],
  ['oauth2-client-credentials', { tokenUrl: 'https://ehr.example/token', clientId: 'c' }, { clientSecret: 'kept' }],
])('the secret of %s is kept', (method, said, secret) => {
  const before = ApprovedApi.parse({ baseUrl, auth: { method, ...said, ...secret } });

  expect(withKeptSecret(ApprovedApiChange.parse({ baseUrl, auth: { method, ...said } }), before)).toMatchObject({
    auth: { method, ...said, ...secret },
  });
});

test('a token that is fetched elsewhere than before is fetched with a new secret', () => {
  const auth = { method: 'oauth2-client-credentials', tokenUrl: 'https://login.example/token', clientId: 'c' };
  const before = ApprovedApi.parse({ baseUrl, auth: { ...auth, clientSecret: 'kept' } });
  const after = (tokenUrl: string) =>
    withKeptSecret(ApprovedApiChange.parse({ baseUrl, auth: { ...auth, tokenUrl } }), before);

  expect(after('https://login.example/other')).toMatchObject({ auth: { clientSecret: 'kept' } });
  expect(JSON.stringify(after('https://other.example/token'))).not.toContain('kept');
  const moved = ApprovedApiChange.parse({ baseUrl: 'https://other.example/api', auth });
  expect(JSON.stringify(withKeptSecret(moved, before))).not.toContain('kept');
});

test('the ids that a clinic’s system gives are texts, or none', () => {
  expect(read(NoticeAnswer, { externalId: 12, externalPatientId: ' p ' })).toEqual({
    externalId: '12',
    externalPatientId: 'p',
  });
  expect(read(NoticeAnswer, { externalId: '', externalPatientId: 'x'.repeat(201) })).toEqual({
    externalId: null,
    externalPatientId: null,
  });
  expect(read(NoticeAnswer, { externalId: {} })).toEqual({ externalId: null });
});

const hubspot = { kind: 'hubspot', enabled: true } as const;
const webhook = { kind: 'webhook', enabled: true, url: 'https://crm.example/in' } as const;

test.each([
  ['a token of HubSpot stays', hubspot, { ...hubspot, accessToken: 'kept' }, { ...hubspot, accessToken: 'kept' }],
  [
    'a new one replaces it',
    { ...hubspot, accessToken: 'new' },
    { ...hubspot, accessToken: 'kept' },
    { ...hubspot, accessToken: 'new' },
  ],
  ['HubSpot does not get that of a webhook', hubspot, { ...webhook, token: 'kept' }, hubspot],
  ['HubSpot had none', hubspot, null, hubspot],
  ['a token of a webhook stays', webhook, { ...webhook, token: 'kept' }, { ...webhook, token: 'kept' }],
  ['null takes it away', { ...webhook, token: null }, { ...webhook, token: 'kept' }, { ...webhook, token: undefined }],
  ['a new one replaces it', { ...webhook, token: 'new' }, { ...webhook, token: 'kept' }, { ...webhook, token: 'new' }],
  [
    'another host does not get it',
    { ...webhook, url: 'https://other.example/in' },
    { ...webhook, token: 'kept' },
    { ...webhook, url: 'https://other.example/in', token: undefined },
  ],
  [
    'a webhook does not get that of HubSpot',
    webhook,
    { ...hubspot, accessToken: 'kept' },
    { ...webhook, token: undefined },
  ],
])('of a CRM: %s', (_what, given, before, expected) => {
  const changed = CrmChange.parse(given);
  if (changed.kind === 'none') throw new Error('it is one');

  expect(withKeptToken(changed, before && Crm.parse(before))).toEqual(expected);
});
