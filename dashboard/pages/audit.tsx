import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { getAuditInfiniteOptions, getStaffOptions } from '../http/client/@tanstack/react-query.gen';
import { getAuditExport } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
import { byCursor } from '../http/pages';
import { ExportButton } from '../parts/export-button';
import { daysOf, FilterDay, Filters, FilterSelect, SearchField, useFilter } from '../parts/filters';
import { Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { type Column, RecordList } from '../parts/record-list';
import { SavedViews } from '../parts/saved-views';
import { Panel } from '../parts/section';
import { Empty } from '../parts/states';
import { instantAt } from '../parts/week';
import { useIsAdmin, useZone } from '../shell/account';

type Entry = Api.AuditEntry;

/** Who saw and changed what, for whoever answers for it. */
export function Audit() {
  if (useIsAdmin()) return <ForAdmins />;
  return (
    <Page title={t`Audit`}>
      <Panel>
        <Empty title={t`For administrators`}>
          <Trans>Only an administrator of your clinic sees who read and changed what.</Trans>
        </Empty>
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
  const [from, setFrom] = useFilter('from');
  const [until, setUntil] = useFilter('until');
  const staff = useQuery({ ...getStaffOptions(), staleTime: 60_000 });
  const days = daysOf(from, until);
  const filter = {
    reads: show === 'changes' ? undefined : ('true' as const),
    actor: person,
    action,
    subject,
    from: days.from && instantAt(`${days.from}T00:00`, zone),
    until: days.until && instantAt(`${days.until}T00:00`, zone),
  };
  const pages = useInfiniteQuery({
    ...getAuditInfiniteOptions({ query: { ...filter, total: 'true', limit: 50 } }),
    ...byCursor,
  });
  const people = (staff.data?.items ?? []).map(({ id, name }) => ({ value: `account:${id}`, label: name }));
  return (
    <Page
      title={t`Audit`}
      lead={t`Who read and changed what, newest first. Entries cannot be changed or removed.`}
      actions={<Export filter={filter} />}
    >
      <Panel>
        <SavedViews list="audit" />
        <Filters>
          <FilterSelect
            label={t`What`}
            any={t`Reads and changes`}
            options={[{ value: 'changes', label: t`Changes and sign-ins` }]}
            value={show}
            onChange={setShow}
            width={190}
          />
          <FilterSelect
            label={t`Person`}
            any={t`Anybody`}
            options={people}
            value={person}
            onChange={setPerson}
            width={170}
          />
          <FilterDay label={t`From`} value={from} onChange={setFrom} />
          <FilterDay label={t`Until`} value={until} onChange={setUntil} />
          <SearchField label={t`Action`} placeholder="patient.read" value={action} onChange={setAction} width={190} />
          <SearchField
            label={t`Patient or record`}
            placeholder={t`Its id`}
            value={subject}
            onChange={setSubject}
            width={190}
          />
        </Filters>
        <RecordList
          label={t`Audit`}
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          empty={{ title: t`No entry matches`, text: t`What is read appears here a second or so later.` }}
        />
      </Panel>
    </Page>
  );
}

const columns: Column<Entry>[] = [
  { head: t`When`, cell: ({ at }) => <Moment at={at} near={false} /> },
  { head: t`Who`, cell: ({ actor, actorName }) => actorName ?? actor },
  { head: t`Action`, cell: ({ action }) => action },
  { head: t`About`, cell: (entry) => <About entry={entry} />, isLong: true },
  { head: t`Address`, cell: ({ address }) => address ?? '–' },
  { head: t`Request`, cell: ({ requestId }) => requestId ?? '–', isWideOnly: true },
];

/** Whose data it was, or which record; those of a long list are counted. */
function About({ entry }: { entry: Entry }) {
  const { subject, subjects, detail, action } = entry;
  const [first, ...more] = subjects;
  if (first === undefined) return subject ?? '–';
  const count = typeof detail['subjects'] === 'number' ? detail['subjects'] : subjects.length;
  if (more.length > 0)
    return (
      <span title={subjects.join('\n')}>
        <Trans>{count} records</Trans>
      </span>
    );
  if (/^(delivery|record)\./.test(action)) return first;
  return (
    <Stack gap={0}>
      <Anchor component={Link} to={`/patients/${first}`} size="sm">
        <Trans>Patient</Trans>
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
  return <ExportButton label={t`Export as CSV`} file={file} />;
}
