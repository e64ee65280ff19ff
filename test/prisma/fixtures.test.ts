import { fixturePatientOf } from '@clinic/prisma/fixture-patients';
import { demoPolicy, providerFixtures } from '@clinic/prisma/fixtures';
import { weekdays } from '@clinic/shared/domain/calendar/weekly-hours';

/** With each name and area code there is, and the first and the last of the days, months, years and numbers. */
test.each([
  ['NOBODY-0', 'Leila', 'Fischer', '1947-12-11', '+14155550170'],
  ['NOBODY-4', 'Diego', 'Bennett', '1944-05-28', '+13035550118'],
  ['NOBODY-5', 'Camila', 'Iyer', '1960-01-12', '+16175550143'],
  ['NOBODY-9', 'Felix', 'Grant', '1976-01-24', '+15125550154'],
  ['NOBODY-13', 'Elena', 'Eriksen', '1969-10-02', '+15125550155'],
  ['NOBODY-52', 'Benjamin', 'Novak', '1951-04-01', '+13125550187'],
  ['NOBODY-64', 'Amelia', 'Dubois', '1997-10-02', '+12065550169'],
  ['NOBODY-147', 'Mateo', 'Adler', '2004-11-01', '+13035550104'],
  ['NOBODY-1543', 'Jonas', 'Castillo', '1979-12-28', '+12065550199'],
  ['NOBODY-11995', 'Imani', 'Price', '1940-01-17', '+13125550100'],
])('who answers to %s, which nobody has, is the same person at every time', (identifier, ...person) => {
  const [firstName, lastName, birthDate, phone] = person;
  const email = `${firstName}.${lastName}@example.com`.toLowerCase();

  expect(fixturePatientOf(identifier)).toEqual({ identifier, firstName, lastName, birthDate, phone, email });
});

test('a demo calls at every hour of every day, at once, a second after a call that failed, and whoever has had calls', () => {
  const days = Object.entries(demoPolicy.callingHours);

  expect(days.map(([day]) => day).toSorted()).toEqual([...weekdays].toSorted());
  for (const [, hours] of days) expect(hours).toEqual([{ opens: '00:00', closes: '24:00' }]);
  expect(demoPolicy).toEqual({
    callingHours: demoPolicy.callingHours,
    firstCallDelaySeconds: 0,
    maxAttempts: 3,
    secondsBetweenAttempts: 1,
    maxConcurrentCalls: 200,
    callsPerPatientPerDay: null,
    callsPerPatientPerWeek: null,
    unknownZone: 'country',
    simulatorKeepsPatientHours: false,
    disclosesAutomation: true,
    booksInOwnCalendar: false,
    booksFollowUps: false,
    confirmsBookings: false,
  });
});

test('a clinic begins with three providers, of whom one works on each day but Sunday, and all take follow-ups', () => {
  const daysOf = ({ workingHours }: (typeof providerFixtures)[number]) => Object.keys(workingHours);

  expect(providerFixtures.map((each) => [each.name, daysOf(each).length, each.visitTypes.length])).toEqual([
    ['Dr.Chen', 5, 3],
    ['Dr.Okafor', 4, 2],
    ['Dr.Patel', 5, 3],
  ]);
  expect(new Set(providerFixtures.flatMap(daysOf))).toEqual(new Set(weekdays.filter((day) => day !== 'sunday')));
  for (const { visitTypes } of providerFixtures) expect(visitTypes).toContain('Follow-up consultation');
});
