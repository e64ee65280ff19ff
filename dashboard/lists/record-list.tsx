import { Center, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { sentenceOf } from '#http';
import { Empty, Loading, PlainButton, Problem } from '#parts';
import { t } from '#texts';
import { Quiet } from '#words';
import { useKeptWidths } from './kept-widths';
import { useIsNarrow } from './narrow';
import classes from './record-list.module.css';
import { type Column, Records } from './records';
import { Head, SortChoice } from './sorting';
import { formatTotal } from './total';
import type { Listed } from './use-list';

interface RecordListProps<Row> {
  label: string;
  listed: Listed<Row>;
  columns: Column<Row>[];
  keyOf: (row: Row) => string;
  to?: (row: Row) => string;
  empty: { title: string; text?: ReactNode };
}

/** A list of records: a table on a wide screen, cards on a narrow one. The first column names the record and links to it. */
export function RecordList<Row>({ label, listed, columns, keyOf, to, empty }: RecordListProps<Row>) {
  const { rows, total, error } = listed;
  const { table, widths, keep } = useKeptWidths(rows?.length ?? 0);
  const isNarrow = useIsNarrow();
  if (!rows) return error ? <Problem error={error} onRetry={() => listed.readAgain()} /> : <Loading rows={6} />;
  if (rows.length === 0) return <Empty title={empty.title}>{empty.text}</Empty>;
  return (
    <>
      <Group justify="space-between" px="md" pb={total ? 'xs' : undefined}>
        {/* Rows that do not count stand for none that does: the page says what they are. */}
        {total && total.count > 0 && <Quiet>{t`${formatTotal(total)} in all`}</Quiet>}
        {isNarrow && <SortChoice columns={columns} />}
      </Group>
      <Records
        label={label}
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        to={to}
        table={table}
        widths={widths}
        headOf={(column, minWidth) => <Head column={column} minWidth={minWidth} />}
      />
      <More listed={listed} count={rows.length} onMore={keep} />
    </>
  );
}

interface MoreProps {
  listed: Pick<Listed<unknown>, 'hasMore' | 'isReadingMore' | 'readMore' | 'error'>;
  count: number;
  onMore: () => void;
}

function More({ listed: { hasMore, isReadingMore, readMore, error }, count, onMore }: MoreProps) {
  if (!hasMore) return null;
  const read = () => {
    onMore();
    readMore();
  };
  return (
    <Center p="sm" className={classes.more}>
      <Group gap="sm">
        <Quiet>{error ? sentenceOf(error) : t`${count} shown`}</Quiet>
        <PlainButton label={t`Show more`} size="xs" loading={isReadingMore} onClick={read} />
      </Group>
    </Center>
  );
}
