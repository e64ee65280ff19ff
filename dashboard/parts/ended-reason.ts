import { sentence } from './status';

const words: Record<string, string> = {
  'assistant-ended-call': 'The agent said goodbye',
  'customer-ended-call': 'The patient hung up',
  'customer-did-not-answer': 'Nobody answered',
  'customer-busy': 'The line was busy',
  voicemail: 'Voicemail answered',
  'silence-timed-out': 'Nobody spoke',
  'provider-refused': 'The platform refused the call',
  'not-opened': 'The call was not opened',
  'not-placed': 'The call was not placed',
};

/** The voice platform's ended reason as people say it. */
export const endedWords = (reason: string): string =>
  words[reason] ?? (isPlatformFault(reason) ? 'The voice platform failed' : sentence(reason));

const isPlatformFault = (reason: string) =>
  /fault|call[.-]start|^pipeline-error|^error-|^assistant-(?:not|request|join)/.test(reason);
