import { AuditEntry, ListAudit } from '@clinic/shared/contracts/audit';
import type { AuditEntryRecord } from '@clinic/prisma/stores/audit';
import { factsOf } from '../http/facts';
import { listRoute, mapPage } from '../http/list-route';
import type { Route } from '../http/route';
import type { RouteDeps } from '../route-deps';
import { staffNames } from '../staff-names';

/** Who changed what, and when. */
export function auditRoutes({ stores }: RouteDeps): Route[] {
  return [
    listRoute({
      path: '/audit',
      access: 'clinic',
      tag: 'Audit',
      summary: 'Who changed what, newest first; never a secret',
      query: ListAudit,
      item: AuditEntry,
      items: 'entries',
      async read({ caller: { clinicId }, query }) {
        const [page, names] = await Promise.all([stores.audit.list(clinicId, query), staffNames(stores, clinicId)]);
        return mapPage(page, (entry) => toEntry(entry, names));
      },
    }),
  ];
}

function toEntry(entry: AuditEntryRecord, names: ReadonlyMap<string, string>): AuditEntry {
  const { id, at, actor, action, subject, detail, requestId, address } = entry;
  return {
    id,
    actor,
    action,
    subject,
    requestId,
    address,
    at: at.toISOString(),
    actorName: names.get(actor) ?? null,
    detail: factsOf(detail) ?? {},
  };
}
