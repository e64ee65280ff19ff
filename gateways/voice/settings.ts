import {
  type VoiceAccount,
  VoiceChange,
  type VoiceFinding,
  type VoiceSettings,
  withKeptKey,
} from '@clinic/shared/contracts/voice/voice';
import type { Actor } from '@clinic/prisma/stores/operations/audit';
import { AppError } from '@clinic/shared/errors';
import { type ExpectedDeps, expectedAssistants } from './assistants/expected';
import type { Prompts } from './assistants/prompts';
import { type ClinicVoice, clinicVoice } from './clinic-voice';
import { KEY_TO_ENTER, cannotBeAsked, keyRefused, noKey, note, when } from './findings';
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
    { clinic, settings, number, provider, prompts = null, signal }: CheckRequest,
  ): Promise<VoiceFinding[]> => {
    const account = voice.accountOf(provider);
    const kept = settings && { ...settings, number: number ?? (await numberOf(clinicId, settings.phoneNumberId)) };
    const expected =
      clinic && kept && (await expectedAssistants({ stores, offeredTools }, { clinic, settings: kept, prompts }));
    const chosen = clinicVoice(kept, account.operator, null);
    return [...(await account.check(chosen, { expected, signal })), ...unverified(chosen, expected)];
  };

  /** The number of the clinic's own account that has this id there. Throws `bad_request` where there is none. */
  const numberInAccount = async (
    { apiKey, phoneNumberId }: VoiceSettings,
    { provider, signal }: { provider: string; signal: AbortSignal },
  ): Promise<string> => {
    const found = apiKey === null ? null : await voice.accountOf(provider).contents(apiKey, signal);
    const numbers = found?.kind === 'found' ? found.numbers : [];
    const number = numbers.find(({ id }) => id === phoneNumberId)?.number;
    if (number !== undefined) return number;
    const nowhere = 'must be the platform’s id of one of the phone numbers, or of a number in the clinic’s own account';
    const why = found?.kind === 'refused' || found?.kind === 'unavailable' ? `; it cannot be read: ${found.said}` : '';
    return refuse('bad_request', [{ path: 'phoneNumberId', message: `${nowhere}${why}` }]);
  };

  /** Makes it one of the clinic's phone numbers, or names it there by another id. */
  const addNumber = async (clinicId: string, number: string, platformId: string | null, by: Actor): Promise<void> => {
    const lines = await stores.phoneNumbers.list(clinicId);
    const assistantId = lines.find((line) => line.number === number)?.assistantId ?? null;
    const others = lines.filter((line) => line.number !== number);
    await stores.phoneNumbers.replace(clinicId, [...others, { number, platformId, assistantId }], by);
  };

  /** One that goes with each call must be readable; one that the platform keeps need only be there. */
  const hasSecret = async (clinicId: string, { credentialId }: VoiceSettings): Promise<boolean> =>
    credentialId === null
      ? (await stores.keys.voiceSecret(clinicId)) !== null
      : (await stores.keys.listVoice(clinicId)).length > 0;

  return {
    check,

    /** What there is to choose from in the clinic's own account, with the key that is given or the one that is kept. */
    async account(
      clinicId: string,
      { provider, apiKey }: { provider?: string | undefined; apiKey?: string | undefined },
      signal: AbortSignal,
    ): Promise<VoiceAccount> {
      const [clinic, kept] = await Promise.all([stores.clinics.find(clinicId), stores.settings.voice(clinicId)]);
      const key = apiKey ?? kept?.apiKey ?? null;
      const nothing = (finding: VoiceFinding) => ({ findings: [finding], assistants: [], numbers: [] });
      if (key === null) return nothing(noKey());
      const platform = provider ?? clinic?.voiceProvider ?? DEFAULT_PLATFORM;
      const found = await voice.accountOf(platform).contents(key, signal);
      if (found.kind === 'refused') return nothing(keyRefused(found.said));
      if (found.kind === 'unavailable') return nothing(cannotBeAsked(found.said));
      return { findings: [], assistants: found.assistants, numbers: found.numbers };
    },

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
     * Keeps the settings. A number of the clinic's own account becomes one of its phone numbers. Throws `bad_request` for
     * one that is not the clinic's, and `conflict` where a clinic would
     * leave the simulator with settings in which the check finds a problem.
     */
    async save(
      clinicId: string,
      change: VoiceChange,
      { by, signal }: { by: Actor; signal: AbortSignal },
    ): Promise<void> {
      const [clinic, kept] = await Promise.all([stores.clinics.find(clinicId), stores.settings.voice(clinicId)]);
      if (change.apiKey === undefined && kept?.isKeyUnreadable) {
        refuse('bad_request', [{ path: 'apiKey', message: KEY_TO_ENTER }]);
      }
      const settings = withKeptKey(change, kept);
      const { provider } = change;
      const { phoneNumberId } = settings;
      const known = await numberOf(clinicId, phoneNumberId);
      const isNew = phoneNumberId !== null && known === null;
      const number = isNew ? await numberInAccount(settings, { provider, signal }) : known;
      if (provider !== SIMULATOR && clinic?.voiceProvider === SIMULATOR) {
        const problems = (await check(clinicId, { clinic, provider, settings, number, signal })).filter(
          ({ isProblem }) => isProblem,
        );
        if (problems.length > 0) refuse('conflict', problems);
      }
      if (isNew && number !== null) await addNumber(clinicId, number, phoneNumberId, by);
      // Anyone who reads the calls of one account must not be able to speak for another clinic.
      if (settings.apiKey !== null && !(await hasSecret(clinicId, settings))) {
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
  /** The number to call from, where it is not one of the phone numbers yet. */
  number?: string | null;
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
