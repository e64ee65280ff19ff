import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import type * as api from '#api';
import { Section } from '#parts';
import { t } from '#texts';
import { formatHour, weekdayName, zoneName } from '#words';
import type { CasesOf } from './results-measures';
import classes from './results.module.css';

/** An hour in which so much of what ended in the fullest one did. */
const BUSY_SHARE = 0.25;

/** When cases were opened that were not recovered: weekday by hour, on the clinic's clock. Each field leads to them. */
export function ByHour({ results: { byHour, timezone }, casesOf }: { results: api.Results; casesOf: CasesOf }) {
  const box = useRef<HTMLDivElement>(null);
  const totals = Array.from({ length: 24 }, (_, hour) => endedAt(hour, byHour));
  const busy = totals.findIndex((count) => count >= BUSY_SHARE * Math.max(1, ...totals));
  const first = Math.max(0, totals.findIndex((count) => count > 0) - 1);
  const last = Math.min(23, totals.findLastIndex((count) => count > 0) + 1);
  const shown = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  // Where not all hours have room, it opens at those in which much happens.
  useEffect(() => {
    const [names, start] = ['td', `[data-hour="${busy}"]`].map((each) => box.current?.querySelector<HTMLElement>(each));
    if (box.current && names && start) box.current.scrollLeft = start.offsetLeft - names.offsetWidth;
  }, [busy, first]);
  const largest = Math.max(1, ...byHour.map(({ lost }) => lost));
  const found = new Map(byHour.map((each) => [`${each.weekday} ${each.hour}`, each]));
  if (totals.every((count) => count === 0)) return null;
  return (
    <Section
      title={t`Not recovered, by weekday and hour`}
      lead={t`When the cases were opened (${zoneName(timezone)}) that ended without a recovery, of all that ended. A stronger colour means that more were lost.`}
    >
      <div ref={box} className={classes.hoursScroll}>
        <table className={classes.hours}>
          <caption className={classes.unseen}>{t`Cases by weekday and hour: not recovered, of all that ended`}</caption>
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
          <tbody>
            {[1, 2, 3, 4, 5, 6, 7].map((weekday) => (
              <tr key={weekday}>
                <th scope="row">{weekdayName(weekday, 'short')}</th>
                {shown.map((hour) => {
                  const counts = found.get(`${weekday} ${hour}`);
                  if (!counts || counts.ended === 0) return <td key={hour} className={classes.noHour} />;
                  const { ended, lost } = counts;
                  const when = `${weekdayName(weekday)}, ${formatHour(hour * 60)}`;
                  const said = t`${lost}/${ended} on ${when}: ${lost} not recovered of ${ended} that ended`;
                  return (
                    <td key={hour}>
                      <Link
                        to={casesOf({ weekday: String(weekday), hour: String(hour), lost: 'true' })}
                        className={classes.hourCell}
                        data-level={Math.ceil((4 * lost) / largest)}
                        aria-label={said}
                        title={said}
                      >
                        {lost}/{ended}
                      </Link>
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
