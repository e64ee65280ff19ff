import { anAbandonedForm } from '../../support/builders';
import type { BenchStack } from './stack';

/** A form left at page three. Without a phone nobody is called: the case ends at once. Nobody shares a name. */
export const formOf = (sessionId: string, phone?: string) =>
  anAbandonedForm({ sessionId, phone: phone ?? null, lastName: sessionId });

/** Sends such forms as the clinic's platform does; the answer is the body's text. */
export function formSender({ clinic, api, post }: Pick<BenchStack, 'clinic' | 'api' | 'post'>) {
  const url = `${api}/automation/webhook/${clinic.clinicId}/forms-abandoned`;
  const headers = { 'x-automation-secret': clinic.inboundSecrets['forms-abandoned'] };
  return (sessionId: string, phone?: string): Promise<string> => post(url, formOf(sessionId, phone), headers);
}
