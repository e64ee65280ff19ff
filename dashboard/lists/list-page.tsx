import type { ReactNode } from 'react';
import type * as api from '#api';
import { changeFilters, Page, Panel } from '#parts';
import { type ChosenElsewhere, type FilterField, Filters } from './filters';
import type { Value } from './csv-cell';
import { ListExport } from './list-export';
import { RecordList } from './record-list';
import type { Column } from './records';
import { SavedViews } from './saved-views';
import type { GivenFilters } from './use-filters';
import { type Listed, type ListedPage, type ListQuery, useList } from './use-list';

interface ListPageProps<Row, Query, Found, Name extends string> extends ListQuery<Row, Query, Found> {
  title: string;
  /** What the list is called, where the page has another title. */
  label?: string;
  lead: string;
  /** Under which its filters are saved, and the name of its file. */
  name?: api.SavedList;
  filters?: GivenFilters<Name>;
  fields?: FilterField<NoInfer<Name>>[];
  elsewhere?: ChosenElsewhere[];
  columns: Column<Row>[];
  /** The columns of its file. */
  exported?: Record<string, (row: Row) => Value>;
  keyOf: (row: Row) => string;
  to?: (row: Row) => string;
  empty: { title: string; text?: ReactNode };
  /** In place of `empty` where a filter is set. */
  noMatch?: string | { title: string; text: ReactNode };
  /** Beside the title, after the export. */
  actions?: ReactNode | ((listed: Listed<Row, Found>) => ReactNode);
  /** Above the list, from what was read of it. */
  before?: (listed: Listed<Row, Found>) => ReactNode;
  /** Between the filters and the rows. */
  aboveRows?: (listed: Listed<Row, Found>) => ReactNode;
  children?: ReactNode;
}

/** A page that lists records of one kind: its filters and saved views, its rows, more of them, and all of them as a file. */
export function ListPage<Row, Query extends object, Found extends ListedPage<Row>, Name extends string = never>({
  title,
  label = title,
  lead,
  name,
  filters,
  fields = [],
  elsewhere = [],
  columns,
  exported,
  keyOf,
  to,
  empty,
  noMatch,
  actions,
  before,
  aboveRows,
  children,
  ...list
}: ListPageProps<Row, Query, Found, Name>) {
  const listed = useList(list);
  const { read, query, keep } = list;
  const noneMatches = typeof noMatch === 'string' ? { title: noMatch, text: changeFilters } : (noMatch ?? empty);
  return (
    <Page
      title={title}
      lead={lead}
      actions={
        <>
          {name && exported && (
            <ListExport
              name={name}
              read={(page) => read({ query: { ...query, ...page }, throwOnError: true })}
              keep={keep}
              columns={exported}
            />
          )}
          {typeof actions === 'function' ? actions(listed) : actions}
        </>
      }
    >
      {before?.(listed)}
      <Panel>
        {name && <SavedViews list={name} />}
        {filters && <Filters fields={fields} filters={filters} elsewhere={elsewhere} />}
        {aboveRows?.(listed)}
        <RecordList
          label={label}
          listed={listed}
          columns={columns}
          keyOf={keyOf}
          to={to}
          empty={filters?.isAny ? noneMatches : empty}
        />
      </Panel>
      {children}
    </Page>
  );
}
