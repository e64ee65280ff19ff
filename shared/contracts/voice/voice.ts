import { z } from 'zod';
import { Line, Phone, Secret } from '../primitives';
import { MAX_CALL_SECONDS } from '../../domain/voice/longest-call';
import { voicePlatforms } from '../../domain/voice/platforms';
import { WorkflowTypeName } from '../outreach/workflows';

/** An id that the platform gave, as it stands in a path of its API. */
const PlatformId = Line.regex(/^[A-Za-z0-9_-]+$/, 'must be an id of the voice platform: letters, digits, - and _');

const VoiceProviderName = z.enum(voicePlatforms).meta({ id: 'VoiceProvider' });

const settings = {
  credentialId: PlatformId.nullable()
    .default(null)
    .describe(
      "The platform's id of the credential by which it proves itself to this service; null: the secret goes as a header with every call",
    ),
  phoneNumberId: PlatformId.nullable()
    .default(null)
    .describe(
      "The platform's id of the number to call from: of one of the clinic's phone numbers, or of a number in its own account, which then becomes one",
    ),
  assistantId: PlatformId.nullable()
    .default(null)
    .describe('Who talks in the calls of workflow types that name no assistant of their own'),
  assistants: z.partialRecord(WorkflowTypeName, PlatformId).default({}),
  transferTo: Phone.nullable().default(null).describe('Where an assistant transfers a patient who asks for a person'),
  voicemail: z
    .strictObject({
      isDetected: z.boolean(),
      leavesMessage: z.boolean().describe("Whether a machine is told the clinic's name and the number to call back"),
    })
    .refine(({ isDetected, leavesMessage }) => isDetected || !leavesMessage, {
      path: ['leavesMessage'],
      message: 'needs that voicemail is detected',
    })
    .default({ isDetected: true, leavesMessage: false }),
  maxCallSeconds: z.int().min(30).max(MAX_CALL_SECONDS).default(600),
  recording: z
    .strictObject({
      isOn: z.boolean(),
      isDisclosed: z.boolean().describe('Whether the opening sentence says that the call is recorded'),
    })
    .default({ isOn: false, isDisclosed: true }),
  isHipaa: z
    .boolean()
    .default(false)
    .describe("Whether calls ask for the platform's HIPAA storage; its account needs that add-on"),
};

/** How a clinic's calls are placed at the voice platform. What is null is the operator's, where the account is too. */
export const VoiceSettings = z.strictObject({ ...settings, apiKey: Secret.nullable() });
export type VoiceSettings = z.infer<typeof VoiceSettings>;

/** The settings as they are kept, and the number to call from in E.164; null where the clinic has no such number. */
export interface KeptVoice extends VoiceSettings {
  number: string | null;
  /** There is a key of the clinic's, which no key of the service decrypts: `apiKey` is null then. Left out where there is none such. */
  isKeyUnreadable?: boolean;
}

/** `PUT /api/integrations/voice`. A key or assistants that are left out stay as they are; null, or an empty object, takes them away. */
export const VoiceChange = z
  .strictObject({
    provider: VoiceProviderName,
    ...settings,
    assistants: z
      .partialRecord(WorkflowTypeName, PlatformId)
      .optional()
      .describe('Left out they stay as they are; an empty object takes all of them away'),
    apiKey: Secret.nullable().optional(),
  })
  .meta({ id: 'VoiceChange' });
export type VoiceChange = z.infer<typeof VoiceChange>;

/** The change with the stored key and assistants where they were left out. */
export function withKeptKey(
  { provider: _provider, apiKey, assistants, ...change }: VoiceChange,
  kept: VoiceSettings | null,
): VoiceSettings {
  return {
    ...change,
    assistants: assistants ?? kept?.assistants ?? {},
    apiKey: apiKey === undefined ? (kept?.apiKey ?? null) : apiKey,
  };
}

export const VoiceView = z
  .object({
    provider: VoiceProviderName,
    maySimulate: z.boolean().describe('Whether the clinic may choose the simulator: a demo, or one that is on it'),
    hasApiKey: z.boolean().describe('Whether a key of the clinic is kept; it is never read back'),
    hasOperatorAccount: z
      .boolean()
      .describe("Whether calls go through the operator's account where the clinic has none"),
    serverUrl: z.string().describe("Where the platform's messages and tool calls belong"),
    secret: z
      .object({ createdAt: z.string(), lastUsedAt: z.string().nullable() })
      .nullable()
      .describe('The secret by which the platform proves itself for this clinic, without its text'),
    credentialId: z.string().nullable(),
    phoneNumberId: z.string().nullable(),
    assistantId: z.string().nullable(),
    assistants: z.partialRecord(WorkflowTypeName, z.string()),
    transferTo: z.string().nullable(),
    voicemail: z.object({ isDetected: z.boolean(), leavesMessage: z.boolean() }),
    maxCallSeconds: z.int(),
    recording: z.object({ isOn: z.boolean(), isDisclosed: z.boolean() }),
    isHipaa: z.boolean(),
  })
  .meta({ id: 'VoiceSettings' });
export type VoiceView = z.infer<typeof VoiceView>;

const findings = [
  'no_account',
  'no_number',
  'no_assistant',
  'credentials_refused',
  'assistant_unknown',
  'assistant_server_differs',
  'number_unknown',
  'number_differs',
  'number_not_active',
  'number_server_differs',
  'assistant_leaves_message',
  'assistant_differs',
  'tools_cannot_work',
  'nobody_verified',
  'platform_unavailable',
] as const;

/** One thing that is wrong at the platform or missing here, at the setting that it is about. */
export const VoiceFinding = z
  .object({
    code: z.enum(findings),
    isProblem: z.boolean().describe('Whether calls would fail; otherwise it is good to know'),
    path: z.string().describe('The setting, as phoneNumberId'),
    message: z.string(),
  })
  .meta({ id: 'VoiceFinding' });
export type VoiceFinding = z.infer<typeof VoiceFinding>;

/** `POST /api/integrations/voice/check`. */
export const VoiceCheck = z.object({ passed: z.boolean(), findings: z.array(VoiceFinding) }).meta({ id: 'VoiceCheck' });
export type VoiceCheck = z.infer<typeof VoiceCheck>;

/** `POST /api/integrations/voice/account`. */
export const VoiceAccountQuestion = z.strictObject({
  provider: VoiceProviderName.optional().describe('Whose key it is; left out, the clinic’s platform'),
  apiKey: Secret.optional().describe('A key that is not kept yet; left out, the one that is kept'),
});

/** What a clinic has at the platform to choose from. */
export const VoiceAccount = z
  .object({
    findings: z.array(VoiceFinding).describe('Why there is nothing to choose from; empty where the key is taken'),
    assistants: z.array(z.object({ id: z.string(), name: z.string().nullable() })),
    numbers: z.array(
      z.object({
        id: z.string(),
        name: z.string().nullable(),
        number: z.string(),
        isActive: z.boolean().describe('Whether calls can be placed from it now'),
      }),
    ),
  })
  .meta({ id: 'VoiceAccount' });
export type VoiceAccount = z.infer<typeof VoiceAccount>;

/** `POST /api/integrations/voice/call-me`. */
export const CallMe = z.strictObject({
  phone: Phone.describe('A number of your own'),
  workflowType: WorkflowTypeName.describe('Whose assistant talks'),
});

export const CalledMe = z.object({ callId: z.string() });
