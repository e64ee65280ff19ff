import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  deleteIntegrationsInboundByEventPreviousSecretMutation,
  getIntegrationsInboundOptions,
  postIntegrationsInboundByEventRotateSecretMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { IconRefresh } from '../../icons';
import { AdminOnly } from '../../parts/admin';
import { CodeBlock, CopyLine } from '../../parts/copy';
import { curlOf } from '../../parts/inbound-samples';
import { Moment } from '../../parts/moment';
import { PlainList } from '../../parts/plain-list';
import { useRefresh } from '../../parts/refresh';
import { sayDone, sayFailed } from '../../parts/say';
import { SecretDialog, type ShownSecret } from '../../parts/secret-dialog';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';
import { sentence } from '../../parts/code-words';
import classes from './inbound.module.css';

type InboundUrl = Api.InboundUrl;

/** `forms.abandoned` → `Forms abandoned`. */
const titleOf = (name: string) => sentence(name.replaceAll('.', ' '));

export function Inbound() {
  const urls = useQuery(getIntegrationsInboundOptions());
  const [shown, setShown] = useState<ShownSecret | null>(null);
  return (
    <Section
      title={t`Inbound events`}
      lead={
        <Trans>
          Your platform posts events to these addresses, each with its own secret in the header{' '}
          <code className={classes.header}>x-automation-secret</code>.
        </Trans>
      }
      flush
    >
      <Loaded query={urls} rows={7}>
        {({ items }) => (
          <PlainList label={t`Inbound URLs`}>
            {items.map((inbound) => (
              <Url key={inbound.event} inbound={inbound} onSecret={setShown} />
            ))}
          </PlainList>
        )}
      </Loaded>
      <SecretDialog shown={shown} onClose={() => setShown(null)} />
    </Section>
  );
}

function Url({ inbound, onSecret }: { inbound: InboundUrl; onSecret: (shown: ShownSecret) => void }) {
  const { event, name, url, secret } = inbound;
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="flex-start" gap="xs">
        <div>
          <Title order={3}>{titleOf(name)}</Title>
          <Text size="xs" c="dimmed" component="div">
            {secret ? (
              <>
                <Trans>
                  Secret made <Moment at={secret.createdAt} /> ·
                </Trans>{' '}
                {secret.lastUsedAt ? (
                  <Trans>
                    last used <Moment at={secret.lastUsedAt} />
                  </Trans>
                ) : (
                  t`never used`
                )}
              </>
            ) : (
              t`No secret yet: every request is refused`
            )}
          </Text>
        </div>
        <Rotate inbound={inbound} onSecret={onSecret} />
      </Group>
      <CopyLine value={url} what={t`the address of ${event}`} />
      <Previous inbound={inbound} />
      <details className={classes.details}>
        <summary>
          <Trans>Show as curl</Trans>
        </summary>
        <CodeBlock what={t`the curl command of ${event}`} text={curlOf(inbound, '$INBOUND_SECRET')} />
      </details>
    </Stack>
  );
}

function Rotate({ inbound, onSecret }: { inbound: InboundUrl; onSecret: (shown: ShownSecret) => void }) {
  const { event, name, secret } = inbound;
  const refresh = useRefresh('integrations');
  const rotate = useMutation({
    ...postIntegrationsInboundByEventRotateSecretMutation(),
    onSuccess: ({ secret: fresh }) =>
      onSecret({
        title: t`The new secret of “${titleOf(name)}”`,
        what: t`the secret`,
        secret: fresh,
        note: secret ? t`The secret before it is accepted for 24 hours more, or until you retire it.` : undefined,
        example: curlOf(inbound, fresh),
      }),
    onError: sayFailed,
    onSettled: refresh,
  });
  const start = () => rotate.mutate({ path: { event } });
  const ask = () =>
    modals.openConfirmModal({
      title: t`Rotate the secret of “${titleOf(name)}”?`,
      children: (
        <Text size="sm">
          <Trans>
            A new secret is made. The one in use now keeps working for 24 hours, so that your platform can change over.
            {inbound.previousSecret && t` The one before that stops working now.`}
          </Trans>
        </Text>
      ),
      labels: { confirm: t`Rotate`, cancel: t`Leave it` },
      onConfirm: start,
    });
  return (
    <AdminOnly>
      <Button
        size="xs"
        variant="default"
        loading={rotate.isPending}
        leftSection={<IconRefresh size={14} aria-hidden />}
        aria-label={`${secret ? t`Rotate secret` : t`Make a secret`}: ${titleOf(name)}`}
        onClick={secret ? ask : start}
      >
        {secret ? t`Rotate secret` : t`Make a secret`}
      </Button>
    </AdminOnly>
  );
}

function Previous({ inbound: { event, name, previousSecret } }: { inbound: InboundUrl }) {
  const refresh = useRefresh('integrations');
  const retire = useMutation({
    ...deleteIntegrationsInboundByEventPreviousSecretMutation(),
    onSuccess: () => sayDone(t`The old secret is retired.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  if (!previousSecret) return null;
  return (
    <Alert color="yellow" py="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          <Trans>
            The old secret still works, until <Moment at={previousSecret.expiresAt} near={false} />.
          </Trans>
          {previousSecret.lastUsedAt && (
            <>
              {' '}
              <Trans>
                Last used <Moment at={previousSecret.lastUsedAt} />.
              </Trans>
            </>
          )}
        </Text>
        <AdminOnly>
          <Button
            size="xs"
            variant="default"
            loading={retire.isPending}
            aria-label={t`Retire it now: the old secret of ${titleOf(name)}`}
            onClick={() => retire.mutate({ path: { event } })}
          >
            <Trans>Retire it now</Trans>
          </Button>
        </AdminOnly>
      </Group>
    </Alert>
  );
}
