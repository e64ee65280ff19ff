import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Box, Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  getIntegrationsPhoneNumbersOptions,
  putIntegrationsPhoneNumbersMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { IconPhone, IconPlus, IconTrash } from '../../icons';
import { AdminOnly } from '../../parts/admin';
import { Editable, FormFooter, useSaved } from '../../parts/editable';
import { PlainList } from '../../parts/plain-list';
import { refusedAt, sayRefusedIn } from '../../parts/refusal';
import { sayDone } from '../../parts/say';
import { Section } from '../../parts/section';
import { Empty, Loaded } from '../../parts/states';
import classes from './phone-numbers.module.css';

type PhoneNumber = Api.PhoneNumber;

const labels = { number: t`Number`, platformId: t`Platform id`, assistantId: t`Assistant id` };

export function PhoneNumbers() {
  const numbers = useQuery(getIntegrationsPhoneNumbersOptions());
  return (
    <Loaded query={numbers}>
      {({ items }) => <Editable stored={items}>{(stored) => <Editor stored={stored} />}</Editable>}
    </Loaded>
  );
}

function Editor({ stored }: { stored: PhoneNumber[] }) {
  const [items, setItems] = useState(stored);
  const saved = useSaved();
  const save = useMutation({
    ...putIntegrationsPhoneNumbersMutation(),
    async onSuccess() {
      sayDone(t`Saved.`);
      await saved();
    },
    onError: (error) => sayRefusedIn(error, labels),
  });
  const waiting = stored.filter(({ awaitsOperator }) => awaitsOperator).map(({ number }) => number);
  const errorOf = (index: number, field: keyof PhoneNumber) => refusedAt(save.error, `items.${index}.${field}`);
  const change = (index: number, part: Partial<PhoneNumber>) =>
    setItems(items.map((each, at) => (at === index ? { ...each, ...part } : each)));
  return (
    <Section
      title={t`Phone numbers`}
      lead={t`Numbers that patients call. A call to one of them begins the journey of a new patient.`}
      flush
      actions={
        <AdminOnly>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setItems([...items, { number: '', platformId: null, assistantId: null }])}
          >
            <Trans>Add a number</Trans>
          </Button>
        </AdminOnly>
      }
    >
      {items.length === 0 ? (
        <Empty title={t`No number`} icon={IconPhone}>
          <Trans>Inbound calls need the number as the voice platform knows it.</Trans>
        </Empty>
      ) : (
        <PlainList label={t`Phone numbers`}>
          {items.map(({ number, platformId, assistantId }, index) => (
            <AdminOnly key={index}>
              <div className={classes.number}>
                <TextInput
                  label={labels.number}
                  type="tel"
                  placeholder="+15005550100"
                  value={number}
                  error={errorOf(index, 'number')}
                  onChange={({ currentTarget }) => change(index, { number: currentTarget.value })}
                />
                <TextInput
                  label={labels.platformId}
                  value={platformId ?? ''}
                  error={errorOf(index, 'platformId')}
                  onChange={({ currentTarget }) => change(index, { platformId: currentTarget.value || null })}
                />
                <TextInput
                  label={labels.assistantId}
                  value={assistantId ?? ''}
                  error={errorOf(index, 'assistantId')}
                  onChange={({ currentTarget }) => change(index, { assistantId: currentTarget.value || null })}
                />
                <ActionIcon
                  variant="default"
                  size={36}
                  className={classes.remove}
                  aria-label={t`Take ${number || t`the number`} off the list`}
                  onClick={() => setItems(items.filter((_, at) => at !== index))}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </div>
            </AdminOnly>
          ))}
        </PlainList>
      )}
      <Box
        p="md"
        component="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ body: { items } });
        }}
      >
        <FormFooter
          label={t`Save all numbers`}
          isDirty={JSON.stringify(items) !== JSON.stringify(stored)}
          isSaving={save.isPending}
        />
        {waiting.length > 0 && (
          <Text size="sm" mt="xs">
            <Trans>
              Waiting for the operator to confirm {waiting.join(', ')}. Until then the operator’s account takes no calls
              on it.
            </Trans>
          </Text>
        )}
        <Text size="xs" c="dimmed" mt="xs">
          <Trans>The platform and assistant ids are the voice platform’s own; the simulator needs none.</Trans>
        </Text>
      </Box>
    </Section>
  );
}
