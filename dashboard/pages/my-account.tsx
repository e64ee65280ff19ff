import { Alert, Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { encode } from 'uqr';
import {
  deleteAuthSessionsBySessionIdMutation,
  deleteAuthSessionsMutation,
  getAuthSecondFactorOptions,
  getAuthSessionsOptions,
  postAuthSecondFactorConfirmMutation,
  postAuthSecondFactorMutation,
  postAuthSecondFactorRemoveMutation,
  putAuthPasswordMutation,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { session } from '../http/session';
import { CodeBlock, CopyLine } from '../parts/copy';
import { Page } from '../parts/page';
import { PlainList } from '../parts/plain-list';
import { useRefresh } from '../parts/refresh';
import { showRefusal } from '../parts/refusal';
import { sayDone, sayFailed } from '../parts/say';
import { Section } from '../parts/section';
import { SessionLine } from '../parts/session-line';
import { Loaded } from '../parts/states';
import { useAccount } from '../shell/account';
import classes from './my-account.module.css';

const eye = { visibilityToggleButtonProps: { 'aria-label': 'Show the password' } };

/** One's own account: the password, the second factor, where one is signed in. */
export function MyAccount() {
  const { name, email } = useAccount();
  return (
    <Page title="My account" lead={`${name}, ${email}`}>
      <Stack gap="lg" maw={760}>
        <Password />
        <SecondFactor />
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
    validate: { password: isNotEmpty('Enter your present password'), newPassword: isNotEmpty('Enter a new password') },
  });
  const change = useMutation({
    ...putAuthPasswordMutation(),
    onSuccess() {
      form.reset();
      sayDone('Your password is changed, and your other sessions have ended.');
    },
    onError: (error) => showRefusal(form, error, { password: 'Present password', newPassword: 'New password' }),
    onSettled: refresh,
  });
  return (
    <Section title="Password" lead="At least 12 characters. Several words that do not belong together are good.">
      <form onSubmit={form.onSubmit((body) => change.mutate({ body }))} noValidate>
        <Stack maw={380}>
          <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordInput
            label="Present password"
            autoComplete="current-password"
            {...eye}
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label="New password"
            autoComplete="new-password"
            {...eye}
            {...form.getInputProps('newPassword')}
          />
          <Group>
            <Button type="submit" loading={change.isPending}>
              Change the password
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

function SecondFactor() {
  const state = useQuery(getAuthSecondFactorOptions());
  const [asked, setAsked] = useState<'begin' | 'remove' | null>(null);
  const [begun, setBegun] = useState<Api.NewSecondFactor | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  return (
    <Section
      title="Second factor"
      lead="A code of an authenticator on your phone, beside the password. Who has stolen the password alone does not get in."
    >
      <Loaded query={state}>
        {({ isOn, backupCodesLeft }) => (
          <Group justify="space-between">
            <Text size="sm">{isOn ? `It is on; ${backupCodesLeft ?? 0} backup codes are left.` : 'It is off.'}</Text>
            {isOn ? (
              <Button variant="default" onClick={() => setAsked('remove')}>
                Remove it
              </Button>
            ) : (
              <Button onClick={() => setAsked('begin')}>Set it up</Button>
            )}
          </Group>
        )}
      </Loaded>
      <AskPassword
        what={asked}
        onClose={() => setAsked(null)}
        onBegun={(made) => {
          setAsked(null);
          setBegun(made);
        }}
      />
      <Confirm
        begun={begun}
        onClose={() => setBegun(null)}
        onDone={(made) => {
          setBegun(null);
          setCodes(made);
        }}
      />
      <BackupCodes codes={codes} onClose={() => setCodes(null)} />
    </Section>
  );
}

function AskPassword({
  what,
  onClose,
  onBegun,
}: {
  what: 'begin' | 'remove' | null;
  onClose: () => void;
  onBegun: (begun: Api.NewSecondFactor) => void;
}) {
  const refresh = useRefresh('secondFactor', 'people');
  const form = useForm({ initialValues: { password: '' }, validate: { password: isNotEmpty('Enter your password') } });
  const common = {
    onError: (error: unknown) => showRefusal(form, error, { password: 'Password' }),
    onSettled: refresh,
  };
  const close = () => {
    form.reset();
    onClose();
  };
  const begin = useMutation({
    ...postAuthSecondFactorMutation(),
    ...common,
    onSuccess(made) {
      form.reset();
      onBegun(made);
    },
  });
  const remove = useMutation({
    ...postAuthSecondFactorRemoveMutation(),
    ...common,
    onSuccess() {
      close();
      sayDone('You sign in with the password alone from now on.');
    },
  });
  const send = what === 'remove' ? remove : begin;
  return (
    <Modal
      opened={what !== null}
      onClose={close}
      title={what === 'remove' ? 'Remove the second factor' : 'Set up a second factor'}
    >
      <form onSubmit={form.onSubmit((body) => send.mutate({ body }))} noValidate>
        <Stack>
          <PasswordInput
            label="Password"
            description="So that nobody does this who finds your computer open"
            autoComplete="current-password"
            data-autofocus
            {...eye}
            {...form.getInputProps('password')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Not now
            </Button>
            <Button type="submit" color={what === 'remove' ? 'red' : undefined} loading={send.isPending}>
              {what === 'remove' ? 'Remove it' : 'Go on'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Confirm({
  begun,
  onClose,
  onDone,
}: {
  begun: Api.NewSecondFactor | null;
  onClose: () => void;
  onDone: (codes: string[]) => void;
}) {
  const refresh = useRefresh('secondFactor', 'people');
  const form = useForm({ initialValues: { code: '' }, validate: { code: isNotEmpty('Enter the six digits') } });
  const confirm = useMutation({
    ...postAuthSecondFactorConfirmMutation(),
    onSuccess({ backupCodes }) {
      form.reset();
      onDone(backupCodes);
    },
    onError: (error) => showRefusal(form, error, { code: 'Code' }),
    onSettled: refresh,
  });
  return (
    <Modal
      opened={begun !== null}
      onClose={onClose}
      title="Scan this with your authenticator"
      closeOnClickOutside={false}
    >
      {begun && (
        <form onSubmit={form.onSubmit((body) => confirm.mutate({ body }))} noValidate>
          <Stack>
            <QrCode text={begun.url} />
            <div>
              <Text size="xs" c="dimmed">
                Or type this into it
              </Text>
              <CopyLine value={begun.secret} what="the secret" />
            </div>
            <TextInput
              label="Code"
              description="The six digits that it shows then"
              inputMode="numeric"
              autoComplete="one-time-code"
              data-autofocus
              {...form.getInputProps('code')}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Not now
              </Button>
              <Button type="submit" loading={confirm.isPending}>
                Turn it on
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}

/** Dark on light in both colour schemes: cameras expect it. */
function QrCode({ text }: { text: string }) {
  const { size, data } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg viewBox={`0 0 ${size} ${size}`} className={classes.qr} role="img" aria-label="QR code for the authenticator">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function BackupCodes({ codes, onClose }: { codes: string[] | null; onClose: () => void }) {
  return (
    <Modal
      opened={codes !== null}
      onClose={onClose}
      title="Your backup codes"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {codes && (
        <Stack>
          <Alert color="yellow">
            Keep them where your phone is not: each opens your account once, and they are shown this once.
          </Alert>
          <CodeBlock text={codes.join('\n')} what="the backup codes" />
          <Group justify="flex-end">
            <Button onClick={onClose}>I have stored them</Button>
          </Group>
        </Stack>
      )}
    </Modal>
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
      title: 'Sign out everywhere?',
      children: <Text size="sm">Every session of your account ends at once, this one too.</Text>,
      labels: { confirm: 'Sign out everywhere', cancel: 'Not now' },
      confirmProps: { color: 'red' },
      onConfirm: () => everywhere.mutate({}),
    });
  return (
    <Section
      title="Where you are signed in"
      flush
      actions={
        <Button variant="default" onClick={ask} loading={everywhere.isPending}>
          Sign out everywhere
        </Button>
      }
    >
      <Loaded query={sessions}>
        {({ items }) => (
          <PlainList label="Sessions">
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
    onSuccess: () => sayDone('The session has ended.'),
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <Button size="xs" variant="default" loading={end.isPending} onClick={() => end.mutate({ path: { sessionId: id } })}>
      End
    </Button>
  );
}
