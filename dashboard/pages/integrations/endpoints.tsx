import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  Alert,
  Anchor,
  Box,
  Button,
  Checkbox,
  Group,
  Menu,
  Modal,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import {
  deleteIntegrationsOutboundEndpointsByEndpointIdMutation,
  getIntegrationsOutboundEndpointsOptions,
  postIntegrationsOutboundEndpointsByEndpointIdRotateSecretMutation,
  postIntegrationsOutboundEndpointsByEndpointIdTestMutation,
  postIntegrationsOutboundEndpointsMutation,
  putIntegrationsOutboundEndpointsByEndpointIdMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { IconChevronDown, IconPlus, IconWebhook } from '../../icons';
import { AdminOnly } from '../../parts/admin';
import { eventName, eventOptions, isOutboundEvent } from '../../parts/event-names';
import { Moment } from '../../parts/moment';
import { PlainList } from '../../parts/plain-list';
import { HealthOf } from '../../parts/receiver-health';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { SecretDialog, type ShownSecret } from '../../parts/secret-dialog';
import { Section } from '../../parts/section';
import { Empty, Loaded } from '../../parts/states';

type Endpoint = Api.FurtherEndpoint;
type ShowSecret = (shown: ShownSecret) => void;

const MAX_FURTHER = 4;
const noteOfSecret = t`Verify its events with any Standard Webhooks library: they are signed with this secret, and with no other.`;

/** Receivers of events beside the first one, each with its own URL, events, secret and health. */
export function FurtherEndpoints() {
  const endpoints = useQuery(getIntegrationsOutboundEndpointsOptions());
  const [isAdding, setIsAdding] = useState(false);
  const [shown, setShown] = useState<ShownSecret | null>(null);
  return (
    <Section
      title={t`Further endpoints`}
      lead={t`Up to ${MAX_FURTHER} other systems of yours that receive events: each with its own choice of them, signing secret, order and retries. One that is down delays no other.`}
      flush
      actions={
        <AdminOnly>
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={(endpoints.data?.items.length ?? 0) >= MAX_FURTHER}
            onClick={() => setIsAdding(true)}
          >
            <Trans>Add an endpoint</Trans>
          </Button>
        </AdminOnly>
      }
    >
      <Loaded query={endpoints} rows={1}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t`No further endpoint`} icon={IconWebhook}>
              <Trans>Events go to the URL above alone.</Trans>
            </Empty>
          ) : (
            <PlainList label={t`Further endpoints`}>
              {items.map((endpoint) => (
                <OneEndpoint key={endpoint.id} endpoint={endpoint} onSecret={setShown} />
              ))}
            </PlainList>
          )
        }
      </Loaded>
      {isAdding && <EndpointForm onClose={() => setIsAdding(false)} onSecret={setShown} />}
      <SecretDialog shown={shown} onClose={() => setShown(null)} />
    </Section>
  );
}

function OneEndpoint({ endpoint, onSecret }: { endpoint: Endpoint; onSecret: ShowSecret }) {
  const { id, name, url, enabled, events, disabledReason, previousSecretExpiresAt } = endpoint;
  const [open, setOpen] = useState<'edit' | 'sample' | null>(null);
  const { change, rotate, remove } = useActions(endpoint, onSecret);
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Box miw={0} flex={1}>
          <Text size="sm" fw={500}>
            {name}
          </Text>
          <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
            <code>{url}</code> · {events.map(eventName).join(', ')}
            {previousSecretExpiresAt && (
              <>
                {' '}
                <Trans>
                  · the old secret signs until <Moment at={previousSecretExpiresAt} near={false} />
                </Trans>
              </>
            )}
          </Text>
        </Box>
        <AdminOnly>
          <Menu position="bottom-end" width={240}>
            <Menu.Target>
              <Button
                size="xs"
                variant="default"
                rightSection={<IconChevronDown size={14} aria-hidden />}
                aria-label={t`Change ${name}`}
              >
                <Trans>Change</Trans>
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => setOpen('edit')}>
                <Trans>Edit</Trans>
              </Menu.Item>
              <Menu.Item onClick={() => change({ ...settingsOf(endpoint), enabled: !enabled })}>
                {enabled ? t`Pause` : t`Switch on`}
              </Menu.Item>
              <Menu.Item onClick={() => setOpen('sample')} disabled={!enabled}>
                <Trans>Send a sample</Trans>
              </Menu.Item>
              <Menu.Item onClick={rotate}>
                <Trans>Rotate the signing secret</Trans>
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item color="red" onClick={remove}>
                <Trans>Remove</Trans>
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </AdminOnly>
      </Group>
      {disabledReason && (
        <Alert color="red">
          <Trans>The service has switched it off, because {disabledReason}.</Trans>
        </Alert>
      )}
      <HealthOf endpointId={id} />
      <Anchor component={Link} to={`/deliveries?endpoint=${id}`} size="sm" aria-label={t`Deliveries to ${name}`}>
        <Trans>Deliveries</Trans>
      </Anchor>
      {open === 'edit' && <EndpointForm endpoint={endpoint} onClose={() => setOpen(null)} onSecret={onSecret} />}
      {open === 'sample' && <SendSample endpoint={endpoint} onClose={() => setOpen(null)} />}
    </Stack>
  );
}

const settingsOf = ({ name, url, enabled, events }: Endpoint) => ({ name, url, enabled, events });

/** What can be done with an endpoint; what ends something asks first. */
function useActions({ id, name }: Endpoint, onSecret: ShowSecret) {
  const path = { endpointId: id };
  const refresh = useRefresh('integrations', 'deliveries');
  const told = { onError: sayFailed, onSettled: refresh };
  const change = useMutation({
    ...putIntegrationsOutboundEndpointsByEndpointIdMutation(),
    ...told,
    onSuccess: ({ enabled }) => sayDone(enabled ? t`“${name}” is switched on.` : t`“${name}” is paused.`),
  });
  const rotate = useMutation({
    ...postIntegrationsOutboundEndpointsByEndpointIdRotateSecretMutation(),
    ...told,
    onSuccess: ({ secret }) =>
      onSecret({
        title: t`The new signing secret of “${name}”`,
        what: t`the signing secret`,
        secret,
        note: noteOfSecret,
      }),
  });
  const remove = useMutation({
    ...deleteIntegrationsOutboundEndpointsByEndpointIdMutation(),
    ...told,
    onSuccess: () => sayDone(t`“${name}” is removed.`),
  });
  return {
    change: (body: Api.PutIntegrationsOutboundEndpointsByEndpointIdData['body']) => change.mutate({ path, body }),
    rotate: () =>
      modals.openConfirmModal({
        title: t`Rotate the signing secret of “${name}”?`,
        children: (
          <Text size="sm">
            <Trans>Its events carry a signature of the old secret and of the new one for 24 hours.</Trans>
          </Text>
        ),
        labels: { confirm: t`Rotate`, cancel: t`Leave it` },
        onConfirm: () => rotate.mutate({ path }),
      }),
    remove: () =>
      modals.openConfirmModal({
        title: t`Remove “${name}”?`,
        children: (
          <Text size="sm">
            <Trans>It gets nothing more. What waits for it is given up, and its deliveries stay to be seen.</Trans>
          </Text>
        ),
        labels: { confirm: t`Remove`, cancel: t`Keep it` },
        confirmProps: { color: 'red' },
        onConfirm: () => remove.mutate({ path }),
      }),
  };
}

const labels = { name: t`Name`, url: 'URL', enabled: t`Send events`, events: t`Events` };

function EndpointForm({
  endpoint,
  onClose,
  onSecret,
}: {
  /** Left out for a new one. */
  endpoint?: Endpoint;
  onClose: () => void;
  onSecret: ShowSecret;
}) {
  const initialValues: ReturnType<typeof settingsOf> = endpoint
    ? settingsOf(endpoint)
    : { name: '', url: '', enabled: true, events: ['recovery_case.created', 'recovery_case.outcome'] };
  const form = useForm({
    initialValues,
    validate: { name: isNotEmpty(t`Give the endpoint a name`), events: isNotEmpty(t`Choose one event at least`) },
  });
  const refresh = useRefresh('integrations');
  const onError = (error: unknown) => showRefusal(form, error, labels);
  const add = useMutation({
    ...postIntegrationsOutboundEndpointsMutation(),
    onSuccess({ name, secret }) {
      onClose();
      onSecret({ title: t`The signing secret of “${name}”`, what: t`the signing secret`, secret, note: noteOfSecret });
    },
    onError,
    onSettled: refresh,
  });
  const change = useMutation({
    ...putIntegrationsOutboundEndpointsByEndpointIdMutation(),
    onSuccess() {
      sayDone(t`Saved.`);
      onClose();
    },
    onError,
    onSettled: refresh,
  });
  const save = (values: typeof initialValues) => {
    const body = { ...values, url: values.url.trim() };
    if (endpoint) change.mutate({ path: { endpointId: endpoint.id }, body });
    else add.mutate({ body });
  };
  return (
    <Modal opened onClose={onClose} title={endpoint ? t`Edit “${endpoint.name}”` : t`Add an endpoint`}>
      <form noValidate onSubmit={form.onSubmit(save)}>
        <Stack>
          <TextInput
            label={labels.name}
            description={t`What receives the events there`}
            placeholder={t`Data warehouse`}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <TextInput
            label={labels.url}
            type="url"
            placeholder="https://warehouse.example/clinic-events"
            {...form.getInputProps('url')}
          />
          <Checkbox.Group label={labels.events} {...form.getInputProps('events')}>
            <Stack gap="xs" mt="xs">
              {eventOptions
                .filter(({ value }) => value !== 'test')
                .map(({ value, label }) => (
                  <Checkbox key={value} value={value} label={`${label} (${value})`} />
                ))}
            </Stack>
          </Checkbox.Group>
          <Switch label={labels.enabled} {...form.getInputProps('enabled', { type: 'checkbox' })} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              <Trans>Not now</Trans>
            </Button>
            <Button type="submit" loading={add.isPending || change.isPending}>
              {endpoint ? t`Save` : t`Add the endpoint`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Sends an event that means nothing, or a sample of one, to this endpoint alone. */
function SendSample({ endpoint: { id, name }, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [event, setEvent] = useState<Api.OutboundEvent>('test');
  const test = useMutation({
    ...postIntegrationsOutboundEndpointsByEndpointIdTestMutation(),
    onError: sayFailed,
    onSettled: useRefresh('deliveries'),
  });
  return (
    <Modal opened onClose={onClose} title={t`A sample for “${name}”`}>
      <Stack>
        <Select
          label={t`Event`}
          data={eventOptions}
          value={event}
          allowDeselect={false}
          onChange={(chosen) => isOutboundEvent(chosen) && setEvent(chosen)}
        />
        {test.data && (
          <Text size="sm" role="status">
            <Trans>
              It is on its way.{' '}
              <Anchor component={Link} to={`/deliveries/${test.data.id}`} size="sm">
                Show the delivery
              </Anchor>
            </Trans>
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            <Trans>Close</Trans>
          </Button>
          <Button loading={test.isPending} onClick={() => test.mutate({ path: { endpointId: id }, body: { event } })}>
            <Trans>Send it</Trans>
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
