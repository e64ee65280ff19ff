/** A time that a patient could be booked at with a provider, all three by what identifies them. */
export interface ProposedTime {
  patientId: string;
  providerId: string;
  startsAt: string;
}

const UUID = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/;
/** Of 128 bits in base 36, and of the minutes since 1970. */
const UUID_LENGTH = 25;
const MINUTES_LENGTH = 7;
const FORM = new RegExp(`^p([0-9a-z]{${UUID_LENGTH}})([0-9a-z]{${UUID_LENGTH}})([0-9a-z]{${MINUTES_LENGTH}})$`);
const MINUTE_MS = 60_000;

/**
 * A FHIR id that says what is proposed, so that nothing need be kept of proposals that nobody takes. It proves nothing: who takes one
 * is checked like who names patient, provider and time. Null for what has no such id: one that is no UUID, a part of a minute.
 */
export function proposedTimeId({ patientId, providerId, startsAt }: ProposedTime): string | null {
  const minutes = Date.parse(startsAt) / MINUTE_MS;
  const [patient, provider] = [packed(patientId), packed(providerId)];
  if (patient === null || provider === null || !Number.isInteger(minutes) || minutes < 0) return null;
  return `p${patient}${provider}${minutes.toString(36).padStart(MINUTES_LENGTH, '0')}`;
}

/** What such an id says; null for any other. */
export function readProposedTimeId(id: string): ProposedTime | null {
  const [, patient = '', provider = '', minutes = ''] = FORM.exec(id) ?? [];
  const [patientId, providerId] = [unpacked(patient), unpacked(provider)];
  const start = new Date(Number.parseInt(minutes, 36) * MINUTE_MS);
  if (patientId === null || providerId === null || Number.isNaN(start.getTime()) || start.getUTCFullYear() > 9999) {
    return null;
  }
  return { patientId, providerId, startsAt: start.toISOString() };
}

function packed(uuid: string): string | null {
  if (!UUID.test(uuid)) return null;
  return BigInt(`0x${uuid.replaceAll('-', '')}`)
    .toString(36)
    .padStart(UUID_LENGTH, '0');
}

function unpacked(text: string): string | null {
  if (text === '') return null;
  let number = 0n;
  for (const digit of text) number = number * 36n + BigInt(Number.parseInt(digit, 36));
  const hex = number.toString(16).padStart(32, '0');
  return hex.length > 32 ? null : hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
