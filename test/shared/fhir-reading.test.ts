import { idInLocation, idOf, idReferred } from '@clinic/shared/contracts/calendar/fhir-reading';

test.each(['..', '.', '', 'a/../b', '..\\b', 'a?b=c', 'a#b', '%2e%2e', 'a b'])(
  'an EHR that calls a resource %j names none: an address with it would lead elsewhere',
  (id) => {
    expect([idInLocation(`https://ehr.example/fhir/Appointment/${id}`), idOf({ id })]).toEqual([
      // The last step of a path that holds more of them may be an id by itself.
      null,
      null,
    ]);
    expect(idReferred(`Patient/${id}`, 'Patient')).toBeUndefined();
  },
);

test('an id as FHIR and as servers beside it write them is read', () => {
  expect(idInLocation('https://ehr.example/fhir/Appointment/a-1.b/_history/2')).toBe('a-1.b');
  expect(idOf({ id: 'T_81.x' })).toBe('T_81.x');
  expect(idReferred('Patient/12', 'Patient')).toBe('12');
});
