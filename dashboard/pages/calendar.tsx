import { ActionIcon, Anchor, Button, Group, SegmentedControl, Select, Text, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { getProvidersByNameCalendarOptions, getProvidersOptions } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IconChevronLeft, IconChevronRight } from '../icons';
import { useFilter } from '../parts/filters';
import { formatTime } from '../parts/moment';
import { Page } from '../parts/page';
import { Records } from '../parts/record-list';
import { Section } from '../parts/section';
import { Empty, Loaded } from '../parts/states';
import { Status } from '../parts/status';
import {
  formatDate,
  formatHour,
  isLocalDate,
  type LocalDate,
  minuteOf,
  mondayOf,
  plusDays,
  wallClock,
  weekdays,
} from '../parts/week';
import { useZone } from '../shell/account';
import classes from './calendar.module.css';

type Provider = Api.Provider;
type Booked = Api.CalendarEntry;
type Open = Api.OpenSlot;

/** Stands where a provider's name would stand; no name holds an asterisk. */
const everybody = '*';

const longDate = (date: LocalDate) =>
  formatDate(date, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

const slotMinutes = 30;
const slotHeight = 28;

/** A provider's week, what is booked and what is open, drawn on the clinic's clock; or the day of all providers. */
export function Calendar() {
  const providers = useQuery({ ...getProvidersOptions(), staleTime: 60_000 });
  return (
    <Page title="Calendar" lead="Booked and open times of a provider, on the clinic’s clock.">
      <Loaded query={providers}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No provider yet">
              Providers and their hours are set on the{' '}
              <Anchor component={Link} to="/integrations/providers" inherit underline="always">
                integrations page
              </Anchor>
              .
            </Empty>
          ) : (
            <ProviderWeek providers={items} />
          )
        }
      </Loaded>
    </Page>
  );
}

function ProviderWeek({ providers }: { providers: Provider[] }) {
  const zone = useZone();
  const isNarrow = useMediaQuery('(max-width: 61.99em)', undefined, { getInitialValueInEffect: false });
  const today = wallClock(new Date().toISOString(), zone).date;
  const [chosen, choose] = useFilter('provider');
  const [given, setDay] = useFilter('week');
  const day = isLocalDate(given) ? given : today;
  const monday = mondayOf(day);
  const provider = providers.find(({ name }) => name === chosen) ?? providers[0];
  if (!provider) return null;
  const isOfAll = chosen === everybody;
  const step = isOfAll ? 1 : 7;
  const from = isOfAll ? day : monday;
  const week = Array.from({ length: 7 }, (_, index) => plusDays(monday, index));

  return (
    <Section
      title={
        isOfAll ? longDate(day) : `Week of ${formatDate(monday, { day: 'numeric', month: 'long', year: 'numeric' })}`
      }
      flush
      actions={
        <Group gap="xs">
          <Select
            aria-label="Provider"
            w={{ base: '100%', xs: 200 }}
            data={[
              ...providers.map(({ name, displayName }) => ({ value: name, label: displayName })),
              { value: everybody, label: 'All providers' },
            ]}
            value={isOfAll ? everybody : provider.name}
            onChange={choose}
          />
          <ActionIcon
            variant="default"
            size={36}
            aria-label={isOfAll ? 'The day before' : 'The week before'}
            onClick={() => setDay(plusDays(from, -step))}
          >
            <IconChevronLeft size={18} />
          </ActionIcon>
          <Button variant="default" onClick={() => setDay(null)}>
            Today
          </Button>
          <ActionIcon
            variant="default"
            size={36}
            aria-label={isOfAll ? 'The day after' : 'The week after'}
            onClick={() => setDay(plusDays(from, step))}
          >
            <IconChevronRight size={18} />
          </ActionIcon>
        </Group>
      }
    >
      {(isNarrow || isOfAll) && (
        <div className={classes.days}>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label="Day"
            data={week.map((date) => ({
              value: date,
              label: `${formatDate(date, { weekday: 'narrow' })} ${formatDate(date, { day: 'numeric' })}`,
            }))}
            value={day}
            onChange={setDay}
          />
        </div>
      )}
      {isOfAll ? (
        <DayOfAll providers={providers} date={day} />
      ) : (
        <Week provider={provider} monday={monday} shown={isNarrow ? [day] : week} today={today} />
      )}
    </Section>
  );
}

/** The appointments of every provider on one day, by time. */
function DayOfAll({ providers, date }: { providers: Provider[]; date: LocalDate }) {
  const zone = useZone();
  const calendars = useQueries({
    queries: providers.map(({ name }) => ({
      ...getProvidersByNameCalendarOptions({ path: { name }, query: { from: date, until: plusDays(date, 1) } }),
      refetchInterval: 30_000,
    })),
  });
  const missing = calendars.find(({ data }) => data === undefined);
  if (missing) return <Loaded query={missing}>{() => null}</Loaded>;
  const appointments = calendars
    .flatMap(({ data }) => data?.appointments ?? [])
    .toSorted((one, other) => Date.parse(one.startsAt) - Date.parse(other.startsAt));
  if (appointments.length === 0) return <Empty title="No appointment on this day" />;
  return (
    <>
      <Text size="sm" c="dimmed" px="md" py="xs">
        {count(appointments.length, 'appointment')}
      </Text>
      <Records
        label="Appointments of the day"
        rows={appointments}
        keyOf={({ id }) => id}
        to={({ patientId }) => `/patients/${patientId}`}
        columns={[
          { head: 'Patient', cell: ({ patientName }) => patientName || 'Name not given' },
          { head: 'Time', cell: ({ startsAt }) => formatTime(startsAt, zone) },
          { head: 'With', cell: ({ providerDisplayName }) => providerDisplayName },
          { head: 'Visit', cell: ({ visitType }) => visitType },
          { head: 'State', cell: ({ status }) => <Status state={status} /> },
        ]}
      />
    </>
  );
}

function Week({
  provider,
  monday,
  shown,
  today,
}: {
  provider: Provider;
  monday: LocalDate;
  shown: LocalDate[];
  today: LocalDate;
}) {
  const zone = useZone();
  const calendar = useQuery({
    ...getProvidersByNameCalendarOptions({
      path: { name: provider.name },
      query: { from: monday, until: plusDays(monday, 7) },
    }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
  return (
    <Loaded query={calendar} rows={8}>
      {({ slots, appointments }) => {
        const range = rangeOf(provider, appointments, zone);
        return (
          <>
            <Group gap="lg" px="md" py="xs">
              <Legend kind="booked" text={count(appointments.length, 'appointment')} />
              <Legend kind="open" text={count(slots.length, 'open slot')} />
            </Group>
            <div
              className={classes.week}
              style={{ gridTemplateColumns: `56px repeat(${shown.length}, minmax(0, 1fr))` }}
            >
              <Hours range={range} />
              {shown.map((date) => (
                <Day
                  key={date}
                  date={date}
                  range={range}
                  provider={provider}
                  isToday={date === today}
                  appointments={appointments.filter(({ startsAt }) => wallClock(startsAt, zone).date === date)}
                  slots={slots.filter(({ startsAt }) => wallClock(startsAt, zone).date === date)}
                />
              ))}
            </div>
          </>
        );
      }}
    </Loaded>
  );
}

const count = (many: number, what: string) => `${many} ${what}${many === 1 ? '' : 's'}`;

const Legend = ({ kind, text }: { kind: string; text: string }) => (
  <Group gap={6}>
    <span className={classes.swatch} data-kind={kind} aria-hidden />
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  </Group>
);

interface Range {
  from: number;
  until: number;
}

/** Whole hours that hold every working hour and every appointment of the week. */
function rangeOf({ workingHours }: Provider, appointments: Booked[], zone: string): Range {
  const hours = weekdays.flatMap((weekday) => workingHours[weekday] ?? []);
  const starts = appointments.map(({ startsAt }) => wallClock(startsAt, zone).minute);
  const from = Math.min(9 * 60, ...hours.map(({ opens }) => minuteOf(opens)), ...starts);
  const until = Math.max(
    17 * 60,
    ...hours.map(({ closes }) => minuteOf(closes)),
    ...starts.map((start) => start + slotMinutes),
  );
  return { from: Math.floor(from / 60) * 60, until: Math.ceil(until / 60) * 60 };
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

function Day({
  date,
  range,
  provider,
  isToday,
  appointments,
  slots,
}: {
  date: LocalDate;
  range: Range;
  provider: Provider;
  isToday: boolean;
  appointments: Booked[];
  slots: Open[];
}) {
  const zone = useZone();
  const weekday = weekdays[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7] ?? 'monday';
  const open = provider.workingHours[weekday] ?? [];
  const entries = [
    ...appointments.map((appointment) => ({ kind: 'booked' as const, ...appointment })),
    ...slots.map((slot) => ({ kind: 'open' as const, ...slot })),
  ].toSorted((one, other) => Date.parse(one.startsAt) - Date.parse(other.startsAt));
  const name = formatDate(date, { weekday: 'long', day: 'numeric', month: 'long' });
  return (
    <div className={classes.day} data-today={isToday || undefined}>
      <div className={classes.dayHead} aria-hidden>
        <Text size="xs" c="dimmed">
          {formatDate(date, { weekday: 'short' })}
        </Text>
        <Text size="sm" fw={600}>
          {formatDate(date, { day: 'numeric' })}
        </Text>
      </div>
      <div className={classes.column} style={{ height: offset(range.until, range) }}>
        {open.map(({ opens, closes }) => (
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
        <ol className={classes.entries} aria-label={entries.length === 0 ? `${name}: nothing` : name}>
          {entries.map((entry) => (
            <li
              key={`${entry.kind}-${entry.startsAt}`}
              className={classes.entry}
              style={{ top: offset(wallClock(entry.startsAt, zone).minute, range), height: slotHeight - 2 }}
            >
              {entry.kind === 'open' ? (
                <span className={classes.open}>
                  <StartTime at={entry.startsAt} /> <span className={classes.word}>open</span>
                </span>
              ) : (
                <Link
                  to={`/patients/${entry.patientId}`}
                  className={classes.booked}
                  data-status={entry.status}
                  title={`${formatTime(entry.startsAt, zone)} ${entry.patientName}, ${entry.visitType}`}
                >
                  <StartTime at={entry.startsAt} /> {entry.patientName || 'Name not given'}
                </Link>
              )}
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}
