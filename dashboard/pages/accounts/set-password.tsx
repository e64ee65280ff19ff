import { Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import * as api from '#api';
import { useAction, useActionForm } from '#forms';
import { sentenceOf, session } from '#http';
import { Refusal } from '#parts';
import { t } from '#texts';
import { Quiet, PageLink } from '#words';
import { Front } from '../../shell/brand';

/** Where a person who was invited, or whose password is reset, sets one. The token stands behind the #, which no server sees. */
export function SetPassword() {
  const { hash } = useLocation();
  const token = hash.slice(1);
  const link = useQuery({
    queryKey: ['postAuthLinksRead', token],
    queryFn: async () => (await api.postAuthLinksRead({ body: { token }, throwOnError: true })).data,
    enabled: token !== '',
    retry: false,
    refetchOnWindowFocus: false,
    staleTime: Infinity,
  });
  const [email, setEmail] = useState<string | null>(null);
  const notWhole = token === '' ? t`This link is incomplete: open it exactly as you received it.` : null;
  const refused = notWhole ?? (link.error ? sentenceOf(link.error) : null);
  return (
    <Front title={t`Set a password`}>
      {email !== null && <Done email={email} />}
      {email === null && refused && (
        <Stack>
          <Title order={1}>{t`Set a password`}</Title>
          <Refusal>{refused}</Refusal>
          <ToSignIn />
        </Stack>
      )}
      {email === null && link.data && <Choose token={token} link={link.data} onDone={setEmail} />}
    </Front>
  );
}

interface ChooseProps {
  token: string;
  link: api.AccountLink;
  onDone: (email: string) => void;
}

function Choose({ token, link: { kind, email, ...link }, onDone }: ChooseProps) {
  const clinicName = link.clinicName ?? 'Clinic workflows';
  const isInvited = kind === 'invitation';
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signIn = useAction(api.postAuthSignInEmailMutation(), {
    onDone({ token: opened }) {
      // What the last account has seen is not for the next one; the link itself is used, and is not read again.
      queries.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'postAuthLinksRead' });
      session.open(opened);
      return navigate('/', { replace: true });
    },
    onRefused: null,
  });
  const form = useActionForm(api.postAuthLinksUseMutation(), {
    initialValues: { name: '', password: '' },
    validate: {
      name: (name) => (isInvited && name.trim() === '' ? t`Enter your name` : null),
      password: isNotEmpty(t`Enter a password`),
    },
    labels: { name: t`Name`, password: t`Password` },
    request: ({ name, password }) => ({ body: { token, password, name: isInvited ? name : undefined } }),
    // Of whom a code is asked as well signs in where it is asked for.
    onDone: (_set, { body }) =>
      signIn.mutateAsync({ body: { email, password: body.password } }).catch(() => onDone(email)),
  });
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack>
        <div>
          <Title order={1}>{isInvited ? t`Join ${clinicName}` : t`Set a new password`}</Title>
          <Quiet>{isInvited ? t`Your account is for you only.` : t`Your open sessions end with it.`}</Quiet>
        </div>
        <TextInput label={t`E-mail`} value={email} readOnly autoComplete="username" />
        {isInvited && (
          <TextInput
            description={t`As your colleagues know you`}
            autoComplete="name"
            autoFocus
            {...form.field('name')}
          />
        )}
        <PasswordInput
          description={t`At least 12 characters. Several words that do not belong together are good.`}
          autoComplete="new-password"
          autoFocus={!isInvited}
          visibilityToggleButtonProps={{ 'aria-label': t`Show the password` }}
          {...form.field('password')}
        />
        <Button type="submit" loading={form.isSaving} fullWidth mt="xs">
          {isInvited ? t`Create my account` : t`Set the password`}
        </Button>
      </Stack>
    </form>
  );
}

const Done = ({ email }: { email: string }) => (
  <Stack>
    <Title order={1}>{t`Your password is set`}</Title>
    <Text>{t`Sign in as ${email} with your new password.`}</Text>
    <ToSignIn email={email} />
  </Stack>
);

const ToSignIn = ({ email }: { email?: string }) => (
  <PageLink to="/sign-in" state={{ email }}>{t`To the sign-in`}</PageLink>
);
