import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Badge, Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { getCallingQueueInfiniteOptions } from '../http/client/@tanstack/react-query.gen';
import { getCallingQueue } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
import { byCursor } from '../http/pages';
import { Facts } from '../parts/facts';
import { daysOf, FilterDay, Filters, useFilter } from '../parts/filters';
import { ListExport } from '../parts/list-export';
import { DayAndTime, Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { nameOf } from '../parts/person';
import { type Column, type Pages, RecordList } from '../parts/record-list';
import { SavedViews } from '../parts/saved-views';
import { Panel, Section } from '../parts/section';
import { changeFilters } from '../parts/states';
import { workflowName } from '../parts/workflow-name';

type Queued = Api.QueuedCall & { place: number };

/** The clinic's lines, and who is called next when one gets free. */
export function Queue() {
  const [from, setFrom] = useFilter('from');
  const [until, setUntil] = useFilter('until');
  const query = daysOf(from, until);
  // Who gets in line changes no record that the stream tells of.
  const found = useInfiniteQuery({
    ...getCallingQueueInfiniteOptions({ query: { ...query, limit: 50 } }),
    ...byCursor,
    refetchInterval: 5_000,
  });
  const now = found.data?.pages[0];
  const items = found.data?.pages.flatMap((page) => page.items).map((item, index) => ({ ...item, place: index + 1 }));
  const pages: Pages<Queued> = {
    data: items && { pages: [{ items, nextCursor: null, total: now?.total }] },
    error: found.error,
    hasNextPage: found.hasNextPage,
    isFetchingNextPage: found.isFetchingNextPage,
    fetchNextPage: found.fetchNextPage,
    refetch: found.refetch,
  };
  return (
    <Page
      title={t`Queue`}
      lead={t`Calls that are due and wait for a free line. Who has been due for longest is called first.`}
      actions={
        <ListExport
          name="queue"
          read={(page) => getCallingQueue({ query: { ...query, ...page }, throwOnError: true })}
          columns={exported}
        />
      }
    >
      {now && <Lines queue={now} />}
      <Panel>
        <SavedViews list="queue" />
        <Filters>
          <FilterDay label={t`Due from`} value={from} onChange={setFrom} />
          <FilterDay label={t`Until`} value={until} onChange={setUntil} />
        </Filters>
        <RecordList
          label={t`Queue`}
          pages={pages}
          columns={columns}
          keyOf={({ workflowId }) => workflowId}
          to={({ recoveryCaseId, patient }) =>
            recoveryCaseId ? `/cases/${recoveryCaseId}` : `/patients/${patient.id}`
          }
          empty={
            from || until
              ? { title: t`Nobody who waits matches`, text: changeFilters }
              : {
                  title: t`Nobody waits for a line`,
                  text: t`A call that is due while every line is in use waits here.`,
                }
          }
        />
      </Panel>
    </Page>
  );
}

function Lines({ queue: { lines, waiting } }: { queue: Api.CallingQueue }) {
  return (
    <Section
      title={t`Lines`}
      actions={
        <Group gap="md">
          <Anchor component={Link} to="/calls?show=live" size="sm" py={4}>
            <Trans>Calls running now</Trans>
          </Anchor>
          <Anchor component={Link} to="/clinic/calling" size="sm" py={4}>
            <Trans>Calling policy</Trans>
          </Anchor>
        </Group>
      }
    >
      <Facts
        facts={[
          [t`In use`, t`${lines.inUse} of ${lines.total}`],
          [t`Waiting`, waiting === 0 ? t`Nobody` : waiting],
        ]}
      />
    </Section>
  );
}

const exported: Record<string, (row: Api.QueuedCall) => string | boolean | null> = {
  workflow: ({ workflowId }) => workflowId,
  type: ({ workflowType }) => workflowType,
  case: ({ recoveryCaseId }) => recoveryCaseId,
  patient: ({ patient }) => nameOf(patient),
  'due since': ({ dueAt }) => dueAt,
  'in line since': ({ queuedAt }) => queuedAt,
  'not after': ({ notAfter }) => notAfter,
  'goes first': ({ goesFirst }) => goesFirst,
  'phone in a call': ({ isPhoneInCall }) => isPhoneInCall,
};

const columns: Column<Queued>[] = [
  { head: t`Patient`, cell: ({ patient }) => nameOf(patient) },
  { head: t`Place`, cell: ({ place }) => place, width: 80 },
  { head: t`About`, cell: ({ workflowType }) => workflowName(workflowType) },
  { head: t`Due since`, cell: ({ dueAt }) => <Moment at={dueAt} /> },
  { head: t`In line since`, cell: ({ queuedAt }) => <Moment at={queuedAt} />, isWideOnly: true },
  { head: t`Not after`, cell: ({ notAfter }) => (notAfter ? <DayAndTime at={notAfter} /> : '–') },
  {
    head: t`Remark`,
    cell: ({ goesFirst, isPhoneInCall }) =>
      goesFirst || isPhoneInCall ? (
        <Group gap={6}>
          {goesFirst && (
            <Badge color="blue">
              <Trans>Goes first</Trans>
            </Badge>
          )}
          {isPhoneInCall && (
            <Badge color="gray">
              <Trans>Phone in a call</Trans>
            </Badge>
          )}
        </Group>
      ) : (
        '–'
      ),
  },
];
