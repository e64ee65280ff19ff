import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { type Column, daysOf, ExportButton, ListPage, OneLine, useFilters } from '#lists';
import { useZone } from '#parts';
import { t } from '#texts';
import { instantAt, Moment, nameOf, PageLink, Small } from '#words';
import { sentenceOfEntry } from './audit-words';

/** Who saw and changed what, for anyone who answers for it. */
export function Audit() {
  const zone = useZone();
  const filters = useFilters('show', 'person', 'action', 'subject', 'from', 'until');
  const { show, person, action, subject, from, until } = filters.given;
  const staff = useQuery({ ...api.getStaffOptions(), staleTime: 60_000 });
  const names = (staff.data?.items ?? []).map(({ id, name }) => ({ value: `account:${id}`, label: name }));
  // An alarm leads here also for a key, or for somebody who may not sign in any more.
  const isOther = person !== undefined && staff.isSuccess && !names.some(({ value }) => value === person);
  const people = isOther ? [...names, { value: person, label: person }] : names;
  const named = useNamedPatient(subject);
  const days = daysOf(from, until);
  const query = {
    reads: show === 'changes' ? undefined : ('true' as const),
    actor: person,
    action: show === 'opened' ? OPENED : action,
    subject,
    from: days.from && instantAt(`${days.from}T00:00`, zone),
    until: days.until && instantAt(`${days.until}T00:00`, zone),
  };
  return (
    <ListPage
      title={t`Audit`}
      lead={t`Who read and changed what, newest first. Entries cannot be changed or removed.`}
      name="audit"
      area="audit"
      read={api.getAudit}
      query={query}
      filters={filters}
      fields={[
        { kind: 'select', name: 'show', label: t`What`, options: shows },
        { kind: 'select', name: 'person', label: t`Person`, options: people },
        { kind: 'day', name: 'from', label: t`From` },
        { kind: 'day', name: 'until', label: t`Until` },
        { kind: 'search', name: 'action', label: t`Action`, placeholder: t`code, such as patient.read`, width: 290 },
        ...(named
          ? []
          : [
              {
                kind: 'search' as const,
                name: 'subject' as const,
                label: t`Patient or record`,
                placeholder: t`Its id`,
                width: 190,
              },
            ]),
      ]}
      elsewhere={[{ names: ['subject'], text: named && nameOf(named) }]}
      columns={columns}
      keyOf={({ id }) => id}
      empty={{ title: t`No entry matches`, text: t`What is read appears here a second or so later.` }}
      actions={<Export filter={query} />}
    />
  );
}

const OPENED = 'patient.read';

const shows = [
  { value: 'changes', label: t`Changes and sign-ins` },
  { value: 'opened', label: t`Opened records` },
];

/** Whose record it is that the audit is asked for: as the audit itself names them, for to read the record would be an entry of its own. */
function useNamedPatient(subject: string | undefined) {
  const query = { reads: 'true', action: OPENED, subject, limit: 1 } as const;
  const asked = useQuery({ ...api.getAuditOptions({ query }), enabled: subject !== undefined });
  return subject === undefined ? undefined : (asked.data?.items[0]?.patient ?? undefined);
}

const columns: Column<api.AuditEntry>[] = [
  { head: t`When`, cell: ({ at }) => <Moment at={at} near={false} /> },
  { head: t`What happened`, cell: (entry) => <Happened entry={entry} />, width: '60%', isRest: true },
  { head: t`Address`, cell: ({ address }) => address ?? '–' },
  { head: t`Request`, cell: ({ requestId }) => requestId ?? '–', isWideOnly: true },
];

/** The entry as a sentence; beside it whose data it was. What it is called, and its ids, are shown when it is pointed at. */
function Happened({ entry }: { entry: api.AuditEntry }) {
  const { actor, action, subject, patient, subjects } = entry;
  const count = subjects.length;
  const codes = [actor, action, ...(subject === null ? subjects : [subject, ...subjects])];
  return (
    <OneLine>
      <span title={codes.join('\n')}>{sentenceOfEntry(entry)}</span>
      <Small>
        {patient ? (
          <PageLink to={`/patients/${patient.id}`}>{nameOf(patient)}</PageLink>
        ) : (
          count > 1 && t`${count} records`
        )}
      </Small>
    </OneLine>
  );
}

function Export({ filter }: { filter: NonNullable<api.GetAuditExportData['query']> }) {
  const file = async () => {
    const { data } = await api.getAuditExport({ query: filter, throwOnError: true, parseAs: 'text' });
    return { name: 'audit.csv', text: data, type: 'text/csv' };
  };
  return <ExportButton label={t`Export as CSV`} file={file} />;
}
