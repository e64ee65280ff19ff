import type { Database } from '../client';

/** Something a workflow must hear: `id` says it once, `signal` is the workflow's signal. */
export interface Message {
  id: string;
  clinicId: string;
  workflowId: string;
  signal: string;
  payload: unknown;
}

export interface MessageStores {
  find(id: string): Promise<Message | null>;
  /** Messages whose workflow was started but has not heard them, oldest first. */
  unsent(olderThanMs: number, limit: number): Promise<Message[]>;
  markSent(id: string): Promise<void>;
}

export function createMessageStores({ sql }: Database): MessageStores {
  return {
    async find(id) {
      const [message] = await sql<Message>`
        select id, clinic_id as "clinicId", workflow_id as "workflowId", signal, payload
        from workflow_messages where id = ${id} and sent_at is null`;
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
