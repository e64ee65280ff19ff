import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getPausesOptions, postPausesMutation } from '../../http/client/@tanstack/react-query.gen';
import { IconPlayerPause } from '../../icons';
import { AdminOnly } from '../../parts/admin';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone } from '../../parts/say';
import { Section } from '../../parts/section';
import { instantAt } from '../../parts/week';
import { workflowName } from '../../parts/workflow-name';
import { useZone } from '../../shell/account';

const labels = { reason: t`Reason`, workflowType: t`What is paused`, until: t`Until` };
const initialValues = { reason: '', workflowType: '', until: '' };

/** Stops outreach of the clinic. What is paused stands above every page, and is resumed there. */
export function Pausing() {
  const zone = useZone();
  const refresh = useRefresh('pauses', 'preview', 'cases');
  const types = useQuery({ ...getPausesOptions(), select: ({ workflowTypes }) => workflowTypes });
  const form = useForm({ initialValues });
  const pause = useMutation({
    ...postPausesMutation(),
    onSuccess() {
      form.reset();
      sayDone(t`Paused. No call begins from now on; those under way go on.`);
    },
    onError: (error) => showRefusal(form, error, labels),
    onSettled: refresh,
  });
  const send = ({ reason, workflowType, until }: typeof initialValues) =>
    pause.mutate({
      body: {
        reason,
        workflowType: types.data?.find((type) => type === workflowType),
        until: until === '' ? undefined : instantAt(until, zone),
      },
    });
  return (
    <Section
      title={t`Pause outreach`}
      lead={t`No call begins from the moment it is paused. Calls under way go on, and no attempt is used up.`}
    >
      <AdminOnly>
        <form onSubmit={form.onSubmit(send)} noValidate>
          <Stack>
            <TextInput label={labels.reason} {...form.getInputProps('reason')} />
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <NativeSelect
                label={labels.workflowType}
                description={t`Everything, or one workflow type`}
                data={[
                  { value: '', label: t`All outreach of the clinic` },
                  ...(types.data ?? []).map((type) => ({ value: type, label: workflowName(type) })),
                ]}
                {...form.getInputProps('workflowType')}
              />
              <TextInput
                type="datetime-local"
                label={`${labels.until} (${zone.replaceAll('_', ' ')})`}
                description={t`Empty: until somebody resumes it`}
                {...form.getInputProps('until')}
              />
            </SimpleGrid>
            <Group>
              <Button
                type="submit"
                color="red"
                leftSection={<IconPlayerPause size={16} aria-hidden />}
                loading={pause.isPending}
              >
                <Trans>Pause outreach</Trans>
              </Button>
            </Group>
          </Stack>
        </form>
      </AdminOnly>
    </Section>
  );
}
