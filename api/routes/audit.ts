import { Instant, Page } from '@clinic/shared/contracts/primitives';
import type { Stores } from '@clinic/prisma/stores';
import type { AuditEntryRecord } from '@clinic/prisma/stores/audit';
import { z } from 'zod';
import { objectOf, pageOf } from '../http/listing';
import { route, type Route } from '../http/route';

const AuditEntry = z
  .object({
    id: z.string(),
    at: Instant,
    actor: z.string().describe('As account:…, api-key:…, call:…, workflow:…, system'),
    actorName: z.string().nullable().describe('Of an account of this clinic'),
    action: z.string().describe('As outbound.change, api-key.revoke'),
    subject: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
    requestId: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' });

/** Who changed what, and when. */
export function auditRoutes({ stores }: { stores: Stores }): Route[] {
  return [
    route({
      method: 'get',
      path: '/audit',
      access: 'clinic',
      tag: 'Audit',
      summary: 'Who changed what, newest first; never a secret',
      query: Page.extend({
        action: z.string().max(100).optional(),
        actor: z.string().max(200).optional(),
        subject: z.string().max(200).optional(),
      }),
      responses: { 200: { description: 'A page of entries', schema: pageOf(AuditEntry) } },
      async handle({ caller: { clinicId }, query }) {
        const [{ items, nextCursor }, staff] = await Promise.all([
          stores.audit.list(clinicId, query),
          stores.staff.list(clinicId),
        ]);
        const names = new Map(staff.map(({ id, name }) => [`account:${id}`, name]));
        return { body: { items: items.map((entry) => toEntry(entry, names)), nextCursor } };
      },
    }),
  ];
}

function toEntry(entry: AuditEntryRecord, names: ReadonlyMap<string, string>): z.input<typeof AuditEntry> {
  const { id, at, actor, action, subject, detail, requestId } = entry;
  return {
    id,
    actor,
    action,
    subject,
    requestId,
    at: at.toISOString(),
    actorName: names.get(actor) ?? null,
    detail: objectOf(detail) ?? {},
  };
}
