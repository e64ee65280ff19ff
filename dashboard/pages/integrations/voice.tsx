import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
          ? t`Saved.`
          : provider === 'vapi'
            ? t`Saved. Real phones ring from now on.`
            : t`Saved. Nobody is called any more.`,
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
      title: t`Leave the simulator?`,
      children: (
        <Text size="sm">
          <Trans>
            Real phones ring from then on. The platform is asked first whether calls can be placed; where they cannot,
            nothing is changed.
          </Trans>
        </Text>
      ),
      labels: { confirm: t`Leave it`, cancel: t`Stay` },
      onConfirm: send,
    });
  };
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="lg">
        <Section title={t`Voice`} lead={t`Who places the calls to your patients, and through which account.`}>
          <AdminOnly>
            <Stack>
              <Radio.Group label={labels.provider} {...form.getInputProps('provider')}>
                <Stack gap="xs" mt="xs">
                  <Radio
                    value="simulator"
                    label={t`Are played by the simulator`}
                    description={settings.maySimulate ? t`Nobody is called` : t`For demos only`}
                    disabled={!settings.maySimulate}
                  />
                  <Radio value="vapi" label={t`Ring real phones, through Vapi`} />
                </Stack>
              </Radio.Group>
              <Account form={form} settings={settings} />
            </Stack>
          </AdminOnly>
        </Section>
        <Section title={t`Number and assistants`} lead={t`By the ids that the platform has given them.`}>
          <AdminOnly>
            <Stack>
              <CallFrom form={form} />
              <TextInput
                label={labels.assistantId}
                description={t`Talks in all calls for which no other is named below`}
                autoComplete="off"
                {...form.getInputProps('assistantId')}
              />
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                {workflowTypes.map((type) => (
                  <TextInput
                    key={type}
                    label={workflowName(type)}
                    aria-label={t`Assistant id: ${workflowName(type)}`}
                    autoComplete="off"
                    {...form.getInputProps(`assistants.${type}`)}
                  />
                ))}
              </SimpleGrid>
            </Stack>
          </AdminOnly>
        </Section>
        <Section title={t`How calls go`}>
          <AdminOnly>
            <HowCallsGo form={form} />
          </AdminOnly>
        </Section>
        {save.error && detailsOf(save.error).length > 0 && isLeaving && (
          <Findings
            title={t`The clinic stays on the simulator`}
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
        <Radio.Group label={t`Account`} {...form.getInputProps('account')}>
          <Stack gap="xs" mt="xs">
            <Radio
              value="operator"
              label={t`The operator’s`}
              description={t`Its number and its assistant talk where you name none`}
            />
            <Radio value="own" label={t`Your own`} />
          </Stack>
        </Radio.Group>
      )}
      {isOwn && (
        <PasswordInput
          label={labels.apiKey}
          description={t`The private key of your Vapi account. Stored encrypted, never read back`}
          placeholder={settings.hasApiKey ? t`Leave empty to keep the one that is stored` : undefined}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': t`Show what you type` }}
          {...form.getInputProps('apiKey')}
        />
      )}
      {isOwn && (
        <TextInput
          label={labels.credentialId}
          description={t`Of the credential that holds the secret below. Empty: the secret is sent along with every call`}
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
        <Trans>
          One of{' '}
          <Anchor component={Link} to="/connections/phone-numbers" inherit underline="always">
            your phone numbers
          </Anchor>{' '}
          that has a platform id
        </Trans>
      }
      placeholder={known.length === 0 ? t`No number has a platform id yet` : t`Choose a number`}
      data={isLost ? [...known, { value: phoneNumberId, label: t`${phoneNumberId} (none of yours any more)` }] : known}
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
          description={t`Who asks for a person is put through, in calling hours. Empty: nobody is`}
          type="tel"
          placeholder="+15005550100"
          {...form.getInputProps('transferTo')}
        />
        <DurationInput
          label={labels.maxCallSeconds}
          description={t`The platform hangs up after that`}
          seconds={values.maxCallSeconds}
          error={errors['maxCallSeconds']}
          onChange={(seconds) => setFieldValue('maxCallSeconds', seconds)}
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
      <Switch label={labels.isHipaa} description={t`The account needs that add-on`} {...box('isHipaa')} />
    </Stack>
  );
}

/** Asks the platform about the settings as they are saved. */
function Check({ isSaved }: { isSaved: boolean }) {
  const { mutate, isPending, data } = useMutation({ ...postIntegrationsVoiceCheckMutation(), onError: sayFailed });
  return (
    <SettingsCheck
      lead={t`Asks the platform whether it knows these assistants and this number. Nobody is called.`}
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
        <Alert color="green" title={t`Calls can be placed`} />
      ) : (
        <Findings title={t`Calls would fail`} color="red" findings={problems} say={sentenceAt} />
      )}
      {notes.length > 0 && <Findings title={t`Good to know`} color="yellow" findings={notes} say={sentenceAt} />}
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
    onSuccess: () => sayDone(t`Your phone is about to ring.`),
    onError: (error) => showRefusal(form, error, { phone: t`Your number`, workflowType: t`As in` }),
  });
  return (
    <Section
      title={t`Call me`}
      lead={t`Rings a number of your own with the settings as they are saved. Your phone really rings, also while the simulator plays your patients.`}
    >
      <AdminOnly>
        <form onSubmit={form.onSubmit((body) => call.mutate({ body }))} noValidate>
          <Stack>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput
                label={t`Your number`}
                type="tel"
                autoComplete="tel"
                placeholder="+15005550100"
                {...form.getInputProps('phone')}
              />
              <NativeSelect
                label={t`As in`}
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
                <Trans>Call me</Trans>
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
        title: t`The new secret of the platform`,
        what: t`the secret`,
        secret,
        note: t`The platform sends it as x-voice-secret. The old one is accepted for 24 hours.`,
      }),
    onError: sayFailed,
    onSettled: refresh,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: t`Make a new secret?`,
      children: (
        <Text size="sm">
          <Trans>The one before is accepted for 24 hours. Put the new one wherever the platform keeps it.</Trans>
        </Text>
      ),
      labels: { confirm: t`Make it`, cancel: t`Leave it` },
      onConfirm: () => rotate.mutate({}),
    });
  return (
    <Section
      title={t`How the platform reaches us`}
      lead={t`Calls that we place carry this themselves. Numbers that patients call need it at the platform.`}
    >
      <Stack>
        <CodeBlock what={t`the server URL`} text={settings.serverUrl} wraps />
        <Text size="sm">
          {settings.secret ? (
            <>
              <Trans>
                The secret of this clinic was made <Moment at={settings.secret.createdAt} />
              </Trans>
              {settings.secret.lastUsedAt ? (
                <>
                  {' '}
                  <Trans>
                    and last used <Moment at={settings.secret.lastUsedAt} />.
                  </Trans>
                </>
              ) : (
                t`, and was not used yet.`
              )}
            </>
          ) : (
            t`There is no secret of this clinic yet. One is made when you save a key of your own.`
          )}
        </Text>
        <AdminOnly>
          <Button
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={rotate.isPending}
            onClick={ask}
          >
            {settings.secret ? t`Make a new secret` : t`Make a secret`}
          </Button>
        </AdminOnly>
        <SecretDialog shown={shown} onClose={() => setShown(null)} />
      </Stack>
    </Section>
  );
}
