import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { logEmergency } from '@clinic/prisma/account-command';
import { openDatabase } from '@clinic/prisma/client';
import { clinicUsage, runClinicCommand, shownResult } from '@clinic/prisma/clinic-command';
import { requireClinic } from '@clinic/prisma/require-clinic';
import type { DevClinic } from '@clinic/prisma/seed';
import { createStores } from '@clinic/prisma/stores';
import { type ApiConfig, outboundRules } from '@clinic/shared/config';
import type { ApiFinding } from '@clinic/shared/contracts/approved-api';
import type { VoiceFinding } from '@clinic/shared/contracts/voice';
import { createLog } from '@clinic/shared/log';
import { createClinicHttp } from '@clinic/shared/outbound/clinic-http';
import { createClinicSystems, toAudit } from '@clinic/shared/outbound/clinic-systems';
import { createSafeHttp } from '@clinic/shared/outbound/safe-http';
import { createVapiCheck, serverUrlOf } from '@clinic/shared/outbound/vapi/check';
import { type Applied, applyClinicFile } from './apply/apply';
import { clinicNamedIn } from './apply/clinic-file';
import { rotateSecret, type SectionDeps } from './apply/sections';
import { approvedApiSettings } from './settings/approved-api';
import { voiceSettings } from './settings/voice';

export const usage = `${clinicUsage}
  npm run clinic -- apply <file> [--clinic <id>] [--dry-run]
  npm run clinic -- rotate-secret --clinic <id> --secret voice|outbound|inbound/<event>
  npm run clinic -- check --clinic <id>

apply: makes what a YAML or JSON file says of a clinic true (docs/go-live.md), prints what changed, and changes nothing that the
  file does not name. --dry-run only prints.
check: asks the voice platform and the clinic's own API whether they will work; exits with 1 where one will not.`;

type Finding = VoiceFinding | ApiFinding;

export type OperatorResult =
  | Applied
  | { clinicId: string; secret: string; shownOnce: string }
  | {
      clinicId: string;
      passed: boolean;
      serverUrl: string;
      voice: { passed: boolean; findings: Finding[] };
      approvedApi: { passed: boolean; findings: Finding[] } | null;
    };

/** What a command says: `result` is printed as JSON, and `created` is a new clinic for the local stack to remember. */
export interface ClinicCommandOutcome {
  result: object;
  created: DevClinic | null;
  isFailed: boolean;
}

/** `npm run clinic` and `dist/clinic.js`: everything about a clinic that is done from a command line. */
export async function clinicCommand(
  args: string[],
  { config, env, signal }: { config: ApiConfig; env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<ClinicCommandOutcome> {
  const database = openDatabase(config.DATABASE_URL, { poolSize: 2 });
  const http = createSafeHttp(outboundRules(config));
  try {
    const command = operatorCommands[args[0] ?? ''];
    if (!command) {
      const { SECRET_KEYS: secretKeys, AUTH_SECRET: authSecret, PUBLIC_URL: publicUrl } = config;
      const done = await runClinicCommand(args, {
        database,
        secretKeys,
        authSecret,
        publicUrl,
        retentionDays: config.RETENTION_DAYS,
      });
      if ('emergency' in done) logEmergency(done.emergency);
      return { result: shownResult(done), created: 'created' in done ? done.created : null, isFailed: false };
    }
    const stores = createStores(database, config.SECRET_KEYS);
    const log = createLog({ process: 'clinic', level: 'error' });
    const systems = createClinicSystems({
      http: createClinicHttp({ http, audit: (call) => stores.audit.write(toAudit(call)), log }),
      settings: stores.settings,
      clientKeys: stores.clientKeys,
      publicUrl: config.PUBLIC_URL,
      hubspotUrl: config.HUBSPOT_BASE_URL,
    });
    const checkVoice = createVapiCheck({ http, baseUrl: config.VAPI_BASE_URL, publicUrl: config.PUBLIC_URL });
    const deps = { stores, systems, config, checkVoice, env, signal };
    const result = await command(args.slice(1), deps);
    return { result, created: null, isFailed: 'passed' in result && !result.passed };
  } finally {
    await Promise.all([database.close(), http.close()]);
  }
}

type CommandDeps = SectionDeps & {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
};

const by = { actor: 'operator' };

const operatorCommands: Record<string, (args: string[], deps: CommandDeps) => Promise<OperatorResult>> = {
  async apply(args, { env, signal, ...deps }) {
    const { files, clinic, ...values } = parse(args);
    const [file] = files;
    if (!file || files.length > 1) throw new Error(usage);
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    });
    const clinicId = clinic ?? clinicNamedIn(text);
    if (clinicId === undefined) throw new Error(`Which clinic? Name it with --clinic, or as \`clinic:\` in ${file}.`);
    await requireClinic(deps.stores.clinics, clinicId);
    return applyClinicFile(deps, { clinicId, file, text, env, isDryRun: values['dry-run'] === true, signal });
  },

  async 'rotate-secret'(args, deps) {
    const { clinic: clinicId, secret } = parse(args);
    if (!clinicId || !secret) throw new Error(usage);
    await requireClinic(deps.stores.clinics, clinicId);
    return { clinicId, secret, shownOnce: await rotateSecret(deps.stores, { clinicId, name: secret, by }) };
  },

  async check(args, { signal, ...deps }) {
    const { clinic: clinicId } = parse(args);
    if (!clinicId) throw new Error(usage);
    await requireClinic(deps.stores.clinics, clinicId);
    const voice = await voiceSettings(deps).checkKept(clinicId, { by, signal });
    const approvedApi = await approvedApiSettings(deps).checkKept(clinicId, { by, signal });
    const passed = voice.passed && (approvedApi?.passed ?? true);
    return { clinicId, passed, serverUrl: serverUrlOf(deps.config.PUBLIC_URL), voice, approvedApi };
  },
};

function parse(args: string[]) {
  try {
    const { positionals: files, values } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        clinic: { type: 'string' },
        'dry-run': { type: 'boolean' },
        secret: { type: 'string' },
      },
    });
    return { files, ...values };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${usage}`, { cause: error });
  }
}
