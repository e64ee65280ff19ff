import { Pool, types } from 'pg';
import type { AppointmentRow, CallRow, CaseRow, DeliveryRow, EventRow, Reversal, RunRow } from './evidence';

export interface ScenarioRecords {
  runs: RunRow[];
  cases: CaseRow[];
  events: EventRow[];
  deliveries: DeliveryRow[];
  calls: CallRow[];
  appointments: AppointmentRow[];
}

/** What has not come to its end yet. */
export interface Backlog {
  runs: number;
  cases: number;
  calls: number;
  deliveries: number;
}

/** A run that has not ended. */
export interface OpenRun {
  id: string;
  startedAt: string;
}

/** The service's records, read by plain SQL over a connection that no proxy disturbs. All SQL of the suite is here. */
export interface Records {
  /** Everything that belongs to sessions whose id begins with the prefix, and the appointments with these ids. */
  read(prefix: string, slots: readonly { clinicId: string; startsAt: string }[]): Promise<ScenarioRecords>;
  backlog(prefix: string): Promise<Backlog>;
  openRuns(prefix: string): Promise<OpenRun[]>;
  /** The runs that have come to their end. */
  endedRuns(prefix: string): Promise<string[]>;
  /** The runs that staff have a task about. */
  runsWithTask(prefix: string): Promise<string[]>;
  /** How many runs are in which phase of their way. */
  phases(prefix: string): Promise<Map<string, number>>;
  /** Notes what is final by now, and returns what was final before and is not any more. */
  reversals(prefix: string): Promise<Reversal[]>;
  /** After a restore: what was final before need not be any more. */
  forgetFinals(): void;
  /** How old each event of a clinic was when it was delivered, or is now where it still waits. */
  deliverySeconds(prefix: string, clinicId: string): Promise<number[]>;
  /** Keeps everybody else from writing inbound events for so long. */
  blockInbox(seconds: number): Promise<void>;
  close(): Promise<void>;
}

export function openRecords(url: string): Records {
  types.setTypeParser(types.builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString());
  const pool = new Pool({ connectionString: url, max: 3, connectionTimeoutMillis: 5_000, statement_timeout: 60_000 });
  pool.on('error', () => undefined);
  const final = new Map<string, string>();
  const query = async <T>(sql: string, values: unknown[]): Promise<T[]> => {
    const client = await pool.connect();
    // A connection that breaks while it is ours must not end the suite.
    const broken = () => undefined;
    client.on('error', broken);
    try {
      const { rows } = await client.query(sql, values);
      client.removeListener('error', broken);
      client.release();
      return rows as T[];
    } catch (error) {
      client.release(true);
      throw error;
    }
  };

  return {
    async read(prefix, slots) {
      const like = [`${prefix}%`];
      const runs = await query<RunRow>(
        `select id, clinic_id as "clinicId", session_id as "sessionId", workflow_type as "workflowType", status, outcome,
           dispatched_at is not null as "isDispatched"
         from workflow_runs where session_id like $1`,
        like,
      );
      const cases = await query<CaseRow>(
        `select id, clinic_id as "clinicId", session_id as "sessionId", workflow_id as "workflowId", status,
           ended_at is not null as "isEnded"
         from recovery_cases where session_id like $1`,
        like,
      );
      const events = await query<EventRow>(
        `select id, clinic_id as "clinicId", event, subject, data->>'recoveryStatus' as "recoveryStatus"
         from outbound_events where data->>'sessionId' like $1`,
        like,
      );
      const deliveries = await query<DeliveryRow>(
        `select d.id, d.clinic_id as "clinicId", d.event_id as "eventId", d.state
         from deliveries d join outbound_events e on e.id = d.event_id where e.data->>'sessionId' like $1`,
        like,
      );
      const calls = await query<CallRow>(
        `select c.id, c.clinic_id as "clinicId", c.workflow_id as "workflowId", c.attempt, c.state,
           c.ended_reason as "endedReason"
         from calls c join workflow_runs r on r.id = c.workflow_id where r.session_id like $1 and not c.is_test`,
        like,
      );
      const appointments = await query<AppointmentRow>(
        `select a.id, a.clinic_id as "clinicId", p.name as "providerName", a.starts_at as "startsAt", a.ends_at as "endsAt",
           a.status
         from appointments a join providers p on p.id = a.provider_id
         where (a.clinic_id, a.starts_at) in (select * from unnest($1::text[], $2::timestamptz[]))`,
        [slots.map(({ clinicId }) => clinicId), slots.map(({ startsAt }) => startsAt)],
      );
      return { runs, cases, events, deliveries, calls, appointments };
    },

    async backlog(prefix) {
      const [row] = await query<Backlog>(
        `select
           (select count(*)::int from workflow_runs where session_id like $1 and status = 'started') as runs,
           (select count(*)::int from recovery_cases where session_id like $1 and ended_at is null) as cases,
           (select count(*)::int from calls c join workflow_runs r on r.id = c.workflow_id
            where r.session_id like $1 and c.state <> 'ENDED' and not c.is_test) as calls,
           (select count(*)::int from deliveries d join outbound_events e on e.id = d.event_id
            where e.data->>'sessionId' like $1 and d.state = 'PENDING') as deliveries`,
        [`${prefix}%`],
      );
      return row!;
    },

    openRuns: (prefix) =>
      query<OpenRun>(
        `select id, started_at as "startedAt" from workflow_runs where session_id like $1 and status = 'started'`,
        [`${prefix}%`],
      ),

    async endedRuns(prefix) {
      const rows = await query<{ id: string }>(
        `select id from workflow_runs where session_id like $1 and status = 'completed'`,
        [`${prefix}%`],
      );
      return rows.map(({ id }) => id);
    },

    async runsWithTask(prefix) {
      const rows = await query<{ id: string }>(
        `select distinct r.id from workflow_runs r join staff_tasks t on t.workflow_id = r.id where r.session_id like $1`,
        [`${prefix}%`],
      );
      return rows.map(({ id }) => id);
    },

    async phases(prefix) {
      const rows = await query<{ phase: string; runs: number }>(
        `select case
            when r.status <> 'started' and undelivered.id is not null then 'ended, not told'
            when r.status <> 'started' then 'ended'
            when r.dispatched_at is null then 'accepted only'
            when t.workflow_id is not null and outreach_pause(r.clinic_id, r.workflow_type) is null then 'in line'
            when k.id is null and outreach_pause(r.clinic_id, r.workflow_type) is not null then 'paused'
            when k.id is null then 'before the first call'
            when k.state = 'ENDED' then 'between calls'
            when k.platform_call_id is null then 'dialling'
            when k.state = 'IN_PROGRESS' and tool.id is not null then 'in a tool'
            when k.state = 'IN_PROGRESS' then 'talking'
            else 'ringing' end as phase,
          count(*)::int as runs
        from workflow_runs r
        left join line_tickets t on t.workflow_id = r.id
        left join lateral (
          select id, state, platform_call_id from calls where workflow_id = r.id and not is_test order by dial desc limit 1
        ) k on true
        left join lateral (select id from tool_calls where call_id = k.id limit 1) tool on true
        left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
        left join lateral (
          select d.id from outbound_events e join deliveries d on d.event_id = e.id
          where e.clinic_id = r.clinic_id and e.subject = c.id and d.state = 'PENDING' limit 1
        ) undelivered on true
        where r.session_id like $1 group by 1 order by 1`,
        [`${prefix}%`],
      );
      return new Map(rows.map(({ phase, runs }) => [phase, runs]));
    },

    async reversals(prefix) {
      const rows = await query<{ record: string; id: string; state: string; isFinal: boolean }>(
        `select 'case' as record, id, status as state, ended_at is not null as "isFinal"
         from recovery_cases where session_id like $1
         union all
         select 'run', id, status, status <> 'started' from workflow_runs where session_id like $1
         union all
         select 'call', c.id, c.state, c.state = 'ENDED'
         from calls c join workflow_runs r on r.id = c.workflow_id where r.session_id like $1
         union all
         select 'delivery', d.id, d.state, d.state = 'DELIVERED'
         from deliveries d join outbound_events e on e.id = d.event_id where e.data->>'sessionId' like $1`,
        [`${prefix}%`],
      );
      const reversals: Reversal[] = [];
      for (const { record, id, state, isFinal } of rows) {
        const before = final.get(`${record} ${id}`);
        if (before !== undefined && before !== state) {
          reversals.push({ record, id, from: before, to: state });
          final.delete(`${record} ${id}`);
        }
        if (isFinal) final.set(`${record} ${id}`, state);
      }
      return reversals;
    },

    forgetFinals: () => final.clear(),

    async deliverySeconds(prefix, clinicId) {
      const rows = await query<{ seconds: number }>(
        `select extract(epoch from coalesce(d.delivered_at, now()) - e.created_at)::float8 as seconds
         from deliveries d join outbound_events e on e.id = d.event_id
         where e.data->>'sessionId' like $1 and e.clinic_id = $2`,
        [`${prefix}%`, clinicId],
      );
      return rows.map(({ seconds }) => seconds);
    },

    async blockInbox(seconds) {
      await query(`do $$ begin lock table inbound_events in exclusive mode; perform pg_sleep(${seconds}); end $$`, []);
    },

    close: () => pool.end(),
  };
}
