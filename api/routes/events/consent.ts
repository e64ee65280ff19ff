import type { ToldConsent } from '@clinic/shared/contracts/patients/consent';
import type { Consent } from '@clinic/shared/domain/patients/consent';
import type { z } from 'zod';

/** The consent that an event brings, with what it leaves out. */
export function consentIn(told: z.output<typeof ToldConsent> | null | undefined, event: string): Consent | null {
  if (!told) return null;
  const { given, basis, given_at: at, source } = told;
  return { isGiven: given ?? true, basis, at: at ?? new Date().toISOString(), source: source ?? event };
}
