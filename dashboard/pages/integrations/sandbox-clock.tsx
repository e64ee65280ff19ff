import { Badge, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import {
  deleteSandboxClockMutation,
  postSandboxClockAdvanceMutation,
  putSandboxClockMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { AdminOnly } from '../../parts/admin';
import { DayAndTime } from '../../parts/moment';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayFailed } from '../../parts/say';
import { Section } from '../../parts/section';
import { instantAt } from '../../parts/week';
import { useZone } from '../../shell/account';

const steps = [
  { label: '30 minutes', by: { minutes: 30 } },
  { label: 'a day', by: { days: 1 } },
  { label: 'a week', by: { days: 7 } },
];

/** The time that the sandbox EMR goes by. */
export function SandboxClock({ clock: { now, isSet, isFrozen } }: { clock: Api.SandboxClock }) {
  const zone = useZone();
  const refresh = useRefresh('proving', 'slots', 'patients', 'providers');
  const form = useForm({ initialValues: { at: '', goesOn: false } });
  const set = useMutation({
    ...putSandboxClockMutation(),
    onSuccess: () => form.reset(),
    onError: (error) => showRefusal(form, error, { at: 'Date and time' }),
    onSettled: refresh,
  });
  const advance = useMutation({ ...postSandboxClockAdvanceMutation(), onError: sayFailed, onSettled: refresh });
  const clear = useMutation({ ...deleteSandboxClockMutation(), onError: sayFailed, onSettled: refresh });
  const send = ({ at, goesOn }: typeof form.values) => {
    if (at === '') return form.setErrors({ at: 'Choose a date and a time' });
    set.mutate({ body: { at: instantAt(at, zone), isFrozen: !goesOn } });
  };
  return (
    <Section
      title="Its clock"
      lead="Free slots, what is upcoming and what is fulfilled go by it. Workflows, calls and calling hours never do."
    >
      <AdminOnly>
        <Stack>
          <Group gap="xs" role="status">
            <Text fw={500}>
              <DayAndTime at={now} />
            </Text>
            <Badge variant="light" color={isSet ? 'orange' : 'gray'}>
              {isSet ? (isFrozen ? 'stands still' : 'set, goes on') : 'the real time'}
            </Badge>
          </Group>
          <Group gap="xs">
            <Text size="sm">Set it forward by</Text>
            {steps.map(({ label, by }) => (
              <Button
                key={label}
                size="xs"
                variant="default"
                disabled={advance.isPending}
                onClick={() => advance.mutate({ body: by })}
              >
                {label}
              </Button>
            ))}
            {isSet && (
              <Button size="xs" variant="subtle" loading={clear.isPending} onClick={() => clear.mutate({})}>
                Back to the real time
              </Button>
            )}
          </Group>
          <form noValidate onSubmit={form.onSubmit(send)}>
            <Stack gap="sm">
              <Group align="end">
                <TextInput
                  type="datetime-local"
                  label={`Date and time (${zone.replaceAll('_', ' ')})`}
                  {...form.getInputProps('at')}
                />
                <Button type="submit" variant="default" loading={set.isPending}>
                  Set the clock
                </Button>
              </Group>
              <Checkbox
                label="It goes on from there instead of standing still"
                {...form.getInputProps('goesOn', { type: 'checkbox' })}
              />
            </Stack>
          </form>
        </Stack>
      </AdminOnly>
    </Section>
  );
}
