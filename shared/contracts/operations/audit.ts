import { z } from 'zod';
import { PatientName } from '../patients/patients';
import { CountedPage, Facts, Flag, Instant } from '../primitives';

/** `GET /api/audit`. */
export const ListAudit = CountedPage.extend({
  reads: Flag.optional().describe(
    'Also who saw what of whom; for administrators. Else changes and authentication alone',
  ),
  action: z.string().max(100).optional(),
  actor: z.string().max(200).optional(),
  subject: z
    .string()
    .max(200)
    .optional()
    .describe('The id of a patient, whose data was seen or changed; or of a task, an account and so on'),
  from: Instant.optional().describe('From this instant on'),
  until: Instant.optional().describe('Before this instant'),
});

/** `GET /api/audit/export`: of the entries that `GET /api/audit` finds with the same filters. */
export const ExportAudit = ListAudit.omit({ limit: true, cursor: true, total: true }).extend({
  format: z
    .enum(['csv', 'ndjson'])
    .default('csv')
    .describe('`ndjson`: each entry as `GET /api/audit` has it, one a line, with the name of its patient'),
});

export const AuditEntry = z
  .object({
    id: z.string(),
    at: Instant,
    actor: z.string().describe('As account:…, api-key:…, call:…, workflow:…, system'),
    actorName: z.string().nullable().describe('Of an account of this clinic'),
    action: z.string().describe('As patient.read, outbound.change, api-key.revoke'),
    subject: z.string().nullable(),
    subjects: z
      .array(z.string())
      .describe('Of whom data was seen or changed: fifty at most, `detail.subjects` counts more'),
    patient: PatientName.nullable().describe(
      'Where it is about one patient alone, who is still on record and whom the role may see',
    ),
    isRead: z.boolean(),
    route: z.string().nullable().describe('As GET /patients/:patientId, or the tool of a call'),
    detail: Facts,
    requestId: z.string().nullable(),
    address: z.string().nullable().describe("The client's, where a request caused it"),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;
