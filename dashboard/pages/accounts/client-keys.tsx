import { Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { ServiceButton } from '#forms';
import { CodeBlock, Loaded } from '#parts';
import { t } from '#texts';
import { Moment, Name, Small } from '#words';

type Key = api.ClientKeys['items'][number];

const states: Record<Key['state'], string> = {
  next: t`published, signs from`,
  signing: t`signs, since`,
  previous: t`signs no more, since`,
};

/** The key pairs of the clinic; a new one replaces the one before without a gap. */
export function ClientKeys() {
  const keys = useQuery(api.getIntegrationsApprovedApiKeysOptions());
  return <Loaded query={keys}>{(data) => <Keys keys={data} />}</Loaded>;
}

function Keys({ keys: { items, jwksUrl } }: { keys: api.ClientKeys }) {
  const [algorithm, setAlgorithm] = useState<Key['algorithm']>('ES384');
  return (
    <Stack gap="xs">
      <Name>{t`Key pairs`}</Name>
      <Small>
        {t`Register this address where your EHR wants a JWKS URL. The private halves never leave the service.`}
      </Small>
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
        <ServiceButton
          does={api.postIntegrationsApprovedApiKeysMutation()}
          done={t`Created. It is published at the address of the key set.`}
          refresh={['integrations']}
          request={{ body: { algorithm } }}
          disabled={items.length > 1}
          label={items.length === 0 ? t`Create a key pair` : t`Replace the key pair`}
          isForAdmins
        />
      </Group>
    </Stack>
  );
}

const KeyRow = ({ item: { kid, algorithm, state, signsFrom } }: { item: Key }) => (
  <Group justify="space-between">
    <Text size="sm">
      {algorithm} · {states[state]} <Moment at={signsFrom} />
    </Text>
    <ServiceButton
      size="xs"
      does={api.deleteIntegrationsApprovedApiKeysByKidMutation()}
      done={t`Withdrawn.`}
      refresh={['integrations']}
      request={{ path: { kid } }}
      ask={{
        title: t`Withdraw this key?`,
        what: t`Nothing that it signed is taken any more, at once.`,
        yes: t`Withdraw`,
        isFinal: true,
      }}
      name={t`Withdraw ${kid}`}
      label={t`Withdraw`}
      isForAdmins
    />
  </Group>
);
