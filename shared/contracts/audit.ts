import { z } from 'zod';
import { Facts, Instant, Page } from './primitives';

/** `GET /api/audit`. */
export const ListAudit = Page.extend({
  action: z.string().max(100).optional(),
  actor: z.string().max(200).optional(),
  subject: z.string().max(200).optional(),
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
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;
