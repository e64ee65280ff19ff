import { VisuallyHidden } from '@mantine/core';
import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type * as api from '#api';
import { labelOf, useZone } from '#parts';
import { t } from '#texts';
import { formatDate, formatHour, formatTime, instantAt, type LocalDate, minuteOf, useMinute, wallClock } from '#words';
import { isChangeable } from './appointment';
import {
  type Block,
  blocksOf,
  type DayColumn,
  firstOf,
  hoursOf,
  keyOf,
  neighbour,
  type Range,
  rangeOf,
  slotMinutes,
} from './calendar-blocks';
import classes from './calendar-grid.module.css';

type Booked = api.CalendarEntry;

const slotHeight = 28;

interface CalendarGridProps {
  label: string;
  columns: DayColumn[];
  /** The appointment that another time is being chosen for. */
  moving: Booked | null;
  /** The colour of a visit of this type. */
  colorOf: (visitType: string) => string;
  onPick: (block: Block) => void;
  onDrop: (appointment: Booked, to: { providerName: string; startsAt: string }) => void;
}

/**
 * Days side by side on the clinic's clock, free and booked times as blocks. One of them is in the tab order; the arrow keys, Home and End
 * go to the others. An appointment that is dragged is dropped at any time of any column: anyone who is told decides what becomes of it.
 */
export function CalendarGrid({ label, columns, moving, colorOf, onPick, onDrop }: CalendarGridProps) {
  const zone = useZone();
  const grid = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<string | null>(null);
  const [dragged, setDragged] = useState<Booked | null>(null);
  const range = rangeOf(columns, zone);
  const blocks = columns.map((column) => blocksOf(column, zone));
  const all = blocks.flat();
  const inOrder = all.some(({ key }) => key === current) ? current : firstOf(all);

  // Anyone who chooses a time begins at the one that they move.
  const movingKey = moving && keyOf(moving);
  useEffect(() => {
    if (movingKey) setCurrent(movingKey);
  }, [movingKey]);

  const onKeyDown = (event: KeyboardEvent) => {
    const next = neighbour(blocks, inOrder, event.key);
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setCurrent(next);
    grid.current?.querySelector<HTMLElement>(`[data-block="${CSS.escape(next)}"]`)?.focus();
  };

  return (
    <div
      ref={grid}
      role="group"
      aria-label={label}
      className={classes.grid}
      style={{ gridTemplateColumns: `56px repeat(${columns.length}, minmax(var(--column-least, 0), 1fr))` }}
      onKeyDown={onKeyDown}
    >
      <Hours range={range} />
      {columns.map((column, index) => (
        <Day
          key={column.key}
          column={column}
          range={range}
          blocks={blocks[index] ?? []}
          inOrder={inOrder}
          moving={moving}
          dragged={dragged}
          colorOf={colorOf}
          onFocus={setCurrent}
          onPick={onPick}
          onDrag={setDragged}
          onDrop={onDrop}
        />
      ))}
    </div>
  );
}

const offset = (minute: number, { from }: Range) => ((minute - from) / slotMinutes) * slotHeight;

function Hours({ range }: { range: Range }) {
  const hours = Array.from({ length: (range.until - range.from) / 60 }, (_, index) => range.from + index * 60);
  return (
    <div className={classes.hours} aria-hidden>
      <div className={classes.dayHead} />
      <div style={{ height: offset(range.until, range), position: 'relative' }}>
        {hours.map((minute) => (
          <span key={minute} className={classes.hour} style={{ top: offset(minute, range) }}>
            {formatHour(minute)}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Narrow columns leave AM and PM to the axis; who only hears the calendar is told. */
function StartTime({ at }: { at: string }) {
  const [, time = '', half = ''] = /^(.*?)(\s?[AP]M)?$/i.exec(formatTime(at, useZone())) ?? [];
  return (
    <>
      {time}
      <VisuallyHidden component="span">{half}</VisuallyHidden>
    </>
  );
}

interface DayProps {
  column: DayColumn;
  range: Range;
  blocks: Block[];
  /** The key of the block that Tab leads to. */
  inOrder: string | null;
  moving: Booked | null;
  dragged: Booked | null;
  colorOf: CalendarGridProps['colorOf'];
  onFocus: (key: string) => void;
  onPick: (block: Block) => void;
  onDrag: (appointment: Booked | null) => void;
  onDrop: (appointment: Booked, to: { providerName: string; startsAt: string }) => void;
}

function Day({ column, range, blocks, inOrder, moving, dragged, colorOf, onFocus, onPick, onDrag, onDrop }: DayProps) {
  const { date, provider, head, name, isToday, closed, held, color } = column;
  const zone = useZone();
  const now = wallClock(useMinute(), zone);
  const isNow = now.date === date && now.minute >= range.from && now.minute < range.until;
  const { over, ...target } = useDropTarget({ date, provider, range, blocks, dragged, onDrag, onDrop });
  return (
    <div className={classes.day} data-today={isToday || undefined}>
      <div
        className={classes.dayHead}
        style={color ? { borderBottomColor: color, borderBottomWidth: 3 } : undefined}
        aria-hidden
      >
        {head}
      </div>
      <div className={classes.column} style={{ height: offset(range.until, range) }} {...target}>
        {hoursOf(column).map(({ opens, closes }) => (
          <span
            key={opens}
            className={classes.works}
            style={{
              top: offset(minuteOf(opens), range),
              height: ((minuteOf(closes) - minuteOf(opens)) / slotMinutes) * slotHeight,
            }}
            aria-hidden
          />
        ))}
        {closed && <span className={classes.closed}>{t`Closed: ${closed}`}</span>}
        {over !== null && dragged && (
          <span className={classes.over} style={{ top: offset(over, range), height: slotHeight }} aria-hidden />
        )}
        {isNow && <span className={classes.now} style={{ top: offset(now.minute, range) }} aria-hidden />}
        {held.map(({ id, startsAt, patientName }) => (
          <span
            key={id}
            className={classes.held}
            style={{ top: offset(wallClock(startsAt, zone).minute, range) + 1, height: slotHeight - 2 }}
            title={t`${formatTime(startsAt, zone)}, held for ${patientName || t`a patient`}`}
            // The line above the calendar says the same, with a link to each.
            aria-hidden
          >
            {t`held for ${patientName || t`a patient`}`}
          </span>
        ))}
        <ol className={classes.entries} aria-label={blocks.length === 0 ? t`${name}: nothing` : name}>
          {blocks.map((block) => (
            <li
              key={block.key}
              className={classes.entry}
              style={{ top: offset(block.minute, range), height: slotHeight - 2 }}
            >
              <BlockButton
                block={block}
                isInOrder={block.key === inOrder}
                isMoving={moving !== null && block.appointment?.id === moving.id}
                color={block.appointment ? colorOf(block.appointment.visitType) : undefined}
                onFocus={onFocus}
                onPick={onPick}
                onDrag={onDrag}
              />
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

type DropTargetOptions = Pick<DayColumn, 'date' | 'provider'> & {
  range: Range;
  blocks: Block[];
  dragged: Booked | null;
  onDrag: (appointment: Booked | null) => void;
  onDrop: (appointment: Booked, to: { providerName: string; startsAt: string }) => void;
};

/** A column that takes an appointment: the time that it is dragged over, and what is to be done when it is dropped there. */
function useDropTarget({ date, provider, range, blocks, dragged, onDrag, onDrop }: DropTargetOptions) {
  const zone = useZone();
  const [over, setOver] = useState<number | null>(null);
  const minuteAt = ({ clientY, currentTarget }: DragEvent) => {
    const pixels = clientY - currentTarget.getBoundingClientRect().top;
    return range.from + Math.floor(pixels / slotHeight) * slotMinutes;
  };
  return {
    over,
    onDragOver(event: DragEvent) {
      if (!dragged) return;
      event.preventDefault();
      setOver(minuteAt(event));
    },
    onDragLeave: () => setOver(null),
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(null);
      onDrag(null);
      if (!dragged) return;
      const minute = minuteAt(event);
      const block = blocks.find((each) => each.minute <= minute && minute < each.minute + slotMinutes);
      const startsAt = block?.startsAt ?? instantAt(`${date}T${wallTime(minute)}`, zone);
      onDrop(dragged, { providerName: provider.name, startsAt });
    },
  };
}

interface BlockButtonProps {
  block: Block;
  isInOrder: boolean;
  isMoving: boolean;
  color: string | undefined;
  onFocus: (key: string) => void;
  onPick: (block: Block) => void;
  onDrag: (appointment: Booked | null) => void;
}

/** Keeps its element when a free time is booked or a booked one becomes free, and with it the focus. */
function BlockButton({ block, isInOrder, isMoving, color, onFocus, onPick, onDrag }: BlockButtonProps) {
  const zone = useZone();
  const { appointment, startsAt } = block;
  const isDraggable = appointment !== null && isChangeable(appointment);
  return (
    <button
      type="button"
      className={appointment ? classes.booked : classes.open}
      data-block={block.key}
      data-status={appointment?.status}
      data-moving={isMoving || undefined}
      style={color ? { borderLeftColor: color } : undefined}
      tabIndex={isInOrder ? 0 : -1}
      title={
        appointment
          ? [
              `${formatTime(startsAt, zone)} ${appointment.patientName}`,
              appointment.visitType,
              ...(appointment.status === 'booked' ? [] : [labelOf(appointment.status)]),
            ].join(', ')
          : t`${formatTime(startsAt, zone)}, open`
      }
      draggable={isDraggable}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        // Without data of its own a browser does not drag; no name leaves the page.
        event.dataTransfer.setData('text/plain', '');
        onDrag(appointment);
      }}
      onDragEnd={() => onDrag(null)}
      onFocus={() => onFocus(block.key)}
      onClick={() => onPick(block)}
    >
      <StartTime at={startsAt} />{' '}
      {appointment ? (
        <>
          {appointment.patientName || t`Name not given`} <span className={classes.visit}>{appointment.visitType}</span>
        </>
      ) : (
        <span className={classes.word}>{t`open`}</span>
      )}
    </button>
  );
}

/** 570 → `09:30`. */
const wallTime = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** The day above its column. */
export const DayHead = ({ date }: { date: LocalDate }) => (
  <>
    <span className={classes.weekday}>{formatDate(date, { weekday: 'short' })}</span>
    <span className={classes.dayNumber}>{formatDate(date, { day: 'numeric' })}</span>
  </>
);

/** The provider above theirs, where a day is shown of all. */
export const ProviderHead = ({ name }: { name: string }) => (
  <span className={classes.providerName} title={name}>
    {name}
  </span>
);
