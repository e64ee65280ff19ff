import type { Database } from '@clinic/prisma/client';
import type { Stores } from '@clinic/prisma/stores';
import { createLog } from '@clinic/shared/log';
import { createAlarms } from '@clinic/worker/alarms';
import { aPhone } from '../support/builders';
import { aClinic, freshStores } from '../support/stores';

let database: Database;
let stores: Stores;
let clinicId: string;
let patients: string[];

const log = createLog({ process: 'test', level: 'silent' });
/** A clinic in New York: the second instant of a day there is the first of the day after in UTC. */
const day = '2026-03-10';
const noon = '2026-03-10T16:00:00.000Z';

beforeEach(async () => {
  jest.useFakeTimers({
    now: new Date('2026-03-10T20:00:00.000Z'),
    doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout'],
  });
  ({ database, stores } = await freshStores());
  clinicId = await aClinic(stores, 'Harbor');
  patients = await somePatients(clinicId, 250);
});
afterEach(async () => {
  jest.useRealTimers();
  await database.close();
});

async function somePatients(clinic: string, count: number): Promise<string[]> {
  const rows = await database.sql<{ id: string }>`
    insert into patients (id, clinic_id, first_name, last_name, phone)
    select ${clinic} || '-patient-' || n, ${clinic}, 'Ada', 'Lovelace', ${aPhone()} from generate_series(1, ${count}::int) n returning id`;
  return rows.map(({ id }) => id);
}

/** As requests tell it and the sealer takes it, at a time of the past. */
async function read(actor: string, subjects: string[], at = noon, clinic = clinicId): Promise<void> {
  await stores.audit.writeRequest({
    clinicId: clinic,
    actor,
    subjects,
    action: 'patient.list',
    isRead: true,
    route: 'GET /patients',
    requestId: 'a-request',
    address: '192.0.2.1',
  });
  await database.sql`update audit_requests set at = ${at}`;
  await stores.auditChain.seal(1_000);
}

async function wrote(actor: string, action: string, { times = 1, at = noon } = {}): Promise<void> {
  await database.sql`
    insert into audit_entries (id, clinic_id, actor, action, at)
    select gen_random_uuid()::text, ${clinicId}, ${actor}, ${action}, ${at}::timestamptz from generate_series(1, ${times}::int)`;
}

const usually = (actor: string, count: number) =>
  database.sql`
    insert into reads_by_day (clinic_id, actor, day, patients)
    select ${clinicId}, ${actor}, ${day}::date - n, ${count} from generate_series(1, 10) n`;

const raised: string[] = [];
const alarms = () => createAlarms({ stores, log, onAlarm: (kind) => raised.push(kind) });
const opened = async (clinic = clinicId) => {
  const { items } = await stores.tasks.list(clinic, { limit: 50 });
  return items
    .map(({ reason, detail }) => ({ reason, ...(detail as object) }))
    .toSorted((one, other) => one.reason.localeCompare(other.reason));
};
beforeEach(() => raised.splice(0));

test('somebody who reads five times as many patients as usual is an alarm of that day, once, however often it is looked for', async () => {
  await usually('account:curious', 8);
  await usually('api-key:sync', 240);
  await read('account:curious', patients.slice(0, 120));
  await read('account:curious', patients.slice(100, 220));
  await read('api-key:sync', patients);
  await read('account:quiet', patients.slice(0, 199));
  await read('call:one', patients);

  await alarms()();
  const pass = alarms();
  await Promise.all([pass(), alarms()()]);
  await read('account:curious', patients);
  await pass();

  expect(await opened()).toEqual([{ reason: 'bulk_reads', actor: 'account:curious', day, patients: 220, usual: 8 }]);
  expect(raised).toEqual(['bulk_reads']);
});

test('the same patients again, other records and another day are not counted together', async () => {
  const half = patients.slice(0, 125);
  await read('account:careful', half);
  await read('account:careful', half);
  await read(
    'account:careful',
    Array.from({ length: 300 }, (_, index) => `a-case-${index}`),
  );
  await read('account:careful', patients.slice(125), '2026-03-10T03:59:00.000Z');
  const pass = alarms();

  await pass();

  expect(await opened()).toEqual([]);
  const counted = await database.sql<{ day: string; patients: number }>`
    select day::text as day, patients from reads_by_day order by day`;
  expect(counted).toEqual([
    { day: '2026-03-09', patients: 125 },
    { day: '2026-03-10', patients: 125 },
  ]);
});

test("another clinic's readers, and patients of it, are its own", async () => {
  const other = await aClinic(stores, 'Other');
  const theirs = await somePatients(other, 210);
  await read('account:of-other', theirs, noon, other);
  await read('account:of-ours', theirs);

  await alarms()();

  expect(await opened()).toEqual([]);
  expect(await opened(other)).toMatchObject([{ reason: 'bulk_reads', actor: 'account:of-other', patients: 210 }]);
});

test('an export, an emergency access and many refused sign-ins are alarms; few refusals are none', async () => {
  await wrote('account:leaving', 'patient.export', { times: 3 });
  await wrote('account:leaving', 'patient.read', { times: 3 });
  await wrote('account:forgetful', 'sign-in.refused', { times: 9 });
  await wrote('account:attacked', 'sign-in.refused', { times: 10 });
  await stores.tasks.open({ clinicId, reason: 'emergency_access', cause: 'emergency:one', detail: { minutes: 30 } });
  await stores.tasks.open({ clinicId, reason: 'follow_up_required', cause: 'no alarm' });
  await database.sql`update staff_tasks set created_at = now()`;

  await alarms()();
  await alarms()();

  expect(await opened()).toEqual([
    { reason: 'emergency_access', minutes: 30 },
    { reason: 'follow_up_required' },
    { reason: 'records_exported', actor: 'account:leaving', day, exports: 3 },
    { reason: 'refused_sign_ins', actor: 'account:attacked', day, refusals: 10 },
  ]);
  expect(raised.toSorted()).toEqual(['emergency_access', 'records_exported', 'refused_sign_ins']);
});

test('refusals of many accounts, few of each, are an alarm of the clinic as a whole', async () => {
  for (let person = 0; person < 10; person += 1) await wrote(`account:${person}`, 'sign-in.refused', { times: 3 });

  await alarms()();

  expect(await opened()).toEqual([{ reason: 'refused_sign_ins', day, refusals: 30 }]);
});

test('what was read while no worker sealed is found by the next pass of a process that has just begun', async () => {
  await read('account:curious', patients, '2026-03-10T05:00:00.000Z');

  await alarms()();

  expect(await opened()).toMatchObject([{ actor: 'account:curious', day }]);
});

test('a pass looks at what may have been sealed since the one before, and the first of a process a day back', async () => {
  const asked: [what: string, since: string][] = [];
  const noting = (what: 'countReads' | 'exports' | 'refusals') => ({
    [what](since: Date) {
      asked.push([what, since.toISOString()]);
      return stores.alarms[what](since);
    },
  });
  const noted = { ...stores.alarms, ...noting('countReads'), ...noting('exports'), ...noting('refusals') };
  const pass = createAlarms({ stores: { ...stores, alarms: noted }, log });

  await pass();
  jest.setSystemTime(new Date('2026-03-10T20:05:00.000Z'));
  await pass();
  await pass();

  expect(asked).toEqual(
    ['2026-03-09T20:00:00.000Z', '2026-03-10T19:45:00.000Z', '2026-03-10T19:50:00.000Z'].flatMap((since) =>
      ['countReads', 'exports', 'refusals'].map((what) => [what, since]),
    ),
  );
});
