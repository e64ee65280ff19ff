import { stringify } from 'csv-stringify/sync';
import { textCell } from '@clinic/shared/csv';
import { AuditEntry, ExportAudit, ListAudit } from '@clinic/shared/contracts/operations/audit';
import type { AuditEntryRecord, AuditFilter } from '@clinic/prisma/stores/operations/audit';
import { z } from 'zod';
import { factsOf } from '../../http/facts';
import { countedPage, mapPage } from '../../http/list-route';
import type { PersonRecord } from '@clinic/prisma/stores/outreach/call-records';
import { roleHas } from '@clinic/shared/domain/accounts/rights';
import type { Deps } from '../../http/route';
import { staffNames } from '../accounts/staff-names';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Audit', access: 'clinic', right: 'audit' });

const EXPORTED_AT_ONCE = 500;

const columns = [
  'at',
  'actor',
  'actorName',
  'action',
  'isRead',
  'route',
  'subject',
  'subjects',
  'detail',
  'address',
  'requestId',
  'id',
] as const;

/** Who saw and changed what, and when. */
export const auditRoutes = [
  routes.list('/audit', {
    patientData: { action: 'audit.list' },
    summary: 'Who changed what, and with `reads` who saw what of whom; newest first; never a secret',
    description: 'Entries are never changed.',
    query: ListAudit,
    item: AuditEntry,
    items: 'entries',
    isCounted: true,
    subjectOf: ({ patient }) => patient?.id ?? null,
    async read({ caller: { clinicId, role }, query: { limit, cursor, total, reads: hasReads, ...query } }, { stores }) {
      const filter = { ...query, hasReads };
      const [page, names] = await Promise.all([
        countedPage(
          { cursor, total },
          {
            list: () => stores.audit.list(clinicId, { ...filter, limit, cursor }),
            count: () => stores.audit.count(clinicId, filter),
          },
        ),
        staffNames(stores, clinicId),
      ]);
      const entries = mapPage(page, (entry) => ({
        entry,
        ids: roleHas(role, 'patients.read') ? namedBy(entry) : [],
      }));
      const patients = await stores.patientRecords.named(
        clinicId,
        entries.items.flatMap(({ ids }) => ids),
      );
      return mapPage(entries, ({ entry, ids }) => ({ ...toEntry(entry, names), patient: oneOf(ids, patients) }));
    },
  }),
  routes.get('/audit/export', {
    stepUp: 'records',
    patientData: { action: 'audit.export' },
    summary: 'The entries that the filters find, as CSV, newest first',
    description: 'Sent page by page as it is read, whatever its length. The export is an entry of the audit itself.',
    query: ExportAudit,
    responses: {
      200: { description: columns.join(','), schema: z.string(), type: 'text/csv', example: `${columns.join(',')}\n` },
    },
    handle: ({ caller: { clinicId }, query: { reads: hasReads, ...query } }, { stores }) => ({
      type: 'text/csv; charset=utf-8',
      headers: { 'content-disposition': 'attachment; filename="audit.csv"' },
      stream: exported({ stores }, clinicId, { ...query, hasReads }),
    }),
  }),
];

/** Page by page, so that a long audit is never in memory as a whole. */
async function* exported({ stores }: Deps<'stores'>, clinicId: string, filter: AuditFilter): AsyncGenerator<string> {
  const names = await staffNames(stores, clinicId);
  yield stringify([columns]);
  let cursor: string | undefined;
  do {
    const page = await stores.audit.list(clinicId, { ...filter, limit: EXPORTED_AT_ONCE, cursor });
    if (page.items.length > 0) yield toRows(page.items, names);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** An entry with more is of a list. */
const MAX_NAMED = 2;

/** What may be the id of a patient: a run or a case may stand beside it. */
const namedBy = ({ subject, subjects }: AuditEntryRecord): string[] =>
  subjects.length > MAX_NAMED ? [] : [...subjects, ...(subject === null ? [] : [subject])];

function oneOf(ids: readonly string[], patients: readonly PersonRecord[]): PersonRecord | null {
  const [patient, ...others] = patients.filter(({ id }) => ids.includes(id));
  return patient && others.length === 0 ? patient : null;
}

function toEntry(entry: AuditEntryRecord, names: ReadonlyMap<string, string>): Omit<AuditEntry, 'patient'> {
  const { id, at, actor, action, subject, subjects, isRead, route: asked, detail, requestId, address } = entry;
  return {
    id,
    actor,
    action,
    subject,
    subjects,
    isRead,
    route: asked,
    requestId,
    address,
    at: at.toISOString(),
    actorName: names.get(actor) ?? null,
    detail: factsOf(detail) ?? {},
  };
}

/** A spreadsheet is kept from reading a cell as a formula. */
const toRows = (entries: AuditEntryRecord[], names: ReadonlyMap<string, string>): string =>
  stringify(
    entries.map((entry) => {
      const shown = toEntry(entry, names);
      const cells = { ...shown, subjects: shown.subjects.join(' '), detail: JSON.stringify(shown.detail) };
      return columns.map((column) => cells[column]);
    }),
    { cast: { boolean: String, string: textCell } },
  );
