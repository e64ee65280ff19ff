import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from '@clinic/prisma/client';
import { createStores } from '@clinic/prisma/stores';
import { outboundRules, type ApiConfig } from '@clinic/shared/config';
import { createVapiAssistants } from '@clinic/shared/outbound/vapi/assistants';
import { clinicVoice, operatorVoice } from '@clinic/shared/outbound/vapi/clinic-voice';
import { createSafeHttp } from '@clinic/shared/outbound/safe-http';
import { readPrompts } from './prompts';
import { applySync, describePlan, planSync } from './sync';

const voiceUsage = `Usage:
  npm run voice -- sync --clinic <id> [--dry-run] [--prompts <folder>] [--take-over]

Creates or updates the assistants of a clinic, one for each workflow type, at Vapi, from the prompts of docs/assistants (or of another folder), and
enters them in the clinic's voice settings. It shows what differs before it changes anything, and changes nothing that it has not made.
--dry-run: only shows. --take-over: its assistants talk also where the clinic has named one that somebody else made.`;

/** Where the prompts are, seen from where the service was started. */
const PROMPTS = join('docs', 'assistants');

/** `npm run voice`. Prints what it would do and what it did. */
export async function runVoiceCommand(
  args: string[],
  { config, say }: { config: ApiConfig; say: (line: string) => void },
): Promise<void> {
  const options = parse(args);
  const promptOf = await readPrompts(options.prompts ?? PROMPTS);
  const database = openDatabase(config.DATABASE_URL, { poolSize: 2 });
  const http = createSafeHttp(outboundRules(config));
  try {
    const { agendas, clinics, settings } = createStores(database, config.SECRET_KEYS);
    const { clinicId } = options;
    const [clinic, kept] = await Promise.all([clinics.find(clinicId), settings.voice(clinicId)]);
    if (!clinic) throw new Error(`There is no clinic ${clinicId}.`);
    const { apiKey } = clinicVoice(kept, operatorVoice(config), null);
    if (!kept) throw new Error('Enter the voice settings first: Connections › Voice, or `npm run clinic -- apply`.');
    if (!apiKey)
      throw new Error("There is no API key: enter the clinic's among its voice settings, or set VAPI_API_KEY.");
    if (kept.credentialId === null) {
      throw new Error(
        'The voice settings name no credential id. Make a secret on Connections › Voice, make a credential of it at the ' +
          'platform with the header x-voice-secret, and enter its id: an assistant holds no secret.',
      );
    }
    const assistants = createVapiAssistants({ http, baseUrl: config.VAPI_BASE_URL, apiKey });
    const { callHoldMinutes = 0 } = (await agendas.of(clinicId)) ?? {};
    const holdsTimes = callHoldMinutes > 0;
    const about = {
      clinicId,
      clinicName: clinic.name,
      style: kept,
      credentialId: kept.credentialId,
      promptOf,
      holdsTimes,
    };
    const plan = planSync(
      { ...about, publicUrl: config.PUBLIC_URL, named: kept.assistants, takesOver: options.takesOver },
      await assistants.list(),
    );
    describePlan(plan).forEach(say);
    if (options.isDryRun) {
      say('Nothing was changed.');
      return;
    }
    await settings.nameAssistants(clinicId, await applySync(plan, assistants), { actor: 'operator' });
    const changed = plan.steps.filter(({ kind }) => kind === 'create' || kind === 'update').length;
    say(`${changed} changed at the platform; the clinic's voice settings name all of them.`);
  } finally {
    await Promise.all([database.close(), http.close()]);
  }
}

function parse(args: string[]) {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        clinic: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        prompts: { type: 'string' },
        'take-over': { type: 'boolean', default: false },
      },
    });
    const { clinic: clinicId, prompts } = values;
    if (positionals.join(' ') !== 'sync' || !clinicId) throw new Error('What to do, and for which clinic?');
    return { clinicId, prompts, isDryRun: values['dry-run'], takesOver: values['take-over'] };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${voiceUsage}`, { cause: error });
  }
}
