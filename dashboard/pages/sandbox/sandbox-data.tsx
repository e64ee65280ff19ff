import { Group, TextInput } from '@mantine/core';
import * as api from '#api';
import { LineForm, ServiceButton, useActionForm } from '#forms';
import type { Area } from '#http';
import { IconRotate } from '#icons';
import { PlainList } from '#lists';
import { Line, Section, useAccount } from '#parts';
import { plural, t, Trans } from '#texts';
import { Moment } from '#words';
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

/** All that shows what the sandbox holds. */
const sandboxAreas: Area[] = ['proving', 'slots', 'patients', 'providers'];

/** What the sandbox holds, the way back to the fixtures, and snapshots. */
export function SandboxData({ counts, snapshots }: { counts: api.SandboxCounts; snapshots: api.SandboxSnapshot[] }) {
  const { clinic } = useAccount();
  const held = `${identifiedOf(counts.patients)}, ${bookedOf(counts.booked)}, ${notesOf(counts.documents)}`;
  const form = useActionForm(api.postSandboxSnapshotsMutation(), {
    initialValues: { name: '' },
    validate: { name: (name) => (name.trim() === '' ? t`A snapshot needs a name` : null) },
    labels: { name: t`Name of the snapshot` },
    request: ({ name }) => ({ body: { name: name.trim() } }),
    done: ({ name }) => t`Kept as ${name}.`,
    refresh: sandboxAreas,
  });
  return (
    <Section
      title={t`What it holds`}
      lead={`${held}.`}
      actions={
        <ServiceButton
          does={api.postSandboxResetMutation()}
          done={t`The sandbox holds its fixtures again.`}
          refresh={sandboxAreas}
          request={{}}
          ask={{
            title: t`Reset the sandbox?`,
            what: t`These go: ${held}. The fixtures come back, and chosen failures end. Patients whom a call or a task concerns stay, and so do snapshots and what was made while the sandbox was off.`,
            word: clinic.name,
            yes: t`Reset the sandbox`,
            no: t`Cancel`,
            isFinal: true,
          }}
          icon={IconRotate}
          label={t`Reset to fixtures`}
          isForAdmins
        />
      }
      isForAdmins
      gap="md"
    >
      <LineForm form={form} action={t`Take a snapshot`}>
        <TextInput
          description={t`People, appointments, notes and the clock`}
          placeholder="before-import"
          maxLength={60}
          {...form.field('name')}
        />
      </LineForm>
      {snapshots.length > 0 && (
        <PlainList label={t`Snapshots`} isInset>
          {snapshots.map((snapshot) => (
            <Snapshot key={snapshot.name} snapshot={snapshot} />
          ))}
        </PlainList>
      )}
    </Section>
  );
}

function Snapshot({ snapshot: { name, patients, appointments, takenAt } }: { snapshot: api.SandboxSnapshot }) {
  const path = { snapshot: name };
  return (
    <Line
      name={name}
      wrap="wrap"
      actions={
        <Group gap="xs">
          <ServiceButton
            size="xs"
            does={api.postSandboxSnapshotsBySnapshotRestoreMutation()}
            done={t`The sandbox is as it was in ${name}.`}
            refresh={sandboxAreas}
            request={{ path }}
            ask={{
              title: t`Restore ${name}?`,
              what: t`What the sandbox holds now is lost, unless you take a snapshot first.`,
              yes: t`Restore ${name}`,
              no: t`Cancel`,
            }}
            name={t`Restore ${name}`}
            label={t`Restore`}
          />
          <ServiceButton
            size="xs"
            variant="subtle"
            color="red"
            does={api.deleteSandboxSnapshotsBySnapshotMutation()}
            done={t`${name} is deleted.`}
            refresh={sandboxAreas}
            request={{ path }}
            ask={{
              title: t`Delete ${name}?`,
              what: t`It cannot be restored then.`,
              yes: t`Delete ${name}`,
              isFinal: true,
            }}
            name={t`Delete ${name}`}
            label={t`Delete`}
          />
        </Group>
      }
    >
      <Trans>
        {patientsOf(patients)}, {appointmentsOf(appointments)}, taken <Moment at={takenAt} />
      </Trans>
    </Line>
  );
}
