import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { approvedApiSettings } from '@clinic/gateways/clinic-api/settings';
import { offeredTools } from '@clinic/api/tools/definitions';
import { PROMPTS, readPrompts } from '@clinic/gateways/voice/assistants/prompts';
import { voiceSettings } from '@clinic/gateways/voice/settings';
import { openClinicSystems } from '@clinic/gateways/clinic-systems';
import { createSafeHttp } from '@clinic/gateways/http/safe-http';
import { createVoicePlatforms } from '@clinic/gateways/voice/registry';
import { outboundRules } from '@clinic/shared/config';
import { DEFAULT_PLATFORM } from '@clinic/shared/domain/voice/platforms';
import { createLog } from '@clinic/shared/log';
import { applyClinicFile } from './apply/apply';
import { clinicNamedIn } from './apply/clinic-file';
import { rotateSecret, type SectionDeps } from './apply/sections';
import { type CommandLine, type CommandResult, operator, type Records, requireClinic } from './command-line';

type SystemsAndRecords = Records & SectionDeps;

/** Makes a clinic ready: its settings from a file, its secrets, and the question whether it all works. */
export function clinicSettingsCommands(line: CommandLine, clinic: Command): void {
  clinic
    .command('apply')
    .description(
      'makes what a YAML or JSON file says of a clinic true, prints what changed, and changes nothing that it does not name',
    )
    .argument('<file>', 'as docs/go-live.md shows it')
    .option('--clinic <id>', 'unless the file names it')
    .option('--dry-run', 'only prints', false)
    .action(line.onRecords(withSystems(apply)));
  clinic
    .command('rotate-secret')
    .description('makes a new secret and prints it once')
    .requiredOption('--clinic <id>')
    .requiredOption('--secret <name>', 'voice, outbound or inbound/<event>')
    .action(
      line.onClinic(async ({ stores }, { clinic: clinicId, secret }: { clinic: string; secret: string }) => ({
        shown: { clinicId, secret, shownOnce: await rotateSecret(stores, { clinicId, name: secret, by: operator }) },
      })),
    );
  clinic
    .command('check')
    .description(
      'asks the voice platform and the clinic’s own API whether they will work; exits with 1 where one will not',
    )
    .requiredOption('--clinic <id>')
    .option('--prompts <folder>', 'of the texts by which the assistants talk', PROMPTS)
    .action(line.onClinic(withSystems(check)));
  clinic
    .command('fill-mappings')
    .description('reads the clinic’s EHR and prints what its providers, visit types and locations are called there')
    .requiredOption('--clinic <id>')
    .option('--save', 'keeps the rows', false)
    .action(line.onClinic(withSystems(fillMappings)));
}

async function apply(
  { env, signal, ...deps }: SystemsAndRecords,
  file: string,
  options: { clinic?: string; dryRun: boolean },
): Promise<CommandResult> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  const clinicId = options.clinic ?? clinicNamedIn(text);
  if (clinicId === undefined) throw new Error(`Which clinic? Name it with --clinic, or as \`clinic:\` in ${file}.`);
  await requireClinic(deps.stores, clinicId);
  return { shown: await applyClinicFile(deps, { clinicId, file, text, env, isDryRun: options.dryRun, signal }) };
}

async function check(
  { signal, ...deps }: SystemsAndRecords,
  { clinic: clinicId, prompts: folder }: { clinic: string; prompts: string },
): Promise<CommandResult> {
  const prompts = await readPrompts(folder);
  const voice = await voiceSettings(deps).checkKept(clinicId, { by: operator, prompts, signal });
  const approvedApi = await approvedApiSettings(deps).checkKept(clinicId, { by: operator, signal });
  const passed = voice.passed && (approvedApi?.passed ?? true);
  const clinic = await deps.stores.clinics.find(clinicId);
  const { serverUrl } = deps.voice.accountOf(clinic?.voiceProvider ?? DEFAULT_PLATFORM);
  const shown = { clinicId, passed, serverUrl, voice, approvedApi };
  return { shown, isFailed: !passed };
}

async function fillMappings(
  { signal, ...deps }: SystemsAndRecords,
  { clinic: clinicId, save: isSaved }: { clinic: string; save: boolean },
): Promise<CommandResult> {
  const filled = await approvedApiSettings(deps).fill(clinicId, { by: operator, signal, isSaved });
  if (!filled) throw new Error(`Clinic ${clinicId} has no FHIR server; set it with \`clinic apply\`.`);
  return { shown: { clinicId, ...filled }, isFailed: !filled.passed };
}

/** Opens what asks a clinic's systems and its voice platform, for one command. */
function withSystems<Args extends unknown[]>(work: (deps: SystemsAndRecords, ...args: Args) => Promise<CommandResult>) {
  return async (records: Records, ...args: Args): Promise<CommandResult> => {
    const { config, stores } = records;
    const http = createSafeHttp(outboundRules(config));
    const log = createLog({ process: 'clinic', level: 'error' });
    const systems = openClinicSystems({ config, stores, http, log });
    const voice = createVoicePlatforms({ config, http });
    try {
      return await work({ ...records, systems, voice, offeredTools }, ...args);
    } finally {
      await http.close();
    }
  };
}
