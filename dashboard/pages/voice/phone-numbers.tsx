import { ActionIcon, Box, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import {
  changedIn,
  FormFooter,
  isOther,
  itemsOf,
  refusedAt,
  sayRefusedIn,
  StoredSettings,
  useAction,
  useSaved,
} from '#forms';
import { IconPhone, IconPlus, IconTrash } from '#icons';
import { PlainList } from '#lists';
import { AdminOnly, Empty, PlainButton, Section } from '#parts';
import { t, Trans } from '#texts';
import { Small, usePhone } from '#words';
import classes from './phone-numbers.module.css';
import { assistantChoices, numberChoices, useVoiceAccount, type VoiceAccount } from './voice-account';

type PhoneNumber = api.PhoneNumber;

const labels = { number: t`Number`, platformId: t`Platform id`, assistantId: t`Assistant id` };
/** Where the clinic's own account says what there is, nobody types ids. */
const chosen = { platformId: t`At the platform`, assistantId: t`Who takes calls to it` };

export const PhoneNumbers = () => (
  <StoredSettings query={useQuery({ ...api.getIntegrationsPhoneNumbersOptions(), select: itemsOf })} editor={Editor} />
);

function Editor({ stored }: { stored: PhoneNumber[] }) {
  const [items, setItems] = useState(stored);
  const saved = useSaved();
  const { data: voice } = useQuery(api.getIntegrationsVoiceOptions());
  const account = useVoiceAccount({ hasApiKey: voice?.hasApiKey === true });
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
                account={account}
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
          {!account.isOpen && (
            <Small mt="xs">
              {t`The platform and assistant ids are the voice platform’s own; the simulator needs none.`}
            </Small>
          )}
        </Box>
        <FormFooter
          place="list"
          label={t`Save all numbers`}
          isDirty={isOther(items, stored)}
          changed={changedIn(items, stored, ({ number }) => number || t`a new number`)}
          isSaving={save.isPending}
          isTypedSince={save.isPending && isOther(items, save.variables.body.items)}
        />
      </form>
    </Section>
  );
}

interface NumberFieldsProps {
  item: PhoneNumber;
  account: VoiceAccount;
  errorOf: (field: keyof PhoneNumber) => string | null;
  onChange: (part: Partial<PhoneNumber>) => void;
  onRemove: () => void;
}

const NumberFields = ({ item, account, errorOf, onChange, onRemove }: NumberFieldsProps) => (
  <AdminOnly>
    <div className={classes.number}>
      <TextInput
        label={labels.number}
        type="tel"
        placeholder="+15005550100"
        value={item.number}
        error={errorOf('number')}
        onChange={({ currentTarget }) => onChange({ number: currentTarget.value })}
      />
      {account.isOpen ? (
        <AtThePlatform item={item} account={account} errorOf={errorOf} onChange={onChange} />
      ) : (
        (['platformId', 'assistantId'] as const).map((field) => (
          <TextInput
            key={field}
            label={labels[field]}
            value={item[field] ?? ''}
            error={errorOf(field)}
            onChange={({ currentTarget }) => onChange({ [field]: currentTarget.value || null })}
          />
        ))
      )}
      <ActionIcon
        variant="default"
        size={36}
        className={classes.remove}
        aria-label={t`Remove ${item.number || t`the number`} from the list`}
        onClick={onRemove}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </div>
  </AdminOnly>
);

/** Which of the account's own numbers it is, and who takes calls to it. */
function AtThePlatform({ item, account, errorOf, onChange }: Omit<NumberFieldsProps, 'onRemove'>) {
  const written = usePhone();
  const { numbers } = account.contents;
  return (
    <>
      <Select
        label={chosen.platformId}
        placeholder={t`Choose a number`}
        clearable
        data={numberChoices(account, item.platformId, written)}
        value={item.platformId}
        error={errorOf('platformId')}
        onChange={(platformId) => {
          const number = numbers.find(({ id }) => id === platformId)?.number ?? item.number;
          onChange({ platformId, number });
        }}
      />
      <Select
        label={chosen.assistantId}
        placeholder={t`As in the voice settings`}
        searchable
        clearable
        data={assistantChoices(account, item.assistantId)}
        value={item.assistantId}
        error={errorOf('assistantId')}
        onChange={(assistantId) => onChange({ assistantId })}
      />
    </>
  );
}
