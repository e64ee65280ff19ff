import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import * as api from '#api';
import { IconChevronLeft, IconChevronRight } from '#icons';
import { Loaded, useZone } from '#parts';
import { t } from '#texts';
import { formatDate, formatTime, type LocalDate, Name, plusDays, Quiet, wallClock } from '#words';
import classes from './slot-picker.module.css';

export interface ChosenSlot {
  startsAt: string;
  providerName: string;
}

/** How far one look into the calendar goes, as the service's. */
const days = 14;
const mostShown = 200;

interface SlotPickerProps {
  /** Null for any provider. */
  providerName: string | null;
  /** What a provider is called. */
  nameOf: (providerName: string) => string;
  chosen: ChosenSlot | null;
  onChoose: (slot: ChosenSlot) => void;
}

/** The open times of a provider, or of any, two weeks at a time, on the clinic's clock. */
export function SlotPicker({ providerName, nameOf, chosen, onChoose }: SlotPickerProps) {
  const zone = useZone();
  const today = wallClock(new Date().toISOString(), zone).date;
  const [from, setFrom] = useState(today);
  // Today's earlier times are over: the service begins now.
  const start = from === today ? undefined : from;
  const query = { providerName: providerName ?? undefined, from: start, limit: mostShown };
  const slots = useQuery({ ...api.getAvailabilityOptions({ query }), refetchInterval: 30_000 });
  const until = plusDays(from, days - 1);
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap">
        <Name>{t`${formatDate(from, shortDate)} to ${formatDate(until, { ...shortDate, year: 'numeric' })}`}</Name>
        <Group gap={4} wrap="nowrap">
          <ActionIcon
            variant="default"
            size={32}
            aria-label={t`Earlier times`}
            disabled={from <= today}
            onClick={() => setFrom(plusDays(from, -days))}
          >
            <IconChevronLeft size={16} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size={32}
            aria-label={t`Later times`}
            onClick={() => setFrom(plusDays(from, days))}
          >
            <IconChevronRight size={16} />
          </ActionIcon>
        </Group>
      </Group>
      <div className={classes.days} role="group" aria-label={t`Open times`} onKeyDown={walk}>
        <Loaded query={slots} rows={5}>
          {({ slots: found }) =>
            found.length === 0 ? (
              <Quiet>{t`No open time in these two weeks.`}</Quiet>
            ) : (
              byDay(found, zone).map(({ date, slots: ofDay }, day) => (
                <Day
                  key={date}
                  date={date}
                  slots={ofDay}
                  nameOf={providerName === null ? nameOf : null}
                  chosen={chosen}
                  // One of them is in the tab order; the arrow keys go on from there.
                  stop={found.find((slot) => isSame(slot, chosen)) ?? (day === 0 ? ofDay[0] : undefined)}
                  onChoose={onChoose}
                />
              ))
            )
          }
        </Loaded>
      </div>
    </Stack>
  );
}

interface DayProps {
  date: LocalDate;
  slots: ChosenSlot[];
  /** Null where all are of one provider. */
  nameOf: ((providerName: string) => string) | null;
  chosen: ChosenSlot | null;
  /** The one that Tab leads to, if it is of this day. */
  stop: ChosenSlot | undefined;
  onChoose: (slot: ChosenSlot) => void;
}

function Day({ date, slots, nameOf, chosen, stop, onChoose }: DayProps) {
  const zone = useZone();
  return (
    <section aria-label={formatDate(date, longDate)}>
      <Text size="xs" c="dimmed" mb={4} aria-hidden>
        {formatDate(date, longDate)}
      </Text>
      <Group gap={6} mb="sm" className={nameOf ? classes.ofAny : undefined}>
        {slots.map(({ startsAt, providerName }) => {
          const slot = { startsAt, providerName };
          const isChosen = isSame(slot, chosen);
          return (
            <Button
              key={`${startsAt} ${providerName}`}
              size="xs"
              variant={isChosen ? 'filled' : 'default'}
              tabIndex={isSame(slot, stop ?? null) ? 0 : -1}
              aria-pressed={isChosen}
              onClick={() => onChoose(slot)}
            >
              {formatTime(startsAt, zone)}
              {nameOf && ` · ${nameOf(providerName)}`}
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

/** The arrow keys go from time to time. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const times = [...event.currentTarget.querySelectorAll('button')];
  const at = times.findIndex((time) => time === event.target);
  const step = steps[event.key];
  const next = step === undefined || at === -1 ? undefined : times[at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

const shortDate = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const longDate = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;

function byDay<Slot extends { startsAt: string }>(slots: Slot[], zone: string): { date: LocalDate; slots: Slot[] }[] {
  const found = new Map<LocalDate, Slot[]>();
  for (const slot of slots) {
    const { date } = wallClock(slot.startsAt, zone);
    found.set(date, [...(found.get(date) ?? []), slot]);
  }
  return [...found].map(([date, ofDay]) => ({ date, slots: ofDay }));
}
