import { ActionIcon, Checkbox, Group, NativeSelect } from '@mantine/core';
import { FilterDay, useFilters, useSetFilters } from '#lists';
import { IconChevronLeft, IconChevronRight } from '#icons';
import { t } from '#texts';
import { formatDate, isLocalDate, type LocalDate, plusDays, useToday } from '#words';
import { capitalised } from '../../language';

const lengths = ['7', '30', '90'] as const;
const comparisons = ['before', 'year_before'] as const;

/** Which days the results are of, and what they are compared with, as the address says it. */
export function usePeriod() {
  const { given } = useFilters('days', 'from', 'until', 'compared', 'simulated');
  const set = useSetFilters();
  const hasDates = isLocalDate(given.from) && isLocalDate(given.until);
  const dates = hasDates ? { from: given.from, until: given.until } : {};
  const query = {
    ...dates,
    days: hasDates ? undefined : (lengths.find((each) => each === given.days) ?? '30'),
    comparedWith: comparisons.find((each) => each === given.compared),
    simulated: given.simulated === 'true' ? ('true' as const) : undefined,
  };
  return { query, set };
}

interface Period {
  from: LocalDate;
  until: LocalDate;
}

/** A month by its name, the last days, or any days; with what they are compared, and whether simulated cases count. */
export function PeriodChoice({ shown: read }: { shown: Period | undefined }) {
  const { query, set } = usePeriod();
  // Its fields keep the days that are typed into them while the results of these are on their way.
  const shown = query.from !== undefined && query.until !== undefined ? { from: query.from, until: query.until } : read;
  const today = useToday();
  const months = lastMonths(today);
  const month = months.find(({ from, until }) => from === query.from && until === query.until);
  const setDates = ({ from, until }: Period) => set({ from, until, days: null });
  return (
    <Group gap="sm" align="flex-end">
      <NativeSelect
        label={t`Period`}
        w={190}
        value={month?.value ?? query.days ?? 'other'}
        data={[
          { group: t`Last days`, items: lengths.map((value) => ({ value, label: t`Last ${value} days` })) },
          { group: t`Months`, items: months.map(({ value, label }) => ({ value, label })) },
          ...(month || query.days ? [] : [{ value: 'other', label: t`Other days` }]),
        ]}
        onChange={({ currentTarget: { value: chosen } }) => {
          const of = months.find(({ value }) => value === chosen);
          if (of) setDates(of);
          else if (chosen !== 'other') set({ from: null, until: null, days: chosen });
        }}
      />
      <Group gap={4}>
        <Step label={t`Earlier`} to={shown && earlier(shown)} onStep={setDates}>
          <IconChevronLeft size={16} aria-hidden />
        </Step>
        <Step label={t`Later`} to={shown && later(shown, today)} onStep={setDates}>
          <IconChevronRight size={16} aria-hidden />
        </Step>
      </Group>
      <FilterDay
        label={t`From`}
        value={shown?.from}
        onChange={(from) => from && shown && setDates({ from, until: from > shown.until ? from : shown.until })}
      />
      <FilterDay
        label={t`Until`}
        value={shown?.until}
        onChange={(until) => until && shown && setDates({ until, from: until < shown.from ? until : shown.from })}
      />
      <NativeSelect
        label={t`Compared with`}
        w={190}
        value={query.comparedWith ?? 'before'}
        data={[
          { value: 'before', label: t`The days before` },
          { value: 'year_before', label: t`A year before` },
        ]}
        onChange={({ currentTarget: { value } }) => set({ compared: value === 'before' ? null : value })}
      />
      <Checkbox
        label={t`With simulated cases`}
        mb={9}
        checked={query.simulated === 'true'}
        onChange={({ currentTarget }) => set({ simulated: currentTarget.checked ? 'true' : null })}
      />
    </Group>
  );
}

interface StepProps {
  label: string;
  /** Where there is nothing to show yet, it leads nowhere. */
  to: Period | undefined;
  onStep: (period: Period) => void;
  children: React.ReactNode;
}

const Step = ({ label, to, onStep, children }: StepProps) => (
  <ActionIcon variant="default" size={36} aria-label={label} disabled={!to} onClick={() => to && onStep(to)}>
    {children}
  </ActionIcon>
);

/** This month up to today, and the twelve before it. */
function lastMonths(today: LocalDate): (Period & { value: string; label: string })[] {
  const first = `${today.slice(0, 8)}01`;
  return Array.from({ length: 13 }, (_, index) => {
    const from = monthsLater(first, -index);
    return {
      from,
      until: index === 0 ? today : endOfMonth(from),
      value: from.slice(0, 7),
      label: capitalised(formatDate(from, { month: 'long', year: 'numeric' })),
    };
  });
}

function earlier(period: Period): Period {
  if (isFromFirst(period)) {
    const from = monthsLater(period.from, -1);
    return { from, until: endOfMonth(from) };
  }
  return { from: plusDays(period.from, -lengthOf(period)), until: plusDays(period.from, -1) };
}

function later(period: Period, today: LocalDate): Period | undefined {
  if (period.until >= today) return undefined;
  const isMonth = isFromFirst(period);
  const from = isMonth ? monthsLater(period.from, 1) : plusDays(period.until, 1);
  const until = isMonth ? endOfMonth(from) : plusDays(period.until, lengthOf(period));
  return { from, until: until < today ? until : today };
}

/** A month, whole or up to today. */
const isFromFirst = ({ from, until }: Period) => from.endsWith('-01') && from.slice(0, 7) === until.slice(0, 7);

const lengthOf = ({ from, until }: Period) => Math.round((Date.parse(until) - Date.parse(from)) / 86_400_000) + 1;

const endOfMonth = (first: LocalDate): LocalDate => plusDays(monthsLater(first, 1), -1);

function monthsLater(first: LocalDate, months: number): LocalDate {
  const moved = new Date(`${first}T00:00:00Z`);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  return moved.toISOString().slice(0, 10);
}
