/** Why somebody is booked at a time that is not on offer: one of a list, because it stays in the audit and must name nobody. */
export const overrideReasons = ['urgent', 'provider_agreed', 'patient_came', 'correction'] as const;
export type OverrideReason = (typeof overrideReasons)[number];
