import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Navigate, useLocation } from 'react-router';
import { postAuthSignInEmailMutation } from '../http/client/@tanstack/react-query.gen';
import { canUsePasskeys, signInByPasskey } from '../http/passkeys';
import { sentenceOf } from '../http/service';
import { IconKey } from '../icons';
import { refusedAt } from '../parts/refusal';
import { session, useSession } from '../http/session';
import { Brand } from '../shell/brand';

export function SignIn() {
  const state = useSession();
  const location = useLocation();
  const queries = useQueryClient();
  const signIn = useMutation({
    ...postAuthSignInEmailMutation(),
    onSuccess({ token }) {
      // What the last account has seen is not for the next one.
      queries.clear();
      session.open(token);
    },
  });
  const byPasskey = useMutation({
    mutationFn: signInByPasskey,
    onMutate: () => signIn.reset(),
    onSuccess(token) {
      queries.clear();
      session.open(token);
    },
  });
  const refusal = signIn.error ?? byPasskey.error;
  const form = useForm({
    initialValues: { email: '', password: '', code: '' },
    validate: { email: isNotEmpty(t`Enter your e-mail address`), password: isNotEmpty(t`Enter your password`) },
  });
  // The password was right: the account has a second factor.
  const codeRefused = refusedAt(signIn.error, 'code');
  const [asksCode, setAsksCode] = useState(false);
  if (codeRefused && !asksCode) setAsksCode(true);
  const send = ({ code, ...credentials }: { email: string; password: string; code: string }) => {
    byPasskey.reset();
    signIn.mutate({ body: { ...credentials, code: asksCode && code !== '' ? code : undefined } });
  };
  useEffect(() => {
    document.title = t`Sign in · Clinic workflows`;
  }, []);

  if (state.kind === 'signed-in') return <Navigate to={cameFrom(location.state)} replace />;
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={380} gap="lg">
        <Brand />
        <Paper p="lg" radius="lg" bg="var(--surface)">
          <form onSubmit={form.onSubmit(send)} noValidate>
            <Stack>
              <div>
                <Title order={1}>
                  <Trans>Sign in</Trans>
                </Title>
                <Text size="sm" c="dimmed">
                  <Trans>With the account that your clinic gave you.</Trans>
                </Text>
              </div>
              {refusal && !codeRefused ? (
                <Alert color="red" role="alert">
                  {sentenceOf(refusal)}
                </Alert>
              ) : (
                <Farewell ending={state.ending} />
              )}
              <TextInput
                label={t`E-mail`}
                type="email"
                autoComplete="username"
                autoCapitalize="none"
                spellCheck={false}
                {...form.getInputProps('email')}
              />
              <PasswordInput
                label={t`Password`}
                autoComplete="current-password"
                visibilityToggleButtonProps={{ 'aria-label': t`Show the password` }}
                {...form.getInputProps('password')}
              />
              {asksCode && (
                <TextInput
                  label={t`Code`}
                  description={t`Of your authenticator, or a backup code`}
                  inputMode="text"
                  autoComplete="one-time-code"
                  autoCapitalize="none"
                  spellCheck={false}
                  autoFocus
                  {...form.getInputProps('code')}
                  error={codeRefused}
                />
              )}
              <Button type="submit" loading={signIn.isPending} fullWidth mt="xs">
                <Trans>Sign in</Trans>
              </Button>
              {canUsePasskeys() && (
                <Button
                  variant="default"
                  leftSection={<IconKey size={16} aria-hidden />}
                  loading={byPasskey.isPending}
                  onClick={() => byPasskey.mutate()}
                  fullWidth
                >
                  <Trans>Sign in with a passkey</Trans>
                </Button>
              )}
            </Stack>
          </form>
        </Paper>
      </Stack>
    </Center>
  );
}

function Farewell({ ending }: { ending: 'none' | 'signed-out' | 'expired' }) {
  if (ending === 'expired') {
    return (
      <Alert color="yellow" role="status">
        <Trans>Your session has ended. Sign in again to go on where you were.</Trans>
      </Alert>
    );
  }
  if (ending === 'signed-out') {
    return (
      <Alert color="gray" role="status">
        <Trans>You are signed out.</Trans>
      </Alert>
    );
  }
  return null;
}

/** Only an address of our own, whatever the state holds. */
function cameFrom(state: unknown): string {
  const from = (state as { from?: unknown } | null)?.from;
  return typeof from === 'string' && /^\/(?!\/)/.test(from) ? from : '/';
}
