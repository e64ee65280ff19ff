import { type Command, InvalidArgumentError, Option } from 'commander';
import { createClinic, makeClinic } from '@clinic/accounts/seed';
import { type Scope, usualScopes } from '@clinic/shared/domain/accounts/rights';
import { isTimeZone } from '@clinic/shared/domain/calendar/clinic-time';
import { isCountry } from '@clinic/shared/domain/operations/countries';
import { DEFAULT_PLATFORM, type VoicePlatformName, voicePlatforms } from '@clinic/shared/domain/voice/platforms';
import { Phone } from '@clinic/shared/contracts/primitives';
import { type RetentionKind, retentionKinds } from '@clinic/shared/domain/operations/retention';
import {
  type CommandLine,
  type CommandResult,
  emailAddress,
  httpUrl,
  operator,
  type Records,
  wholeNumber,
} from './command-line';
import { scopeList } from './key';

interface CreateOptions {
  name: string;
  timezone: string;
  country?: string;
  outboundUrl?: string;
  voice?: VoicePlatformName;
  demo: boolean;
  email?: string;
  keyScopes?: Scope[];
  fixtures: boolean;
}

interface ResendOptions {
  clinic: string;
  endpoint?: string;
  days?: number;
  send: boolean;
}

const DAY_MS = 86_400_000;

/** Makes a clinic, and says where its events and its calls go and whose a line is. */
export function clinicCommands(line: CommandLine, clinic: Command): void {
  const typed = line.context.typedAs('clinic');
  clinic
    .command('create')
    .description('makes a clinic with an administrator, an API key and secrets, and prints them once')
    .requiredOption('--name <name>')
    .requiredOption('--timezone <zone>', 'an IANA time zone, as America/Denver', timeZone)
    .option(
      '--country <code>',
      'as GB: how its phone numbers are read; that of its time zone unless given',
      countryCode,
    )
    .option('--outbound-url <url>', 'where its events go', httpUrl)
    .addOption(
      new Option(
        '--voice <platform>',
        `${DEFAULT_PLATFORM} calls real phones, and is what a clinic without --demo has; the simulator invents what patients say and reaches nobody`,
      ).choices(voicePlatforms),
    )
    .option('--demo', 'open for calls at all hours, no delays, patients played by the simulator', false)
    .option('--email <administrator>', 'of the first administrator, who is made up otherwise', emailAddress)
    .option(
      '--key-scopes <scopes>',
      `of its API key: ${usualScopes.join(', ')}, in a demo all, unless named`,
      scopeList,
    )
    .option('--no-fixtures', 'invents no providers, no staff account and no test call; needs --email')
    .action((options: CreateOptions) => line.withRecords((records) => create(line, records, options)));
  clinic
    .command('set-outbound')
    .description('where the events of a clinic go')
    .requiredOption('--clinic <id>')
    .requiredOption('--url <url>', 'http or https', httpUrl)
    .action(line.onClinic(setOutbound));
  clinic
    .command('set-voice')
    .description('by whom the patients of a clinic are called')
    .requiredOption('--clinic <id>')
    .addOption(new Option('--voice <platform>').choices(voicePlatforms).makeOptionMandatory())
    .action(line.onClinic(setVoice));
  clinic
    .command('set-country')
    .description('how phone numbers and dates of a clinic are read that name no country; what is on file stays')
    .requiredOption('--clinic <id>')
    .requiredOption('--country <code>', 'ISO 3166, as GB', countryCode)
    .action(line.onClinic(setCountry));
  clinic
    .command('set-limit')
    .description('how many different phone numbers a clinic may call on a day of its calendar: 2000 unless set')
    .requiredOption('--clinic <id>')
    .requiredOption('--numbers-per-day <n>', '0: nobody is called', wholeNumber({ from: 0, to: 999_999 }))
    .action(line.onRecords(setLimit));
  clinic
    .command('retention')
    .description('how many contents of each kind are old enough to be purged now, up to a thousand; takes nothing')
    .requiredOption('--clinic <id>')
    .action(line.onClinic(countDue));
  clinic
    .command('resend-dead')
    .description(
      'events of a clinic that were given up, or missed while its endpoint was off: counts them, and with --send sends them again in their order',
    )
    .requiredOption('--clinic <id>')
    .option('--endpoint <id>', 'as the page of all clinics names it; the outbound URL unless given')
    .option('--days <n>', 'given up within the last n days; whenever unless given', wholeNumber({ from: 1, to: 3_650 }))
    .option('--send', 'sends what was counted', false)
    .action(line.onClinic((records, options: ResendOptions) => resendDead(records, options, typed)));
  clinic
    .command('lines')
    .description('the phone numbers that clinics have entered and nobody has confirmed')
    .action(
      line.onRecords(async ({ stores }) => ({ shown: { unconfirmed: await stores.phoneNumbers.unconfirmed() } })),
    );
  clinic
    .command('assign-line')
    .description(
      'confirms a line, or gives it to another clinic: calls over the operator’s account are taken on confirmed lines only',
    )
    .requiredOption('--clinic <id>')
    .requiredOption('--number <E.164>', 'as +13035550100', phoneNumber)
    .option('--platform-id <id>', 'of the number at the voice platform')
    .action(line.onClinic(assignLine));
}

async function create(line: CommandLine, { database, config }: Records, options: CreateOptions): Promise<void> {
  const { name, timezone, country, outboundUrl, demo, email, voice: voiceProvider, keyScopes } = options;
  const deps = { database, secretKeys: config.SECRET_KEYS, authSecret: config.AUTH_SECRET };
  const about = { name: name.trim(), timezone, country, demo, email, outboundUrl, voiceProvider, keyScopes };
  if (about.name === '') throw new Error('--name must not be empty.');
  if (!options.fixtures) {
    if (email === undefined) throw new Error('--no-fixtures needs --email: somebody must be able to sign in.');
    return line.show({ shown: await makeClinic(deps, about) });
  }
  const created = await createClinic(deps, about);
  line.context.created(created);
  line.show({ shown: created });
}

async function setOutbound(
  { stores }: Records,
  { clinic: clinicId, url }: { clinic: string; url: string },
): Promise<CommandResult> {
  const { events } = await stores.clinics.outboundEndpoint(clinicId);
  await stores.clinics.setOutboundEndpoint(clinicId, { url, isEnabled: true, events }, operator);
  return { shown: { clinicId, outboundUrl: url } };
}

async function setVoice(
  { stores }: Records,
  { clinic: clinicId, voice: voiceProvider }: { clinic: string; voice: VoicePlatformName },
): Promise<CommandResult> {
  await stores.clinics.setVoiceProvider(clinicId, voiceProvider, operator);
  return { shown: { clinicId, voiceProvider } };
}

async function setCountry(
  { stores }: Records,
  { clinic: clinicId, country }: { clinic: string; country: string },
): Promise<CommandResult> {
  await stores.clinics.setCountry(clinicId, country, operator);
  return { shown: { clinicId, country } };
}

async function setLimit(
  { stores }: Records,
  { clinic: clinicId, numbersPerDay }: { clinic: string; numbersPerDay: number },
): Promise<CommandResult> {
  const isKnown = await stores.clinics.setNumbersPerDay(clinicId, numbersPerDay, operator);
  if (!isKnown) throw new Error(`There is no clinic ${clinicId}.`);
  return { shown: { clinicId, numbersPerDay } };
}

async function countDue({ stores, config }: Records, { clinic: clinicId }: { clinic: string }): Promise<CommandResult> {
  const chosen = new Map((await stores.retention.chosen(clinicId)).map(({ kind, days }) => [kind, days]));
  const wouldBePurged: Partial<Record<RetentionKind, number>> = {};
  for (const kind of retentionKinds) {
    const days = chosen.get(kind) ?? config.RETENTION_DAYS[kind];
    wouldBePurged[kind] = await stores.retention.countDue(clinicId, kind, days);
  }
  return { shown: { clinicId, wouldBePurged } };
}

/** What would go, with the command that sends it; or a job as the clinic's own page begins it, whose workflow the relay starts. */
async function resendDead(
  { stores }: Records,
  { clinic: clinicId, endpoint, days, send: isSending }: ResendOptions,
  typed: string,
): Promise<CommandResult> {
  const first = await stores.clinics.outboundEndpoint(clinicId);
  const isFirst = endpoint === undefined || endpoint === first.id;
  const { url, isEnabled } = isFirst
    ? first
    : ((await stores.endpoints.find(clinicId, endpoint)) ?? { url: null, isEnabled: false });
  if (isSending && (url === null || !isEnabled)) {
    throw new Error('The endpoint is off, or not there: nothing was sent.');
  }
  const now = Date.now();
  const filter = {
    ...(!isFirst && { endpointId: endpoint }),
    ...(days !== undefined && { givenUpSince: new Date(now - days * DAY_MS).toISOString() }),
    until: new Date(now).toISOString(),
  };
  const counted = { clinicId, ...(await stores.bulkJobs.preview(clinicId, 'resend_deliveries', filter)) };
  if (counted.total === 0) return { shown: { ...counted, job: null } };
  const to = endpoint === undefined ? '' : ` --endpoint ${endpoint}`;
  const within = days === undefined ? '' : ` --days ${days}`;
  const countedBy = `${typed} resend-dead --clinic ${clinicId}${to}${within}`;
  if (!isSending) return { shown: { ...counted, job: null, sentBy: `${countedBy} --send` } };
  const started = await stores.bulkJobs.start(clinicId, { kind: 'resend_deliveries', filter }, operator);
  if (started.kind === 'running') throw new Error('Events of this clinic are being sent again already.');
  // What is left of them, once more.
  return { shown: { ...counted, job: started.job.id, countedBy } };
}

async function assignLine(
  { stores }: Records,
  options: { clinic: string; number: string; platformId?: string },
): Promise<CommandResult> {
  const { clinic: clinicId, number } = options;
  const assigned = { clinicId, number, platformId: options.platformId ?? null };
  await stores.phoneNumbers.assign(assigned, operator);
  return { shown: assigned };
}

function timeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw new InvalidArgumentError(`${text} is not an IANA time zone, as America/Denver is.`);
}

function countryCode(text: string): string {
  if (isCountry(text)) return text;
  throw new InvalidArgumentError(`${text} is not a country of ISO 3166, as GB is.`);
}

function phoneNumber(text: string): string {
  const read = Phone.safeParse(text);
  if (read.success) return read.data;
  throw new InvalidArgumentError(`${text} is not a phone number as +13035550100.`);
}
