import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Box, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  deleteIntegrationsApiKeysByApiKeyIdMutation,
  getIntegrationsApiKeysOptions,
  postIntegrationsApiKeysMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { IconKey, IconPlus } from '../../icons';
import { AdminOnly } from '../../parts/admin';
import { Moment } from '../../parts/moment';
import { PlainList } from '../../parts/plain-list';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { SecretDialog, type ShownSecret } from '../../parts/secret-dialog';
import { Section } from '../../parts/section';
import { Empty, Loaded } from '../../parts/states';
import { useAccount } from '../../shell/account';

type ApiKey = Api.ApiKey;

export function ApiKeys() {
  const keys = useQuery(getIntegrationsApiKeysOptions());
  const [isMaking, setIsMaking] = useState(false);
  const [shown, setShown] = useState<ShownSecret | null>(null);
  return (
    <Section
      title={t`API keys`}
      lead={t`For your servers, to start workflows and ask for their outcome. Several may be live, so that one can replace another.`}
      flush
      actions={
        <AdminOnly>
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsMaking(true)}>
            <Trans>Make a key</Trans>
          </Button>
        </AdminOnly>
      }
    >
      <Loaded query={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t`No live key`} icon={IconKey}>
              <Trans>Without a key nobody can use the workflow REST API of your clinic.</Trans>
            </Empty>
          ) : (
            <PlainList label={t`API keys`}>
              {items.map((key) => (
                <Key key={key.id} apiKey={key} />
              ))}
            </PlainList>
          )
        }
      </Loaded>
      <MakeKey
        opened={isMaking}
        onClose={() => setIsMaking(false)}
        onMade={(secret) => {
          setIsMaking(false);
          setShown(secret);
        }}
      />
      <SecretDialog shown={shown} onClose={() => setShown(null)} />
    </Section>
  );
}

function Key({ apiKey: { id, name, prefix, createdAt, lastUsedAt } }: { apiKey: ApiKey }) {
  const refresh = useRefresh('integrations');
  const revoke = useMutation({
    ...deleteIntegrationsApiKeysByApiKeyIdMutation(),
    onSuccess: () => sayDone(t`The key “${name}” is revoked.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: t`Revoke “${name}”?`,
      children: (
        <Text size="sm">
          <Trans>Whoever uses this key is refused at once. This cannot be undone.</Trans>
        </Text>
      ),
      labels: { confirm: t`Revoke`, cancel: t`Keep it` },
      confirmProps: { color: 'red' },
      onConfirm: () => revoke.mutate({ path: { apiKeyId: id } }),
    });
  return (
    <Group justify="space-between" wrap="nowrap">
      <Box miw={0} flex={1}>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <Trans>
            <code>{prefix}…</code> · made <Moment at={createdAt} /> ·
          </Trans>{' '}
          {lastUsedAt ? (
            <Trans>
              last used <Moment at={lastUsedAt} />
            </Trans>
          ) : (
            t`never used`
          )}
        </Text>
      </Box>
      <AdminOnly>
        <Button size="xs" variant="default" loading={revoke.isPending} onClick={ask} aria-label={t`Revoke ${name}`}>
          <Trans>Revoke</Trans>
        </Button>
      </AdminOnly>
    </Group>
  );
}

function MakeKey({
  opened,
  onClose,
  onMade,
}: {
  opened: boolean;
  onClose: () => void;
  onMade: (shown: ShownSecret) => void;
}) {
  const { baseUrl } = useAccount();
  const refresh = useRefresh('integrations');
  const form = useForm({ initialValues: { name: '' }, validate: { name: isNotEmpty(t`Give the key a name`) } });
  const make = useMutation({
    ...postIntegrationsApiKeysMutation(),
    onSuccess({ name, key }) {
      form.reset();
      onMade({
        title: t`The key “${name}”`,
        what: t`the key`,
        secret: key,
        note: t`It is for servers only: never put it into a page or an app.`,
        example: `curl "${baseUrl}/workflows?limit=5" \\\n  -H "Authorization: Bearer ${key}"`,
      });
    },
    onError: (error) => showRefusal(form, error, { name: t`Name` }),
    onSettled: refresh,
  });
  return (
    <Modal opened={opened} onClose={onClose} title={t`Make an API key`}>
      <form onSubmit={form.onSubmit((body) => make.mutate({ body }))} noValidate>
        <Stack>
          <TextInput
            label={t`Name`}
            description={t`What will use it, so that it can be recognised later`}
            placeholder={t`Booking server`}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              <Trans>Not now</Trans>
            </Button>
            <Button type="submit" loading={make.isPending}>
              <Trans>Make the key</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
