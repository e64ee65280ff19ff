import { z } from 'zod';
import { Facts, Instant, Page } from './primitives';

/** `GET /api/audit`. */
export const ListAudit = Page.extend({
  action: z.string().max(100).optional(),
  actor: z.string().max(200).optional(),
  subject: z.string().max(200).optional().describe('As the id of a patient, a task or an account'),
  from: Instant.optional().describe('From this instant on'),
  until: Instant.optional().describe('Before this instant'),
});

export const AuditEntry = z
  .object({
    id: z.string(),
    at: Instant,
    actor: z.string().describe('As account:…, api-key:…, call:…, workflow:…, system'),
    actorName: z.string().nullable().describe('Of an account of this clinic'),
    action: z.string().describe('As outbound.change, api-key.revoke'),
    subject: z.string().nullable(),
    detail: Facts,
    requestId: z.string().nullable(),
    address: z.string().nullable().describe("The client's, where a request caused it"),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;
