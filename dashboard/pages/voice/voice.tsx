import { Divider, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import * as api from '#api';
import {
  CheckedSettings,
  confirm,
  detailsOf,
  Editable,
  Findings,
  FormFooter,
  formStateOf,
  useAction,
  useSettingsForm,
} from '#forms';
import { IconPhone } from '#icons';
import { Loaded, PlainButton } from '#parts';
import { t } from '#texts';
import { Quiet } from '#words';
import { AccountStep } from './account-step';
import { CallMe } from './call-me';
import { AssistantStep, NumberStep } from './choosing-steps';
import { HowCallsGo } from './how-calls-go';
import { accountAt, realPlatforms } from './platform-names';
import { PlatformProof } from './platform-proof';
import { statesOf } from './step-states';
import { useVoiceAccount } from './voice-account';
import { Step } from './voice-step';
import { labels, sentenceAt, toChange, toValues } from './voice-values';

type Settings = api.VoiceSettings;

/** From the key of an account at the voice platform to phones that ring, step by step: a step asks once its turn has come. */
export function Voice() {
  const settings = useQuery(api.getIntegrationsVoiceOptions());
  const check = useAction(api.postIntegrationsVoiceCheckMutation());
  return (
    <Loaded query={settings}>
      {(data) => (
        <Stack gap="lg">
          <Editable stored={data}>{(stored) => <Steps settings={stored} check={check} />}</Editable>
          <PlatformProof settings={data} />
        </Stack>
      )}
    </Loaded>
  );
}

function Steps({ settings, check }: { settings: Settings; check: Parameters<typeof CheckedSettings>[0]['action'] }) {
  const account = useVoiceAccount(settings);
  const form = useSettingsForm(api.putIntegrationsVoiceMutation(), {
    initialValues: toValues(settings),
    labels,
    request: (values) => ({ body: toChange(values) }),
    done: ({ provider }) => savedWords(settings.provider, provider),
    onDone: () => check.mutate({}),
  });
  const isDirty = form.isDirty();
  const isReal = settings.provider !== 'simulator';
  const isLeaving = !isReal && form.values.provider !== 'simulator';
  const leave = (platform: Settings['provider']) =>
    confirm({
      title: t`Leave the simulator?`,
      what: t`Real phones ring from then on. The platform is asked first whether calls can be placed; where they cannot, nothing is changed.`,
      yes: t`Leave the simulator`,
      no: t`Stay`,
      onYes() {
        form.setFieldValue('provider', platform);
        form.submit();
      },
    });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isLeaving) leave(form.values.provider);
    else form.submit();
  };
  const states = statesOf({ settings, form, account, passed: check.data?.passed });
  const isComplete = [states.account, states.assistant, states.number].every((state) => state === 'done');
  return (
    <>
      <AccountStep settings={settings} form={form} account={account} state={states.account} />
      <form onSubmit={submit} noValidate>
        <Stack gap="lg">
          <AssistantStep form={form} account={account} state={states.assistant} />
          <NumberStep form={form} account={account} state={states.number} />
          <HowCallsGo form={form} />
          {detailsOf(form.error).length > 0 && isLeaving && (
            <Findings
              title={t`The clinic stays on the simulator`}
              color="red"
              findings={detailsOf(form.error)}
              say={sentenceAt}
            />
          )}
          <FormFooter place="page" {...formStateOf(form)} />
        </Stack>
      </form>
      <Step
        number={4}
        title={t`Try it`}
        lead={t`Asks the platform whether calls can be placed as it is saved here. Nobody is called.`}
        state={states.check}
        after={t`Once an account, an assistant and a number are saved, you have the platform asked here, and can have your own phone ring.`}
      >
        <CheckedSettings
          isSaved={!isDirty}
          action={check}
          words={{ passed: t`Calls can be placed`, problems: t`Calls would fail`, notes: t`Good to know` }}
          say={sentenceAt}
        />
        <Divider />
        <Quiet>
          {t`Or hear it: your own phone rings as a patient’s would. It really rings, also while the simulator plays your patients.`}
        </Quiet>
        <CallMe />
      </Step>
      <Step
        number={5}
        title={t`Real calls`}
        lead={t`Whether real phones ring.`}
        state={states.calls}
        after={t`You decide it here, when all of the above is done. Until then the simulator plays the calls, and nobody is called.`}
      >
        {isReal ? (
          <Text size="sm">{t`Real phones ring, through ${accountAt(settings.provider)}.`}</Text>
        ) : (
          <Text size="sm">{t`The simulator plays the calls; nobody is called.`}</Text>
        )}
        <Group>
          {isReal
            ? settings.maySimulate && (
                <PlainButton
                  label={t`Have the simulator play them again`}
                  onClick={() => {
                    form.setFieldValue('provider', 'simulator');
                    form.submit();
                  }}
                  isForAdmins
                />
              )
            : realPlatforms.map(({ platform, name }) => (
                <PlainButton
                  key={platform}
                  label={t`Ring real phones, through ${name}`}
                  icon={IconPhone}
                  variant={isComplete ? 'filled' : 'default'}
                  loading={form.isSaving}
                  onClick={() => leave(platform)}
                  isForAdmins
                />
              ))}
        </Group>
      </Step>
    </>
  );
}

function savedWords(before: Settings['provider'], now: Settings['provider']): string {
  if (now === before) return t`Saved.`;
  return now === 'simulator' ? t`Saved. Nobody is called any more.` : t`Saved. Real phones ring from now on.`;
}
