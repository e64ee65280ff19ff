import { createLeftCalls } from '@clinic/activities/left-calls';
import type { VoiceGateway } from '@clinic/gateways/voice/port';
import { openRecords, type OpenedRun, type Records } from '../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

/** A platform at which the calls of one clinic cannot be looked up, and those of all others are over. */
function platform(isRefused: (clinicId: string) => boolean) {
  const asked: string[] = [];
  const of = (clinicId: string): VoiceGateway => ({
    settleMs: 0,
    account: 'the account',
    place: () => Promise.reject(new Error('nobody is called')),
    findByIntent: async () => null,
    async lookUp() {
      asked.push(clinicId);
      if (isRefused(clinicId)) throw new Error('the voice platform did not answer: http 401');
      return { state: 'ENDED', endedReason: 'customer-ended-call' };
    },
  });
  return { asked, of };
}

const passOver = ({ of }: ReturnType<typeof platform>, signal = new AbortController().signal) =>
  createLeftCalls({
    stores: records.stores,
    voice: (_name, clinicId) => of(clinicId),
    publicUrl: 'https://service.example',
  })
    .close(signal)
    .catch((error: unknown) => error);

/** Calls that go on though their runs were cancelled minutes ago. */
async function leftCalls(clinicId: string, count: number): Promise<string[]> {
  const run = await records.aRun({ clinicId });
  await cancel(run);
  const rows = await records.database.sql<{ id: string }>`
    insert into calls (id, clinic_id, patient_id, workflow_type, workflow_id, direction, phone, attempt, dial, state,
      platform_call_id, requested_at, requests, created_at)
    select 'left-' || ${run.workflowId} || n, ${clinicId}, ${run.patientId}, ${run.workflowType}, ${run.workflowId}, 'outbound',
      '+1500556' || lpad(n::text, 4, '0'), n, n, 'IN_PROGRESS', 'platform-' || ${run.workflowId} || n, now() - interval '1 hour', 1,
      now() - interval '1 hour'
    from generate_series(1, ${count}::int) n returning id`;
  return rows.map(({ id }) => id);
}

async function cancel({ clinicId, workflowId }: OpenedRun): Promise<void> {
  const ending = { status: 'cancelled', outcome: 'FOLLOW_UP_REQUIRED', taskReason: null, resolution: null } as const;
  await records.stores.runs.end({ clinicId, workflowId, ...ending });
  await records.database.sql`
    update workflow_runs set completed_at = completed_at - interval '10 minutes' where id = ${workflowId}`;
}

const open = (ids: string[]) =>
  records.database.prisma.call.count({ where: { id: { in: ids }, state: { not: 'ENDED' } } });

test('200 calls of one clinic that cannot be looked up keep no other clinic’s from being closed', async () => {
  const refused = await records.aClinic();
  await leftCalls(refused, 210);
  const others = [...(await leftCalls(await records.aClinic(), 3)), ...(await leftCalls(await records.aClinic(), 1))];

  await passOver(platform((clinicId) => clinicId === refused));

  expect(await open(others)).toBe(0);
});

test('a call that goes on is looked at again later and later, and others of its clinic have their turn', async () => {
  const clinicId = await records.aClinic();
  const ids = await leftCalls(clinicId, 230);
  const refusing = platform(() => true);

  for (let times = 0; times < 100; times += 1) await passOver(refusing);
  const tried = await records.database.prisma.call.count({ where: { id: { in: ids }, nextLookAt: { not: null } } });

  expect(tried).toBe(230);
  expect(refusing.asked.filter((each) => each === clinicId)).toHaveLength(230);
});

test('three that err keep none from being closed that is longer than a call can last', async () => {
  const clinicId = await records.aClinic();
  const ids = await leftCalls(clinicId, 5);
  const overdue = ids[4] ?? '';
  const { sql } = records.database;
  await sql`update calls set created_at = now() - interval '50 minutes', requested_at = now() - interval '50 minutes' where id = any(${ids})`;
  await sql`
    update calls set created_at = now() - interval '62 minutes', requested_at = now() - interval '62 minutes',
      next_look_at = now() - interval '1 second' where id = ${overdue}`;

  await passOver(platform((each) => each === clinicId));

  expect([await open([overdue]), await open(ids)]).toEqual([0, 4]);
});

test('what failed is told once all others had their turn', async () => {
  const refused = await records.aClinic();
  await leftCalls(refused, 1);

  expect(await passOver(platform((clinicId) => clinicId === refused))).toBeInstanceOf(Error);
});

test('a pass says how many it closed, asks three times in vain for a clinic, and nothing more once it is to stop', async () => {
  const [refused, other] = [await records.aClinic(), await records.aClinic()];
  const [waiting, ids] = [await leftCalls(refused, 5), await leftCalls(other, 2)];
  const stopped = platform(() => false);
  const refusing = platform((clinicId) => clinicId !== other);
  const answering = platform(() => false);

  expect([await passOver(stopped, AbortSignal.abort()), stopped.asked]).toEqual([0, []]);
  expect([await open(waiting), await open(ids)]).toEqual([5, 2]);
  await passOver(refusing);
  expect([await open(waiting), await open(ids)]).toEqual([5, 0]);
  expect(refusing.asked.filter((each) => each === refused)).toHaveLength(3);
  expect(await passOver(answering)).toBe(answering.asked.length);
  expect(answering.asked.filter((each) => each === refused)).toHaveLength(2);
  expect(await passOver(platform(() => false))).toBe(0);
});

test.each<[string, object, string | null]>([
  ['just asked for', { requestedAgo: 170 }, null],
  ['asked for as long ago as the platform takes to show a call', { requestedAgo: 181 }, 'withdrawn'],
  ['just asked for at this account', { requestedAgo: 170, account: 'the account' }, null],
  ['asked for at this account some time ago', { requestedAgo: 181, account: 'the account' }, 'withdrawn'],
  ['asked for at another account some time ago', { requestedAgo: 181, account: 'another' }, null],
  ['asked for at another account almost an hour ago', { requestedAgo: 3_640, account: 'another' }, null],
  ['asked for at another account an hour ago', { requestedAgo: 3_680, account: 'another' }, 'call-not-found'],
])('a call that was %s and that the platform does not show', async (_when, about, endedReason) => {
  const { requestedAgo, account = null } = about as { requestedAgo: number; account?: string };
  const clinicId = await records.aClinic();
  const [id = ''] = await leftCalls(clinicId, 1);
  const requestedAt = new Date(Date.now() - requestedAgo * 1_000);
  const { prisma } = records.database;
  await prisma.call.update({ where: { id }, data: { platformCallId: null, requestedAt, requestedAccount: account } });
  const slow = platform(() => false);

  const closed = await passOver({
    ...slow,
    of: (each) => ({ ...slow.of(each), settleMs: 180_000 }),
  });

  const call = await prisma.call.findUniqueOrThrow({ where: { id } });
  expect([closed, call.state === 'ENDED', call.endedReason]).toEqual([
    endedReason === null ? 0 : 1,
    endedReason !== null,
    endedReason,
  ]);
});

test.each<[string, { found: string | null }, string, string | null]>([
  ['that it shows and that is over', { found: 'platform-trial' }, 'customer-ended-call', 'platform-trial'],
  ['that it does not show', { found: null }, 'withdrawn', null],
])(
  'a trial call of which nobody knows what came is asked for at the account that it rang through: one %s',
  async (_what, { found }, endedReason, platformCallId) => {
    const { clinicId, patientId } = await records.aRun({ clinicId: await records.aClinic() });
    const { calls } = records.stores;
    const trial = {
      clinicId,
      patientId,
      workflowType: 'appointment-reminder',
      phone: '+14155550100',
      account: 'the account',
    } as const;
    const callId = (await calls.openTrialCall(trial)) ?? '';
    await records.database
      .sql`update calls set created_at = now() - interval '4 minutes', requested_at = now() - interval '4 minutes' where id = ${callId}`;
    const asked: (string | null | undefined)[] = [];
    const gateway = { ...platform(() => false).of(clinicId), findByIntent: async () => found && `${found}-${callId}` };

    const closed = await createLeftCalls({
      stores: records.stores,
      publicUrl: 'https://service.example',
      voice: (_name, _clinicId, account) => {
        asked.push(account);
        return gateway;
      },
    }).close(new AbortController().signal);

    const call = await records.database.prisma.call.findUniqueOrThrow({ where: { id: callId } });
    expect([closed, call.state, call.endedReason]).toEqual([1, 'ENDED', endedReason]);
    expect(call.platformCallId).toBe(platformCallId && `${platformCallId}-${callId}`);
    expect(new Set(asked)).toEqual(new Set(['the account']));
  },
);

test('a left call that cannot be asked about is over once it is longer than a call can last, placed or not', async () => {
  const clinicId = await records.aClinic();
  const ids = await leftCalls(clinicId, 3);
  const { prisma } = records.database;
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
  const [placed = '', requested = '', young = ''] = ids;
  await prisma.call.update({ where: { id: placed }, data: { requestedAt: ago(3_680) } });
  await prisma.call.update({ where: { id: requested }, data: { platformCallId: null, requestedAt: ago(3_680) } });
  await prisma.call.update({ where: { id: young }, data: { requestedAt: ago(3_600) } });
  const unavailable = (): Promise<never> => Promise.reject(new Error('http 401'));

  await passOver({
    ...platform(() => false),
    of: () => ({ ...platform(() => false).of(clinicId), lookUp: unavailable, findByIntent: unavailable }),
  });

  const ends = await Promise.all(ids.map((id) => prisma.call.findUniqueOrThrow({ where: { id } })));
  expect(ends.map(({ endedReason }) => endedReason)).toEqual(['call-not-found', 'call-not-found', null]);
});
