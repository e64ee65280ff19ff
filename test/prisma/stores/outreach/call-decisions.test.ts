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
