import { Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { useAction } from '#forms';
import { Section, workflowName } from '#parts';
import { t } from '#texts';
import { PreviewCounts } from './call-preview';

const initialValues = { workflowType: '', providerName: '', visitType: '', search: '', from: '', until: '' };

/** Who would be called by the policy as it stands in the form, before it is saved. Counted when somebody asks. */
export function WhoIsCalled({ policy, isSaved }: { policy: api.CallingPolicy; isSaved: boolean }) {
  const types = useQuery({ ...api.getPausesOptions(), select: ({ workflowTypes }) => workflowTypes });
  const providers = useQuery(api.getProvidersOptions());
  const form = useForm({ initialValues });
  const preview = useAction(api.postCallingPolicyPreviewMutation());
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
              {t`Count them`}
            </Button>
          </Group>
          <div role="status">
            {preview.data &&
              (preview.data.runs === 0 ? (
                <Text size="sm">{t`No open workflow matches.`}</Text>
              ) : (
                <PreviewCounts preview={preview.data} />
              ))}
          </div>
        </Stack>
      </form>
    </Section>
  );
}
