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
      title="Who would be called"
      lead={
        isSaved
          ? 'Patients of the open workflows, by the policy as it is saved.'
          : 'Patients of the open workflows, by the policy as it stands above. It is not saved yet.'
      }
    >
      <form onSubmit={form.onSubmit(count)} noValidate>
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }}>
            <NativeSelect
              label="Workflow"
              data={[
                { value: '', label: 'Any workflow' },
                ...(types.data ?? []).map((type) => ({ value: type, label: workflowName(type) })),
              ]}
              {...form.getInputProps('workflowType')}
            />
            <NativeSelect
              label="Provider"
              data={[
                { value: '', label: 'Any provider' },
                ...(providers.data?.items ?? []).map(({ name, displayName }) => ({ value: name, label: displayName })),
              ]}
              {...form.getInputProps('providerName')}
            />
            <TextInput label="Visit type" placeholder="Any" {...form.getInputProps('visitType')} />
            <TextInput label="Patient or session" placeholder="Any" {...form.getInputProps('search')} />
            <TextInput type="date" label="Waiting since, from" {...form.getInputProps('from')} />
            <TextInput type="date" label="Waiting since, before" {...form.getInputProps('until')} />
          </SimpleGrid>
          <Group>
            <Button type="submit" variant="default" loading={preview.isPending}>
              Count them
            </Button>
          </Group>
          <div role="status">
            {preview.data &&
              (preview.data.runs === 0 ? (
                <Text size="sm">No open workflow matches.</Text>
              ) : (
                <PreviewCounts preview={preview.data} />
              ))}
          </div>
        </Stack>
      </form>
    </Section>
  );
}
