/** What the service books where nobody says what a visit is for. */
const usual = 'Follow-up consultation';

/** English and Spanish, as clinics call it. */
const ofNewPatients =
  /\b(?:new patient|first (?:visit|consultation|appointment)|(?:paciente|consulta) nuev[ao]|primera)/iu;

export const isForNewPatients = (type: string): boolean => ofNewPatients.test(type);

/** Of a provider's types the one for somebody who has no visit yet, where there is such a one; else the usual one, or the first. */
export function proposedVisitType(types: readonly string[], { isNew }: { isNew: boolean }): string {
  const forNew = isNew ? types.find(isForNewPatients) : undefined;
  return forNew ?? (types.includes(usual) ? usual : (types[0] ?? usual));
}
