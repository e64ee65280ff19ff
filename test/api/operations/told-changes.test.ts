import { toldTables } from '@clinic/api/routes/operations/stream';
import { type App, startApp } from '../../support/app';
import { aPhone } from '../../support/builders';
import { eventually } from '../../support/eventually';
import { openStream } from '../../support/event-stream';

/** Pages that somebody has open show what others have written since: each table is told of, or says why not. */

const withItsPatient = 'rows go with their patient alone, or with their clinic, and of the patient it is told';
const asItIsDispatched = 'it is told of as it is given to Temporal, a moment later';
const byTheAudit = 'administrators alone change it, and are told by the audit entry of each change';
const ofAccounts = 'nobody has it on a page but the person themselves, or by the audit entry of each change';
const withItsCall = 'written together with its call, of which it is told';
const withItsTask = 'goes with its task alone';
const onNoPage = 'on no page';
const stays = 'nothing deletes it, or retention alone, after years';

/** By the table, or by the table and what is not told of it. */
const untold: Record<string, string> = {
  _prisma_migrations: onNoPage,
  account_links: byTheAudit,
  accounts: ofAccounts,
  alarm_notices: onNoPage,
  'api_keys insert': byTheAudit,
  appointment_versions: 'written together with its appointment, of which it is told',
  approved_apis: byTheAudit,
  audit_links: onNoPage,
  audit_requests: onNoPage,
  audit_unsealed: onNoPage,
  'audit_entries delete': 'the database refuses it',
  'audit_entries update': 'the database refuses it',
  'bulk_jobs delete': stays,
  call_evidence: withItsCall,
  'call_decisions delete': withItsPatient,
  'call_decisions update': 'nothing updates it',
  caller_tries: onNoPage,
  calling_policies: byTheAudit,
  'calls delete': withItsPatient,
  changes: onNoPage,
  client_keys: byTheAudit,
  clinic_notices: onNoPage,
  'clinics delete': 'nobody is signed in to it then',
  'clinics insert': 'nobody is signed in to it yet',
  crm_settings: byTheAudit,
  'deliveries delete': withItsPatient,
  delivery_attempts: 'written together with its delivery, of which it is told',
  'documents update':
    'its patient or the id of another system: a merge is told of by its patients, the id is on no page',
  duties: onNoPage,
  ehr_times: onNoPage,
  erasures: 'its page asks every second',
  fhir_subscriptions: onNoPage,
  freed_times: onNoPage,
  idempotency_records: onNoPage,
  identity_matches: 'written together with a task or with its call, of which it is told',
  inbound_events: 'written together with its run, of which it is told',
  line_tickets: 'the queue asks every few seconds',
  month_mails: ofAccounts,
  'named_sandboxes insert': byTheAudit,
  observed_exchanges: 'counted in its run, of which it is told',
  outbound_events: 'written together with its deliveries, of which it is told',
  'outreach_pauses delete': stays,
  passkey_challenges: onNoPage,
  passkeys: ofAccounts,
  patient_merges: 'it changes both patients, of whom it is told',
  phone_numbers: byTheAudit,
  reads_by_day: onNoPage,
  receivers:
    'administrators are told of settings by the audit, and how a receiver does is asked every quarter of a minute',
  record_proposals: 'it opens or ends a task, of which it is told',
  'recovery_cases delete': withItsPatient,
  'recovery_cases insert': asItIsDispatched,
  retention: byTheAudit,
  sandbox_assertions: onNoPage,
  'sandbox_clients insert': byTheAudit,
  'sandbox_clients update': 'nothing updates it',
  sandbox_snapshots: byTheAudit,
  sandbox_tokens: onNoPage,
  saved_views: 'shared views are read as a list is opened',
  second_factors: ofAccounts,
  'sessions insert': byTheAudit,
  'sessions update': 'how long it lasts is on no page',
  sign_in_counts: onNoPage,
  single_sign_on: byTheAudit,
  single_sign_on_attempts: onNoPage,
  single_sign_on_domains: byTheAudit,
  single_sign_on_logouts: onNoPage,
  single_sign_on_people: onNoPage,
  'staff_tasks delete': withItsPatient,
  'task_notes delete': withItsTask,
  'task_notes update': 'nothing updates it',
  task_mails: ofAccounts,
  tombstones: onNoPage,
  'tool_calls delete': withItsPatient,
  'tool_calls insert': 'it is told of as it is answered, within seconds',
  'users delete': 'nothing deletes it',
  'users insert': byTheAudit,
  'validation_runs delete': stays,
  verification_attempts: 'written together with its tool call, of which it is told',
  verifications: onNoPage,
  voice_settings: byTheAudit,
  waitlist_offers: 'written together with its entry, of which it is told',
  workflow_messages: onNoPage,
  'workflow_runs delete': withItsPatient,
  'workflow_runs insert': asItIsDispatched,
};

/** Told of within the service, and not on the stream. */
const notStreamed: Record<string, string> = {
  named_sandboxes: 'administrators are told by the audit entry of each change',
  sandbox_clients: 'administrators are told by the audit entry of each change',
  sandbox_clocks: 'administrators are told by the audit entry of each change',
  sessions: 'ends a stream',
  users: 'ends a stream',
};

const by = { actor: 'operator' };
let app: App;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
});
afterAll(() => app.stop());

test('each table of the database is told of, or says why not', async () => {
  const rows = await app.database.sql<{ table: string; untold: string[] | null; isTold: boolean }>`
    select c.relname::text as table, array_agg(e.name order by e.name) filter (where t.bits & e.bit = 0) as untold, t.bits > 0 as "isTold"
    from pg_class c
    cross join (values ('insert', 4), ('delete', 8), ('update', 16)) e (name, bit)
    cross join lateral (
      select coalesce(bit_or(tgtype), 0) as bits from pg_trigger where tgrelid = c.oid and tgfoid = 'note_change'::regproc) t
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    group by c.relname, t.bits`;

  const found = rows.flatMap(({ table, isTold, untold: missing }) =>
    isTold ? (missing ?? []).map((event) => `${table} ${event}`) : [table],
  );
  expect(found.toSorted()).toEqual(Object.keys(untold).toSorted());
  const noted = rows.filter(({ isTold }) => isTold).map(({ table }) => table);
  expect(noted.toSorted()).toEqual([...toldTables.keys(), ...Object.keys(notStreamed)].toSorted());
});

describe('at the front desk an open page is told', () => {
  const aPatient = async (): Promise<string> =>
    (
      await app.request('POST', '/patients', {
        body: { firstName: 'Nora', lastName: 'Told', phone: aPhone() },
        bearer: app.clinic.apiKey,
      })
    ).body.id;

  test('of a patient who is registered, written about, not to be called and called again, held, and gone', async () => {
    const [admin, staff] = [await app.admin(), await app.staff()];
    const stream = await openStream(app.baseUrl, staff);

    const id = await aPatient();
    await stream.change('patients', id);
    await app.request('POST', `/patients/${id}/notes`, { body: { note: 'Prefers the afternoon' }, bearer: admin });
    const document = await stream.change('documents');
    await app.request('POST', `/patients/${id}/opt-outs`, { body: {}, bearer: admin });
    const optOut = await stream.change('opt_outs');
    await app.request('PUT', `/patients/${id}/legal-hold`, { body: { reason: 'A case at court' }, bearer: admin });
    await stream.change('legal_holds', id);
    const { sql } = app.database;
    expect(await sql<{ id: string }>`select id from documents where patient_id = ${id}`).toEqual([{ id: document.id }]);
    expect(await sql<{ id: string }>`select id from opt_outs where id = ${optOut.id}`).toHaveLength(1);

    const told = stream.changes().length;
    await sql`delete from opt_outs where id = ${optOut.id}`;
    await sql`delete from legal_holds where patient_id = ${id}`;
    await sql`delete from patients where id = ${id}`;
    const gone = await eventually(() => stream.changes().length >= told + 4 && stream.changes().slice(told));
    expect(new Set(gone.map(({ table, id: of }) => `${table} ${of}`))).toEqual(
      new Set([`opt_outs ${optOut.id}`, `legal_holds ${id}`, `patients ${id}`, `documents ${document.id}`]),
    );
    stream.close();
  });

  test('of thousands that are written together by one change, and of none that was not', async () => {
    const stream = await openStream(app.baseUrl, await app.staff());
    const { clinicId } = app.clinic;
    const { optOuts } = app.stores;
    const entries = Array.from({ length: 3_000 }, (_, index) => ({
      phone: `+1303555${String(index).padStart(4, '0')}`,
      scope: 'recovery_and_reminders' as const,
      createdAt: null,
    }));

    await optOuts.addMany(clinicId, entries, by);
    await stream.change('opt_outs', '*');
    await optOuts.addMany(clinicId, entries, by);
    await optOuts.addMany(
      clinicId,
      entries.slice(0, 2).map((entry) => ({ ...entry, scope: 'all' as const })),
      by,
    );
    const id = await aPatient();
    await stream.change('patients', id);

    expect(stream.changes().filter(({ table }) => table === 'opt_outs')).toEqual([
      { table: 'opt_outs', id: '*' },
      { table: 'opt_outs', id: '*' },
    ]);
    stream.close();
  });
});
