import { Fragment, type ReactNode } from 'react';
import { type Asked, Loaded } from '#parts';
import { PlainList } from './plain-list';

interface LoadedListProps<Item> {
  query: Asked<{ items: Item[] }>;
  /** How many lines stand for it while it is read. */
  rows?: number;
  keyOf: (item: Item) => string;
  children: (item: Item) => ReactNode;
  label: string;
  isInset?: true;
  empty: ReactNode;
}

/** What a query brought, with a line between the items; `empty` where it brought nothing. */
export function LoadedList<Item>({ query, rows, keyOf, children, label, isInset, empty }: LoadedListProps<Item>) {
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
