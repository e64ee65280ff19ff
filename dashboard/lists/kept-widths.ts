import { type RefObject, useEffect, useRef, useState } from 'react';

/** In px, by the column's head. */
export type ColumnWidths = Record<string, number>;

interface Kept {
  columns: ColumnWidths;
  /** How many rows they were measured with. */
  rows: number;
}

/**
 * A table's columns as wide as they are when `keep` is called, once it has more rows, until it gets more or less room: a
 * browser that sets them again for every row that is added would wrap the rows above in another way, and move what is read.
 */
export function useKeptWidths(rows: number): {
  table: RefObject<HTMLTableElement | null>;
  widths: ColumnWidths | undefined;
  keep: () => void;
} {
  const table = useRef<HTMLTableElement>(null);
  const [kept, setKept] = useState<Kept>();
  useEffect(() => {
    const room = table.current?.parentElement;
    if (!kept || !room) return;
    const { clientWidth } = room;
    const observer = new ResizeObserver(() => {
      if (room.clientWidth !== clientWidth) setKept(undefined);
    });
    observer.observe(room);
    return () => observer.disconnect();
  }, [kept]);
  // With no more rows than that it may be the first page of another filter.
  const widths = kept && rows > kept.rows ? kept.columns : undefined;
  const keep = () => {
    const heads = table.current?.tHead?.rows[0]?.cells;
    if (!heads || widths) return;
    const measured = [...heads].map((head) => [head.textContent, head.getBoundingClientRect().width] as const);
    setKept({ columns: Object.fromEntries(measured), rows });
  };
  return { table, widths, keep };
}
