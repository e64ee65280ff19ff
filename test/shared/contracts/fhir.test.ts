import { outcomeOf, conflict, refuse } from '@clinic/shared/contracts/calendar/outcome';
import { namedIn, parameterNamed, participantOf, proposedIn } from '@clinic/shared/contracts/calendar/parameters';
import { toAppointment, toVersioned } from '@clinic/shared/contracts/calendar/fhir-appointment';
import {
  etagIn,
  idInLocation,
  idOf,
  idReferred,
  Instant,
  isReferenceTo,
  nextPageOf,
  resourcesOf,
} from '@clinic/shared/contracts/calendar/fhir-reading';
import {
  AnyBundle,
  MatchIdentifier,
  NewDocumentReference,
  Parameters,
  ProposedAppointment,
  RescheduleBody,
} from '@clinic/shared/contracts/calendar/fhir';
import { searchset, searchUrl } from '@clinic/shared/contracts/calendar/bundle';
import { Count, idOfReference, ReferenceTo, searchParameters } from '@clinic/shared/contracts/calendar/search';
import { parse } from '@clinic/shared/contracts/parse';
import { statusParameters, subscriptionContents, toNotification } from '@clinic/shared/contracts/events/subscriptions';
import { z } from 'zod';
import { takes } from '../../support/schemas';

/** What it returns, or the sentence with which it refuses. */
function told(ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}
const body = (...parameter: object[]): Parameters => Parameters.parse({ resourceType: 'Parameters', parameter });
const a1 = { resourceType: 'Appointment', id: 'a1' };
const p1 = { resourceType: 'Patient', id: 'p1' };

test('a parameter is named once', () => {
  const one = { name: 'identifier', valueString: 'MRN-1' };
  const refused = 'refused: parameter must hold one parameter named identifier';

  expect(told(() => parameterNamed(body(one, { name: 'other' }), 'identifier'))).toEqual(one);
  expect(told(() => parameterNamed(body(one, one), 'identifier'))).toBe(refused);
  expect(told(() => parameterNamed(body({ name: 'other' }), 'identifier'))).toBe(refused);
});

test.each([
  ['appointment', 'appointment'],
  ['appt-resource', 'appt-resource'],
  ['appointment-resource', 'appointment-resource'],
])('an Appointment is proposed as %s', (_what, name) => {
  expect(told(() => proposedIn(body({ name: 'other' }, { name, resource: a1 })))).toEqual(a1);
});

test('nothing is proposed under another name', () => {
  expect(told(() => proposedIn(body({ name: 'resource', resource: a1 })))).toBe(
    'refused: parameter must hold one parameter named appointment',
  );
});

test.each<[object[], unknown]>([
  [[{ name: 'appt-id', valueUri: 'Appointment/a1' }], 'a1'],
  [[{ name: 'appt-id', valueString: 'Appointment/a2' }], 'a2'],
  [[{ name: 'appointment-reference', valueReference: { reference: 'Appointment/a3' } }], 'a3'],
  [[{ name: 'appointment-reference' }], 'refused: appointment-reference is required'],
  [[{ name: 'appt-id', valueUri: 1 }], 'refused: appt-id is required'],
  [[{ name: 'appt-id', valueUri: 'a1' }], 'refused: appt-id must be Appointment/ and an id'],
  [[{ name: 'appt-id', valueUri: 'Appointment/' }], 'refused: appt-id must be Appointment/ and an id'],
  [[{ name: 'appt-id', valueUri: 'Appointment/a1' }, { name: 'appointment' }], null],
  [[{ name: 'other', valueUri: 'Appointment/a1' }], null],
])('%j names %s', (parameters, expected) => {
  expect(told(() => namedIn(body(...parameters)))).toBe(expected);
});

test('one patient and one practitioner take part', () => {
  const asked = (...references: (string | undefined)[]) =>
    ProposedAppointment.parse({
      resourceType: 'Appointment',
      start: '2026-11-24T17:30:00Z',
      participant: references.map((reference) => (reference === undefined ? {} : { actor: { reference } })),
    });
  const patientOf = (...references: (string | undefined)[]) =>
    told(() => participantOf(asked(...references), 'Patient'));

  expect(patientOf('Practitioner/Dr.Chen', 'Patient/p1', undefined)).toBe('p1');
  expect(told(() => participantOf(asked('Practitioner/Dr.Chen', 'Patient/p1'), 'Practitioner'))).toBe('Dr.Chen');
  expect(patientOf('Patient/p1', 'Patient/p2')).toBe('refused: participant must hold one Patient/ reference');
  expect(patientOf('Practitioner/Dr.Chen')).toBe('refused: participant must hold one Patient/ reference');
  expect(patientOf('Patient/')).toBe('refused: participant must be Patient/ and an id');
});

const start = '2026-11-24T17:30:00.000Z';
const moved = (...parameter: object[]) => ({ resourceType: 'Parameters', parameter });

test.each<[string, unknown, boolean]>([
  ['the contract’s body', { start }, true],
  ['an instant among Parameters', moved({ name: 'start', valueInstant: start }), true],
  ['a dateTime among Parameters', moved({ name: 'other' }, { name: 'start', valueDateTime: start }), true],
  ['a text among Parameters', moved({ name: 'start', valueString: start }), true],
  ['two starts', moved({ name: 'start', valueInstant: start }, { name: 'start', valueInstant: start }), false],
  ['none', moved(null as never), false],
  ['Parameters that are no list', { resourceType: 'Parameters', parameter: {} }, false],
  ['Parameters with a start of the contract', { resourceType: 'Parameters', start }, true],
  ['another resource', { resourceType: 'Appointment', parameter: [{ name: 'start', valueInstant: start }] }, false],
  ['nothing', undefined, false],
])('a new time is read from %s', (_what, given, expected) => {
  const { success, data } = RescheduleBody.safeParse(given);

  expect([success, data?.start]).toEqual(expected ? [true, start] : [false, undefined]);
});

const note = {
  resourceType: 'DocumentReference',
  subject: { reference: 'Patient/p1' },
  content: [{ attachment: { data: 'SGk=' } }],
};
const attached = (attachment: object) => ({ ...note, content: [{ attachment }] });

test.each<[string, object, boolean]>([
  ['text', note, true],
  ['text with a charset', attached({ contentType: 'text/plain; charset=utf-8', data: 'SGk=' }), true],
  ['base64 in lines', attached({ data: 'SG\r\nk=' }), true],
  ['no base64', attached({ data: 'SGk' }), false],
  ['nothing', attached({ data: '' }), false],
  ['HTML', attached({ contentType: 'text/html', data: 'SGk=' }), false],
  ['text of another kind', attached({ contentType: 'text/plainer', data: 'SGk=' }), false],
  ['no attachment', { ...note, content: [] }, false],
  ['a group as its subject', { ...note, subject: { reference: 'Group/g1' } }, false],
  ['a patient without an id', { ...note, subject: { reference: 'Patient/' } }, false],
  ['an entry in error', { ...note, status: 'entered-in-error' }, false],
  ['its status', { ...note, status: 'current' }, true],
])('a note of %s is taken: %s', (_what, given, expected) => {
  const { success, data } = NewDocumentReference.safeParse(given);

  expect(success).toBe(expected);
  if (given === note) expect(data?.content[0]?.attachment.contentType).toBe('text/plain');
});

test('a search takes no modifier of a parameter of ours, and ignores what is not', () => {
  const search = searchParameters({ patient: z.string().optional() });
  const read = (query: object) => told(() => parse(search, query));

  expect(read({ patient: 'p1', 'other:exact': 'x', _format: 'json' })).toEqual({
    patient: 'p1',
    'other:exact': 'x',
    _format: 'json',
  });
  expect(read({ 'patient:exact': 'p1' })).toBe('refused: patient takes no modifier and no chain');
  expect(read({ 'patient.name': 'p1' })).toBe('refused: patient takes no modifier and no chain');
});

test('how many a search shows, and the id of a reference', () => {
  expect([undefined, '0', '20', '500', '501'].map((count) => Count.parse(count))).toEqual([100, 0, 20, 500, 500]);
  expect(['', '-1', '1.5', 'x1'].map((count) => Count.safeParse(count).success)).toEqual([false, false, false, false]);
  expect(told(() => idOfReference('Patient', 'Patient/p1', 'patient'))).toBe('p1');
  expect(told(() => idOfReference('Patient', undefined, 'patient'))).toBe('refused: patient is required');
  expect(told(() => idOfReference('Patient', 'Group/p1', 'patient'))).toBe(
    'refused: patient must be Patient/ and an id',
  );
});

const proposal = { resourceType: 'Appointment', start: '2026-11-24T17:30:00Z', participant: [] };
const many = <T>(count: number, each: T): T[] => Array.from({ length: count }, () => each);
const long = (length: number, from = '') => from.padEnd(length, 'a');

test.each<[string, z.ZodType, (size: number) => unknown, number]>([
  ['a reference of a search', ReferenceTo('Patient', 'p1'), (length) => long(length, 'Patient/'), 500],
  ['the format of a search', searchParameters({}), (length) => ({ _format: long(length) }), 100],
  ['the identifier of a patient', MatchIdentifier, (length) => long(length), 128],
  ['Parameters', Parameters, (count) => moved(...many(count, { name: 'other' })), 100],
  ['those that take part', ProposedAppointment, (count) => ({ ...proposal, participant: many(count, {}) }), 100],
  [
    'a reference to somebody that takes part',
    ProposedAppointment,
    (length) => ({ ...proposal, participant: [{ actor: { reference: long(length, 'Patient/') } }] }),
    500,
  ],
  ['visit types', ProposedAppointment, (count) => ({ ...proposal, serviceType: many(count, {}) }), 10],
  [
    'the subject of a note',
    NewDocumentReference,
    (length) => ({ ...note, subject: { reference: long(length, 'Patient/') } }),
    500,
  ],
  ['the contents of a note', NewDocumentReference, (count) => ({ ...note, content: many(count, note.content[0]) }), 20],
  ['extensions of a note', NewDocumentReference, (count) => ({ ...note, extension: many(count, { url: 'u' }) }), 50],
  ['the url of an extension', NewDocumentReference, (length) => ({ ...note, extension: [{ url: long(length) }] }), 500],
])('%s: as long as can be, and longer', (_what, schema, ofSize, most) => {
  expect(takes(schema, [ofSize(most), ofSize(most + 1)])).toEqual([true, false]);
});

test('a Bundle of any resources is what a search found, or a history', () => {
  const bundle = { resourceType: 'Bundle', entry: [] };

  expect(
    takes(
      AnyBundle,
      ['searchset', 'history', 'transaction', undefined].map((type) => ({ ...bundle, type })),
    ),
  ).toEqual([true, true, false, false]);
});

test('what is refused so is a bad request, and each content can be asked for', () => {
  const refused = expect.objectContaining({ code: 'bad_request' });
  const nobody = ProposedAppointment.parse({
    resourceType: 'Appointment',
    start: '2026-11-24T17:30:00Z',
    participant: [],
  });

  expect(() => parameterNamed(body(), 'identifier')).toThrow(refused);
  expect(() => participantOf(nobody, 'Patient')).toThrow(refused);
  expect(() => idOfReference('Patient', 'x', 'patient')).toThrow(refused);
  expect(subscriptionContents).toEqual(['empty', 'id-only', 'full-resource']);
});

test('a searchset with its links, and the address of a search', () => {
  expect(searchset({ links: { self: 'a', next: 'b' }, total: 3, entries: [{ fullUrl: 'x', resource: a1 }] })).toEqual({
    resourceType: 'Bundle',
    type: 'searchset',
    total: 3,
    link: [
      { relation: 'self', url: 'a' },
      { relation: 'next', url: 'b' },
    ],
    entry: [{ fullUrl: 'x', resource: a1 }],
  });
  expect(searchUrl('https://a/Slot', { schedule: 'Schedule/Dr Chen', start: ['ge1', 'lt2'], status: undefined })).toBe(
    'https://a/Slot?schedule=Schedule/Dr%20Chen&start=ge1&start=lt2',
  );
});

const bundle = (...resources: unknown[]) => ({
  resourceType: 'Bundle',
  entry: resources.map((resource) => ({ resource })),
});

test.each<[string, unknown, unknown[]]>([
  ['alone', a1, [a1]],
  ['in a Bundle beside others', bundle(p1, a1), [a1]],
  ['in Parameters', moved({ resource: p1 }, { resource: a1 }), [a1]],
  ['in a Bundle in Parameters', moved({ resource: bundle(a1, p1) }), [a1]],
  ['in a Bundle in a Bundle', bundle(bundle(a1)), [a1]],
  ['nowhere in an empty Bundle', { resourceType: 'Bundle' }, []],
  ['nowhere in nothing', null, []],
  ['nowhere in a text', 'Appointment', []],
  ['nowhere in another', p1, []],
])('an appointment is found %s', (_where, given, found) => {
  expect(resourcesOf('Appointment', given)).toEqual(found);
});

test('the next page, an id, a version and references are read', () => {
  const link = [{ relation: 'self', url: 'a' }, { relation: 'next', url: 'b' }, { relation: 'last' }];

  expect(nextPageOf({ resourceType: 'Bundle', link })).toEqual({ relation: 'next', url: 'b' });
  expect(nextPageOf({ resourceType: 'Bundle', link: link.slice(0, 1) })).toBeNull();
  expect(nextPageOf(null)).toBeNull();
  expect([idOf(a1), idOf({ id: 1 }), idOf(null), idOf({ id: 'x'.repeat(255) }), idOf({ id: 'x'.repeat(256) })]).toEqual(
    ['a1', null, null, 'x'.repeat(255), null],
  );
  expect([etagIn({ meta: { versionId: '2' } }), etagIn({ meta: {} }), etagIn(null)]).toEqual(['W/"2"', null, null]);
  expect(
    ['Patient/p1', 'https://a/Patient/p1', 'Patient/p1/_history/3', 'Patient/p12', 'OtherPatient/p1', undefined].map(
      (each) => isReferenceTo(each, 'Patient/p1'),
    ),
  ).toEqual([true, true, true, false, false, false]);
  expect([idReferred('Patient/p1', 'Patient'), idReferred('Patients/p1', 'Patient'), idReferred(1, 'Patient')]).toEqual(
    ['p1', undefined, undefined],
  );
  expect(
    ['Patient/12', 'https://a/Patient/12/_history/1', 'patient/12', 'Patient/12/x', null].map(idInLocation),
  ).toEqual(['12', '12', null, null, null]);
  expect(Instant.parse('2026-11-24T10:30:00-07:00')).toBe(start);
  expect(Instant.safeParse('2026-11-24T10:30:00').success).toBe(false);
});

const shown = {
  id: 'a1',
  patientId: 'p1',
  providerName: 'Dr.Chen',
  status: 'booked' as const,
  visitType: 'Follow-up',
  startsAt: new Date(start),
  endsAt: new Date('2026-11-24T18:00:00.000Z'),
};
const plain = {
  resourceType: 'Appointment',
  id: 'a1',
  status: 'booked',
  start,
  end: '2026-11-24T18:00:00.000Z',
  serviceType: [{ text: 'Follow-up' }],
  participant: [
    { actor: { reference: 'Patient/p1' }, status: 'accepted' },
    { actor: { reference: 'Practitioner/Dr.Chen' }, status: 'accepted' },
  ],
};
const version = {
  ...shown,
  version: 2,
  updatedAt: new Date('2026-11-23T17:00:00.000Z'),
  identifier: null,
  cancellationReason: null,
  changedBy: null,
};
const meta = { versionId: '2', lastUpdated: '2026-11-23T17:00:00.000Z' };
const base = 'https://clinic.example/api';

test.each<[string, Partial<Parameters0>, object]>([
  ['nothing more', {}, { meta }],
  [
    'who changed it',
    { changedBy: 'account:a' },
    { meta: { ...meta, extension: [{ url: `${base}/StructureDefinition/changed-by`, valueString: 'account:a' }] } },
  ],
  ['an identifier of a system', { identifier: 'urn:a|12' }, { meta, identifier: [{ system: 'urn:a', value: '12' }] }],
  ['an identifier of none', { identifier: '|12' }, { meta, identifier: [{ value: '12' }] }],
  ['a reason that is not yet one', { cancellationReason: 'pat' }, { meta }],
  ['a cancellation without a reason', { status: 'cancelled' }, { meta, status: 'cancelled' }],
  [
    'a cancellation for an unknown reason',
    { status: 'cancelled', cancellationReason: 'x' },
    { meta, status: 'cancelled' },
  ],
  [
    'why it was cancelled',
    { status: 'cancelled', cancellationReason: 'pat' },
    {
      meta,
      status: 'cancelled',
      cancelationReason: {
        coding: [
          {
            system: 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason',
            code: 'pat',
            display: 'Patient',
          },
        ],
      },
    },
  ],
])('an appointment shows its version, and %s', (_what, over, said) => {
  expect(toVersioned({ ...version, ...over }, base)).toEqual({ ...plain, ...said });
});
type Parameters0 = Omit<typeof version, 'status' | 'identifier' | 'cancellationReason' | 'changedBy'> & {
  status: 'booked' | 'cancelled';
  identifier: string | null;
  cancellationReason: string | null;
  changedBy: string | null;
};

test('an appointment of the contract shows no version', () => {
  expect(toAppointment(shown)).toEqual(plain);
});

test('a refusal says why in a code and in words', () => {
  const issue = { severity: 'error', code: 'conflict', diagnostics: 'Gone' };

  expect(outcomeOf({ issue: 'conflict', reason: null, text: 'Gone', paths: [''] })).toEqual({
    resourceType: 'OperationOutcome',
    issue: [{ ...issue, details: { text: 'Gone' } }],
  });
  expect(refuse('version_changed', 'Gone', { headers: { etag: 'x' }, paths: ['start', ''] })).toEqual({
    status: 412,
    refusal: 'version_changed',
    type: 'application/fhir+json; charset=utf-8',
    headers: { etag: 'x' },
    body: {
      resourceType: 'OperationOutcome',
      issue: [
        {
          ...issue,
          details: {
            coding: [{ system: 'urn:clinic-workflows:refusal-reason', code: 'version_changed' }],
            text: 'Gone',
          },
          expression: ['start'],
        },
      ],
    },
  });
  expect(refuse('in_the_past', 'Gone').status).toBe(400);
  expect(conflict('slot_taken', { 'x-a': 'b' })).toEqual({
    status: 409,
    refusal: 'slot_taken',
    headers: { 'x-a': 'b' },
    body: {
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'error', code: 'conflict', diagnostics: 'slot_taken' }],
    },
  });
});

const guide = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';
const of = { subscriptionId: 's1', baseUrl: base };
const at = new Date('2026-11-23T17:00:00.000Z');
const made = { number: 1, change: { at, isNew: true, appointment: version } };
const changed = { number: 2, change: { at, isNew: false, appointment: version } };
const gone = { number: 3, change: null };
const notification = {
  id: 'n1',
  at,
  type: 'event-notification' as const,
  status: 'active' as const,
  lastNumber: 3,
  events: [made, changed, gone],
};
const numbered = (number: number, ...more: object[]) => ({
  name: 'notification-event',
  part: [{ name: 'event-number', valueString: String(number) }, ...more],
});
const timestamp = { name: 'timestamp', valueInstant: at.toISOString() };
const focus = { name: 'focus', valueReference: { reference: `${base}/Appointment/a1` } };
const topic = { name: 'topic', valueCanonical: `${base}/Basic/appointment-change` };
const parametersWith = (said: object[], events: object[]) => ({
  resourceType: 'Parameters',
  meta: { profile: [`${guide}/backport-subscription-status-r4`] },
  parameter: [
    { name: 'subscription', valueReference: { reference: `${base}/Subscription/s1` } },
    ...said,
    { name: 'status', valueCode: 'active' },
    { name: 'type', valueCode: 'event-notification' },
    { name: 'events-since-subscription-start', valueString: '3' },
    ...events,
  ],
});

test('a notification of full resources holds each that there is', () => {
  const events = [numbered(1, timestamp, focus), numbered(2, timestamp, focus), numbered(3)];
  const full = { fullUrl: `${base}/Appointment/a1`, resource: { ...plain, meta } };

  expect(toNotification(of, { ...notification, content: 'full-resource' })).toEqual({
    resourceType: 'Bundle',
    id: 'n1',
    meta: { profile: [`${guide}/backport-subscription-notification-r4`] },
    type: 'history',
    timestamp: at.toISOString(),
    entry: [
      {
        fullUrl: 'urn:uuid:n1',
        resource: { ...parametersWith([topic], events), id: 'n1' },
        request: { method: 'GET', url: 'Subscription/s1/$status' },
        response: { status: '200' },
      },
      { ...full, request: { method: 'POST', url: 'Appointment' }, response: { status: '201' } },
      { ...full, request: { method: 'PUT', url: 'Appointment/a1' }, response: { status: '200' } },
    ],
  });
});

test.each([
  ['id-only', [topic], [numbered(1, timestamp, focus), numbered(2, timestamp, focus), numbered(3)]],
  ['empty', [], [numbered(1, timestamp), numbered(2, timestamp), numbered(3)]],
] as const)('a notification of content %s holds no resource', (content, said, events) => {
  const { entry } = toNotification(of, { ...notification, content });

  expect(entry.map(({ resource }) => resource)).toEqual([{ ...parametersWith([...said], [...events]), id: 'n1' }]);
});

test('the status of a subscription says why its last attempt failed', () => {
  const status = {
    status: 'active' as const,
    type: 'event-notification' as const,
    content: 'empty' as const,
    lastNumber: 3,
    events: [],
  };

  expect(statusParameters(of, status)).toEqual(parametersWith([], []));
  expect(statusParameters(of, { ...status, error: null })).toEqual(parametersWith([], []));
  expect(statusParameters(of, { ...status, error: 'timeout' })).toEqual(
    parametersWith([], [{ name: 'error', valueCodeableConcept: { text: 'timeout' } }]),
  );
});
