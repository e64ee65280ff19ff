import { ActionIcon, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  getIntegrationsPhoneNumbersOptions,
  putIntegrationsPhoneNumbersMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { type Refusal } from '../../http/service';
import { IconPhone, IconPlus, IconTrash } from '../../icons';
import { AdminOnly } from '../../parts/admin';
import { PlainList } from '../../parts/plain-list';
import { useRefresh } from '../../parts/refresh';
import { sayDone, sayFailed } from '../../parts/say';
import { Section } from '../../parts/section';
import { Empty, Loaded } from '../../parts/states';
import classes from './phone-numbers.module.css';

type PhoneNumber = Api.PhoneNumber;

export function PhoneNumbers() {
  const numbers = useQuery(getIntegrationsPhoneNumbersOptions());
  return <Loaded query={numbers}>{({ items }) => <Editor stored={items} key={JSON.stringify(items)} />}</Loaded>;
}

function Editor({ stored }: { stored: PhoneNumber[] }) {
  const [items, setItems] = useState(stored);
  const refresh = useRefresh('integrations');
  const save = useMutation({
    ...putIntegrationsPhoneNumbersMutation(),
    onSuccess: () => sayDone('Saved.'),
    onError: sayFailed,
    onSettled: refresh,
  });
  const details = (save.error as Refusal | null)?.details ?? [];
  const errorOf = (index: number, field: string) =>
    details.find(({ path }) => path === `items.${index}.${field}`)?.message;
  const change = (index: number, part: Partial<PhoneNumber>) =>
    setItems(items.map((each, at) => (at === index ? { ...each, ...part } : each)));
  return (
    <Section
      title="Phone numbers"
      lead="Numbers that patients call. A call to one of them begins the journey of a new patient."
      flush
      actions={
        <AdminOnly>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setItems([...items, { number: '', platformId: null, assistantId: null }])}
          >
            Add a number
          </Button>
        </AdminOnly>
      }
    >
      {items.length === 0 ? (
        <Empty title="No number" icon={IconPhone}>
          Inbound calls need the number as the voice platform knows it.
        </Empty>
      ) : (
        <PlainList label="Phone numbers">
          {items.map(({ number, platformId, assistantId }, index) => (
            <AdminOnly key={index}>
              <div className={classes.number}>
                <TextInput
                  label="Number"
                  type="tel"
                  placeholder="+15005550100"
                  value={number}
                  error={errorOf(index, 'number')}
                  onChange={({ currentTarget }) => change(index, { number: currentTarget.value })}
                />
                <TextInput
                  label="Platform id"
                  value={platformId ?? ''}
                  error={errorOf(index, 'platformId')}
                  onChange={({ currentTarget }) => change(index, { platformId: currentTarget.value || null })}
                />
                <TextInput
                  label="Assistant id"
                  value={assistantId ?? ''}
                  error={errorOf(index, 'assistantId')}
                  onChange={({ currentTarget }) => change(index, { assistantId: currentTarget.value || null })}
                />
                <ActionIcon
                  variant="default"
                  size={36}
                  className={classes.remove}
                  aria-label={`Take ${number || 'the number'} off the list`}
                  onClick={() => setItems(items.filter((_, at) => at !== index))}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </div>
            </AdminOnly>
          ))}
        </PlainList>
      )}
      <Stack p="md" gap="xs">
        <AdminOnly>
          <Button loading={save.isPending} onClick={() => save.mutate({ body: { items } })}>
            Save all numbers
          </Button>
        </AdminOnly>
        <Text size="xs" c="dimmed">
          The platform and assistant ids are the voice platform’s own; the simulator needs none.
        </Text>
      </Stack>
    </Section>
  );
}
