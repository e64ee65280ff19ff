import { Badge, Group } from '@mantine/core';
import * as api from '#api';
import { type Column, daysOf, type Listed, ListPage, useFilters } from '#lists';
import { Facts, Section, useMay, workflowName } from '#parts';
import { t } from '#texts';
import { DayAndTime, Moment, nameOf, PageLink } from '#words';

/** The clinic's lines, and who is called next when one gets free. */
export function Queue() {
  const filters = useFilters('from', 'until');
  const { from, until } = filters.given;
  return (
    <ListPage
      title={t`Queue`}
      lead={t`Calls that are due and wait for a free line. The one due longest is placed first.`}
      name="queue"
      area="queue"
      read={api.getCallingQueue}
      query={daysOf(from, until)}
      isCounted={false}
      // Who gets in line changes no record that the stream tells of.
      refetchInterval={5_000}
      filters={filters}
      fields={[
        { kind: 'day', name: 'from', label: t`Due from` },
        { kind: 'day', name: 'until', label: t`Until` },
      ]}
      before={({ first }: Listed<api.QueuedCall, api.CallingQueue>) => first && <Lines queue={first} />}
      columns={columns}
      exported={exported}
      keyOf={({ workflowId }) => workflowId}
      to={({ recoveryCaseId, patient }) => (recoveryCaseId ? `/cases/${recoveryCaseId}` : `/patients/${patient.id}`)}
      empty={{
        title: t`Nobody is waiting for a line`,
        text: t`A call that is due while every line is in use waits here.`,
      }}
      noMatch={t`Nobody waiting matches`}
    />
  );
}

function Lines({ queue: { lines, waiting } }: { queue: api.CallingQueue }) {
  const maySetUp = useMay()('settings');
  return (
    <Section
      title={t`Lines`}
      actions={
        <Group gap="md">
          <PageLink to="/calls?show=live" py={4}>
            {t`Calls running now`}
          </PageLink>
          {maySetUp && (
            <PageLink to="/clinic/calling" py={4}>
              {t`Calling policy`}
            </PageLink>
          )}
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

const exported: Record<string, (row: api.QueuedCall) => string | boolean | null> = {
  type: ({ workflowType }) => workflowType,
  patient: ({ patient }) => nameOf(patient),
  'due since': ({ dueAt }) => dueAt,
  'in line since': ({ queuedAt }) => queuedAt,
  'not after': ({ notAfter }) => notAfter,
  'goes first': ({ goesFirst }) => goesFirst,
  'phone in a call': ({ isPhoneInCall }) => isPhoneInCall,
  workflow: ({ workflowId }) => workflowId,
  case: ({ recoveryCaseId }) => recoveryCaseId,
};

const columns: Column<api.QueuedCall>[] = [
  { head: t`Patient`, cell: ({ patient }) => nameOf(patient) },
  { head: t`Place`, cell: (_call, index) => index + 1, width: 80 },
  { head: t`About`, cell: ({ workflowType }) => workflowName(workflowType) },
  { head: t`Due since`, cell: ({ dueAt }) => <Moment at={dueAt} /> },
  { head: t`Waiting since`, cell: ({ queuedAt }) => <Moment at={queuedAt} />, isWideOnly: true },
  { head: t`Call before`, cell: ({ notAfter }) => (notAfter ? <DayAndTime at={notAfter} /> : '–') },
  {
    head: t`Note`,
    cell: ({ goesFirst, isPhoneInCall }) =>
      goesFirst || isPhoneInCall ? (
        <Group gap={6}>
          {goesFirst && <Badge color="blue">{t`Priority`}</Badge>}
          {isPhoneInCall && <Badge color="gray">{t`On another call`}</Badge>}
        </Group>
      ) : (
        '–'
      ),
  },
];
