import { fieldsOf, type Envelope } from '@clinic/shared/voice/envelope';
import type { LiveCall } from '@clinic/prisma/stores/calls';

/**
 * Where a request claims to be about another clinic, patient, call or case than its call's own record says. Nothing of
 * it is followed; that somebody tried is worth a line in the audit log. Returns places, never values.
 */
export function contradictions(body: unknown, { requests }: Envelope, call: LiveCall): string[] {
  const message = fieldsOf(fieldsOf(body).message);
  const about = fieldsOf(message.call);
  const places: [place: string, fields: unknown][] = [
    ['body', body],
    ['message', message],
    ['message.metadata', message.metadata],
    ['call.metadata', about.metadata],
    ['call.assistantOverrides.metadata', fieldsOf(about.assistantOverrides).metadata],
    ['call.assistant.metadata', fieldsOf(about.assistant).metadata],
    ['assistant.metadata', fieldsOf(message.assistant).metadata],
    ...requests.map((request): [string, unknown] => ['arguments', request.arguments]),
  ];
  const { clinicId, patientId, callId, workflowId, caseId: recoveryCaseId, phone: number } = call;
  const own = Object.entries({ clinicId, patientId, callId, workflowId, recoveryCaseId });
  const found = places.flatMap(([place, fields]) => others(place, fields, own));
  // A test call has no number of its own.
  const ring: [string, string | null][] = number === null ? [] : [['number', number]];
  return [
    ...new Set([
      ...found,
      ...others('customer', message.customer, ring),
      ...others('call.customer', about.customer, ring),
    ]),
  ];
}

/** The fields of a place that say something else than our record. */
function others(place: string, fields: unknown, own: [name: string, value: string | null][]): string[] {
  if (typeof fields !== 'object' || fields === null) return [];
  const claimed = fieldsOf(fields);
  return own.filter(([name, value]) => isOther(claimed[name], value)).map(([name]) => `${place}.${name}`);
}

const isOther = (claimed: unknown, own: string | null): boolean =>
  claimed !== undefined && claimed !== null && claimed !== '' && claimed !== own;
