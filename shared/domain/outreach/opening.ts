import type { CallLanguage } from '../patients/languages';

/** What a call says by itself, in a language that a patient may ask for. */
interface Sentences {
  opening: (clinicName: string) => string;
  recorded: string;
  voicemail: (clinicName: string) => string;
  callBack: string;
  callBackAt: (number: string) => string;
}

const sentences: Record<CallLanguage, Sentences> = {
  en: {
    opening: (clinicName) => `Hello, this is an automated assistant calling for ${clinicName}.`,
    recorded: 'This call is recorded.',
    voicemail: (clinicName) => `This is an automated message from ${clinicName}.`,
    callBack: 'Please call us back.',
    callBackAt: (number) => `Please call us back at ${number}.`,
  },
  es: {
    opening: (clinicName) => `Hola, soy un asistente automático y llamo de parte de ${clinicName}.`,
    recorded: 'Esta llamada se graba.',
    voicemail: (clinicName) => `Este es un mensaje automático de ${clinicName}.`,
    callBack: 'Por favor, llámenos.',
    callBackAt: (number) => `Por favor, llámenos al ${number}.`,
  },
};

/** What is spoken where nobody has asked for another language. */
const USUAL = 'en';

/** What a call to a patient opens with: who calls, for which clinic, and that nobody talks but a machine. */
export const openingSentence = (clinicName: string, language: CallLanguage | null = null): string =>
  sentences[language ?? USUAL].opening(clinicName);

/** The same where the patient calls: whom they have reached, and that nobody talks but a machine. */
export const answeringSentence = (clinicName: string): string =>
  `Hello, you have reached ${clinicName}. This is an automated assistant.`;

/** Follows either of them where the clinic has its calls recorded. */
export const recordedSentence = (language: CallLanguage | null = null): string => sentences[language ?? USUAL].recorded;

/** What a machine is told: nothing of the patient, and nothing of why somebody calls. */
export function voicemailSentence(
  clinicName: string,
  number: string | null,
  language: CallLanguage | null = null,
): string {
  const { voicemail, callBack, callBackAt } = sentences[language ?? USUAL];
  return `${voicemail(clinicName)} ${number === null ? callBack : callBackAt(spokenNumber(number))}`;
}

/** Digit by digit, in groups as people say them: `5 0 0, 5 5 5, 0 1 0 0`. */
export function spokenNumber(number: string): string {
  const digits = number.replace(/^\+1(?=\d{10}$)/, '').replace(/\D/g, '');
  const groups = /^(\d{3})(\d{3})(\d{4})$/.exec(digits)?.slice(1) ?? digits.match(/\d{1,3}/g) ?? [];
  return groups.map((group) => group.split('').join(' ')).join(', ');
}
