/** Languages that a patient may ask to be called in, as BCP 47 writes them: those that calls open in (../outreach/opening.ts). */
export const callLanguages = ['en', 'es'] as const;
export type CallLanguage = (typeof callLanguages)[number];

/** Their names, as a prompt says them. */
export const languageNames: Record<CallLanguage, string> = { en: 'English', es: 'Spanish' };

/** The system of such tags in FHIR. */
export const languageTags = 'urn:ietf:bcp:47';

interface Communication {
  language: { coding: { system: typeof languageTags; code: string }[] };
  preferred: true;
}

/** The language that a patient asked to be spoken to in, as FHIR's `Patient.communication` has it. */
export const communicationIn = (tag: string): Communication => ({
  language: { coding: [{ system: languageTags, code: tag }] },
  preferred: true,
});
