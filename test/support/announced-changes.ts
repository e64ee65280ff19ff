import type { App } from './app';

/** Which rows of a table, as `r`, are of the clinic $1, where they do not say so by `clinic_id`. None are of who listens: an administrator. */
const ofClinic: Record<string, string> = {
  clinics: 'r.id = $1',
  named_sandboxes: 'r.parent_id = $1',
  sessions: `r.user_id in (select id from users where clinic_id = $1 and role <> 'admin')`,
  users: `r.clinic_id = $1 and r.role <> 'admin'`,
};

/** A column whose change is announced, where `clinic_id` is none. */
const announcedBy: Record<string, string> = { clinics: 'id', viewers: 'is_editing' };

/** Changes a row of a clinic, adds one or removes one in every table whose changes are announced. Returns the tables. */
export async function changeInEveryTable({ database }: App, clinicId: string): Promise<string[]> {
  const announced = await database.sql<{ name: string; hasUpdate: boolean; hasInsert: boolean }>`
    select c.relname::text as name, bool_or(t.tgtype & 16 <> 0) as "hasUpdate", bool_or(t.tgtype & 4 <> 0) as "hasInsert"
    from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgfoid = 'note_change'::regproc group by c.relname`;
  for (const { name, hasUpdate, hasInsert } of announced) {
    const rows = `from ${name} r where ${ofClinic[name] ?? 'r.clinic_id = $1'} limit 1`;
    const column = announcedBy[name] ?? 'clinic_id';
    const statement = hasUpdate
      ? `update ${name} set ${column} = ${column} where ctid = (select r.ctid ${rows})`
      : hasInsert
        ? `insert into ${name} select (jsonb_populate_record(null::${name}, to_jsonb(r) ||
             jsonb_build_object('id', gen_random_uuid()::text, 'route', null, 'call_id', null))).* ${rows}`
        : `delete from ${name} where ctid = (select r.ctid ${rows})`;
    const changed = await database.prisma.$executeRawUnsafe(statement, clinicId);
    // A table that was never filled would prove nothing.
    if (changed !== 1) throw new Error(`the clinic has no row in ${name}`);
  }
  return announced.map(({ name }) => name);
}
