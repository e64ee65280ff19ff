import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { postAuthLinksUseMutation } from '../http/client/@tanstack/react-query.gen';
import { postAuthLinksRead } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
import { sentenceOf } from '../http/service';
import { showRefusal } from '../parts/refusal';
import { Brand } from '../shell/brand';

/** Where a person who was invited, or whose password is reset, sets one. The token stands behind the #, which no server sees. */
export function SetPassword() {
  const { hash } = useLocation();
  const token = hash.slice(1);
  const link = useQuery({
    queryKey: ['postAuthLinksRead', token],
    queryFn: async () => (await postAuthLinksRead({ body: { token }, throwOnError: true })).data,
    enabled: token !== '',
    retry: false,
    refetchOnWindowFocus: false,
    staleTime: Infinity,
  });
  const [email, setEmail] = useState<string | null>(null);
  useEffect(() => {
    document.title = t`Set a password · Clinic workflows`;
  }, []);
  const notWhole = token === '' ? t`This address is not whole: open the link as it was given to you.` : null;
  const refused = notWhole ?? (link.error ? sentenceOf(link.error) : null);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={420} gap="lg">
        <Brand />
        <Paper p="lg" radius="lg" bg="var(--surface)">
          {email !== null && <Done email={email} />}
          {email === null && refused && (
            <Stack>
              <Title order={1}>
                <Trans>Set a password</Trans>
              </Title>
              <Alert color="red" role="alert">
                {refused}
              </Alert>
              <ToSignIn />
            </Stack>
          )}
          {email === null && link.data && <Choose token={token} link={link.data} onDone={setEmail} />}
        </Paper>
      </Stack>
    </Center>
  );
}

function Choose({
  token,
  link: { kind, email, clinicName },
  onDone,
}: {
  token: string;
  link: Api.AccountLink;
  onDone: (email: string) => void;
}) {
  const isInvited = kind === 'invitation';
  const form = useForm({
    initialValues: { name: '', password: '' },
    validate: {
      name: (name) => (isInvited && name.trim() === '' ? t`Enter your name` : null),
      password: isNotEmpty(t`Enter a password`),
    },
  });
  const use = useMutation({
    ...postAuthLinksUseMutation(),
    onSuccess: () => onDone(email),
    onError: (error) => showRefusal(form, error, { name: t`Name`, password: t`Password` }),
  });
  const send = ({ name, password }: { name: string; password: string }) =>
    use.mutate({ body: { token, password, name: isInvited ? name : undefined } });
  return (
    <form onSubmit={form.onSubmit(send)} noValidate>
      <Stack>
        <div>
          <Title order={1}>{isInvited ? t`Join ${clinicName}` : t`Set a new password`}</Title>
          <Text size="sm" c="dimmed">
            {isInvited ? t`Your account is for you alone.` : t`Your open sessions end with it.`}
          </Text>
        </div>
        <TextInput label={t`E-mail`} value={email} readOnly autoComplete="username" />
        {isInvited && (
          <TextInput
            label={t`Name`}
            description={t`As your colleagues know you`}
            autoComplete="name"
            {...form.getInputProps('name')}
          />
        )}
        <PasswordInput
          label={t`Password`}
          description={t`At least 12 characters. Several words that do not belong together are good.`}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': t`Show the password` }}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={use.isPending} fullWidth mt="xs">
          {isInvited ? t`Make my account` : t`Set the password`}
        </Button>
      </Stack>
    </form>
  );
}

const Done = ({ email }: { email: string }) => (
  <Stack>
    <Title order={1}>
      <Trans>That is done</Trans>
    </Title>
    <Text>
      <Trans>Sign in as {email} with your new password.</Trans>
    </Text>
    <ToSignIn />
  </Stack>
);

const ToSignIn = () => (
  <Anchor component={Link} to="/sign-in" size="sm">
    <Trans>To the sign-in</Trans>
  </Anchor>
);
