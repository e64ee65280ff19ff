import { askFhir, type FhirRequest } from '@clinic/gateways/calendar/fhir/exchange';
import { search as searchAll, searchPages } from '@clinic/gateways/calendar/fhir/requests';
import { type Said, scriptedFhir, searchset } from '../../../support/outside/scripted-fhir';

const BASE = 'https://ehr.example/fhir';
const read: FhirRequest = { method: 'GET', path: 'Patient/7', template: 'Patient/{id}' };
const search: FhirRequest = { method: 'GET', path: 'Patient', template: 'Patient', query: [['family', 'Lee']] };
const post: FhirRequest = { method: 'POST', path: 'Patient', template: 'Patient', body: { resourceType: 'Patient' } };
const patient = { resourceType: 'Patient', id: '7' };

async function ask(request: FhirRequest, said: Said, baseUrl = BASE) {
  const server = scriptedFhir(baseUrl, () => said);
  const answer = await askFhir(server.send, baseUrl, request).catch((error: { result: object; status: number }) => ({
    failed: error.result,
    status: error.status,
  }));
  return { answer, request: server.requests[0] };
}
const failure = async (request: FhirRequest, said: Said) => {
  const { answer } = await ask(request, said);
  return 'failed' in answer ? answer.failed : null;
};
const outcome = (code: string, severity = 'error', more: object = {}) => ({
  resourceType: 'OperationOutcome',
  issue: [{ severity, code, ...more }],
});

test.each<[string, FhirRequest, string, string | undefined, string | undefined]>([
  ['a read', read, `${BASE}/Patient/7`, undefined, undefined],
  ['a search', search, `${BASE}/Patient?family=Lee`, undefined, undefined],
  ['a search without words', { ...search, query: [] }, `${BASE}/Patient`, undefined, undefined],
  ['a creation', post, `${BASE}/Patient`, '{"resourceType":"Patient"}', 'application/fhir+json'],
  [
    'a form',
    { method: 'POST', path: 'Patient/_search', template: 'Patient/_search', form: [['family', 'Lee']] },
    `${BASE}/Patient/_search`,
    'family=Lee',
    'application/x-www-form-urlencoded',
  ],
  ['a transaction', { method: 'POST', path: '', template: '', body: {} }, BASE, '{}', 'application/fhir+json'],
  ['a page', { ...search, page: `${BASE}?page=2` }, `${BASE}?page=2`, undefined, undefined],
])('%s is sent to its address with what it holds', async (_what, request, url, body, type) => {
  const { request: sent } = await ask(request, { body: patient }, `${BASE}//`);

  expect([sent?.url, sent?.body, sent?.headers['content-type']]).toEqual([url, body, type]);
  expect(sent?.headers).toMatchObject({ accept: 'application/fhir+json', 'cache-control': 'no-cache' });
  expect(sent?.pathTemplate).toBe(`/${request.template}`);
  expect(sent?.maxBytes).toBe(8 * 1024 * 1024);
});

test.each([408, 425, 429, 500, 502, 503, 599])('%d passes by itself', async (status) => {
  expect(await failure(read, { status })).toEqual({ kind: 'unavailable', error: `http_${status}` });
});

test.each([
  [199, ''],
  [300, ''],
  [400, ''],
  [401, ': it does not accept the token'],
  [403, ': the access that was granted does not permit it'],
  [404, ': it is not there'],
  [405, ': it does not support this'],
  [409, ': it contradicts what is on record there'],
  [410, ': it is not there'],
  [412, ': it contradicts what is on record there'],
  [422, ''],
  [499, ''],
])('%d is a refusal', async (status, words) => {
  expect(await failure(read, { status })).toEqual({
    kind: 'refused',
    status,
    fault: `http ${status}${words}`,
    body: null,
  });
});

test('501 does not pass by itself, yet is no refusal', async () => {
  expect(await failure(read, { status: 501 })).toMatchObject({ kind: 'unavailable' });
});

test.each([
  ['transient', 'a passing fault'],
  ['lock-error', 'the record is being edited'],
  ['no-store', 'it cannot store anything now'],
  ['timeout', 'it took too long'],
  ['throttled', 'it was asked too often'],
])('%s passes by itself, whatever the status', async (code, words) => {
  expect(await failure(read, { status: 400, body: outcome(code) })).toEqual({
    kind: 'unavailable',
    error: 'http_400',
    said: `${code}: ${words}`,
  });
});

test.each<[string, object, string]>([
  ['an error', outcome('invalid'), 'invalid: the content is not valid'],
  ['a fatal fault', outcome('exception', 'fatal'), 'exception: a fault of its own'],
  ['a code of its own', outcome('odd-one'), 'odd-one'],
  ['words in the place of a code', outcome('Ann Lee is odd'), 'an unknown kind'],
  [
    'places, of which three are told and none that could name somebody',
    outcome('value', 'error', {
      expression: [
        'Patient.name[0].family',
        "Patient.where(name='Ann')",
        'Patient.id',
        'Patient.link',
        'Patient.photo',
      ],
    }),
    'value: a value is not allowed there, at Patient.name[0].family, Patient.id, Patient.link',
  ],
  [
    'a warning before it',
    { ...outcome('x'), issue: [{ severity: 'warning', code: 'value' }, ...outcome('required').issue] },
    'required: something that it needs is missing',
  ],
])('a refusal tells %s', async (_what, body, words) => {
  expect(await failure(post, { status: 200, body })).toMatchObject({
    kind: 'refused',
    fault: `http 200 with an OperationOutcome of ${words}`,
    body,
  });
});

test.each(['warning', 'information'])('an outcome that is a %s is no fault', async (severity) => {
  expect(await failure(post, { status: 201, body: outcome('value', severity) })).toBeNull();
});

const noResource = 'it answers with what is no FHIR resource';
const included = {
  ...searchset(),
  entry: [{ resource: { resourceType: 'Slot' }, search: { mode: 'include' } }],
};
test.each<[string, FhirRequest, Said, string | null]>([
  ['a read of what was asked for', read, { body: patient }, null],
  [
    'a read of another resource',
    read,
    { body: { resourceType: 'Slot' } },
    'it answers with another resource than Patient',
  ],
  ['a read without anything', read, { text: '' }, noResource],
  ['a read of a page', read, { text: '<html>' }, noResource],
  ['a search with what it found', search, { body: searchset(patient) }, null],
  ['a search without anything', search, { text: ' ' }, noResource],
  ['a search with the resource alone', search, { body: patient }, 'it answers a search with what is no Bundle'],
  [
    'a search that found others',
    search,
    { body: searchset(patient, { resourceType: 'Slot' }) },
    'it finds other resources than Patient',
  ],
  ['a search with what belongs to it', search, { body: included }, null],
  ['a search that found nobody', search, { body: { resourceType: 'Bundle', total: 0 } }, null],
  [
    'a search that counts some and shows none',
    search,
    { body: { resourceType: 'Bundle', total: 2 } },
    'it says that it finds some, and shows none',
  ],
  [
    'a search that shows them on the next page',
    search,
    { body: { resourceType: 'Bundle', total: 2, link: [{ relation: 'next', url: `${BASE}?page=2` }] } },
    null,
  ],
  ['a search with a total that is no number', search, { body: { ...searchset(), total: 'many' } }, null],
  ['a search with a note beside it', search, { body: searchset(patient, outcome('value', 'warning')) }, null],
  [
    'a search with a fault beside it',
    search,
    { body: searchset(patient, outcome('value')) },
    'it could not search everything',
  ],
  [
    'a search by POST',
    { ...post, path: 'Patient/_search', template: 'Patient/_search' },
    { body: patient },
    'it answers a search with what is no Bundle',
  ],
  ['a creation without anything', post, { status: 201, text: ' ' }, null],
  ['a creation of a page', post, { status: 201, text: '<html>' }, noResource],
  ['a creation of another resource', post, { status: 201, body: { resourceType: 'Slot' } }, null],
  ['a change without anything', { ...read, method: 'PUT' }, { text: '' }, null],
  [
    'a statement',
    { method: 'GET', path: 'metadata', template: 'metadata' },
    { body: { resourceType: 'CapabilityStatement' } },
    null,
  ],
  ['a statement without anything', { method: 'GET', path: 'metadata', template: 'metadata' }, { text: '' }, null],
])('%s', async (_what, request, said, words) => {
  const expected = words === null ? null : { kind: 'unavailable', error: `http_${said.status ?? 200}`, said: words };

  expect(await failure(request, said)).toEqual(expected);
});

test.each<[string, Said, object]>([
  ['a location', { headers: { location: `${BASE}/Patient/7/_history/1` } }, { id: '7', version: null }],
  ['a location of the content', { headers: { 'content-location': 'Patient/8' } }, { id: '8' }],
  ['both', { headers: { location: 'Patient/7', 'content-location': 'Patient/8' } }, { id: '7' }],
  ['a location of nothing', { headers: { location: 'elsewhere' } }, { id: null }],
  ['a version', { headers: { etag: 'W/"3"' } }, { version: 'W/"3"', id: null }],
  ['a version in the resource', { body: { ...patient, meta: { versionId: '4' } } }, { version: 'W/"4"' }],
  [
    'a version in both',
    { headers: { etag: 'W/"3"' }, body: { ...patient, meta: { versionId: '4' } } },
    { version: 'W/"3"' },
  ],
])('an answer tells %s', async (_what, said, expected) => {
  expect((await ask(post, { status: 201, ...said })).answer).toMatchObject({ status: 201, ...expected });
});

test.each<[string, string, string | null]>([
  ['below the server', `${BASE}/Patient?page=2`, `${BASE}/Patient?page=2`],
  ['the server itself', `${BASE}?page=2`, `${BASE}?page=2`],
  ['relative', 'Patient?page=2', `${BASE}/Patient?page=2`],
  ['above it', 'https://ehr.example/other?page=2', null],
  ['beside it', 'https://ehr.example/fhir2?page=2', null],
  ['another host', 'https://other.example/fhir?page=2', null],
  ['another scheme', 'http://ehr.example/fhir?page=2', null],
  ['with a name', 'https://me@ehr.example/fhir?page=2', null],
  ['with a password', 'https://:x@ehr.example/fhir?page=2', null],
  ['no address', 'https://[', null],
])('the next page is followed where its address is %s', async (_what, url, next) => {
  const body = {
    ...searchset(patient),
    link: [
      { relation: 'self', url: BASE },
      { relation: 'next', url },
    ],
  };

  expect((await ask(search, { body })).answer).toMatchObject({ next });
});

describe('a search over pages', () => {
  const pages = (count: number, empty = 0) => {
    const server = scriptedFhir(BASE, (_path, { url }) => {
      const page = Number(/page=(\d+)/.exec(url)?.[1] ?? 1);
      const found = page === empty ? [] : [{ ...patient, id: `${page}` }];
      return {
        body: {
          ...searchset(...found),
          ...(page < count && { link: [{ relation: 'next', url: `${BASE}?page=${page + 1}` }] }),
        },
      };
    });
    return { ...server, ask: (request: FhirRequest) => askFhir(server.send, BASE, request) };
  };

  test.each([
    [1, 0, 1, true],
    [10, 0, 10, true],
    [11, 0, 10, false],
    [5, 3, 3, true],
  ])('of %d, of which number %d is empty, reads %d', async (count, empty, asked, isWhole) => {
    const server = pages(count, empty);

    const found = await searchPages(server.ask, 'Patient', search);

    expect(found.isWhole).toBe(isWhole);
    expect(found.resources.map(({ id }) => id)).toEqual(
      Array.from({ length: empty > 0 ? asked - 1 : asked }, (_, index) => `${index + 1}`),
    );
    expect(server.requests.map(({ method }) => method)).toEqual(Array.from({ length: asked }, () => 'GET'));
  });

  test.each([
    [3, ['2', '3'], true],
    [11, ['2', '3', '4', '5', '6', '7', '8', '9', '10'], false],
  ])('of %d whose first one shows nothing reads on', async (count, expected, isWhole) => {
    const server = pages(count, 1);

    const found = await searchPages(server.ask, 'Patient', search);

    expect([found.resources.map(({ id }) => id), found.isWhole]).toEqual([expected, isWhole]);
  });

  test('by GET has its words in the address', async () => {
    const server = pages(1);

    await searchAll(server.ask, 'Patient', [['family', 'Lee']]);

    expect(server.asked()).toEqual(['GET Patient?family=Lee']);
  });

  test('ends where it has found enough', async () => {
    const server = pages(5);

    const found = await searchPages(server.ask, 'Patient', search, (page) => page.some(({ id }) => id === '2'));

    expect([found.isWhole, found.resources.length]).toEqual([false, 2]);
  });
});
