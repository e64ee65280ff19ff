import { AppError } from '@clinic/shared/errors';
import type { Reply } from '../http/route';
import { PAST, show } from './appointment';
import { conflict, type FhirDeps } from './fhir-route';
import { nearestHeader } from './nearest';

/** Books the time that is held, as FHIR replies to it. */
export async function confirmHold(
  stores: FhirDeps['stores'],
  { clinicId, holdId }: { clinicId: string; holdId: string },
): Promise<Reply> {
  const now = await stores.agendas.now(clinicId);
  const confirmed = await stores.holds.confirm({ clinicId, holdId, now });
  switch (confirmed.kind) {
    case 'booked':
      return show(confirmed.appointment);
    case 'hold_expired': {
      const { providerName, startsAt } = confirmed.hold;
      const about = { clinicId, providerName, start: startsAt.toISOString(), now };
      return { ...conflict(confirmed.kind), headers: await nearestHeader(stores, about) };
    }
    case 'in_the_past':
      throw new AppError('bad_request', PAST);
    case 'appointment_cancelled':
    case 'appointment_fulfilled':
      return conflict(confirmed.kind);
    case 'unknown':
      throw new AppError('not_found', `Appointment ${holdId} not found`);
  }
}
