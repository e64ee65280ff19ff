import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Box, Button, Center, Group, Stack, Table, Text } from '@mantine/core';
import { Fragment, type ReactNode, type RefObject, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type * as Api from '../http/client/types.gen';
import { sentenceOf } from '../http/service';
import { type ColumnWidths, useKeptWidths } from './kept-widths';
import { useIsNarrow } from './narrow';
import classes from './record-list.module.css';
import { Empty, Loading, Problem } from './states';
import { formatTotal } from './total';

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ReactNode;
  /** Left out of the cards that a phone shows. */
  isWideOnly?: boolean;
  width?: number | string;
  /** Holds sentences: may become wider than a name does. */
  isLong?: boolean;
  /** Holds buttons, which say themselves what they do: at the foot of a card, without a head. */
  isActions?: boolean;
}

/** The pages of a list, as `useInfiniteQuery` brings them. */
export interface Pages<Row> {
  data: { pages: { items: Row[]; nextCursor: string | null; total?: Api.Total | null }[] } | undefined;
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  refetch: () => unknown;
}

/** A list of records: a table on a wide screen, cards on a narrow one. The first column names the record and links to it. */
export function RecordList<Row>({
  label,
  pages,
  columns,
  keyOf,
  to,
  empty,
}: {
  label: string;
  pages: Pages<Row>;
  columns: Column<Row>[];
  keyOf: (row: Row) => string;
  to?: (row: Row) => string;
  empty: { title: string; text?: ReactNode };
}) {
  const rows = pages.data?.pages.flatMap(({ items }) => items);
  const { table, widths, keep } = useKeptWidths(rows?.length ?? 0);
  if (!rows)
    return pages.error ? <Problem error={pages.error} onRetry={() => pages.refetch()} /> : <Loading rows={6} />;
  if (rows.length === 0) return <Empty title={empty.title}>{empty.text}</Empty>;
  const total = pages.data?.pages[0]?.total;
  return (
    <>
      {total && (
        <Text size="sm" c="dimmed" px="md" pb="xs">
          <Trans>{formatTotal(total)} in all</Trans>
        </Text>
      )}
      <Records label={label} rows={rows} columns={columns} keyOf={keyOf} to={to} table={table} widths={widths} />
      <More pages={pages} count={rows.length} onMore={keep} />
    </>
  );
}

interface Shown<Row> {
  label: string;
  /** In px; below it the table scrolls. For one that shares its row with another. */
  minWidth?: number;
  rows: Row[];
  columns: Column<Row>[];
  keyOf: (row: Row) => string;
  to?: (row: Row) => string;
  table?: RefObject<HTMLTableElement | null>;
  /** Columns are at least as wide; what does not fit is broken. As wide as their cells ask for without. */
  widths?: ColumnWidths;
}

/** Records that are all there already, as a table or as cards. */
export function Records<Row>(shown: Shown<Row>) {
  return useIsNarrow() ? <Cards {...shown} /> : <Rows {...shown} />;
}

function Rows<Row>({ label, minWidth, rows, columns, keyOf, to, table, widths }: Shown<Row>) {
  const navigate = useNavigate();
  return (
    <Table.ScrollContainer minWidth={minWidth ?? 520} type="native">
      <Table
        ref={table}
        highlightOnHover={Boolean(to)}
        aria-label={label}
        className={classes.table}
        data-half={minWidth !== undefined || undefined}
        data-kept={widths !== undefined || undefined}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ head, width }) => (
              <Table.Th key={head} w={width} miw={widths?.[head]} scope="col">
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr
              key={keyOf(row)}
              className={to && classes.linked}
              // The link is in the first cell; a click beside it is a convenience for pointers.
              onClick={to && ((event) => !isControl(event.target) && void navigate(to(row)))}
            >
              {columns.map(({ head, cell, isLong }, index) => (
                <Table.Td key={head}>
                  <div className={classes.cell} data-long={isLong || undefined}>
                    {index === 0 && to ? (
                      <Link to={to(row)} className={classes.link}>
                        <Clamped>{cell(row)}</Clamped>
                      </Link>
                    ) : (
                      <Clamped>{cell(row)}</Clamped>
                    )}
                  </div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Text of any length in three lines; all of it is shown when it is pointed at. What is not text stays as it is. */
const Clamped = ({ children }: { children: ReactNode }) =>
  typeof children === 'string' && children.length > 20 ? (
    <span className={classes.clamped} title={children}>
      {children}
    </span>
  ) : (
    children
  );

const isControl = (target: EventTarget) =>
  (target instanceof Element &&
    target.closest('a, button, input, [role=button], [role=option], [role=listbox]') !== null) ||
  (getSelection()?.toString() ?? '') !== '';

function Cards<Row>({ label, rows, columns, keyOf, to }: Shown<Row>) {
  const [first, ...others] = columns.filter(({ isWideOnly }) => !isWideOnly);
  const facts = others.filter(({ isActions }) => !isActions);
  const actions = others.filter(({ isActions }) => isActions);
  return (
    <ul className={classes.cards} aria-label={label}>
      {rows.map((row) => (
        <li key={keyOf(row)} className={classes.card}>
          {to ? (
            <Link to={to(row)} className={classes.cardLink}>
              <Clamped>{first?.cell(row)}</Clamped>
            </Link>
          ) : (
            <Box fw={600} className={classes.cardFirst}>
              {first?.cell(row)}
            </Box>
          )}
          <Stack gap={4} mt={6}>
            {facts
              .map(({ head, cell }) => ({ head, value: cell(row) }))
              // What is not known needs no line of its own here.
              .filter(({ value }) => value !== '–')
              .map(({ head, value }) => (
                <Group key={head} justify="space-between" gap="sm" wrap="nowrap" align="baseline">
                  <Text size="xs" c="dimmed" className={classes.cardHead}>
                    {head}
                  </Text>
                  <Box className={classes.cardCell}>
                    <Clamped>{value}</Clamped>
                  </Box>
                </Group>
              ))}
          </Stack>
          {actions.length > 0 && (
            <Group gap={6} justify="flex-end" mt={8} className={classes.cardActions}>
              {actions.map(({ head, cell }) => (
                <Fragment key={head}>{cell(row)}</Fragment>
              ))}
            </Group>
          )}
        </li>
      ))}
    </ul>
  );
}

function More<Row>({ pages, count, onMore }: { pages: Pages<Row>; count: number; onMore: () => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  if (!pages.hasNextPage) return null;
  return (
    <Center p="sm" className={classes.more}>
      <Group gap="sm">
        <Text size="sm" c="dimmed">
          {problem ?? t`${count} shown`}
        </Text>
        <Button
          variant="default"
          size="xs"
          loading={pages.isFetchingNextPage}
          onClick={() => {
            setProblem(null);
            onMore();
            Promise.resolve(pages.fetchNextPage()).catch((error: unknown) => setProblem(sentenceOf(error)));
          }}
        >
          <Trans>Show more</Trans>
        </Button>
      </Group>
    </Center>
  );
}
