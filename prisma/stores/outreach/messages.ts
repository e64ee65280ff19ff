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
export const createMessageStores = (database: Database) => bound(database, { find, unsent, markSent });

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
