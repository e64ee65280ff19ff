import { Accordion, Button, Group, SimpleGrid, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  getIntegrationsProvidersOptions,
  putIntegrationsProvidersMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { type Refusal } from '../../http/service';
import { IconPlus, IconTrash } from '../../icons';
import { AdminOnly } from '../../parts/admin';
import { HoursEditor } from '../../parts/hours-editor';
import { useRefresh } from '../../parts/refresh';
import { problemsUnder } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { Section } from '../../parts/section';
import { Empty, Loaded } from '../../parts/states';
import { useZone } from '../../shell/account';

type Provider = Api.ProviderSettings;

export function Providers() {
  const providers = useQuery(getIntegrationsProvidersOptions());
  return <Loaded query={providers}>{({ items }) => <Editor stored={items} key={JSON.stringify(items)} />}</Loaded>;
}

function Editor({ stored }: { stored: Provider[] }) {
  const [items, setItems] = useState(stored);
  const [opened, setOpened] = useState<string | null>(null);
  const refresh = useRefresh('integrations', 'providers');
  const save = useMutation({
    ...putIntegrationsProvidersMutation(),
    onSuccess: () => sayDone('Saved. Search and booking follow the new hours at once.'),
    onError: sayFailed,
    onSettled: refresh,
  });
  const details = (save.error as Refusal | null)?.details ?? [];
  const change = (index: number, part: Partial<Provider>) =>
    setItems(items.map((each, at) => (at === index ? { ...each, ...part } : each)));
  const add = () => {
    setItems([...items, { name: '', displayName: '', workingHours: {}, visitTypes: [] }]);
    setOpened(String(items.length));
  };
  return (
    <Section
      title="Providers"
      lead="Who can be booked, and when. Booked appointments stay as they are when hours change."
      flush
      actions={
        <AdminOnly>
          <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
            Add a provider
          </Button>
        </AdminOnly>
      }
    >
      {items.length === 0 ? (
        <Empty title="No provider">Without providers nothing can be booked.</Empty>
      ) : (
        <Accordion value={opened} onChange={setOpened} chevronPosition="left">
          {items.map((provider, index) => (
            <Accordion.Item key={index} value={String(index)}>
              <Accordion.Control>
                <Text size="sm" fw={500} component="span">
                  {provider.displayName || 'New provider'}
                </Text>{' '}
                <Text size="xs" c="dimmed" component="span">
                  {provider.name}
                </Text>
              </Accordion.Control>
              <Accordion.Panel>
                <AdminOnly>
                  <ProviderFields
                    provider={provider}
                    errorOf={(field) =>
                      details.find(({ path }) => path.startsWith(`items.${index}.${field}`))?.message ?? null
                    }
                    hoursProblems={problemsUnder(save.error, `items.${index}.workingHours`)}
                    onChange={(part) => change(index, part)}
                    onRemove={() => setItems(items.filter((_, at) => at !== index))}
                  />
                </AdminOnly>
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
      <Group p="md">
        <AdminOnly>
          <Button loading={save.isPending} onClick={() => save.mutate({ body: { items } })}>
            Save all providers
          </Button>
        </AdminOnly>
      </Group>
    </Section>
  );
}

function ProviderFields({
  provider,
  errorOf,
  hoursProblems,
  onChange,
  onRemove,
}: {
  provider: Provider;
  errorOf: (field: keyof Provider) => string | null;
  hoursProblems: { path: string; message: string }[];
  onChange: (part: Partial<Provider>) => void;
  onRemove: () => void;
}) {
  const zone = useZone();
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label="Name"
          description="In addresses and ids: letters, digits, - and ."
          placeholder="Dr.Chen"
          value={provider.name}
          error={errorOf('name')}
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
        <TextInput
          label="Display name"
          description="As it is said on the phone"
          placeholder="Dr. Maya Chen"
          value={provider.displayName}
          error={errorOf('displayName')}
          onChange={({ currentTarget }) => onChange({ displayName: currentTarget.value })}
        />
      </SimpleGrid>
      <TagsInput
        label="Visit types"
        value={provider.visitTypes}
        onChange={(visitTypes) => onChange({ visitTypes })}
        clearButtonProps={{ 'aria-label': 'Remove all visit types' }}
      />
      <HoursEditor
        label={`Working hours (${zone.replaceAll('_', ' ')})`}
        hours={provider.workingHours}
        problems={hoursProblems}
        onChange={(workingHours) => onChange({ workingHours })}
      />
      <Group>
        <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={onRemove}>
          Take off the list
        </Button>
      </Group>
    </Stack>
  );
}
