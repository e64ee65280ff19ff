import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, NumberInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { putSandboxCallHoldsMutation } from '../../http/client/@tanstack/react-query.gen';
import { AdminOnly } from '../../parts/admin';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone } from '../../parts/say';
import { Section } from '../../parts/section';

/** Whether, and for how long, a live call keeps a time for a caller who thinks it over. */
export function SandboxCallHolds({ minutes }: { minutes: number }) {
  const refresh = useRefresh('proving');
  const form = useForm({ initialValues: { minutes } });
  const save = useMutation({
    ...putSandboxCallHoldsMutation(),
    onSuccess: () => sayDone(t`Saved.`),
    onError: (error) => showRefusal(form, error, { minutes: t`Minutes` }),
    onSettled: refresh,
  });
  return (
    <Section
      title={t`Times held in calls`}
      lead={t`With more than none, the agent of a call has the tool hold_time: the caller thinks it over, and nobody else gets the time meanwhile.`}
    >
      <AdminOnly>
        <form noValidate onSubmit={form.onSubmit((values) => save.mutate({ body: values }))}>
          <Group align="end">
            <NumberInput
              label={t`Minutes`}
              min={0}
              max={15}
              allowDecimal={false}
              w={120}
              {...form.getInputProps('minutes')}
            />
            <Button type="submit" variant="default" loading={save.isPending}>
              <Trans>Save</Trans>
            </Button>
          </Group>
        </form>
      </AdminOnly>
    </Section>
  );
}
