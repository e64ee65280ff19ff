import { Box, PasswordInput, Stack } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { PageForm, ServiceButton, useActionForm } from '#forms';
import { session } from '#http';
import { LoadedList } from '#lists';
import { Page, Section, useAccount, useMay } from '#parts';
import { t } from '#texts';
import { eye } from './ask-password';
import { Notifications } from './notifications';
import { Passkeys } from './passkeys';
import { SecondFactor } from './second-factor';
import { SessionLine } from './session-line';

/** One's own account: the password, the second factor, passkeys, where one is signed in. */
export function MyAccount() {
  const { name, email } = useAccount();
  const may = useMay();
  return (
    <Page title={t`My account`} lead={`${name}, ${email}`}>
      <Stack gap="lg" maw={760}>
        <Password />
        <SecondFactor />
        <Passkeys />
        {may('tasks') && <Notifications />}
        <Sessions />
      </Stack>
    </Page>
  );
}

function Password() {
  const { email } = useAccount();
  const form = useActionForm(api.putAuthPasswordMutation(), {
    initialValues: { password: '', newPassword: '' },
    validate: {
      password: isNotEmpty(t`Enter your present password`),
      newPassword: isNotEmpty(t`Enter a new password`),
    },
    labels: { password: t`Present password`, newPassword: t`New password` },
    request: (body) => ({ body }),
    done: t`Your password is changed, and your other sessions have ended.`,
    refresh: ['account'],
  });
  return (
    <Section title={t`Password`} lead={t`At least 12 characters. Several words that do not belong together are good.`}>
      <Box maw={380}>
        <PageForm form={form} action={t`Change the password`}>
          <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordInput autoComplete="current-password" {...eye} {...form.field('password')} />
          <PasswordInput autoComplete="new-password" {...eye} {...form.field('newPassword')} />
        </PageForm>
      </Box>
    </Section>
  );
}

const Sessions = () => (
  <Section
    title={t`Where you are signed in`}
    flush
    actions={
      <ServiceButton
        does={api.deleteAuthSessionsMutation()}
        onDone={() => session.close('signed-out')}
        request={{}}
        ask={{
          title: t`Sign out everywhere?`,
          what: t`Every session of your account ends at once, this one too.`,
          yes: t`Sign out everywhere`,
          no: t`Not now`,
          isFinal: true,
        }}
        label={t`Sign out everywhere`}
      />
    }
  >
    <LoadedList query={useQuery(api.getAuthSessionsOptions())} label={t`Sessions`} keyOf={({ id }) => id} empty={null}>
      {(each) => <SessionLine session={each} action={each.isCurrent ? undefined : <End id={each.id} />} />}
    </LoadedList>
  </Section>
);

const End = ({ id }: { id: string }) => (
  <ServiceButton
    size="xs"
    does={api.deleteAuthSessionsBySessionIdMutation()}
    done={t`The session has ended.`}
    refresh={['account']}
    request={{ path: { sessionId: id } }}
    label={t`End`}
  />
);
