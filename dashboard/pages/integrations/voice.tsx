import {
  Alert,
  Anchor,
  Button,
  Group,
  NativeSelect,
  PasswordInput,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import {
  getIntegrationsPhoneNumbersOptions,
  getIntegrationsVoiceOptions,
  postIntegrationsVoiceCallMeMutation,
  postIntegrationsVoiceCheckMutation,
  postIntegrationsVoiceRotateSecretMutation,
  putIntegrationsVoiceMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { IconPhone, IconRefresh } from '../../icons';
import { AdminOnly } from '../../parts/admin';
import { CodeBlock } from '../../parts/copy';
import { DurationInput } from '../../parts/duration-input';
import { Editable, FormFooter, useSaved } from '../../parts/editable';
import { Moment } from '../../parts/moment';
import { useRefresh } from '../../parts/refresh';
import { detailsOf, showRefusal } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { SecretDialog, type ShownSecret } from '../../parts/secret-dialog';
import { Findings, SettingsCheck } from '../../parts/settings-check';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';
import { workflowName } from '../../parts/workflow-name';
import { labels, sentenceAt, toChange, toValues, type Values, workflowTypes } from './voice-values';

type Settings = Api.VoiceSettings;
type Form = UseFormReturnType<Values>;

export function Voice() {
  const settings = useQuery(getIntegrationsVoiceOptions());
  return (
    <Stack gap="lg">
      <Loaded query={settings}>
        {(data) => (
          <>
            <Editable stored={data}>{(stored) => <Editor settings={stored} />}</Editable>
            <CallMe />
            <Proof settings={data} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}

function Editor({ settings }: { settings: Settings }) {
  const saved = useSaved();
  const refreshAccount = useRefresh('account');
  const form = useForm<Values>({ initialValues: toValues(settings) });
  const { values } = form;
  const isLeaving = settings.provider === 'simulator' && values.provider === 'vapi';
  const save = useMutation({
    ...putIntegrationsVoiceMutation(),
    async onSuccess({ provider }) {
      sayDone(
        provider === settings.provider
          ? 'Saved.'
          : provider === 'vapi'
            ? 'Saved. Real phones ring from now on.'
            : 'Saved. Nobody is called any more.',
      );
      await Promise.all([saved(), refreshAccount()]);
    },
    onError: (error) => showRefusal(form, error, labels),
  });
  const isDirty = form.isDirty();
  const submit = (given: Values) => {
    const send = () => save.mutate({ body: toChange(given) });
    if (!isLeaving) return send();
    modals.openConfirmModal({
      title: 'Leave the simulator?',
      children: (
        <Text size="sm">
          Real phones ring from then on. The platform is asked first whether calls can be placed; where they cannot,
          nothing is changed.
        </Text>
      ),
      labels: { confirm: 'Leave it', cancel: 'Stay' },
      onConfirm: send,
    });
  };
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="lg">
        <Section title="Voice" lead="Who places the calls to your patients, and through which account.">
          <AdminOnly>
            <Stack>
              <Radio.Group label={labels.provider} {...form.getInputProps('provider')}>
                <Stack gap="xs" mt="xs">
                  <Radio
                    value="simulator"
                    label="Are played by the simulator"
                    description={settings.maySimulate ? 'Nobody is called' : 'For demos only'}
                    disabled={!settings.maySimulate}
                  />
                  <Radio value="vapi" label="Ring real phones, through Vapi" />
                </Stack>
              </Radio.Group>
              <Account form={form} settings={settings} />
            </Stack>
          </AdminOnly>
        </Section>
        <Section title="Number and assistants" lead="By the ids that the platform has given them.">
          <AdminOnly>
            <Stack>
              <CallFrom form={form} />
              <TextInput
                label={labels.assistantId}
                description="Talks in all calls for which no other is named below"
                autoComplete="off"
                {...form.getInputProps('assistantId')}
              />
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                {workflowTypes.map((type) => (
                  <TextInput
                    key={type}
                    label={workflowName(type)}
                    aria-label={`Assistant id: ${workflowName(type)}`}
                    autoComplete="off"
                    {...form.getInputProps(`assistants.${type}`)}
                  />
                ))}
              </SimpleGrid>
            </Stack>
          </AdminOnly>
        </Section>
        <Section title="How calls go">
          <AdminOnly>
            <HowCallsGo form={form} />
          </AdminOnly>
        </Section>
        {save.error && detailsOf(save.error).length > 0 && isLeaving && (
          <Findings
            title="The clinic stays on the simulator"
            color="red"
            findings={detailsOf(save.error)}
            say={sentenceAt}
          />
        )}
        <FormFooter isDirty={isDirty} isSaving={save.isPending} />
        <Check isSaved={!isDirty} />
      </Stack>
    </form>
  );
}

function Account({ form, settings }: { form: Form; settings: Settings }) {
  const isOwn = form.values.account === 'own';
  return (
    <>
      {settings.hasOperatorAccount && (
        <Radio.Group label="Account" {...form.getInputProps('account')}>
          <Stack gap="xs" mt="xs">
            <Radio
              value="operator"
              label="The operator’s"
              description="Its number and its assistant talk where you name none"
            />
            <Radio value="own" label="Your own" />
          </Stack>
        </Radio.Group>
      )}
      {isOwn && (
        <PasswordInput
          label={labels.apiKey}
          description="The private key of your Vapi account. Stored encrypted, never read back"
          placeholder={settings.hasApiKey ? 'Leave empty to keep the one that is stored' : undefined}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': 'Show what you type' }}
          {...form.getInputProps('apiKey')}
        />
      )}
      {isOwn && (
        <TextInput
          label={labels.credentialId}
          description="Of the credential that holds the secret below. Empty: the secret is sent along with every call"
          autoComplete="off"
          {...form.getInputProps('credentialId')}
        />
      )}
    </>
  );
}

function CallFrom({ form }: { form: Form }) {
  const numbers = useQuery(getIntegrationsPhoneNumbersOptions());
  const known = (numbers.data?.items ?? []).flatMap(({ number, platformId }) =>
    platformId === null ? [] : [{ value: platformId, label: number }],
  );
  const { phoneNumberId } = form.values;
  const isLost = phoneNumberId !== null && numbers.isSuccess && known.every(({ value }) => value !== phoneNumberId);
  return (
    <Select
      label={labels.phoneNumberId}
      description={
        <>
          One of{' '}
          <Anchor component={Link} to="/integrations/phone-numbers" inherit underline="always">
            your phone numbers
          </Anchor>{' '}
          that has a platform id
        </>
      }
      placeholder={known.length === 0 ? 'No number has a platform id yet' : 'Choose a number'}
      data={isLost ? [...known, { value: phoneNumberId, label: `${phoneNumberId} (none of yours any more)` }] : known}
      clearable
      {...form.getInputProps('phoneNumberId')}
    />
  );
}

function HowCallsGo({ form }: { form: Form }) {
  const { values, errors, setFieldValue } = form;
  const box = (path: string) => form.getInputProps(path, { type: 'checkbox' });
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label={labels.transferTo}
          description="Who asks for a person is put through, in calling hours. Empty: nobody is"
          type="tel"
          placeholder="+15005550100"
          {...form.getInputProps('transferTo')}
        />
        <DurationInput
          label={labels.maxCallSeconds}
          description="The platform hangs up after that"
          seconds={values.maxCallSeconds}
          error={errors['maxCallSeconds']}
          onChange={(seconds) => setFieldValue('maxCallSeconds', seconds)}
        />
      </SimpleGrid>
      <Switch label={labels['voicemail.isDetected']} {...box('voicemail.isDetected')} />
      <Switch
        label={labels['voicemail.leavesMessage']}
        description="Your name and the number to call back, nothing of the patient. Off: it hangs up"
        disabled={!values.voicemail.isDetected}
        {...box('voicemail.leavesMessage')}
      />
      <Switch label={labels['recording.isOn']} {...box('recording.isOn')} />
      <Switch
        label={labels['recording.isDisclosed']}
        description="“This call is recorded.”, after the sentence that says who calls"
        disabled={!values.recording.isOn}
        {...box('recording.isDisclosed')}
      />
      <Switch label={labels.isHipaa} description="The account needs that add-on" {...box('isHipaa')} />
    </Stack>
  );
}

/** Asks the platform about the settings as they are saved. */
function Check({ isSaved }: { isSaved: boolean }) {
  const { mutate, isPending, data } = useMutation({ ...postIntegrationsVoiceCheckMutation(), onError: sayFailed });
  return (
    <SettingsCheck
      lead="Asks the platform whether it knows these assistants and this number. Nobody is called."
      isSaved={isSaved}
      isPending={isPending}
      onCheck={() => mutate({})}
    >
      {data && <Checked check={data} />}
    </SettingsCheck>
  );
}

function Checked({ check: { passed, findings } }: { check: Api.VoiceCheck }) {
  const problems = findings.filter(({ isProblem }) => isProblem);
  const notes = findings.filter(({ isProblem }) => !isProblem);
  return (
    <Stack gap="sm">
      {passed ? (
        <Alert color="green" title="Calls can be placed" />
      ) : (
        <Findings title="Calls would fail" color="red" findings={problems} say={sentenceAt} />
      )}
      {notes.length > 0 && <Findings title="Good to know" color="yellow" findings={notes} say={sentenceAt} />}
    </Stack>
  );
}

/** Rings whoever asks for it, as a patient would be rung. */
function CallMe() {
  const form = useForm<{ phone: string; workflowType: Api.WorkflowType }>({
    initialValues: { phone: '', workflowType: 'appointment-reminder' },
  });
  const call = useMutation({
    ...postIntegrationsVoiceCallMeMutation(),
    onSuccess: () => sayDone('Your phone is about to ring.'),
    onError: (error) => showRefusal(form, error, { phone: 'Your number', workflowType: 'As in' }),
  });
  return (
    <Section
      title="Call me"
      lead="Rings a number of your own with the settings as they are saved. Your phone really rings, also while the simulator plays your patients."
    >
      <AdminOnly>
        <form onSubmit={form.onSubmit((body) => call.mutate({ body }))} noValidate>
          <Stack>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput
                label="Your number"
                type="tel"
                autoComplete="tel"
                placeholder="+15005550100"
                {...form.getInputProps('phone')}
              />
              <NativeSelect
                label="As in"
                data={workflowTypes.map((type) => ({ value: type, label: workflowName(type) }))}
                {...form.getInputProps('workflowType')}
              />
            </SimpleGrid>
            <Group>
              <Button
                type="submit"
                variant="default"
                leftSection={<IconPhone size={16} aria-hidden />}
                loading={call.isPending}
              >
                Call me
              </Button>
            </Group>
          </Stack>
        </form>
      </AdminOnly>
    </Section>
  );
}

/** What the platform needs in order to reach this service, and to prove that it is the platform. */
function Proof({ settings }: { settings: Settings }) {
  const [shown, setShown] = useState<ShownSecret | null>(null);
  const refresh = useRefresh('integrations');
  const rotate = useMutation({
    ...postIntegrationsVoiceRotateSecretMutation(),
    onSuccess: ({ secret }) =>
      setShown({
        title: 'The new secret of the platform',
        what: 'the secret',
        secret,
        note: 'The platform sends it as x-voice-secret. The old one is accepted for 24 hours.',
      }),
    onError: sayFailed,
    onSettled: refresh,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: 'Make a new secret?',
      children: (
        <Text size="sm">The one before is accepted for 24 hours. Put the new one wherever the platform keeps it.</Text>
      ),
      labels: { confirm: 'Make it', cancel: 'Leave it' },
      onConfirm: () => rotate.mutate({}),
    });
  return (
    <Section
      title="How the platform reaches us"
      lead="Calls that we place carry this themselves. Numbers that patients call need it at the platform."
    >
      <Stack>
        <CodeBlock what="the server URL" text={settings.serverUrl} wraps />
        <Text size="sm">
          {settings.secret ? (
            <>
              The secret of this clinic was made <Moment at={settings.secret.createdAt} />
              {settings.secret.lastUsedAt ? (
                <>
                  {' '}
                  and last used <Moment at={settings.secret.lastUsedAt} />.
                </>
              ) : (
                ', and was not used yet.'
              )}
            </>
          ) : (
            'There is no secret of this clinic yet. One is made when you save a key of your own.'
          )}
        </Text>
        <AdminOnly>
          <Button
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={rotate.isPending}
            onClick={ask}
          >
            {settings.secret ? 'Make a new secret' : 'Make a secret'}
          </Button>
        </AdminOnly>
        <SecretDialog shown={shown} onClose={() => setShown(null)} />
      </Stack>
    </Section>
  );
}
