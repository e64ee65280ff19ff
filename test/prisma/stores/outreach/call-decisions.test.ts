import { newId } from '@clinic/shared/crypto';
import type { CallingFacts, NextStep } from '@clinic/shared/domain/outreach/calling-policy';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const opensAt = '2040-01-17T16:00:00.000Z';
const waiting = (until = opensAt): NextStep => ({ kind: 'wait', until, reason: 'calling_hours' });
const decide = ({ clinicId, workflowId }: OpenedRun, decided: NextStep = waiting()) => {
  const decision = { stage: 'plan', inputs: {} as CallingFacts, decided } as const;
  return records.stores.callDecisions.record({ id: newId(), clinicId, workflowId, callId: null, decision });
};
const elsewhere = () => records.aRun({ clinicId: records.otherClinicId });

describe('who decides to wait hears how many others wait for the same instant', () => {
  test('each other run of the clinic once, and none that waits for another one or has ended', async () => {
    const [first, second, third, ended] = [
      await records.aRun(),
      await records.aRun(),
      await records.aRun(),
      await records.aRun(),
    ];
    const completed = {
      status: 'cancelled',
      outcome: 'FOLLOW_UP_REQUIRED',
      taskReason: null,
      resolution: null,
    } as const;
    const { clinicId, workflowId } = ended;

    expect(await decide(first)).toBe(0);
    await decide(first);
    await decide(second, waiting('2040-01-17T17:00:00.000Z'));
    await decide(await elsewhere());
    await decide(ended);
    await records.stores.runs.end({ clinicId, workflowId, ...completed });

    expect(await decide(third)).toBe(1);
    expect(await decide(second)).toBe(2);
    expect(await decide(await elsewhere())).toBe(1);
  });

  test('and nothing that matters where it is another decision', async () => {
    expect(await decide(await records.aRun(), { kind: 'no_call', reason: 'opted_out' })).toBe(0);
  });
});

describe('what is decided about calls of a run', () => {
  const inputs = { hasPhone: true } as CallingFacts;
  const record = (run: { clinicId: string; workflowId: string }, about: object = {}) =>
    records.stores.callDecisions.record({
      id: newId(),
      callId: null,
      decision: { stage: 'plan', inputs, decided: waiting() },
      ...run,
      ...about,
    });
  const stored = (workflowId: string) => records.database.prisma.callDecision.findMany({ where: { workflowId } });

  test('is kept once by its id, for a run of its own clinic alone', async () => {
    const [{ clinicId, workflowId }, there] = [await records.aRun(), await elsewhere()];
    const id = newId();

    await record({ clinicId: there.clinicId, workflowId });
    await record({ clinicId, workflowId: there.workflowId });
    await record({ clinicId, workflowId: newId() });
    const before = [...(await stored(workflowId)), ...(await stored(there.workflowId))];
    await record({ clinicId, workflowId }, { id });
    const other = { stage: 'plan', inputs, decided: { kind: 'no_call', reason: 'opted_out' } };
    await record({ clinicId, workflowId }, { id, decision: other });

    expect(before).toEqual([]);
    expect(await stored(workflowId)).toMatchObject([
      { id, clinicId, callId: null, stage: 'plan', decided: waiting(), inputs: { hasPhone: true } },
    ]);
    expect(await stored(there.workflowId)).toEqual([]);
  });

  test('is looked through in the order of its ids, of every clinic', async () => {
    const [run, there] = [await records.aRun(), await elsewhere()];
    const [first, second, third] = ['zz-1', 'zz-2', 'zz-3'];
    await record(run, { id: second });
    await record(there, { id: third });
    await record(there, { id: first });
    const after = async (id: string, limit: number) =>
      (await records.stores.callDecisions.after(id, limit)).map((decision) => decision.id);

    expect(await after('zz', 10)).toEqual([first, second, third]);
    expect(await after('zz', 2)).toEqual([first, second]);
    expect(await after('zz-1', 2)).toEqual([second, third]);
    expect(await after('zz-3', 2)).toEqual([]);
  });
});
