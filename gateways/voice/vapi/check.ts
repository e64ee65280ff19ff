import { setMaxListeners } from 'node:events';
import { z } from 'zod';
import type { VoiceFinding } from '@clinic/shared/contracts/voice/voice';
import { assistantsOf, type ClinicVoice } from '../clinic-voice';
import { cannotBeAsked, keyRefused, missingIn, note, problem, when } from '../findings';
import type { ExpectedAssistants } from '../port';
import { type Asked, askWith } from './ask';
import { createVapiClient, type VapiAccess } from './client';
import { driftOf } from './drift';
import { serverUrlOf } from './server-url';

const TIMEOUT_MS = 8_000;

/** Where this service is reached from outside, without `/api`. */
type PublicUrl = string;

/** Asks Vapi for the assistants and the number that calls would be placed with. It changes nothing there. */
export async function checkVapiVoice(
  voice: ClinicVoice,
  {
    publicUrl,
    expected,
    signal,
    ...access
  }: Omit<VapiAccess, 'apiKey'> & {
    publicUrl: PublicUrl;
    expected: ExpectedAssistants | null;
    signal?: AbortSignal | undefined;
  },
): Promise<VoiceFinding[]> {
  const missing = missingIn(voice);
  const { apiKey, phoneNumberId } = voice;
  if (apiKey === null) return missing;
  // The SDK listens to it once for each request: a clinic's assistants are more than what Node takes for a leak.
  if (signal) setMaxListeners(0, signal);
  const vapi = createVapiClient({ ...access, apiKey }, { timeoutMs: TIMEOUT_MS });
  const ask = askWith(apiKey);
  const assistants = [...assistantsOf(voice)];
  const [asked, number] = await Promise.all([
    Promise.all(assistants.map(([id]) => ask(Assistant, () => vapi.assistants.get({ id }, { abortSignal: signal })))),
    phoneNumberId && ask(PhoneNumber, () => vapi.phoneNumbers.get({ id: phoneNumberId }, { abortSignal: signal })),
  ]);
  // What holds for all requests is told once.
  const all = number ? [...asked, number] : asked;
  const refused = all.find((each) => each.kind === 'refused');
  if (refused) return [...missing, keyRefused(refused.said)];
  const silent = all.find((each) => each.kind === 'unavailable');
  if (silent) return [...missing, cannotBeAsked(silent.said)];
  const credentialId = 'credentialId' in voice.proof ? voice.proof.credentialId : null;
  const found = assistants.flatMap(([id, types], index) => {
    const path = id === voice.assistantId ? 'assistantId' : `assistants.${types[0]}`;
    const answer = asked[index];
    if (answer?.kind === 'found') {
      const drift = expected ? driftOf(answer.found, { types, path, expected, credentialId, publicUrl }) : [];
      return [...aboutAssistant(answer.found, { path, voice, publicUrl }), ...drift];
    }
    return [problem('assistant_unknown', path, `is not known to the platform as ${id}${saidBy(answer)}`)];
  });
  if (!number) return [...missing, ...found];
  if (number.kind === 'found') return [...missing, ...found, ...aboutNumber(number.found, { voice, publicUrl })];
  const unknown = `is not known to the platform as ${phoneNumberId}${saidBy(number)}`;
  return [...missing, ...found, problem('number_unknown', 'phoneNumberId', unknown)];
}

function aboutAssistant(
  assistant: Assistant,
  { path, voice: { style }, publicUrl }: { path: string; voice: ClinicVoice; publicUrl: PublicUrl },
): VoiceFinding[] {
  const serverUrl = serverUrlOf(publicUrl);
  const own = addressOf(assistant.server?.url);
  const foreign = (assistant.model?.tools ?? [])
    .map(({ server }) => addressOf(server?.url))
    .find((address) => address !== null && !address.startsWith(`${publicUrl}/`));
  const elsewhere = `sends its messages to ${own}, and not to ${serverUrl}`;
  const toolsElsewhere = `has tools that call ${foreign}, and not this service at ${publicUrl}`;
  const isToldMore = Boolean(assistant.voicemailMessage) && style?.voicemail.leavesMessage === false;
  const leavesMessage = 'has a voicemail message of its own at the platform, which machines are told';
  return [
    ...when(own !== null && own !== serverUrl, problem('assistant_server_differs', path, elsewhere)),
    ...when(foreign !== undefined, problem('assistant_server_differs', path, toolsElsewhere)),
    ...when(isToldMore, note('assistant_leaves_message', path, leavesMessage)),
  ];
}

function aboutNumber(
  { server, number, status }: PhoneNumber,
  { voice, publicUrl }: { voice: ClinicVoice; publicUrl: PublicUrl },
): VoiceFinding[] {
  const serverUrl = serverUrlOf(publicUrl);
  const path = 'phoneNumberId';
  const own = addressOf(server?.url);
  const isAnother = voice.number !== null && typeof number === 'string' && number !== voice.number;
  const another = `is ${number} at the platform, and ${voice.number} among the phone numbers here`;
  const isOff = typeof status === 'string' && status !== 'active';
  const elsewhere = `has calls to it told to ${own}, and not to ${serverUrl}`;
  return [
    ...when(isAnother, problem('number_differs', path, another)),
    ...when(isOff, problem('number_not_active', path, `is ${status} at the platform`)),
    ...when(own !== null && own !== serverUrl, note('number_server_differs', path, elsewhere)),
  ];
}

// What is read of the vendor's `Assistant` and of its kinds of phone number; the rest is ignored.
const Server = z.looseObject({ url: z.string().nullish() }).nullish();
const Assistant = z.looseObject({
  id: z.string(),
  server: Server,
  voicemailMessage: z.string().nullish(),
  model: z.looseObject({ tools: z.array(z.looseObject({ server: Server })).nullish() }).nullish(),
});
type Assistant = z.infer<typeof Assistant>;
const PhoneNumber = z.object({
  id: z.string(),
  number: z.string().nullish(),
  status: z.string().nullish(),
  server: Server,
});
type PhoneNumber = z.infer<typeof PhoneNumber>;

const saidBy = (answer: Asked<unknown> | undefined): string =>
  answer && 'said' in answer && answer.said !== '' ? `: ${answer.said}` : '';

/** Without a query, which may hold a secret. */
function addressOf(url: string | null | undefined): string | null {
  if (!url || !URL.canParse(url)) return null;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/$/, '')}`;
}
