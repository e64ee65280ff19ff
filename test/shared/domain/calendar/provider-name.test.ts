import { providerIdOf } from '@clinic/shared/domain/calendar/provider-name';

test.each([
  ['Dr. Maya Chen', 'Dr.Maya.Chen'],
  ['Dr. José Müller-Ñúñez', 'Dr.Jose.Muller-Nunez'],
  ['Dr. Łukasz Groß', 'Dr.Lukasz.Gross'],
  ["  Nurse O'Brien (NP) ", 'Nurse.OBrien.NP'],
  ['Nguyễn Thị Ánh', 'Nguyen.Thi.Anh'],
  ['Øystein Đorđe', 'Oystein.Dorde'],
  ['王医生', null],
  ['...', null],
])('%s has the id %s', (displayName, id) => {
  expect(providerIdOf(displayName)).toBe(id);
});

test('an id is as long as FHIR allows, and one that it accepts', () => {
  expect(providerIdOf('É'.repeat(200))).toMatch(/^E{64}$/);
  expect(providerIdOf(`${'x'.repeat(63)} Smith`)).toMatch(/^[A-Za-z0-9.-]{1,63}$/);
});
