import { SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { DurationInput, type FilledForm } from '#forms';
import { t } from '#texts';
import { labels, type Values } from './voice-values';

/** How calls go at the platform, field by field. */
export function CallStyle({ form }: { form: FilledForm<Values> }) {
  const { values } = form;
  const box = (path: string) => form.getInputProps(path, { type: 'checkbox' });
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          description={t`Callers who ask for a person are transferred, during calling hours. Empty: no transfer`}
          type="tel"
          placeholder="+15005550100"
          {...form.field('transferTo')}
        />
        <DurationInput
          limits={t`from 30 seconds to 1 hour`}
          description={t`The platform hangs up after that`}
          {...form.field('maxCallSeconds')}
        />
      </SimpleGrid>
      <Switch label={labels['voicemail.isDetected']} {...box('voicemail.isDetected')} />
      <Switch
        label={labels['voicemail.leavesMessage']}
        description={t`Your name and the number to call back, nothing of the patient. Off: it hangs up`}
        disabled={!values.voicemail.isDetected}
        {...box('voicemail.leavesMessage')}
      />
      <Switch label={labels['recording.isOn']} {...box('recording.isOn')} />
      <Switch
        label={labels['recording.isDisclosed']}
        description={t`“This call is recorded.”, after the sentence that says who calls`}
        disabled={!values.recording.isOn}
        {...box('recording.isDisclosed')}
      />
      {values.account === 'own' && (
        <TextInput
          description={t`Of the credential at the platform that holds the secret below. Empty: the secret is sent along with every call`}
          autoComplete="off"
          {...form.field('credentialId')}
        />
      )}
      <Switch label={labels.isHipaa} description={t`The account needs that add-on`} {...box('isHipaa')} />
    </Stack>
  );
}
