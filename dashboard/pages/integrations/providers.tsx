import {
  Accordion,
  Box,
  Button,
  Group,
  NumberInput,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  getIntegrationsProvidersOptions,
  putIntegrationsProvidersMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { IconPlus, IconTrash } from '../../icons';
import { AdminOnly } from '../../parts/admin';
import { Editable, FormFooter, useSaved } from '../../parts/editable';
import { HoursEditor } from '../../parts/hours-editor';
import { detailsOf, refusedAt, refusedUnder, sayRefusedIn } from '../../parts/refusal';
import { sayDone } from '../../parts/say';
import { Section } from '../../parts/section';
import { Empty, Loaded } from '../../parts/states';
import { useZone } from '../../shell/account';

type Provider = Api.ProviderSettings;

const labels: Record<keyof Provider, string> = {
  name: 'Name',
  displayName: 'Display name',
  visitTypes: 'Visit types',
  workingHours: 'Working hours',
  specialDays: 'Days off and special hours',
  noticeMinutes: 'Notice in minutes',
};

const emptyProvider: Provider = {
  name: '',
  displayName: '',
  workingHours: {},
  visitTypes: [],
  specialDays: {},
  noticeMinutes: 0,
};

export function Providers() {
  const providers = useQuery(getIntegrationsProvidersOptions());
  return (
    <Loaded query={providers}>
      {({ items }) => <Editable stored={items}>{(stored) => <Editor stored={stored} />}</Editable>}
    </Loaded>
  );
}

function Editor({ stored }: { stored: Provider[] }) {
  const [items, setItems] = useState(stored);
  const [opened, setOpened] = useState<string | null>(null);
  const saved = useSaved();
  const save = useMutation({
    ...putIntegrationsProvidersMutation(),
    async onSuccess() {
      sayDone('Saved. Search and booking follow the new hours at once.');
      await saved();
    },
    onError(error) {
      sayRefusedIn(error, labels);
      // What was refused is not left inside a closed part of the list.
      const [, index] = /^items\.(\d+)\./.exec(detailsOf(error)[0]?.path ?? '') ?? [];
      if (index !== undefined) setOpened(index);
    },
  });
  const change = (index: number, part: Partial<Provider>) =>
    setItems(items.map((each, at) => (at === index ? { ...each, ...part } : each)));
  const add = () => {
    setItems([...items, emptyProvider]);
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
                    errorOf={(field) => refusedAt(save.error, `items.${index}.${field}`)}
                    hoursProblems={refusedUnder(save.error, `items.${index}.workingHours`)}
                    onChange={(part) => change(index, part)}
                    onRemove={() => setItems(items.filter((_, at) => at !== index))}
                  />
                </AdminOnly>
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
      <Box
        p="md"
        component="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          // Without a name the service makes one of the display name.
          save.mutate({ body: { items: items.map(({ name, ...each }) => ({ ...each, ...(name && { name }) })) } });
        }}
      >
        <FormFooter
          label="Save all providers"
          isDirty={JSON.stringify(items) !== JSON.stringify(stored)}
          isSaving={save.isPending}
        />
      </Box>
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
  const [days, setDays] = useState(textOf(provider.specialDays));
  const isReadable = daysIn(days) !== null;
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={labels.name}
          description="In addresses and ids; left empty, it is made of the display name"
          placeholder="Dr.Chen"
          value={provider.name}
          error={errorOf('name')}
          onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
        <TextInput
          label={labels.displayName}
          description="As it is said on the phone"
          placeholder="Dr. Maya Chen"
          value={provider.displayName}
          error={errorOf('displayName')}
          onChange={({ currentTarget }) => onChange({ displayName: currentTarget.value })}
        />
      </SimpleGrid>
      <TagsInput
        label={labels.visitTypes}
        error={errorOf('visitTypes')}
        value={provider.visitTypes}
        onChange={(visitTypes) => onChange({ visitTypes })}
        clearButtonProps={{ 'aria-label': 'Remove all visit types' }}
      />
      <HoursEditor
        label={`${labels.workingHours} (${zone.replaceAll('_', ' ')})`}
        hours={provider.workingHours}
        problems={hoursProblems}
        onChange={(workingHours) => onChange({ workingHours })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Textarea
          label={labels.specialDays}
          description="A day each line: 2026-12-24 off, or 2026-12-23 09:00-12:00 13:00-15:00"
          autosize
          minRows={2}
          value={days}
          error={isReadable ? errorOf('specialDays') : 'Each line begins with a date, then off or hours'}
          onChange={({ currentTarget }) => {
            setDays(currentTarget.value);
            const specialDays = daysIn(currentTarget.value);
            if (specialDays !== null) onChange({ specialDays });
          }}
        />
        <NumberInput
          label={labels.noticeMinutes}
          description="How long before it begins a time can still be booked"
          min={0}
          allowDecimal={false}
          value={provider.noticeMinutes}
          error={errorOf('noticeMinutes')}
          onChange={(minutes) => onChange({ noticeMinutes: Number(minutes) })}
        />
      </SimpleGrid>
      <Group>
        <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={onRemove}>
          Take off the list
        </Button>
      </Group>
    </Stack>
  );
}

const textOf = (days: Provider['specialDays']): string =>
  Object.entries(days)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([date, intervals]) => {
      const hours = intervals.map(({ opens, closes }) => `${opens}-${closes}`);
      return `${date} ${hours.length === 0 ? 'off' : hours.join(' ')}`;
    })
    .join('\n');

/** Null where a line cannot be read; whether it makes sense is for the service to say. */
function daysIn(text: string): Provider['specialDays'] | null {
  const days: Provider['specialDays'] = {};
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [date = '', ...hours] = line.trim().split(/\s+/);
    const read = hours.map((each) => /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(each));
    const isOff = hours.length === 1 && hours[0]?.toLowerCase() === 'off';
    if (!/^\d{4}-\d\d-\d\d$/.test(date) || hours.length === 0 || (!isOff && read.includes(null))) return null;
    days[date] = isOff ? [] : read.flatMap((match) => (match ? { opens: match[1] ?? '', closes: match[2] ?? '' } : []));
  }
  return days;
}
