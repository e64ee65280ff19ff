/** What a call to a patient opens with: who calls, for which clinic, and that nobody talks but a machine. */
export const openingSentence = (clinicName: string): string =>
  `Hello, this is an automated assistant calling for ${clinicName}.`;

/** The same where the patient calls: whom they have reached, and that nobody talks but a machine. */
export const answeringSentence = (clinicName: string): string =>
  `Hello, you have reached ${clinicName}. This is an automated assistant.`;

/** Follows either of them where the clinic has its calls recorded. */
export const recordedSentence = 'This call is recorded.';

/** What a machine is told: nothing of the patient, and nothing of why somebody calls. */
export const voicemailSentence = (clinicName: string, number: string | null): string =>
  number === null
    ? `This is an automated message from ${clinicName}. Please call us back.`
    : `This is an automated message from ${clinicName}. Please call us back at ${spokenNumber(number)}.`;

/** Digit by digit, in groups as people say them: `5 0 0, 5 5 5, 0 1 0 0`. */
export function spokenNumber(number: string): string {
  const digits = number.replace(/^\+1(?=\d{10}$)/, '').replace(/\D/g, '');
  const groups = /^(\d{3})(\d{3})(\d{4})$/.exec(digits)?.slice(1) ?? digits.match(/\d{1,3}/g) ?? [digits];
  return groups.map((group) => group.split('').join(' ')).join(', ');
}
