import { Alert, Box, Button, Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { confirm, Dialog, FormDialog, ServiceButton, showSecret, useAction, useActionForm } from '#forms';
import { type Area, sentenceOf } from '#http';
import { IconPlus } from '#icons';
import { LoadedList, PlainList, useAdding } from '#lists';
import { ChangeMenu, Empty, Line, Loaded, Mark, type Role, roleNames, Section, useAccount } from '#parts';
import { plural, t, Trans } from '#texts';
import { Moment, Name, Small } from '#words';
import { roleOptions, Roles } from './roles';
import { SessionLine } from './session-line';

type Account = api.ManagedAccount;

/** Who may sign in for the clinic, and as what. */
export function People() {
  const { isAdding, add, close } = useAdding();
  return (
    <Stack gap="lg">
      <Section
        title={t`People`}
        lead={t`Everyone has an account of their own, so that the audit says who did what.`}
        flush
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
            {t`Invite`}
          </Button>
        }
      >
        <LoadedList query={useQuery(api.getAccountsOptions())} label={t`People`} keyOf={({ id }) => id} empty={null}>
          {(account) => <Person account={account} />}
        </LoadedList>
      </Section>
      <Section title={t`Open invitations`} lead={t`Each link works once, for 72 hours.`} flush>
        <LoadedList
          query={useQuery(api.getAccountsInvitationsOptions())}
          label={t`Open invitations`}
          keyOf={({ id }) => id}
          empty={
            <Empty title={t`No open invitation`}>
              {t`Anyone you invite is listed here until they have an account.`}
            </Empty>
          }
        >
          {(invitation) => <Invitation invitation={invitation} />}
        </LoadedList>
      </Section>
      <SecondFactorRule />
      <Roles />
      {isAdding && <InvitePerson onClose={close} />}
    </Stack>
  );
}

/** Whether everybody needs a second factor. */
function SecondFactorRule() {
  const change = useAction(api.putAccountsSecondFactorMutation(), {
    done: ({ isRequired }) =>
      isRequired ? t`Everyone needs a second factor from now on.` : t`The password is enough again.`,
    refresh: ['people', 'secondFactor', 'account'],
    onRefused: null,
  });
  const set = (isRequired: boolean) => change.mutate({ body: { isRequired } });
  return (
    <Section
      title={t`Second factor`}
      lead={t`One-time codes or a passkey, beside the password. Keys of your own systems are not asked for one.`}
    >
      <Loaded query={useQuery(api.getAccountsSecondFactorOptions())}>
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
                    t`${without(withoutOne)} Those without one must set one up before anything else, also where they are signed in now.`,
                    t`Require it`,
                    () => set(true),
                  )
                : ask(
                    t`Stop requiring a second factor?`,
                    t`Those who have one keep it; the others sign in with the password only.`,
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

function Person({ account }: { account: Account }) {
  const { id, name, email, role, disabledAt, endsAt, hasSecondFactor, sessions } = account;
  const me = useAccount();
  const isMe = id === me.accountId;
  const [showsSessions, setShowsSessions] = useState(false);
  const [isChangingRole, setIsChangingRole] = useState(false);
  const actions = useActions(account);
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <Box miw={0} flex={1}>
        <Group gap={6}>
          <Name>{name}</Name>
          <Mark color={role === 'admin' ? 'blue' : 'gray'}>{roleNames[role]}</Mark>
          {disabledAt && <Mark color="red">{t`Disabled`}</Mark>}
          {isMe && <Mark variant="outline">{t`You`}</Mark>}
        </Group>
        <Small style={{ overflowWrap: 'anywhere' }}>{email}</Small>
        <Small>
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
        </Small>
      </Box>
      {!endsAt && (
        <ChangeMenu
          name={t`Change ${name}`}
          loading={actions.isBusy}
          items={[
            { label: t`Change the role`, onClick: () => setIsChangingRole(true) },
            { label: t`Sessions`, onClick: () => setShowsSessions(true) },
            { label: t`Link for a new password`, onClick: actions.reset, disabled: disabledAt !== null },
            { label: t`Remove the second factor`, onClick: actions.removeSecondFactor, disabled: !hasSecondFactor },
            disabledAt
              ? { label: t`Enable`, onClick: actions.enable, isApart: true }
              : { label: t`Disable`, onClick: actions.disable, color: 'red', disabled: isMe, isApart: true },
          ]}
        />
      )}
      {isChangingRole && <ChangeRole account={account} onClose={() => setIsChangingRole(false)} />}
      <Dialog opened={showsSessions} onClose={() => setShowsSessions(false)} title={t`Sessions of ${name}`} size="lg">
        {showsSessions && <Sessions account={account} />}
      </Dialog>
    </Group>
  );
}

/** What can be done with an account; what ends something asks first. */
function useActions({ id, name, email }: Account) {
  const refresh: Area[] = ['people'];
  const path = { accountId: id };
  const disable = useAction(api.postAccountsByAccountIdDisableMutation(), {
    refresh,
    done: t`${name} is signed out and cannot sign in.`,
  });
  const enable = useAction(api.postAccountsByAccountIdEnableMutation(), {
    refresh,
    done: t`${name} can sign in again.`,
  });
  const reset = useAction(api.postAccountsByAccountIdResetMutation(), {
    refresh,
    onDone: (made) => showSecret(shownLink(t`A new password for ${email}`, made)),
  });
  const remove = useAction(api.deleteAccountsByAccountIdSecondFactorMutation(), {
    refresh,
    done: t`${name} signs in with the password only.`,
  });
  return {
    isBusy: [disable, enable, reset, remove].some(({ isPending }) => isPending),
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
        t`This removes their one-time codes and passkeys. Do it only when they have lost them and you are sure that it is they who ask.`,
        t`Remove it`,
        () => remove.mutate({ path }),
      ),
  };
}

function ChangeRole({ account: { id, name, role }, onClose }: { account: Account; onClose: () => void }) {
  const form = useActionForm(api.patchAccountsByAccountIdMutation(), {
    initialValues: { role },
    labels: { role: t`Role` },
    request: (body) => ({ path: { accountId: id }, body }),
    onDone: onClose,
    done: t`${name} has another role now.`,
    refresh: ['people'],
  });
  return (
    <FormDialog title={t`The role of ${name}`} onClose={onClose} form={form} action={t`Change the role`} isEdit>
      <Select
        description={t`It counts at once, also where they are signed in`}
        data={roleOptions}
        allowDeselect={false}
        data-autofocus
        {...form.field('role')}
      />
    </FormDialog>
  );
}

const ask = (title: string, what: string, yes: string, onYes: () => void) =>
  confirm({ title, what, yes, no: t`Not now`, isFinal: true, onYes });

const Sessions = ({ account: { id, name } }: { account: Account }) => (
  <Loaded query={useQuery(api.getAccountsByAccountIdSessionsOptions({ path: { accountId: id } }))}>
    {({ items }) =>
      items.length === 0 ? (
        <Empty title={t`No open session`}>{t`Nobody is signed in with this account.`}</Empty>
      ) : (
        <Stack>
          <PlainList label={t`Open sessions`}>
            {items.map((each) => (
              <SessionLine key={each.id} session={each} />
            ))}
          </PlainList>
          <Group justify="flex-end">
            <ServiceButton
              variant="filled"
              color="red"
              does={api.deleteAccountsByAccountIdSessionsMutation()}
              done={t`${name} is signed out everywhere.`}
              refresh={['people']}
              request={{ path: { accountId: id } }}
              label={t`End all of them`}
            />
          </Group>
        </Stack>
      )
    }
  </Loaded>
);

const Invitation = ({ invitation: { id, email, role, expiresAt } }: { invitation: api.Invitation }) => (
  <Line
    name={email}
    actions={
      <ServiceButton
        size="xs"
        does={api.deleteAccountsInvitationsByInvitationIdMutation()}
        done={t`The invitation for ${email} no longer works.`}
        refresh={['people']}
        request={{ path: { invitationId: id } }}
        name={t`Withdraw the invitation for ${email}`}
        label={t`Withdraw`}
      />
    }
  >
    <Trans>
      {roleNames[role]} · ends <Moment at={expiresAt} />
    </Trans>
  </Line>
);

const nobody: { email: string; role: Role } = { email: '', role: 'staff' };

function InvitePerson({ onClose }: { onClose: () => void }) {
  const form = useActionForm(api.postAccountsInvitationsMutation(), {
    initialValues: nobody,
    validate: { email: (email) => (email.includes('@') ? null : t`Enter their e-mail address`) },
    labels: { email: t`E-mail`, role: t`Role` },
    request: (body) => ({ body }),
    onDone(made) {
      onClose();
      showSecret(shownLink(t`The invitation for ${made.email}`, made));
    },
    refresh: ['people'],
  });
  return (
    <FormDialog title={t`Invite a person`} onClose={onClose} form={form} action={t`Invite`}>
      <TextInput type="email" autoCapitalize="none" spellCheck={false} data-autofocus {...form.field('email')} />
      <Select
        description={t`What each role may do stands under “Roles”`}
        data={roleOptions}
        allowDeselect={false}
        {...form.field('role')}
      />
    </FormDialog>
  );
}

const mailed: Record<api.NewAccountLink['mail'], string> = {
  sent: t`It was mailed to them too.`,
  failed: t`The mail could not be sent: give them the link yourself.`,
  off: t`This service sends no mail: give them the link yourself.`,
};

const shownLink = (title: string, { link, mail }: api.NewAccountLink) => ({
  title,
  what: t`the link`,
  secret: link,
  note: (
    <Alert color={mail === 'failed' ? 'red' : 'gray'}>
      {t`${mailed[mail]} Anyone who has the link sets the password: give it to nobody else. It works once, for 72 hours.`}
    </Alert>
  ),
});
