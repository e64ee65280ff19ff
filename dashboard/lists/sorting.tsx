import { Button, Menu, Table, UnstyledButton } from '@mantine/core';
import { t } from '#texts';
import type { Column } from './records';
import classes from './sorting.module.css';
import { useFilter } from './use-filters';

/** The two orders in which the service reads a list by one of its columns, as it calls them. */
export interface Sorted {
  ascending: string;
  descending: string;
}

/** By when records were made, as every list of the service can be read. */
export const byTime = { ascending: 'oldest', descending: 'newest' } as const satisfies Sorted;

/** In which a list is read unless the address says otherwise. */
const usual = byTime.descending;

/** The order that the address asks for, where the list has it: for the query of the list. */
export function useOrder<const Order extends string>(orders: readonly Order[]): Order | undefined {
  const [asked] = useFilter('order');
  return orders.find((each) => each === asked);
}

function useSorting() {
  const [order = usual, set] = useFilter('order');
  return { order, sort: (next: string) => set(next === usual ? null : next) };
}

const directionOf = ({ ascending, descending }: Sorted, order: string) =>
  order === ascending ? 'ascending' : order === descending ? 'descending' : 'none';

/** What a press of a column's head leads to: the other way round, or at first the usual order, or the ascending one. */
function nextOf(sorted: Sorted, order: string): string {
  const direction = directionOf(sorted, order);
  if (direction === 'none') return sorted.descending === usual ? usual : sorted.ascending;
  return direction === 'ascending' ? sorted.descending : sorted.ascending;
}

interface HeadProps {
  column: Pick<Column<never>, 'head' | 'width' | 'sorted'>;
  /** In px. */
  minWidth: number | undefined;
}

/** The head of a column; where the list can be read by it, a button that says in which direction it is. */
export function Head({ column: { head, width, sorted }, minWidth }: HeadProps) {
  const { order, sort } = useSorting();
  const direction = sorted && directionOf(sorted, order);
  return (
    <Table.Th w={width} miw={minWidth} scope="col" aria-sort={direction}>
      {sorted ? (
        <UnstyledButton className={classes.head} data-direction={direction} onClick={() => sort(nextOf(sorted, order))}>
          {head}
        </UnstyledButton>
      ) : (
        head
      )}
    </Table.Th>
  );
}

/** The same where a list has no heads, as on a phone. */
export function SortChoice<Row>({ columns }: { columns: Column<Row>[] }) {
  const { order, sort } = useSorting();
  const options = columns.flatMap(({ head, sorted }) =>
    sorted
      ? [
          { value: sorted.ascending, label: t`${head}, ascending` },
          { value: sorted.descending, label: t`${head}, descending` },
        ]
      : [],
  );
  const chosen = options.find(({ value }) => value === order);
  if (!chosen) return null;
  return (
    <Menu position="bottom-end" returnFocus>
      <Menu.Target>
        <Button size="compact-sm" variant="subtle" aria-label={t`Sorted by: ${chosen.label}`}>
          {chosen.label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {options.map(({ value, label }) => (
          <Menu.Item key={value} className={classes.order} aria-current={value === order} onClick={() => sort(value)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
