import { type CallEnded, type Signal, signalNames } from '@clinic/shared/contracts/outreach/signals';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { condition, type Sql } from '../../sql';

/** What is stored for a workflow: `id` makes it be said once, however often it is written. */
export type Message = { id: string; clinicId: string; workflowId: string } & Signal;

/**
 * An outbox: what was stored for workflows and not yet sent. A message that was sent is of no further use. A signal that only a
 * newer release knows is left to its processes.
 */
export const createMessageStores = (database: Database) => bound(database, { find, unsent, markSent, tellOfRules });

/**
 * A workflow can be told once it was started. A run that has ended need not be known as started: its process may have died, or be
 * frozen, between Temporal's answer and the note of it, and its workflow may wait for this.
 */
const canBeTold = condition`(r.dispatched_at is not null or r.status <> 'started')`;

/** Null for a message that is unknown or was sent, or whose workflow has not started: it waits, and the relay sends it. */
async function find({ sql }: Database, id: string): Promise<Message | null> {
  const [message] = await sql<Message>`
    select m.id, m.clinic_id as "clinicId", m.workflow_id as "workflowId", m.signal, m.payload
    from workflow_messages m join workflow_runs r on r.clinic_id = m.clinic_id and r.id = m.workflow_id
    where m.id = ${id} and m.signal = any(${signalNames}) and m.sent_at is null and ${canBeTold}`;
  return message ?? null;
}

/** Messages whose workflow was started but has not received them, oldest first; the clinics take turns. */
const unsent = ({ sql }: Database, olderThanMs: number, limit: number): Promise<Message[]> => sql<Message>`
  with recursive waiting as (
    (select clinic_id from workflow_messages where sent_at is null order by clinic_id limit 1)
    union all
    select (select n.clinic_id from workflow_messages n where n.sent_at is null and n.clinic_id > w.clinic_id
      order by n.clinic_id limit 1)
    from waiting w where w.clinic_id is not null
  )
  select m.id, m.clinic_id as "clinicId", m.workflow_id as "workflowId", m.signal, m.payload
  from waiting w cross join lateral (
    select u.id, u.clinic_id, u.workflow_id, u.signal, u.payload, u.created_at,
      row_number() over (order by u.created_at) as turn
    from workflow_messages u join workflow_runs r on r.clinic_id = u.clinic_id and r.id = u.workflow_id
    where u.clinic_id = w.clinic_id and u.sent_at is null and u.signal = any(${signalNames}) and ${canBeTold}
      and u.created_at <= now() - make_interval(secs => ${olderThanMs / 1000})
    order by u.created_at limit ${limit}
  ) m
  order by m.turn, m.created_at limit ${limit}`;

async function markSent({ sql }: Database, id: string): Promise<void> {
  await sql`update workflow_messages set sent_at = now() where id = ${id}`;
}

/** Clinics whose runs are told in one step; those that have come less far go first. */
const CLINICS_AT_ONCE = 20;

/**
 * Tells the next open runs of each clinic whose rules for calls have changed (`wake_for_policy`), `limit` at most. Returns how many in all:
 * none once every run has been told. A clinic may have hundreds of thousands, more than the change itself could wait for.
 */
async function tellOfRules({ sql }: Database, limit: number): Promise<number> {
  const clinics = await sql<{ told: number }>`
    with changed as (
      select clinic_id, told_up_to from calling_policies where told_up_to is not null
      order by told_up_to limit ${CLINICS_AT_ONCE} for update skip locked
    ), told as (
      insert into workflow_messages (id, clinic_id, workflow_id, signal, payload)
      select 'policy-' || gen_random_uuid()::text, r.clinic_id, r.id, 'rulesChanged', '{}'::jsonb
      from changed c cross join lateral (
        select clinic_id, id from workflow_runs
        where clinic_id = c.clinic_id and status = 'started' and id > c.told_up_to order by id limit ${limit}
      ) r
      returning clinic_id, workflow_id
    )
    update calling_policies p set told_up_to = (select max(workflow_id) from told t where t.clinic_id = p.clinic_id)
    from changed c where p.clinic_id = c.clinic_id
    returning (select count(*)::int from told t where t.clinic_id = p.clinic_id) as told`;
  return clinics.reduce((sum, { told }) => sum + told, 0);
}

/** Stores a message for a workflow in the transaction that makes it true. Returns false for one that was stored before. */
export async function tell(tx: Sql, { id, clinicId, workflowId, signal, payload }: Message): Promise<boolean> {
  const [stored] = await tx<{ id: string }>`
    insert into workflow_messages (id, clinic_id, workflow_id, signal, payload)
    values (${id}, ${clinicId}, ${workflowId}, ${signal}, ${JSON.stringify(payload)}::jsonb)
    on conflict (id) do nothing returning id`;
  return stored !== undefined;
}

/** The message that a call of a workflow is over. */
export function endOfCall({
  callId,
  clinicId,
  workflowId,
  reason,
  wasAnswered,
  isTest,
  endedAt,
}: CallEnded & { clinicId: string; workflowId: string }): Message {
  return {
    id: `call-ended-${callId}`,
    clinicId,
    workflowId,
    signal: 'callEnded',
    payload: { callId, reason, isTest, wasAnswered, endedAt },
  };
}
