import { newId } from '@clinic/shared/crypto';
import { type WorkflowType, workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { type Cursors, type PageOf, type Position, refusedCursor } from '../cursor';
import { type Message, tell } from './messages';
import { MAX_COUNTED, type Total, totalOf } from '../total';

/** Of those who wait for a line; a lower one goes before. */
export const USUAL_PRIORITY = 2;

/** A run that waits for a line of its clinic. */
export interface Ticket {
  clinicId: string;
  workflowId: string;
  phone: string;
  /** 1 goes before 2. */
  priority: number;
  /** Since when the call has been due, as an instant: first due, first served. */
  dueAt: string;
  notAfter: string | null;
}

/** Who waits for a line of a clinic, in the order in which lines are given. */
export interface LineQueue extends PageOf<WaitingRun> {
  /** As the policy says. */
  lines: number;
  /** Calls under way, and lines that were given to a run that is about to call. */
  inUse: number;
  /** All that wait. */
  waiting: number;
  /** Those that the filter finds. */
  total: Total;
}

export interface QueueFilter {
  /** Due since this instant (ISO, UTC) or later, and since before `until`. */
  from?: string;
  until?: string;
}

export interface WaitingRun {
  workflowId: string;
  workflowType: WorkflowType;
  caseId: string | null;
  patientId: string;
  firstName: string;
  lastName: string;
  priority: number;
  dueAt: Date;
  /** When it got in line. */
  queuedAt: Date;
  notAfter: Date | null;
  /** Its phone is in another call: it is passed over until that is over. */
  isPhoneInCall: boolean;
}

interface Context {
  database: Database;
  cursors: Cursors;
}

export const createLineStores = (database: Database, cursors: Cursors) =>
  bound({ database, cursors }, { standWhilePaused, queue, sweep });

/**
 * Puts a run in line whose outreach is paused: it is granted a line in its turn when outreach goes on, and nobody is told that
 * it does. Where it is not paused any more the run has to decide again.
 */
const standWhilePaused = ({ database: { transaction } }: Context, ticket: Ticket): Promise<'in_line' | 'not_paused'> =>
  transaction(async (tx) => {
    const { clinicId, workflowId } = ticket;
    const [run] = await tx<{ isOpen: boolean; isPaused: boolean }>`
      select status = 'started' as "isOpen", outreach_pause(clinic_id, workflow_type) is not null as "isPaused"
      from workflow_runs where clinic_id = ${clinicId} and id = ${workflowId}`;
    if (run && !run.isPaused) return 'not_paused';
    if (run?.isOpen) await takeTicket(tx, ticket);
    return 'in_line';
  });

async function queue(
  { database: { sql }, cursors }: Context,
  clinicId: string,
  { limit, cursor, ...filter }: QueueFilter & { limit: number; cursor?: string },
): Promise<LineQueue> {
  const { from = null, until = null } = filter;
  const after = placeAt(cursors.decode(cursor, clinicId));
  const [counts] = await sql<{ lines: number; inUse: number; waiting: number; found: number }>`
    select p.max_concurrent_calls as lines,
      (select count(*)::int from calls k where k.clinic_id = p.clinic_id and k.state <> 'ENDED' and not k.is_test)
        + (select count(*)::int from line_tickets t where t.clinic_id = p.clinic_id and t.granted_at is not null) as "inUse",
      (select count(*)::int from line_tickets t where t.clinic_id = p.clinic_id and t.granted_at is null
        and (t.not_after is null or t.not_after > now())) as waiting,
      (select count(*)::int from (
        select from line_tickets t where t.clinic_id = p.clinic_id and t.granted_at is null
          and (t.not_after is null or t.not_after > now()) and t.due_at >= coalesce(${from}::timestamptz, '-infinity')
          and t.due_at < coalesce(${until}::timestamptz, 'infinity')
        limit ${MAX_COUNTED + 1}) f) as found
    from calling_policies p where p.clinic_id = ${clinicId}`;
  // The order is that of grantLines. First the page, then what is told of it: a table without statistics joins slowly.
  const rows = await sql<WaitingRun>`
    with page as materialized (
      select * from line_tickets t
      where t.clinic_id = ${clinicId} and t.granted_at is null and (t.not_after is null or t.not_after > now())
        and t.due_at >= coalesce(${from}::timestamptz, '-infinity') and t.due_at < coalesce(${until}::timestamptz, 'infinity')
        and (${after === null}::boolean or (t.priority, t.due_at, t.created_at, t.workflow_id)
          > (${after?.priority ?? null}::int, ${after?.dueAt ?? null}::timestamptz,
            ${after?.queuedAt ?? null}::timestamptz, ${after?.workflowId ?? null}::text))
      order by t.priority, t.due_at, t.created_at, t.workflow_id limit ${limit + 1}
    )
    select t.workflow_id as "workflowId", r.workflow_type as "workflowType", c.id as "caseId", p.id as "patientId",
      p.first_name as "firstName", p.last_name as "lastName", t.priority, t.due_at as "dueAt",
      t.created_at as "queuedAt", t.not_after as "notAfter",
      exists (select from phones_in_call k where k.clinic_id = t.clinic_id and k.phone = t.phone) as "isPhoneInCall"
    from page t
    join workflow_runs r on r.clinic_id = t.clinic_id and r.id = t.workflow_id
    join patients p on p.clinic_id = r.clinic_id and p.id = r.patient_id
    left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
    order by t.priority, t.due_at, t.created_at, t.workflow_id`;
  const { found, ...now } = counts ?? { lines: 0, inUse: 0, waiting: 0, found: 0 };
  return { ...now, total: totalOf(found), ...cursors.page(clinicId, rows, limit, positionOf) };
}

/**
 * Mends the queues of all clinics: takes back lines that were granted and not used within a minute, and at once those of
 * runs that are paused, which keep their places; and grants what is free, as after a change of the number of lines. Who did not
 * take a line gets none until they ask again. Returns what runs are to be told.
 */
async function sweep({ database: { sql, transaction } }: Context): Promise<Message[]> {
  // Every second, however many wait: what waits is looked through only where a line is free for it, up to the first who gets it.
  const clinics = await sql<{ clinicId: string }>`
    with recursive waiting as (
      (select clinic_id from line_tickets order by clinic_id limit 1)
      union all
      select (select n.clinic_id from line_tickets n where n.clinic_id > w.clinic_id order by n.clinic_id limit 1)
      from waiting w where w.clinic_id is not null
    )
    select p.clinic_id as "clinicId"
    from waiting w join calling_policies p on p.clinic_id = w.clinic_id
    cross join lateral (
      select array(select type from unnest(${workflowTypeNames}::text[]) type
        where outreach_pause(p.clinic_id, type) is not null) as types offset 0) paused
    cross join lateral (
      select count(*) as count, min(granted_at) as oldest from line_tickets
      where clinic_id = p.clinic_id and granted_at is not null offset 0) granted
    where granted.oldest <= now() - interval '1 minute'
      or granted.count > 0 and (
        select true from line_tickets t join workflow_runs r on r.clinic_id = t.clinic_id and r.id = t.workflow_id
        where t.clinic_id = p.clinic_id and t.granted_at is not null and r.workflow_type = any(paused.types) limit 1) is not null
      or not paused.types @> ${workflowTypeNames}::text[]
        and granted.count + (
          select count(*) from calls k
          where k.clinic_id = p.clinic_id and k.state <> 'ENDED' and not k.is_test) < p.max_concurrent_calls
        and (
          select true from line_tickets t
          cross join lateral (select workflow_type from workflow_runs where id = t.workflow_id offset 0) r
          where t.clinic_id = p.clinic_id and t.granted_at is null and (t.not_after is null or t.not_after > now())
            and r.workflow_type <> all(paused.types)
            and not exists (select from phones_in_call b where b.clinic_id = t.clinic_id and b.phone = t.phone)
          limit 1) is not null`;
  const told: Message[] = [];
  for (const { clinicId } of clinics) {
    told.push(
      ...(await transaction(async (tx) => {
        await lockLines(tx, clinicId);
        await tx`
          update line_tickets t set granted_at = null from workflow_runs r
          where t.clinic_id = ${clinicId} and t.granted_at is not null and r.clinic_id = t.clinic_id
            and r.id = t.workflow_id and outreach_pause(r.clinic_id, r.workflow_type) is not null`;
        // Its run knows since when it is due, and where Temporal has lost it, the ticket does.
        await tx`
          update line_tickets set granted_at = null, not_after = now()
          where clinic_id = ${clinicId} and granted_at <= now() - interval '1 minute'`;
        await tx`
          delete from line_tickets where clinic_id = ${clinicId} and exists (
            select 1 from workflow_runs r where r.id = workflow_id and r.status <> 'started')`;
        return grantLines(tx, { clinicId });
      })),
    );
  }
  return told;
}

type Place = Pick<WaitingRun, 'priority' | 'dueAt' | 'queuedAt' | 'workflowId'>;

/** A place in line as a cursor carries it. */
const positionOf = ({ priority, dueAt, queuedAt, workflowId }: Place): Position => ({
  at: dueAt,
  id: `${priority} ${queuedAt.toISOString()} ${workflowId}`,
});

function placeAt(position: Position | null): Place | null {
  if (position === null) return null;
  const [priority = '', queuedAt = '', workflowId] = position.id.split(' ');
  // One that another list of the clinic gave out.
  if (workflowId === undefined) throw refusedCursor();
  return { priority: Number(priority), dueAt: position.at, queuedAt: new Date(queuedAt), workflowId };
}

/** Held until the transaction ends by anyone who counts the lines of a clinic, so that counting and taking are one step. */
export async function lockLines(tx: Sql, clinicId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext(${`calls:${clinicId}`}))`;
}

/**
 * Grants the lines that are free to those who are next, and stores that they are told. A phone that is in a call is passed
 * over, and so is a run whose outreach is paused. The caller holds the lock. `lines` is what the clinic's policy says unless given.
 */
export async function grantLines(tx: Sql, of: { clinicId: string; lines?: number }): Promise<Message[]> {
  const { clinicId, lines = null } = of;
  const granted = await tx<{ workflowId: string }>`
    with next as materialized (
      select t.workflow_id
      from line_tickets t
      -- In the order of the line, until there are enough: a clinic may have a hundred thousand open runs.
      cross join lateral (select status, workflow_type from workflow_runs where id = t.workflow_id offset 0) r
      where t.clinic_id = ${clinicId} and t.granted_at is null and r.status = 'started'
        and (t.not_after is null or t.not_after > clock_timestamp())
        and r.workflow_type not in (
          select type from unnest(${workflowTypeNames}::text[]) type where outreach_pause(${clinicId}, type) is not null)
        and t.phone not in (select k.phone from phones_in_call k where k.clinic_id = ${clinicId})
        and t.phone not in (
          select g.phone from line_tickets g where g.clinic_id = ${clinicId} and g.granted_at is not null)
      order by t.priority, t.due_at, t.created_at, t.workflow_id
      limit (
        select greatest(0, coalesce(${lines}::int, (select max_concurrent_calls from calling_policies where clinic_id = ${clinicId}))
          - (select count(*) from calls where clinic_id = ${clinicId} and state <> 'ENDED' and not is_test)
          - (select count(*) from line_tickets where clinic_id = ${clinicId} and granted_at is not null)))
    )
    update line_tickets u set granted_at = clock_timestamp() from next where u.workflow_id = next.workflow_id
    returning u.workflow_id as "workflowId"`;
  const messages: Message[] = [];
  for (const { workflowId } of granted) {
    const message: Message = { id: `line-freed-${newId()}`, clinicId, workflowId, signal: 'lineFreed', payload: {} };
    if (await tell(tx, message)) messages.push(message);
  }
  return messages;
}

/** What stands between a run and a line. The caller holds the lock. */
export async function lineState(
  tx: Sql,
  { clinicId, workflowId }: { clinicId: string; workflowId: string },
): Promise<LineState> {
  const [state] = await tx<LineState>`
    select (select count(*)::int from calls where clinic_id = ${clinicId} and state <> 'ENDED' and not is_test)
        + count(*) filter (where granted_at is not null and workflow_id <> ${workflowId})::int as used,
      count(*) filter (where granted_at is null and (not_after is null or not_after > now())
        and workflow_id <> ${workflowId})::int as waiting,
      coalesce(bool_or(workflow_id = ${workflowId}), false) as "hasTicket",
      coalesce(bool_or(granted_at is not null and workflow_id = ${workflowId}), false) as "isGranted"
    from line_tickets where clinic_id = ${clinicId}`;
  return state ?? { used: 0, waiting: 0, hasTicket: false, isGranted: false };
}

interface LineState {
  used: number;
  waiting: number;
  /** The run has a place, though it may be over. */
  hasTicket: boolean;
  isGranted: boolean;
}

/** Of tickets as Prisma asks for them: those whose time in line is not over. */
export const stillInLine = () => ({ OR: [{ notAfter: null }, { notAfter: { gt: new Date() } }] });

/** Stands in line, or again in line, at the place that its due time gives. */
export async function takeTicket(tx: Sql, ticket: Ticket): Promise<void> {
  const { clinicId, workflowId, phone, priority, dueAt, notAfter } = ticket;
  await tx`
    insert into line_tickets (clinic_id, workflow_id, phone, priority, due_at, not_after)
    values (${clinicId}, ${workflowId}, ${phone}, ${priority}, ${dueAt}, ${notAfter})
    on conflict (workflow_id) do update set phone = excluded.phone, priority = excluded.priority,
      due_at = excluded.due_at, not_after = excluded.not_after, granted_at = null`;
}

/** Returns since when it was in line; null where it was not. */
export async function dropTicket(tx: Sql, workflowId: string): Promise<Date | null> {
  const [ticket] = await tx<{ queuedAt: Date }>`
    delete from line_tickets where workflow_id = ${workflowId} returning created_at as "queuedAt"`;
  return ticket?.queuedAt ?? null;
}

/** A call has ended: the next in line gets its line. */
export async function freeLine(tx: Sql, clinicId: string): Promise<Message[]> {
  await lockLines(tx, clinicId);
  return grantLines(tx, { clinicId });
}
