import { Alert, Group, PasswordInput, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type * as api from '#api';
import { PageForm } from '#forms';
import { PlainButton } from '#parts';
import { plural, t } from '#texts';
import { accountAt } from './platform-names';
import { isUnreachable, whyNot } from './voice-account';
import { Step, type StepProps } from './voice-step';
import { labels } from './voice-values';

/** Whose account it is, and the key of the clinic's own, which is tried before it is kept. */
export function AccountStep({ settings, form, account, state }: StepProps & { settings: api.VoiceSettings }) {
  const { contents, isOpen, isAsking, isUnread, keptFinding, typedFinding, connect, askAgain } = account;
  const [key, setKey] = useState('');
  const [isReplacing, setReplacing] = useState(false);
  const platform = accountAt(form.values.provider);
  const isOwn = form.values.account === 'own';
  const isAsked = isOwn && !isUnread && (!isOpen || isReplacing);
  const submit = (event?: FormEvent<HTMLFormElement>) => {
    event?.preventDefault();
    connect(key, ({ assistants, numbers }) => {
      form.setFieldValue('apiKey', key);
      setKey('');
      setReplacing(false);
      // Where there is one only, nobody has to choose it.
      const { assistantId, phoneNumberId } = form.getValues();
      const [assistant, ...otherAssistants] = assistants;
      const [number, ...otherNumbers] = numbers.filter(({ isActive }) => isActive);
      if (assistantId === '' && assistant && otherAssistants.length === 0)
        form.setFieldValue('assistantId', assistant.id);
      if (phoneNumberId === null && number && otherNumbers.length === 0) form.setFieldValue('phoneNumberId', number.id);
    });
  };
  return (
    <Step
      number={1}
      title={t`Account`}
      lead={t`The account at ${platform} through which your patients are called.`}
      state={state}
    >
      {settings.hasOperatorAccount && (
        <Radio.Group label={t`Account`} {...form.getInputProps('account')}>
          <Stack gap="xs" mt="xs">
            <Radio
              value="operator"
              label={t`The operator’s`}
              description={t`Its number and assistant are used where you name none`}
            />
            <Radio value="own" label={t`Your own`} />
          </Stack>
        </Radio.Group>
      )}
      {isOwn && isOpen && !isReplacing && (
        <Group justify="space-between" gap="xs">
          <Text size="sm">
            {t`${platform} takes your key. The account has ${assistantCount(contents.assistants.length)} and ${numberCount(contents.numbers.length)}.`}
          </Text>
          <PlainButton label={t`Use another key`} size="xs" onClick={() => setReplacing(true)} isForAdmins />
        </Group>
      )}
      {isOwn && isUnread && <Text size="sm">{t`A key of your own is kept.`}</Text>}
      {isOwn && keptFinding && (
        <Alert
          color={isUnreachable(keptFinding) ? 'yellow' : 'red'}
          title={
            isUnreachable(keptFinding)
              ? t`What the account has could not be read`
              : t`The key that is kept does not open the account`
          }
          role="alert"
        >
          <Text size="sm">{whyNot(keptFinding)}</Text>
          <PlainButton label={t`Ask again`} size="xs" mt="xs" onClick={askAgain} isForAdmins />
        </Alert>
      )}
      {isAsked && (
        <PageForm
          form={{ submit, isSaving: isAsking }}
          action={isUnreachable(typedFinding) ? t`Try again` : t`Connect`}
          isDisabled={key.trim() === ''}
        >
          {typedFinding && isUnreachable(typedFinding) && (
            <Alert color="yellow" title={t`The key was not tried`} role="alert">
              <Text size="sm">{whyNot(typedFinding)}</Text>
            </Alert>
          )}
          <PasswordInput
            label={labels.apiKey}
            description={t`The private key of your ${platform} account: there under Organization, API keys. It is tried at once, stored encrypted when you save, and never read back`}
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': t`Show what you type` }}
            value={key}
            error={typedFinding && !isUnreachable(typedFinding) ? whyNot(typedFinding) : form.errors['apiKey']}
            onChange={({ currentTarget }) => setKey(currentTarget.value.trim())}
          />
        </PageForm>
      )}
    </Step>
  );
}

const assistantCount = (count: number) =>
  plural(count, { 0: 'no assistant', one: '# assistant', other: '# assistants' });
const numberCount = (count: number) => plural(count, { 0: 'no number', one: '# number', other: '# numbers' });
