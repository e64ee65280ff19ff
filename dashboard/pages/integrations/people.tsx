import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Badge, Box, Button, Group, Menu, Modal, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  deleteAccountsByAccountIdSecondFactorMutation,
  deleteAccountsByAccountIdSessionsMutation,
  deleteAccountsInvitationsByInvitationIdMutation,
  getAccountsByAccountIdSessionsOptions,
  getAccountsInvitationsOptions,
  getAccountsOptions,
  getAccountsSecondFactorOptions,
  patchAccountsByAccountIdMutation,
  postAccountsByAccountIdDisableMutation,
  postAccountsByAccountIdEnableMutation,
  postAccountsByAccountIdResetMutation,
  postAccountsInvitationsMutation,
  putAccountsSecondFactorMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { sentenceOf } from '../../http/service';
import { IconChevronDown, IconPlus } from '../../icons';
import { Moment } from '../../parts/moment';
import { PlainList } from '../../parts/plain-list';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { SecretDialog, type ShownSecret } from '../../parts/secret-dialog';
import { Section } from '../../parts/section';
import { SessionLine } from '../../parts/session-line';
import { Empty, Loaded } from '../../parts/states';
import { useAccount, useIsAdmin } from '../../shell/account';

type Account = Api.ManagedAccount;
type Role = Account['role'];

const roles: { value: Role; label: string }[] = [
  { value: 'staff', label: t`Staff` },
  { value: 'admin', label: t`Administrator` },
];
const labelOf = (role: Role) => (role === 'admin' ? t`Administrator` : t`Staff`);

/** Who may sign in for the clinic, and as what. Only administrators are told. */
export function People() {
  return useIsAdmin() ? (
    <Managed />
  ) : (
    <Empty title={t`Only administrators see who has an account`}>
      <Trans>Ask one of them to invite somebody.</Trans>
    </Empty>
  );
}

function Managed() {
  const accounts = useQuery(getAccountsOptions());
  const invitations = useQuery(getAccountsInvitationsOptions());
  const [isInviting, setIsInviting] = useState(false);
  const [shown, setShown] = useState<ShownSecret | null>(null);
  return (
    <Stack gap="lg">
      <Section
        title={t`People`}
        lead={t`Everybody has an account of their own, so that the audit says who did what.`}
        flush
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsInviting(true)}>
            <Trans>Invite</Trans>
          </Button>
        }
      >
        <Loaded query={accounts}>
          {({ items }) => (
            <PlainList label={t`People`}>
              {items.map((account) => (
                <Person key={account.id} account={account} onLink={setShown} />
              ))}
            </PlainList>
          )}
        </Loaded>
      </Section>
      <Section title={t`Open invitations`} lead={t`Each link works once, for 72 hours.`} flush>
        <Loaded query={invitations}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title={t`No open invitation`}>
                <Trans>Whoever you invite is listed here until they have an account.</Trans>
              </Empty>
            ) : (
              <PlainList label={t`Open invitations`}>
                {items.map((invitation) => (
                  <Invitation key={invitation.id} invitation={invitation} />
                ))}
              </PlainList>
            )
          }
        </Loaded>
      </Section>
      <SecondFactorRule />
      <InvitePerson
        opened={isInviting}
        onClose={() => setIsInviting(false)}
        onMade={(made) => {
          setIsInviting(false);
          setShown(made);
        }}
      />
      <SecretDialog shown={shown} onClose={() => setShown(null)} />
    </Stack>
  );
}

/** Whether everybody needs a second factor. */
function SecondFactorRule() {
  const rule = useQuery(getAccountsSecondFactorOptions());
  const refresh = useRefresh('people', 'secondFactor', 'account');
  const change = useMutation({
    ...putAccountsSecondFactorMutation(),
    onSuccess: ({ isRequired }) =>
      sayDone(isRequired ? t`Everybody needs a second factor from now on.` : t`The password alone is enough again.`),
    onSettled: refresh,
  });
  const set = (isRequired: boolean) => change.mutate({ body: { isRequired } });
  return (
    <Section
      title={t`Second factor`}
      lead={t`One-time codes or a passkey, beside the password. Keys of your own systems are not asked for one.`}
    >
      <Loaded query={rule}>
        {({ isRequired, withoutOne }) => (
          <Switch
            label={t`Require a second factor of everybody`}
            description={without(withoutOne)}
            checked={isRequired}
            disabled={change.isPending}
            error={change.error ? sentenceOf(change.error) : undefined}
            onChange={({ currentTarget: { checked } }) =>
              checked
                ? ask(
                    t`Require a second factor?`,
                    t`${without(withoutOne)} Who has none sets one up before anything else, also where they are signed in now.`,
                    t`Require it`,
                    () => set(true),
                  )
                : ask(
                    t`Stop requiring a second factor?`,
                    t`Whoever has one keeps it; who has none signs in with the password alone.`,
                    t`Stop requiring it`,
                    () => set(false),
                  )
            }
          />
        )}
      </Loaded>
    </Section>
  );
}

const without = (count: number): string =>
  plural(count, { 0: 'Everybody has one.', one: 'One person has none yet.', other: '# people have none yet.' });

function Person({ account, onLink }: { account: Account; onLink: (shown: ShownSecret) => void }) {
  const { id, name, email, role, disabledAt, endsAt, hasSecondFactor, sessions } = account;
  const me = useAccount();
  const isMe = id === me.accountId;
  const [showsSessions, setShowsSessions] = useState(false);
  const actions = useActions(account, onLink);
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <Box miw={0} flex={1}>
        <Group gap={6}>
          <Text size="sm" fw={500}>
            {name}
          </Text>
          <Badge size="sm" variant="light" color={role === 'admin' ? 'blue' : 'gray'}>
            {labelOf(role)}
          </Badge>
          {disabledAt && (
            <Badge size="sm" variant="light" color="red">
              <Trans>Disabled</Trans>
            </Badge>
          )}
          {isMe && (
            <Badge size="sm" variant="outline" color="gray">
              <Trans>You</Trans>
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
          {email}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {endsAt ? (
            <>
              {Date.parse(endsAt) > Date.now() ? t`ends` : t`ended`} <Moment at={endsAt} />
            </>
          ) : (
            <>
              {hasSecondFactor ? t`with a second factor` : t`no second factor`} ·{' '}
              {plural(sessions, { one: '# open session', other: '# open sessions' })}
            </>
          )}
        </Text>
      </Box>
      {!endsAt && (
        <Menu position="bottom-end" width={240}>
          <Menu.Target>
            <Button
              size="xs"
              variant="default"
              rightSection={<IconChevronDown size={14} aria-hidden />}
              loading={actions.isBusy}
              aria-label={t`Change ${name}`}
            >
              <Trans>Change</Trans>
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={actions.changeRole}>
              {role === 'admin' ? t`Make staff` : t`Make administrator`}
            </Menu.Item>
            <Menu.Item onClick={() => setShowsSessions(true)}>
              <Trans>Sessions</Trans>
            </Menu.Item>
            <Menu.Item onClick={actions.reset} disabled={disabledAt !== null}>
              <Trans>Link for a new password</Trans>
            </Menu.Item>
            <Menu.Item onClick={actions.removeSecondFactor} disabled={!hasSecondFactor}>
              <Trans>Remove the second factor</Trans>
            </Menu.Item>
            <Menu.Divider />
            {disabledAt ? (
              <Menu.Item onClick={actions.enable}>
                <Trans>Enable</Trans>
              </Menu.Item>
            ) : (
              <Menu.Item color="red" onClick={actions.disable} disabled={isMe}>
                <Trans>Disable</Trans>
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      <Modal opened={showsSessions} onClose={() => setShowsSessions(false)} title={t`Sessions of ${name}`} size="lg">
        {showsSessions && <Sessions account={account} />}
      </Modal>
    </Group>
  );
}

/** What can be done with an account; what ends something asks first. */
function useActions({ id, name, role, email }: Account, onLink: (shown: ShownSecret) => void) {
  const refresh = useRefresh('people');
  const settled = { onError: sayFailed, onSettled: refresh };
  const path = { accountId: id };
  const change = useMutation({
    ...patchAccountsByAccountIdMutation(),
    ...settled,
    onSuccess: () => sayDone(t`${name} has another role now.`),
  });
  const disable = useMutation({
    ...postAccountsByAccountIdDisableMutation(),
    ...settled,
    onSuccess: () => sayDone(t`${name} is signed out and cannot sign in.`),
  });
  const enable = useMutation({
    ...postAccountsByAccountIdEnableMutation(),
    ...settled,
    onSuccess: () => sayDone(t`${name} can sign in again.`),
  });
  const reset = useMutation({
    ...postAccountsByAccountIdResetMutation(),
    ...settled,
    onSuccess: (made) => onLink(shownLink(t`A new password for ${email}`, made)),
  });
  const remove = useMutation({
    ...deleteAccountsByAccountIdSecondFactorMutation(),
    ...settled,
    onSuccess: () => sayDone(t`${name} signs in with the password alone.`),
  });
  return {
    isBusy: [change, disable, enable, reset, remove].some(({ isPending }) => isPending),
    changeRole: () => {
      const next: Role = role === 'admin' ? 'staff' : 'admin';
      const what =
        next === 'admin'
          ? t`They can change every setting and every account.`
          : t`They can change no settings any more.`;
      const question = next === 'admin' ? t`Make ${name} an administrator?` : t`Make ${name} staff?`;
      ask(question, what, t`Change the role`, () => change.mutate({ path, body: { role: next } }));
    },
    disable: () =>
      ask(
        t`Disable ${name}?`,
        t`Their sessions end at once, and nobody signs in with this account until it is enabled again.`,
        t`Disable`,
        () => disable.mutate({ path }),
      ),
    enable: () => enable.mutate({ path }),
    reset: () => reset.mutate({ path }),
    removeSecondFactor: () =>
      ask(
        t`Remove the second factor of ${name}?`,
        t`Their one-time codes and passkeys. Do this only when they have lost it, and you are sure that it is they who ask.`,
        t`Remove it`,
        () => remove.mutate({ path }),
      ),
  };
}

function ask(title: string, what: string, confirm: string, onConfirm: () => void): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{what}</Text>,
    labels: { confirm, cancel: t`Not now` },
    confirmProps: { color: 'red' },
    onConfirm,
  });
}

function Sessions({ account: { id, name } }: { account: Account }) {
  const sessions = useQuery(getAccountsByAccountIdSessionsOptions({ path: { accountId: id } }));
  const refresh = useRefresh('people');
  const end = useMutation({
    ...deleteAccountsByAccountIdSessionsMutation(),
    onSuccess: () => sayDone(t`${name} is signed out everywhere.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <Loaded query={sessions}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title={t`No open session`}>
            <Trans>Nobody is signed in with this account.</Trans>
          </Empty>
        ) : (
          <Stack>
            <PlainList label={t`Open sessions`}>
              {items.map((each) => (
                <SessionLine key={each.id} session={each} />
              ))}
            </PlainList>
            <Group justify="flex-end">
              <Button color="red" loading={end.isPending} onClick={() => end.mutate({ path: { accountId: id } })}>
                <Trans>End all of them</Trans>
              </Button>
            </Group>
          </Stack>
        )
      }
    </Loaded>
  );
}

function Invitation({ invitation: { id, email, role, expiresAt } }: { invitation: Api.Invitation }) {
  const refresh = useRefresh('people');
  const withdraw = useMutation({
    ...deleteAccountsInvitationsByInvitationIdMutation(),
    onSuccess: () => sayDone(t`The invitation for ${email} opens nothing any more.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <Group justify="space-between" wrap="nowrap">
      <Box miw={0} flex={1}>
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {email}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <Trans>
            {labelOf(role)} · ends <Moment at={expiresAt} />
          </Trans>
        </Text>
      </Box>
      <Button
        size="xs"
        variant="default"
        loading={withdraw.isPending}
        onClick={() => withdraw.mutate({ path: { invitationId: id } })}
        aria-label={t`Withdraw the invitation for ${email}`}
      >
        <Trans>Withdraw</Trans>
      </Button>
    </Group>
  );
}

function InvitePerson({
  opened,
  onClose,
  onMade,
}: {
  opened: boolean;
  onClose: () => void;
  onMade: (shown: ShownSecret) => void;
}) {
  const refresh = useRefresh('people');
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: '', role: 'staff' },
    validate: { email: (email) => (email.includes('@') ? null : t`Enter their e-mail address`) },
  });
  const invite = useMutation({
    ...postAccountsInvitationsMutation(),
    onSuccess(made) {
      form.reset();
      onMade(shownLink(t`The invitation for ${made.email}`, made));
    },
    onError: (error) => showRefusal(form, error, { email: t`E-mail`, role: t`Role` }),
    onSettled: refresh,
  });
  return (
    <Modal opened={opened} onClose={onClose} title={t`Invite a person`}>
      <form onSubmit={form.onSubmit((body) => invite.mutate({ body }))} noValidate>
        <Stack>
          <TextInput
            label={t`E-mail`}
            type="email"
            autoCapitalize="none"
            spellCheck={false}
            data-autofocus
            {...form.getInputProps('email')}
          />
          <Select
            label={t`Role`}
            description={t`Administrators change settings and accounts too`}
            data={roles}
            allowDeselect={false}
            {...form.getInputProps('role')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              <Trans>Not now</Trans>
            </Button>
            <Button type="submit" loading={invite.isPending}>
              <Trans>Invite</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const mailed: Record<Api.NewAccountLink['mail'], string> = {
  sent: t`It was mailed to them too.`,
  failed: t`The mail could not be sent: give them the link yourself.`,
  off: t`This service sends no mail: give them the link yourself.`,
};

const shownLink = (title: string, { link, mail }: Api.NewAccountLink): ShownSecret => ({
  title,
  what: t`the link`,
  secret: link,
  note: (
    <Alert color={mail === 'failed' ? 'red' : 'gray'}>
      <Trans>
        {mailed[mail]} Whoever has the link sets the password: give it to nobody else. It works once, for 72 hours.
      </Trans>
    </Alert>
  ),
});
