import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  deleteIntegrationsApprovedApiKeysByKidMutation,
  getIntegrationsApprovedApiKeysOptions,
  postIntegrationsApprovedApiKeysMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { CodeBlock } from '../../parts/copy';
import { Moment } from '../../parts/moment';
import { useRefresh } from '../../parts/refresh';
import { sayDone, sayFailed } from '../../parts/say';
import { Loaded } from '../../parts/states';

type Key = Api.ClientKeys['items'][number];

const states: Record<Key['state'], string> = {
  next: t`published, signs from`,
  signing: t`signs, since`,
  previous: t`signs no more, since`,
};

/** The key pairs of the clinic; a new one replaces the one before without a gap. */
export function ClientKeys() {
  const keys = useQuery(getIntegrationsApprovedApiKeysOptions());
  return <Loaded query={keys}>{(data) => <Keys keys={data} />}</Loaded>;
}

function Keys({ keys: { items, jwksUrl } }: { keys: Api.ClientKeys }) {
  const refresh = useRefresh('integrations');
  const [algorithm, setAlgorithm] = useState<Key['algorithm']>('ES384');
  const make = useMutation({
    ...postIntegrationsApprovedApiKeysMutation(),
    onSuccess: () => sayDone(t`Made. It is published at the address of the key set.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        <Trans>Key pairs</Trans>
      </Text>
      <Text size="xs" c="dimmed">
        <Trans>
          Register this address where your EHR wants a JWKS URL. The private halves never leave the service.
        </Trans>
      </Text>
      <CodeBlock what={t`the address of the key set`} text={jwksUrl} />
      {items.map((key) => (
        <KeyRow key={key.kid} item={key} />
      ))}
      <Group align="end">
        <Select
          label={t`Algorithm`}
          data={['ES384', 'RS384']}
          allowDeselect={false}
          value={algorithm}
          onChange={(value) => setAlgorithm(value === 'RS384' ? 'RS384' : 'ES384')}
        />
        <Button
          variant="default"
          loading={make.isPending}
          disabled={items.length > 1}
          onClick={() => make.mutate({ body: { algorithm } })}
        >
          {items.length === 0 ? t`Make a key pair` : t`Replace the key pair`}
        </Button>
      </Group>
    </Stack>
  );
}

function KeyRow({ item: { kid, algorithm, state, signsFrom } }: { item: Key }) {
  const refresh = useRefresh('integrations');
  const remove = useMutation({
    ...deleteIntegrationsApprovedApiKeysByKidMutation(),
    onSuccess: () => sayDone(t`Withdrawn.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: t`Withdraw this key?`,
      children: (
        <Text size="sm">
          <Trans>Nothing that it signed is taken any more, at once.</Trans>
        </Text>
      ),
      labels: { confirm: t`Withdraw`, cancel: t`Keep it` },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate({ path: { kid } }),
    });
  return (
    <Group justify="space-between">
      <Text size="sm">
        {algorithm} · {states[state]} <Moment at={signsFrom} />
      </Text>
      <Button variant="default" size="xs" loading={remove.isPending} aria-label={t`Withdraw ${kid}`} onClick={ask}>
        <Trans>Withdraw</Trans>
      </Button>
    </Group>
  );
}
