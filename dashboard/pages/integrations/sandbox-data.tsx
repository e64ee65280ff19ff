import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
import { locale } from '../../language';

/** As far as the service counts. */
const COUNTED = 500;
const counted = (count: number) => (count === COUNTED ? t`${COUNTED} or more` : count.toLocaleString(locale));

const patientsOf = (count: number) =>
  plural(count, { one: `${counted(count)} patient`, other: `${counted(count)} patients` });
const appointmentsOf = (count: number) =>
  plural(count, { one: `${counted(count)} appointment`, other: `${counted(count)} appointments` });
const identifiedOf = (count: number) =>
  plural(count, {
    one: `${counted(count)} patient with an identifier`,
    other: `${counted(count)} patients with an identifier`,
  });
const bookedOf = (count: number) =>
  plural(count, { one: `${counted(count)} booked appointment`, other: `${counted(count)} booked appointments` });
const notesOf = (count: number) => plural(count, { one: `${counted(count)} note`, other: `${counted(count)} notes` });

/** What the sandbox holds, the way back to the fixtures, and snapshots. */
export function SandboxData({ counts, snapshots }: { counts: Api.SandboxCounts; snapshots: Api.SandboxSnapshot[] }) {
  const refresh = useRefresh('proving', 'slots', 'patients', 'providers');
  const reset = useMutation({
    ...postSandboxResetMutation(),
    onSuccess: () => sayDone(t`The sandbox holds its fixtures again.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const form = useForm({ initialValues: { name: '' } });
  const take = useMutation({
    ...postSandboxSnapshotsMutation(),
    onSuccess({ name }) {
      form.reset();
      sayDone(t`Kept as ${name}.`);
    },
    onError: (error) => showRefusal(form, error, { name: t`Name` }),
    onSettled: refresh,
  });
  const askReset = () =>
    modals.openConfirmModal({
      title: t`Reset the sandbox?`,
      children: (
        <Text size="sm">
          <Trans>
            Its appointments, notes and patients go, the fixtures come back, and chosen failures end. Patients whom a
            call or a task concerns stay. Snapshots stay too.
          </Trans>
        </Text>
      ),
      labels: { confirm: t`Reset the sandbox`, cancel: t`Leave it` },
      confirmProps: { color: 'red' },
      onConfirm: () => reset.mutate({}),
    });
  return (
    <Section
      title={t`What it holds`}
      lead={`${identifiedOf(counts.patients)}, ${bookedOf(counts.booked)}, ${notesOf(counts.documents)}.`}
      actions={
        <AdminOnly>
          <Button
            variant="default"
            leftSection={<IconRotate size={16} aria-hidden />}
            loading={reset.isPending}
            onClick={askReset}
          >
            <Trans>Reset to fixtures</Trans>
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
                ? form.setErrors({ name: t`A snapshot needs a name` })
                : take.mutate({ body: { name: name.trim() } }),
            )}
          >
            <Group align="end">
              <TextInput
                label={t`Keep all of it under a name`}
                description={t`People, appointments, notes and the clock`}
                placeholder="before-import"
                maxLength={60}
                {...form.getInputProps('name')}
              />
              <Button type="submit" variant="default" loading={take.isPending}>
                <Trans>Take a snapshot</Trans>
              </Button>
            </Group>
          </form>
          {snapshots.length > 0 && (
            <PlainList label={t`Snapshots`} isInset>
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
    onSuccess: () => sayDone(t`The sandbox is as it was in ${name}.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const drop = useMutation({
    ...deleteSandboxSnapshotsBySnapshotMutation(),
    onSuccess: () => sayDone(t`${name} is deleted.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const askRestore = () =>
    modals.openConfirmModal({
      title: t`Go back to ${name}?`,
      children: (
        <Text size="sm">
          <Trans>What the sandbox holds now goes, unless you take a snapshot of it first.</Trans>
        </Text>
      ),
      labels: { confirm: t`Restore ${name}`, cancel: t`Leave it` },
      onConfirm: () => restore.mutate({ path }),
    });
  const askDrop = () =>
    modals.openConfirmModal({
      title: t`Delete ${name}?`,
      children: (
        <Text size="sm">
          <Trans>Nobody can go back to it then.</Trans>
        </Text>
      ),
      labels: { confirm: t`Delete ${name}`, cancel: t`Keep it` },
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
          <Trans>
            {patientsOf(patients)}, {appointmentsOf(appointments)}, taken <Moment at={takenAt} />
          </Trans>
        </Text>
      </div>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          loading={restore.isPending}
          onClick={askRestore}
          aria-label={t`Restore ${name}`}
        >
          <Trans>Restore</Trans>
        </Button>
        <Button
          size="xs"
          variant="subtle"
          color="red"
          loading={drop.isPending}
          onClick={askDrop}
          aria-label={t`Delete ${name}`}
        >
          <Trans>Delete</Trans>
        </Button>
      </Group>
    </Group>
  );
}
