import { Command } from 'commander';
import { outboundRules } from '@clinic/shared/config';
import { clinicVoice } from '@clinic/gateways/voice/clinic-voice';
import { createVoicePlatforms } from '@clinic/gateways/voice/registry';
import { createSafeHttp } from '@clinic/gateways/http/safe-http';
import { offeredTools } from '@clinic/api/tools/definitions';
import { expectedAssistants } from '@clinic/gateways/voice/assistants/expected';
import { PROMPTS, readPrompts } from '@clinic/gateways/voice/assistants/prompts';
import { applySync, describePlan, planSync } from '@clinic/gateways/voice/assistants/sync';

import { type CommandLine, operator, type Records } from './command-line';

interface SyncOptions {
  clinic: string;
  dryRun: boolean;
  prompts: string;
  takeOver: boolean;
}

/** Makes the assistants of a clinic at the voice platform. */
export function voiceCommands(line: CommandLine): Command {
  const voice = new Command('voice').description('the assistants of a clinic at its voice platform');
  voice
    .command('sync')
    .description(
      'creates or updates an assistant for each workflow type and enters them in the clinic’s voice settings; shows what differs before it changes anything, and changes nothing that it has not made',
    )
    .requiredOption('--clinic <id>')
    .option('--dry-run', 'only shows', false)
    .option('--prompts <folder>', 'of the texts by which the assistants talk', PROMPTS)
    .option('--take-over', 'its assistants talk also where the clinic has named one that somebody else made', false)
    .action((options: SyncOptions) =>
      line.withRecords((records) => sync(records, options, (text) => line.context.print(text))),
    );
  return voice;
}

/** Prints what it would do and what it did. */
async function sync(
  { stores, config }: Records,
  { clinic: clinicId, dryRun, prompts, takeOver }: SyncOptions,
  say: (text: string) => void,
): Promise<void> {
  const { clinics, settings } = stores;
  const texts = await readPrompts(prompts);
  const http = createSafeHttp(outboundRules(config));
  try {
    const [clinic, kept] = await Promise.all([clinics.find(clinicId), settings.voice(clinicId)]);
    if (!clinic) throw new Error(`There is no clinic ${clinicId}.`);
    const account = createVoicePlatforms({ config, http }).accountOf(clinic.voiceProvider);
    const { apiKey, variables } = clinicVoice(kept, account.operator, null);
    if (!kept) throw new Error('Enter the voice settings first: Connections › Voice, or `npm run clinic -- apply`.');
    if (!apiKey)
      throw new Error(`There is no API key: enter the clinic's among its voice settings, or set ${variables.apiKey}.`);
    if (kept.credentialId === null) {
      throw new Error(
        'The voice settings name no credential id. Create a secret on Connections › Voice, make a credential of it at the ' +
          'platform with the header x-voice-secret, and enter its id: an assistant holds no secret.',
      );
    }
    const assistants = await account.assistants(apiKey);
    const { credentialId, assistants: named } = kept;
    const expected = await expectedAssistants({ stores, offeredTools }, { clinic, settings: kept, prompts: texts });
    const plan = await planSync({ expected, credentialId, named, takesOver: takeOver }, assistants);
    describePlan(plan).forEach(say);
    if (dryRun) {
      say('Nothing was changed.');
      return;
    }
    await settings.nameAssistants(clinicId, await applySync(plan, assistants), operator);
    const changed = plan.steps.filter(({ kind }) => kind === 'create' || kind === 'update').length;
    say(`${changed} changed at the platform; the clinic's voice settings name all of them.`);
  } finally {
    await http.close();
  }
}
