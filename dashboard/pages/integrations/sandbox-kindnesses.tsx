import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, NumberInput, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { patchSandboxKindnessesMutation } from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { AdminOnly } from '../../parts/admin';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { Section } from '../../parts/section';

const labels = { minimumNoticeMinutes: t`Booked at least before`, maximumNoticeDays: t`Booked at most ahead` };

interface Props {
  kindnesses: Api.SandboxKindnesses;
  kinds: Api.SandboxKindnessKind[];
}

/** What the sandbox makes easier than a real EHR does, each to be switched off. */
export function SandboxKindnesses({ kindnesses, kinds }: Props) {
  const refresh = useRefresh('proving', 'slots');
  const change = useMutation({ ...patchSandboxKindnessesMutation(), onError: sayFailed, onSettled: refresh });
  return (
    <Section
      title={t`Like a real EHR`}
      lead={t`The sandbox is kinder than a real EHR. Switch kindnesses off one at a time, and see whether your client gets on.`}
    >
      <AdminOnly>
        <Stack>
          {kinds.map(({ kindness, title, off, client }) => {
            const isOn = kindnesses[kindness];
            return (
              <Switch
                key={kindness}
                label={title}
                description={
                  isOn ? (
                    t`Off: ${lowerFirst(withoutTicks(off))}`
                  ) : (
                    <>
                      {withoutTicks(off)}{' '}
                      <Text span inherit fw={500}>
                        <Trans>A good client:</Trans>
                      </Text>{' '}
                      {lowerFirst(withoutTicks(client))}
                    </>
                  )
                }
                checked={isOn}
                disabled={change.isPending}
                onChange={({ currentTarget }) => change.mutate({ body: { [kindness]: currentTarget.checked } })}
              />
            );
          })}
          <Notice key={`${kindnesses.minimumNoticeMinutes} ${kindnesses.maximumNoticeDays}`} kindnesses={kindnesses} />
        </Stack>
      </AdminOnly>
    </Section>
  );
}

function Notice({ kindnesses: { minimumNoticeMinutes, maximumNoticeDays } }: Pick<Props, 'kindnesses'>) {
  const refresh = useRefresh('proving', 'slots');
  const form = useForm<Record<keyof typeof labels, string | number>>({
    initialValues: { minimumNoticeMinutes, maximumNoticeDays: maximumNoticeDays ?? '' },
  });
  const save = useMutation({
    ...patchSandboxKindnessesMutation(),
    onSuccess: () => sayDone(t`Saved. Searches and bookings go by it.`),
    onError: (error) => showRefusal(form, error, labels),
    onSettled: refresh,
  });
  const send = (values: typeof form.values) =>
    save.mutate({
      body: {
        minimumNoticeMinutes: Number(values.minimumNoticeMinutes),
        maximumNoticeDays: values.maximumNoticeDays === '' ? null : Number(values.maximumNoticeDays),
      },
    });
  return (
    <form noValidate onSubmit={form.onSubmit(send)}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NumberInput
            label={labels.minimumNoticeMinutes}
            description={t`Besides what each provider says`}
            suffix={t` minutes`}
            allowDecimal={false}
            {...form.getInputProps('minimumNoticeMinutes')}
          />
          <NumberInput
            label={labels.maximumNoticeDays}
            description={t`Empty: however far ahead`}
            suffix={t` days`}
            allowDecimal={false}
            {...form.getInputProps('maximumNoticeDays')}
          />
        </SimpleGrid>
        <Group>
          <Button type="submit" variant="default" loading={save.isPending} disabled={!form.isDirty()}>
            <Trans>Save the notice periods</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const withoutTicks = (text: string) => text.replaceAll('`', '');
const lowerFirst = (text: string) => (/^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text);
