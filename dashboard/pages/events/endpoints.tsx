import { Alert, Box, Button, Checkbox, Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { ActionButton, confirm, Dialog, DialogEnd, FormDialog, showSecret, useAction, useActionForm } from '#forms';
import type { Area } from '#http';
import { IconPlus, IconWebhook } from '#icons';
import { LoadedList, useAdding } from '#lists';
import { AdminOnly, ChangeMenu, Empty, Section } from '#parts';
import { t, Trans } from '#texts';
import { Moment, Name, PageLink, Small } from '#words';
import { chosenEvents, eventName, eventOptions, isOutboundEvent } from './event-names';
import { HealthOf } from './receiver-health';
import { TestDelivery } from './test-delivery';

type Endpoint = api.FurtherEndpoint;

const MAX_FURTHER = 4;
const noteOfSecret = t`Verify its events with any Standard Webhooks library: they are signed with this secret, and with no other.`;
export const noteOfNewSecret = t`For 24 hours every event carries a signature of the old secret too. Verify them with any Standard Webhooks library.`;

/** Receivers of events beside the first one, each with its own URL, events, secret and health. */
export function FurtherEndpoints() {
  const endpoints = useQuery(api.getIntegrationsOutboundEndpointsOptions());
  const { isAdding, add, close } = useAdding();
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
            onClick={add}
          >
            {t`Add an endpoint`}
          </Button>
        </AdminOnly>
      }
    >
      <LoadedList
        query={endpoints}
        rows={1}
        label={t`Further endpoints`}
        keyOf={({ id }) => id}
        empty={
          <Empty title={t`No further endpoint`} icon={IconWebhook}>
            {t`Events go to the URL above only.`}
          </Empty>
        }
      >
        {(endpoint) => <OneEndpoint endpoint={endpoint} />}
      </LoadedList>
      {isAdding && <EndpointForm onClose={close} />}
    </Section>
  );
}

function OneEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const { id, name, url, enabled, events, disabledReason, previousSecretExpiresAt } = endpoint;
  const [open, setOpen] = useState<'edit' | 'sample' | null>(null);
  const { change, rotate, remove } = useActions(endpoint);
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Box miw={0} flex={1}>
          <Name>{name}</Name>
          <Small style={{ overflowWrap: 'anywhere' }}>
            <code>{url}</code> · {events.map(eventName).join(', ')}
            {previousSecretExpiresAt && (
              <>
                {' '}
                <Trans>
                  · the old secret signs until <Moment at={previousSecretExpiresAt} near={false} />
                </Trans>
              </>
            )}
          </Small>
        </Box>
        <AdminOnly>
          <ChangeMenu
            name={t`Change ${name}`}
            items={[
              { label: t`Edit`, onClick: () => setOpen('edit') },
              {
                label: enabled ? t`Pause` : t`Switch on`,
                onClick: () => change({ ...settingsOf(endpoint), enabled: !enabled }),
              },
              { label: t`Send a sample`, onClick: () => setOpen('sample'), disabled: !enabled },
              { label: t`Rotate the signing secret`, onClick: rotate },
              { label: t`Remove`, onClick: remove, color: 'red', isApart: true },
            ]}
          />
        </AdminOnly>
      </Group>
      {disabledReason && (
        <Alert color="red">{t`The service has switched it off, because ${disabledReason}. What it misses meanwhile is kept.`}</Alert>
      )}
      <HealthOf endpointId={id} />
      <PageLink to={`/deliveries?endpoint=${id}`} aria-label={t`Deliveries to ${name}`}>
        {t`Deliveries`}
      </PageLink>
      {open === 'edit' && <EndpointForm endpoint={endpoint} onClose={() => setOpen(null)} />}
      {open === 'sample' && <SendSample endpoint={endpoint} onClose={() => setOpen(null)} />}
    </Stack>
  );
}

const settingsOf = ({ name, url, enabled, events }: Endpoint) => ({ name, url, enabled, events });

/** What can be done with an endpoint; what ends something asks first. */
function useActions({ id, name }: Endpoint) {
  const path = { endpointId: id };
  const refresh: Area[] = ['integrations', 'deliveries'];
  const change = useAction(api.putIntegrationsOutboundEndpointsByEndpointIdMutation(), {
    refresh,
    done: ({ enabled }) => (enabled ? t`“${name}” is switched on.` : t`“${name}” is paused.`),
  });
  const rotate = useAction(api.postIntegrationsOutboundEndpointsByEndpointIdRotateSecretMutation(), {
    refresh,
    onDone: ({ secret }) =>
      showSecret({
        title: t`The new signing secret of “${name}”`,
        what: t`the signing secret`,
        secret,
        note: noteOfNewSecret,
      }),
  });
  const remove = useAction(api.deleteIntegrationsOutboundEndpointsByEndpointIdMutation(), {
    refresh,
    done: t`“${name}” is removed.`,
  });
  return {
    change: (body: api.PutIntegrationsOutboundEndpointsByEndpointIdData['body']) => change.mutate({ path, body }),
    rotate: () =>
      confirm({
        title: t`Rotate the signing secret of “${name}”?`,
        what: t`Its events carry a signature of the old secret and of the new one for 24 hours.`,
        yes: t`Rotate`,
        no: t`Cancel`,
        onYes: () => rotate.mutate({ path }),
      }),
    remove: () =>
      confirm({
        title: t`Remove “${name}”?`,
        what: t`It receives nothing more. Events that wait for it are given up; its past deliveries stay visible.`,
        yes: t`Remove`,
        isFinal: true,
        onYes: () => remove.mutate({ path }),
      }),
  };
}

const labels = { name: t`Name`, url: 'URL', enabled: t`Send events`, events: t`Events` };

interface EndpointFormProps {
  /** Left out for a new one. */
  endpoint?: Endpoint;
  onClose: () => void;
}

function EndpointForm({ endpoint, onClose }: EndpointFormProps) {
  const initialValues: ReturnType<typeof settingsOf> = endpoint
    ? settingsOf(endpoint)
    : { name: '', url: '', enabled: true, events: ['recovery_case.created', 'recovery_case.outcome'] };
  const given = {
    initialValues,
    validate: {
      name: isNotEmpty(t`Give the endpoint a name`),
      url: isNotEmpty(t`Type where its events are sent, as https://…`),
      events: isNotEmpty(t`Choose one event at least`),
    },
    labels,
    refresh: ['integrations'] as Area[],
  };
  const bodyOf = (values: typeof initialValues) => ({ ...values, url: values.url.trim() });
  const added = useActionForm(api.postIntegrationsOutboundEndpointsMutation(), {
    ...given,
    request: (values) => ({ body: bodyOf(values) }),
    onDone({ name, secret }) {
      onClose();
      showSecret({
        title: t`The signing secret of “${name}”`,
        what: t`the signing secret`,
        secret,
        note: noteOfSecret,
      });
    },
  });
  const changed = useActionForm(api.putIntegrationsOutboundEndpointsByEndpointIdMutation(), {
    ...given,
    request: (values) => ({ path: { endpointId: endpoint?.id ?? '' }, body: bodyOf(values) }),
    done: t`Saved.`,
    keepsValues: true,
    onAllSent: onClose,
  });
  const form = endpoint ? changed : added;
  return (
    <FormDialog
      title={endpoint ? t`Edit “${endpoint.name}”` : t`Add an endpoint`}
      onClose={onClose}
      form={form}
      action={endpoint ? t`Save` : t`Add the endpoint`}
      isEdit={endpoint !== undefined}
    >
      <TextInput
        description={t`What receives the events there`}
        placeholder={t`Data warehouse`}
        data-autofocus
        {...form.field('name')}
      />
      <TextInput type="url" placeholder="https://warehouse.example/clinic-events" {...form.field('url')} />
      <Checkbox.Group {...form.field('events')}>
        <Stack gap="xs" mt="xs">
          {chosenEvents.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={`${label} (${value})`} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Switch {...form.box('enabled')} />
    </FormDialog>
  );
}

/** Sends an event that means nothing, or a sample of one, to this endpoint alone. */
function SendSample({ endpoint: { id, name }, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [event, setEvent] = useState<api.OutboundEvent>('test');
  const test = useAction(api.postIntegrationsOutboundEndpointsByEndpointIdTestMutation(), { refresh: ['deliveries'] });
  return (
    <Dialog opened onClose={onClose} title={t`A sample for “${name}”`}>
      <Stack>
        <Select
          label={t`Event`}
          data={eventOptions}
          value={event}
          allowDeselect={false}
          onChange={(chosen) => isOutboundEvent(chosen) && setEvent(chosen)}
        />
        {test.data && <TestDelivery deliveryId={test.data.id} />}
        <DialogEnd onClose={onClose}>
          <ActionButton
            variant="filled"
            action={test}
            request={{ path: { endpointId: id }, body: { event } }}
            label={t`Send it`}
          />
        </DialogEnd>
      </Stack>
    </Dialog>
  );
}
