import { Anchor, Badge, Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { getCallingQueueInfiniteOptions } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { byCursor } from '../http/pages';
import { Facts } from '../parts/facts';
import { DayAndTime, Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { nameOf } from '../parts/person';
import { type Column, type Pages, RecordList } from '../parts/record-list';
import { Panel, Section } from '../parts/section';
import { workflowName } from '../parts/workflow-name';

type Queued = Api.QueuedCall & { place: number };

/** The clinic's lines, and who is called next when one gets free. */
export function Queue() {
  // Who gets in line changes no record that the stream tells of.
  const found = useInfiniteQuery({
    ...getCallingQueueInfiniteOptions({ query: { limit: 50 } }),
    ...byCursor,
    refetchInterval: 5_000,
  });
  const now = found.data?.pages[0];
  const items = found.data?.pages.flatMap((page) => page.items).map((item, index) => ({ ...item, place: index + 1 }));
  const pages: Pages<Queued> = {
    data: items && { pages: [{ items, nextCursor: null }] },
    error: found.error,
    hasNextPage: found.hasNextPage,
    isFetchingNextPage: found.isFetchingNextPage,
    fetchNextPage: found.fetchNextPage,
    refetch: found.refetch,
  };
  return (
    <Page
      title="Queue"
      lead="Calls that are due and wait for a free line. Who has been due for longest is called first."
    >
      {now && <Lines queue={now} />}
      <Panel>
        <RecordList
          label="Queue"
          pages={pages}
          columns={columns}
          keyOf={({ workflowId }) => workflowId}
          to={({ recoveryCaseId, patient }) =>
            recoveryCaseId ? `/cases/${recoveryCaseId}` : `/patients/${patient.id}`
          }
          empty={{
            title: 'Nobody waits for a line',
            text: 'A call that is due while every line is in use waits here.',
          }}
        />
      </Panel>
    </Page>
  );
}

function Lines({ queue: { lines, waiting } }: { queue: Api.CallingQueue }) {
  return (
    <Section
      title="Lines"
      actions={
        <Group gap="md">
          <Anchor component={Link} to="/calls?show=live" size="sm" py={4}>
            Calls running now
          </Anchor>
          <Anchor component={Link} to="/integrations/calling" size="sm" py={4}>
            Calling policy
          </Anchor>
        </Group>
      }
    >
      <Facts
        facts={[
          ['In use', `${lines.inUse} of ${lines.total}`],
          ['Waiting', waiting === 0 ? 'Nobody' : waiting],
        ]}
      />
    </Section>
  );
}

const columns: Column<Queued>[] = [
  { head: 'Patient', cell: ({ patient }) => nameOf(patient) },
  { head: 'Place', cell: ({ place }) => place, width: 80 },
  { head: 'About', cell: ({ workflowType }) => workflowName(workflowType) },
  { head: 'Due since', cell: ({ dueAt }) => <Moment at={dueAt} /> },
  { head: 'In line since', cell: ({ queuedAt }) => <Moment at={queuedAt} />, isWideOnly: true },
  { head: 'Not after', cell: ({ notAfter }) => (notAfter ? <DayAndTime at={notAfter} /> : '–') },
  {
    head: 'Remark',
    cell: ({ goesFirst, isPhoneInCall }) =>
      goesFirst || isPhoneInCall ? (
        <Group gap={6}>
          {goesFirst && <Badge color="blue">Goes first</Badge>}
          {isPhoneInCall && <Badge color="gray">Phone in a call</Badge>}
        </Group>
      ) : (
        '–'
      ),
  },
];
