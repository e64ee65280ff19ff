import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import * as api from '#api';
import { PageForm, useActionForm } from '#forms';
import { IconPlayerPause } from '#icons';
import { focusSoon, Section, useZone, workflowName } from '#parts';
import { t } from '#texts';
import { instantAt, zoneName } from '#words';

const labels = { reason: t`Reason`, workflowType: t`What is paused`, until: t`Until` };

/** Stops outreach of the clinic. What is paused stands above every page, and is resumed there. */
export function Pausing() {
  const zone = useZone();
  const first = useRef<HTMLInputElement>(null);
  const { search, key } = useLocation();
  // From the finder.
  useEffect(() => {
    if (new URLSearchParams(search).has('pause')) focusSoon(() => first.current);
  }, [search, key]);
  const types = useQuery({ ...api.getPausesOptions(), select: ({ workflowTypes }) => workflowTypes });
  const form = useActionForm(api.postPausesMutation(), {
    initialValues: { reason: '', workflowType: '', until: '' },
    validate: { reason: isNotEmpty(t`Give a reason: it stands above every page`) },
    labels,
    request: ({ reason, workflowType, until }) => ({
      body: {
        reason,
        workflowType: types.data?.find((type) => type === workflowType),
        until: until === '' ? undefined : instantAt(until, zone),
      },
    }),
    done: t`Paused. No call begins from now on; those under way go on.`,
    refresh: ['pauses', 'preview', 'cases'],
  });
  return (
    <Section
      title={t`Pause outreach`}
      lead={t`No call begins from the moment it is paused. Calls under way go on, and no attempt is used up.`}
      isForAdmins
    >
      <PageForm form={form} action={t`Pause outreach`} color="red" icon={IconPlayerPause}>
        <TextInput ref={first} {...form.field('reason')} />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NativeSelect
            description={t`Everything, or one workflow type`}
            data={[
              { value: '', label: t`All outreach of the clinic` },
              ...(types.data ?? []).map((type) => ({ value: type, label: workflowName(type) })),
            ]}
            {...form.field('workflowType')}
          />
          <TextInput
            type="datetime-local"
            label={`${labels.until} (${zoneName(zone)})`}
            description={t`Empty: until somebody resumes it`}
            {...form.getInputProps('until')}
          />
        </SimpleGrid>
      </PageForm>
    </Section>
  );
}
