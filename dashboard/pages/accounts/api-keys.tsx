import { Button, Checkbox, Group, Select, Stack, TextInput } from '@mantine/core';
import { isNotEmpty } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { FormDialog, ServiceButton, showSecret, useActionForm } from '#forms';
import { IconKey, IconPlus } from '#icons';
import { LoadedList, useAdding } from '#lists';
import { Empty, Line, Mark, PlainButton, Section, useAccount, useMay, useZone } from '#parts';
import { t, Trans } from '#texts';
import { formatDay, formatTime, Moment } from '#words';

type Scope = api.ApiKey['scopes'][number];

/** What systems do with a key, each with no more than that needs. */
const uses: { use: string; label: string; scopes: Scope[] }[] = [
  { use: 'events', label: t`Send events in`, scopes: ['events'] },
  { use: 'workflows', label: t`Start workflows and read their outcomes`, scopes: ['workflows'] },
  {
    use: 'read',
    label: t`Read patients and appointments`,
    scopes: ['patients.read', 'appointments.read'],
  },
  { use: 'patients', label: t`Add and change patients`, scopes: ['patients'] },
  { use: 'appointments', label: t`Book, move and cancel appointments`, scopes: ['appointments'] },
  { use: 'deliveries', label: t`Watch deliveries and send them again`, scopes: ['deliveries'] },
  { use: 'results', label: t`Read results`, scopes: ['results'] },
  { use: 'settings', label: t`Change settings`, scopes: ['settings'] },
  { use: 'sandbox', label: t`Run the readiness checks`, scopes: ['sandbox'] },
];

const DAY_MS = 86_400_000;
const lives = [
  { value: '0', label: t`Until it is revoked` },
  { value: '30', label: t`30 days` },
  { value: '90', label: t`90 days` },
  { value: '365', label: t`A year` },
];
const overlaps = [
  { value: '0', label: t`It ends at once` },
  { value: '1', label: t`One hour` },
  { value: '24', label: t`24 hours` },
  { value: '168', label: t`A week` },
  { value: '720', label: t`30 days` },
];

export function ApiKeys() {
  const { baseUrl } = useAccount();
  const { isAdding, add, close } = useAdding();
  const mayMake = useMay()('keys');
  return (
    <Section
      title={t`API keys`}
      lead={
        <Trans>
          For your servers, which send it to <code>{baseUrl}</code> as a Bearer token. Each key opens only what it was
          made for; several may be live, so that one can replace another.
        </Trans>
      }
      flush
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add} disabled={!mayMake}>
          {t`Create a key`}
        </Button>
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
      {isAdding && mayMake && <MakeKey onClose={close} />}
    </Section>
  );
}

function Key({ apiKey }: { apiKey: api.ApiKey }) {
  const { id, name, prefix, scopes, createdAt, expiresAt, lastUsedAt } = apiKey;
  const [isRotating, setIsRotating] = useState(false);
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  return (
    <Line
      name={name}
      actions={
        <Group gap="xs">
          {!isOver && (
            <PlainButton
              size="xs"
              name={t`Rotate ${name} (${prefix}…)`}
              label={t`Rotate`}
              onClick={() => setIsRotating(true)}
              isForAdmins
            />
          )}
          <ServiceButton
            size="xs"
            does={api.deleteIntegrationsApiKeysByApiKeyIdMutation()}
            done={t`The key “${name}” is revoked.`}
            refresh={['integrations']}
            request={{ path: { apiKeyId: id } }}
            ask={{
              title: t`Revoke “${name}” (${prefix}…)?`,
              what: t`Anyone who uses this key is refused at once. This cannot be undone.`,
              isFinal: true,
            }}
            name={t`Revoke ${name} (${prefix}…)`}
            label={t`Revoke`}
            isForAdmins
          />
        </Group>
      }
    >
      <Trans>
        <code>{prefix}…</code> · created <Moment at={createdAt} /> ·
      </Trans>{' '}
      {lastUsedAt ? (
        <Trans>
          last used <Moment at={lastUsedAt} />
        </Trans>
      ) : (
        t`never used`
      )}
      {expiresAt && (
        <>
          {' · '}
          {isOver ? t`expired` : t`valid until`} <Moment at={expiresAt} near={false} />
        </>
      )}
      <Group gap={4} mt={4}>
        {usesOf(scopes).map((use) => (
          <Mark key={use} color="gray">
            {use}
          </Mark>
        ))}
      </Group>
      {isRotating && <RotateKey apiKey={apiKey} onClose={() => setIsRotating(false)} />}
    </Line>
  );
}

function MakeKey({ onClose }: { onClose: () => void }) {
  const { baseUrl } = useAccount();
  const form = useActionForm(api.postIntegrationsApiKeysMutation(), {
    initialValues: { name: '', scopes: [] as string[], expiresAt: '0' },
    validate: { name: isNotEmpty(t`Give the key a name`), scopes: isNotEmpty(t`Choose what it is for`) },
    labels: { name: t`Name`, scopes: t`What it is for`, expiresAt: t`How long it lasts` },
    request: ({ name, scopes: chosen, expiresAt }) => ({
      body: { name, scopes: scopesOf(chosen), expiresAt: endIn(Number(expiresAt)) },
    }),
    onDone({ name, key, scopes }) {
      onClose();
      showKey({ name, key, example: scopes.includes('workflows') ? exampleOf(baseUrl, key) : undefined });
    },
    refresh: ['integrations'],
  });
  return (
    <FormDialog title={t`Create an API key`} onClose={onClose} form={form} action={t`Create the key`}>
      <TextInput
        description={t`What will use it, so that it can be recognised later`}
        placeholder={t`Booking server`}
        data-autofocus
        {...form.field('name')}
      />
      <Checkbox.Group description={t`It opens nothing else`} {...form.field('scopes')}>
        <Stack gap="xs" mt="xs">
          {uses.map(({ use, label, scopes }) => (
            <Checkbox key={use} value={use} label={`${label} (${scopes.join(', ')})`} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select data={lives} allowDeselect={false} {...form.field('expiresAt')} />
    </FormDialog>
  );
}

function RotateKey({ apiKey: { id, name }, onClose }: { apiKey: api.ApiKey; onClose: () => void }) {
  const zone = useZone();
  const form = useActionForm(api.postIntegrationsApiKeysByApiKeyIdRotateMutation(), {
    initialValues: { oldKeyHours: '24', expiresAt: '0' },
    labels: { oldKeyHours: t`How long the old key is still taken`, expiresAt: t`How long the new key lasts` },
    request: ({ oldKeyHours, expiresAt }) => ({
      path: { apiKeyId: id },
      body: { oldKeyHours: Number(oldKeyHours), expiresAt: endIn(Number(expiresAt)) },
    }),
    onDone({ key, oldExpiresAt }) {
      onClose();
      showKey({
        name,
        key,
        note: t`The old key is taken until ${formatDay(oldExpiresAt, zone)}, ${formatTime(oldExpiresAt, zone)}.`,
      });
    },
    refresh: ['integrations'],
  });
  return (
    <FormDialog title={t`Rotate “${name}”`} onClose={onClose} form={form} action={t`Create the new key`}>
      <Select
        description={t`Long enough to change your systems over; the new key is for the same`}
        data={overlaps}
        allowDeselect={false}
        data-autofocus
        {...form.field('oldKeyHours')}
      />
      <Select data={lives} allowDeselect={false} {...form.field('expiresAt')} />
    </FormDialog>
  );
}

/** What a key opens, in words; a scope that is only a part of a use by its own name. */
function usesOf(scopes: Scope[]): string[] {
  const whole = uses.filter((each) => each.scopes.every((scope) => scopes.includes(scope)));
  const left = scopes.filter((scope) => !whole.some((each) => each.scopes.includes(scope)));
  return [...whole.map(({ label }) => label), ...left];
}

const scopesOf = (chosen: string[]): Scope[] => [
  ...new Set(uses.filter(({ use }) => chosen.includes(use)).flatMap(({ scopes }) => scopes)),
];

const endIn = (days: number): string | null => (days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString());

const exampleOf = (baseUrl: string, key: string) =>
  `curl "${baseUrl}/workflows?limit=5" \\\n  -H "Authorization: Bearer ${key}"`;

const showKey = ({ name, key, note, example }: { name: string; key: string; note?: string; example?: string }) =>
  showSecret({
    title: t`The key “${name}”`,
    what: t`the key`,
    secret: key,
    note: [note, t`It is for servers only: never put it into a page or an app.`].filter(Boolean).join(' '),
    example,
  });
