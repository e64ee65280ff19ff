import { randomUUID } from 'node:crypto';
import type { Claimed } from '@clinic/prisma/stores/voice/tool-calls';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

let records: Records;
let run: OpenedRun;
let callId: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  run = await records.aRun();
  callId = (await records.aPlacedCall(run)).callId;
});
afterAll(() => records.close());

const rivals = ['book_appointment', 'cancel_appointment'];

const aClaim = (about: object = {}) => ({
  clinicId: run.clinicId,
  callId,
  toolCallId: randomUUID(),
  family: 'scheduling',
  tool: 'book_appointment',
  arguments: { slotId: 'one' },
  meaning: 'book one',
  rivals,
  ...about,
});
const aRead = (about: object = {}) => aClaim({ rivals: null, tool: 'get_slots', ...about });
const claim = (input: ReturnType<typeof aClaim>) => records.stores.toolCalls.claim(input);
const audited = {
  patientId: 'a-patient',
  isRead: true,
  tool: 'get_slots',
  requestId: 'a-request',
  address: '192.0.2.1',
};
const complete = (mine: Claimed, about: object = {}) =>
  records.stores.toolCalls.complete({
    ...mine,
    reply: '{"status":"ok"}',
    isSuccess: true,
    change: null,
    audited,
    ...about,
  });
/** As it would be so many seconds later. */
const age = async ({ id }: Claimed, seconds: number) => {
  const { startedAt, claimedUntil } = await records.database.prisma.toolCall.findUniqueOrThrow({ where: { id } });
  const earlier = (at: Date) => new Date(at.getTime() - seconds * 1_000);
  const data = { startedAt: earlier(startedAt), claimedUntil: claimedUntil && earlier(claimedUntil) };
  await records.database.prisma.toolCall.update({ where: { id }, data });
};

async function claimed(input: ReturnType<typeof aClaim>): Promise<Claimed> {
  const result = await claim(input);
  if (result.kind !== 'claimed') throw new Error(`the tool call is ${result.kind}`);
  const { id, token } = result;
  return { id, token };
}

describe.each([
  ['a read', () => aRead()],
  ['a write', () => aClaim()],
])('%s', (_kind, make) => {
  test('is run once at a time under one id', async () => {
    const input = make();
    await claimed(input);

    expect(await claim(input)).toEqual({ kind: 'running' });
  });

  test('that is claimed by two at once is run by one', async () => {
    const input = make();

    const kinds = (await Promise.all([claim(input), claim(input), claim(input)])).map(({ kind }) => kind);

    expect(kinds.toSorted()).toEqual(['claimed', 'running', 'running']);
  });

  test('whose process has died is taken over after five seconds, not before', async () => {
    const input = make();
    const mine = await claimed(input);

    await age(mine, 3);
    const early = await claim(input);
    await age(mine, 3);
    const late = await claim(input);

    expect(early.kind).toBe('running');
    expect(late).toMatchObject({ kind: 'claimed', id: mine.id });
  });

  test('is not taken over while its process is at work, however long that takes', async () => {
    const input = make();
    const mine = await claimed(input);

    await age(mine, 60);
    await records.stores.toolCalls.renew(mine);

    expect((await claim(input)).kind).toBe('running');
  });

  test('whose process wakes after another has taken over changes nothing', async () => {
    const input = make();
    const asleep = await claimed(input);
    await age(asleep, 6);
    const other = await claimed(input);

    await records.stores.toolCalls.renew(asleep);
    await records.stores.toolCalls.release(asleep);
    const late = await complete(asleep, { reply: '{"late":true}' });
    const stillRunning = await claim(input);
    const first = await complete(other, { reply: '{"first":true}' });

    expect(late).toEqual({ kind: 'overtaken' });
    expect(stillRunning.kind).toBe('running');
    expect(first.kind).toBe('stored');
    expect(await claim(input)).toEqual({ kind: 'answered', reply: '{"first":true}' });
  });

  test('that was taken over is not taken over again at once', async () => {
    const input = make();
    await age(await claimed(input), 6);
    await claimed(input);

    expect((await claim(input)).kind).toBe('running');
  });

  test('that was given up may be tried again at once', async () => {
    const input = make();
    const mine = await claimed(input);

    await records.stores.toolCalls.release(mine);

    expect(await claim(input)).toMatchObject({ kind: 'claimed', id: mine.id });
  });

  test('that has its reply gives it again, however old, and cannot be given up', async () => {
    const input = make();
    const id = await claimed(input);
    await complete(id);
    await records.stores.toolCalls.release(id);
    await age(id, 86_400);

    expect(await claim(input)).toEqual({ kind: 'answered', reply: '{"status":"ok"}' });
  });
});

test('what is taken over says since when it was tried', async () => {
  const input = aClaim();
  const id = await claimed(input);
  await age(id, 35);

  const again = await claim(input);

  expect(again).toMatchObject({ kind: 'claimed', since: expect.any(Date) });
});

describe('the same words under a new id', () => {
  test('are the same request while the first one runs', async () => {
    await claimed(aClaim());

    expect(await claim(aClaim())).toEqual({ kind: 'running' });
  });

  test('get the reply of the first for a minute, and are a new request then', async () => {
    const id = await claimed(aClaim());
    await complete(id);

    await age(id, 55);
    const within = await claim(aClaim());
    await records.database.prisma.toolCall.updateMany({ where: { callId }, data: { startedAt: new Date(0) } });
    const after = await claim(aClaim());

    expect(within).toEqual({ kind: 'answered', reply: '{"status":"ok"}' });
    expect(after.kind).toBe('claimed');
  });

  test('are a new request after the first has failed', async () => {
    await complete(await claimed(aClaim()), { isSuccess: false });

    expect((await claim(aClaim())).kind).toBe('claimed');
  });

  test('are a new request when a rival has changed something in between', async () => {
    const first = await claimed(aClaim());
    await complete(first);
    await age(first, 10);
    const rival = await claimed(aClaim({ tool: 'cancel_appointment', meaning: 'cancel one' }));
    await complete(rival);

    expect((await claim(aClaim())).kind).toBe('claimed');
  });

  test('go by what came last also where all of it came in one millisecond', async () => {
    const inOne = async () =>
      records.database.prisma.toolCall.updateMany({ where: { callId }, data: { startedAt: new Date() } });
    const cancels = () => aClaim({ tool: 'cancel_appointment', meaning: 'cancel one' });
    await complete(await claimed(aClaim()), { reply: '{"first":true}' });
    await complete(await claimed(cancels()));
    await inOne();
    const again = await claimed(aClaim());
    await complete(again, { reply: '{"second":true}' });
    await inOne();

    expect(await claim(aClaim())).toEqual({ kind: 'answered', reply: '{"second":true}' });
    expect((await claim(cancels())).kind).toBe('claimed');
  });

  test('are the same request when what came in between failed, or was no rival', async () => {
    const first = await claimed(aClaim());
    await complete(first);
    await age(first, 10);
    await complete(await claimed(aClaim({ tool: 'cancel_appointment', meaning: 'cancel one' })), { isSuccess: false });
    await complete(await claimed(aClaim({ tool: 'document_note', meaning: 'note' })));

    expect((await claim(aClaim())).kind).toBe('answered');
  });

  test('of another call are another request', async () => {
    await claimed(aClaim());
    const another = await records.aPlacedCall(await records.aRun());

    expect((await claim(aClaim({ callId: another.callId }))).kind).toBe('claimed');
  });

  test('mean nothing for a read: each id is read anew', async () => {
    await claimed(aRead());

    expect((await claim(aRead())).kind).toBe('claimed');
  });
});

describe('completing', () => {
  const change = { fact: 'booked', detail: { appointmentId: 'one' } } as const;
  const messagesOf = () =>
    records.database.prisma.workflowMessage.findMany({ where: { workflowId: run.workflowId, signal: 'toolUsed' } });

  test('keeps the first reply and tells the workflow once', async () => {
    const input = aClaim();
    const id = await claimed(input);

    const first = await complete(id, { reply: '{"first":true}', change });
    const second = await complete(id, { reply: '{"second":true}', change });

    expect(first).toMatchObject({ kind: 'stored', messageId: expect.any(String) });
    expect(second).toEqual({ kind: 'overtaken' });
    expect(await claim(input)).toEqual({ kind: 'answered', reply: '{"first":true}' });
    expect((await messagesOf()).map(({ payload }) => payload)).toEqual([
      { callId, tool: 'book_appointment', ...change },
    ]);
    expect(await records.stores.calls.review(run.clinicId, callId)).toEqual({ changes: [change], said: null });
  });

  test('keeps what was changed in the call of no workflow, and tells nobody', async () => {
    await records.database.prisma.call.update({ where: { id: callId }, data: { workflowId: null } });

    expect(await complete(await claimed(aClaim()), { change: { fact: 'documented' } })).toEqual({
      kind: 'stored',
      messageId: null,
    });
    const review = await records.stores.calls.review(run.clinicId, callId);
    expect(review?.changes).toEqual([{ fact: 'documented', detail: {} }]);
  });

  test('tells nothing where there is nothing to tell', async () => {
    expect(await complete(await claimed(aClaim()))).toEqual({ kind: 'stored', messageId: null });
    expect(await messagesOf()).toEqual([]);
  });
});

test('only a successful reply has told of an appointment', async () => {
  const told = (appointmentId: string) => records.stores.toolCalls.hasToldOf(callId, appointmentId);
  await complete(await claimed(aClaim()), { reply: '{"appointmentId":"good"}' });
  await complete(await claimed(aClaim({ meaning: 'another' })), {
    reply: '{"appointmentId":"bad"}',
    isSuccess: false,
  });

  expect([await told('good'), await told('bad'), await told('unknown')]).toEqual([true, false, false]);
});
