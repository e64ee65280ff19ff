import type { Stores } from './stores';

/** For commands that name a clinic. Throws where there is none of this id. */
export async function requireClinic(clinics: Stores['clinics'], clinicId: string): Promise<void> {
  if (!(await clinics.find(clinicId))) throw new Error(`There is no clinic ${clinicId}.`);
}
