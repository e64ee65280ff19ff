import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Measurement, measurementFile } from './measurement';

const usage =
  'Usage: npm run prove -- size [--clinics 10,1000,10000] [--forms 50] [--calls 2] [--call-minutes 3] [--open-days 2] [--retention-days 30]';

/** A day's busiest hour has an eighth of its forms. */
const BUSIEST = 1 / 8;
const DAYS_A_YEAR = 365;
/** What is measured has two calls a case, of which one is answered. */
const MEASURED_CALLS = 2;

export interface Assumed {
  forms: number;
  calls: number;
  callMinutes: number;
  openDays: number;
  retentionDays: number;
}

/** Prints what a number of clinics needs, from the last measurement: every line is proportional to forms a day. */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      clinics: { type: 'string', default: '10,1000,10000' },
      forms: { type: 'string', default: '50' },
      calls: { type: 'string', default: '2' },
      'call-minutes': { type: 'string', default: '3' },
      'open-days': { type: 'string', default: '2' },
      'retention-days': { type: 'string', default: '30' },
    },
  });
  const assumed: Assumed = {
    forms: Number(values.forms),
    calls: Number(values.calls),
    callMinutes: Number(values['call-minutes']),
    openDays: Number(values['open-days']),
    retentionDays: Number(values['retention-days']),
  };
  const sizes = values.clinics.split(',').map(Number);
  if (![...sizes, ...Object.values(assumed)].every((each) => each > 0)) throw new Error(usage);

  const measured = Measurement.parse(JSON.parse(await readFile(measurementFile, 'utf8')));
  const columns = sizes.map((clinics) => sizing(measured, clinics, assumed));
  const names = Object.keys(columns[0] ?? {});
  console.log(
    `Measured on ${measured.on}: ${measured.casesPerSecond.join(', ')} cases a second on ${measured.cores} cores, ${measured.minutes} minutes in all.\n`,
  );
  console.log(`| Clinics | ${sizes.map((each) => each.toLocaleString('en')).join(' | ')} |`);
  console.log(`| --- |${' --- |'.repeat(sizes.length)}`);
  for (const name of names) console.log(`| ${name} | ${columns.map((column) => column[name]).join(' | ')} |`);
}

/** What the engines do in the busiest hour, and what they keep. */
export function sizing(measured: Measurement, clinics: number, assumed: Assumed): Record<string, string> {
  const { forms, calls, callMinutes, openDays, retentionDays } = assumed;
  const casesADay = clinics * forms;
  const perSecond = (casesADay * BUSIEST) / 3_600;
  const callsPerSecond = perSecond * calls;
  const coresOf = (...owners: string[]) =>
    owners.reduce((sum, owner) => {
      const { msPerCase = 0, idlePercent = 0 } = measured.processor[owner] ?? {};
      return sum + idlePercent / 100 + (perSecond * msPerCase * calls) / MEASURED_CALLS / 1_000;
    }, 0);
  const gigabytes = (kbPerCase: number, cases: number) => amount((kbPerCase * cases) / 1_024 / 1_024, 'GB');
  const { service, temporal } = measured.diskKbPerCase;
  return {
    'cases a second in the busiest hour': figure(perSecond),
    'calls at once in it': Math.round(callsPerSecond * callMinutes * 60).toLocaleString('en'),
    'open cases': Math.round(casesADay * openDays).toLocaleString('en'),
    'cores in it, of Temporal and its PostgreSQL': figure(coresOf('Temporal', 'PostgreSQL for Temporal')),
    'cores in it, of worker and API': figure(coresOf('worker', 'API')),
    'cores in it, of the PostgreSQL of the service': figure(coresOf('PostgreSQL')),
    "SQL statements a second; PostgreSQL's log": `${figure(perSecond * (measured.statementsPerCase.service + measured.statementsPerCase.temporal))}; ${amount((perSecond * measured.walKbPerCase) / 1_024, 'MB')}/s`,
    [`Temporal's databases, with ${retentionDays} days of retention`]: gigabytes(
      temporal,
      casesADay * (openDays + retentionDays),
    ),
    "the service's database, a year, nothing purged": gigabytes(service, casesADay * DAYS_A_YEAR),
  };
}

const figure = (value: number): string => (value >= 10 ? Math.round(value).toLocaleString('en') : value.toFixed(2));
const amount = (value: number, unit: string): string => `${figure(value)} ${unit}`;
