import type { Claim } from '@clinic/gateways/voice/port';
import type { LiveCall } from '@clinic/prisma/stores/outreach/live-calls';

/**
 * Where a request claims to be about another clinic, patient, call or case than its call's own record says. Nothing of
 * it is followed; that somebody tried is worth a line in the audit log. Returns places, never values.
 */
export function contradictions(claims: readonly Claim[], call: LiveCall): string[] {
  const { clinicId, patientId, callId, workflowId, caseId: recoveryCaseId, phone: number } = call;
  const ids = Object.entries({ clinicId, patientId, callId, workflowId, recoveryCaseId });
  // A test call has no number of its own.
  const ring: [string, string | null][] = number === null ? [] : [['number', number]];
  const found = claims.flatMap(({ place, of, fields }) => others(place, fields, of === 'ids' ? ids : ring));
  return [...new Set(found)];
}

/** The fields of a place that say something else than our record. */
function others(place: string, fields: unknown, own: [name: string, value: string | null][]): string[] {
  if (typeof fields !== 'object' || fields === null) return [];
  const claimed: Record<string, unknown> = { ...fields };
  return own.filter(([name, value]) => isOther(claimed[name], value)).map(([name]) => `${place}.${name}`);
}

const isOther = (claimed: unknown, own: string | null): boolean =>
  claimed !== undefined && claimed !== null && claimed !== '' && claimed !== own;
