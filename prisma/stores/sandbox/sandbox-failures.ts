import type { SandboxFailureCode, SandboxOperation } from '@clinic/shared/domain/sandbox/sandbox-failures';
import { newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Agendas } from '../calendar/agendas';
import { type Actor, audit } from '../operations/audit';

export interface SandboxFailureRecord {
  id: string;
  failure: SandboxFailureCode;
  operation: SandboxOperation | null;
  identifier: string | null;
  parameters: Record<string, number>;
  times: number;
  played: number;
  createdAt: Date;
  endsAt: Date;
}

/** Whom a request of the sandbox is about, as far as it says so itself. */
export interface RequestSubject {
  identifier?: string;
  patientId?: string;
  appointmentId?: string;
}

/** So many may wait at once, and so many are listed. */
export const MAX_FAILURES = 50;

interface Context {
  database: Database;
  agendas: Agendas;
}

export const createSandboxFailureStores = (database: Database, agendas: Agendas) =>
  bound({ database, agendas }, { list, choose, remove, claim });

const forget = ({ agendas }: Context, clinicId: string) =>
  agendas.forget({ table: 'sandbox_failures', clinicId, id: '*' });

/** The newest first, those that have ended too. */
async function list({ database: { sql } }: Context, clinicId: string): Promise<SandboxFailureRecord[]> {
  const rows = await sql<Stored>`
    select id, failure, operation, identifier, parameters, times, played, created_at as "createdAt", ends_at as "endsAt"
    from sandbox_failures where clinic_id = ${clinicId} order by created_at desc, id desc limit ${MAX_FAILURES}`;
  return rows.map(toRecord);
}

async function choose(
  context: Context,
  {
    clinicId,
    failure,
    operation,
    identifier,
    parameters,
    times,
    endsAt,
  }: Pick<SandboxFailureRecord, 'failure' | 'operation' | 'identifier' | 'parameters' | 'times' | 'endsAt'> & {
    clinicId: string;
  },
  by?: Actor,
): Promise<{ kind: 'chosen'; failure: SandboxFailureRecord } | { kind: 'too_many' }> {
  const { transaction } = context.database;
  const chosen = await transaction(async (tx) => {
    await tx`select id from clinics where id = ${clinicId} for no key update`;
    const [open] = await tx<{ count: number }>`
      select count(*)::int as count from sandbox_failures where clinic_id = ${clinicId} and played < times and ends_at > now()`;
    if ((open?.count ?? 0) >= MAX_FAILURES) return null;
    // Those that have ended are shown for as long as there is room.
    await tx`
      delete from sandbox_failures where clinic_id = ${clinicId} and (played = times or ends_at <= now()) and id in (
        select id from sandbox_failures where clinic_id = ${clinicId}
        order by created_at desc, id desc offset ${MAX_FAILURES - 1})`;
    const [made] = await tx<Stored>`
      insert into sandbox_failures (id, clinic_id, failure, operation, identifier, parameters, times, ends_at)
      values (${newId()}, ${clinicId}, ${failure}, ${operation}, ${identifier}, ${JSON.stringify(parameters)}::jsonb,
        ${times}, ${endsAt})
      returning id, failure, operation, identifier, parameters, times, played, created_at as "createdAt", ends_at as "endsAt"`;
    if (!made) throw new Error('an insert returns its row');
    const detail = { failure, operation, times };
    await audit(tx, by, { clinicId, action: 'sandbox.failure.choose', subject: made.id, detail });
    return made;
  });
  forget(context, clinicId);
  return chosen ? { kind: 'chosen', failure: toRecord(chosen) } : { kind: 'too_many' };
}

/** Takes one back, or all of them (`id` left out); returns how many there were. */
async function remove(context: Context, clinicId: string, id: string | null, by?: Actor): Promise<number> {
  const { transaction } = context.database;
  const removed = await transaction(async (tx) => {
    const gone = await tx<{ id: string }>`
      delete from sandbox_failures where clinic_id = ${clinicId} and (${id}::text is null or id = ${id}) returning id`;
    if (gone.length > 0) {
      const subject = id ?? undefined;
      await audit(tx, by, { clinicId, action: 'sandbox.failure.remove', subject, detail: { count: gone.length } });
    }
    return gone.length;
  });
  forget(context, clinicId);
  return removed;
}

/** Uses a failure up by one for a request about `subject`; false where it has ended, or is about somebody else. */
async function claim(
  { database: { sql } }: Context,
  { clinicId, id, subject }: { clinicId: string; id: string; subject: RequestSubject },
): Promise<boolean> {
  const { identifier = null, patientId = null, appointmentId = null } = subject;
  const claimed = await sql`
    update sandbox_failures f set played = played + 1
    where clinic_id = ${clinicId} and id = ${id} and played < times and ends_at > now() and (f.identifier is null
      or f.identifier = ${identifier}
      or exists (
        select from patients p where p.clinic_id = ${clinicId} and p.identifier = f.identifier and (p.id = ${patientId}
          or p.id = (select a.patient_id from appointments a where a.clinic_id = ${clinicId} and a.id = ${appointmentId}))))
    returning id`;
  return claimed.length > 0;
}

interface Stored extends Omit<SandboxFailureRecord, 'failure' | 'operation'> {
  failure: string;
  operation: string | null;
}

/** The words are those that `choose` was given. */
const toRecord = ({ failure, operation, ...row }: Stored): SandboxFailureRecord => ({
  ...row,
  failure: failure as SandboxFailureCode,
  operation: operation as SandboxOperation | null,
});
