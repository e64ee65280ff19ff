import { VoiceChange, type VoiceFinding, type VoiceSettings, withKeptKey } from '@clinic/shared/contracts/voice/voice';
import type { Actor } from '@clinic/prisma/stores/operations/audit';
import { AppError } from '@clinic/shared/errors';
import { type ExpectedDeps, expectedAssistants } from './assistants/expected';
import type { Prompts } from './assistants/prompts';
import { type ClinicVoice, clinicVoice } from './clinic-voice';
import { note, when } from './findings';
import type { ExpectedAssistants } from './port';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { DEFAULT_PLATFORM, SIMULATOR } from '@clinic/shared/domain/voice/platforms';
import { toSentence } from '@clinic/shared/contracts/parse';
import type { VoicePlatforms } from './registry';
import type { Stores } from '@clinic/prisma/stores';

export interface VoiceSettingDeps {
  stores: Pick<Stores, 'agendas' | 'audit' | 'clinics' | 'keys' | 'phoneNumbers' | 'settings'>;
  voice: VoicePlatforms;
  offeredTools: ExpectedDeps['offeredTools'];
}

/** How a clinic's voice settings are checked and changed: by the routes and by `clinic apply` alike. */
export function voiceSettings({ stores, voice, offeredTools }: VoiceSettingDeps) {
  const numberOf = async (clinicId: string, platformId: string | null): Promise<string | null> => {
    const numbers = platformId === null ? [] : await stores.phoneNumbers.list(clinicId);
    return numbers.find((each) => each.platformId === platformId)?.number ?? null;
  };

  /** What the platform and this service know of settings as they would be kept. The secret is not sent anywhere. */
  const check = async (
    clinicId: string,
    { clinic, settings, provider, prompts = null, signal }: CheckRequest,
  ): Promise<VoiceFinding[]> => {
    const account = voice.accountOf(provider);
    const kept = settings && { ...settings, number: await numberOf(clinicId, settings.phoneNumberId) };
    const expected =
      clinic && kept && (await expectedAssistants({ stores, offeredTools }, { clinic, settings: kept, prompts }));
    const chosen = clinicVoice(kept, account.operator, null);
    return [...(await account.check(chosen, { expected, signal })), ...unverified(chosen, expected)];
  };

  return {
    check,

    /** The check of the settings as they are kept, on record. */
    async checkKept(
      clinicId: string,
      { by, prompts, signal }: { by: Actor; prompts?: Prompts; signal: AbortSignal },
    ): Promise<{ passed: boolean; findings: VoiceFinding[] }> {
      const [clinic, settings] = await Promise.all([stores.clinics.find(clinicId), stores.settings.voice(clinicId)]);
      const provider = clinic?.voiceProvider ?? DEFAULT_PLATFORM;
      const findings = await check(clinicId, { clinic, provider, settings, prompts, signal });
      const passed = findings.every(({ isProblem }) => !isProblem);
      const detail = { passed, findings: findings.map(({ code }) => code) };
      await stores.audit.write({ clinicId, ...by, action: 'voice.check', detail });
      return { passed, findings };
    },

    /**
     * Keeps the settings. Throws `bad_request` for a number that is not the clinic's, and `conflict` where a clinic would
     * leave the simulator with settings in which the check finds a problem.
     */
    async save(
      clinicId: string,
      change: VoiceChange,
      { by, signal }: { by: Actor; signal: AbortSignal },
    ): Promise<void> {
      const [clinic, kept] = await Promise.all([stores.clinics.find(clinicId), stores.settings.voice(clinicId)]);
      const settings = withKeptKey(change, kept);
      const { provider } = change;
      if (settings.phoneNumberId !== null && (await numberOf(clinicId, settings.phoneNumberId)) === null) {
        refuse('bad_request', [
          { path: 'phoneNumberId', message: 'must be the platform’s id of one of the phone numbers' },
        ]);
      }
      if (provider !== SIMULATOR && clinic?.voiceProvider === SIMULATOR) {
        const problems = (await check(clinicId, { clinic, provider, settings, signal })).filter(
          ({ isProblem }) => isProblem,
        );
        if (problems.length > 0) refuse('conflict', problems);
      }
      // Anyone who reads the calls of one account must not be able to speak for another clinic.
      if (settings.apiKey !== null && (await stores.keys.voiceSecret(clinicId)) === null) {
        await stores.keys.rotateVoice(clinicId, by);
      }
      await stores.settings.setVoice(clinicId, provider, settings, by);
    },
  };
}

interface CheckRequest {
  clinic: { id: string; name: string } | null;
  provider: string;
  settings: VoiceSettings | null;
  /** By which its assistants should talk; left out where nobody says it. */
  prompts?: Prompts | null | undefined;
  signal: AbortSignal;
}

/** The types whose calls would have to verify the patient and cannot. */
function unverified(voice: ClinicVoice, expected: ExpectedAssistants | null): VoiceFinding[] {
  const types = workflowTypeNames.filter((type) => voice.assistantFor(type) !== null && !expected?.canVerify(type));
  const sentence =
    `can verify nobody, as the clinic's calls act on no calendar: those of ${types.join(', ')} only ask when the clinic may call back. ` +
    'Connect its EHR, or have calls book in its own calendar here (booksInOwnCalendar)';
  return when(expected !== null && types.length > 0, note('nobody_verified', 'assistants', sentence));
}

/** What a clinic has that has never saved anything: the operator's, where there is one. */
export const noVoiceSettings = withKeptKey(VoiceChange.parse({ provider: DEFAULT_PLATFORM }), null);

function refuse(code: 'bad_request' | 'conflict', details: { path: string; message: string }[]): never {
  const reasons = details.map(({ path, message }) => ({ path, message }));
  const sentences = reasons.map(toSentence).join('. ');
  throw new AppError(
    code,
    code === 'conflict' ? `The clinic stays on the simulator. ${sentences}` : sentences,
    reasons,
  );
}
