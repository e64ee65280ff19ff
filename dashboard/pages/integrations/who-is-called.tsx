import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  getPausesOptions,
  getProvidersOptions,
  postCallingPolicyPreviewMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { PreviewCounts } from '../../parts/call-preview';
import { sayFailed } from '../../parts/say';
import { Section } from '../../parts/section';
import { workflowName } from '../../parts/workflow-name';

const initialValues = { workflowType: '', providerName: '', visitType: '', search: '', from: '', until: '' };

/** Who would be called by the policy as it stands in the form, before it is saved. Counted when somebody asks. */
export function WhoIsCalled({ policy, isSaved }: { policy: Api.CallingPolicy; isSaved: boolean }) {
  const types = useQuery({ ...getPausesOptions(), select: ({ workflowTypes }) => workflowTypes });
  const providers = useQuery(getProvidersOptions());
  const form = useForm({ initialValues });
  const preview = useMutation({ ...postCallingPolicyPreviewMutation(), onError: sayFailed });
  const count = ({ workflowType, ...filter }: typeof initialValues) =>
    preview.mutate({
      query: { ...filter, workflowType: types.data?.find((type) => type === workflowType) },
      body: policy,
    });
  return (
    <Section
      title={t`Who would be called`}
      lead={
        isSaved
          ? t`Patients of the open workflows, by the policy as it is saved.`
          : t`Patients of the open workflows, by the policy as it stands above. It is not saved yet.`
      }
    >
      <form onSubmit={form.onSubmit(count)} noValidate>
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
            <NativeSelect
              label={t`Workflow`}
              data={[
                { value: '', label: t`Any workflow` },
                ...(types.data ?? []).map((type) => ({ value: type, label: workflowName(type) })),
              ]}
              {...form.getInputProps('workflowType')}
            />
            <NativeSelect
              label={t`Provider`}
              data={[
                { value: '', label: t`Any provider` },
                ...(providers.data?.items ?? []).map(({ name, displayName }) => ({ value: name, label: displayName })),
              ]}
              {...form.getInputProps('providerName')}
            />
            <TextInput label={t`Visit type`} placeholder={t`Any`} {...form.getInputProps('visitType')} />
            <TextInput label={t`Patient or session`} placeholder={t`Any`} {...form.getInputProps('search')} />
            <TextInput type="date" label={t`Waiting since, from`} {...form.getInputProps('from')} />
            <TextInput type="date" label={t`Waiting since, before`} {...form.getInputProps('until')} />
          </SimpleGrid>
          <Group>
            <Button type="submit" variant="default" loading={preview.isPending}>
              <Trans>Count them</Trans>
            </Button>
          </Group>
          <div role="status">
            {preview.data &&
              (preview.data.runs === 0 ? (
                <Text size="sm">
                  <Trans>No open workflow matches.</Trans>
                </Text>
              ) : (
                <PreviewCounts preview={preview.data} />
              ))}
          </div>
        </Stack>
      </form>
    </Section>
  );
}
