import { z } from 'zod';
import type { VoiceFinding } from '../../contracts/voice';
import { workflowTypeNames } from '../../domain/workflow-types';
import { OutboundError, type SafeHttp } from '../safe-http';
import { assistantsOf, type ClinicVoice } from './clinic-voice';

const TIMEOUT_MS = 8_000;
/** An assistant comes with its whole prompt and its tools. */
const MAX_BYTES = 4 * 1024 * 1024;
const SENTENCE_LENGTH = 300;

export interface VapiCheckDeps {
  http: SafeHttp;
  baseUrl: string;
  /** Where this service is reached from outside, without `/api`. */
  publicUrl: string;
}

/** What is wrong with a clinic's voice, in the order of its settings. */
export type CheckVoice = (voice: ClinicVoice, signal?: AbortSignal) => Promise<VoiceFinding[]>;

/** Asks Vapi for the assistants and the number that calls would be placed with. It changes nothing there. */
export function createVapiCheck({ http, baseUrl, publicUrl }: VapiCheckDeps): CheckVoice {
  const serverUrl = serverUrlOf(publicUrl);

  const ask = async <T>(
    path: string,
    schema: z.ZodType<T>,
    apiKey: string,
    signal?: AbortSignal,
  ): Promise<Asked<T>> => {
    try {
      const { status, body } = await http.request({
        method: 'GET',
        url: `${baseUrl}${path}`,
        headers: { authorization: `Bearer ${apiKey}` },
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        signal,
      });
      const found = status === 200 ? schema.safeParse(parseJson(body)).data : undefined;
      if (found !== undefined) return { kind: 'found', found };
      const said = saidIn(body, apiKey);
      if (status === 401 || status === 402 || status === 403) return { kind: 'refused', said };
      // An id that is none of the platform's form is a 400 there.
      if (status === 400 || status === 404) return { kind: 'unknown', said };
      return { kind: 'unavailable', said: `it answered ${status}` };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { kind: 'unavailable', said: error.message };
    }
  };

  const aboutAssistant = (assistant: Assistant, path: string, { style }: ClinicVoice): VoiceFinding[] => {
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
  };

  const aboutNumber = ({ server, number, status }: PhoneNumber, voice: ClinicVoice): VoiceFinding[] => {
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
  };

  return async (voice, signal) => {
    const missing = missingIn(voice);
    const { apiKey, phoneNumberId } = voice;
    if (apiKey === null) return missing;
    const assistants = [...assistantsOf(voice)];
    const [asked, number] = await Promise.all([
      Promise.all(assistants.map(([id]) => ask(`/assistant/${encodeURIComponent(id)}`, Assistant, apiKey, signal))),
      phoneNumberId && ask(`/phone-number/${encodeURIComponent(phoneNumberId)}`, PhoneNumber, apiKey, signal),
    ]);
    // What holds for all requests is told once.
    const all = number ? [...asked, number] : asked;
    const refused = all.find((each) => each.kind === 'refused');
    if (refused) {
      return [...missing, problem('credentials_refused', 'apiKey', `is refused by the platform: ${refused.said}`)];
    }
    const silent = all.find((each) => each.kind === 'unavailable');
    if (silent) {
      const sentence = `The voice platform cannot be asked right now: ${silent.said}`;
      return [...missing, problem('platform_unavailable', '', sentence)];
    }
    const found = assistants.flatMap(([id, [first]], index) => {
      const path = id === voice.assistantId ? 'assistantId' : `assistants.${first}`;
      const answer = asked[index];
      if (answer?.kind === 'found') return aboutAssistant(answer.found, path, voice);
      return [problem('assistant_unknown', path, `is not known to the platform as ${id}${saidBy(answer)}`)];
    });
    if (!number) return [...missing, ...found];
    if (number.kind === 'found') return [...missing, ...found, ...aboutNumber(number.found, voice)];
    const unknown = `is not known to the platform as ${phoneNumberId}${saidBy(number)}`;
    return [...missing, ...found, problem('number_unknown', 'phoneNumberId', unknown)];
  };
}

/** Where the platform's messages belong. */
export const serverUrlOf = (publicUrl: string): string => `${publicUrl}/api/voice/events`;

type Asked<T> =
  | { kind: 'found'; found: T }
  /** 401, 402, 403: the key, the account. */
  | { kind: 'refused'; said: string }
  | { kind: 'unknown'; said: string }
  | { kind: 'unavailable'; said: string };

// What is read of the vendor's `Assistant` and of its kinds of phone number; the rest is ignored.
const Server = z.object({ url: z.string().nullish() }).nullish();
const Assistant = z.object({
  id: z.string(),
  server: Server,
  voicemailMessage: z.string().nullish(),
  model: z.object({ tools: z.array(z.object({ server: Server })).nullish() }).nullish(),
});
type Assistant = z.infer<typeof Assistant>;
const PhoneNumber = z.object({
  id: z.string(),
  number: z.string().nullish(),
  status: z.string().nullish(),
  server: Server,
});
type PhoneNumber = z.infer<typeof PhoneNumber>;

/** What is missing before the platform is asked anything. */
function missingIn(voice: ClinicVoice): VoiceFinding[] {
  const silent = workflowTypeNames.filter((type) => voice.assistantFor(type) === null);
  const isMute = silent.length === workflowTypeNames.length;
  const noAccount = 'is needed: there is no account of the operator that calls could go through';
  const noNumber = 'is needed, and must be one of the phone numbers';
  const noneOfType = 'is needed before a workflow of this type can call anybody';
  const noAssistants = isMute
    ? [problem('no_assistant', 'assistantId', 'is needed: somebody must talk')]
    : silent.map((type) => note('no_assistant', `assistants.${type}`, noneOfType));
  return [
    ...when(voice.apiKey === null, problem('no_account', 'apiKey', noAccount)),
    ...when(voice.phoneNumberId === null, problem('no_number', 'phoneNumberId', noNumber)),
    ...noAssistants,
  ];
}

const when = (isSo: boolean, finding: VoiceFinding): VoiceFinding[] => (isSo ? [finding] : []);

const problem = (code: VoiceFinding['code'], path: string, message: string): VoiceFinding => ({
  code,
  isProblem: true,
  path,
  message,
});

const note = (code: VoiceFinding['code'], path: string, message: string): VoiceFinding => ({
  code,
  isProblem: false,
  path,
  message,
});

const saidBy = (answer: Asked<unknown> | undefined): string =>
  answer && 'said' in answer && answer.said !== '' ? `: ${answer.said}` : '';

/** Without a query, which may hold a secret. */
function addressOf(url: string | null | undefined): string | null {
  if (!url || !URL.canParse(url)) return null;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/$/, '')}`;
}

/** The platform's own sentence, without the key that it may quote. */
export function saidIn(body: string, apiKey: string): string {
  const parsed = Refusal.safeParse(parseJson(body)).data;
  const told = [parsed?.message ?? ''].flat().join('; ');
  return told.replaceAll(apiKey, '…').slice(0, SENTENCE_LENGTH).toWellFormed();
}

const Refusal = z.object({ message: z.union([z.string(), z.array(z.string())]) });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
