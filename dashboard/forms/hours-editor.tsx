import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core';
import type { SyntheticEvent } from 'react';
import type * as api from '#api';
import { IconPlus, IconX } from '#icons';
import { t } from '#texts';
import { Quiet, readTime, type Weekday, weekdayName, weekdays, wrongIn } from '#words';
import classes from './hours-editor.module.css';

interface HoursEditorProps {
  label: string;
  hours: api.WeeklyHours;
  /** What the service refused: where in the hours, as `saturday.0.opens` or empty for all of them, and why. */
  problems?: { path: string; message: string }[];
  onChange: (hours: api.WeeklyHours) => void;
}

/** The hours of a week on the clinic's wall clock: any number of stretches a day, none for a closed day. */
export function HoursEditor({ label, hours, problems = [], onChange }: HoursEditorProps) {
  // The page says in its own language what is wrong with a stretch; the service, what is wrong with a whole day.
  const wrong = problems.length > 0 ? wrongDays(hours) : [];
  const isRefused = (path: string) => wrong.some(({ paths }) => paths.includes(path));
  const set = (weekday: Weekday, stretches: Stretch[]) =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...hours, [weekday]: stretches }).filter(([, open]) => open !== undefined && open.length > 0),
      ),
    );
  return (
    <div role="group" aria-label={label}>
      <Group justify="space-between" gap="xs" mb={6}>
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <Button
          size="compact-sm"
          variant="transparent"
          px={0}
          onClick={() => {
            const { monday } = hours;
            onChange({ ...hours, tuesday: monday, wednesday: monday, thursday: monday, friday: monday });
          }}
        >
          {t`Use Monday’s hours until Friday`}
        </Button>
      </Group>
      <div className={classes.days}>
        {weekdays.map((weekday) => (
          <Day
            key={weekday}
            weekday={weekday}
            stretches={hours[weekday] ?? []}
            isRefused={(path) => isRefused(`${weekday}.${path}`)}
            refusals={[
              ...wrong.filter((each) => each.weekday === weekday).map(({ words }) => words),
              ...problems
                .filter(({ path }) => path === weekday)
                .map(({ message }) => `${t`${nameOf(weekday)}: this`} ${message}`),
            ]}
            onChange={(stretches) => set(weekday, stretches)}
          />
        ))}
      </div>
    </div>
  );
}

interface Stretch {
  opens: string;
  closes: string;
}

interface DayProps {
  weekday: Weekday;
  stretches: Stretch[];
  isRefused: (path: string) => boolean;
  /** Why the day cannot be kept so. */
  refusals: string[];
  onChange: (stretches: Stretch[]) => void;
}

/** The stretches of one day, each of which can be changed and taken away, and a button for another. */
function Day({ weekday, stretches, isRefused, refusals, onChange }: DayProps) {
  const name = nameOf(weekday);
  const change = (index: number, part: Partial<Stretch>) =>
    onChange(stretches.map((each, at) => (at === index ? { ...each, ...part } : each)));
  /** `9` is 09:00 once somebody has typed it. */
  const settle = (
    index: number,
    which: keyof Stretch,
    { currentTarget: { value } }: SyntheticEvent<HTMLInputElement>,
  ) => {
    const read = readTime(value);
    if (read !== null && read !== value) change(index, { [which]: read });
  };
  const field = (index: number, which: keyof Stretch, label: string, placeholder: string) => (
    <TextInput
      size="xs"
      w={60}
      aria-label={label}
      error={isRefused(`${index}.${which}`)}
      placeholder={placeholder}
      value={stretches[index]?.[which] ?? ''}
      onChange={({ currentTarget }) => change(index, { [which]: currentTarget.value })}
      onBlur={(event) => settle(index, which, event)}
      onKeyDown={(event) => event.key === 'Enter' && settle(index, which, event)}
    />
  );
  return (
    <div className={classes.day}>
      <Text size="sm" className={classes.name}>
        {name}
      </Text>
      <div className={classes.stretches}>
        {stretches.length === 0 && <Quiet>{t`Closed`}</Quiet>}
        {stretches.map(({ opens, closes }, index) => (
          <Group key={index} gap={4} wrap="nowrap">
            {field(index, 'opens', t`${name} opens`, '09:00')}
            <Text size="sm" c="dimmed" aria-hidden>
              –
            </Text>
            {field(index, 'closes', t`${name} closes`, '17:00')}
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t`Remove ${opens} to ${closes} on ${name}`}
              onClick={() => onChange(stretches.filter((_, at) => at !== index))}
            >
              <IconX size={14} />
            </ActionIcon>
          </Group>
        ))}
        <ActionIcon
          variant="default"
          aria-label={t`Add hours on ${name}`}
          onClick={() => onChange([...stretches, { opens: '09:00', closes: '17:00' }])}
        >
          <IconPlus size={14} />
        </ActionIcon>
        {refusals.map((words) => (
          <Text key={words} size="xs" c="var(--mantine-color-error)" w="100%" role="alert">
            {words}
          </Text>
        ))}
      </div>
    </div>
  );
}

/** The days whose hours cannot be kept: why, and at which of their fields. */
const wrongDays = (hours: api.WeeklyHours) =>
  weekdays.flatMap((weekday) => {
    const stretches = hours[weekday] ?? [];
    const found = wrongIn(stretches);
    if (!found) return [];
    const { index, what } = found;
    const name = nameOf(weekday);
    const words = {
      time: t`${name}: write the hours as 9:00 to 17:00`,
      end: t`${name} closes before it opens`,
      order: t`${name}: one stretch begins before the one above it ends`,
    }[what];
    const parts = (['opens', 'closes'] as const).filter((part) =>
      what === 'time'
        ? readTime(stretches[index]?.[part] ?? '') === null
        : part === (what === 'end' ? 'closes' : 'opens'),
    );
    return [{ weekday, words, paths: parts.map((part) => `${weekday}.${index}.${part}`) }];
  });

const nameOf = (weekday: Weekday) => weekdayName(weekdays.indexOf(weekday) + 1);
