import { Alert, Checkbox, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { Editable, ServiceButton, SettingsForm, showSecret, useSettingsForm } from '#forms';
import { IconRefresh, IconSend } from '#icons';
import { AdminOnly, Loaded, Section } from '#parts';
import { t, Trans } from '#texts';
import { Moment, Quiet } from '#words';
import { FurtherEndpoints, noteOfNewSecret } from './endpoints';
import { chosenEvents, eventOptions, isOutboundEvent } from './event-names';
import { TestDelivery } from './test-delivery';

type Settings = api.OutboundSettings;

export function Outbound() {
  const settings = useQuery(api.getIntegrationsOutboundOptions());
  return (
    <Loaded query={settings}>
      {(data) => (
        <Stack gap="lg">
          <Editable stored={endpointOf(data)}>{(stored) => <Endpoint settings={stored} />}</Editable>
          <TestEvent settings={data} />
          <SigningSecret settings={data} />
          <FurtherEndpoints />
        </Stack>
      )}
    </Loaded>
  );
}

type EndpointSettings = Pick<Settings, 'url' | 'enabled' | 'events' | 'disabledReason'>;

const endpointOf = ({ url, enabled, events: chosen, disabledReason }: Settings): EndpointSettings => ({
  url,
  enabled,
  events: chosen,
  disabledReason,
});

const labels = { url: 'URL', enabled: t`Send events`, events: t`Events` };

function Endpoint({ settings }: { settings: EndpointSettings }) {
  const form = useSettingsForm(api.putIntegrationsOutboundMutation(), {
    initialValues: { url: settings.url ?? '', enabled: settings.enabled, events: settings.events },
    labels,
    validate: {
      url: (url, { enabled }) =>
        enabled && url.trim() === '' ? t`Type where events are sent, or switch “Send events” off.` : null,
    },
    request: ({ url, ...rest }) => ({ body: { ...rest, url: url.trim() || null } }),
    done: ({ url }) => (url === null ? t`Saved: there is no main endpoint, and nothing is sent to one.` : t`Saved.`),
  });
  return (
    <Section
      title={t`Main endpoint`}
      lead={t`Where outcome events are sent: at least once, in order per case, and signed.`}
    >
      <SettingsForm form={form}>
        {settings.disabledReason && (
          <Alert color="red" title={t`The service has switched it off`}>
            {t`Because ${settings.disabledReason}. Saving it as enabled switches it on again; what it has missed is sent from Deliveries, Send events again.`}
          </Alert>
        )}
        <TextInput type="url" placeholder="https://clinic.example/hooks/clinic-workflows" {...form.field('url')} />
        <Switch {...form.box('enabled')} />
        <Checkbox.Group {...form.field('events')}>
          <Stack gap="xs" mt="xs">
            {chosenEvents.map(({ value, label, when }) => (
              <Checkbox key={value} value={value} label={`${label} (${value})`} description={when} />
            ))}
          </Stack>
        </Checkbox.Group>
      </SettingsForm>
    </Section>
  );
}

/** Sends an event that means nothing, or a sample of one, and shows what became of it. */
function TestEvent({ settings }: { settings: Settings }) {
  const [deliveryId, setDeliveryId] = useState<string | null>(null);
  const [event, setEvent] = useState<api.OutboundEvent>('test');
  return (
    <Section
      title={t`Test events`}
      lead={t`An event named “test”, or a sample of each event: signed and delivered as any other. A sample has ids that begin with “sample-” and the header x-clinic-simulated.`}
      gap="sm"
    >
      <AdminOnly>
        <Group gap="sm" align="flex-end">
          <Select
            label={t`Event`}
            w={{ base: '100%', xs: 220 }}
            data={eventOptions}
            value={event}
            allowDeselect={false}
            onChange={(chosen) => isOutboundEvent(chosen) && setEvent(chosen)}
          />
          <ServiceButton
            does={api.postIntegrationsOutboundTestMutation()}
            onDone={({ id }) => setDeliveryId(id)}
            request={{ body: { event } }}
            icon={IconSend}
            disabled={!settings.url || !settings.enabled}
            label={event === 'test' ? t`Send a test event` : t`Send a sample`}
          />
        </Group>
      </AdminOnly>
      {(!settings.url || !settings.enabled) && <Quiet>{t`Register a URL and switch it on first.`}</Quiet>}
      {deliveryId && <TestDelivery deliveryId={deliveryId} />}
    </Section>
  );
}

const SigningSecret = ({ settings }: { settings: Settings }) => (
  <Section title={t`Signing secret`} lead={t`Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature.`}>
    <Group justify="space-between">
      <Text size="sm">
        {settings.secretCreatedAt ? (
          <Trans>
            Created <Moment at={settings.secretCreatedAt} />.
          </Trans>
        ) : (
          t`There is none yet: events are sent once you have created one.`
        )}
        {settings.previousSecretExpiresAt && (
          <>
            {' '}
            <Trans>
              The old one signs until <Moment at={settings.previousSecretExpiresAt} near={false} />.
            </Trans>
          </>
        )}
      </Text>
      <ServiceButton
        size="xs"
        does={api.postIntegrationsOutboundRotateSecretMutation()}
        onDone={({ secret }) =>
          showSecret({
            title: t`The new signing secret`,
            what: t`the signing secret`,
            secret,
            note: noteOfNewSecret,
          })
        }
        refresh={['integrations']}
        request={{}}
        ask={{
          title: t`Rotate the signing secret?`,
          what: t`Events carry a signature of the old secret and of the new one for 24 hours.`,
          yes: t`Rotate`,
          no: t`Cancel`,
        }}
        icon={IconRefresh}
        label={t`Rotate the signing secret`}
        isForAdmins
      />
    </Group>
  </Section>
);
