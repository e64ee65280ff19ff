import { ActionIcon, Box, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { changedIn, FormFooter, itemsOf, refusedAt, sayRefusedIn, StoredSettings, useAction, useSaved } from '#forms';
import { IconPhone, IconPlus, IconTrash } from '#icons';
import { PlainList } from '#lists';
import { AdminOnly, Empty, PlainButton, Section } from '#parts';
import { t, Trans } from '#texts';
import { Small } from '#words';
import classes from './phone-numbers.module.css';

type PhoneNumber = api.PhoneNumber;

const labels = { number: t`Number`, platformId: t`Platform id`, assistantId: t`Assistant id` };

export const PhoneNumbers = () => (
  <StoredSettings query={useQuery({ ...api.getIntegrationsPhoneNumbersOptions(), select: itemsOf })} editor={Editor} />
);

function Editor({ stored }: { stored: PhoneNumber[] }) {
  const [items, setItems] = useState(stored);
  const saved = useSaved();
  const save = useAction(api.putIntegrationsPhoneNumbersMutation(), {
    done: t`Saved.`,
    onDone: saved,
    onRefused: (error) => sayRefusedIn(error, labels),
  });
  const waiting = stored.filter(({ awaitsOperator }) => awaitsOperator).map(({ number }) => number);
  return (
    <Section
      title={t`Phone numbers`}
      lead={t`Numbers that patients call. A call to one of them begins the journey of a new patient.`}
      flush
      actions={
        <PlainButton
          label={t`Add a number`}
          icon={IconPlus}
          onClick={() => setItems([...items, { number: '', platformId: null, assistantId: null }])}
          isForAdmins
        />
      }
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ body: { items } });
        }}
      >
        {items.length === 0 ? (
          <Empty title={t`No number`} icon={IconPhone}>
            {t`Inbound calls need the number as the voice platform knows it.`}
          </Empty>
        ) : (
          <PlainList label={t`Phone numbers`}>
            {items.map((item, index) => (
              <NumberFields
                key={index}
                item={item}
                errorOf={(field) => refusedAt(save.error, `items.${index}.${field}`)}
                onChange={(part) => setItems(items.map((each, at) => (at === index ? { ...each, ...part } : each)))}
                onRemove={() => setItems(items.filter((_, at) => at !== index))}
              />
            ))}
          </PlainList>
        )}
        <Box p="md" pt="xs">
          {waiting.length > 0 && (
            <Text size="sm" mt="xs">
              <Trans>
                Waiting for the operator to confirm {waiting.join(', ')}. Until then the operator’s account takes no
                calls on it.
              </Trans>
            </Text>
          )}
          <Small mt="xs">
            {t`The platform and assistant ids are the voice platform’s own; the simulator needs none.`}
          </Small>
        </Box>
        <FormFooter
          place="list"
          label={t`Save all numbers`}
          isDirty={JSON.stringify(items) !== JSON.stringify(stored)}
          changed={changedIn(items, stored, ({ number }) => number || t`a new number`)}
          isSaving={save.isPending}
        />
      </form>
    </Section>
  );
}

interface NumberFieldsProps {
  item: PhoneNumber;
  errorOf: (field: keyof PhoneNumber) => string | null;
  onChange: (part: Partial<PhoneNumber>) => void;
  onRemove: () => void;
}

const NumberFields = ({
  item: { number, platformId, assistantId },
  errorOf,
  onChange,
  onRemove,
}: NumberFieldsProps) => (
  <AdminOnly>
    <div className={classes.number}>
      <TextInput
        label={labels.number}
        type="tel"
        placeholder="+15005550100"
        value={number}
        error={errorOf('number')}
        onChange={({ currentTarget }) => onChange({ number: currentTarget.value })}
      />
      <TextInput
        label={labels.platformId}
        value={platformId ?? ''}
        error={errorOf('platformId')}
        onChange={({ currentTarget }) => onChange({ platformId: currentTarget.value || null })}
      />
      <TextInput
        label={labels.assistantId}
        value={assistantId ?? ''}
        error={errorOf('assistantId')}
        onChange={({ currentTarget }) => onChange({ assistantId: currentTarget.value || null })}
      />
      <ActionIcon
        variant="default"
        size={36}
        className={classes.remove}
        aria-label={t`Remove ${number || t`the number`} from the list`}
        onClick={onRemove}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </div>
  </AdminOnly>
);
