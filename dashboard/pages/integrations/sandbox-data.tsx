import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useMutation } from '@tanstack/react-query';
import {
  deleteSandboxSnapshotsBySnapshotMutation,
  postSandboxResetMutation,
  postSandboxSnapshotsBySnapshotRestoreMutation,
  postSandboxSnapshotsMutation,
} from '../../http/client/@tanstack/react-query.gen';
import type * as Api from '../../http/client/types.gen';
import { IconRotate } from '../../icons';
import { AdminOnly } from '../../parts/admin';
import { Moment } from '../../parts/moment';
import { PlainList } from '../../parts/plain-list';
import { useRefresh } from '../../parts/refresh';
import { showRefusal } from '../../parts/refusal';
import { sayDone, sayFailed } from '../../parts/say';
import { Section } from '../../parts/section';

const several = (count: number, one: string, many = `${one}s`) =>
  `${count === COUNTED ? `${COUNTED} or more` : count.toLocaleString()} ${count === 1 ? one : many}`;
/** As far as the service counts. */
const COUNTED = 500;

/** What the sandbox holds, the way back to the fixtures, and snapshots. */
export function SandboxData({ counts, snapshots }: { counts: Api.SandboxCounts; snapshots: Api.SandboxSnapshot[] }) {
  const refresh = useRefresh('proving', 'slots', 'patients', 'providers');
  const reset = useMutation({
    ...postSandboxResetMutation(),
    onSuccess: () => sayDone('The sandbox holds its fixtures again.'),
    onError: sayFailed,
    onSettled: refresh,
  });
  const form = useForm({ initialValues: { name: '' } });
  const take = useMutation({
    ...postSandboxSnapshotsMutation(),
    onSuccess({ name }) {
      form.reset();
      sayDone(`Kept as ${name}.`);
    },
    onError: (error) => showRefusal(form, error, { name: 'Name' }),
    onSettled: refresh,
  });
  const askReset = () =>
    modals.openConfirmModal({
      title: 'Reset the sandbox?',
      children: (
        <Text size="sm">
          Its appointments, notes and patients go, the fixtures come back, and chosen failures end. Patients whom a call
          or a task concerns stay. Snapshots stay too.
        </Text>
      ),
      labels: { confirm: 'Reset the sandbox', cancel: 'Leave it' },
      confirmProps: { color: 'red' },
      onConfirm: () => reset.mutate({}),
    });
  return (
    <Section
      title="What it holds"
      lead={`${several(counts.patients, 'patient')}, ${several(counts.booked, 'booked appointment')}, ${several(counts.documents, 'note')}.`}
      actions={
        <AdminOnly>
          <Button
            variant="default"
            leftSection={<IconRotate size={16} aria-hidden />}
            loading={reset.isPending}
            onClick={askReset}
          >
            Reset to fixtures
          </Button>
        </AdminOnly>
      }
    >
      <AdminOnly>
        <Stack>
          <form
            noValidate
            onSubmit={form.onSubmit(({ name }) =>
              name.trim() === ''
                ? form.setErrors({ name: 'A snapshot needs a name' })
                : take.mutate({ body: { name: name.trim() } }),
            )}
          >
            <Group align="end">
              <TextInput
                label="Keep all of it under a name"
                description="People, appointments, notes and the clock"
                placeholder="before-import"
                maxLength={60}
                {...form.getInputProps('name')}
              />
              <Button type="submit" variant="default" loading={take.isPending}>
                Take a snapshot
              </Button>
            </Group>
          </form>
          {snapshots.length > 0 && (
            <PlainList label="Snapshots">
              {snapshots.map((snapshot) => (
                <Snapshot key={snapshot.name} snapshot={snapshot} />
              ))}
            </PlainList>
          )}
        </Stack>
      </AdminOnly>
    </Section>
  );
}

function Snapshot({ snapshot: { name, patients, appointments, takenAt } }: { snapshot: Api.SandboxSnapshot }) {
  const refresh = useRefresh('proving', 'slots', 'patients', 'providers');
  const path = { snapshot: name };
  const restore = useMutation({
    ...postSandboxSnapshotsBySnapshotRestoreMutation(),
    onSuccess: () => sayDone(`The sandbox is as it was in ${name}.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const drop = useMutation({
    ...deleteSandboxSnapshotsBySnapshotMutation(),
    onSuccess: () => sayDone(`${name} is deleted.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const askRestore = () =>
    modals.openConfirmModal({
      title: `Go back to ${name}?`,
      children: <Text size="sm">What the sandbox holds now goes, unless you take a snapshot of it first.</Text>,
      labels: { confirm: `Restore ${name}`, cancel: 'Leave it' },
      onConfirm: () => restore.mutate({ path }),
    });
  const askDrop = () =>
    modals.openConfirmModal({
      title: `Delete ${name}?`,
      children: <Text size="sm">Nobody can go back to it then.</Text>,
      labels: { confirm: `Delete ${name}`, cancel: 'Keep it' },
      confirmProps: { color: 'red' },
      onConfirm: () => drop.mutate({ path }),
    });
  return (
    <Group justify="space-between" gap="xs">
      <div>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {several(patients, 'patient')}, {several(appointments, 'appointment')}, taken <Moment at={takenAt} />
        </Text>
      </div>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          loading={restore.isPending}
          onClick={askRestore}
          aria-label={`Restore ${name}`}
        >
          Restore
        </Button>
        <Button
          size="xs"
          variant="subtle"
          color="red"
          loading={drop.isPending}
          onClick={askDrop}
          aria-label={`Delete ${name}`}
        >
          Delete
        </Button>
      </Group>
    </Group>
  );
}
