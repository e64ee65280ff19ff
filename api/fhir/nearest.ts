import { latestInstant, toInstant } from '@clinic/shared/domain/clinic-time';
import { NEAREST_HEADER, RULE_HEADER } from '@clinic/shared/domain/refusals';
import { nearestStarts } from '@clinic/shared/domain/slots';
import type { FhirDeps } from './fhir-route';

const WEEK_MS = 7 * 24 * 3_600_000;

/** The headers that name what else a practitioner has on offer about a time that was refused, and the rule that refused it. */
export async function nearestHeader(
  { appointments }: FhirDeps['stores'],
  { clinicId, providerName, start, now }: { clinicId: string; providerName: string; start: string; now: Date },
): Promise<Record<string, string>> {
  const at = Date.parse(start);
  const from = toInstant(at - WEEK_MS);
  const until = toInstant(Math.min(at + WEEK_MS, latestInstant));
  const [slots, rule] = await Promise.all([
    appointments.slotsOf({ clinicId, providerName, from, until, now }),
    appointments.explain({ clinicId, providerName, startsAt: start, now }),
  ]);
  const starts = nearestStarts(slots ?? [], start, 3);
  return {
    ...(starts.length > 0 && { [NEAREST_HEADER]: starts.join(', ') }),
    ...(rule && rule !== 'free' && { [RULE_HEADER]: rule }),
  };
}
