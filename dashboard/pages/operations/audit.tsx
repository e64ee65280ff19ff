import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { type Column, daysOf, ExportButton, ListPage, spreadsheet, useFilters } from '#lists';
import { useMay, useZone } from '#parts';
import { plural, t } from '#texts';
import { instantAt, Moment, nameOf, Small, sortableTime, TextLink } from '#words';
import { PatientSelect } from '../patients/patient-select';
import { foldEntries, type Told } from './audit-fold';
import { actionOptions, sentenceOfEntry } from './audit-words';
import { kindOfActor } from './patient-deeds';

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
  const [chosen, choose] = useState<Named | null>(null);
  const found = useNamedPatient(subject);
  const named = chosen && chosen.id === subject ? chosen : found;
  const maySeePatients = useMay()('patients.read');
  const ofPatient = {
    kind: 'own' as const,
    name: 'subject' as const,
    label: t`Patient`,
    field: (
      <PatientSelect
        label={t`Patient`}
        isFilter
        value={null}
        onChange={(patient) => {
          choose(patient);
          filters.set('subject', patient?.id ?? null);
        }}
      />
    ),
  };
  const ofRecord = {
    kind: 'search' as const,
    name: 'subject' as const,
    label: maySeePatients ? t`Record` : t`Patient or record`,
    placeholder: t`its id`,
    width: maySeePatients ? 170 : 230,
  };
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
      fold={foldEntries}
      filters={filters}
      fields={[
        { kind: 'select', name: 'show', label: t`What`, options: shows },
        { kind: 'select', name: 'person', label: t`Person`, options: people },
        { kind: 'day', name: 'from', label: t`From` },
        { kind: 'day', name: 'until', label: t`Until` },
        {
          kind: 'own',
          name: 'action',
          label: t`Action`,
          field: (
            <Select
              aria-label={t`Action`}
              placeholder={t`Action`}
              size="sm"
              w={{ base: '100%', xs: 240 }}
              searchable
              clearable
              clearButtonProps={{ 'aria-label': t`Any action` }}
              nothingFoundMessage={t`No action matches`}
              data={actionOptions(action)}
              value={action ?? null}
              onChange={(value) => filters.set('action', value)}
            />
          ),
        },
        ...(named ? [] : [...(maySeePatients ? [ofPatient] : []), ofRecord]),
      ]}
      elsewhere={[{ names: ['subject'], text: named && nameOf(named) }]}
      columns={columns}
      keyOf={({ id }) => id}
      empty={{ title: t`No entry yet`, text: t`What is read appears here a second or so later.` }}
      noMatch={t`No entry matches`}
      actions={<Export filter={query} />}
    />
  );
}

const OPENED = 'patient.read';

const shows = [
  { value: 'changes', label: t`Changes and sign-ins` },
  { value: 'opened', label: t`Opened records` },
];

type Named = NonNullable<api.AuditEntry['patient']>;

/** Whose record it is that the audit is asked for: as the audit itself names them, for to read the record would be an entry of its own. */
function useNamedPatient(subject: string | undefined): Named | undefined {
  const query = { reads: 'true', subject, limit: 5 } as const;
  const asked = useQuery({ ...api.getAuditOptions({ query }), enabled: subject !== undefined });
  return asked.data?.items.flatMap(({ patient }) => patient ?? []).find(({ id }) => id === subject);
}

const columns: Column<Told<api.AuditEntry>>[] = [
  { head: t`When`, cell: ({ at }) => <Moment at={at} near={false} /> },
  { head: t`What happened`, cell: (entry) => <Happened entry={entry} />, width: '60%', isRest: true },
  { head: t`Address`, cell: ({ address }) => address ?? '–' },
  {
    head: t`Request`,
    cell: ({ requestId }) => <RequestId>{requestId ?? '–'}</RequestId>,
    isWideOnly: true,
    isLong: true,
  },
];

/** All of it, as the log has it. */
const RequestId = ({ children }: { children: string }) => <Small style={{ whiteSpace: 'nowrap' }}>{children}</Small>;

/** The entry as a sentence, whose patient leads to their record. It, what it is called and its ids are shown when it is pointed at. */
function Happened({ entry }: { entry: Told<api.AuditEntry> }) {
  const { actor, action, subject, patient, subjects, readBeside, searchedBeside } = entry;
  const count = subjects.length;
  const told = sentenceOfEntry(entry);
  const name = patient && nameOf(patient);
  const at = name === null ? -1 : told.lastIndexOf(name);
  const link = patient && <TextLink to={`/patients/${patient.id}`}>{name}</TextLink>;
  return (
    <div
      style={{ overflow: 'clip', overflowClipMargin: 4, textOverflow: 'ellipsis', overflowWrap: 'anywhere' }}
      title={[told, actor, action, ...(subject === null ? subjects : [subject, ...subjects])].join('\n')}
    >
      {name === null || at < 0 ? (
        told
      ) : (
        <>
          {told.slice(0, at)}
          {link}
          {told.slice(at + name.length)}
        </>
      )}{' '}
      <Small display="inline">
        {at < 0 && (link ?? (count > 1 && t`${count} records`))}
        {readBeside &&
          ` · ${plural(readBeside, { one: 'one more reading of the same page', other: '# more readings of the same page' })}`}
        {searchedBeside &&
          ` · ${plural(searchedBeside, { one: 'one more search while it was typed', other: '# more searches while it was typed' })}`}
      </Small>
    </div>
  );
}

/** All entries, also those that the list folds, in the words of the list; codes and ids stand last. */
function Export({ filter }: { filter: NonNullable<api.GetAuditExportData['query']> }) {
  const zone = useZone();
  const columnsOfFile: Record<string, (entry: api.AuditEntry) => string | null> = {
    [t`When`]: ({ at }) => sortableTime(at, zone),
    [t`Person`]: ({ actor, actorName }) => actorName ?? kindOfActor(actor),
    [t`What happened`]: sentenceOfEntry,
    [t`Patient`]: ({ patient }) => patient && nameOf(patient),
    [t`Address`]: ({ address }) => address,
    [t`Request`]: ({ requestId }) => requestId,
    [t`Action`]: ({ action }) => action,
    [t`Actor`]: ({ actor }) => actor,
    [t`Subject`]: ({ subject }) => subject,
    [t`Subjects`]: ({ subjects }) => subjects.join(' '),
    [t`Entry`]: ({ id }) => id,
    [t`Details (JSON)`]: ({ detail }) => JSON.stringify(detail),
  };
  const file = async () => {
    const query = { ...filter, format: 'ndjson' as const };
    const { data } = await api.getAuditExport({ query, throwOnError: true, parseAs: 'text' });
    const entries = data.split('\n').flatMap((line) => (line ? [JSON.parse(line) as api.AuditEntry] : []));
    return { name: 'audit.csv', text: await spreadsheet(columnsOfFile, entries), type: 'text/csv' };
  };
  return <ExportButton label={t`Export as CSV`} file={file} />;
}
