import { NativeSelect, PasswordInput, Radio, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent } from 'react';
import * as api from '#api';
import {
  DurationInput,
  Editable,
  Findings,
  FormFooter,
  PageForm,
  ServiceButton,
  SettingsCheck,
  confirm,
  detailsOf,
  showSecret,
  type FilledForm,
  useAction,
  useActionForm,
  useSettingsForm,
} from '#forms';
import { IconPhone, IconRefresh } from '#icons';
import { CodeBlock, Loaded, Section, workflowName, workflowTypeNames } from '#parts';
import { t, Trans } from '#texts';
import { Moment, TextLink, PageLink } from '#words';
import { accountAt, realPlatforms } from './platform-names';
import { labels, sentenceAt, toChange, toValues, type Values } from './voice-values';

type Settings = api.VoiceSettings;
type Form = FilledForm<Values>;

export function Voice() {
  const settings = useQuery(api.getIntegrationsVoiceOptions());
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
  const form = useSettingsForm(api.putIntegrationsVoiceMutation(), {
    initialValues: toValues(settings),
    labels,
    request: (values) => ({ body: toChange(values) }),
    done: ({ provider }) => savedWords(settings.provider, provider),
    refresh: ['account'],
  });
  const isLeaving = settings.provider === 'simulator' && form.values.provider !== 'simulator';
  const isDirty = form.isDirty();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isLeaving) return form.submit();
    confirm({
      title: t`Leave the simulator?`,
      what: t`Real phones ring from then on. The platform is asked first whether calls can be placed; where they cannot, nothing is changed.`,
      yes: t`Leave the simulator`,
      no: t`Stay`,
      onYes: () => form.submit(),
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <Section
          title={t`Voice`}
          lead={t`Who places the calls to your patients, and through which account.`}
          isForAdmins
          gap="md"
        >
          <Radio.Group {...form.field('provider')}>
            <Stack gap="xs" mt="xs">
              <Radio
                value="simulator"
                label={t`Played by the simulator`}
                description={settings.maySimulate ? t`Nobody is called` : t`For demos only`}
                disabled={!settings.maySimulate}
              />
              {realPlatforms.map(({ platform, name }) => (
                <Radio key={platform} value={platform} label={t`Ring real phones, through ${name}`} />
              ))}
            </Stack>
          </Radio.Group>
          <Account form={form} settings={settings} />
        </Section>
        <Assistants form={form} />
        <Section title={t`During calls`} isForAdmins>
          <HowCallsGo form={form} />
        </Section>
        {detailsOf(form.error).length > 0 && isLeaving && (
          <Findings
            title={t`The clinic stays on the simulator`}
            color="red"
            findings={detailsOf(form.error)}
            say={sentenceAt}
          />
        )}
        <FormFooter place="page" isDirty={isDirty} changed={form.changed} isSaving={form.isSaving} />
        <Check isSaved={!isDirty} />
      </Stack>
    </form>
  );
}

function savedWords(before: Settings['provider'], now: Settings['provider']): string {
  if (now === before) return t`Saved.`;
  return now === 'simulator' ? t`Saved. Nobody is called any more.` : t`Saved. Real phones ring from now on.`;
}

function Account({ form, settings }: { form: Form; settings: Settings }) {
  const isOwn = form.values.account === 'own';
  const platform = accountAt(form.values.provider);
  return (
    <>
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
      {isOwn && (
        <PasswordInput
          description={t`The private key of your ${platform} account. Stored encrypted, never read back`}
          placeholder={settings.hasApiKey ? t`Leave empty to keep the one that is stored` : undefined}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': t`Show what you type` }}
          {...form.field('apiKey')}
        />
      )}
      {isOwn && (
        <TextInput
          description={t`Of the credential that holds the secret below. Empty: the secret is sent along with every call`}
          autoComplete="off"
          {...form.field('credentialId')}
        />
      )}
    </>
  );
}

const Assistants = ({ form }: { form: Form }) => (
  <Section title={t`Number and assistants`} lead={t`By the ids that the platform has given them.`} isForAdmins gap="md">
    <CallFrom form={form} />
    <TextInput
      description={t`Used for all calls for which no other is named below`}
      autoComplete="off"
      {...form.field('assistantId')}
    />
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {workflowTypeNames.map((type) => (
        <TextInput
          key={type}
          label={workflowName(type)}
          aria-label={t`Assistant id: ${workflowName(type)}`}
          autoComplete="off"
          {...form.getInputProps(`assistants.${type}`)}
        />
      ))}
    </SimpleGrid>
  </Section>
);

function CallFrom({ form }: { form: Form }) {
  const numbers = useQuery(api.getIntegrationsPhoneNumbersOptions());
  const known = (numbers.data?.items ?? []).flatMap(({ number, platformId }) =>
    platformId === null ? [] : [{ value: platformId, label: number }],
  );
  const { phoneNumberId } = form.values;
  const isLost = phoneNumberId !== null && numbers.isSuccess && known.every(({ value }) => value !== phoneNumberId);
  return (
    <Select
      description={
        <Trans>
          One of <TextLink to="/connections/phone-numbers">your phone numbers</TextLink> that has a platform id
        </Trans>
      }
      placeholder={known.length === 0 ? t`No number has a platform id yet` : t`Choose a number`}
      data={isLost ? [...known, { value: phoneNumberId, label: t`${phoneNumberId} (none of yours any more)` }] : known}
      clearable
      {...form.field('phoneNumberId')}
    />
  );
}

function HowCallsGo({ form }: { form: Form }) {
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
        <DurationInput description={t`The platform hangs up after that`} {...form.field('maxCallSeconds')} />
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
const Check = ({ isSaved }: { isSaved: boolean }) => (
  <SettingsCheck
    lead={t`Asks the platform whether it knows these assistants and this number. Nobody is called.`}
    isSaved={isSaved}
    action={useAction(api.postIntegrationsVoiceCheckMutation())}
    words={{ passed: t`Calls can be placed`, problems: t`Calls would fail`, notes: t`Good to know` }}
    say={sentenceAt}
  />
);

const reminder: { phone: string; workflowType: api.WorkflowType } = { phone: '', workflowType: 'appointment-reminder' };

/** Calls the person who asks for it, as a patient would be called. */
function CallMe() {
  const form = useActionForm(api.postIntegrationsVoiceCallMeMutation(), {
    initialValues: reminder,
    labels: { phone: t`Your number`, workflowType: t`Workflow to play` },
    request: (body) => ({ body }),
    keepsValues: true,
    done: t`Your phone is about to ring.`,
  });
  return (
    <Section
      title={t`Call me`}
      lead={t`Rings a number of your own with the settings as they are saved. Your phone really rings, also while the simulator plays your patients.`}
      isForAdmins
    >
      <PageForm form={form} action={t`Call me`} variant="default" icon={IconPhone}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput type="tel" autoComplete="tel" placeholder="+15005550100" {...form.field('phone')} />
          <NativeSelect
            data={workflowTypeNames.map((type) => ({ value: type, label: workflowName(type) }))}
            {...form.field('workflowType')}
          />
        </SimpleGrid>
      </PageForm>
      {form.data && <PageLink to={`/calls/${form.data.callId}`}>{t`Follow the call step by step`}</PageLink>}
    </Section>
  );
}

/** What the platform needs in order to reach this service, and to prove that it is the platform. */
const Proof = ({ settings }: { settings: Settings }) => (
  <Section
    title={t`How the platform reaches us`}
    lead={t`Calls that we place carry this themselves. Numbers that patients call need it at the platform.`}
    gap="md"
  >
    <CodeBlock what={t`the server URL`} text={settings.serverUrl} wraps />
    <Text size="sm">
      {settings.secret ? (
        <>
          <Trans>
            The secret of this clinic was created <Moment at={settings.secret.createdAt} />
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
        t`This clinic has no secret yet. One is created when you save a key of your own.`
      )}
    </Text>
    <ServiceButton
      does={api.postIntegrationsVoiceRotateSecretMutation()}
      onDone={({ secret }) =>
        showSecret({
          title: t`The new secret of the platform`,
          what: t`the secret`,
          secret,
          note: t`The platform sends it as x-voice-secret. The old one is accepted for 24 hours.`,
        })
      }
      refresh={['integrations']}
      request={{}}
      ask={{
        title: t`Create a new secret?`,
        what: t`The one before is accepted for 24 hours. Put the new one wherever the platform keeps it.`,
        yes: t`Create it`,
        no: t`Cancel`,
      }}
      icon={IconRefresh}
      label={settings.secret ? t`Create a new secret` : t`Create a secret`}
      isForAdmins
    />
  </Section>
);
