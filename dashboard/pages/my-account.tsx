import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  deleteAuthSessionsBySessionIdMutation,
  deleteAuthSessionsMutation,
  getAuthSessionsOptions,
  putAuthPasswordMutation,
} from '../http/client/@tanstack/react-query.gen';
import { session } from '../http/session';
import { Page } from '../parts/page';
import { PlainList } from '../parts/plain-list';
import { useRefresh } from '../parts/refresh';
import { showRefusal } from '../parts/refusal';
import { sayDone, sayFailed } from '../parts/say';
import { Section } from '../parts/section';
import { SessionLine } from '../parts/session-line';
import { Loaded } from '../parts/states';
import { useAccount } from '../shell/account';
import { eye } from '../parts/ask-password';
import { Notifications } from './account/notifications';
import { Passkeys } from './account/passkeys';
import { SecondFactor } from './account/second-factor';

/** One's own account: the password, the second factor, passkeys, where one is signed in. */
export function MyAccount() {
  const { name, email } = useAccount();
  return (
    <Page title={t`My account`} lead={`${name}, ${email}`}>
      <Stack gap="lg" maw={760}>
        <Password />
        <SecondFactor />
        <Passkeys />
        <Notifications />
        <Sessions />
      </Stack>
    </Page>
  );
}

function Password() {
  const { email } = useAccount();
  const refresh = useRefresh('account');
  const form = useForm({
    initialValues: { password: '', newPassword: '' },
    validate: {
      password: isNotEmpty(t`Enter your present password`),
      newPassword: isNotEmpty(t`Enter a new password`),
    },
  });
  const change = useMutation({
    ...putAuthPasswordMutation(),
    onSuccess() {
      form.reset();
      sayDone(t`Your password is changed, and your other sessions have ended.`);
    },
    onError: (error) => showRefusal(form, error, { password: t`Present password`, newPassword: t`New password` }),
    onSettled: refresh,
  });
  return (
    <Section title={t`Password`} lead={t`At least 12 characters. Several words that do not belong together are good.`}>
      <form onSubmit={form.onSubmit((body) => change.mutate({ body }))} noValidate>
        <Stack maw={380}>
          <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordInput
            label={t`Present password`}
            autoComplete="current-password"
            {...eye}
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label={t`New password`}
            autoComplete="new-password"
            {...eye}
            {...form.getInputProps('newPassword')}
          />
          <Group>
            <Button type="submit" loading={change.isPending}>
              <Trans>Change the password</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

function Sessions() {
  const sessions = useQuery(getAuthSessionsOptions());
  const everywhere = useMutation({
    ...deleteAuthSessionsMutation(),
    onSuccess: () => session.close('signed-out'),
    onError: sayFailed,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: t`Sign out everywhere?`,
      children: (
        <Text size="sm">
          <Trans>Every session of your account ends at once, this one too.</Trans>
        </Text>
      ),
      labels: { confirm: t`Sign out everywhere`, cancel: t`Not now` },
      confirmProps: { color: 'red' },
      onConfirm: () => everywhere.mutate({}),
    });
  return (
    <Section
      title={t`Where you are signed in`}
      flush
      actions={
        <Button variant="default" onClick={ask} loading={everywhere.isPending}>
          <Trans>Sign out everywhere</Trans>
        </Button>
      }
    >
      <Loaded query={sessions}>
        {({ items }) => (
          <PlainList label={t`Sessions`}>
            {items.map((each) => (
              <SessionLine key={each.id} session={each} action={each.isCurrent ? undefined : <End id={each.id} />} />
            ))}
          </PlainList>
        )}
      </Loaded>
    </Section>
  );
}

function End({ id }: { id: string }) {
  const refresh = useRefresh('account');
  const end = useMutation({
    ...deleteAuthSessionsBySessionIdMutation(),
    onSuccess: () => sayDone(t`The session has ended.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <Button size="xs" variant="default" loading={end.isPending} onClick={() => end.mutate({ path: { sessionId: id } })}>
      <Trans>End</Trans>
    </Button>
  );
}
