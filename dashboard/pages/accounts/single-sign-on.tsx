import { ActionIcon, Group, PasswordInput, Select, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import {
  confirm,
  ServiceButton,
  SettingsCheck,
  SettingsForm,
  StoredSettings,
  useAction,
  useSettingsForm,
} from '#forms';
import { sentenceOf } from '#http';
import { IconPlus, IconTrash } from '#icons';
import { CopyLine, PlainButton, Section } from '#parts';
import { t } from '#texts';
import { Quiet, Small } from '#words';
import { roleOptions } from './roles';

type Settings = NonNullable<api.SingleSignOn['settings']>;

const empty = {
  issuer: '',
  clientId: '',
  roleClaim: null,
  roleRules: [],
  defaultRole: 'staff' as const,
  factorAcrs: [],
  hasClientSecret: false,
  domains: [],
  isOnlyWay: false,
};

/** How the clinic's people sign in by the identity provider of their organisation. */
export const SingleSignOn = () => (
  <StoredSettings query={useQuery(api.getAccountsSingleSignOnOptions())} editor={Editor} />
);

function Editor({ stored }: { stored: api.SingleSignOn }) {
  const settings = stored.settings ?? { ...empty, changedAt: '' };
  const form = useForm(settings);
  return (
    <Stack gap="lg">
      <Section
        title={t`Single sign-on`}
        lead={t`Your people sign in by your organisation’s own identity provider (OpenID Connect).`}
      >
        <SettingsForm form={form}>
          <Addresses {...stored} />
          <TextInput type="url" placeholder="https://login.example" {...form.field('issuer')} />
          <TextInput {...form.field('clientId')} />
          <PasswordInput
            description={t`Stored encrypted, never read back`}
            placeholder={settings.hasClientSecret ? t`Leave empty to keep the one that is stored` : undefined}
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': t`Show what you type` }}
            {...form.field('clientSecret')}
          />
          <TagsInput
            description={t`As harbor.example; the operator of this service confirms each`}
            splitChars={[',', ' ']}
            acceptValueOnBlur
            {...form.field('domains')}
          />
          <Waiting settings={settings} />
          <Roles form={form} />
          <TagsInput
            description={t`“mfa” in amr always counts. Needed only where the clinic requires a second factor.`}
            acceptValueOnBlur
            {...form.field('factorAcrs')}
          />
        </SettingsForm>
      </Section>
      {stored.settings && <Check isSaved={!form.isDirty()} />}
      {stored.settings && <OnlyWay settings={stored.settings} />}
    </Stack>
  );
}

const useForm = ({
  issuer,
  clientId,
  roleClaim,
  roleRules,
  defaultRole,
  factorAcrs,
  domains,
}: Omit<Settings, 'changedAt'>) =>
  useSettingsForm(api.putAccountsSingleSignOnMutation(), {
    initialValues: {
      issuer,
      clientId,
      clientSecret: '',
      roleClaim: roleClaim ?? '',
      roleRules: roleRules.map(({ value, role }) => ({ value, role })),
      defaultRole: defaultRole ?? '',
      factorAcrs: [...factorAcrs],
      domains: domains.map(({ domain }) => domain),
    },
    labels: {
      issuer: t`Issuer`,
      clientId: t`Client id`,
      clientSecret: t`Client secret`,
      domains: t`Domains of your e-mail addresses`,
      roleClaim: t`Claim that gives the role`,
      defaultRole: t`Everybody else`,
      factorAcrs: t`Values of acr that stand for a second factor`,
    },
    validate: { issuer: isNotEmpty(t`Type the address of your identity provider, as https://…`) },
    fieldOf: (path) => path.replace(/^(domains|factorAcrs)\..*$/, '$1'),
    request: ({ clientSecret, roleClaim: claim, defaultRole: role, ...rest }) => ({
      body: {
        ...rest,
        issuer: rest.issuer.trim(),
        clientSecret: clientSecret || undefined,
        roleClaim: claim.trim() || null,
        defaultRole: roleOptions.find(({ value }) => value === role)?.value ?? null,
      },
    }),
  });

/** What is to be registered at the identity provider. */
const Addresses = ({ redirectUri, logoutUri }: api.SingleSignOn) => (
  <div>
    <Small>{t`Redirect URI, to be registered at your identity provider exactly so`}</Small>
    <CopyLine value={redirectUri} what={t`the redirect URI`} />
    <Small>{t`Back-channel logout URI`}</Small>
    <CopyLine value={logoutUri} what={t`the logout URI`} />
  </div>
);

function Waiting({ settings: { domains } }: { settings: Omit<Settings, 'changedAt'> }) {
  const waiting = domains.filter(({ isConfirmed }) => !isConfirmed).map(({ domain }) => domain);
  if (waiting.length === 0) return null;
  return (
    <Text size="sm">
      {t`Waiting for the operator to confirm ${waiting.join(', ')}. Until then nobody signs in by it.`}
    </Text>
  );
}

function Roles({ form }: { form: ReturnType<typeof useForm> }) {
  const { roleRules, roleClaim } = form.values;
  return (
    <>
      <TextInput
        description={t`Or a path, as realm_access.roles. Empty: roles are given on the page of people.`}
        {...form.field('roleClaim')}
      />
      {roleClaim.trim() !== '' && (
        <Stack gap="xs">
          <Small>{t`At every sign-in, the first line that matches decides the role.`}</Small>
          {roleRules.map((_rule, index) => (
            <Group key={index} align="end" wrap="nowrap">
              <TextInput flex={1} label={t`Value`} {...form.getInputProps(`roleRules.${index}.value`)} />
              <Select
                label={t`Role`}
                data={roleOptions}
                allowDeselect={false}
                {...form.getInputProps(`roleRules.${index}.role`)}
              />
              <ActionIcon
                variant="default"
                size={36}
                aria-label={t`Remove line ${index + 1}`}
                onClick={() => form.removeListItem('roleRules', index)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Group>
          ))}
          <Group>
            <PlainButton
              label={t`Add a value`}
              size="xs"
              icon={IconPlus}
              onClick={() => form.insertListItem('roleRules', { value: '', role: 'staff' })}
            />
          </Group>
        </Stack>
      )}
      <Select
        description={roleClaim.trim() === '' ? t`The role of new accounts` : t`The role where no line matches`}
        data={[{ value: '', label: t`Refused` }, ...roleOptions]}
        allowDeselect={false}
        {...form.field('defaultRole')}
      />
    </>
  );
}

const Check = ({ isSaved }: { isSaved: boolean }) => (
  <SettingsCheck
    lead={t`Reads what your identity provider says of itself. Nobody signs in by it.`}
    isSaved={isSaved}
    action={useAction(api.postAccountsSingleSignOnCheckMutation())}
    words={{
      passed: t`Your identity provider is ready.`,
      problems: t`This will not work`,
      notes: t`Good to know`,
    }}
  />
);

/** Whether anything else opens an account, and the end of single sign-on. */
function OnlyWay({ settings: { isOnlyWay } }: { settings: Settings }) {
  const change = useAction(api.putAccountsSingleSignOnOnlyWayMutation(), {
    done: (now) =>
      now.settings?.isOnlyWay
        ? t`Everybody signs in by your identity provider from now on.`
        : t`Passwords and passkeys work again.`,
    refresh: ['people', 'account'],
    onRefused: null,
  });
  const set = (next: boolean) => change.mutate({ body: { isOnlyWay: next } });
  return (
    <Section
      title={t`Passwords`}
      lead={t`Whether people can also sign in with a password or passkey of this service.`}
      gap="sm"
    >
      <Switch
        label={t`Single sign-on is the only way in`}
        description={t`Sign in with it yourself first, so that it is known to work. The operator’s emergency access always works.`}
        checked={isOnlyWay}
        disabled={change.isPending}
        error={change.error ? sentenceOf(change.error) : undefined}
        onChange={({ currentTarget: { checked } }) =>
          checked
            ? confirm({
                title: t`Make single sign-on the only way in?`,
                what: t`Passwords and passkeys no longer work for the clinic’s accounts, and sessions opened with them end at once.`,
                yes: t`Make it the only way`,
                no: t`Not now`,
                isFinal: true,
                onYes: () => set(true),
              })
            : set(false)
        }
      />
      <Quiet>{t`While it is the only way in, only the secret can be changed above.`}</Quiet>
      <Group>
        <ServiceButton
          does={api.deleteAccountsSingleSignOnMutation()}
          done={t`Single sign-on is removed.`}
          refresh={['people']}
          request={{}}
          disabled={isOnlyWay}
          ask={{
            title: t`Remove single sign-on?`,
            what: t`Sessions that it opened end. Accounts stay; those without a password need a link to set one.`,
            yes: t`Remove it`,
            isFinal: true,
          }}
          label={t`Remove single sign-on`}
        />
      </Group>
    </Section>
  );
}
