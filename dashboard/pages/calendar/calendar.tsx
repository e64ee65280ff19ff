import { ActionIcon, Anchor, Button, Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import { Link } from 'react-router';
import * as api from '#api';
import { Dialog } from '#forms';
import { IconCalendarPlus, IconChevronLeft, IconChevronRight } from '#icons';
import { type Column, Records, useFilter, useIsNarrow, useSetFilters } from '#lists';
import { Empty, Loaded, Page, PlainButton, Section, useZone, useMay } from '#parts';
import { plural, t, Trans } from '#texts';
import {
  formatDate,
  isLocalDate,
  type LocalDate,
  mondayOf,
  plusDays,
  Quiet,
  TextLink,
  useToday,
  wallClock,
} from '#words';
import { capitalised } from '../../language';
import { useBookable, useWhen } from './bookable';
import { type Actions, useActions } from './calendar-actions';
import type { Time } from './calendar-dialogs';
import { type DayColumn, hoursOf, hueOf } from './calendar-blocks';
import { CalendarGrid, DayHead, ProviderHead } from './calendar-grid';
import classes from './calendar.module.css';
import { BookingForm } from './forms-on-demand';

type Provider = api.Provider;

/** Stands where a provider's name would stand; no name holds an asterisk. */
const everybody = '*';

const longDate = (date: LocalDate) =>
  formatDate(date, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** A provider's week or day, or those of all, drawn on the clinic's clock. Free times are booked there, appointments moved and cancelled. */
export function Calendar() {
  const providers = useBookable();
  // A finger scrolls and does not drag.
  const isNarrow = useIsNarrow();
  const maySetUp = useMay()('settings');
  return (
    <Page
      title={t`Calendar`}
      actions={providers.data && providers.data.items.length > 0 && <BookFromCalendar />}
      lead={
        isNarrow
          ? t`Tap an open time to book it, or an appointment to move or cancel it. Times are the clinic’s.`
          : t`Click an open time to book it, or an appointment to move or cancel it; drag it to move it. Times are the clinic’s.`
      }
    >
      <Loaded query={providers}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t`No provider yet`}>
              {maySetUp ? (
                <Trans>
                  Providers and their hours are set on the <TextLink to="/clinic/providers">Clinic page</TextLink>.
                </Trans>
              ) : (
                t`An administrator of your clinic sets providers and their hours.`
              )}
            </Empty>
          ) : (
            <Chosen providers={items} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Opens by `?book=new` too, as from the finder. */
function BookFromCalendar() {
  const [asked, ask] = useFilter('book');
  const [chosen] = useFilter('provider');
  const show = useShowBooked();
  const close = () => ask(null);
  return (
    <>
      <Button component={Link} to="/day-list" variant="default">
        {t`Day list`}
      </Button>
      <Button leftSection={<IconCalendarPlus size={16} aria-hidden />} onClick={() => ask('new')}>
        {t`Book an appointment`}
      </Button>
      <Suspense fallback={null}>
        <Dialog opened={asked !== undefined} onClose={close} title={t`Book an appointment`} size="lg">
          <BookingForm
            providerName={chosen === everybody ? undefined : chosen}
            onDone={(booked) => (booked ? show(booked) : close())}
          />
        </Dialog>
      </Suspense>
    </>
  );
}

/** What was booked is seen in the calendar, whatever day and provider were shown before. */
function useShowBooked(): (booked: Time) => void {
  const zone = useZone();
  const [chosen] = useFilter('provider');
  const set = useSetFilters();
  return ({ startsAt, providerName }) =>
    set({
      book: null,
      week: wallClock(startsAt, zone).date,
      provider: chosen === everybody ? everybody : providerName,
    });
}

function Chosen({ providers }: { providers: Provider[] }) {
  const isNarrow = useIsNarrow();
  const today = useToday();
  const [chosen, choose] = useFilter('provider');
  const [given, setDay] = useFilter('week');
  const [view, setView] = useFilter('view');
  const actions = useActions(providers, useShowBooked());
  const provider = providers.find(({ name }) => name === chosen) ?? providers[0];
  if (!provider) return null;

  const day = isLocalDate(given) ? given : today;
  const monday = mondayOf(day);
  const week = Array.from({ length: 7 }, (_, index) => plusDays(monday, index));
  const isOfAll = chosen === everybody;
  const isWeek = isOfAll ? view === 'week' : view !== 'day';
  const from = isWeek ? monday : day;
  const shown = isWeek && !isNarrow ? week : [day];
  const columns: Wanted[] = isOfAll
    ? providers.map((each) => ({ provider: each, date: day }))
    : shown.map((date) => ({ provider, date }));

  return (
    <Section
      title={
        isWeek
          ? t`Week of ${formatDate(monday, { day: 'numeric', month: 'long', year: 'numeric' })}`
          : capitalised(longDate(day))
      }
      flush
      actions={
        <Toolbar
          providers={providers}
          provider={isOfAll ? everybody : provider.name}
          isWeek={isWeek}
          from={from}
          onProvider={choose}
          onView={setView}
          onDay={setDay}
        />
      }
    >
      {(isNarrow || !isWeek) && (
        <div className={classes.days}>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label={t`Day`}
            data={week.map((date) => ({
              value: date,
              label: `${formatDate(date, { weekday: 'narrow' })} ${formatDate(date, { day: 'numeric' })}`,
            }))}
            value={day}
            onChange={setDay}
          />
        </div>
      )}
      {isOfAll && isWeek ? (
        <WeekOfAll providers={providers} monday={monday} week={shown} />
      ) : (
        <Days
          label={isOfAll ? t`All providers on ${longDate(day)}` : t`Times of ${provider.displayName}`}
          from={isWeek ? monday : day}
          until={isWeek ? plusDays(monday, 7) : plusDays(day, 1)}
          columns={columns}
          isOfAll={isOfAll}
          today={today}
          actions={actions}
        />
      )}
      {actions.dialog}
    </Section>
  );
}

interface ToolbarProps {
  providers: Provider[];
  provider: string;
  isWeek: boolean;
  from: LocalDate;
  onProvider: (name: string) => void;
  onView: (view: string) => void;
  onDay: (day: LocalDate | null) => void;
}

/** Whose times are shown, for how long, and from which day. */
function Toolbar({ providers, provider, isWeek, from, onProvider, onView, onDay }: ToolbarProps) {
  const step = isWeek ? 7 : 1;
  return (
    <Group gap="xs">
      <NativeSelect
        aria-label={t`Provider`}
        w={{ base: '100%', xs: 200 }}
        data={[
          ...providers.map(({ name, displayName }) => ({ value: name, label: displayName })),
          { value: everybody, label: t`All providers` },
        ]}
        value={provider}
        onChange={({ currentTarget }) => onProvider(currentTarget.value)}
      />
      <SegmentedControl
        size="sm"
        aria-label={t`Show`}
        data={[
          { value: 'day', label: t`Day` },
          { value: 'week', label: t`Week` },
        ]}
        value={isWeek ? 'week' : 'day'}
        onChange={onView}
      />
      <Group gap="xs" wrap="nowrap">
        <ActionIcon
          variant="default"
          size={36}
          aria-label={isWeek ? t`Previous week` : t`Previous day`}
          onClick={() => onDay(plusDays(from, -step))}
        >
          <IconChevronLeft size={18} />
        </ActionIcon>
        <PlainButton label={t`Today`} onClick={() => onDay(null)} />
        <ActionIcon
          variant="default"
          size={36}
          aria-label={isWeek ? t`Next week` : t`Next day`}
          onClick={() => onDay(plusDays(from, step))}
        >
          <IconChevronRight size={18} />
        </ActionIcon>
      </Group>
    </Group>
  );
}

/** A day of a provider that is to be shown. */
interface Wanted {
  provider: Provider;
  date: LocalDate;
}

/** The calendars of some providers between two days, in their order; null while one is not there yet. */
const useCalendars = (providers: Provider[], from: LocalDate, until: LocalDate) =>
  useQueries({
    queries: providers.map(({ name }) => ({
      ...api.getProvidersByNameCalendarOptions({ path: { name }, query: { from, until } }),
      placeholderData: keepPreviousData,
      refetchInterval: 30_000,
    })),
  });

/** Days on which the whole clinic is closed, and what each is called. */
function useClosedDays(): ReadonlyMap<LocalDate, string> {
  const enabled = useMay()('settings.read');
  const { data } = useQuery({ ...api.getIntegrationsClosedDaysOptions(), staleTime: 60_000, enabled });
  return new Map(data?.items.map(({ date, name }) => [date, name]));
}

interface DaysProps {
  label: string;
  from: LocalDate;
  until: LocalDate;
  columns: Wanted[];
  isOfAll: boolean;
  today: LocalDate;
  actions: Actions;
}

function Days({ label, from, until, columns, isOfAll, today, actions: { moving, pick, drop, keep } }: DaysProps) {
  const zone = useZone();
  const when = useWhen();
  const providers = [...new Set(columns.map(({ provider }) => provider))];
  const calendars = useCalendars(providers, from, until);
  const closedDays = useClosedDays();
  const missing = calendars.find(({ data }) => data === undefined);
  if (missing) return <Loaded query={missing}>{() => null}</Loaded>;
  const drawn = columns.map(({ provider, date }): DayColumn => {
    const data = calendars[providers.indexOf(provider)]?.data;
    const isThen = ({ startsAt }: { startsAt: string }) => wallClock(startsAt, zone).date === date;
    const day = formatDate(date, { weekday: 'long', day: 'numeric', month: 'long' });
    return {
      key: `${provider.name} ${date}`,
      date,
      provider,
      head: isOfAll ? <ProviderHead name={provider.displayName} /> : <DayHead date={date} />,
      name: isOfAll ? provider.displayName : day,
      isToday: !isOfAll && date === today,
      closed: closedDays.get(date),
      appointments: data?.appointments.filter(isThen) ?? [],
      slots: data?.slots.filter(isThen) ?? [],
      held: data?.held.filter(isThen) ?? [],
      color: isOfAll ? hueOf(providers.indexOf(provider), 5) : undefined,
    };
  });
  const works = (column: DayColumn) =>
    [...hoursOf(column), ...column.appointments, ...column.slots, ...column.held].length > 0;
  const shownColumns = isOfAll && drawn.some(works) ? drawn.filter(works) : drawn;
  const away = drawn.filter((column) => !shownColumns.includes(column));
  const booked = drawn.flatMap(({ appointments }) => appointments.map(({ visitType }) => visitType));
  const visitTypes = [...new Set([...providers.flatMap((provider) => provider.visitTypes), ...booked])];
  const colorOf = (visitType: string) => hueOf(visitTypes.indexOf(visitType), 3);
  const shown = new Set(columns.map(({ date }) => date));
  const held = calendars
    .flatMap(({ data }) => data?.held ?? [])
    .filter(({ startsAt }) => shown.has(wallClock(startsAt, zone).date));
  return (
    <>
      {held.length > 0 && <Held times={held} />}
      <Group gap="lg" px="md" py="xs">
        <Legend
          kind="booked"
          text={plural(drawn.flatMap(({ appointments }) => appointments).length, {
            one: '# appointment',
            other: '# appointments',
          })}
        />
        <Legend
          kind="open"
          text={plural(drawn.flatMap(({ slots }) => slots).length, { one: '# open slot', other: '# open slots' })}
        />
        {visitTypes
          .filter((visitType) => booked.includes(visitType))
          .map((visitType) => (
            <Legend key={visitType} color={colorOf(visitType)} text={visitType} />
          ))}
        <Quiet visibleFrom="md" className={classes.hint}>
          {t`Arrow keys go from time to time.`}
        </Quiet>
      </Group>
      {moving && (
        <div className={classes.moving} role="status">
          <Text size="sm">
            <Trans>
              Choose another time for {moving.patientName || t`this appointment`}: now {when(moving.startsAt)} with{' '}
              {moving.providerDisplayName}.
            </Trans>
          </Text>
          <PlainButton label={t`Keep its time`} size="xs" onClick={keep} />
        </div>
      )}
      <div className={isOfAll ? classes.wide : undefined}>
        <CalendarGrid
          label={label}
          columns={shownColumns}
          moving={moving}
          colorOf={colorOf}
          onPick={pick}
          onDrop={drop}
        />
      </div>
      {away.length > 0 && (
        <Quiet px="md" py="xs">
          <details>
            <summary>
              {plural(away.length, {
                one: '# provider without hours on this day',
                other: '# providers without hours on this day',
              })}
            </summary>
            {away.map(({ provider }) => provider.displayName).join(', ')}
          </details>
        </Quiet>
      )}
    </>
  );
}

/** Times that are kept for somebody. */
function Held({ times }: { times: api.GetProvidersByNameCalendarResponse['held'] }) {
  const when = useWhen();
  return (
    <Text size="sm" px="md" pt="xs">
      {t`Held:`}{' '}
      {times.map(({ id, startsAt, patientId, patientName, isOffered }, index) => (
        <span key={id}>
          {index > 0 && '; '}
          <Trans>
            {when(startsAt)} for{' '}
            <Anchor component={Link} to={`/patients/${patientId}`} inherit underline="always">
              {patientName || t`a patient`}
            </Anchor>
          </Trans>
          {isOffered && t`, who is on the waitlist and being called`}
        </span>
      ))}
      .
    </Text>
  );
}

/** How full the days of all providers are; each leads to the day. */
function WeekOfAll({ providers, monday, week }: { providers: Provider[]; monday: LocalDate; week: LocalDate[] }) {
  const zone = useZone();
  const calendars = useCalendars(providers, monday, plusDays(monday, 7));
  const missing = calendars.find(({ data }) => data === undefined);
  if (missing) return <Loaded query={missing}>{() => null}</Loaded>;
  const of = (date: LocalDate, times: { startsAt: string }[] = []) =>
    times.filter(({ startsAt }) => wallClock(startsAt, zone).date === date).length;
  const columns: Column<Provider>[] = [
    { head: t`Provider`, cell: ({ displayName }) => displayName },
    ...week.map((date) => ({
      head: formatDate(date, { weekday: 'short', day: 'numeric' }),
      cell: (provider: Provider) => {
        const data = calendars[providers.indexOf(provider)]?.data;
        return (
          <Day of={provider} date={date}>
            <Trans>
              {of(date, data?.appointments)} booked
              <br />
              {of(date, data?.slots)} open
            </Trans>
          </Day>
        );
      },
    })),
  ];
  return <Records label={t`Week of all providers`} rows={providers} columns={columns} keyOf={({ name }) => name} />;
}

/** A link to a provider's day, which keeps nothing else of the address. */
function Day({ of: { name, displayName }, date, children }: { of: Provider; date: LocalDate; children: ReactNode }) {
  const to = `/calendar?${new URLSearchParams({ provider: name, view: 'day', week: date }).toString()}`;
  return (
    <Anchor component={Link} to={to} size="sm" display="inline-block" title={`${displayName}, ${longDate(date)}`}>
      {children}
    </Anchor>
  );
}

const Legend = ({ kind, color, text }: { kind?: string; color?: string; text: string }) => (
  <Group gap={6}>
    <span className={classes.swatch} data-kind={kind} style={{ background: color }} aria-hidden />
    <Quiet>{text}</Quiet>
  </Group>
);
