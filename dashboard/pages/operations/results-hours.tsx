import { Link } from 'react-router';
import type * as api from '#api';
import { Section } from '#parts';
import { t } from '#texts';
import { formatHour, weekdayName, zoneName } from '#words';
import type { CasesOf } from './results-measures';
import classes from './results.module.css';

/** When cases were opened that were not recovered: weekday by hour, on the clinic's clock. Each field leads to them. */
export function ByHour({ results: { byHour, timezone }, casesOf }: { results: api.Results; casesOf: CasesOf }) {
  const hours = byHour.map(({ hour }) => hour);
  const [first, last] = [Math.min(...hours), Math.max(...hours)];
  const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  const largest = Math.max(1, ...byHour.map(({ lost }) => lost));
  const found = new Map(byHour.map((each) => [`${each.weekday} ${each.hour}`, each]));
  if (byHour.length === 0) return null;
  return (
    <Section
      title={t`Not recovered, by weekday and hour`}
      lead={t`When the cases were opened (${zoneName(timezone)}) that ended without a recovery, of all that ended. A stronger colour means that more were lost.`}
    >
      <div className={classes.hoursScroll}>
        <table className={classes.hours}>
          <caption className={classes.unseen}>{t`Cases by weekday and hour: not recovered, of all that ended`}</caption>
          <thead>
            <tr>
              <td />
              {shown.map((hour) => (
                <th key={hour} scope="col">
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
                  if (!counts) return <td key={hour} className={classes.noHour} />;
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
