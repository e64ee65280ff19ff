import { fixturePatientOf, patientFixtures } from '@clinic/prisma/fixture-patients';
import { providerFixtures } from '@clinic/prisma/fixtures';
import { lenientRules } from '@clinic/shared/domain/sandbox/leniency';
import { timeReasons } from '@clinic/shared/domain/calendar/time-explained';
import { type FailureKind, sandboxFailureCodes, sandboxFailures } from '@clinic/shared/domain/sandbox/sandbox-failures';
import { weekdays } from '@clinic/shared/domain/calendar/weekly-hours';

/** docs/fixtures.md, as the fixtures are. */
export function fixturesPage(): string {
  const people = patientFixtures.map(({ identifier, firstName, lastName, birthDate, phone, email, appointments }) => [
    identifier,
    `${firstName} ${lastName}`,
    birthDate,
    phone,
    email,
    appointments.map(({ days, status }) => `${status} ${inDays(days)}`).join(', ') || 'none',
  ]);
  const providers = providerFixtures.map(({ name, displayName, workingHours, visitTypes }) => [
    `\`${name}\``,
    displayName,
    weekdays
      .flatMap((day) => {
        const hours = (workingHours[day] ?? []).map(({ opens, closes }) => `${opens}–${closes}`).join(' and ');
        return hours === '' ? [] : [`${day} ${hours}`];
      })
      .join('; '),
    visitTypes.join(', '),
  ]);
  const made = fixturePatientOf('ANY-1');
  return [
    '# What data a sandbox has',
    '',
    'Made from the fixtures by `WRITE_PAGES=1 npm test -- api/sandbox`, and compared with them by the same test.',
    '',
    "A clinic's sandbox gets these people when it is first turned on, and whenever it is reset ([sandbox.md](sandbox.md)). Nobody is real: the",
    'phone numbers are of the range that is kept for fiction, the addresses of `example.com`.',
    '',
    '## People',
    '',
    "`$match` finds them by identifier. Their appointments are counted from the sandbox's clock at that moment: each is on a slot that a",
    'provider of the clinic really offers on that day or in the week after it. An id is the same after each reset; another clinic has others.',
    '',
    ...table(['Identifier', 'Name', 'Born', 'Phone', 'E-mail', 'Appointments'], people),
    '',
    'An identifier that nobody has makes a patient, always the same one for the same identifier in every clinic: `ANY-1` is',
    `${made.firstName} ${made.lastName}, born ${made.birthDate}, ${made.phone}. \`SANDBOX-RIVAL\` is who takes times away in chosen failures, and who`,
    'begins with `DUPLICATE-` was made by the failure `duplicate_patient`.',
    '',
    '## Providers',
    '',
    'A demo clinic begins with these; another clinic has the providers that it has entered, with their hours. All slots are 30 minutes long, on',
    "the clinic's wall clock.",
    '',
    ...table(['Name', 'Spoken', 'Hours', 'Visit types'], providers),
    '',
    'At least 200 slots are free in the 14 days after any date, over the end of a year and a 29 February.',
    '',
  ].join('\n');
}

/** The chosen failures, as rows of the table in docs/sandbox.md. */
export const failureRows = (): string[] =>
  table(
    ['Failure', 'What happens', 'What a good client does', 'For', 'Parameters'],
    sandboxFailureCodes.map((code) => {
      const { happens, goodClient, operations, parameters }: FailureKind = sandboxFailures[code];
      return [
        `\`${code}\``,
        happens,
        goodClient,
        operations.length === 8 ? 'all requests' : operations.join(', '),
        Object.entries(parameters)
          .map(([name, { min, max, usual }]) => `\`${name}\` ${min}–${max}, ${usual} unless given`)
          .join(', ') || '–',
      ];
    }),
  );

/** What the sandbox makes easier, as rows of the table in docs/sandbox.md. */
export const lenientRuleRows = (): string[] =>
  table(
    ['Lenient rule', 'While it is off', 'What a client has to do'],
    Object.entries(lenientRules).map(([name, { off, client }]) => [`\`${name}\``, off, client]),
  );

/** Why a time is free or not, as rows of the table in docs/sandbox.md. */
export const reasonRows = (): string[] =>
  table(
    ['Reason', 'What it means'],
    Object.entries(timeReasons).map(([reason, means]) => [`\`${reason}\``, means]),
  );

/** However wide: the formatter pads the columns. */
function table(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

const inDays = (days: number): string => (days < 0 ? `${-days} days ago` : `in ${days} days`);
