import type { Signal } from '@clinic/shared/contracts/signals';
import type { Database } from '../client';
import type { Sql } from '../sql';

/** What is stored for a workflow: `id` makes it be said once, however often it is written. */
export type Message = { id: string; clinicId: string; workflowId: string } & Signal;

/** An outbox: what was stored for workflows and not yet sent. A message that was sent is of no further use. */
export interface MessageStores {
  /** Null for a message that is unknown or was sent, or whose workflow has not started: it waits, and the relay sends it. */
  find(id: string): Promise<Message | null>;
  /** Messages whose workflow was started but has not received them, oldest first. */
  unsent(olderThanMs: number, limit: number): Promise<Message[]>;
  markSent(id: string): Promise<void>;
}

export function createMessageStores({ sql }: Database): MessageStores {
  return {
    async find(id) {
      const [message] = await sql<Message>`
        select m.id, m.clinic_id as "clinicId", m.workflow_id as "workflowId", m.signal, m.payload
        from workflow_messages m join workflow_runs r on r.clinic_id = m.clinic_id and r.id = m.workflow_id
        where m.id = ${id} and m.sent_at is null and r.dispatched_at is not null`;
      return message ?? null;
    },

    unsent: (olderThanMs, limit) => sql<Message>`
      select m.id, m.clinic_id as "clinicId", m.workflow_id as "workflowId", m.signal, m.payload
      from workflow_messages m join workflow_runs r on r.clinic_id = m.clinic_id and r.id = m.workflow_id
      where m.sent_at is null and r.dispatched_at is not null
        and m.created_at <= now() - make_interval(secs => ${olderThanMs / 1000})
      order by m.created_at limit ${limit}`,

    async markSent(id) {
      await sql`update workflow_messages set sent_at = now() where id = ${id}`;
    },
  };
}

/** Stores a message for a workflow in the transaction that makes it true. Returns false for one that was stored before. */
export async function tell(tx: Sql, { id, clinicId, workflowId, signal, payload }: Message): Promise<boolean> {
  const [stored] = await tx<{ id: string }>`
    insert into workflow_messages (id, clinic_id, workflow_id, signal, payload)
    values (${id}, ${clinicId}, ${workflowId}, ${signal}, ${JSON.stringify(payload)}::jsonb)
    on conflict (id) do nothing returning id`;
  return stored !== undefined;
}
