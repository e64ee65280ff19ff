/** What a new patient is asked for, in the order it is asked. */
export const registrationFields = [
  'firstName',
  'lastName',
  'phone',
  'email',
  'preferredLocation',
  'medicareStatus',
  'healthPlanName',
  'referralSource',
  'commsConsent',
] as const;
export type RegistrationField = (typeof registrationFields)[number];

type RegistrationText = Exclude<RegistrationField, 'commsConsent'>;

/** What is on file; a field that was never given is absent, null or blank. */
export type RegistrationRecord = { [field in RegistrationText]?: string | null } & { commsConsent?: boolean | null };

export type RegistrationStatus = 'ACTION_REQUIRED' | 'COMPLETE';
export type PatientType = 'NEW' | 'EXISTING';

/** The fields that are not on file yet. Consent that was refused has been given an answer. */
export function missingFields(record: RegistrationRecord): RegistrationField[] {
  return registrationFields.filter((field) => {
    const value = record[field];
    return typeof value === 'string' ? value.trim() === '' : typeof value !== 'boolean';
  });
}

/** COMPLETE once every registration field is on file. */
export function registrationStatus(record: RegistrationRecord): RegistrationStatus {
  return missingFields(record).length === 0 ? 'COMPLETE' : 'ACTION_REQUIRED';
}
