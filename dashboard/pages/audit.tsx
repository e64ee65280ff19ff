import { Anchor, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { getAuditInfiniteOptions, getStaffOptions } from '../http/client/@tanstack/react-query.gen';
import { getAuditExport } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
import { byCursor } from '../http/pages';
import { ExportButton } from '../parts/export-button';
import { Filters, FilterSelect, SearchField, useFilter } from '../parts/filters';
import { Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { type Column, RecordList } from '../parts/record-list';
import { Panel } from '../parts/section';
import { Empty } from '../parts/states';
import { instantAt, isLocalDate, plusDays } from '../parts/week';
import { useIsAdmin, useZone } from '../shell/account';

type Entry = Api.AuditEntry;

/** Who saw and changed what, for whoever answers for it. */
export function Audit() {
  if (useIsAdmin()) return <ForAdmins />;
  return (
    <Page title="Audit">
      <Panel>
        <Empty title="For administrators">Only an administrator of your clinic sees who read and changed what.</Empty>
      </Panel>
    </Page>
  );
}

function ForAdmins() {
  const zone = useZone();
  const [show, setShow] = useFilter('show');
  const [person, setPerson] = useFilter('person');
  const [action, setAction] = useFilter('action');
  const [subject, setSubject] = useFilter('subject');
  const [day, setDay] = useFilter('day');
  const staff = useQuery({ ...getStaffOptions(), staleTime: 60_000 });
  const filter = {
    reads: show === 'changes' ? undefined : ('true' as const),
    actor: person,
    action,
    subject,
    ...(isLocalDate(day) && {
      from: instantAt(`${day}T00:00`, zone),
      until: instantAt(`${plusDays(day, 1)}T00:00`, zone),
    }),
  };
  const pages = useInfiniteQuery({
    ...getAuditInfiniteOptions({ query: { ...filter, limit: 50 } }),
    ...byCursor,
  });
  const people = (staff.data?.items ?? []).map(({ id, name }) => ({ value: `account:${id}`, label: name }));
  return (
    <Page
      title="Audit"
      lead="Who read and changed what, newest first. Entries cannot be changed or removed."
      actions={<Export filter={filter} />}
    >
      <Panel>
        <Filters>
          <FilterSelect
            label="What"
            any="Reads and changes"
            options={[{ value: 'changes', label: 'Changes and sign-ins' }]}
            value={show}
            onChange={setShow}
          />
          <FilterSelect label="Person" any="Anybody" options={people} value={person} onChange={setPerson} />
          <TextInput
            label="Day"
            type="date"
            size="sm"
            w={{ base: 'calc(50% - 6px)', xs: 160 }}
            value={day ?? ''}
            onChange={({ currentTarget }) => setDay(currentTarget.value || null)}
          />
          <SearchField label="Action" placeholder="patient.read" value={action} onChange={setAction} />
          <SearchField label="Patient or record" placeholder="Its id" value={subject} onChange={setSubject} />
        </Filters>
        <RecordList
          label="Audit"
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          empty={{ title: 'No entry matches', text: 'What is read appears here a second or so later.' }}
        />
      </Panel>
    </Page>
  );
}

const columns: Column<Entry>[] = [
  { head: 'When', cell: ({ at }) => <Moment at={at} near={false} /> },
  { head: 'Who', cell: ({ actor, actorName }) => actorName ?? actor },
  { head: 'Action', cell: ({ action }) => action },
  { head: 'About', cell: (entry) => <About entry={entry} />, isLong: true },
  { head: 'Address', cell: ({ address }) => address ?? '–' },
  { head: 'Request', cell: ({ requestId }) => requestId ?? '–', isWideOnly: true },
];

/** Whose data it was, or which record; those of a long list are counted. */
function About({ entry }: { entry: Entry }) {
  const { subject, subjects, detail, action } = entry;
  const [first, ...more] = subjects;
  if (first === undefined) return subject ?? '–';
  const count = typeof detail['subjects'] === 'number' ? detail['subjects'] : subjects.length;
  if (more.length > 0) return <span title={subjects.join('\n')}>{count} records</span>;
  if (/^(delivery|record)\./.test(action)) return first;
  return (
    <Stack gap={0}>
      <Anchor component={Link} to={`/patients/${first}`} size="sm">
        Patient
      </Anchor>
      <Text size="xs" c="dimmed">
        {first}
      </Text>
    </Stack>
  );
}

function Export({ filter }: { filter: NonNullable<Api.GetAuditExportData['query']> }) {
  const file = async () => {
    const { data } = await getAuditExport({ query: filter, throwOnError: true, parseAs: 'text' });
    return { name: 'audit.csv', text: data, type: 'text/csv' };
  };
  return <ExportButton label="Export as CSV" file={file} />;
}
