import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Box, Button, Center, Group, Stack, Table, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type * as Api from '../http/client/types.gen';
import { sentenceOf } from '../http/service';
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
      <Records label={label} rows={rows} columns={columns} keyOf={keyOf} to={to} />
      <More pages={pages} count={rows.length} />
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
}

/** Records that are all there already, as a table or as cards. */
export function Records<Row>(shown: Shown<Row>) {
  const isNarrow = useMediaQuery('(max-width: 61.99em)', undefined, { getInitialValueInEffect: false });
  return isNarrow ? <Cards {...shown} /> : <Rows {...shown} />;
}

function Rows<Row>({ label, minWidth, rows, columns, keyOf, to }: Shown<Row>) {
  const navigate = useNavigate();
  return (
    <Table.ScrollContainer minWidth={minWidth ?? 520} type="native">
      <Table
        highlightOnHover={Boolean(to)}
        aria-label={label}
        className={classes.table}
        data-half={minWidth !== undefined || undefined}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ head, width }) => (
              <Table.Th key={head} w={width} scope="col">
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
  const [first, ...rest] = columns.filter(({ isWideOnly }) => !isWideOnly);
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
            {rest
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
        </li>
      ))}
    </ul>
  );
}

function More<Row>({ pages, count }: { pages: Pages<Row>; count: number }) {
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
            Promise.resolve(pages.fetchNextPage()).catch((error: unknown) => setProblem(sentenceOf(error)));
          }}
        >
          <Trans>Show more</Trans>
        </Button>
      </Group>
    </Center>
  );
}
