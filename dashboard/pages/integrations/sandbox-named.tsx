import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Box, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  deleteSandboxesBySandboxIdMutation,
  getSandboxesOptions,
  postSandboxesBySandboxIdTokenMutation,
  postSandboxesMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { AdminOnly } from '../../parts/admin';
import { Moment } from '../../parts/moment';
import { PlainList } from '../../parts/plain-list';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { SecretDialog, type ShownSecret } from '../../parts/secret-dialog';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';
import { useAccount } from '../../shell/account';

/** More sandboxes of the clinic, each with a token of its own. */
export function NamedSandboxes() {
  const { baseUrl } = useAccount();
  const sandboxes = useQuery(getSandboxesOptions());
  const [shown, setShown] = useState<ShownSecret | null>(null);
  const refresh = useRefresh('proving');
  const form = useForm({ initialValues: { name: '' }, validate: { name: isNotEmpty(t`A sandbox needs a name`) } });
  const showToken = (name: string, token: string) =>
    setShown({
      title: t`The token of “${name}”`,
      what: t`the token`,
      secret: token,
      note: t`It opens this sandbox alone: its FHIR routes, and what sets it up under /sandbox.`,
      example: `curl "${baseUrl}/Slot?schedule=Schedule/Dr.Chen" \\\n  -H "Authorization: Bearer ${token}"`,
    });
  const open = useMutation({
    ...postSandboxesMutation(),
    onSuccess({ name, token }) {
      form.reset();
      showToken(name, token);
    },
    onError: (error) => showRefusal(form, error, { name: t`Name` }),
    onSettled: refresh,
  });
  return (
    <Section
      title={t`More sandboxes`}
      lead={t`One for each team, and one for its CI: each has its own patients, appointments, clock, failures and kindnesses, and its own token.`}
    >
      <Stack>
        <AdminOnly>
          <form noValidate onSubmit={form.onSubmit(({ name }) => open.mutate({ body: { name: name.trim() } }))}>
            <Group align="end">
              <TextInput
                label={t`Name of the sandbox`}
                description={t`It begins with your providers as they are now, and the fixtures`}
                placeholder="CI"
                maxLength={60}
                {...form.getInputProps('name')}
              />
              <Button type="submit" variant="default" loading={open.isPending}>
                <Trans>Open a sandbox</Trans>
              </Button>
            </Group>
          </form>
        </AdminOnly>
        <Loaded query={sandboxes} rows={1}>
          {({ items }) =>
            items.length > 0 && (
              <PlainList label={t`More sandboxes`} isInset>
                {items.map((sandbox) => (
                  <NamedSandbox key={sandbox.id} sandbox={sandbox} showToken={showToken} />
                ))}
              </PlainList>
            )
          }
        </Loaded>
      </Stack>
      <SecretDialog shown={shown} onClose={() => setShown(null)} />
    </Section>
  );
}

function NamedSandbox({
  sandbox: { id, name, createdAt },
  showToken,
}: {
  sandbox: Api.NamedSandbox;
  showToken: (name: string, token: string) => void;
}) {
  const refresh = useRefresh('proving');
  const path = { sandboxId: id };
  const renew = useMutation({
    ...postSandboxesBySandboxIdTokenMutation(),
    onSuccess: ({ token }) => showToken(name, token),
    onError: sayFailed,
  });
  const remove = useMutation({
    ...deleteSandboxesBySandboxIdMutation(),
    onSuccess: () => sayDone(t`${name} is removed.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const askRenew = () =>
    modals.openConfirmModal({
      title: t`A new token for “${name}”?`,
      children: (
        <Text size="sm">
          <Trans>Whoever uses the one that it has is refused at once.</Trans>
        </Text>
      ),
      labels: { confirm: t`Make a new token`, cancel: t`Keep it` },
      onConfirm: () => renew.mutate({ path }),
    });
  const askRemove = () =>
    modals.openConfirmModal({
      title: t`Remove “${name}”?`,
      children: (
        <Text size="sm">
          <Trans>Its token opens nothing any more, and all that it holds goes.</Trans>
        </Text>
      ),
      labels: { confirm: t`Remove it`, cancel: t`Keep it` },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate({ path }),
    });
  return (
    <Group justify="space-between" gap="xs">
      <Box miw={0} flex={1}>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <Trans>
            opened <Moment at={createdAt} />
          </Trans>
        </Text>
      </Box>
      <AdminOnly>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={renew.isPending}
            onClick={askRenew}
            aria-label={t`New token for ${name}`}
          >
            <Trans>New token</Trans>
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            loading={remove.isPending}
            onClick={askRemove}
            aria-label={t`Remove ${name}`}
          >
            <Trans>Remove</Trans>
          </Button>
        </Group>
      </AdminOnly>
    </Group>
  );
}
