/** For so long a merge of two patients can be undone. */
export const UNDO_HOURS = 24;

/** What the patient who is kept may take from the one who is replaced, each by a choice. */
export const takeableFields = [
  'name',
  'dateOfBirth',
  'phone',
  'email',
  'address',
  'reasonForVisit',
  'preferredLocation',
  'medicareStatus',
  'healthPlanName',
  'referralSource',
  'insurance',
  'selfPay',
] as const;

export type TakeableField = (typeof takeableFields)[number];

interface Consents {
  consent: { isGiven: boolean } | null;
  commsConsent: boolean | null;
}

/** Of one person's two consents the stricter holds: a refusal stands, no matter which record has it. Empty where the kept one's does. */
export function stricterConsent<Person extends Consents>(kept: Person, replaced: Person): Partial<Consents> {
  const isRefused = replaced.consent?.isGiven === false && kept.consent?.isGiven !== false;
  return {
    ...(isRefused && { consent: replaced.consent }),
    ...(replaced.commsConsent === false && kept.commsConsent !== false && { commsConsent: false }),
  };
}

/** Until when a merge of this instant can be undone. */
export const undoUntil = (mergedAt: Date): Date => new Date(mergedAt.getTime() + UNDO_HOURS * 3_600_000);
