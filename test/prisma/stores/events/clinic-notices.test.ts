import { owe } from '@clinic/prisma/stores/events/clinic-notices';
import type { ClinicNotice } from '@clinic/shared/contracts/events/clinic-notice';
import { newId } from '@clinic/shared/crypto';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const aNotice = ({ clinicId, workflowId }: OpenedRun, about: Partial<ClinicNotice> = {}): ClinicNotice => ({
  clinicId,
  workflowId,
  callId: 'a-call',
  action: 'patient.upsert',
  ...about,
});
const note = (...notices: ClinicNotice[]) => records.database.transaction((tx) => owe(tx, notices));
const noted = async (...runs: OpenedRun[]) => {
  const rows = await records.database.prisma.clinicNotice.findMany({
    where: { workflowId: { in: runs.map(({ workflowId }) => workflowId) } },
    orderBy: [{ workflowId: 'asc' }, { action: 'asc' }, { subject: 'asc' }],
  });
  return rows.map(({ workflowId, action, subject }) => [workflowId, action, subject]);
};

test('what the clinic’s system has taken is settled, and nothing else of the run or of another', async () => {
  const [run, other] = [await records.aRun(), await records.aRun()];
  const taken = aNotice(run, { action: 'appointment.book', appointmentId: 'one' });
  const left = [
    { ...taken, appointmentId: 'two' },
    { ...taken, action: 'appointment.cancel' as const },
    { ...taken, workflowId: other.workflowId },
  ];
  await note(taken, ...left);

  await records.stores.clinicNotices.settle(taken);

  const subjects = left.map(({ workflowId, action, appointmentId }) => [workflowId, action, appointmentId]);
  expect(await noted(run, other)).toHaveLength(3);
  expect(await noted(run, other)).toEqual(expect.arrayContaining(subjects));
});

test('runs that have something to tell are told of page by page, each once, with their cases; not before it is so old', async () => {
  const { clinicNotices } = records.stores;
  const runs = [await records.aCase(), await records.aRun()].toSorted((one, next) =>
    one.workflowId < next.workflowId ? -1 : 1,
  );
  for (const run of runs) await note(aNotice(run), aNotice(run, { callId: newId() }));
  const ours = async (before: Date, limit: number, afterId = '') => {
    const found = await clinicNotices.owing(before, 1_000, afterId);
    return found.filter(({ workflowId }) => runs.some((run) => run.workflowId === workflowId)).slice(0, limit);
  };
  const later = new Date(Date.now() + 60_000);

  const expected = runs.map(({ clinicId, workflowId, patientId, caseId }) => ({
    clinicId,
    workflowId,
    patientId,
    caseId,
  }));
  expect(await ours(later, 9)).toEqual(expected);
  expect(await ours(later, 9, runs[0]?.workflowId)).toEqual(expected.slice(1));
  expect(await ours(new Date(Date.now() - 60_000), 9)).toEqual([]);
  expect(await clinicNotices.owing(later, 1, '')).toHaveLength(1);
});

test.each([false, true])('a run that is given up tells nothing any more; staff know of it: %p', async (isKnown) => {
  const [run, other] = [await records.aRun(), await records.aRun()];
  await note(aNotice(run), aNotice(run, { callId: newId() }), aNotice(other));

  const { clinicId, workflowId, patientId } = run;
  await records.stores.clinicNotices.giveUp({ clinicId, workflowId, patientId, caseId: null }, { isKnown });

  expect(await noted(run, other)).toEqual([[other.workflowId, 'patient.upsert', 'a-call']]);
  const tasks = await records.database.prisma.staffTask.findMany({ where: { workflowId } });
  expect(tasks.map(({ reason }) => reason)).toEqual(isKnown ? [] : ['clinic_system_not_told']);
});
