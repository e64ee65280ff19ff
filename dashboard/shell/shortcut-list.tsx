import { Group, Kbd, Stack, Switch, Table } from '@mantine/core';
import { Fragment } from 'react';
import { useAccount, useMay } from '#parts';
import { t } from '#texts';
import { Small } from '#words';
import { navigationFor } from './navigation';
import { pageKeys } from './page-keys';

const modifier = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl';

type Keys = [keys: string[], what: string];

const inCalendar: Keys[] = [
  [['↑', '↓'], t`Previous time, next time`],
  [['←', '→'], t`Next or previous column`],
  [['Home', 'End'], t`The first or last time of the column`],
  [['Enter'], t`Book an open time, open an appointment, choose the time of the one being moved`],
  [['Esc'], t`Keep the time of the one being moved`],
];

interface ShortcutListProps {
  isOn: boolean;
  setOn: (isOn: boolean) => void;
}

/** The shortcuts of what somebody may open, and whether those that are single keys are taken. */
export function ShortcutList({ isOn, setOn }: ShortcutListProps) {
  const { role } = useAccount();
  const may = useMay();
  const { groups, more } = navigationFor(role, may);
  const labels = new Map([...groups.flatMap(({ items }) => items), ...more].map(({ to, label }) => [to, label]));
  // The page of all clinics has neither lists to go through nor a search, and its operator no other page.
  const hasLists = may('dashboard');
  const everywhere: (Keys | false)[] = [
    may('patients.read') && [[modifier, 'K'], t`Find a patient, case, call or page`],
    hasLists && [['/'], t`Go to the search field of the page`],
    hasLists && [['z'], t`Do what the last notice offers, as Undo`],
    [['?'], t`Show this list`],
    hasLists && [[modifier, 'Enter'], t`Save or send the form`],
    [['Esc'], t`Close what is open`],
  ];
  const inLists: (Keys | false)[] = [
    hasLists && [['j'], t`Next row`],
    hasLists && [['k'], t`Previous row`],
    hasLists && [['Enter'], t`Open the row`],
    may('tasks') && [['e'], t`Resolve the task`],
    may('appointments') && [['a', 'n', 'l', 'u'], t`On the day list: arrived, no-show, left, take back`],
  ];
  return (
    <Stack>
      <KeyTable title={t`Everywhere`} rows={everywhere} />
      <KeyTable
        title={t`Pages`}
        rows={Object.entries(pageKeys).map(([key, to]) => {
          const label = labels.get(to);
          return label !== undefined && [['g', key], label];
        })}
        between={t`then`}
      />
      <KeyTable title={t`In lists`} rows={inLists} />
      {may('appointments.read') && <KeyTable title={t`In the calendar`} rows={inCalendar} />}
      {hasLists && (
        <Switch
          label={t`Single keys: g, j, k, e, z and /`}
          description={t`Turn them off where speech types them by accident.`}
          checked={isOn}
          onChange={({ currentTarget }) => setOn(currentTarget.checked)}
        />
      )}
    </Stack>
  );
}

interface KeyTableProps {
  title: string;
  /** `false`: of what this person may not open. */
  rows: (Keys | false)[];
  between?: string;
}

function KeyTable({ title, rows, between = '' }: KeyTableProps) {
  const shown = rows.filter((row) => row !== false);
  if (shown.length === 0) return null;
  return (
    <Table aria-label={title} verticalSpacing={4} horizontalSpacing={0} withRowBorders={false}>
      <Table.Caption
        ta="start"
        m={0}
        pb={4}
        fz="sm"
        fw={600}
        c="var(--mantine-color-text)"
        style={{ captionSide: 'top' }}
      >
        {title}
      </Table.Caption>
      <Table.Tbody>
        {shown.map(([keys, what]) => (
          <Table.Tr key={keys.join()}>
            <Table.Td w={140}>
              <Group gap={4}>
                {keys.map((key, index) => (
                  <Fragment key={key}>
                    {index > 0 && between && <Small>{between}</Small>}
                    <Kbd size="sm">{key}</Kbd>
                  </Fragment>
                ))}
              </Group>
            </Table.Td>
            <Table.Td>{what}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
