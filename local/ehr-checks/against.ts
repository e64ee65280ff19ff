import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { junitReport } from '@clinic/sandbox/readiness/junit';
import { defaultVisitType } from '@clinic/shared/contracts/calendar/appointments';
import { isTimeZone } from '@clinic/shared/domain/calendar/clinic-time';
import { readDevStack } from '../dev-file';
import { readSmartClient, smartTokens, staticToken, type TokenSource } from './credentials';
import { countOf, sideBySide } from './report';
import { checkEhr, type Checked, type Target } from './run-checks';
import { Person } from './subject';

const usage = `Usage: npm run readiness -- --against BASE --patient FILE [options]
  Tries at a FHIR server, as a vendor's sandbox, what a clinic's integration counts on: it matches, searches, books, moves and cancels
  for one test patient, and cancels what it has booked. Never point it at real patients' records.

  --patient FILE        a Patient resource whom the server has: identifier, or name and birthDate
  --practitioner REF    as Practitioner/123; --schedule REF, as Schedule/123; else the first Schedule that it finds
  --visit-type TEXT     what the visit is for; --zone ZONE  whose clock changes are looked at, as America/Denver
  --note                writes a note also where it cannot be taken back

  READINESS_TOKEN       (environment) the server's bearer token; or --token TOKEN, which others on this machine can see
  --smart FILE          in its place SMART Backend Services: { "clientId", "scope", "tokenUrl"?, "key": private JWK with kid and alg }

  --beside BASE         our own sandbox, tried the same way: the local stack where it runs, or one with READINESS_BESIDE_TOKEN
  --alone               without it
  --junit FILE  --json FILE  --min N`;

const options = {
  against: { type: 'string' },
  patient: { type: 'string' },
  practitioner: { type: 'string' },
  schedule: { type: 'string' },
  'visit-type': { type: 'string', default: defaultVisitType },
  zone: { type: 'string' },
  note: { type: 'boolean', default: false },
  token: { type: 'string' },
  smart: { type: 'string' },
  beside: { type: 'string' },
  alone: { type: 'boolean', default: false },
  junit: { type: 'string' },
  json: { type: 'string' },
  min: { type: 'string' },
} as const;

/** One of the fixtures (docs/fixtures.md), who has no appointment. */
export const fixturePerson: Person = {
  resourceType: 'Patient',
  identifier: [{ value: 'MRN-1011' }],
  name: [{ family: 'Lindqvist', given: ['Hannah'] }],
  birthDate: '1969-10-10',
  telecom: [{ system: 'phone', value: '+13035550111' }],
};

/** `npm run readiness -- --against`: a FHIR server beside our own sandbox. It fails where a check fails there, or with --min. */
export async function readinessOf(args: string[]): Promise<void> {
  const values = read(args);
  const stop = new AbortController();
  const abort = () => stop.abort();
  process.once('SIGINT', abort);
  process.once('SIGTERM', abort);
  try {
    const there = await checkEhr(targetOf(values), stop.signal);
    const sandbox = values.alone ? null : await ownSandbox(values);
    const here = sandbox && (await checkEhr(sandbox, stop.signal));
    for (const line of sideBySide(there, here)) console.log(line);
    if (values.junit) writeFileSync(values.junit, junitOf(there));
    if (values.json) writeFileSync(values.json, `${JSON.stringify({ there, here }, null, 2)}\n`);
    const isEnough = values.min === undefined || countOf(there, 'passed') >= Number(values.min);
    if (!isEnough) console.log(`Fewer than ${values.min} were passed there.`);
    if (countOf(there, 'failed') > 0 || there.leftBehind.length > 0 || !isEnough) process.exitCode = 1;
  } finally {
    process.off('SIGINT', abort);
    process.off('SIGTERM', abort);
  }
}

function read(args: string[]) {
  try {
    const { values } = parseArgs({ args, options });
    const { against, zone, min, beside } = values;
    for (const base of [against, ...(beside ? [beside] : [])]) {
      if (!base || !/^https?:\/\//.test(base) || !URL.canParse(base)) {
        throw new Error('--against and --beside take an address, as https://ehr.example/fhir/r4');
      }
      const { username, password } = new URL(base);
      if (username || password) throw new Error('An address holds no credentials: see READINESS_TOKEN');
    }
    if (zone !== undefined && !isTimeZone(zone)) throw new Error('--zone is no time zone');
    if (min !== undefined && !/^\d+$/.test(min)) throw new Error('--min is a whole number');
    return { ...values, against: bare(against ?? ''), beside: beside && bare(beside) };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`, { cause: error });
  }
}
type Values = ReturnType<typeof read>;

const bare = (base: string): string => base.replace(/\/+$/, '');

function targetOf({ against, patient, smart, token = process.env.READINESS_TOKEN, ...values }: Values): Target {
  if (!patient) throw new Error(`--patient names whom the server has.\n\n${usage}`);
  const person = Person.safeParse(JSON.parse(readFileSync(patient, 'utf8')));
  const { identifier, name, birthDate } = person.data ?? {};
  if (!identifier?.[0] && !(name?.[0]?.family && birthDate)) {
    throw new Error(`${patient} is not a Patient resource with an identifier, or with family name and birthDate`);
  }
  return {
    ...commonOf(values),
    base: against,
    token: smart ? smartTokens(against, readSmartClient(smart)) : staticToken(token),
    person: person.data ?? fixturePerson,
    practitioner: values.practitioner,
    schedule: values.schedule,
  };
}

const commonOf = (values: Pick<Values, 'visit-type' | 'zone' | 'note'>) => ({
  visitType: values['visit-type'],
  zone: values.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  mayLeaveNote: values.note,
});

/** Our own sandbox: the one that is named, else that of the local stack's first clinic; null where there is none. */
async function ownSandbox({ beside, zone, ...values }: Values): Promise<Target | null> {
  const own = {
    person: fixturePerson,
    practitioner: 'Practitioner/Dr.Chen',
    visitType: defaultVisitType,
    mayLeaveNote: true,
  };
  if (beside) {
    return {
      ...commonOf({ zone, ...values }),
      ...own,
      base: beside,
      token: staticToken(process.env.READINESS_BESIDE_TOKEN),
    };
  }
  const dev = readDevStack();
  const [clinic] = dev?.clinics ?? [];
  if (!dev || !clinic) return null;
  const token = signedIn(dev.baseUrl, clinic);
  return { ...own, base: dev.baseUrl, zone: zone ?? clinic.timezone, token };
}

function signedIn(baseUrl: string, { email, password }: { email: string; password: string }): TokenSource {
  let token: Promise<string> | undefined;
  return (isAnew) => {
    if (isAnew) token = undefined;
    token ??= fetch(`${baseUrl}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    }).then(async (response) => ((await response.json()) as { token: string }).token);
    return token;
  };
}

const junitOf = ({ base, startedAt, results }: Checked): string =>
  junitReport({
    name: `FHIR server: ${base}`,
    startedAt,
    cases: results.map(({ id, area, title, verdict, why, shownBy }) => ({
      area,
      id,
      title,
      verdict: verdict === 'not_applicable' ? 'skipped' : verdict,
      message: verdict === 'not_applicable' ? `Not applicable: ${why}` : (why ?? ''),
      detail: shownBy
        ? `Exchange ${shownBy.number}: ${shownBy.request} ${shownBy.status ?? 'no reply'}, ${shownBy.said}`
        : '',
    })),
  });
