import { NewSnapshot, SandboxCountsView, SnapshotView } from '@clinic/shared/contracts/sandbox/sandbox';
import { AppError } from '@clinic/shared/errors';
import { MAX_SNAPSHOTS, type SnapshotRecord } from '@clinic/prisma/stores/sandbox/sandbox-data';
import { configuration, opened } from './configuration';

const unknownSnapshot = { description: 'No such snapshot of this clinic' };

/** What a sandbox holds, kept under a name and restored. */
export const snapshotRoutes = [
  configuration.post('/sandbox/snapshots', {
    summary:
      'Keep the people, appointments, notes and clock of the sandbox under a name, in place of what was kept under it',
    description:
      'For tests: keep a state once, restore it before each. More than 20 MB of notes or 50,000 records are 413.',
    body: NewSnapshot,
    responses: {
      200: { description: 'The snapshot', schema: SnapshotView },
      409: { description: `There are ${MAX_SNAPSHOTS} already` },
      413: { description: 'The sandbox holds more than a snapshot can' },
    },
    async handle({ caller: { clinicId }, body: { name }, by }, { stores }) {
      await opened({ stores }, clinicId);
      const taken = await stores.sandboxData.take({ clinicId, name, realNow: new Date() }, by);
      switch (taken.kind) {
        case 'taken':
          return { body: toSnapshot(taken.snapshot) };
        case 'too_many':
          throw new AppError('conflict', `There are ${MAX_SNAPSHOTS} snapshots already; delete one that is not needed`);
        case 'too_large':
          throw new AppError(
            'payload_too_large',
            'The sandbox holds more than 20 MB of notes, or more than 50,000 records',
          );
      }
    },
  }),
  configuration.post('/sandbox/snapshots/:snapshot/restore', {
    summary: 'Make the sandbox hold what a snapshot holds and nothing else, its clock included',
    description: 'What the sandbox held is gone unless another snapshot has it; the reply counts what is there now.',
    responses: { 200: { description: 'What it holds now', schema: SandboxCountsView }, 404: unknownSnapshot },
    async handle({ caller: { clinicId }, params: { snapshot: name }, by }, { stores }) {
      await opened({ stores }, clinicId);
      const counts = await stores.sandboxData.restore({ clinicId, name, realNow: new Date() }, by);
      if (!counts) throw noSnapshot(name);
      return { body: counts };
    },
  }),
  configuration.delete('/sandbox/snapshots/:snapshot', {
    summary: 'Delete a snapshot',
    description: 'What the sandbox holds stays as it is.',
    responses: { 204: { description: 'Deleted' }, 404: unknownSnapshot },
    async handle({ caller: { clinicId }, params: { snapshot: name }, by }, { stores }) {
      if (!(await stores.sandboxData.drop(clinicId, name, by))) throw noSnapshot(name);
      return { status: 204 };
    },
  }),
];

const noSnapshot = (name: string) => new AppError('not_found', `Snapshot ${name} not found`);

export const toSnapshot = ({ takenAt, ...snapshot }: SnapshotRecord): SnapshotView => ({
  ...snapshot,
  takenAt: takenAt.toISOString(),
});
