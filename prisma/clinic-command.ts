import { parseArgs } from 'node:util';
import {
  type RetentionDays,
  retentionDefaults,
  type RetentionKind,
  retentionKinds,
} from '@clinic/shared/domain/retention';
import { Phone } from '@clinic/shared/contracts/primitives';
import {
  type AccountCommandResult,
  type AccountDeps,
  accountNotes,
  accountUsage,
  runAccountCommand,
} from './account-command';
import { type PatientCommandResult, patientUsage, runPatientCommand } from './patient-command';
import { requireClinic } from './require-clinic';
import { createClinic, type DevClinic, type MadeClinic, makeClinic, type SeedDeps } from './seed';
import { createStores, type Stores } from './stores';
import type { VoiceProvider } from './stores/clinics';

export const clinicUsage = `Usage:
  npm run clinic -- create --name <name> --timezone <IANA zone> [--outbound-url <url>] [--voice vapi|simulator] [--demo]
    [--email <administrator>] [--no-fixtures]
  npm run clinic -- set-outbound --clinic <id> --url <url>
  npm run clinic -- set-voice --clinic <id> --voice vapi|simulator
  npm run clinic -- set-limit --clinic <id> --numbers-per-day <n>
  npm run clinic -- lines
  npm run clinic -- retention --clinic <id>
  npm run clinic -- assign-line --clinic <id> --number <E.164> [--platform-id <id>]
${accountUsage}
${patientUsage}

--demo: open for calls at all hours, no delay before the first call, one second between attempts, patients played by the simulator.
--no-fixtures: no providers, no staff account and no test call are invented; needs --email, whose first password is printed.
--voice: vapi calls real phones, and is what a clinic without --demo has. The simulator invents what patients say and reaches nobody;
  what it played is marked as simulated, in the dashboard and on every event.
set-limit: how many different phone numbers the clinic may call on a day of its calendar; 2000 unless set, 0 for none.
retention: how many contents of each kind are old enough to be purged now, up to a thousand; takes nothing.
lines: the phone numbers that clinics have entered and nobody has confirmed. assign-line confirms one, or gives it to another clinic:
  calls over the operator's account are taken on confirmed lines only.
${accountNotes}
patient: all that is stored about one; erase has a worker delete it, hold refuses that until release.`;

export type ClinicCommandResult =
  | AccountCommandResult
  | { created: DevClinic }
  | { made: MadeClinic }
  | { clinicId: string; outboundUrl: string }
  | { clinicId: string; voiceProvider: VoiceProvider }
  | { unconfirmed: Awaited<ReturnType<Stores['phoneNumbers']['unconfirmed']>> }
  | { clinicId: string; numbersPerDay: number }
  | { clinicId: string; wouldBePurged: Partial<Record<RetentionKind, number>> }
  | { clinicId: string; number: string; platformId: string | null }
  | PatientCommandResult;

export type ClinicCommandDeps = AccountDeps & {
  /** Of the operator, where they are not the service's own. */
  retentionDays?: RetentionDays;
};

/** What the command prints. */
export function shownResult(result: ClinicCommandResult): object {
  if ('created' in result) return result.created;
  if ('emergency' in result) return result.emergency;
  if ('link' in result) return result.link;
  if ('exported' in result) return result.exported;
  return 'made' in result ? result.made : result;
}

/** Makes a clinic, says where its events and its calls go and whose a line is, manages its accounts, or has a patient's data leave. */
export async function runClinicCommand(args: string[], deps: ClinicCommandDeps): Promise<ClinicCommandResult> {
  const { command, options } = parse(args);
  const [subject, ...action] = command.split(' ');
  if (subject === 'patient') return runPatientCommand(action.join(' '), options, deps);
  if (command === 'create') return create(options, deps);
  if (command === 'set-outbound') return setOutbound(options, deps);
  if (command === 'set-voice') return setVoice(options, deps);
  if (command === 'lines') {
    return { unconfirmed: await createStores(deps.database, deps.secretKeys).phoneNumbers.unconfirmed() };
  }
  if (command === 'set-limit') return setLimit(options, deps);
  if (command === 'retention') return countDue(options, deps);
  if (command === 'assign-line') return assignLine(options, deps);
  const ofAccounts = await runAccountCommand(command, options, deps);
  if (ofAccounts) return ofAccounts;
  throw new Error(clinicUsage);
}

interface Options {
  name?: string;
  timezone?: string;
  'outbound-url'?: string;
  voice?: string;
  demo?: boolean;
  email?: string;
  'no-fixtures'?: boolean;
  clinic?: string;
  url?: string;
  number?: string;
  'numbers-per-day'?: string;
  'platform-id'?: string;
  role?: string;
  reason?: string;
  minutes?: string;
  required?: string;
  patient?: string;
  format?: string;
  confirm?: string;
}

async function create(
  { name, timezone, voice, demo = false, email, ...options }: Options,
  deps: SeedDeps,
): Promise<ClinicCommandResult> {
  if (!name?.trim() || !timezone) throw new Error(clinicUsage);
  if (!isZone(timezone)) throw new Error(`${timezone} is not an IANA time zone, as America/Denver is.`);
  const outboundUrl = options['outbound-url'];
  if (email !== undefined && !/^\S+@\S+\.\S+$/.test(email)) throw new Error(`${email} is not an email address.`);
  const about = {
    name: name.trim(),
    timezone,
    demo,
    email,
    outboundUrl: outboundUrl && httpUrl(outboundUrl),
    voiceProvider: voice === undefined ? undefined : voiceProvider(voice),
  };
  if (options['no-fixtures'] !== true) return { created: await createClinic(deps, about) };
  if (email === undefined) throw new Error('--no-fixtures needs --email: somebody must be able to sign in.');
  return { made: await makeClinic(deps, about) };
}

async function setVoice({ clinic: clinicId, voice }: Options, deps: SeedDeps): Promise<ClinicCommandResult> {
  if (!clinicId || voice === undefined) throw new Error(clinicUsage);
  const { clinics } = createStores(deps.database, deps.secretKeys);
  await requireClinic(clinics, clinicId);
  const chosen = voiceProvider(voice);
  await clinics.setVoiceProvider(clinicId, chosen, { actor: 'operator' });
  return { clinicId, voiceProvider: chosen };
}

async function setLimit({ clinic: clinicId, ...options }: Options, deps: SeedDeps): Promise<ClinicCommandResult> {
  const given = options['numbers-per-day'] ?? '';
  if (!clinicId || !/^\d{1,6}$/.test(given)) throw new Error(clinicUsage);
  const numbersPerDay = Number(given);
  const { clinics } = createStores(deps.database, deps.secretKeys);
  const isKnown = await clinics.setNumbersPerDay(clinicId, numbersPerDay, { actor: 'operator' });
  if (!isKnown) throw new Error(`There is no clinic ${clinicId}.`);
  return { clinicId, numbersPerDay };
}

async function countDue({ clinic: clinicId }: Options, deps: ClinicCommandDeps): Promise<ClinicCommandResult> {
  if (!clinicId) throw new Error(clinicUsage);
  const { clinics, retention } = createStores(deps.database, deps.secretKeys);
  await requireClinic(clinics, clinicId);
  const chosen = new Map((await retention.chosen(clinicId)).map(({ kind, days }) => [kind, days]));
  const wouldBePurged: Partial<Record<RetentionKind, number>> = {};
  for (const kind of retentionKinds) {
    const days = chosen.get(kind) ?? (deps.retentionDays ?? retentionDefaults)[kind];
    wouldBePurged[kind] = await retention.countDue(clinicId, kind, days);
  }
  return { clinicId, wouldBePurged };
}

async function assignLine(
  { clinic: clinicId, number, ...options }: Options,
  deps: SeedDeps,
): Promise<ClinicCommandResult> {
  if (!clinicId || !number) throw new Error(clinicUsage);
  const { clinics, phoneNumbers } = createStores(deps.database, deps.secretKeys);
  await requireClinic(clinics, clinicId);
  if (!Phone.safeParse(number).success) throw new Error(`${number} is not a phone number as +13035550100.`);
  const line = { clinicId, number, platformId: options['platform-id'] ?? null };
  await phoneNumbers.assign(line, { actor: 'operator' });
  return line;
}

async function setOutbound({ clinic: clinicId, url }: Options, deps: SeedDeps): Promise<ClinicCommandResult> {
  if (!clinicId || !url) throw new Error(clinicUsage);
  const { clinics } = createStores(deps.database, deps.secretKeys);
  await requireClinic(clinics, clinicId);
  const { events } = await clinics.outboundEndpoint(clinicId);
  const outboundUrl = httpUrl(url);
  await clinics.setOutboundEndpoint(clinicId, { url: outboundUrl, isEnabled: true, events });
  return { clinicId, outboundUrl };
}

function parse(args: string[]): { command: string; options: Options } {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        timezone: { type: 'string' },
        'outbound-url': { type: 'string' },
        voice: { type: 'string' },
        demo: { type: 'boolean' },
        email: { type: 'string' },
        'no-fixtures': { type: 'boolean' },
        clinic: { type: 'string' },
        url: { type: 'string' },
        number: { type: 'string' },
        'platform-id': { type: 'string' },
        role: { type: 'string' },
        reason: { type: 'string' },
        minutes: { type: 'string' },
        required: { type: 'string' },
        patient: { type: 'string' },
        format: { type: 'string' },
        confirm: { type: 'string' },
        'numbers-per-day': { type: 'string' },
      },
    });
    return { command: positionals.join(' '), options: values };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${clinicUsage}`, { cause: error });
  }
}

function isZone(timezone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: timezone }));
  } catch {
    return false;
  }
}

function voiceProvider(text: string): VoiceProvider {
  if (text === 'vapi' || text === 'simulator') return text;
  throw new Error(`${text} is not a voice provider: vapi or simulator.`);
}

function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new Error(`${text} is not an http or https URL.`);
}
