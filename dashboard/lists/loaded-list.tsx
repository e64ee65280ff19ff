import { Stack } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { type Asked, Loaded } from '#parts';
import { Quiet } from '#words';
import { PlainList } from './plain-list';

interface Items<Item> {
  query: Asked<{ items: Item[] }>;
  /** How many lines stand for it while it is read. */
  rows?: number;
  keyOf: (item: Item) => string;
  children: (item: Item) => ReactNode;
}

/** What a query brought, with a line between the items; `empty` where it brought nothing. */
export function LoadedList<Item>({
  query,
  rows,
  keyOf,
  children,
  label,
  isInset,
  empty,
}: Items<Item> & { label: string; isInset?: true; empty: ReactNode }) {
  return (
    <Loaded query={query} rows={rows}>
      {({ items }) =>
        items.length === 0 ? (
          empty
        ) : (
          <PlainList label={label} isInset={isInset}>
            {items.map((item) => (
              <Fragment key={keyOf(item)}>{children(item)}</Fragment>
            ))}
          </PlainList>
        )
      }
    </Loaded>
  );
}

/** The same within a panel, one below the other; `none` says in one line that there is nothing. */
export function StackedList<Item>({
  query,
  rows = 2,
  keyOf,
  children,
  gap = 'xs',
  none,
}: Items<Item> & { gap?: 'xs' | 'sm' | 'md'; none: string }) {
  return (
    <Loaded query={query} rows={rows}>
      {({ items }) =>
        items.length === 0 ? (
          <Quiet>{none}</Quiet>
        ) : (
          <Stack component="ul" gap={gap} m={0} p={0} style={{ listStyle: 'none' }}>
            {items.map((item) => (
              <li key={keyOf(item)}>{children(item)}</li>
            ))}
          </Stack>
        )
      }
    </Loaded>
  );
}
