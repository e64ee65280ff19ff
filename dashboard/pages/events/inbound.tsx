import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { ServiceButton, showSecret } from '#forms';
import { IconRefresh } from '#icons';
import { LoadedList } from '#lists';
import { CodeBlock, CopyLine, Section } from '#parts';
import { t, Trans } from '#texts';
import { Moment, Small } from '#words';
import { inboundNames } from './inbound-names';
import { curlOf } from './inbound-samples';
import classes from './inbound.module.css';

export const Inbound = () => (
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
    <LoadedList
      query={useQuery(api.getIntegrationsInboundOptions())}
      rows={7}
      label={t`Inbound URLs`}
      keyOf={({ event }) => event}
      empty={null}
    >
      {(inbound) => <Url inbound={inbound} />}
    </LoadedList>
  </Section>
);

function Url({ inbound }: { inbound: api.InboundUrl }) {
  const { event, url, secret } = inbound;
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="flex-start" gap="xs">
        <div>
          <Title order={3}>{inboundNames[event]}</Title>
          <Small>
            {secret ? (
              <>
                <Trans>
                  Secret created <Moment at={secret.createdAt} /> ·
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
          </Small>
        </div>
        <Rotate inbound={inbound} />
      </Group>
      <CopyLine value={url} what={t`the address of ${event}`} />
      <Previous inbound={inbound} />
      <details className={classes.details}>
        <summary>{t`Show as curl`}</summary>
        <CodeBlock what={t`the curl command of ${event}`} text={curlOf(inbound, '$INBOUND_SECRET')} />
      </details>
    </Stack>
  );
}

function Rotate({ inbound }: { inbound: api.InboundUrl }) {
  const { event, secret } = inbound;
  return (
    <ServiceButton
      size="xs"
      does={api.postIntegrationsInboundByEventRotateSecretMutation()}
      onDone={({ secret: fresh }) =>
        showSecret({
          title: t`The new secret of “${inboundNames[event]}”`,
          what: t`the secret`,
          secret: fresh,
          note: secret ? t`The secret before it is accepted for 24 hours more, or until you retire it.` : undefined,
          example: curlOf(inbound, fresh),
        })
      }
      refresh={['integrations']}
      request={{ path: { event } }}
      ask={
        (secret ?? undefined) && {
          title: t`Rotate the secret of “${inboundNames[event]}”?`,
          what: (
            <Trans>
              A new secret is created. The one in use now keeps working for 24 hours, so that your platform can change
              over.
              {inbound.previousSecret && t` The one before that stops working now.`}
            </Trans>
          ),
          yes: t`Rotate`,
          no: t`Cancel`,
        }
      }
      icon={IconRefresh}
      name={`${secret ? t`Rotate secret` : t`Create a secret`}: ${inboundNames[event]}`}
      label={secret ? t`Rotate secret` : t`Create a secret`}
      isForAdmins
    />
  );
}

function Previous({ inbound: { event, previousSecret } }: { inbound: api.InboundUrl }) {
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
        <ServiceButton
          size="xs"
          does={api.deleteIntegrationsInboundByEventPreviousSecretMutation()}
          done={t`The old secret is retired.`}
          refresh={['integrations']}
          request={{ path: { event } }}
          name={t`Retire it now: the old secret of ${inboundNames[event]}`}
          label={t`Retire it now`}
          isForAdmins
        />
      </Group>
    </Alert>
  );
}
