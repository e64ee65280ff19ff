import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core';
import type * as Api from '../http/client/types.gen';
import { IconPlus, IconX } from '../icons';
import classes from './hours-editor.module.css';
import { type Weekday, weekdayName, weekdays } from './week';

type WeeklyHours = Api.WeeklyHours;

/** The hours of a week on the clinic's wall clock: any number of stretches a day, none for a closed day. */
export function HoursEditor({
  label,
  hours,
  problems = [],
  onChange,
}: {
  label: string;
  hours: WeeklyHours;
  /** What the service refused: where in the hours, as `saturday.0.opens` or empty for all of them, and why. */
  problems?: { path: string; message: string }[];
  onChange: (hours: WeeklyHours) => void;
}) {
  const isRefused = (path: string) => problems.some((problem) => problem.path === path);
  const set = (weekday: Weekday, stretches: { opens: string; closes: string }[]) =>
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
          <Trans>Use Monday’s hours until Friday</Trans>
        </Button>
      </Group>
      <div className={classes.days}>
        {weekdays.map((weekday) => {
          const stretches = hours[weekday] ?? [];
          const name = nameOf(weekday);
          return (
            <div key={weekday} className={classes.day}>
              <Text size="sm" className={classes.name}>
                {name}
              </Text>
              <div className={classes.stretches}>
                {stretches.length === 0 && (
                  <Text size="sm" c="dimmed">
                    <Trans>Closed</Trans>
                  </Text>
                )}
                {stretches.map((stretch, index) => {
                  const change = (part: Partial<typeof stretch>) =>
                    set(
                      weekday,
                      stretches.map((each, at) => (at === index ? { ...each, ...part } : each)),
                    );
                  return (
                    <Group key={index} gap={4} wrap="nowrap">
                      <TextInput
                        size="xs"
                        w={60}
                        aria-label={t`${name} opens`}
                        error={isRefused(`${weekday}.${index}.opens`)}
                        placeholder="09:00"
                        value={stretch.opens}
                        onChange={({ currentTarget }) => change({ opens: currentTarget.value })}
                      />
                      <Text size="sm" c="dimmed" aria-hidden>
                        –
                      </Text>
                      <TextInput
                        size="xs"
                        w={60}
                        aria-label={t`${name} closes`}
                        error={isRefused(`${weekday}.${index}.closes`)}
                        placeholder="17:00"
                        value={stretch.closes}
                        onChange={({ currentTarget }) => change({ closes: currentTarget.value })}
                      />
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        aria-label={t`Remove ${stretch.opens} to ${stretch.closes} on ${name}`}
                        onClick={() =>
                          set(
                            weekday,
                            stretches.filter((_, at) => at !== index),
                          )
                        }
                      >
                        <IconX size={14} />
                      </ActionIcon>
                    </Group>
                  );
                })}
                <ActionIcon
                  variant="default"
                  aria-label={t`Add hours on ${name}`}
                  onClick={() => set(weekday, [...stretches, { opens: '09:00', closes: '17:00' }])}
                >
                  <IconPlus size={14} />
                </ActionIcon>
              </div>
            </div>
          );
        })}
      </div>
      {problems.length > 0 && (
        <Text size="xs" c="var(--mantine-color-error)" mt={4} role="alert" component="div">
          {problems.map(({ path, message }) => (
            <div key={path}>
              {path === '' ? t`The hours` : t`${dayOf(path)}: this`} {message}
            </div>
          ))}
        </Text>
      )}
    </div>
  );
}

/** `saturday.0.opens` → `Saturday`. */
const dayOf = (path: string) => nameOf(path.split('.')[0] as Weekday);

const nameOf = (weekday: Weekday) => weekdayName(weekdays.indexOf(weekday) + 1);
