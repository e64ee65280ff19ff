import { Group } from '@mantine/core';
import { Link } from 'react-router';
import type * as api from '#api';
import { Section } from '#parts';
import { t } from '#texts';
import { formatDate, formatHour, Small, weekdayName, zoneName } from '#words';
import classes from './results.module.css';

/** Opened and recovered cases of each day; a day leads to its cases. */
export function ByDay({ results: { byDay } }: { results: api.Results }) {
  const largest = Math.max(1, ...byDay.map(({ opened }) => opened));
  const height = (count: number) => ({ height: `${(100 * count) / largest}%` });
  const [first, last] = [byDay[0], byDay.at(-1)];
  return (
    <Section
      title={t`By day`}
      lead={
        <Group gap="lg">
          <Key kind="opened" text={t`opened`} />
          <Key kind="recovered" text={t`of these recovered`} />
        </Group>
      }
    >
      <ol className={classes.chart} aria-label={t`Cases by day`}>
        {byDay.map(({ date, opened, recovered }) => {
          const said = t`${formatDate(date, { weekday: 'short', day: 'numeric', month: 'short' })}: ${opened} opened, ${recovered} recovered`;
          return (
            <li key={date} className={classes.day}>
              <Link
                to={`/cases?from=${date}&until=${date}`}
                className={classes.column}
                aria-label={said}
                title={said}
                data-empty={opened === 0 || undefined}
              >
                <span className={classes.opened} style={height(opened)} />
                <span className={classes.recovered} style={height(recovered)} />
              </Link>
            </li>
          );
        })}
      </ol>
      <Group justify="space-between" mt={4}>
        {[first, last].map(
          (day) =>
            day && (
              <Small key={day.date}>{formatDate(day.date, { day: 'numeric', month: 'short', year: 'numeric' })}</Small>
            ),
        )}
      </Group>
    </Section>
  );
}

/** When cases were opened that ended in a recovery: weekday by hour, on the clinic's clock. Each field leads to its cases. */
export function ByHour({
  results: { byHour, timezone },
  casesOf,
}: {
  results: api.Results;
  casesOf: (filters: Record<string, string>) => string;
}) {
  const hours = byHour.map(({ hour }) => hour);
  const [first, last] = [Math.min(...hours), Math.max(...hours)];
  const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  const largest = Math.max(1, ...byHour.map(({ opened }) => opened));
  const found = new Map(byHour.map((each) => [`${each.weekday} ${each.hour}`, each]));
  if (byHour.length === 0) return null;
  return (
    <Section
      title={t`By weekday and hour`}
      lead={t`When cases were opened (${zoneName(timezone)}), and how many of them were recovered. A stronger colour means more cases.`}
    >
      <div className={classes.hoursScroll}>
        <table className={classes.hours}>
          <caption className={classes.unseen}>{t`Cases by weekday and hour: recovered of opened`}</caption>
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
                  const { opened, recovered } = counts;
                  const when = `${weekdayName(weekday)}, ${formatHour(hour * 60)}`;
                  const said = t`${recovered}/${opened} on ${when}: ${opened} opened, ${recovered} recovered`;
                  return (
                    <td key={hour}>
                      <Link
                        to={casesOf({ weekday: String(weekday), hour: String(hour) })}
                        className={classes.hourCell}
                        data-level={Math.ceil((4 * opened) / largest)}
                        aria-label={said}
                        title={said}
                      >
                        {recovered}/{opened}
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

const Key = ({ kind, text }: { kind: 'opened' | 'recovered'; text: string }) => (
  <Group gap={6} component="span">
    <span className={`${classes.swatch} ${classes[kind]}`} aria-hidden />
    {text}
  </Group>
);
