import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Anchor, Button, Group, Modal, SegmentedControl, Select, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { getProvidersByNameCalendarOptions } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IconChevronLeft, IconChevronRight } from '../icons';
import { locale } from '../language';
import { cancelWords, displayNameOf, useBookable, useWhen } from '../parts/booking';
import {
  AppointmentBlock,
  BookBlock,
  CancelBlock,
  MoveBlock,
  OtherProvider,
  type Time,
} from '../parts/calendar-dialogs';
import { CalendarGrid, type DayColumn, DayHead, ProviderHead } from '../parts/calendar-grid';
import { useFilter } from '../parts/filters';
import { useIsNarrow } from '../parts/narrow';
import { Page } from '../parts/page';
import { type Column, Records } from '../parts/record-list';
import { Section } from '../parts/section';
import { Empty, Loaded } from '../parts/states';
import { formatDate, isLocalDate, type LocalDate, mondayOf, plusDays, wallClock } from '../parts/week';
import { useZone } from '../shell/account';
import classes from './calendar.module.css';

type Provider = Api.Provider;
type Booked = Api.CalendarEntry;

/** Stands where a provider's name would stand; no name holds an asterisk. */
const everybody = '*';

const longDate = (date: LocalDate) =>
  formatDate(date, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** Some languages begin a date without a capital, and a title does not. */
const capitalised = (text: string) => text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);

/** A provider's week or day, or those of all, drawn on the clinic's clock. Free times are booked there, appointments moved and cancelled. */
export function Calendar() {
  const providers = useBookable();
  // A finger scrolls and does not drag.
  const isNarrow = useIsNarrow();
  return (
    <Page
      title={t`Calendar`}
      lead={
        isNarrow
          ? t`Choose a free time to book it, or an appointment to move or cancel it. On the clinic’s clock.`
          : t`Choose a free time to book it, an appointment to move or cancel it, or drag it to another time. On the clinic’s clock.`
      }
    >
      <Loaded query={providers}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t`No provider yet`}>
              <Trans>
                Providers and their hours are set on the{' '}
                <Anchor component={Link} to="/clinic/providers" inherit underline="always">
                  Clinic page
                </Anchor>
                .
              </Trans>
            </Empty>
          ) : (
            <Chosen providers={items} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Chosen({ providers }: { providers: Provider[] }) {
  const zone = useZone();
  const isNarrow = useIsNarrow();
  const today = wallClock(new Date().toISOString(), zone).date;
  const [chosen, choose] = useFilter('provider');
  const [given, setDay] = useFilter('week');
  const [view, setView] = useFilter('view');
  const actions = useActions(providers);
  const provider = providers.find(({ name }) => name === chosen) ?? providers[0];
  if (!provider) return null;

  const day = isLocalDate(given) ? given : today;
  const monday = mondayOf(day);
  const week = Array.from({ length: 7 }, (_, index) => plusDays(monday, index));
  const isOfAll = chosen === everybody;
  const isWeek = isOfAll ? view === 'week' : view !== 'day';
  const step = isWeek ? 7 : 1;
  const from = isWeek ? monday : day;
  const what = isWeek ? 'week' : 'day';
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
        <Group gap="xs">
          <Select
            aria-label={t`Provider`}
            w={{ base: '100%', xs: 200 }}
            data={[
              ...providers.map(({ name, displayName }) => ({ value: name, label: displayName })),
              { value: everybody, label: t`All providers` },
            ]}
            value={isOfAll ? everybody : provider.name}
            onChange={choose}
          />
          <SegmentedControl
            size="sm"
            aria-label={t`Show`}
            data={[
              { value: 'day', label: t`Day` },
              { value: 'week', label: t`Week` },
            ]}
            value={what}
            onChange={setView}
          />
          <Group gap="xs" wrap="nowrap">
            <ActionIcon
              variant="default"
              size={36}
              aria-label={isWeek ? t`The week before` : t`The day before`}
              onClick={() => setDay(plusDays(from, -step))}
            >
              <IconChevronLeft size={18} />
            </ActionIcon>
            <Button variant="default" onClick={() => setDay(null)}>
              <Trans>Today</Trans>
            </Button>
            <ActionIcon
              variant="default"
              size={36}
              aria-label={isWeek ? t`The week after` : t`The day after`}
              onClick={() => setDay(plusDays(from, step))}
            >
              <IconChevronRight size={18} />
            </ActionIcon>
          </Group>
        </Group>
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

/** A day of a provider that is to be shown. */
interface Wanted {
  provider: Provider;
  date: LocalDate;
}

/** The calendars of some providers between two days, in their order; null while one is not there yet. */
function useCalendars(providers: Provider[], from: LocalDate, until: LocalDate) {
  return useQueries({
    queries: providers.map(({ name }) => ({
      ...getProvidersByNameCalendarOptions({ path: { name }, query: { from, until } }),
      placeholderData: keepPreviousData,
      refetchInterval: 30_000,
    })),
  });
}

function Days({
  label,
  from,
  until,
  columns,
  isOfAll,
  today,
  actions: { moving, pick, drop, keep },
}: {
  label: string;
  from: LocalDate;
  until: LocalDate;
  columns: Wanted[];
  isOfAll: boolean;
  today: LocalDate;
  actions: Actions;
}) {
  const zone = useZone();
  const when = useWhen();
  const providers = [...new Set(columns.map(({ provider }) => provider))];
  const calendars = useCalendars(providers, from, until);
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
      appointments: data?.appointments.filter(isThen) ?? [],
      slots: data?.slots.filter(isThen) ?? [],
    };
  });
  const shown = new Set(columns.map(({ date }) => date));
  const held = calendars
    .flatMap(({ data }) => data?.held ?? [])
    .filter(({ startsAt }) => shown.has(wallClock(startsAt, zone).date));
  return (
    <>
      {held.length > 0 && (
        <Text size="sm" px="md" pt="xs">
          <Trans>Held:</Trans>{' '}
          {held.map(({ id, startsAt, patientId, patientName, isOffered }, index) => (
            <span key={id}>
              {index > 0 && '; '}
              <Trans>
                {when(startsAt)} for{' '}
                <Anchor component={Link} to={`/patients/${patientId}`} inherit>
                  {patientName || t`a patient`}
                </Anchor>
              </Trans>
              {isOffered && t`, who is on the waitlist and being called`}
            </span>
          ))}
          .
        </Text>
      )}
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
        <Text size="sm" c="dimmed" visibleFrom="md" className={classes.hint}>
          <Trans>Arrow keys go from time to time.</Trans>
        </Text>
      </Group>
      {moving && (
        <div className={classes.moving} role="status">
          <Text size="sm">
            <Trans>
              Choose another time for {moving.patientName || t`this appointment`}: now {when(moving.startsAt)} with{' '}
              {moving.providerDisplayName}.
            </Trans>
          </Text>
          <Button size="xs" variant="default" onClick={keep}>
            <Trans>Keep its time</Trans>
          </Button>
        </div>
      )}
      <div className={isOfAll ? classes.wide : undefined}>
        <CalendarGrid label={label} columns={drawn} moving={moving} onPick={pick} onDrop={drop} />
      </div>
    </>
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

const Legend = ({ kind, text }: { kind: string; text: string }) => (
  <Group gap={6}>
    <span className={classes.swatch} data-kind={kind} aria-hidden />
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  </Group>
);

/** What somebody is about to do in the calendar. */
type Asked =
  | { kind: 'book'; time: Time }
  | { kind: 'appointment'; appointment: Booked }
  | { kind: 'cancel'; appointment: Booked }
  | { kind: 'move'; appointment: Booked; time: Time }
  | { kind: 'other-provider'; appointment: Booked };

interface Actions {
  /** The appointment that another time is being chosen for. */
  moving: Booked | null;
  /** Gives that up. */
  keep: () => void;
  pick: (block: Time & { appointment: Booked | null }) => void;
  drop: (appointment: Booked, time: Time) => void;
  dialog: ReactNode;
}

/** Booking, moving and cancelling, as far as they have come. What is picked stays while weeks and providers are leafed through. */
function useActions(providers: Provider[]): Actions {
  const when = useWhen();
  const [moving, setMoving] = useState<Booked | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isOpen, { open, close }] = useDisclosure(false);
  const ask = (next: Asked) => {
    setAsked(next);
    open();
  };
  const keep = () => setMoving(null);
  useHotkeys([['Escape', () => !isOpen && keep()]]);

  const moveTo = (appointment: Booked, { providerName, startsAt }: Time) => {
    if (providerName !== appointment.providerName) ask({ kind: 'other-provider', appointment });
    else if (Date.parse(startsAt) !== Date.parse(appointment.startsAt)) {
      ask({ kind: 'move', appointment, time: { providerName, startsAt } });
    }
  };
  const pick: Actions['pick'] = ({ appointment, providerName, startsAt }) => {
    const time = { providerName, startsAt };
    if (moving) moveTo(moving, time);
    else ask(appointment ? { kind: 'appointment', appointment } : { kind: 'book', time });
  };
  const dialog = (
    <Modal opened={isOpen} onClose={close} title={asked && titleOf(asked)}>
      {asked && contentOf(asked)}
    </Modal>
  );

  function titleOf(about: Asked): string {
    switch (about.kind) {
      case 'book':
        return t`Book ${when(about.time.startsAt)} with ${displayNameOf(providers, about.time.providerName)}`;
      case 'appointment':
        return t`Appointment`;
      case 'cancel':
        return cancelWords.title;
      case 'move':
        return t`Move this appointment?`;
      case 'other-provider':
        return t`Another provider`;
    }
  }

  function contentOf(about: Asked) {
    switch (about.kind) {
      case 'book':
        return <BookBlock time={about.time} providers={providers} onDone={close} />;
      case 'appointment':
        return (
          <AppointmentBlock
            appointment={about.appointment}
            onClose={close}
            onCancel={() => setAsked({ kind: 'cancel', appointment: about.appointment })}
            onMove={() => {
              setMoving(about.appointment);
              close();
            }}
          />
        );
      case 'cancel':
        return <CancelBlock appointment={about.appointment} onDone={close} />;
      case 'move':
        return (
          <MoveBlock
            appointment={about.appointment}
            time={about.time}
            onClose={close}
            onDone={() => {
              close();
              keep();
            }}
          />
        );
      case 'other-provider':
        return <OtherProvider name={about.appointment.providerDisplayName} onDone={close} />;
    }
  }

  return { moving, keep, pick, drop: moveTo, dialog };
}
