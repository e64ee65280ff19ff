import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
  { label: t`30 minutes`, by: { minutes: 30 } },
  { label: t`a day`, by: { days: 1 } },
  { label: t`a week`, by: { days: 7 } },
];

/** The time that the sandbox EMR goes by. */
export function SandboxClock({ clock: { now, isSet, isFrozen } }: { clock: Api.SandboxClock }) {
  const zone = useZone();
  const refresh = useRefresh('proving', 'slots', 'patients', 'providers');
  const form = useForm({ initialValues: { at: '', goesOn: false } });
  const set = useMutation({
    ...putSandboxClockMutation(),
    onSuccess: () => form.reset(),
    onError: (error) => showRefusal(form, error, { at: t`Date and time` }),
    onSettled: refresh,
  });
  const advance = useMutation({ ...postSandboxClockAdvanceMutation(), onError: sayFailed, onSettled: refresh });
  const clear = useMutation({ ...deleteSandboxClockMutation(), onError: sayFailed, onSettled: refresh });
  const send = ({ at, goesOn }: typeof form.values) => {
    if (at === '') return form.setErrors({ at: t`Choose a date and a time` });
    set.mutate({ body: { at: instantAt(at, zone), isFrozen: !goesOn } });
  };
  return (
    <Section
      title={t`Its clock`}
      lead={t`Free slots, what is upcoming and what is fulfilled go by it. Workflows, calls and calling hours never do.`}
    >
      <AdminOnly>
        <Stack>
          <Group gap="xs" role="status">
            <Text fw={500}>
              <DayAndTime at={now} />
            </Text>
            <Badge variant="light" color={isSet ? 'orange' : 'gray'}>
              {isSet ? (isFrozen ? t`Stands still` : t`Set, goes on`) : t`The real time`}
            </Badge>
          </Group>
          <Group gap="xs">
            <Text size="sm">
              <Trans>Set it forward by</Trans>
            </Text>
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
                <Trans>Back to the real time</Trans>
              </Button>
            )}
          </Group>
          <form noValidate onSubmit={form.onSubmit(send)}>
            <Stack gap="sm">
              <Group align="end">
                <TextInput
                  type="datetime-local"
                  label={t`Date and time (${zone.replaceAll('_', ' ')})`}
                  {...form.getInputProps('at')}
                />
                <Button type="submit" variant="default" loading={set.isPending}>
                  <Trans>Set the clock</Trans>
                </Button>
              </Group>
              <Checkbox
                label={t`It goes on from there instead of standing still`}
                {...form.getInputProps('goesOn', { type: 'checkbox' })}
              />
            </Stack>
          </form>
        </Stack>
      </AdminOnly>
    </Section>
  );
}
