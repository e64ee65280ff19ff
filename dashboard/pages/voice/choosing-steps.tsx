import { Alert, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { PlainButton, workflowName, workflowTypeNames } from '#parts';
import { t, Trans } from '#texts';
import { TextLink, usePhone } from '#words';
import { assistantChoices, numberChoices, type VoiceAccount, withKept } from './voice-account';
import { Step, type StepProps } from './voice-step';
import { labels } from './voice-values';

/** Who talks: chosen by name from the clinic's own account, by id where that cannot be looked into. */
export function AssistantStep({ form, account, state }: StepProps) {
  const [wantsNames, setWantsNames] = useState(false);
  const isNaming =
    wantsNames ||
    Object.values(form.values.assistants).some((id) => id !== '') ||
    Object.keys(form.errors).some((path) => path.startsWith('assistants.'));
  const { isOpen, contents } = account;
  const isOwn = form.values.account === 'own';
  const isEmpty = isOwn && isOpen && contents.assistants.length === 0;
  return (
    <Step
      number={2}
      title={t`Assistant`}
      lead={t`Who talks with your patients, by the name that it has at the platform.`}
      state={state}
      after={t`Once the account is connected, you choose one of its assistants here, and another for some calls if you like.`}
    >
      {isEmpty && (
        <NoneThere account={account} title={t`The account has no assistant yet`}>
          {t`Create one at the platform, or have your operator create them all with “voice sync”. Then look again.`}
        </NoneThere>
      )}
      {!isEmpty && (
        <AssistantField
          form={form}
          account={account}
          path="assistantId"
          label={labels.assistantId}
          description={
            isOwn
              ? t`Used for all calls for which no other is named`
              : t`An id that the operator gave you. Empty: the operator’s is used`
          }
        />
      )}
      {!isEmpty && !isNaming && (
        <div>
          <PlainButton
            label={t`Name another for some calls`}
            size="xs"
            onClick={() => setWantsNames(true)}
            isForAdmins
          />
        </div>
      )}
      {!isEmpty && isNaming && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {workflowTypeNames.map((type) => (
            <AssistantField
              key={type}
              form={form}
              account={account}
              path={`assistants.${type}`}
              label={workflowName(type)}
              name={(labels as Record<string, string>)[`assistants.${type}`]}
            />
          ))}
        </SimpleGrid>
      )}
    </Step>
  );
}

interface AssistantFieldProps extends Pick<StepProps, 'form' | 'account'> {
  path: 'assistantId' | `assistants.${api.WorkflowType}`;
  label: string;
  name?: string;
  description?: string;
}

function AssistantField({ form, account, path, label, name, description }: AssistantFieldProps) {
  const { value, onChange, ...input } = form.getInputProps(path);
  const shown = { ...input, label, description, 'aria-label': name };
  if (form.values.account !== 'own')
    return <TextInput autoComplete="off" {...shown} value={value} onChange={onChange} />;
  return (
    <Select
      placeholder={path === 'assistantId' ? t`Choose an assistant` : t`The one above`}
      searchable
      clearable
      data={assistantChoices(account, value)}
      {...shown}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
    />
  );
}

/** Which number patients see: one of the account's own, or one of those that the operator has given the clinic. */
export function NumberStep({ form, account, state }: StepProps) {
  const written = usePhone();
  const isOwn = form.values.account === 'own';
  const numbers = useQuery({ ...api.getIntegrationsPhoneNumbersOptions(), enabled: !isOwn });
  const { phoneNumberId } = form.values;
  const given = (numbers.data?.items ?? []).flatMap(({ number, platformId }) =>
    platformId === null ? [] : [{ value: platformId, label: written(number) }],
  );
  const choices = isOwn ? numberChoices(account, phoneNumberId, written) : withKept(given, phoneNumberId, account);
  const isEmpty = isOwn && account.isOpen && account.contents.numbers.length === 0;
  return (
    <Step
      number={3}
      title={t`Number to call from`}
      lead={t`What your patients see when the phone rings.`}
      state={state}
      after={t`Once the account is connected, you choose one of its numbers here.`}
    >
      {isEmpty ? (
        <NoneThere account={account} title={t`The account has no phone number yet`}>
          {t`Buy one at the platform, or bring your own there. Then look again.`}
        </NoneThere>
      ) : (
        <Select
          description={
            isOwn ? (
              t`It becomes one of your phone numbers, so calls to it are taken too`
            ) : (
              <Trans>
                One of <TextLink to="/connections/phone-numbers">your phone numbers</TextLink> that has a platform id
              </Trans>
            )
          }
          placeholder={isOwn || given.length > 0 ? t`Choose a number` : t`No number has a platform id yet`}
          data={choices}
          clearable
          {...form.field('phoneNumberId')}
        />
      )}
    </Step>
  );
}

const NoneThere = ({ account, title, children }: { account: VoiceAccount; title: string; children: string }) => (
  <Alert color="yellow" title={title}>
    <Text size="sm">{children}</Text>
    <PlainButton
      label={t`Look again`}
      size="xs"
      mt="xs"
      loading={account.isAsking}
      onClick={account.askAgain}
      isForAdmins
    />
  </Alert>
);
