import { fixturePatientOf, patientFixtures, planAppointments } from '@clinic/prisma/fixture-patients';
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

describe('the visits that a sandbox begins with', () => {
  const DAY_MS = 86_400_000;
  const hours = (...days: string[]) =>
    Object.fromEntries(days.map((day) => [day, [{ opens: '09:00', closes: '12:00' }]]));
  const aProvider = (id: string, ...days: string[]) => ({
    id,
    name: id,
    workingHours: hours(...days),
    visitTypes: [`${id} first`, `${id} second`],
  });
  const oneDay = [aProvider('mondays', 'monday')];
  const two = [aProvider('mondays', 'monday'), aProvider('others', 'tuesday', 'wednesday', 'thursday')];
  const wanted = patientFixtures.flatMap(({ identifier, appointments }) =>
    appointments.map((appointment) => ({ identifier, ...appointment })),
  );
  const plan = (
    providers: Parameters<typeof planAppointments>[0]['providers'],
    now: string,
    isFree: Parameters<typeof planAppointments>[0]['isFree'] = () => true,
  ) => planAppointments({ providers, zone: 'UTC', now, isFree });

  test.each(['2030-01-07T08:00:00.000Z', '2030-01-07T12:30:00.000Z', '2030-01-09T10:00:00.000Z'])(
    'are within a week of their day, on times that are offered, and each once: seen from %s',
    (now) => {
      const planned = plan(oneDay, now);

      expect(planned.map(({ identifier, status }) => [identifier, status])).toEqual(
        wanted.filter(({ days }) => days >= 0 || days < -6).map(({ identifier, status }) => [identifier, status]),
      );
      const ofWanted = wanted.filter(({ days }) => days >= 0 || days < -6);
      for (const [index, { startsAt, endsAt }] of planned.entries()) {
        const { days = 0 } = ofWanted[index] ?? {};
        const inDays = (Date.parse(startsAt) - Date.parse(now)) / DAY_MS;
        expect([inDays >= days, inDays < (days < 0 ? 0 : days + 7)]).toEqual([true, true]);
        expect(startsAt).toMatch(/T(09|10|11):(00|30):00/);
        expect(new Date(startsAt).getUTCDay()).toBe(1);
        expect(Date.parse(endsAt) - Date.parse(startsAt)).toBe(1_800_000);
      }
      expect(new Set(planned.map(({ startsAt }) => startsAt)).size).toBe(planned.length);
    },
  );

  test('take the providers in turn, with what they offer, on none of the times that are not free', () => {
    const now = '2030-01-07T08:00:00.000Z';
    const isFree = (providerId: string, { startsAt }: { startsAt: string }) =>
      providerId === 'mondays' || !startsAt.includes('T09:');
    const planned = plan(two, now, isFree);

    expect(planned.map(({ providerId, visitType }) => [providerId, visitType])).toEqual(
      wanted.map((_visit, index) => {
        const { id = '', visitTypes = [] } = two[index % 2] ?? {};
        return [id, visitTypes[index % 2]];
      }),
    );
    expect(planned.filter(({ providerId, startsAt }) => providerId === 'others' && startsAt.includes('T09:'))).toEqual(
      [],
    );
    expect(plan([], now)).toEqual([]);
    expect(plan(two, now, () => false)).toEqual([]);
    expect(
      new Set(plan([{ ...aProvider('none', 'monday'), visitTypes: [] }], now).map((each) => each.visitType)),
    ).toEqual(new Set(['Follow-up consultation']));
  });
});

test('who is in a sandbox from its beginning has a number of their own, a phone for fiction and an address by their name', () => {
  const shown = patientFixtures.map(({ identifier, phone, email }) => [identifier, phone, email]);

  expect([shown.length, ...shown.slice(0, 2), shown.at(-1)]).toEqual([
    12,
    ['MRN-1001', '+13035550101', 'ava.thompson@example.com'],
    ['MRN-1002', '+13035550102', 'liam.nguyen@example.com'],
    ['MRN-1012', '+13035550112', 'daniel.mbeki@example.com'],
  ]);
  expect(new Set(shown.map(([, phone]) => phone)).size).toBe(12);
});
