/** What a patient agreed to, or refused, about being contacted: the last word, however it came. */
export interface Consent {
  isGiven: boolean;
  /** On what ground, in the words of anyone who told it. */
  basis: string;
  /** An ISO instant. */
  at: string;
  /** Who told it: a form, a call, a system of the clinic. */
  source: string;
}
