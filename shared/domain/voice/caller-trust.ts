/** Wrong dates of birth after which a call can verify nobody any more. */
const MAX_WRONG_IN_CALL = 3;
/** Wrong dates of birth of one patient in an hour, over all calls, after which nobody is verified as them. */
const MAX_WRONG_IN_HOUR = 5;
/** The same in a day: five an hour would be 120, and a year of birth is soon guessed. */
const MAX_WRONG_IN_DAY = 10;

/**
 * What became of a date of birth that somebody stated: it is the one on file, is another one, could not be read, or was not
 * compared because too many before it were wrong.
 */
export const verificationOutcomes = ['matched', 'mismatched', 'unreadable', 'locked'] as const;
export type VerificationOutcome = (typeof verificationOutcomes)[number];

/** How the caller of a call stands: anyone who has failed sees and changes no appointment until a date of birth is right. */
export const callerStandings = ['unasked', 'failed', 'verified'] as const;
export type CallerStanding = (typeof callerStandings)[number];

/** What a caller whom nobody has verified may try only so often: to be recognised, to book, to have a time held and to wait for one. */
export type CallerTry = 'identity' | 'booking' | 'hold' | 'waitlist';

/** Tries of one kind, the one at hand not among them: of the call, of its patient within a day, and of its number within an hour. */
export interface TriesMade {
  inCall: number;
  ofPatient: number;
  ofNumber: number;
}

/** Whether one more is too many: of five in a call and twenty of a number, or of one of the others in a call and two of a patient. */
export const isTooMany = (kind: CallerTry, { inCall, ofPatient, ofNumber }: TriesMade): boolean =>
  kind === 'identity' ? inCall >= 5 || ofNumber >= 20 : inCall >= 1 || ofPatient >= 2;

export interface StatedBirthDate {
  /** YYYY-MM-DD; null for what is no date. */
  stated: string | null;
  /** YYYY-MM-DD. */
  onFile: string;
  /** Wrong ones of the call since the last right one. */
  wrongInCall: number;
  /** Wrong ones of the patient within the last hour. */
  wrongInHour: number;
  /** Wrong ones of the patient within the last day. */
  wrongInDay: number;
}

export function verificationOutcome(given: StatedBirthDate): VerificationOutcome {
  if (isLocked(given)) return 'locked';
  if (given.stated === null) return 'unreadable';
  return given.stated === given.onFile ? 'matched' : 'mismatched';
}

/** Whether nothing is compared any more; staff then have a task. */
export const isLocked = ({
  wrongInCall,
  wrongInHour,
  wrongInDay,
}: Pick<StatedBirthDate, 'wrongInCall' | 'wrongInHour' | 'wrongInDay'>): boolean =>
  wrongInCall >= MAX_WRONG_IN_CALL || wrongInHour >= MAX_WRONG_IN_HOUR || wrongInDay >= MAX_WRONG_IN_DAY;
