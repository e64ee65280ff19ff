/** What a live tool changed during a call, as it tells the call's workflow. */
export const toolFacts = [
  'booked',
  'rescheduled',
  'cancelled',
  'documented',
  'escalated',
  'billing_escalated',
  'self_pay',
  'insurance_updated',
  'registered',
  'declined',
] as const;
export type ToolFact = (typeof toolFacts)[number];

/**
 * What a patient said, in one word, by the voice platform's own analysis of the call; for what no tool records. `voicemail`:
 * nobody said anything, a machine took the call.
 */
export const saidWords = ['confirmed', 'rebooked', 'declined', 'callback', 'escalated', 'voicemail'] as const;
export type Said = (typeof saidWords)[number];

/** What only a patient can have said. */
export type PatientsWord = Exclude<Said, 'voicemail'>;

export const isSaid = (text: unknown): text is Said => saidWords.some((word) => word === text);

/** All that is known of a call once it is over: what its tools changed, in order, and what was said. */
export interface Conversation {
  /** The agent said goodbye, so the conversation came to its end; nobody hung up in the middle of it. */
  isFinished: boolean;
  facts: readonly ToolFact[];
  /** Null unless people talked. */
  said: PatientsWord | null;
}

/** Whether a tool reported this fact. */
export const did = ({ facts }: Pick<Conversation, 'facts'>, ...wanted: ToolFact[]): boolean =>
  wanted.some((fact) => facts.includes(fact));

/** The last of these facts that was reported: a booking that was cancelled again is a cancellation. */
export function lastOf<Fact extends ToolFact>(
  { facts }: Pick<Conversation, 'facts'>,
  ...wanted: Fact[]
): Fact | undefined {
  return facts.findLast((fact): fact is Fact => wanted.some((each) => each === fact));
}

/**
 * Whether a patient agreed to what the call was about, in so many words. That the agent came to the end of its own is no word of
 * the patient's: a machine hears everything through.
 */
export const agreed = ({ said }: Pick<Conversation, 'said'>): boolean => said === 'confirmed';
