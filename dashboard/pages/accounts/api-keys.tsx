import { Button, TextInput } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { FormDialog, ServiceButton, showSecret, useActionForm } from '#forms';
import { IconKey, IconPlus } from '#icons';
import { LoadedList } from '#lists';
import { AdminOnly, Empty, Line, Section, useAccount } from '#parts';
import { t, Trans } from '#texts';
import { Moment } from '#words';

export function ApiKeys() {
  const [isMaking, setIsMaking] = useState(false);
  return (
    <Section
      title={t`API keys`}
      lead={t`For your servers, to start workflows and ask for their outcome. Several may be live, so that one can replace another.`}
      flush
      actions={
        <AdminOnly>
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsMaking(true)}>
            {t`Make a key`}
          </Button>
        </AdminOnly>
      }
    >
      <LoadedList
        query={useQuery(api.getIntegrationsApiKeysOptions())}
        label={t`API keys`}
        keyOf={({ id }) => id}
        empty={
          <Empty title={t`No live key`} icon={IconKey}>
            {t`Without a key nobody can use the workflow REST API of your clinic.`}
          </Empty>
        }
      >
        {(key) => <Key apiKey={key} />}
      </LoadedList>
      {isMaking && <MakeKey onClose={() => setIsMaking(false)} />}
    </Section>
  );
}

const Key = ({ apiKey: { id, name, prefix, createdAt, lastUsedAt } }: { apiKey: api.ApiKey }) => (
  <Line
    name={name}
    actions={
      <ServiceButton
        size="xs"
        does={api.deleteIntegrationsApiKeysByApiKeyIdMutation()}
        done={t`The key “${name}” is revoked.`}
        refresh={['integrations']}
        request={{ path: { apiKeyId: id } }}
        ask={{
          title: t`Revoke “${name}”?`,
          what: t`Anyone who uses this key is refused at once. This cannot be undone.`,
          isFinal: true,
        }}
        name={t`Revoke ${name}`}
        label={t`Revoke`}
        isForAdmins
      />
    }
  >
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
  </Line>
);

function MakeKey({ onClose }: { onClose: () => void }) {
  const { baseUrl } = useAccount();
  const form = useActionForm(api.postIntegrationsApiKeysMutation(), {
    initialValues: { name: '' },
    validate: { name: isNotEmpty(t`Give the key a name`) },
    labels: { name: t`Name` },
    request: (body) => ({ body }),
    onDone({ name, key }) {
      onClose();
      showSecret({
        title: t`The key “${name}”`,
        what: t`the key`,
        secret: key,
        note: t`It is for servers only: never put it into a page or an app.`,
        example: `curl "${baseUrl}/workflows?limit=5" \\\n  -H "Authorization: Bearer ${key}"`,
      });
    },
    refresh: ['integrations'],
  });
  return (
    <FormDialog title={t`Make an API key`} onClose={onClose} form={form} action={t`Make the key`}>
      <TextInput
        description={t`What will use it, so that it can be recognised later`}
        placeholder={t`Booking server`}
        data-autofocus
        {...form.field('name')}
      />
    </FormDialog>
  );
}
