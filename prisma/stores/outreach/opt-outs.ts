import { newId } from '@clinic/shared/crypto';
import type { AllowReason, OptOutScope, OptOutSource } from '@clinic/shared/domain/outreach/opt-out';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { OptOut } from '../../generated/client';
import type { Sql } from '../../sql';
import { type Actor, audit } from '../operations/audit';
import { type Cursors, olderThan, type PageOf } from '../cursor';

export type OptOutRecord = OptOut;
export type ListedOptOut = OptOut & { patients: { id: string; firstName: string; lastName: string }[] };

/** More of a name than anybody looks through. */
const MAX_FOUND = 500;

export interface OptOutAbout {
  scope?: OptOutScope | undefined;
  source?: OptOutSource;
}

export interface OptOutOfCall {
  clinicId: string;
  callId: string;
  scope: OptOutScope;
  source: Extract<OptOutSource, 'tool' | 'analysis'>;
}

export interface ImportedOptOut {
  phone: string;
  scope: OptOutScope;
  /** An instant. */
  createdAt: string | null;
}

interface Context {
  database: Database;
  cursors: Cursors;
}

export const createOptOutStores = (database: Database, cursors: Cursors) =>
  bound({ database, cursors }, { list, add, addFromCall, addMany, wouldAdd, remove, lift });

async function list(
  { database: { prisma, sql }, cursors }: Context,
  clinicId: string,
  { phone, search, limit, cursor }: { phone?: string; search?: string; limit: number; cursor?: string },
): Promise<PageOf<ListedOptOut>> {
  const rows = await prisma.optOut.findMany({
    where: {
      clinicId,
      phone,
      AND: [
        search === undefined ? {} : { OR: await meantBy(sql, clinicId, search) },
        olderThan('createdAt', cursors.decode(cursor, clinicId)),
      ],
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  const page = cursors.page(clinicId, rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
  const people = await withNumbers(sql, clinicId, page.items);
  const patientsOf = (number: string) => people.flatMap(({ phone: of, ...person }) => (of === number ? [person] : []));
  return { ...page, items: page.items.map((row) => ({ ...row, patients: patientsOf(row.phone) })) };
}

/** Numbers that hold what was typed, and those of patients whom it finds. */
async function meantBy(sql: Sql, clinicId: string, search: string) {
  const found = await sql<{ phone: string }>`
    select distinct coalesce(p.phone, '') as phone
    from patients_matching(${clinicId}, search_patterns(${search}), ${MAX_FOUND}) m(id)
    join patients p on p.clinic_id = ${clinicId} and p.id = m.id
    where p.phone is not null`;
  const digits = search.replaceAll(/\D/g, '');
  const byName = { phone: { in: found.map(({ phone }) => phone) } };
  return digits.length < 3 ? [byName] : [byName, { phone: { contains: digits } }];
}

/** Who has these numbers, at most ten of each. */
const withNumbers = (sql: Sql, clinicId: string, rows: readonly Pick<OptOut, 'phone'>[]) =>
  sql<{ phone: string; id: string; firstName: string; lastName: string }>`
    select coalesce(phones.phone, '') as phone, p.id, p.first_name as "firstName", p.last_name as "lastName"
    from unnest(${rows.map(({ phone }) => phone)}::text[]) phones(phone)
    cross join lateral (
      select distinct kept.id, kept.first_name, kept.last_name
      from patients named
      join patients kept on kept.clinic_id = named.clinic_id and kept.id = coalesce(named.replaced_by, named.id)
      where named.clinic_id = ${clinicId} and named.phone = phones.phone order by kept.id limit 10
    ) p`;

/** By whom an opt-out of a phone is found in the audit. */
const idsOf = async (sql: Sql, clinicId: string, phone: string): Promise<string[]> => [
  ...new Set((await withNumbers(sql, clinicId, [{ phone }])).map(({ id }) => id)),
];

/** Never calls this phone again, for what the scope says. One that is on the list stays on it, and its scope only widens. */
async function add(
  { database: { transaction, prisma } }: Context,
  clinicId: string,
  phone: string,
  by?: Actor,
  { scope = 'all', source = 'staff' }: OptOutAbout = {},
): Promise<OptOutRecord> {
  await transaction(async (tx) => {
    const [added] = await tx<{ id: string }>`
      insert into opt_outs (id, clinic_id, phone, scope, source, added_by)
      values (${newId()}, ${clinicId}, ${phone}, ${scope}, ${source}, ${by?.actor ?? 'system'})
      on conflict (clinic_id, phone) do update set scope = 'all'
        where opt_outs.scope <> 'all' and excluded.scope = 'all'
      returning id`;
    if (!added) return;
    const subjects = await idsOf(tx, clinicId, phone);
    await audit(tx, by, { clinicId, action: 'opt-out.add', subject: added.id, subjects });
    await wakeRunsOf(tx, { clinicId, phones: [phone], cause: `${added.id}-${scope}` });
  });
  return prisma.optOut.findUniqueOrThrow({ where: { clinicId_phone: { clinicId, phone } } });
}

/** The same for what a patient said in a call: the phone of the call, and the one that is on file for its patient. */
const addFromCall = ({ database: { sql } }: Context, call: OptOutOfCall): Promise<{ phones: number }> =>
  optOutOfCall(sql, call);

/** The same for a list of phones, each once; `createdAt` is when it was told, now unless given. */
const addMany = (
  { database: { transaction } }: Context,
  clinicId: string,
  entries: ImportedOptOut[],
  by: Actor,
): Promise<{ added: number; widened: number }> =>
  transaction(async (tx) => {
    const ofEach = JSON.stringify(entries);
    const changed = await tx<{ id: string; phone: string; isNew: boolean }>`
      insert into opt_outs (id, clinic_id, phone, scope, source, added_by, created_at)
      select gen_random_uuid()::text, ${clinicId}, e.phone, e.scope, 'import', ${by.actor}, coalesce(e."createdAt", now())
      from jsonb_to_recordset(${ofEach}::jsonb) as e(phone text, scope text, "createdAt" timestamptz)
      on conflict (clinic_id, phone) do update set scope = 'all'
        where opt_outs.scope <> 'all' and excluded.scope = 'all'
      returning id, phone, coalesce(xmax = 0, false) as "isNew"`;
    if (changed.length === 0) return { added: 0, widened: 0 };
    const added = changed.filter(({ isNew }) => isNew).length;
    const widened = changed.length - added;
    await audit(tx, by, { clinicId, action: 'opt-out.import', detail: { added, widened } });
    await wakeRunsOf(tx, { clinicId, phones: changed.map(({ phone }) => phone), cause: newId() });
    return { added, widened };
  });

/** What `addMany` would come to now. */
async function wouldAdd(
  { database: { sql } }: Context,
  clinicId: string,
  entries: ImportedOptOut[],
): Promise<{ added: number; widened: number }> {
  const [counted] = await sql<{ added: number; widened: number }>`
    select count(*) filter (where o.id is null)::int as added,
      count(*) filter (where o.scope <> 'all' and e.scope = 'all')::int as widened
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as e(phone text, scope text)
    left join opt_outs o on o.clinic_id = ${clinicId} and o.phone = e.phone`;
  return counted ?? { added: 0, widened: 0 };
}

/** False when the clinic has no such entry. */
const remove = (
  { database: { transaction } }: Context,
  clinicId: string,
  { id, reason }: { id: string; reason?: AllowReason },
  by?: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    const [removed] = await tx<{ phone: string }>`
      delete from opt_outs where clinic_id = ${clinicId} and id = ${id} returning phone`;
    if (!removed) return false;
    const subjects = await idsOf(tx, clinicId, removed.phone);
    await audit(tx, by, { clinicId, action: 'opt-out.remove', subject: id, subjects, detail: reason && { reason } });
    return true;
  });

/** The same for the phone on file of a patient, with the reason in the audit. False where it is not on the list. */
const lift = (
  { database: { transaction } }: Context,
  { clinicId, patientId, reason }: { clinicId: string; patientId: string; reason: AllowReason },
  by: Actor,
): Promise<boolean> =>
  transaction(async (tx) => {
    const [lifted] = await tx<{ id: string; phone: string }>`
      delete from opt_outs o using patients p
      where p.clinic_id = ${clinicId} and p.id = ${patientId} and o.clinic_id = p.clinic_id and o.phone = p.phone
      returning o.id, o.phone`;
    if (lifted) {
      // Whoever else has the number may be called again, too.
      const subjects = await idsOf(tx, clinicId, lifted.phone);
      const detail = { patientId, reason };
      await audit(tx, by, { clinicId, action: 'opt-out.remove', subject: lifted.id, subjects, detail });
    }
    return lifted !== undefined;
  });

/** Runs that wait to call one of these phones decide again, and so end at once. The cause names the scope: widened, it is another. */
export async function wakeRunsOf(
  tx: Sql,
  { clinicId, phones, cause }: { clinicId: string; phones: string[]; cause: string },
): Promise<void> {
  await tx`
    insert into workflow_messages (id, clinic_id, workflow_id, signal, payload)
    select ${`opted-out-${cause}-`}::text || r.id, r.clinic_id, r.id, 'rulesChanged', '{}'::jsonb
    from patients p join workflow_runs r on r.clinic_id = p.clinic_id and r.patient_id = p.id
    where p.clinic_id = ${clinicId} and p.phone = any(${phones}) and r.status = 'started'
    on conflict (id) do nothing`;
}

/** What a patient said in a call, in the transaction that hears it. */
export async function optOutOfCall(
  tx: Sql,
  { clinicId, callId, scope, source }: OptOutOfCall,
): Promise<{ phones: number }> {
  // One statement, because the caller waits for the agent's answer.
  const [row] = await tx<{ phones: number }>`
    with phones as (
      select k.phone from calls k where k.clinic_id = ${clinicId} and k.id = ${callId} and k.phone is not null
      union
      select p.phone from calls k join patients p on p.clinic_id = k.clinic_id and p.id = k.patient_id
      where k.clinic_id = ${clinicId} and k.id = ${callId} and p.phone is not null
    ), added as (
      insert into opt_outs (id, clinic_id, phone, scope, source, added_by)
      select gen_random_uuid()::text, ${clinicId}, phone, ${scope}, ${source}, ${`call:${callId}`} from phones
      on conflict (clinic_id, phone) do update set scope = 'all'
        where opt_outs.scope <> 'all' and excluded.scope = 'all'
      returning id, phone, scope
    ), recorded as (
      insert into audit_entries (id, clinic_id, actor, action, subject, subjects, detail)
      select gen_random_uuid()::text, ${clinicId}, ${`call:${callId}`}, 'opt-out.add', id,
        array(select k.patient_id from calls k where k.clinic_id = ${clinicId} and k.id = ${callId} and k.patient_id is not null),
        jsonb_build_object('source', ${source}::text, 'scope', ${scope}::text) from added
    ), woken as (
      insert into workflow_messages (id, clinic_id, workflow_id, signal, payload)
      select 'opted-out-' || added.id || '-' || added.scope || '-' || r.id, r.clinic_id, r.id, 'rulesChanged', '{}'::jsonb
      from added
      join patients p on p.clinic_id = ${clinicId} and p.phone = added.phone
      join workflow_runs r on r.clinic_id = p.clinic_id and r.patient_id = p.id and r.status = 'started'
      on conflict (id) do nothing
    )
    select count(*)::int as phones from phones`;
  return { phones: row?.phones ?? 0 };
}
