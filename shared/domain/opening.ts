/** What a call to a patient opens with: who calls, for which clinic, and that nobody talks but a machine. */
export const openingSentence = (clinicName: string): string =>
  `Hello, this is an automated assistant calling for ${clinicName}.`;

/** The same where the patient calls: whom they have reached, and that nobody talks but a machine. */
export const answeringSentence = (clinicName: string): string =>
  `Hello, you have reached ${clinicName}. This is an automated assistant.`;
