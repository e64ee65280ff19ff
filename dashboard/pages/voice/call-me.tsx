import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import * as api from '#api';
import { PageForm, useActionForm } from '#forms';
import { IconPhone } from '#icons';
import { AdminOnly, workflowName, workflowTypeNames } from '#parts';
import { t } from '#texts';
import { PageLink } from '#words';

const reminder: { phone: string; workflowType: api.WorkflowType } = { phone: '', workflowType: 'appointment-reminder' };

/** Calls the person who asks for it, as a patient would be called. */
export function CallMe() {
  const form = useActionForm(api.postIntegrationsVoiceCallMeMutation(), {
    initialValues: reminder,
    labels: { phone: t`Your number`, workflowType: t`Workflow to play` },
    request: (body) => ({ body }),
    keepsValues: true,
    done: t`Your phone is about to ring.`,
  });
  return (
    <>
      <AdminOnly>
        <PageForm form={form} action={t`Call me`} variant="default" icon={IconPhone}>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput type="tel" autoComplete="tel" placeholder="+15005550100" {...form.field('phone')} />
            <NativeSelect
              data={workflowTypeNames.map((type) => ({ value: type, label: workflowName(type) }))}
              {...form.field('workflowType')}
            />
          </SimpleGrid>
        </PageForm>
      </AdminOnly>
      {form.data && <PageLink to={`/calls/${form.data.callId}`}>{t`Follow the call step by step`}</PageLink>}
    </>
  );
}
