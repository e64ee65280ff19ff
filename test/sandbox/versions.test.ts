import { etagOf, identifierIn, reasonIn, showsVersions, versionIn } from '@clinic/sandbox/versions';
import { AppError } from '@clinic/shared/errors';
import { fullLeniency } from '@clinic/shared/domain/sandbox/leniency';

test.each<[string | undefined, number | undefined | 'refused']>([
  [undefined, undefined],
  ['*', undefined],
  [' * ', undefined],
  ['W/"3"', 3],
  [' "3" ', 3],
  ['3', 3],
  ['123456789', 123_456_789],
  ['1234567890', 'refused'],
  ['W/"x"', 'refused'],
  ['', 'refused'],
])('the version of If-Match %j is %s', (header, expected) => {
  const read = () => {
    try {
      return versionIn(header);
    } catch (error) {
      return error instanceof AppError && error.code === 'bad_request' ? 'refused' : error;
    }
  };

  expect(read()).toBe(expected);
});

test('an ETag is read back as its version', () => {
  expect(versionIn(etagOf({ version: 7 }))).toBe(7);
});

test('whoever needs versions is shown them', () => {
  expect(showsVersions(fullLeniency)).toBe(false);
  for (const rule of ['showsNextAppointmentOnly', 'takesChangesUnseen', 'cancelsWithoutReason'] as const)
    expect(showsVersions({ ...fullLeniency, [rule]: false })).toBe(true);
  expect(showsVersions({ ...fullLeniency, reschedules: false, deviatesFromR4: false })).toBe(false);
});

const system = 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason';
const pat = { system, code: 'pat' };
const named = (more: object) => ({ parameter: [{ name: 'x' }, null, { name: 'cancelationReason', ...more }] });

test.each<[string, unknown, string | null]>([
  ['an appointment', { cancelationReason: { coding: [pat] } }, 'pat'],
  ['a concept of Parameters', named({ valueCodeableConcept: { coding: [pat] } }), 'pat'],
  ['a coding of Parameters', named({ valueCoding: pat }), 'pat'],
  ['a code of Parameters', named({ valueCode: 'prov' }), 'prov'],
  [
    'a coding after one of another system',
    { cancelationReason: { coding: [{ system: 'x', code: 'pat' }, null, { system, code: 'other' }] } },
    'other',
  ],
  ['a code that the system lacks', { cancelationReason: { coding: [{ system, code: 'bored' }] } }, null],
  ['a code of another system', { cancelationReason: { coding: [{ system: 'x', code: 'pat' }] } }, null],
  ['another parameter', { parameter: [{ name: 'reason', valueCode: 'pat' }] }, null],
  ['parameters that are no list', { parameter: 'cancelationReason' }, null],
  ['words alone', { cancelationReason: { text: 'bored' } }, null],
  ['nothing', null, null],
])('the reason of a cancellation with %s', (_what, body, expected) => {
  expect(reasonIn(body)).toBe(expected);
});

test.each<[unknown, string | undefined]>([
  [{ identifier: [{ system: 'urn:a', value: '1' }, { value: '2' }] }, 'urn:a|1'],
  [{ identifier: [{ value: '1' }] }, '|1'],
  [{ identifier: [{ system: 7, value: '1' }] }, '|1'],
  [{ identifier: [{ system: 'urn:a', value: '' }] }, undefined],
  [{ identifier: [{ system: 'urn:a', value: 7 }] }, undefined],
  [{ identifier: [] }, undefined],
  [{ identifier: { value: '1' } }, undefined],
  [{}, undefined],
  [null, undefined],
  [{ identifier: [{ value: 'x'.repeat(299) }] }, `|${'x'.repeat(299)}`],
])('the identifier of %j', (resource, expected) => {
  expect(identifierIn(resource)).toBe(expected);
});

test('an identifier of more than 300 characters is refused', () => {
  expect(() => identifierIn({ identifier: [{ value: 'x'.repeat(300) }] })).toThrow('300 characters');
});
