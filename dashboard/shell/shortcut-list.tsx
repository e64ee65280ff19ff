import { Group, Kbd, Stack, Switch, Table } from '@mantine/core';
import { Fragment } from 'react';
import { useAccount, useMay } from '#parts';
import { t } from '#texts';
import { Small } from '#words';
import { navigationFor } from './navigation';
import { pageKeys } from './page-keys';

const modifier = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl';

const everywhere: [keys: string[], what: string][] = [
  [[modifier, 'K'], t`Find a patient, case, call or page`],
  [['/'], t`Go to the search field of the page`],
  [['?'], t`Show this list`],
  [['Esc'], t`Close what is open`],
];
const inLists: [keys: string[], what: string][] = [
  [['j'], t`Next row`],
  [['k'], t`Previous row`],
  [['Enter'], t`Open the row`],
  [['e'], t`Resolve the task`],
  [['a', 'n', 'l', 'u'], t`On the day list: arrived, no-show, left, take back`],
];
const inCalendar: [keys: string[], what: string][] = [
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

/** All shortcuts, and whether those that are single keys are taken. */
export function ShortcutList({ isOn, setOn }: ShortcutListProps) {
  const { role } = useAccount();
  const { groups, more } = navigationFor(role, useMay());
  const labels = new Map([...groups.flatMap(({ items }) => items), ...more].map(({ to, label }) => [to, label]));
  return (
    <Stack>
      <Keys title={t`Everywhere`} rows={everywhere} />
      <Keys
        title={t`Pages`}
        rows={Object.entries(pageKeys).flatMap(([key, to]) => {
          const label = labels.get(to);
          return label === undefined ? [] : [[['g', key], label]];
        })}
        between={t`then`}
      />
      <Keys title={t`In lists`} rows={inLists} />
      <Keys title={t`In the calendar`} rows={inCalendar} />
      <Switch
        label={t`Single keys: g, j, k, e and /`}
        description={t`Turn them off where speech types them by accident.`}
        checked={isOn}
        onChange={({ currentTarget }) => setOn(currentTarget.checked)}
      />
    </Stack>
  );
}

interface KeysProps {
  title: string;
  rows: [keys: string[], what: string][];
  between?: string;
}

const Keys = ({ title, rows, between = '' }: KeysProps) => (
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
      {rows.map(([keys, what]) => (
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
