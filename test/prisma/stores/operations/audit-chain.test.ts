import { startApi } from '@clinic/api/start-api';
import { appendFile, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { headKeeper } from '@clinic/gateways/audit-heads';
import { auditUrlOf, serviceUrlOf } from '@clinic/local/postgres';
import { openDatabase } from '@clinic/prisma/client';
import { readApiConfig } from '@clinic/shared/config';
import { createLog } from '@clinic/shared/log';
import { grantRoles, refusePrivilegedRole } from '@clinic/prisma/service-role';
import { createStores } from '@clinic/prisma/stores';
import { createAuditChainStores } from '@clinic/prisma/stores/operations/audit-chain';
import type { Database } from '@clinic/prisma/client';
import type { Stores } from '@clinic/prisma/stores';
import { recordsEnvironment, typed } from '../../../support/command';
import { aClinic, freshStores, secretKeys } from '../../../support/stores';

let database: Database;
let stores: Stores;
let clinicId: string;

beforeEach(async () => {
  ({ database, stores } = await freshStores());
  clinicId = await aClinic(stores, 'Harbor');
});
afterEach(() => database.close());

const write = (action: string, clinic = clinicId) =>
  stores.audit.write({
    clinicId: clinic,
    actor: 'account:one',
    action,
    detail: { b: 1, a: [1, 'zoë'] },
    address: '192.0.2.1',
  });
const writeMany = async (count: number) => {
  for (let index = 0; index < count; index += 1) await write(`change-${index}`);
};
/** A patient was shown to somebody. */
const theRead = {
  actor: 'account:one',
  action: 'patient.read',
  isRead: true,
  route: 'GET /patients/:patientId',
  subjects: ['a-patient'],
  requestId: 'a-request',
  address: '192.0.2.1',
};
const aRead = (about: object = {}) => stores.audit.writeRequest({ ...theRead, clinicId, ...about });
const verify = () => stores.auditChain.verify();
/** What only the owner of the tables can do, as a thief of the database could. */
const behindItsBack = (work: () => Promise<unknown>) => withoutTriggers(work);

async function withoutTriggers(work: () => Promise<unknown>): Promise<void> {
  await database.sql`alter table audit_entries disable trigger user`;
  await database.sql`alter table audit_links disable trigger user`;
  await work();
  await database.sql`alter table audit_entries enable trigger user`;
  await database.sql`alter table audit_links enable trigger user`;
}

describe('the database', () => {
  test.each([
    ['a change', () => database.sql`update audit_entries set actor = 'nobody'`],
    ['a change of nothing', () => database.sql`update audit_entries set actor = 'nobody' where id = 'x'`],
    ['a removal', () => database.sql`delete from audit_entries`],
    ['an emptying', () => database.sql`truncate audit_entries`],
    ['a change of a place', () => database.sql`update audit_links set hash = ''`],
    ['a removal of a place', () => database.sql`delete from audit_links`],
    ['the removal of a clinic that has one', () => database.sql`delete from clinics`],
  ])('refuses %s', async (_what, attempt) => {
    await writeMany(2);
    await stores.auditChain.seal(10);

    await expect(attempt()).rejects.toMatchObject({ code: expect.stringMatching(/^23/) });

    expect(await database.prisma.auditEntry.count()).toBe(2);
    expect(await verify()).toMatchObject({ checked: 2, findings: [] });
  });
});

/** What a role is given, and whether the service then refuses to start with it. */
const rolesAtStart: [what: string, given: string[], isRefused: boolean][] = [
  ['nothing', [], false],
  ['all that there is', [`alter role starting superuser`], true],
  ['a table of its own', [`create table own ()`, `alter table own owner to starting`], true],
  ['a view of its own', [`create view own as select 1`, `alter view own owner to starting`], false],
  [
    'a table of its own elsewhere',
    [`create schema aside`, `create table aside.own ()`, `alter table aside.own owner to starting`],
    false,
  ],
  ['the sealing', [`grant execute on function seal_audit(text, text, json) to starting`], true],
  ['the taking of requests', [`grant execute on function take_audit_requests(integer) to starting`], true],
  ['the queue of what is to be sealed', [`grant execute on function queue_for_seal() to starting`], false],
  ['the sight of the audit', [`grant select, insert on audit_links to starting`], false],
  ['the change of an entry', [`grant update on audit_entries to starting`], true],
  ['the removal of a link', [`grant delete on audit_links to starting`], true],
  ['the emptying of what waits', [`grant truncate on audit_unsealed to starting`], true],
  ['the change of a record', [`grant update, delete, truncate on patients to starting`], false],
  ['the change of what is named like it', [`create table auditors ()`, `grant update on auditors to starting`], false],
  [
    'the change of what is named so elsewhere',
    [`create schema aside`, `create table aside.audit_own ()`, `grant update on aside.audit_own to starting`],
    false,
  ],
];

test('a role is refused at the start of the service where it may do more than its work asks for', async () => {
  const log = createLog({ process: 'test', level: 'silent' });
  const isTakenBack = new Error('taken back');
  const told: unknown[] = [];
  for (const [what, given] of rolesAtStart) {
    const looked = database.transaction(async (tx) => {
      const run = async (text: string) => tx(Object.assign([text], { raw: [text] }));
      for (const text of [`create role starting`, ...given, `set local role starting`]) await run(text);
      const refusal = await refusePrivilegedRole({ sql: tx }, log).catch((error: unknown) => error);
      told.push([what, refusal instanceof Error]);
      throw isTakenBack;
    });
    await expect(looked).rejects.toBe(isTakenBack);
  }

  expect(told).toEqual(rolesAtStart.map(([what, , isRefused]) => [what, isRefused]));
});

describe("the service's role", () => {
  let service: Database;
  let sealer: Database;
  let sealing: ReturnType<typeof createAuditChainStores>;

  beforeEach(async () => {
    service = openDatabase(serviceUrlOf(database.url), { poolSize: 1 });
    sealer = openDatabase(auditUrlOf(database.url), { poolSize: 1 });
    sealing = createAuditChainStores(sealer, secretKeys);
    const { audit } = createStores(service, secretKeys);
    await audit.write({ clinicId, actor: 'account:one', action: 'change' });
    await audit.writeRequest({ ...theRead, clinicId });
    await sealing.seal(10);
    await audit.write({ clinicId, actor: 'account:one', action: 'change' });
    await audit.writeRequest({ ...theRead, clinicId });
  });
  afterEach(() => Promise.all([service.close(), sealer.close()]));

  const tables = ['audit_entries', 'audit_requests', 'audit_links', 'audit_unsealed'];
  const attempts = [
    ...tables.flatMap((table) => [
      `update ${table} set clinic_id = 'another'`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
      `drop table ${table} cascade`,
      `alter table ${table} disable trigger all`,
      `alter table ${table} owner to current_user`,
    ]),
    `insert into audit_entries (id, clinic_id, actor, action, at) values ('forged', 'c', 'account:one', 'change', now() - interval '1 day')`,
    `insert into audit_requests (id, clinic_id, actor, action, is_read, route, subjects, at) values ('forged', 'c', 'a', 'r', true, '', '{}', '2020-01-01')`,
    `insert into audit_requests (id, clinic_id, actor, action, is_read, route, subjects, position) overriding system value values ('forged', 'c', 'a', 'r', true, '', '{}', 0)`,
    `insert into audit_links (clinic_id, position, entry_id, key_id, hash) values ('c', 1, 'e', 'k', 'h')`,
    `insert into audit_unsealed (entry_id, clinic_id, at) values ('e', 'c', now())`,
    `select seal_audit('c', 's1', '[]'::json)`,
    `select take_audit_requests(1000)`,
    `drop function seal_audit(text, text, json)`,
    `create or replace function audit_stays() returns trigger language plpgsql as 'begin return new; end'`,
    `create table mine ()`,
    `set session_replication_role = replica`,
    `set role clinic_audit`,
  ];
  test.each(attempts)('may not: %s', async (attempt) => {
    const run = service.sql(Object.assign([attempt], { raw: [attempt] }));

    await expect(run).rejects.toMatchObject({ code: '42501' });
  });

  test('adds to the audit, of which the database says the time, and another role seals what it added', async () => {
    await sealing.seal(10);

    expect(await verify()).toMatchObject({ checked: 4, findings: [] });
    const [{ late } = { late: null }] = await database.sql<{ late: number }>`
      select count(*)::int as late from audit_entries where at not between now() - interval '1 minute' and now()`;
    expect(late).toBe(0);
  });

  test('is refused at the start where it may seal, or owns what it writes; the one that seals reads no patient', async () => {
    const log = createLog({ process: 'test', level: 'silent' });

    await refusePrivilegedRole(service, log);
    await expect(refusePrivilegedRole(sealer, log)).rejects.toThrow('may seal or change the audit');
    await expect(refusePrivilegedRole(database, log)).rejects.toThrow('owner of the tables');
    const production = {
      ...readApiConfig(recordsEnvironment(database.url, secretKeys)),
      NODE_ENV: 'production',
    } as const;
    await expect(startApi(production, log)).rejects.toThrow('owner of the tables');
    await expect(sealer.sql`select from patients`).rejects.toMatchObject({ code: '42501' });
    await expect(sealer.sql`delete from audit_links`).rejects.toMatchObject({ code: '42501' });
  });

  test('is granted once more what it has, and is refused to who is the owner, seals or owns a table', async () => {
    const log = createLog({ process: 'test', level: 'silent' });
    const [ownerUrl, serviceUrl, auditUrl] = [database.url, serviceUrlOf(database.url), auditUrlOf(database.url)];

    await grantRoles({ ownerUrl, serviceUrl, auditUrl });
    await refusePrivilegedRole(service, log);
    await expect(refusePrivilegedRole(sealer, log)).rejects.toThrow('may seal or change the audit');

    for (const roles of [
      { serviceUrl: ownerUrl },
      { serviceUrl, auditUrl: serviceUrl },
      { serviceUrl: auditUrl, auditUrl },
    ]) {
      await expect(grantRoles({ ownerUrl, ...roles })).rejects.toThrow('must sign in as different roles');
    }
    await database.sql`alter table named_sandboxes owner to clinic_service`;
    await expect(grantRoles({ ownerUrl, serviceUrl, auditUrl })).rejects.toThrow(
      'The role clinic_service of DATABASE_URL is a superuser or owns tables',
    );
    await database.sql`alter table named_sandboxes owner to current_user`;
    await database.sql`alter table named_sandboxes owner to clinic_audit`;
    await expect(grantRoles({ ownerUrl, serviceUrl, auditUrl })).rejects.toThrow(
      'The role clinic_audit of AUDIT_DATABASE_URL is a superuser or owns tables',
    );
  });

  test('may connect where the public may not, once it was granted that', async () => {
    const mayConnect = async () => {
      const [row] = await database.sql<{ service: boolean | null; sealer: boolean | null }>`
        select has_database_privilege('clinic_service', current_database(), 'connect') as service,
          has_database_privilege('clinic_audit', current_database(), 'connect') as sealer`;
      return row;
    };
    await database.sql`
      do $$ begin
        execute format('revoke connect on database %I from public, clinic_service, clinic_audit', current_database());
      end $$`;
    const before = await mayConnect();

    await grantRoles({
      ownerUrl: database.url,
      serviceUrl: serviceUrlOf(database.url),
      auditUrl: auditUrlOf(database.url),
    });

    expect([before, await mayConnect()]).toEqual([
      { service: false, sealer: false },
      { service: true, sealer: true },
    ]);
  });
});

describe('a read', () => {
  test('is stored when it is told, with many others in few commits; one that cannot be stored harms no other', async () => {
    const commits = async () => {
      const [row] = await database.sql<{
        commits: number;
      }>`select count(distinct xmin::text)::int as commits from audit_requests`;
      return row!.commits;
    };
    const many = Array.from({ length: 120 }, (_, index) => `patient-${index}`);

    await Promise.all(many.map((patient) => aRead({ subjects: [patient] })));
    const inBatches = await commits();
    const results = await Promise.allSettled([aRead(), aRead({ subjects: ['\u0000'] }), aRead({ subjects: many })]);

    expect(inBatches).toBeLessThan(10);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await stores.auditChain.seal(10);
    expect(await database.prisma.auditEntry.count()).toBe(122);
    const [page] = (await stores.audit.list(clinicId, { subject: 'patient-119', hasReads: true, limit: 1 })).items;
    expect(page).toMatchObject({ isRead: true, detail: {} });
    const { items } = await stores.audit.list(clinicId, { subject: 'patient-49', hasReads: true, limit: 10 });
    expect(items.map(({ subjects }) => subjects)).toContainEqual(many);
  });

  test('of thousands at once names all of them', async () => {
    const many = Array.from({ length: 2_001 }, (_, index) => `patient-${index}`);

    await aRead({ subjects: many });
    await aRead({ subjects: [] });
    await stores.auditChain.seal(10);

    const { items } = await stores.audit.list(clinicId, { hasReads: true, limit: 10 });
    expect(items.map(({ subjects }) => subjects.length).toSorted((one, other) => one - other)).toEqual([
      0, 1, 1_000, 1_000,
    ]);
    expect(items.flatMap(({ subjects }) => subjects).toSorted()).toEqual(many.toSorted());
  });

  test('stands apart from changes, is found by patient, person, action and day, and is in the chain', async () => {
    await write('patient.change');
    await aRead({ actor: 'api-key:two' });
    await stores.auditChain.seal(10);
    const idsOf = async (filter: object) =>
      (await stores.audit.list(clinicId, { limit: 10, ...filter })).items.map(({ action }) => action);
    const day = { from: '2020-01-01T00:00:00.000Z', until: '2020-01-02T00:00:00.000Z' };

    expect(await idsOf({})).toEqual(['patient.change']);
    expect(await idsOf({ hasReads: true })).toEqual(['patient.read', 'patient.change']);
    expect(await idsOf({ hasReads: true, subject: 'a-patient' })).toEqual(['patient.read']);
    expect(await idsOf({ hasReads: true, actor: 'api-key:two' })).toEqual(['patient.read']);
    expect(await idsOf({ hasReads: true, action: 'patient.read', ...day })).toEqual([]);
    const audit = (...args: string[]) => typed(['audit', ...args], recordsEnvironment(database.url, secretKeys));
    const listed = (await audit('list', '--subject', 'a-patient')).lines.map((line) => JSON.parse(line));
    expect(listed).toMatchObject([{ clinicId, action: 'patient.read' }]);
    await expect(audit('list', '--day', 'today')).rejects.toThrow('Usage');
    await behindItsBack(() => database.sql`update audit_entries set subjects = '{another}' where is_read`);
    expect((await verify()).findings).toMatchObject([{ fault: 'changed', position: 2 }]);
  });
});

describe('the chain', () => {
  test('holds each entry once, for each clinic by itself, in the order of time, however it was sealed', async () => {
    const other = await aClinic(stores, 'Meadow');
    await writeMany(5);
    await write('change', other);

    const first = await stores.auditChain.seal(3);
    await Promise.all([stores.auditChain.seal(10), stores.auditChain.seal(10), write('change')]);
    await stores.auditChain.seal(10);

    expect(first).toMatchObject({ sealed: 4, isFull: true });
    const { checked, findings, heads } = await verify();
    expect([checked, findings]).toEqual([7, []]);
    expect(heads.map(({ position }) => position).toSorted((lower, higher) => lower - higher)).toEqual([1, 6]);
    expect(await stores.auditChain.seal(10)).toEqual({ sealed: 0, heads: [], isFull: false });
    await write('change');
    expect(await stores.auditChain.seal(10)).toMatchObject({ sealed: 1, isFull: false });
    await writeMany(2);
    expect(await stores.auditChain.seal(2)).toMatchObject({ sealed: 2, isFull: true });
  });

  test.each([
    [
      'was changed',
      'changed',
      2,
      (id: string) => database.sql`update audit_entries set detail = '{}' where id = ${id}`,
    ],
    ['was removed', 'removed', 2, (id: string) => database.sql`delete from audit_entries where id = ${id}`],
    ['lost its place', 'removed', 2, (id: string) => database.sql`delete from audit_links where entry_id = ${id}`],
  ] as const)('shows that an entry %s', async (_what, fault, position, attempt) => {
    await writeMany(4);
    await stores.auditChain.seal(10);
    const { entryId } = await database.prisma.auditLink.findFirstOrThrow({ where: { clinicId, position } });

    await behindItsBack(() => attempt(entryId));

    expect((await verify()).findings).toContainEqual(expect.objectContaining({ clinicId, position, fault }));
  });

  const entries: [kind: string, about: object][] = [
    ['read', {}],
    ['read of nothing', { subjects: [] }],
    ['change that a request told', { isRead: false }],
    ['change of nothing', { isRead: false, subjects: [] }],
  ];
  const members = {
    actor: `'nobody'`,
    action: `'another'`,
    detail: `'{"b": 2}'`,
    request_id: `'another'`,
    address: `'192.0.2.2'`,
    at: `at + interval '1 millisecond'`,
    is_read: 'not is_read',
    route: `'GET /another'`,
    subjects: `'{another}'`,
  };
  /** Of a table that this test makes. */
  const run = (text: string) => database.sql(Object.assign([text], { raw: [text] }));
  test.each(entries)('holds every member of a %s', async (_kind, about) => {
    await aRead(about);
    await stores.auditChain.seal(10);
    await run('create table as_it_was as select * from audit_entries');
    const noticed: string[] = [];
    for (const [member, value] of Object.entries(members)) {
      await behindItsBack(() => run(`update audit_entries set ${member} = ${value}`));
      const { findings } = await verify();
      if (findings.some(({ fault }) => fault === 'changed')) noticed.push(member);
      await behindItsBack(async () => {
        await run('delete from audit_entries');
        await run('insert into audit_entries select * from as_it_was');
      });
    }

    expect(noticed).toEqual(Object.keys(members));
    expect((await verify()).findings).toEqual([]);
  });

  test('shows that an entry was inserted: around its place, or with a time of before', async () => {
    await writeMany(2);
    await stores.auditChain.seal(10);
    const insert = (id: string) => database.sql`
      insert into audit_entries (id, clinic_id, actor, action, at) values (${id}, ${clinicId}, 'account:two', 'read', now() - interval '1 day')`;

    await behindItsBack(() => insert('around'));
    await insert('before');
    await stores.auditChain.seal(10);

    expect((await verify()).findings).toEqual([
      { clinicId, position: 3, entryId: 'before', fault: 'inserted' },
      { clinicId, position: null, entryId: 'around', fault: 'inserted' },
    ]);
  });

  test('shows that its end was cut off to anyone who has kept a head', async () => {
    await writeMany(3);
    const { heads } = await stores.auditChain.seal(10);
    const head = heads.map(({ position, hash }) => `${clinicId}:${position}:${hash}`)[0]!;
    const command = async (...args: string[]) =>
      (await typed(['audit', ...args], recordsEnvironment(database.url, secretKeys))).shown;
    const file = join(await mkdtemp(join(tmpdir(), 'heads-')), 'heads.jsonl');
    await headKeeper({ AUDIT_HEADS_URL: pathToFileURL(file).href, AUDIT_HEADS_AUTHORIZATION: undefined })?.(heads);
    await appendFile(file, `<110>1 a line of another program\n<110>1 - - - - - - ${await readFile(file, 'utf8')}`);
    const whole = await command('verify', '--head', head, '--heads-file', file);

    await behindItsBack(async () => {
      await database.sql`
        delete from audit_entries where id in (select entry_id from audit_links where audit_links.position = 3)`;
      await database.sql`delete from audit_links where audit_links.position = 3`;
    });

    expect(whole.findings).toEqual([]);
    expect((await command('verify')).findings).toEqual([]);
    expect((await command('verify', '--head', head)).findings).toMatchObject([{ fault: 'head_missing', position: 3 }]);
    const cutOff = { fault: 'head_missing', position: 3 };
    expect((await command('verify', '--heads-file', file)).findings).toMatchObject([cutOff, cutOff]);
    await expect(command('verify', '--heads-file', `${file}-elsewhere`)).rejects.toThrow('There is no file');
    await appendFile(file, '{"clinicId": 7}');
    await expect(command('verify', '--heads-file', file)).rejects.toThrow('is no head');
    await expect(command('verify', '--head', 'nonsense')).rejects.toThrow('Usage');
  });

  test('cannot be made by who has no key, and keys may change', async () => {
    await writeMany(1);
    await stores.auditChain.seal(10);
    const newer = [{ id: 'newer', key: Buffer.alloc(32, 9) }, ...secretKeys];
    await writeMany(1);
    await createAuditChainStores(database, newer).seal(10);

    expect((await createAuditChainStores(database, newer).verify()).findings).toEqual([]);
    expect((await verify()).findings).toMatchObject([{ position: 2, fault: 'unknown_key' }]);
    const stranger = [{ id: 'test', key: Buffer.alloc(32, 1) }];
    expect((await createAuditChainStores(database, stranger).verify()).findings).toMatchObject([
      { position: 1, fault: 'changed' },
      { position: 2, fault: 'unknown_key' },
    ]);
  });

  test('says that nobody seals', async () => {
    await write('change');
    const { id } = await database.prisma.auditEntry.findFirstOrThrow();
    await behindItsBack(() => database.sql`update audit_entries set at = now() - interval '1 hour' where id = ${id}`);

    expect((await verify()).findings).toEqual([{ clinicId, position: null, entryId: id, fault: 'unsealed' }]);
  });

  test('says what is gone before it had a place, and what a request told that waits for long', async () => {
    await writeMany(2);
    const [gone] = await database.prisma.auditEntry.findMany({ orderBy: { action: 'asc' } });
    await aRead({ requestId: 'of long ago' });
    await aRead({ requestId: 'lately' });
    await database.sql`update audit_requests set at = now() - interval '11 minutes' where request_id = 'of long ago'`;
    await database.sql`update audit_requests set at = now() - interval '9 minutes' where request_id = 'lately'`;
    const waiting = await database.prisma.auditRequest.findFirstOrThrow({ where: { requestId: 'of long ago' } });

    await behindItsBack(() => database.sql`delete from audit_entries where id = ${gone?.id ?? ''}`);

    expect((await verify()).findings).toEqual([
      { clinicId, position: null, entryId: waiting.id, fault: 'unsealed' },
      { clinicId, position: null, entryId: gone?.id, fault: 'removed' },
    ]);
  });
});

test('the audit is searched by person, subject, action and day', async () => {
  for (const [actor, action, subject] of [
    ['account:one', 'patient.change', 'patient-1'],
    ['account:two', 'patient.change', 'patient-2'],
    ['account:two', 'task.change', 'patient-1'],
  ] as const) {
    await stores.audit.write({ clinicId, actor, action, subject });
  }
  const found = async (filter: Partial<Parameters<Stores['audit']['list']>[1]>) =>
    (await stores.audit.list(clinicId, { limit: 10, ...filter })).items.length;
  const soon = new Date(Date.now() + 60_000).toISOString();

  const counts = [
    await found({ actor: 'account:two' }),
    await found({ subject: 'patient-1' }),
    await found({ action: 'patient.change', actor: 'account:one' }),
    await found({ until: soon }),
    await found({ from: soon }),
    await found({ from: '2020-01-01T00:00:00.000Z', until: soon, subject: 'patient-2' }),
  ];

  expect(counts).toEqual([2, 2, 1, 3, 0, 1]);
});
