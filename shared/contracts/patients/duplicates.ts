import { z } from 'zod';
import { likenesses } from '../../domain/patients/patient-matching';
import { BirthDate } from '../primitives';

/** `GET /api/patients/duplicates`: what is known of somebody who may be on file already. */
export const FindDuplicates = z.object({
  firstName: z.string().trim().max(200).optional(),
  lastName: z.string().trim().max(200).optional(),
  phone: z.string().trim().max(40).optional().describe('As people write it; one that cannot be read finds nobody'),
  dateOfBirth: BirthDate.optional(),
});

const DuplicateView = z
  .object({
    id: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    phone: z.string().nullable(),
    dateOfBirth: z.string().nullable(),
    registrationStatus: z.enum(['ACTION_REQUIRED', 'COMPLETE']),
    score: z.number().describe('How probable it is that it is one person: from 0 to 1'),
    alike: z.array(z.enum(likenesses)).describe('What agrees, as it is written or nearly so'),
    similar: z.array(z.enum(likenesses)).describe('Those of `alike` that are written only nearly so'),
  })
  .meta({ id: 'Duplicate' });

export const Duplicates = z.object({ items: z.array(DuplicateView).describe('The likeliest first, 10 at most') });
