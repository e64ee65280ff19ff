import { stringify } from 'csv-stringify/sync';
import { textCell } from '@clinic/shared/csv';
import { AuditEntry, ExportAudit, ListAudit } from '@clinic/shared/contracts/operations/audit';
import type { Actor, AuditEntryRecord, AuditFilter } from '@clinic/prisma/stores/operations/audit';
import { z } from 'zod';
import { factsOf } from '../../http/facts';
import { countedPage, mapPage } from '../../http/list-route';
import type { AccountRole } from '@clinic/shared/domain/accounts/accounts';
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
        countedPage(stores.audit, { clinicId, filter, page: { limit, cursor }, total }),
        staffNames(stores, clinicId),
      ]);
      return mapPage(page, await showing({ stores }, { clinicId, role, names }, page.items));
    },
  }),
  routes.get('/audit/export', {
    stepUp: 'records',
    patientData: { action: 'audit.export' },
    summary: 'The entries that the filters find, as CSV or line by line as JSON, newest first',
    description:
      'Sent page by page as it is read, whatever its length. The export is an entry of the audit itself, and so is each page of it that names patients.',
    query: ExportAudit,
    responses: {
      200: {
        description: columns.join(','),
        schema: z.string(),
        type: 'text/csv',
        also: { 'application/x-ndjson': { schema: z.string(), example: '{"action":"audit.export"}\n' } },
        example: `${columns.join(',')}\n`,
      },
    },
    async handle({ caller: { clinicId, role }, query: { reads: hasReads, format, ...query }, by }, { stores }) {
      const names = await staffNames(stores, clinicId);
      const pages = exported({ stores }, clinicId, { ...query, hasReads });
      const isCsv = format === 'csv';
      return {
        type: isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
        headers: { 'content-disposition': `attachment; filename="audit.${format}"` },
        stream: isCsv ? inRows(pages, names) : inLines({ stores }, { clinicId, role, by, names }, pages),
      };
    },
  }),
];

/** Page by page, so that a long audit is never in memory as a whole. */
async function* exported(
  { stores }: Deps<'stores'>,
  clinicId: string,
  filter: AuditFilter,
): AsyncGenerator<AuditEntryRecord[]> {
  let cursor: string | undefined;
  do {
    const page = await stores.audit.list(clinicId, { ...filter, limit: EXPORTED_AT_ONCE, cursor });
    yield page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

async function* inRows(
  pages: AsyncIterable<AuditEntryRecord[]>,
  names: ReadonlyMap<string, string>,
): AsyncGenerator<string> {
  yield stringify([columns]);
  for await (const entries of pages) if (entries.length > 0) yield toRows(entries, names);
}

interface Reader {
  clinicId: string;
  role: AccountRole;
  by: Required<Actor>;
  names: ReadonlyMap<string, string>;
}

/** With the names of patients: whom a page names, the audit has before the page is sent. */
async function* inLines(
  { stores }: Deps<'stores'>,
  { clinicId, role, by, names }: Reader,
  pages: AsyncIterable<AuditEntryRecord[]>,
): AsyncGenerator<string> {
  for await (const entries of pages) {
    const shown = entries.map(await showing({ stores }, { clinicId, role, names }, entries));
    const subjects = [...new Set(shown.flatMap(({ patient }) => patient?.id ?? []))];
    const about = { clinicId, action: 'audit.list', isRead: true, route: 'GET /audit/export', subjects };
    if (subjects.length > 0) await stores.audit.writeRequest({ ...by, ...about });
    yield shown.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  }
}

/** How these entries are shown: with whom each is about, by name, to a role that may see patients. */
async function showing(
  { stores }: Deps<'stores'>,
  { clinicId, role, names }: Omit<Reader, 'by'>,
  entries: readonly AuditEntryRecord[],
): Promise<(entry: AuditEntryRecord) => AuditEntry> {
  const ids = roleHas(role, 'patients.read') ? entries.flatMap(namedBy) : [];
  const patients = new Map((await stores.patientRecords.named(clinicId, ids)).map((each) => [each.id, each]));
  return (entry) => {
    const [patient, ...others] = [...new Set(namedBy(entry))].flatMap((id) => patients.get(id) ?? []);
    return { ...toEntry(entry, names), patient: patient && others.length === 0 ? patient : null };
  };
}

/** An entry with more is of a list. */
const MAX_NAMED = 2;

/** What may be the id of a patient: a run or a case may stand beside it. */
const namedBy = ({ subject, subjects }: AuditEntryRecord): string[] =>
  subjects.length > MAX_NAMED ? [] : [...subjects, ...(subject === null ? [] : [subject])];

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
