import { VisuallyHidden } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import type * as api from '#api';
import { Section } from '#parts';
import { t } from '#texts';
import { formatHour, weekdayName, zoneName } from '#words';
import { moveAmongLinks } from './among-links';
import type { CasesOf } from './results-measures';
import classes from './results.module.css';

export const hoursTitle = t`Not recovered, by weekday and hour`;

const weekdays = [1, 2, 3, 4, 5, 6, 7];

/** An hour in which so much of what ended in the fullest one did. */
const BUSY_SHARE = 0.25;

interface ByHourProps {
  results: api.Results;
  casesOf: CasesOf;
  id: string;
}

/**
 * When cases were opened that were not recovered: weekday by hour, on the clinic's clock. Each field that has some leads to them; together
 * they are one stop of the tab key.
 */
export function ByHour({ results: { byHour, timezone }, casesOf, id }: ByHourProps) {
  const box = useRef<HTMLDivElement>(null);
  const totals = Array.from({ length: 24 }, (_, hour) => endedAt(hour, byHour));
  const busy = totals.findIndex((count) => count >= BUSY_SHARE * Math.max(...totals));
  const first = Math.max(0, totals.findIndex((count) => count > 0) - 1);
  const last = Math.min(23, totals.findLastIndex((count) => count > 0) + 1);
  const shown = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  // Where not all hours have room, it opens at those in which much happens.
  useEffect(() => {
    const [names, start] = ['td', `[data-hour="${busy}"]`].map((each) => box.current?.querySelector<HTMLElement>(each));
    if (box.current && names && start) box.current.scrollLeft = start.offsetLeft - names.offsetWidth;
  }, [busy, first]);
  const largest = Math.max(...byHour.map(({ lost }) => lost));
  const found = new Map(byHour.map((each) => [`${each.weekday} ${each.hour}`, each]));
  const stop = weekdays
    .flatMap((weekday) => shown.map((hour) => `${weekday} ${hour}`))
    .find((key) => found.get(key)?.lost);
  if (totals.every((count) => count === 0)) return null;
  return (
    <Section
      id={id}
      title={hoursTitle}
      lead={t`When the cases were opened (${zoneName(timezone)}) that ended without a recovery, of all that ended. A stronger colour means that more were lost.`}
    >
      <div ref={box} className={classes.hoursScroll}>
        <table className={classes.hours}>
          <VisuallyHidden component="caption">
            {t`Cases by weekday and hour: not recovered, of all that ended`}
          </VisuallyHidden>
          <thead>
            <tr>
              <td />
              {shown.map((hour) => (
                <th key={hour} scope="col" data-hour={hour}>
                  {formatHour(hour * 60)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody onKeyDown={moveAmongLinks}>
            {weekdays.map((weekday) => (
              <tr key={weekday}>
                <th scope="row">{weekdayName(weekday, 'short')}</th>
                {shown.map((hour) => {
                  const key = `${weekday} ${hour}`;
                  const counts = found.get(key);
                  if (!counts || counts.ended === 0) return <td key={hour} className={classes.noHour} />;
                  const { ended, lost } = counts;
                  const when = `${weekdayName(weekday)}, ${formatHour(hour * 60)}`;
                  const said = t`${lost}/${ended} on ${when}: ${lost} not recovered of ${ended} that ended`;
                  return (
                    <td key={hour}>
                      {lost === 0 ? (
                        <span className={classes.hourCell} title={said}>
                          {lost}/{ended}
                        </span>
                      ) : (
                        <Link
                          to={casesOf({ weekday: String(weekday), hour: String(hour), lost: 'true' })}
                          tabIndex={key === stop ? 0 : -1}
                          className={classes.hourCell}
                          data-level={Math.ceil((4 * lost) / largest)}
                          aria-label={said}
                          title={said}
                        >
                          {lost}/{ended}
                        </Link>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

const endedAt = (hour: number, byHour: api.Results['byHour']): number =>
  byHour.reduce((sum, each) => sum + (each.hour === hour ? each.ended : 0), 0);
