import type { LiveCall } from '@clinic/prisma/stores/calls';
import { fieldsOf, type Envelope } from './envelope';

/**
 * Where a request claims to be about another clinic, patient, call or case than its call's own record says. Nothing of
 * it is followed; that somebody tried is worth a line in the audit log. Answers places, never values.
 */
export function contradictions(body: unknown, { requests }: Envelope, call: LiveCall): string[] {
  const message = fieldsOf(fieldsOf(body).message);
  const about = fieldsOf(message.call);
  const assistant = fieldsOf(message.assistant);
  const places: Record<string, unknown> = {
    body,
    message,
    'message.metadata': message.metadata,
    'call.metadata': about.metadata,
    'call.assistantOverrides.metadata': fieldsOf(about.assistantOverrides).metadata,
    'call.assistant.metadata': fieldsOf(about.assistant).metadata,
    'assistant.metadata': assistant.metadata,
    arguments: Object.assign({}, ...requests.map((request) => request.arguments)),
  };
  const claimed = Object.entries(places).flatMap(([place, fields]) =>
    Object.entries(claims(call))
      .filter(([name, own]) => isOther(fieldsOf(fields)[name], own))
      .map(([name]) => `${place}.${name}`),
  );
  const numbers = { 'customer.number': message.customer, 'call.customer.number': about.customer };
  const rung = Object.entries(numbers)
    .filter(([, customer]) => call.phone !== null && isOther(fieldsOf(customer).number, call.phone))
    .map(([place]) => place);
  return [...claimed, ...rung];
}

const claims = ({ clinicId, patientId, callId, caseId, workflowId }: LiveCall) => ({
  ...{ clinicId, patientId, callId, workflowId },
  recoveryCaseId: caseId,
});

const isOther = (claimed: unknown, own: string | null): boolean =>
  claimed !== undefined && claimed !== null && claimed !== '' && claimed !== own;
