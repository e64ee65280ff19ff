import { parseArgs } from 'node:util';
import { createClinic, type DevClinic, type MadeClinic, makeClinic, type SeedDeps } from './seed';
import { createStores } from './stores';
import type { VoiceProvider } from './stores/clinics';

export const clinicUsage = `Usage:
  npm run clinic -- create --name <name> --timezone <IANA zone> [--outbound-url <url>] [--voice vapi|simulator] [--demo]
    [--email <administrator>] [--no-fixtures]
  npm run clinic -- set-outbound --clinic <id> --url <url>
  npm run clinic -- set-voice --clinic <id> --voice vapi|simulator

--demo: open for calls at all hours, no delay before the first call, one second between attempts, patients played by the simulator.
--no-fixtures: no providers, no staff account and no test call are invented; needs --email, whose first password is printed.
--voice: vapi calls real phones, and is what a clinic without --demo has. The simulator invents what patients say and reaches nobody;
  what it played is marked as simulated, in the dashboard and on every event.`;

export type ClinicCommandResult =
  | { created: DevClinic }
  | { made: MadeClinic }
  | { clinicId: string; outboundUrl: string }
  | { clinicId: string; voiceProvider: VoiceProvider };

/** What the command prints. */
export function shownResult(result: ClinicCommandResult): object {
  if ('created' in result) return result.created;
  return 'made' in result ? result.made : result;
}

/** Makes a clinic, or says where its events and its calls go. */
export async function runClinicCommand(args: string[], deps: SeedDeps): Promise<ClinicCommandResult> {
  const { command, options } = parse(args);
  if (command === 'create') return create(options, deps);
  if (command === 'set-outbound') return setOutbound(options, deps);
  if (command === 'set-voice') return setVoice(options, deps);
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
  if (!(await clinics.find(clinicId))) throw new Error(`There is no clinic ${clinicId}.`);
  const chosen = voiceProvider(voice);
  await clinics.setVoiceProvider(clinicId, chosen, { actor: 'operator' });
  return { clinicId, voiceProvider: chosen };
}

async function setOutbound({ clinic: clinicId, url }: Options, deps: SeedDeps): Promise<ClinicCommandResult> {
  if (!clinicId || !url) throw new Error(clinicUsage);
  const { clinics } = createStores(deps.database, deps.secretKeys);
  if (!(await clinics.find(clinicId))) throw new Error(`There is no clinic ${clinicId}.`);
  const { events } = await clinics.outboundEndpoint(clinicId);
  const outboundUrl = httpUrl(url);
  await clinics.setOutboundEndpoint(clinicId, { url: outboundUrl, isEnabled: true, events });
  return { clinicId, outboundUrl };
}

function parse(args: string[]): { command: string | undefined; options: Options } {
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
      },
    });
    return { command: positionals.length === 1 ? positionals[0] : undefined, options: values };
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
