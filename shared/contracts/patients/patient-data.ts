import { z } from 'zod';
import { erasureReasons, erasureStates } from '../../domain/patients/erasure';
import { Instant, Page, Prose } from '../primitives';

/** `GET /api/patients/{id}/export`. */
export const ExportQuery = z.object({
  format: z
    .enum(['json', 'fhir'])
    .default('json')
    .describe('json: every row about the patient; fhir: a Bundle of what FHIR R4 has a resource for'),
});

export const PatientExportView = z
  .object({
    clinicId: z.string(),
    patientId: z.string(),
    exportedAt: Instant,
    records: z
      .record(z.string(), z.array(z.record(z.string(), z.unknown())))
      .describe('Rows by the name of their table, as patients, calls, call_evidence, documents, inbound_events'),
  })
  .meta({ id: 'PatientExport' });

export const PatientBundle = z
  .object({
    resourceType: z.literal('Bundle'),
    type: z.literal('collection'),
    timestamp: Instant,
    entry: z.array(z.object({ fullUrl: z.string(), resource: z.record(z.string(), z.unknown()) })),
  })
  .meta({ id: 'PatientBundle' });

/** `PUT /api/patients/{id}/legal-hold`. */
export const NewLegalHold = z.strictObject({ reason: Prose.min(1, 'must not be empty').max(500) });

export const LegalHoldView = z
  .object({
    patientId: z.string(),
    reason: z.string(),
    placedBy: z.string().describe('As account:…, operator'),
    placedByName: z.string().nullable().describe('Of an account of this clinic'),
    placedAt: Instant,
  })
  .meta({ id: 'LegalHold' });
export type LegalHoldView = z.infer<typeof LegalHoldView>;

export const LegalHoldState = z.object({ hold: LegalHoldView.nullable() });

const Reason = z.enum(erasureReasons);
/** How many rows of a table. */
export const RecordCount = z.object({ records: z.string().describe('The name of the table'), count: z.int() });

/** `GET /api/patients/{id}/erasure`. */
export const ErasurePreviewView = z
  .object({
    isHeld: z.boolean().describe('A legal hold refuses it'),
    openWorkflows: z.int().describe('Are ended first, as by a cancel'),
    openCalls: z.int().describe('Are waited for'),
    goes: z.array(RecordCount),
  })
  .meta({ id: 'ErasurePreview' });

/** `POST /api/patients/{id}/erasure`. */
export const NewErasure = z.strictObject({
  reason: Reason.describe('Stays with the erasure for good, so it is one of a list'),
  confirm: z.string().describe("The patient's id once more"),
});

export const ErasureView = z
  .object({
    id: z.string(),
    patientId: z.string(),
    reason: Reason,
    state: z
      .enum(erasureStates)
      .describe('REQUESTED: what is open is ended first; ERASED: the records are gone; DONE: the histories too'),
    requestedBy: z.string(),
    requestedByName: z.string().nullable(),
    requestedAt: Instant,
    erasedAt: Instant.nullable(),
    doneAt: Instant.nullable(),
    erased: z.array(RecordCount),
  })
  .meta({ id: 'Erasure' });
export type ErasureView = z.infer<typeof ErasureView>;

export const ListErasures = Page.extend({ patientId: z.string().max(200).optional() });
