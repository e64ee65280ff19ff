import { Box, Group, Table } from '@mantine/core';
import { Fragment, type ReactNode, type RefObject } from 'react';
import { Link, useNavigate } from 'react-router';
import { useIsRestDue } from '#parts';
import type { ColumnWidths } from './kept-widths';
import { useIsNarrow } from './narrow';
import classes from './record-list.module.css';
import type { Sorted } from './sorting';

export interface Column<Row> {
  head: string;
  /** `index` is the row's place in the list, from 0. */
  cell: (row: Row, index: number) => ReactNode;
  /** Left out of the cards that a phone shows. */
  isWideOnly?: boolean;
  width?: number | string;
  /** The list can be read in the order of this column. */
  sorted?: Sorted;
  /** Holds sentences: may become wider than a name does. */
  isLong?: boolean;
  /** As wide as `width` says, whatever it holds: what has no room is cut. */
  isRest?: boolean;
  /** Holds buttons, which say themselves what they do: at the foot of a card, without a head. */
  isActions?: boolean;
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
  /** Of a column; its words unless given. */
  headOf?: (column: Column<Row>, minWidth: number | undefined) => ReactNode;
}

/** So many cards fill a phone's screen, and so many rows a wide one. */
const CARDS_AT_FIRST = 4;
const ROWS_AT_FIRST = 14;

/** Records that are all there already, as a table or as cards. What a screen has no room for is drawn after the first picture. */
export function Records<Row>({ rows, ...shown }: Shown<Row>) {
  const isNarrow = useIsNarrow();
  const isRestDue = useIsRestDue();
  // Columns are as wide as what stands in them: they would move under who reads, where rows that hold buttons do not take far longer.
  const isWhole = isRestDue || (!isNarrow && !shown.columns.some(({ isActions }) => isActions));
  const atFirst = rows.slice(0, isNarrow ? CARDS_AT_FIRST : ROWS_AT_FIRST);
  const List = isNarrow ? Cards : Rows;
  return <List {...shown} rows={isWhole ? rows : atFirst} />;
}

const plainHead = ({ head, width }: Pick<Column<never>, 'head' | 'width'>, minWidth: number | undefined) => (
  <Table.Th w={width} miw={minWidth} scope="col">
    {head}
  </Table.Th>
);

function Rows<Row>({ label, minWidth, rows, columns, keyOf, to, table, widths, headOf = plainHead }: Shown<Row>) {
  const navigate = useNavigate();
  return (
    <Table.ScrollContainer minWidth={minWidth ?? 520} type="native">
      <Table
        ref={table}
        highlightOnHover={Boolean(to)}
        aria-label={label}
        className={classes.table}
        horizontalSpacing="sm"
        data-half={minWidth !== undefined || undefined}
        data-kept={widths !== undefined || undefined}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Fragment key={column.head}>{headOf(column, widths?.[column.head])}</Fragment>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, at) => (
            <Table.Tr
              key={keyOf(row)}
              data-row
              className={to && classes.linked}
              // The link is in the first cell; a click beside it is a convenience for pointers.
              onClick={to && ((event) => !isControl(event.target) && void navigate(to(row)))}
            >
              {columns.map(({ head, cell, isLong, isRest }, index) => (
                <Table.Td key={head}>
                  <div className={classes.cell} data-long={isLong || undefined} data-rest={isRest || undefined}>
                    {index === 0 && to ? (
                      <Link to={to(row)} className={classes.link}>
                        <Clamped>{cell(row, at)}</Clamped>
                      </Link>
                    ) : (
                      <Clamped>{cell(row, at)}</Clamped>
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

/** Things beside each other in one line of a row, cut where there is no room; below each other in a card. */
export const OneLine = ({ children }: { children: ReactNode }) => <div className={classes.oneLine}>{children}</div>;

/** Text of any length in one line of a row (two on a narrower screen), or three of a card; all of it is shown when it is pointed at. What is not text stays as it is. */
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
      {rows.map((row, at) => (
        <li key={keyOf(row)} className={classes.card} data-row>
          {to ? (
            <Link to={to(row)} className={classes.cardLink}>
              <Clamped>{first?.cell(row, at)}</Clamped>
            </Link>
          ) : (
            <Box fw={600} className={classes.cardFirst}>
              {first?.cell(row, at)}
            </Box>
          )}
          <div className={classes.facts}>
            {facts
              .map(({ head, cell }) => ({ head, value: cell(row, at) }))
              // What is not known needs no line of its own here.
              .filter(({ value }) => value !== '–')
              .map(({ head, value }) => (
                <div key={head} className={classes.fact}>
                  <span className={classes.cardHead}>{head}</span>
                  <div className={classes.cardCell}>
                    <Clamped>{value}</Clamped>
                  </div>
                </div>
              ))}
          </div>
          {actions.length > 0 && (
            <Group gap={6} justify="flex-end" mt={8} className={classes.cardActions}>
              {actions.map(({ head, cell }) => (
                <Fragment key={head}>{cell(row, at)}</Fragment>
              ))}
            </Group>
          )}
        </li>
      ))}
    </ul>
  );
}
