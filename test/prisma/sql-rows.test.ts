import type { Database } from '@clinic/prisma/client';
import { appointmentStatuses } from '@clinic/shared/domain/calendar/appointment-status';
import { callStates } from '@clinic/shared/domain/outreach/call-state';
import { caseStates } from '@clinic/shared/domain/outreach/case-state';
import { saidWords } from '@clinic/shared/domain/outreach/conversation';
import { deliveryStates } from '@clinic/shared/domain/events/delivery-state';
import { runStatuses } from '@clinic/shared/domain/outreach/run-status';
import { savedLists } from '@clinic/shared/domain/accounts/saved-view';
import { callLanguages } from '@clinic/shared/domain/patients/languages';
import { taskPriorities, taskReasons, taskStates } from '@clinic/shared/domain/tasks/task';
import { callerStandings } from '@clinic/shared/domain/voice/caller-trust';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { freshDatabase } from '../support/database';
import { checkRows, type KnownColumns } from '../support/sql/check-rows';
import { readSources, type Statement } from '../support/sql/statements';

let database: Database;

beforeAll(async () => {
  database = await freshDatabase();
});

afterAll(() => database.close());

/** Words without a CHECK constraint, so that a new one needs no migration; and what PostgreSQL says of no function. */
const knownColumns: KnownColumns = {
  'workflow_runs.workflow_type': { words: workflowTypeNames },
  'calls.workflow_type': { words: workflowTypeNames },
  'staff_tasks.reason': { words: taskReasons },
  'calls.said': { words: saidWords },
  'saved_views.list': { words: savedLists },
  'workflow_messages.signal': {
    words: ['callEnded', 'callAnalysed', 'toolUsed', 'formCompleted', 'lineFreed', 'rulesChanged', 'outcomeResolved'],
  },
  'claim_tool_call.kind': { words: ['claimed', 'answered', 'running'], isNullable: false },
  'claim_tool_call.id': { isNullable: false },
  'claim_tool_call.standing': { words: callerStandings },
  'caller_standing.standing': { words: callerStandings, isNullable: false },
  'take_in.is_new_event': { isNullable: false },
  'take_in.place': { isNullable: false },
};

/** By the conditions of prisma/stores/patients/patient-data.ts, which patient-data.test.ts runs; one breaks the generated client's own connection, some read, or copy rows of, whatever table there is, one plans whatever was asked; the change feed prepares nothing, for poolers; the mutation runner drops databases; the engine's own table of migrations is in no migration. */
const onPurpose = [
  'test/api/accounts/clinic-isolation.test.ts',
  'prisma/changes.ts',
  'prisma/migrate.ts',
  'prisma/stores/patients/erasures.ts',
  'prisma/stores/patients/erased-rows.ts',
  'prisma/stores/patients/patient-exports.ts',
  'test/api/sandbox/sandbox.test.ts',
  'test/prisma/stores/patients/patient-data.test.ts',
  'test/prisma/stores/patients/patient-merges.test.ts',
  'test/prisma/stores/sandbox/sandbox-data.test.ts',
  'test/stories/no-patient-data.test.ts',
  'test/support/announced-changes.ts',
  'test/prisma/connections.test.ts',
  'test/prisma/stores/clinic-boundary.test.ts',
  'test/support/plans.ts',
  'test/proofs/mutation/trial.ts',
];

test('every SQL statement returns the rows that its type says', async () => {
  const { statements, unchecked } = readSources();

  expect(await checkRows(database.url, statements, knownColumns)).toEqual([]);
  expect(unchecked.filter((place) => !onPurpose.some((file) => place.startsWith(`${file}:`)))).toEqual([]);
  expect(statements.length).toBeGreaterThan(100);
});

test.each([
  ['appointments.status', appointmentStatuses],
  ['workflow_runs.status', runStatuses],
  ['recovery_cases.status', caseStates],
  ['calls.state', callStates],
  ['deliveries.state', deliveryStates],
  ['staff_tasks.state', taskStates],
  ['staff_tasks.priority', taskPriorities],
  ['patients.preferred_language', callLanguages],
])('the database takes exactly the words that the domain has for %s', async (column, words) => {
  const [table = '', name = ''] = column.split('.');

  const [check] = await database.sql<{ definition: string | null }>`
    select pg_get_constraintdef(oid) as definition from pg_constraint
    where contype = 'c' and conrelid = ${table}::regclass and conname = ${`${table}_${name}`}`;

  const listed = [...(check?.definition ?? '').matchAll(/'(\w+)'::text/g)].map(([, word = '']) => word);
  expect(listed.toSorted()).toEqual([...words].toSorted());
});

/** A mistake of each kind, and the fault that is reported for it. */
const mistakes: [situation: string, statement: string, fault: string][] = [
  ['a column that does not exist', '<{ id: string }>`select idd as id from clinics`', 'column "idd" does not exist'],
  [
    'a column that the type lacks',
    '<{ id: string }>`select id, name from clinics`',
    'column name is not in the row type',
  ],
  [
    'a property without a column',
    '<{ id: string; name: string }>`select id from clinics`',
    'name is in the row type and no column',
  ],
  [
    'text said to be a number',
    '<{ name: number }>`select name from clinics`',
    'name is a string and said to be number',
  ],
  [
    'a time said to be text',
    '<{ at: string }>`select created_at as at from clinics`',
    'at is a Date and said to be string',
  ],
  [
    'a great number, which comes as text',
    '<{ count: number }>`select count(*) from clinics`',
    'count is a string and said to be number',
  ],
  [
    'a part of a second as a number',
    '<{ s: number }>`select extract(epoch from now()) as s`',
    's is a string and said to be number',
  ],
  [
    'JSON said to be text',
    '<{ data: string }>`select data from outbound_events`',
    'data is JSON and said to be string',
  ],
  [
    'text said to be of an unknown type',
    '<{ name: unknown }>`select name from clinics`',
    'name is a string and said to be json',
  ],
  [
    'a list said to be text',
    '<{ events: string }>`select coalesce(events, array[]::text[]) as events from receivers`',
    'events is a string[] and said to be string',
  ],
  ['any', '<{ name: any }>`select name from clinics`', 'name is a string and said to be any'],
  [
    'a null that the column may hold',
    '<{ phone: string }>`select phone from patients`',
    'phone can be null, which its type does not say',
  ],
  [
    'a null that an outer join makes',
    '<{ id: string }>`select c.id from patients p left join calls c on c.patient_id = p.id`',
    'id can be null, which its type does not say',
  ],
  [
    'a null that comes through a subquery',
    '<{ phone: string }>`with p as (select * from (select phone from patients) x) select p.phone from p`',
    'phone can be null, which its type does not say',
  ],
  [
    'a null in a value that is given',
    '<{ x: string }>`select ${nothing}::text as x`',
    'x can be null, which its type does not say',
  ],
  [
    'a null of an aggregate over no rows',
    '<{ last: Date }>`select max(created_at) as last from calls`',
    'last can be null, which its type does not say',
  ],
  [
    'a null of a subquery without a row',
    '<{ name: string }>`select (select name from clinics where id = p.clinic_id) as name from patients p`',
    'name can be null, which its type does not say',
  ],
  [
    'a null of a missing key',
    "<{ x: string }>`select data ->> 'x' as x from outbound_events`",
    'x can be null, which its type does not say',
  ],
  [
    'a word that the constraint lacks',
    "<{ state: 'OPEN' | 'DONE' }>`select state from staff_tasks`",
    'state is one of OPEN,RESOLVED and said to be one of DONE,OPEN',
  ],
  [
    'a word that the type lacks',
    "<{ state: 'OPEN' }>`select state from staff_tasks`",
    'state is one of OPEN,RESOLVED and said to be one of OPEN',
  ],
  [
    'words that nothing lists',
    "<{ name: 'Harbor' }>`select name from clinics`",
    'name is said to be one of 1 words, which no constraint lists',
  ],
  [
    'a type that names no column',
    '<Record<string, string>>`select id from clinics`',
    'Record<string, string> does not list the columns',
  ],
  [
    'a null beside a condition that other statements share',
    '<{ id: string; phone: string }>`select id, phone from patients where ${shared} and created_at < ${text}`',
    'phone can be null, which its type does not say',
  ],
  ['a row that nobody returns', '<{ id: string }>`delete from clinics`', 'id is in the row type and no column'],
];

const soundStatements: [situation: string, statement: string][] = [
  ['rows that nobody reads', '`select phone, 1 from patients`'],
  ['a property that is optional', '<{ id: string; phone?: string }>`select id from patients`'],
  ['a column that the condition compares', '<{ phone: string }>`select phone from patients where phone = ${text}`'],
  [
    'a column that the condition says is there',
    '<{ phone: string }>`select p.phone from patients p where p.phone is not null`',
  ],
  ['what replaces a null', "<{ phone: string }>`select coalesce(phone, '') as phone from patients`"],
  [
    'the inner side of a join',
    '<{ id: string; phone: string | null }>`select p.id, p.phone from patients p left join calls c on c.patient_id = p.id`',
  ],
  [
    'columns beside a condition that other statements share',
    '<{ id: string }>`select id from patients where ${shared} and phone = ${text}`',
  ],
  ['a count', '<{ count: number }>`select count(*)::int as count from patients`'],
  ['a count in a subquery', '<{ n: number }>`select (select count(*)::int from calls) as n from clinics`'],
  ['the greatest of a group', '<{ last: Date }>`select max(created_at) as last from calls group by clinic_id`'],
  ['what an update has set', '<{ phone: string }>`update patients set phone = ${text} returning phone`'],
  [
    'JSON of any kind',
    "<{ data: { x: number }; list: string[] }>`select data, '[]'::json as list from outbound_events`",
  ],
  ['words of an expression', "<{ x: 'a' | 'b' }>`select case when true then 'a' else 'b' end as x`"],
  [
    'what a view passes on',
    '<{ phone: string | null; clinicZone: string }>`select phone, clinic_zone as "clinicZone" from calling_facts`',
  ],
];

/** All of them in one file, a statement on each line, after a text and a value that may be missing. */
const planted = [...mistakes, ...soundStatements].map(([, statement]) => statement);
const plantedFile = {
  name: 'planted.ts',
  text: [
    `import type { Condition, Sql } from './sql'; declare const sql: Sql; declare const shared: Condition; declare const text: string; declare const nothing: string | null;`,
    ...planted.map((statement) => `sql${statement};`),
  ].join('\n'),
};

describe('the check', () => {
  let statements: Statement[];

  beforeAll(() => {
    statements = readSources(plantedFile).statements;
  });

  const faultsOf = async (statement: string) => {
    const found = statements.filter(({ place }) => place === `prisma/planted.ts:${planted.indexOf(statement) + 2}`);
    expect(found).toHaveLength(1);
    return checkRows(database.url, found, knownColumns);
  };

  test.each(mistakes)('finds %s', async (_, statement, fault) => {
    expect(await faultsOf(statement)).toEqual([expect.stringContaining(fault)]);
  });

  test.each(soundStatements)('lets %s pass', async (_, statement) => {
    expect(await faultsOf(statement)).toEqual([]);
  });

  test('finds a query that gets round the template', () => {
    const { unchecked } = readSources({
      name: 'planted.ts',
      text: `import { Pool } from 'pg';
        declare const prisma: any; declare const sql: any; declare const pool: Pool;
        prisma.$queryRaw\`select 1\`;
        sql\`select 1\`;
        pool.query<{ id: string }>('select 1');
        pool.query('begin');`,
    });

    expect(unchecked).toEqual(['prisma/planted.ts:3', 'prisma/planted.ts:4', 'prisma/planted.ts:5']);
  });
});
