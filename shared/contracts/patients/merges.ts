import { z } from 'zod';
import { takeableFields } from '../../domain/patients/patient-merge';
import { Instant } from '../primitives';
import { RecordCount } from './patient-data';

const PatientId = z.string().min(1, 'must not be empty').max(200);

/** `GET /api/patients/{patientId}/merge`. */
export const MergeQuery = z.object({ replaced: PatientId.describe('The patient who would be replaced') });

export const MergePreviewView = z
  .object({
    moves: z.array(RecordCount).describe('What is recorded about the one who is replaced'),
    openWorkflows: z.int().describe('Of these, workflows that go on: they are about the kept patient then'),
  })
  .meta({ id: 'PatientMergePreview' });

/** `POST /api/patients/{patientId}/merge`. */
export const NewMerge = z.strictObject({
  replaced: PatientId.describe('The patient who is replaced; the one in the path is kept'),
  take: z
    .array(z.enum(takeableFields))
    .max(takeableFields.length)
    .default([])
    .describe('What the kept patient takes from the other one; what that one does not have is not taken'),
});

export const PatientMergeView = z
  .object({
    id: z.string(),
    keptId: z.string(),
    replacedId: z.string(),
    mergedBy: z.string().describe('As account:…, api-key:…'),
    mergedByName: z.string().nullable().describe('Of an account of this clinic'),
    mergedAt: Instant,
    undoUntil: Instant,
    undoneAt: Instant.nullable(),
    taken: z.array(z.enum(takeableFields)).describe('What the kept patient has of the other one'),
    moved: z.array(RecordCount),
  })
  .meta({ id: 'PatientMerge' });
export type PatientMergeView = z.infer<typeof PatientMergeView>;
