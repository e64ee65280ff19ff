import { Alert, Anchor, Button, Checkbox, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import { Link } from 'react-router';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  getDeliveriesByDeliveryIdOptions,
  getIntegrationsOutboundOptions,
  postIntegrationsOutboundRotateSecretMutation,
  postIntegrationsOutboundTestMutation,
  putIntegrationsOutboundMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { IconRefresh, IconSend } from '../../icons';
import { AdminOnly } from '../../parts/admin';
import { DeliveryState } from '../../parts/delivery-state';
import { Editable, FormFooter, useSaved } from '../../parts/editable';
import { eventName } from '../../parts/event-names';
import { Moment } from '../../parts/moment';
import { outboundError } from '../../parts/outbound-errors';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { SecretDialog, type ShownSecret } from '../../parts/secret-dialog';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';

type Settings = Api.OutboundSettings;

const events: { name: Settings['events'][number]; when: string }[] = [
  { name: 'recovery_case.created', when: 'A recovery case was opened, before anybody is called' },
  { name: 'recovery_case.outcome', when: 'A recovery case has ended' },
  { name: 'workflow.completed', when: 'A workflow of another type has ended' },
];

export function Outbound() {
  const settings = useQuery(getIntegrationsOutboundOptions());
  return (
    <Loaded query={settings}>
      {(data) => (
        <Stack gap="lg">
          <Editable stored={endpointOf(data)}>{(stored) => <Endpoint settings={stored} />}</Editable>
          <TestEvent settings={data} />
          <SigningSecret settings={data} />
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

const labels = { url: 'URL', enabled: 'Send events', events: 'Events' };

function Endpoint({ settings }: { settings: EndpointSettings }) {
  const saved = useSaved();
  const form = useForm({
    initialValues: { url: settings.url ?? '', enabled: settings.enabled, events: settings.events },
  });
  const save = useMutation({
    ...putIntegrationsOutboundMutation(),
    async onSuccess() {
      sayDone('Saved.');
      await saved();
    },
    onError: (error) => showRefusal(form, error, labels),
  });
  return (
    <Section title="Outbound URL" lead="Where outcome events are sent: at least once, in order per case, and signed.">
      <AdminOnly>
        <form
          noValidate
          onSubmit={form.onSubmit(({ url, ...rest }) => save.mutate({ body: { ...rest, url: url.trim() || null } }))}
        >
          <Stack>
            {settings.disabledReason && (
              <Alert color="red" title="The service has switched it off">
                Because {settings.disabledReason}. Saving it as enabled switches it on again.
              </Alert>
            )}
            <TextInput
              label={labels.url}
              type="url"
              placeholder="https://clinic.example/hooks/clinic-workflows"
              {...form.getInputProps('url')}
            />
            <Switch label={labels.enabled} {...form.getInputProps('enabled', { type: 'checkbox' })} />
            <Checkbox.Group label={labels.events} {...form.getInputProps('events')}>
              <Stack gap="xs" mt="xs">
                {events.map(({ name, when }) => (
                  <Checkbox key={name} value={name} label={`${eventName(name)} (${name})`} description={when} />
                ))}
              </Stack>
            </Checkbox.Group>
            <FormFooter isDirty={form.isDirty()} isSaving={save.isPending} />
          </Stack>
        </form>
      </AdminOnly>
    </Section>
  );
}

/** Sends an event that means nothing, and shows what became of it. */
function TestEvent({ settings }: { settings: Settings }) {
  const [deliveryId, setDeliveryId] = useState<string | null>(null);
  const test = useMutation({
    ...postIntegrationsOutboundTestMutation(),
    onSuccess: ({ id }) => setDeliveryId(id),
    onError: sayFailed,
  });
  return (
    <Section title="Test event" lead="An event named “test”, signed and delivered as any other.">
      <Stack gap="sm">
        <AdminOnly>
          <Button
            variant="default"
            leftSection={<IconSend size={16} aria-hidden />}
            loading={test.isPending}
            disabled={!settings.url || !settings.enabled}
            onClick={() => test.mutate({})}
          >
            Send a test event
          </Button>
        </AdminOnly>
        {(!settings.url || !settings.enabled) && (
          <Text size="sm" c="dimmed">
            Register a URL and switch it on first.
          </Text>
        )}
        {deliveryId && <TestDelivery deliveryId={deliveryId} />}
      </Stack>
    </Section>
  );
}

function TestDelivery({ deliveryId }: { deliveryId: string }) {
  const delivery = useQuery(getDeliveriesByDeliveryIdOptions({ path: { deliveryId } }));
  return (
    <Loaded query={delivery} rows={1}>
      {(data) => (
        <Group gap="xs" role="status">
          <DeliveryState delivery={data} />
          <Text size="sm">{wordsOf(data.attempts.at(-1))}</Text>
          <Anchor component={Link} to={`/deliveries/${data.id}`} size="sm">
            Show the delivery
          </Anchor>
        </Group>
      )}
    </Loaded>
  );
}

const wordsOf = (last: Api.Delivery['attempts'][number] | undefined) =>
  !last ? 'On its way' : last.status ? `Your endpoint answered ${last.status}` : outboundError(last.error ?? 'network');

function SigningSecret({ settings }: { settings: Settings }) {
  const [shown, setShown] = useState<ShownSecret | null>(null);
  const refresh = useRefresh('integrations');
  const rotate = useMutation({
    ...postIntegrationsOutboundRotateSecretMutation(),
    onSuccess: ({ secret }) =>
      setShown({
        title: 'The new signing secret',
        what: 'the signing secret',
        secret,
        note: 'For 24 hours every event carries a signature of the old secret too. Verify them with any Standard Webhooks library.',
      }),
    onError: sayFailed,
    onSettled: refresh,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: 'Rotate the signing secret?',
      children: <Text size="sm">Events carry a signature of the old secret and of the new one for 24 hours.</Text>,
      labels: { confirm: 'Rotate', cancel: 'Leave it' },
      onConfirm: () => rotate.mutate({}),
    });
  return (
    <Section title="Signing secret" lead="Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature.">
      <Group justify="space-between">
        <Text size="sm">
          {settings.secretCreatedAt ? (
            <>
              Made <Moment at={settings.secretCreatedAt} />.
            </>
          ) : (
            'There is none yet: events are sent once you have made one.'
          )}
          {settings.previousSecretExpiresAt && (
            <>
              {' '}
              The old one signs until <Moment at={settings.previousSecretExpiresAt} near={false} />.
            </>
          )}
        </Text>
        <AdminOnly>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={rotate.isPending}
            onClick={ask}
          >
            Rotate the signing secret
          </Button>
        </AdminOnly>
      </Group>
      <SecretDialog shown={shown} onClose={() => setShown(null)} />
    </Section>
  );
}
