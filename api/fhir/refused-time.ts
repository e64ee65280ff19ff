import { AppError } from '@clinic/shared/errors';
import { PAST } from './appointment';
import { conflict, type FhirDeps } from './fhir-route';
import { nearestHeader } from './nearest';

type Refusal = 'slot_taken' | 'slot_held' | 'slot_unavailable' | 'in_the_past' | 'unknown_patient' | 'unknown_provider';

interface WantedTime {
  clinicId: string;
  patientId: string;
  provider: string;
  start: string;
  now: Date;
}

/** Throws 400 for what can never be, whoever asks, and 404 for a practitioner whom the clinic does not have. */
export async function requirePossible(
  stores: FhirDeps['stores'],
  { clinicId, provider, start, now }: Omit<WantedTime, 'patientId'>,
): Promise<void> {
  if (start <= now.toISOString()) throw new AppError('bad_request', PAST);
  if (!(await stores.providers.find(clinicId, provider))) throw unknownProvider(provider);
}

/** Why a time was neither booked nor held: 409 with what else is on offer about it. Throws 400 and 404. */
export async function refusedTime(
  stores: FhirDeps['stores'],
  kind: Refusal,
  { clinicId, patientId, provider, start, now }: WantedTime,
) {
  switch (kind) {
    case 'slot_taken':
    case 'slot_held':
    case 'slot_unavailable':
      return {
        ...conflict(kind),
        headers: await nearestHeader(stores, { clinicId, providerName: provider, start, now }),
      };
    case 'in_the_past':
      throw new AppError('bad_request', PAST);
    case 'unknown_patient':
      throw new AppError('not_found', `Patient ${patientId} not found`);
    case 'unknown_provider':
      throw unknownProvider(provider);
  }
}

const unknownProvider = (provider: string) => new AppError('not_found', `Practitioner ${provider} not found`);
