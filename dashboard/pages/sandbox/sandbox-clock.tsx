import { Badge, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import * as api from '#api';
import { ServiceButton, useAction, useActionForm } from '#forms';
import type { Area } from '#http';
import { PlainButton, Section, useZone } from '#parts';
import { t } from '#texts';
import { DayAndTime, instantAt, zoneName } from '#words';

const steps = [
  { label: t`30 minutes`, by: { minutes: 30 } },
  { label: t`a day`, by: { days: 1 } },
  { label: t`a week`, by: { days: 7 } },
];

/** The time that the sandbox EMR goes by. */
export function SandboxClock({ clock: { now, isSet, isFrozen } }: { clock: api.SandboxClock }) {
  const zone = useZone();
  const refresh: Area[] = ['proving', 'slots', 'patients', 'providers'];
  const form = useActionForm(api.putSandboxClockMutation(), {
    initialValues: { at: '', goesOn: false },
    validate: { at: isNotEmpty(t`Choose a date and a time`) },
    labels: { at: t`Date and time` },
    request: ({ at, goesOn }) => ({ body: { at: instantAt(at, zone), isFrozen: !goesOn } }),
    refresh,
  });
  const advance = useAction(api.postSandboxClockAdvanceMutation(), { refresh });
  return (
    <Section
      title={t`Its clock`}
      lead={t`Free slots, what is upcoming and what is fulfilled go by it. Workflows, calls and calling hours never do.`}
      isForAdmins
      gap="md"
    >
      <Group gap="xs" role="status">
        <Text fw={500}>
          <DayAndTime at={now} />
        </Text>
        <Badge variant="light" color={isSet ? 'orange' : 'gray'}>
          {isSet ? (isFrozen ? t`Set, stopped` : t`Set, running`) : t`The real time`}
        </Badge>
      </Group>
      <Group gap="xs">
        <Text size="sm">{t`Move it forward by`}</Text>
        {steps.map(({ label, by }) => (
          <PlainButton
            label={label}
            key={label}
            size="xs"
            disabled={advance.isPending}
            onClick={() => advance.mutate({ body: by })}
          />
        ))}
        {isSet && (
          <ServiceButton
            size="xs"
            variant="subtle"
            does={api.deleteSandboxClockMutation()}
            refresh={refresh}
            request={{}}
            label={t`Back to the real time`}
          />
        )}
      </Group>
      <form noValidate onSubmit={form.submit}>
        <Stack gap="sm">
          <Group align="end">
            <TextInput
              type="datetime-local"
              label={t`Date and time (${zoneName(zone)})`}
              {...form.getInputProps('at')}
            />
            <Button type="submit" variant="default" loading={form.isSaving}>
              {t`Set the clock`}
            </Button>
          </Group>
          <Checkbox
            label={t`It runs on from there instead of stopping`}
            {...form.getInputProps('goesOn', { type: 'checkbox' })}
          />
        </Stack>
      </form>
    </Section>
  );
}
