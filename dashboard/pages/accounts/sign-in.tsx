import { Alert, Button, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { isNotEmpty, useForm, type UseFormReturnType } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Navigate, useLocation } from 'react-router';
import * as api from '#api';
import { refusedAt, useAction } from '#forms';
import { canUsePasskeys, leaveToSignOn, sentenceOf, session, signInByPasskey, useSession } from '#http';
import { IconBuildingHospital, IconKey } from '#icons';
import { PlainButton, Refusal } from '#parts';
import { t } from '#texts';
import { Quiet } from '#words';
import { Front } from '../../shell/brand';
import { eye } from './ask-password';

export function SignIn() {
  const state = useSession();
  const location = useLocation();
  const queries = useQueryClient();
  const enter = (token: string) => {
    // What the last account has seen is not for the next one.
    queries.clear();
    session.open(token);
  };
  const signIn = useAction(api.postAuthSignInEmailMutation(), { onDone: ({ token }) => enter(token), onRefused: null });
  const byPasskey = useAction({ mutationFn: signInByPasskey }, { onDone: enter, onRefused: null });
  const byOrganisation = useAction({ mutationFn: leaveToSignOn }, { onRefused: null });
  // What one way was refused for is gone once another is tried.
  const forgetRefusals = () => [signIn, byPasskey, byOrganisation].forEach((way) => way.reset());
  const refusal = signIn.error ?? byPasskey.error ?? byOrganisation.error;
  const form = useForm({
    initialValues: { ...nobody, email: emailIn(location.state) },
    validate: { email: isNotEmpty(t`Enter your e-mail address`), password: isNotEmpty(t`Enter your password`) },
  });
  // The password was right: the account has a second factor.
  const codeRefused = refusedAt(signIn.error, 'code');
  const [asksCode, setAsksCode] = useState(false);
  if (codeRefused && !asksCode) setAsksCode(true);
  const send = ({ code, ...credentials }: typeof nobody) => {
    forgetRefusals();
    signIn.mutate({ body: { ...credentials, code: asksCode && code !== '' ? code : undefined } });
  };

  const goToOrganisation = () => {
    if (form.validateField('email').hasError) return;
    forgetRefusals();
    byOrganisation.mutate({ email: form.values.email, from: cameFrom(location.state) });
  };

  if (state.kind === 'signed-in') return <Navigate to={cameFrom(location.state)} replace />;
  return (
    <Front title={t`Sign in`}>
      <form onSubmit={form.onSubmit(send)} noValidate>
        <Stack>
          <div>
            <Title order={1}>{t`Sign in`}</Title>
            <Quiet>{t`With the account that your clinic gave you.`}</Quiet>
          </div>
          {refusal && !codeRefused ? <Refusal>{sentenceOf(refusal)}</Refusal> : <Farewell ending={state.ending} />}
          <Credentials form={form} asksCode={asksCode} codeRefused={codeRefused} />
          <Button type="submit" loading={signIn.isPending} fullWidth mt="xs">
            {t`Sign in`}
          </Button>
          {canUsePasskeys() && (
            <PlainButton
              label={t`Sign in with a passkey`}
              icon={IconKey}
              loading={byPasskey.isPending}
              fullWidth
              onClick={() => {
                forgetRefusals();
                byPasskey.mutate(undefined);
              }}
            />
          )}
          <PlainButton
            label={t`Sign in with your organisation`}
            icon={IconBuildingHospital}
            loading={byOrganisation.isPending || byOrganisation.isSuccess}
            fullWidth
            onClick={goToOrganisation}
          />
        </Stack>
      </form>
    </Front>
  );
}

const nobody = { email: '', password: '', code: '' };

interface CredentialsProps {
  form: UseFormReturnType<typeof nobody>;
  asksCode: boolean;
  codeRefused: string | null;
}

/** Who signs in; the code only of whom it is asked. */
const Credentials = ({ form, asksCode, codeRefused }: CredentialsProps) => (
  <>
    <TextInput
      label={t`E-mail`}
      type="email"
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      autoFocus={form.values.email === ''}
      {...form.getInputProps('email')}
    />
    <PasswordInput
      label={t`Password`}
      autoComplete="current-password"
      autoFocus={form.values.email !== ''}
      {...eye}
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
  </>
);

function Farewell({ ending }: { ending: 'none' | 'signed-out' | 'expired' }) {
  if (ending === 'expired') {
    return (
      <Alert color="yellow" role="status">
        {t`Your session has ended. Sign in again to continue where you were.`}
      </Alert>
    );
  }
  if (ending === 'signed-out') {
    return (
      <Alert color="gray" role="status">
        {t`You are signed out.`}
      </Alert>
    );
  }
  return null;
}

/** Of whom has just set a password. */
function emailIn(state: unknown): string {
  const email = (state as { email?: unknown } | null)?.email;
  return typeof email === 'string' ? email : '';
}

/** Only an address of our own, whatever the state holds. */
function cameFrom(state: unknown): string {
  const from = (state as { from?: unknown } | null)?.from;
  return typeof from === 'string' && /^\/(?!\/)/.test(from) ? from : '/';
}
