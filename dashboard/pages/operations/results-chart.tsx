import { Group, SegmentedControl, Tooltip } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { scaleBand, scaleLinear } from '@visx/scale';
import { useState } from 'react';
import { Link } from 'react-router';
import type * as api from '#api';
import { Records, useFilter } from '#lists';
import { Section } from '#parts';
import { t } from '#texts';
import { formatDate } from '#words';
import { moveAmongLinks } from './among-links';
import classes from './results-chart.module.css';
import {
  axisOf,
  type CasesOf,
  type Counts,
  isByWeek,
  measureNames,
  measuresOf,
  type MeasureView,
  type Point,
  pointsOf,
} from './results-measures';

export const daysTitle = (results: api.Results): string => (isByWeek(results) ? t`By week` : t`By day`);

const margin = { top: 14, right: 8, bottom: 26, left: 60 };

/** What became of the cases of each day or week, before the line of the days that they are compared with. */
export function ByDay({ results, casesOf, id }: { results: api.Results; casesOf: CasesOf; id: string }) {
  // In the address, so that the way back from a day finds it again.
  const [asked, ask] = useFilter('measure');
  const name = measureNames.find((each) => each === asked) ?? 'cases';
  const measures = measuresOf(results);
  const measure = measures[name];
  const points = pointsOf(results);
  const noted = points.filter(({ notes }) => notes.length > 0);
  const title = daysTitle(results);
  return (
    <Section
      id={id}
      title={title}
      lead={<Legend isOfCases={name === 'cases'} measure={measure} hasNotes={noted.length > 0} />}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t`What is shown`}
          value={name}
          onChange={(chosen) => ask(chosen === 'cases' ? null : chosen)}
          data={measureNames.map((value) => ({ value, label: measures[value].label }))}
        />
      }
    >
      <Chart
        label={`${title}: ${measure.label}`}
        measure={measure}
        isOfCases={name === 'cases'}
        points={points}
        casesOf={casesOf}
      />
      {noted.length > 0 && (
        <ul className={classes.notes} aria-label={t`What happened on these days`}>
          {noted.map((point) => (
            <li key={point.from}>{`${nameOfDays(point)}: ${point.notes.join(', ')}`}</li>
          ))}
        </ul>
      )}
      <details className={classes.table}>
        <summary>{t`Show as a table`}</summary>
        <Records
          label={title}
          rows={points}
          keyOf={({ from }) => from}
          to={({ from, until }) => casesOf({ from, until })}
          columns={[
            { head: isByWeek(results) ? t`Week` : t`Day`, cell: nameOfDays },
            ...measure.columns.map(({ head, cell }) => ({ head, cell: ({ now }: Point) => cell(now) })),
            {
              head: t`Earlier period`,
              cell: ({ before, beforeDays }) =>
                before && beforeDays ? `${nameOfDays(beforeDays)}: ${valueInWords(before, measure)}` : '–',
              isLong: true,
            },
          ]}
        />
      </details>
    </Section>
  );
}

interface LegendProps {
  measure: MeasureView;
  isOfCases: boolean;
  /** What happened on some of the days stands below. */
  hasNotes?: boolean;
}

export const Legend = ({ measure, isOfCases, hasNotes = false }: LegendProps) => (
  <Group gap="lg">
    {isOfCases && <Key kind="whole" text={t`opened`} />}
    <Key kind="bar" text={measure.key} />
    <Key kind="line" text={isOfCases ? t`recovered in the earlier period` : t`in the earlier period`} />
    {typeof measure.targetOf?.(1) === 'number' && <Key kind="target" text={t`your goal`} />}
    {hasNotes && <Key kind="note" text={t`something happened: see below`} />}
  </Group>
);

const Key = ({ kind, text }: { kind: 'whole' | 'bar' | 'line' | 'target' | 'note'; text: string }) => (
  <Group gap={6} component="span">
    <svg width={14} height={12} aria-hidden>
      {kind === 'note' ? (
        <circle cx={7} cy={6} r={3.5} className={classes.note} />
      ) : kind === 'line' || kind === 'target' ? (
        <path d="M0 6H14" className={classes[kind]} />
      ) : (
        <rect width={12} height={12} rx={3} className={classes[kind]} />
      )}
    </svg>
    {text}
  </Group>
);

interface ChartProps {
  label: string;
  /** In px. */
  height?: number;
  measure: MeasureView;
  /** Each column is a part of another. */
  isOfCases: boolean;
  points: Point[];
  casesOf: CasesOf;
}

/** Columns that lead to their cases: one stop for the tab key, the arrows go from one to the next. */
export function Chart({ label, height = 240, measure, isOfCases, points, casesOf }: ChartProps) {
  const { ref, width } = useElementSize();
  const [active, setActive] = useState<{ index: number; element: HTMLElement } | null>(null);
  const { valueOf, wholeOf, format } = measure;
  const [first] = points;
  const target = first ? (measure.targetOf?.(daysOf(first)) ?? null) : null;
  const inner = { width: Math.max(0, width - margin.left - margin.right), height: height - margin.top - margin.bottom };
  const x = scaleBand({ domain: points.map(({ from }) => from), range: [0, inner.width], padding: 0.2 });
  const y = scaleLinear({ domain: axisOf(points, measure, target), range: [inner.height, 0], nice: true });
  const bar = (value: number | null) => ({
    y: Math.min(y(0), y(value ?? 0)),
    height: Math.abs(y(0) - y(value ?? 0)),
    width: x.bandwidth(),
  });
  const before = points.map((point) => ({
    at: (x(point.from) ?? 0) + x.bandwidth() / 2,
    value: point.before && valueOf(point.before),
  }));
  // A day without a figure is a gap; one alone between two gaps is a dash.
  const line = before.map(({ at, value }, index) => {
    if (value === null) return '';
    const [isFirst, isLast] = [index - 1, index + 1].map((each) => typeof before[each]?.value !== 'number');
    if (!isFirst) return `L${at} ${y(value)}`;
    return isLast ? `M${at - 3} ${y(value)}h6` : `M${at} ${y(value)}`;
  });
  const shown = active && points[active.index];
  return (
    <div ref={ref} className={classes.frame} style={{ minHeight: height }}>
      {active && shown && (
        <Tooltip
          target={{ current: active.element }}
          opened
          label={said(shown, measure, isOfCases)}
          multiline
          maw={320}
        />
      )}
      {width > 0 && (
        <svg width={width} height={height} role="group" aria-label={label} onKeyDown={moveAmongLinks}>
          <g transform={`translate(${margin.left} ${margin.top})`}>
            <Axes x={x} y={y} inner={inner} format={format} />
            {points.map((point, index) => (
              <Link
                key={point.from}
                to={casesOf({ from: point.from, until: point.until })}
                aria-label={said(point, measure, isOfCases)}
                tabIndex={index === 0 ? 0 : -1}
                className={classes.column}
                onMouseEnter={({ currentTarget }) => setActive({ index, element: currentTarget })}
                onFocus={({ currentTarget }) => setActive({ index, element: currentTarget })}
                onMouseLeave={() => setActive(null)}
                onBlur={() => setActive(null)}
              >
                <rect
                  x={(x(point.from) ?? 0) - (x.step() - x.bandwidth()) / 2}
                  width={x.step()}
                  height={inner.height}
                  className={classes.back}
                />
                {isOfCases && <rect x={x(point.from)} {...bar(wholeOf(point.now))} className={classes.whole} />}
                <rect x={x(point.from)} {...bar(valueOf(point.now))} className={classes.bar} />
                {point.notes.length > 0 && (
                  <circle cx={(x(point.from) ?? 0) + x.bandwidth() / 2} cy={-6} r={3.5} className={classes.note} />
                )}
              </Link>
            ))}
            {target !== null && <line x2={inner.width} y1={y(target)} y2={y(target)} className={classes.target} />}
            <path d={line.join('')} className={classes.line} />
          </g>
        </svg>
      )}
    </div>
  );
}

interface AxesProps {
  x: ReturnType<typeof scaleBand<string>>;
  y: ReturnType<typeof scaleLinear<number>>;
  inner: { width: number; height: number };
  format: (value: number) => string;
}

/** Days below, as many as have room for their names, and amounts with a line at each. */
function Axes({ x, y, inner, format }: AxesProps) {
  const days = x.domain();
  // Half a case is no line.
  const ticks = y.ticks(4).filter((value) => format(value) !== '');
  const every = Math.max(1, Math.ceil(days.length / Math.max(1, Math.floor(inner.width / 64))));
  return (
    <g aria-hidden>
      {ticks.map((value) => (
        <g key={value} transform={`translate(0 ${y(value)})`}>
          <line x2={inner.width} className={classes.grid} />
          <text x={-14} dy="0.35em" textAnchor="end" className={classes.tick}>
            {format(value)}
          </text>
        </g>
      ))}
      <line x2={inner.width} y1={inner.height} y2={inner.height} className={classes.grid} />
      {days
        .filter((_, index) => index % every === 0)
        .map((from) => (
          <text
            key={from}
            x={(x(from) ?? 0) + x.bandwidth() / 2}
            y={inner.height + 18}
            textAnchor="middle"
            className={classes.tick}
          >
            {formatDate(from, { day: 'numeric', month: 'short' })}
          </text>
        ))}
    </g>
  );
}

const nameOfDays = ({ from, until }: Pick<Point, 'from' | 'until'>): string =>
  from === until
    ? formatDate(from, { weekday: 'short', day: 'numeric', month: 'short' })
    : t`${formatDate(from, { day: 'numeric', month: 'short' })} to ${formatDate(until, { day: 'numeric', month: 'short' })}`;

/** A column in words, for its tooltip and for anyone who does not see it. */
function said(point: Point, measure: MeasureView, isOfCases: boolean): string {
  const { now, before, beforeDays, notes } = point;
  const earlier = beforeDays ? nameOfDays(beforeDays) : '';
  const words = valueInWords(now, measure);
  const then = before && t`earlier period, ${earlier}: ${valueInWords(before, measure)}`;
  return [
    `${nameOfDays(point)}: ${isOfCases ? words : `${measure.label} ${words}`}`,
    ...(then ? [then] : []),
    ...notes,
  ].join('; ');
}

const daysOf = ({ from, until }: Point): number => Math.round((Date.parse(until) - Date.parse(from)) / 86_400_000) + 1;

/** The figure, and what it is made of. */
const valueInWords = (counts: Counts, { valueOf, madeOf }: MeasureView): string =>
  valueOf(counts) === null ? '–' : madeOf(counts);
