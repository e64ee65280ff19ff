import { type RetentionDays, type RetentionKind, retentionKinds } from '@clinic/shared/domain/operations/retention';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { type Actor, audit } from './audit';

/** Counted no further: nobody needs to know. */
const COUNTED = 1_000;
/** A clinic's kind is taken up again, or gone on with, when so much more is due. */
const EVERY_HOURS = 12;
/** Looked through at once; what is emptied already is passed again with each batch. */
const SPAN = '90 days';

export interface RetentionRecord {
  kind: RetentionKind;
  /** What the clinic has chosen; null where the default holds. */
  days: number | null;
  /** Nothing before has contents left; null where nobody has looked yet. */
  purgedUntil: Date | null;
}

/** One kind of one clinic of which something is old enough. */
export interface DuePurge {
  clinicId: string;
  kind: RetentionKind;
  /** Nothing before has contents left; null where nobody has looked yet. */
  from: Date | null;
  until: Date;
}

/** Up to where the contents of a kind were looked through, though some before stay for now; `until` is an instant (ISO, UTC). */
export type PurgePlace = Pick<DuePurge, 'clinicId' | 'kind'> & { until: string };

/** What stands in a tool call for a reply that is no longer kept. */
const PURGED_REPLY = '{"success":false}';

/** Contents by age. The keys by which something is recognised stay. */
export const createRetentionStores = (database: Database) =>
  bound(database, { chosen: chosenDays, choose, countDue, due: dueContents, purge, done, after: dueAfter });

/** What a clinic has chosen, of each kind. */
const chosenDays = ({ sql }: Database, clinicId: string): Promise<RetentionRecord[]> =>
  sql<RetentionRecord>`select kind, days, purged_until as "purgedUntil" from retention where clinic_id = ${clinicId}`;

/** Days by kind; null takes the default again. */
const choose = (
  { transaction }: Database,
  clinicId: string,
  days: Partial<Record<RetentionKind, number | null>>,
  by: Actor,
): Promise<void> =>
  transaction(async (tx) => {
    for (const kind of retentionKinds) {
      const chosen = days[kind];
      if (chosen === undefined) continue;
      await tx`
        insert into retention (clinic_id, kind, days) values (${clinicId}, ${kind}, ${chosen})
        on conflict (clinic_id, kind) do update set days = excluded.days`;
    }
    await audit(tx, by, { clinicId, action: 'retention.change', detail: { ...days } });
  });

/** How much of a clinic's would be purged now, up to a thousand. */
async function countDue({ sql }: Database, clinicId: string, kind: RetentionKind, days: number): Promise<number> {
  const [range] = await sql<{ from: Date | null; until: Date }>`
    select (select purged_until from retention where clinic_id = ${clinicId} and kind = ${kind}) as "from",
      now() - make_interval(days => ${days}) as until`;
  if (!range) return 0;
  const found = await ripe[kind](sql, { clinicId, kind, ...range }, COUNTED);
  return found.length;
}

/** Some of what is to be purged, of all clinics, that which waits longest first; of each some months at a time. */
async function dueContents({ sql }: Database, defaults: RetentionDays, limit: number): Promise<DuePurge[]> {
  const rows = await sql<{ clinicId: string; kind: string; from: Date | null; until: Date }>`
  select c.id as "clinicId", coalesce(k.kind, '') as kind, r.purged_until as "from",
    least(now() - make_interval(days => coalesce(r.days, k.days)), coalesce(r.purged_until, c.created_at) + ${SPAN}::interval) as until
  from clinics c
  cross join unnest(${retentionKinds}::text[], ${retentionKinds.map((kind) => defaults[kind])}::int[]) as k (kind, days)
  left join retention r on r.clinic_id = c.id and r.kind = k.kind
  where coalesce(r.purged_until, c.created_at - interval '1 day')
    < now() - make_interval(days => coalesce(r.days, k.days), hours => ${EVERY_HOURS})
    and coalesce(r.held_back_at < now() - make_interval(hours => ${EVERY_HOURS}), true)
  order by r.purged_until nulls first limit ${limit}`;
  return rows.map(({ kind, ...due }) => ({ ...due, kind: kind as RetentionKind }));
}

/**
 * Takes the contents from at most `limit` rows, and returns how many it looked at. What is under a legal hold, of a run that is open, or
 * still to be sent keeps them: what was so by the time that the rows were locked, too.
 */
const purge = ({ transaction }: Database, due: DuePurge, limit: number): Promise<number> =>
  transaction(async (tx) => {
    const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
    const locked = idsOf(await ripe[due.kind](tx, due, limit));
    if (locked.length === 0) return 0;
    const still = idsOf(await ripe[due.kind](tx, { ...due, among: locked }, limit));
    await empty[due.kind](tx, due.clinicId, still);
    return locked.length;
  });

/**
 * Notes how far a kind is purged, so that nobody looks there again: to the end, or to the oldest that has contents still, whatever kept
 * them; that is looked at again later. True where something stays. What comes `after` it is then due all the same, and nobody notes how
 * far that is.
 */
async function done({ sql }: Database, { clinicId, kind, from, until }: DuePurge): Promise<boolean> {
  const [noted] = await sql<{ isHeldBack: boolean }>`
    with kept as (
      select received_at as at from inbound_events
      where ${kind} = 'inbound_payloads' and clinic_id = ${clinicId} and payload <> '{}'::jsonb
        and received_at >= coalesce(${from}::timestamptz, '-infinity') and received_at < ${until}
      union all
      select started_at from tool_calls
      where ${kind} = 'tool_contents' and clinic_id = ${clinicId}
        and (arguments <> '{}'::jsonb or reply <> ${PURGED_REPLY} or detail <> '{}'::jsonb)
        and started_at >= coalesce(${from}::timestamptz, '-infinity') and started_at < ${until}
      union all
      select created_at from outbound_events
      where ${kind} = 'event_bodies' and clinic_id = ${clinicId} and data <> '{}'::jsonb
        and created_at >= coalesce(${from}::timestamptz, '-infinity') and created_at < ${until}
      union all
      select created_at from workflow_messages
      where ${kind} = 'sent_messages' and clinic_id = ${clinicId} and payload <> '{}'::jsonb
        and created_at >= coalesce(${from}::timestamptz, '-infinity') and created_at < ${until}
      union all
      select created_at from idempotency_records
      where ${kind} = 'stored_answers' and clinic_id = ${clinicId} and body is not null
        and created_at >= coalesce(${from}::timestamptz, '-infinity') and created_at < ${until}
      union all
      select created_at from call_evidence
      where ${kind} = 'call_evidence' and clinic_id = ${clinicId}
        and created_at >= coalesce(${from}::timestamptz, '-infinity') and created_at < ${until}
      union all
      select decided_at from call_decisions
      where ${kind} = 'call_decisions' and clinic_id = ${clinicId}
        and decided_at >= coalesce(${from}::timestamptz, '-infinity') and decided_at < ${until}
      union all
      select at from observed_exchanges
      where ${kind} = 'observed_exchanges' and clinic_id = ${clinicId}
        and at >= coalesce(${from}::timestamptz, '-infinity') and at < ${until}
    )
    insert into retention as r (clinic_id, kind, purged_until, held_back_at)
    select ${clinicId}, ${kind}, least(${until}::timestamptz, min(at)), case when count(*) > 0 then now() end from kept
    on conflict (clinic_id, kind) do update
      set purged_until = greatest(r.purged_until, excluded.purged_until), held_back_at = excluded.held_back_at
    returning held_back_at is not null as "isHeldBack"`;
  return noted?.isHeldBack ?? false;
}

/** The next months of what is old enough; null where nothing is left. */
async function dueAfter(
  { sql }: Database,
  { clinicId, kind, until: from }: PurgePlace,
  defaults: RetentionDays,
): Promise<DuePurge | null> {
  const [span] = await sql<{ from: Date; until: Date }>`
    select s.from, least(s.until, s.from + ${SPAN}::interval) as until
    from (
      select ${from}::timestamptz as from, now() - make_interval(days => coalesce((
        select days from retention where clinic_id = ${clinicId} and kind = ${kind}), ${defaults[kind]}::int)) as until
    ) s
    where s.until > s.from + make_interval(hours => ${EVERY_HOURS})`;
  return span ? { clinicId, kind, ...span } : null;
}

/** Locks what it finds. `among`: only of these. */
type Found = (sql: Sql, due: DuePurge & { among?: string[] }, limit: number) => Promise<{ id: string }[]>;

/** What is old enough and has contents. What a patient under a legal hold is about is left out, and what a run that is open has. */
const ripe: Record<RetentionKind, Found> = {
  inbound_payloads: (sql, { clinicId, from, until, among = null }, limit) => sql<{ id: string }>`
      select e.id from inbound_events e
      where e.clinic_id = ${clinicId} and e.received_at >= coalesce(${from}::timestamptz, '-infinity') and e.received_at < ${until}
        and e.payload <> '{}'::jsonb
        and not exists (
          select 1 from workflow_runs r where r.clinic_id = ${clinicId} and r.id = e.workflow_id and r.status = 'started')
        and not exists (
          select 1 from workflow_runs r where e.event = 'forms.completed' and r.clinic_id = ${clinicId}
            and r.workflow_type = 'abandonment-recovery' and r.session_id = e.dedupe_key and r.status = 'started')
        and not exists (
          select 1 from legal_holds h join workflow_runs r on r.clinic_id = h.clinic_id and r.patient_id = h.patient_id
          where h.clinic_id = ${clinicId} and (r.id = e.workflow_id or (e.event = 'forms.completed' and r.session_id = e.dedupe_key)))
        and (${among}::text[] is null or e.id = any(${among}::text[]))
      limit ${limit} for update of e`,

  tool_contents: (sql, { clinicId, from, until, among = null }, limit) => sql<{ id: string }>`
      select t.id from tool_calls t join calls c on c.clinic_id = t.clinic_id and c.id = t.call_id
      where t.clinic_id = ${clinicId} and t.started_at >= coalesce(${from}::timestamptz, '-infinity') and t.started_at < ${until}
        and (t.arguments <> '{}'::jsonb or t.reply <> ${PURGED_REPLY} or t.detail <> '{}'::jsonb) and c.state = 'ENDED'
        and not exists (
          select 1 from workflow_runs r where r.clinic_id = ${clinicId} and r.id = c.workflow_id and r.status = 'started')
        and not exists (select 1 from legal_holds h where h.clinic_id = ${clinicId} and h.patient_id = c.patient_id)
        and (${among}::text[] is null or t.id = any(${among}::text[]))
      limit ${limit} for update of t`,

  event_bodies: (sql, { clinicId, from, until, among = null }, limit) => sql<{ id: string }>`
      select e.id from outbound_events e
      where e.clinic_id = ${clinicId} and e.created_at >= coalesce(${from}::timestamptz, '-infinity') and e.created_at < ${until}
        and e.data <> '{}'::jsonb
        and not exists (
          select 1 from workflow_runs r where r.clinic_id = ${clinicId} and r.id = e.subject and r.status = 'started')
        and not exists (
          select 1 from recovery_cases k join workflow_runs r on r.clinic_id = k.clinic_id and r.id = k.workflow_id
          where k.clinic_id = ${clinicId} and k.id = e.subject and r.status = 'started')
        and not exists (
          select 1 from deliveries d where d.clinic_id = ${clinicId} and d.event_id = e.id and d.state = 'PENDING'
            and d.next_attempt_at is not null)
        and not exists (
          select 1 from legal_holds h join workflow_runs r on r.clinic_id = h.clinic_id and r.patient_id = h.patient_id
            left join recovery_cases k on k.clinic_id = r.clinic_id and k.workflow_id = r.id
          where h.clinic_id = ${clinicId} and e.subject in (r.id, k.id))
        and not exists (select 1 from legal_holds h where h.clinic_id = ${clinicId} and h.patient_id = e.data ->> 'patientId')
        and (${among}::text[] is null or e.id = any(${among}::text[]))
      limit ${limit} for update of e`,

  sent_messages: (sql, { clinicId, from, until, among = null }, limit) => sql<{ id: string }>`
      select m.id from workflow_messages m join workflow_runs r on r.clinic_id = m.clinic_id and r.id = m.workflow_id
      where m.clinic_id = ${clinicId} and m.created_at >= coalesce(${from}::timestamptz, '-infinity') and m.created_at < ${until}
        and m.payload <> '{}'::jsonb and m.sent_at is not null and r.status <> 'started'
        and not exists (select 1 from legal_holds h where h.clinic_id = ${clinicId} and h.patient_id = r.patient_id)
        and (${among}::text[] is null or m.id = any(${among}::text[]))
      limit ${limit} for update of m`,

  // An answer says not of whom it was; what it says stands in other rows too.
  stored_answers: (sql, { clinicId, from, until, among = null }, limit) => sql<{ id: string }>`
      select coalesce(i.ctid::text, '') as id from idempotency_records i
      where i.clinic_id = ${clinicId} and i.created_at >= coalesce(${from}::timestamptz, '-infinity') and i.created_at < ${until}
        and i.body is not null
        and (${among}::text[] is null or i.ctid::text = any(${among}::text[]))
      limit ${limit} for update of i`,

  call_evidence: (sql, { clinicId, from, until, among = null }, limit) => sql<{ id: string }>`
      select e.call_id as id from call_evidence e join calls c on c.clinic_id = e.clinic_id and c.id = e.call_id
      where e.clinic_id = ${clinicId} and e.created_at >= coalesce(${from}::timestamptz, '-infinity') and e.created_at < ${until}
        and not exists (
          select 1 from workflow_runs r where r.clinic_id = ${clinicId} and r.id = c.workflow_id and r.status = 'started')
        and not exists (select 1 from legal_holds h where h.clinic_id = ${clinicId} and h.patient_id = c.patient_id)
        and (${among}::text[] is null or e.call_id = any(${among}::text[]))
      limit ${limit} for update of e`,

  call_decisions: (sql, { clinicId, from, until, among = null }, limit) => sql<{ id: string }>`
      select d.id from call_decisions d join workflow_runs r on r.clinic_id = d.clinic_id and r.id = d.workflow_id
      where d.clinic_id = ${clinicId} and d.decided_at >= coalesce(${from}::timestamptz, '-infinity') and d.decided_at < ${until}
        and r.status <> 'started'
        and not exists (select 1 from legal_holds h where h.clinic_id = ${clinicId} and h.patient_id = r.patient_id)
        and (${among}::text[] is null or d.id = any(${among}::text[]))
      limit ${limit} for update of d`,

  // While a run has no findings, they are still to be made of its exchanges.
  observed_exchanges: (sql, { clinicId, from, until, among = null }, limit) => sql<{ id: string }>`
      select e.position::text as id from observed_exchanges e join validation_runs r on r.clinic_id = e.clinic_id and r.id = e.run_id
      where e.clinic_id = ${clinicId} and e.at >= coalesce(${from}::timestamptz, '-infinity') and e.at < ${until}
        and r.findings is not null
        and not exists (select 1 from legal_holds h where h.clinic_id = ${clinicId} and h.patient_id = e.patient_id)
        and (${among}::text[] is null or e.position::text = any(${among}::text[]))
      limit ${limit} for update of e`,
};

/** Takes the contents from rows of a clinic. */
const empty: Record<RetentionKind, (tx: Sql, clinicId: string, ids: string[]) => Promise<unknown>> = {
  inbound_payloads: (tx, clinicId, ids) =>
    tx`update inbound_events set payload = '{}' where clinic_id = ${clinicId} and id = any(${ids})`,
  tool_contents: (tx, clinicId, ids) =>
    tx`
      update tool_calls set arguments = '{}', meaning = '', reply = ${PURGED_REPLY}, detail = case when detail is not null then '{}'::jsonb end
      where clinic_id = ${clinicId} and id = any(${ids})`,
  event_bodies: (tx, clinicId, ids) =>
    tx`
      with purged as (
        update outbound_events set data = '{}' where clinic_id = ${clinicId} and id = any(${ids})
      )
      update delivery_attempts a set response = null from deliveries d
      where d.clinic_id = ${clinicId} and d.event_id = any(${ids}) and a.clinic_id = d.clinic_id and a.delivery_id = d.id
        and a.response is not null`,
  sent_messages: (tx, clinicId, ids) =>
    tx`update workflow_messages set payload = '{}' where clinic_id = ${clinicId} and id = any(${ids})`,
  stored_answers: (tx, clinicId, ids) =>
    tx`
      update idempotency_records set body = null, besides = null
      where clinic_id = ${clinicId} and ctid = any(${ids}::tid[])`,
  call_evidence: (tx, clinicId, ids) =>
    tx`delete from call_evidence where clinic_id = ${clinicId} and call_id = any(${ids})`,
  call_decisions: (tx, clinicId, ids) =>
    tx`delete from call_decisions where clinic_id = ${clinicId} and id = any(${ids})`,
  observed_exchanges: (tx, clinicId, ids) =>
    tx`delete from observed_exchanges where clinic_id = ${clinicId} and position = any(${ids}::bigint[])`,
};
