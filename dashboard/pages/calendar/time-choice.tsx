import { Button, Chip, Group, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import * as api from '#api';
import { isOther } from '#forms';
import { Loaded, useZone } from '#parts';
import { t } from '#texts';
import {
  formatDate,
  formatTime,
  isLocalDate,
  type LocalDate,
  plusDays,
  Quiet,
  useToday,
  wallClock,
  weekdayOf,
} from '#words';
import classes from './time-choice.module.css';

export interface ChosenSlot {
  startsAt: string;
  providerName: string;
}

type Part = 'any' | 'morning' | 'afternoon';

/** What somebody asks for on the phone. */
export interface Wish {
  /** Null for any. */
  providerName: string | null;
  /** Null for the first that come. */
  day: LocalDate | null;
  part: Part;
}

const parts: Record<Part, string> = { any: t`Any time`, morning: t`Morning`, afternoon: t`Afternoon` };
const timesOf: Record<Part, { fromTime?: string; untilTime?: string }> = {
  any: {},
  morning: { untilTime: '12:00' },
  afternoon: { fromTime: '12:00' },
};

/** Of any day; a day has all of its own. */
const mostOfAnyDay = 16;
/** How many providers and days stand side by side. */
const mostChips = 12;
const daysAhead = 14;

export interface TimeChoice {
  wish: Wish;
  setWish: (change: Partial<Wish>) => void;
  query: ReturnType<typeof useSlots>;
  /** Each time once, in order. */
  times: ChosenSlot[];
  chosen: ChosenSlot | null;
  /** What was chosen and is not open any more. */
  taken: ChosenSlot | null;
  choose: (slot: ChosenSlot | null) => void;
  /** Whether anything is wished or chosen by somebody. */
  isDirty: boolean;
}

interface StartOfChoice extends Partial<Wish> {
  /** The first time that fits is chosen until somebody chooses another. */
  takesFirst?: boolean;
  /** Of whom any will do, by name; of all where it is left out. */
  fitting?: string[];
  isAsked?: boolean;
}

/** Which time is wanted, what is open of it, and which one is chosen: never another one than was seen. */
export function useTimeChoice({ takesFirst = false, fitting, isAsked = true, ...start }: StartOfChoice): TimeChoice {
  const [wish, setWish] = useState<Wish>({ providerName: null, day: null, part: 'any', ...start });
  const [begun] = useState(wish);
  const [picked, setPicked] = useState<{ of: Wish; slot: ChosenSlot | null; isFirst?: true } | null>(null);
  const query = useSlots(wish, isAsked);
  // What was read for another wish is shown until this one is answered: nobody's but who is asked for.
  const isFitting = ({ providerName }: ChosenSlot) =>
    wish.providerName === null ? (fitting?.includes(providerName) ?? true) : providerName === wish.providerName;
  const open = (query.data?.slots ?? [])
    .map(({ startsAt, providerName }): ChosenSlot => ({ startsAt, providerName }))
    .filter(isFitting);
  const times = onePerTime(open).slice(0, wish.day === null ? mostOfAnyDay : undefined);
  // What is remembered of an earlier look may have been taken since.
  const isRead =
    query.data !== undefined && !query.isPlaceholderData && (query.isFetchedAfterMount || !query.isFetching);
  const isOfWish = picked?.of === wish;
  // What was taken for somebody, before it was known whose times fit them, is replaced; what they have chosen or seen taken is not.
  const isUnfit = isOfWish && picked.isFirst && picked.slot !== null && !isFitting(picked.slot);
  if (takesFirst && isRead && (!isOfWish || isUnfit)) setPicked({ of: wish, slot: times[0] ?? null, isFirst: true });
  const slot = isOfWish ? picked.slot : null;
  const isOpen = slot !== null && open.some((each) => isSame(each, slot));
  return {
    wish,
    setWish: (change) => setWish({ ...wish, ...change }),
    query,
    times,
    // One that is gone meanwhile is not followed by another.
    chosen: isOpen ? slot : null,
    taken: isOpen || !isRead ? null : slot,
    choose: (next) => setPicked({ of: wish, slot: next }),
    isDirty: isOther(wish, begun) || (slot !== null && picked?.isFirst !== true),
  };
}

function useSlots({ providerName, day, part }: Wish, enabled: boolean) {
  const today = useToday();
  const query = {
    providerName: providerName ?? undefined,
    // Today's earlier times are over: the service begins now.
    from: day === null || day <= today ? undefined : day,
    until: day === null ? undefined : plusDays(day, 1),
    ...timesOf[part],
    limit: day === null ? 200 : 500,
  };
  return useQuery({
    ...api.getAvailabilityOptions({ query }),
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
    enabled,
  });
}

const onePerTime = (slots: ChosenSlot[]): ChosenSlot[] =>
  [...new Map(slots.toReversed().map((slot) => [slot.startsAt, slot])).values()].toReversed();

interface TimeFieldsProps {
  choice: TimeChoice;
  providers: api.Provider[];
  /** Its first field has the focus when its dialog opens. */
  autoFocus?: boolean;
}

/** Provider, day and half of the day, and the times that are open then, on the clinic's clock. */
export function TimeFields({ choice, providers, autoFocus }: TimeFieldsProps) {
  const { wish, setWish, query, times, chosen, choose } = choice;
  const zone = useZone();
  return (
    <Stack gap="sm">
      <ProviderField providers={providers} wish={wish} setWish={setWish} autoFocus={autoFocus} />
      <DayField providers={providers} wish={wish} setWish={setWish} />
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={t`Time of day`}
        data={Object.entries(parts).map(([value, label]) => ({ value, label }))}
        value={wish.part}
        onChange={(part) => setWish({ part: part as Part })}
      />
      <div className={classes.days} role="group" aria-label={t`Open times`} onKeyDown={walk}>
        <Loaded query={query} rows={3}>
          {() =>
            times.length === 0 ? (
              <Nothing wish={wish} setWish={setWish} />
            ) : (
              byDay(times, zone).map(({ date, slots }, day) => (
                <Day
                  key={date}
                  date={date}
                  slots={slots}
                  chosen={chosen}
                  // One of them is in the tab order; the arrow keys go on from there.
                  stop={times.find((slot) => isSame(slot, chosen)) ?? (day === 0 ? slots[0] : undefined)}
                  onChoose={choose}
                />
              ))
            )
          }
        </Loaded>
      </div>
    </Stack>
  );
}

type FieldProps = Pick<TimeChoice, 'wish' | 'setWish'>;

const Nothing = ({ wish, setWish }: FieldProps) => (
  <Group gap="sm" py="xs">
    <Quiet>{wish.day === null ? t`No open time in the next two weeks.` : t`No open time then.`}</Quiet>
    {wish.day !== null && (
      <Button size="compact-sm" variant="default" onClick={() => setWish({ day: null })}>
        {t`Show the next open times`}
      </Button>
    )}
  </Group>
);

function ProviderField({ providers, wish, setWish, autoFocus }: FieldProps & Omit<TimeFieldsProps, 'choice'>) {
  const names = [
    { value: '', label: t`Any provider` },
    ...providers.map(({ name, displayName }) => ({ value: name, label: displayName })),
  ];
  const label = t`Provider`;
  const onChange = (name: string | null) => setWish({ providerName: name || null });
  if (names.length > mostChips) {
    return (
      <Select
        label={label}
        data-autofocus={autoFocus || undefined}
        searchable
        data={names}
        value={wish.providerName ?? ''}
        allowDeselect={false}
        onChange={onChange}
      />
    );
  }
  return (
    <Choices label={label} options={names} value={wish.providerName ?? ''} onChange={onChange} autoFocus={autoFocus} />
  );
}

const OTHER = 'other';

/** The days of two weeks on which somebody works, and any other by its date. */
function DayField({ providers, wish, setWish }: FieldProps & { providers: api.Provider[] }) {
  const today = useToday();
  const asked = providers.filter(({ name }) => wish.providerName === null || name === wish.providerName);
  const days = Array.from({ length: daysAhead }, (_, index) => plusDays(today, index)).filter((day) =>
    asked.some(({ workingHours }) => (workingHours[weekdayOf(day)] ?? []).length > 0),
  );
  const names: Record<LocalDate, string> = { [today]: t`Today`, [plusDays(today, 1)]: t`Tomorrow` };
  const [isAsked, setAsked] = useState(false);
  const isAnother = isAsked || (wish.day !== null && !days.includes(wish.day));
  return (
    <Choices
      label={t`Day`}
      options={[
        { value: '', label: t`Next available` },
        ...days.map((day) => ({
          value: day,
          label: names[day] ?? formatDate(day, chipDate),
          name: formatDate(day, longDate),
        })),
        { value: OTHER, label: t`Another day` },
      ]}
      value={isAnother ? OTHER : (wish.day ?? '')}
      onChange={(day) => {
        setAsked(day === OTHER);
        if (day !== OTHER) setWish({ day: day || null });
      }}
    >
      {/* Only then is it on the way of Tab, which stops at each of its parts. */}
      {isAnother && (
        <TextInput
          type="date"
          size="xs"
          aria-label={t`Date`}
          min={today}
          value={wish.day ?? ''}
          onChange={({ currentTarget: { value } }) => isLocalDate(value) && setWish({ day: value })}
        />
      )}
    </Choices>
  );
}

interface ChoicesProps {
  label: string;
  options: { value: string; label: string; name?: string }[];
  value: string | null;
  onChange: (value: string) => void;
  autoFocus?: boolean;
  children?: ReactNode;
}

/** One of a few, each in sight; Tab leads to the one that is chosen, and the arrow keys go on from there. */
export function Choices({ label, options, value, onChange, autoFocus, children }: ChoicesProps) {
  const id = useId();
  return (
    <div>
      <Text size="sm" fw={500} mb={4} id={id}>
        {label}
      </Text>
      <Group gap={6} role="radiogroup" aria-labelledby={id}>
        <Chip.Group value={value} onChange={(next: string) => onChange(next)}>
          {options.map(({ value: each, label: text, name }, index) => (
            <Chip
              key={each}
              name={id}
              value={each}
              size="xs"
              radius="sm"
              aria-label={name}
              data-autofocus={(autoFocus && (value === null ? index === 0 : each === value)) || undefined}
            >
              {text}
            </Chip>
          ))}
        </Chip.Group>
        {children}
      </Group>
    </div>
  );
}

interface DayProps {
  date: LocalDate;
  slots: ChosenSlot[];
  chosen: ChosenSlot | null;
  /** The one that Tab leads to, if it is of this day. */
  stop: ChosenSlot | undefined;
  onChoose: (slot: ChosenSlot) => void;
}

function Day({ date, slots, chosen, stop, onChoose }: DayProps) {
  const zone = useZone();
  return (
    <section aria-label={formatDate(date, longDate)}>
      <Text size="xs" c="dimmed" mb={4} aria-hidden>
        {formatDate(date, longDate)}
      </Text>
      <Group gap={6} mb="xs">
        {slots.map((slot) => {
          const isChosen = slot.startsAt === chosen?.startsAt;
          return (
            <Button
              key={slot.startsAt}
              size="xs"
              variant={isChosen ? 'filled' : 'default'}
              tabIndex={isSame(slot, stop ?? null) ? 0 : -1}
              aria-pressed={isChosen}
              onClick={() => onChoose(slot)}
            >
              {formatTime(slot.startsAt, zone)}
            </Button>
          );
        })}
      </Group>
    </section>
  );
}

const isSame = (slot: ChosenSlot, other: ChosenSlot | null): boolean =>
  slot.startsAt === other?.startsAt && slot.providerName === other.providerName;

const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** The arrow keys go from time to time, and choose it as among radio buttons: what has the focus is what is booked. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const times = [...event.currentTarget.querySelectorAll('button')];
  const at = times.findIndex((time) => time === event.target);
  const step = steps[event.key];
  const next = step === undefined || at === -1 ? undefined : times[at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.click();
}

const chipDate = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const longDate = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;

function byDay(slots: ChosenSlot[], zone: string): { date: LocalDate; slots: ChosenSlot[] }[] {
  const found = new Map<LocalDate, ChosenSlot[]>();
  for (const slot of slots) {
    const { date } = wallClock(slot.startsAt, zone);
    found.set(date, [...(found.get(date) ?? []), slot]);
  }
  return [...found].map(([date, ofDay]) => ({ date, slots: ofDay }));
}
