import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Button, Checkbox, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
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
import { eventName, eventOptions, isOutboundEvent } from '../../parts/event-names';
import { Moment } from '../../parts/moment';
import { outboundError } from '../../parts/outbound-errors';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { SecretDialog, type ShownSecret } from '../../parts/secret-dialog';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';
import { FurtherEndpoints } from './endpoints';

type Settings = Api.OutboundSettings;

const events: { name: Settings['events'][number]; when: string }[] = [
  { name: 'recovery_case.created', when: t`A recovery case was opened, before anybody is called` },
  { name: 'recovery_case.outcome', when: t`A recovery case has ended` },
  { name: 'workflow.completed', when: t`A workflow of another type has ended` },
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
  const saved = useSaved();
  const form = useForm({
    initialValues: { url: settings.url ?? '', enabled: settings.enabled, events: settings.events },
  });
  const save = useMutation({
    ...putIntegrationsOutboundMutation(),
    async onSuccess() {
      sayDone(t`Saved.`);
      await saved();
    },
    onError: (error) => showRefusal(form, error, labels),
  });
  return (
    <Section
      title={t`Outbound URL`}
      lead={t`Where outcome events are sent: at least once, in order per case, and signed.`}
    >
      <AdminOnly>
        <form
          noValidate
          onSubmit={form.onSubmit(({ url, ...rest }) => save.mutate({ body: { ...rest, url: url.trim() || null } }))}
        >
          <Stack>
            {settings.disabledReason && (
              <Alert color="red" title={t`The service has switched it off`}>
                <Trans>Because {settings.disabledReason}. Saving it as enabled switches it on again.</Trans>
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

/** Sends an event that means nothing, or a sample of one, and shows what became of it. */
function TestEvent({ settings }: { settings: Settings }) {
  const [deliveryId, setDeliveryId] = useState<string | null>(null);
  const [event, setEvent] = useState<Api.OutboundEvent>('test');
  const test = useMutation({
    ...postIntegrationsOutboundTestMutation(),
    onSuccess: ({ id }) => setDeliveryId(id),
    onError: sayFailed,
  });
  return (
    <Section
      title={t`Test events`}
      lead={t`An event named “test”, or a sample of each event: signed and delivered as any other, with ids that begin with “sample-” and the header x-clinic-simulated.`}
    >
      <Stack gap="sm">
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
            <Button
              variant="default"
              leftSection={<IconSend size={16} aria-hidden />}
              loading={test.isPending}
              disabled={!settings.url || !settings.enabled}
              onClick={() => test.mutate({ body: { event } })}
            >
              {event === 'test' ? t`Send a test event` : t`Send a sample`}
            </Button>
          </Group>
        </AdminOnly>
        {(!settings.url || !settings.enabled) && (
          <Text size="sm" c="dimmed">
            <Trans>Register a URL and switch it on first.</Trans>
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
            <Trans>Show the delivery</Trans>
          </Anchor>
        </Group>
      )}
    </Loaded>
  );
}

const wordsOf = (last: Api.Delivery['attempts'][number] | undefined) =>
  !last
    ? t`On its way`
    : last.status
      ? t`Your endpoint answered ${last.status}`
      : outboundError(last.error ?? 'network');

function SigningSecret({ settings }: { settings: Settings }) {
  const [shown, setShown] = useState<ShownSecret | null>(null);
  const refresh = useRefresh('integrations');
  const rotate = useMutation({
    ...postIntegrationsOutboundRotateSecretMutation(),
    onSuccess: ({ secret }) =>
      setShown({
        title: t`The new signing secret`,
        what: t`the signing secret`,
        secret,
        note: t`For 24 hours every event carries a signature of the old secret too. Verify them with any Standard Webhooks library.`,
      }),
    onError: sayFailed,
    onSettled: refresh,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: t`Rotate the signing secret?`,
      children: (
        <Text size="sm">
          <Trans>Events carry a signature of the old secret and of the new one for 24 hours.</Trans>
        </Text>
      ),
      labels: { confirm: t`Rotate`, cancel: t`Leave it` },
      onConfirm: () => rotate.mutate({}),
    });
  return (
    <Section
      title={t`Signing secret`}
      lead={t`Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature.`}
    >
      <Group justify="space-between">
        <Text size="sm">
          {settings.secretCreatedAt ? (
            <Trans>
              Made <Moment at={settings.secretCreatedAt} />.
            </Trans>
          ) : (
            t`There is none yet: events are sent once you have made one.`
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
        <AdminOnly>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={rotate.isPending}
            onClick={ask}
          >
            <Trans>Rotate the signing secret</Trans>
          </Button>
        </AdminOnly>
      </Group>
      <SecretDialog shown={shown} onClose={() => setShown(null)} />
    </Section>
  );
}
