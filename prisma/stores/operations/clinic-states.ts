import type { AlarmKind } from '@clinic/shared/domain/tasks/alarms';
import {
  type DatedFigure,
  datedFigures,
  EHR_CHANGE,
  faultReasons,
} from '@clinic/shared/domain/operations/clinic-faults';
import { bound } from '../../bound';
import type { Database } from '../../client';

/** How the work of a clinic goes: counts of what is open now. */
export interface ClinicState {
  clinicId: string;
  name: string;
  openRuns: number;
  /** Open runs that Temporal has not taken for a minute. */
  unstartedRuns: number;
  /** Runs whose workflow goes neither on nor back, as Temporal says. */
  stuckRuns: number;
  /** Endpoints whose last attempt failed. */
  failingEndpoints: number;
  /** Which these are, the one that fails longest first. */
  failing: FailingEndpoint[];
  /** Given up within the last week, of endpoints that are still there: others are either known for long or cannot be sent again. */
  deadDeliveries: number;
  /** To which endpoints these are, those with the most first. */
  deadEndpoints: DeadEndpoint[];
  waitingDeliveries: number;
  pauses: number;
  waitingErasures: number;
  /** Open tasks, by what is at fault. */
  runFaults: number;
  voiceFaults: number;
  systemFaults: number;
  setupFaults: number;
  alarms: number;
  /** Of which kinds the open alarms are. */
  alarmKinds: AlarmKind[];
  /** The newest of them, ten at most. */
  newestAlarms: OpenAlarm[];
  /** The newest few that were given up. */
  newestDead: DeadDelivery[];
  /** Whether any of it is for an operator to look at. */
  needsALook: boolean;
  /** When what is counted came about, as an instant (ISO, UTC): the oldest of it, and of deliveries given up the newest. */
  since: Record<DatedFigure, string | null>;
}

interface NamedEndpoint {
  endpointId: string;
  /** Null for the clinic's first endpoint. */
  endpointName: string | null;
}

export interface DeadDelivery extends NamedEndpoint {
  deliveryId: string;
  event: string;
  /** An instant (ISO, UTC). */
  at: string;
}

export interface FailingEndpoint extends NamedEndpoint {
  /** An instant (ISO, UTC). */
  since: string | null;
  /** Why the last attempt failed, as a code. */
  error: string | null;
}

export interface OpenAlarm {
  kind: AlarmKind;
  /** An instant (ISO, UTC). */
  at: string;
}

export interface DeadEndpoint extends NamedEndpoint {
  count: number;
}

export interface ClinicStates {
  /** The worst first, `limit` at most. */
  items: ClinicState[];
  clinics: number;
  /** How many of all need a look. */
  needALook: number;
  /** Whether an operator has paused the calls of all clinics. */
  isEveryClinicPaused: boolean;
}

/** What was given up longer ago is known. */
const DEAD_DAYS = 7;
/** So many given up are named of each clinic. */
const NAMED_DEAD = 3;
const NAMED_ALARMS = 10;

export const createClinicStateStores = (database: Database) => bound(database, { read });

const { runs, voice, systems, setup, alarms } = faultReasons;
const reasons = [...runs, ...voice, ...systems, ...setup, ...alarms];

/**
 * For an operator: ids, names of clinics, counts and times alone. Each count comes from a partial index of what is open, and costs as
 * much as there is of it; receivers are few. `stuck` are the runs that Temporal calls so, by clinic.
 */
async function read(
  { sql }: Database,
  { stuck, limit }: { stuck: ReadonlyMap<string, number>; limit: number },
): Promise<ClinicStates> {
  const found = await sql<ClinicRow>`
    with open_runs as (
      select clinic_id, count(*)::int as count from workflow_runs where status = 'started' group by clinic_id
    ), unstarted as (
      select clinic_id, count(*)::int as count, min(started_at) as since from workflow_runs
      where dispatched_at is null and status = 'started' and started_at < now() - interval '1 minute' group by clinic_id
    ), waiting as (
      select clinic_id, count(*)::int as count, min(created_at) as since from deliveries where state = 'PENDING' group by clinic_id
    ), dead as (
      select d.clinic_id, d.id, d.event, r.id as endpoint_id, case when not r.is_first then r.name end as endpoint_name, last.at
      from deliveries d
        join receivers r on r.clinic_id = d.clinic_id and r.id = d.receiver_id
          and r.kind = 'endpoint' and r.removed_at is null and r.url is not null
        -- What passed by an endpoint that was off was never tried.
        cross join lateral (
          select coalesce(max(a.at), d.created_at) as at from delivery_attempts a
          where a.clinic_id = d.clinic_id and a.delivery_id = d.id
        ) last
      where d.state = 'DEAD' and last.at > now() - make_interval(days => ${DEAD_DAYS})
    ), given_up as (
      select clinic_id, count(*)::int as count, max(at) as since,
        to_jsonb((array_agg(jsonb_build_object('deliveryId', id, 'event', event, 'endpointId', endpoint_id,
          'endpointName', endpoint_name, 'at', at) order by at desc))[:${NAMED_DEAD}]) as newest
      from dead group by clinic_id
    ), dead_endpoints as (
      select clinic_id, jsonb_agg(jsonb_build_object('endpointId', endpoint_id, 'endpointName', endpoint_name, 'count', count)
        order by count desc, endpoint_id) as endpoints
      from (select clinic_id, endpoint_id, endpoint_name, count(*) as count from dead group by 1, 2, 3) each group by clinic_id
    ), failing as (
      -- What the clinic's own page calls failing.
      select clinic_id, count(*)::int as count, min(failing_since) as since,
        jsonb_agg(jsonb_build_object('endpointId', id, 'endpointName', case when not is_first then name end,
          'since', failing_since, 'error', last_error) order by failing_since, id) as endpoints
      from receivers
      where kind = 'endpoint' and failures > 0 and is_enabled and url is not null and removed_at is null group by clinic_id
    ), faults as (
      select clinic_id, (count(*) filter (where reason = any(${[...runs]})))::int as runs,
        (count(*) filter (where reason = any(${[...voice]})))::int as voice,
        (count(*) filter (where reason = any(${[...systems]})))::int as systems,
        (count(*) filter (where reason = any(${[...setup]})))::int as setup,
        (count(*) filter (where reason = any(${[...alarms]})))::int as alarms,
        coalesce(array_agg(distinct reason) filter (where reason = any(${[...alarms]})), '{}') as alarm_kinds,
        to_jsonb((array_agg(jsonb_build_object('kind', reason, 'at', created_at) order by created_at desc, id)
          filter (where reason = any(${[...alarms]})))[:${NAMED_ALARMS}]) as newest_alarms,
        min(created_at) filter (where reason = any(${[...runs]})) as runs_since,
        min(created_at) filter (where reason = any(${[...voice]})) as voice_since,
        min(created_at) filter (where reason = any(${[...systems]})) as systems_since,
        min(created_at) filter (where reason = any(${[...setup]})) as setup_since,
        min(created_at) filter (where reason = any(${[...alarms]})) as alarms_since
      from staff_tasks
      where state = 'OPEN' and reason = any(${reasons})
        -- Where no system was asked, none is at fault: the patient spoke of a visit that nobody has booked.
        and (reason <> 'booking_to_check' or starts_with(cause, ${EHR_CHANGE}))
      group by clinic_id
    ), paused as (
      select clinic_id, count(*)::int as count from outreach_pauses
      where resumed_at is null and coalesce(ends_at > now(), true) group by clinic_id
    ), erasing as (
      select clinic_id, count(*)::int as count, min(requested_at) as since from erasures where state in ('REQUESTED', 'ERASED') group by clinic_id
    ), stuck as (
      select * from unnest(${[...stuck.keys()]}::text[], ${[...stuck.values()]}::int[]) as s (clinic_id, count)
    ), states as (
      select c.id as "clinicId", c.name, coalesce(r.count, 0) as "openRuns", coalesce(u.count, 0) as "unstartedRuns",
        coalesce(s.count, 0) as "stuckRuns", coalesce(g.count, 0) as "failingEndpoints",
        coalesce(d.count, 0) as "deadDeliveries", coalesce(w.count, 0) as "waitingDeliveries", coalesce(p.count, 0) as pauses,
        coalesce(e.count, 0) as "waitingErasures", coalesce(f.runs, 0) as "runFaults",
        coalesce(f.voice, 0) as "voiceFaults", coalesce(f.systems, 0) as "systemFaults",
        coalesce(f.setup, 0) as "setupFaults", coalesce(f.alarms, 0) as alarms, coalesce(f.alarm_kinds, '{}') as "alarmKinds",
        coalesce(f.newest_alarms, '[]') as "newestAlarms", coalesce(g.endpoints, '[]') as failing,
        coalesce(d.newest, '[]') as "newestDead", coalesce(de.endpoints, '[]') as "deadEndpoints",
        jsonb_build_object('unstartedRuns', u.since, 'runFaults', f.runs_since, 'voiceFaults', f.voice_since,
          'systemFaults', f.systems_since, 'setupFaults', f.setup_since, 'alarms', f.alarms_since,
          'failingEndpoints', g.since, 'deadDeliveries', d.since, 'waitingDeliveries', w.since,
          'waitingErasures', e.since) as since
      from clinics c
        left join open_runs r on r.clinic_id = c.id left join unstarted u on u.clinic_id = c.id
        left join given_up d on d.clinic_id = c.id left join waiting w on w.clinic_id = c.id
        left join faults f on f.clinic_id = c.id left join paused p on p.clinic_id = c.id
        left join erasing e on e.clinic_id = c.id left join stuck s on s.clinic_id = c.id
        left join failing g on g.clinic_id = c.id left join dead_endpoints de on de.clinic_id = c.id
      where not exists (select from named_sandboxes n where n.clinic_id = c.id)
    ), judged as (
      select *, "unstartedRuns" + "stuckRuns" + "runFaults" + "voiceFaults" + "systemFaults" + "setupFaults" + alarms
        + "failingEndpoints" + "deadDeliveries" as faults
      from states
    )
    select *, (count(*) filter (where faults > 0) over ())::int as "needALook" from judged
    order by faults desc, "waitingErasures" + pauses desc, "waitingDeliveries" desc, name, "clinicId"
    limit ${limit}`;
  const [all] = await sql<{ clinics: number; isEveryClinicPaused: boolean }>`
    select (select count(*) from clinics c
        where not exists (select from named_sandboxes n where n.clinic_id = c.id))::int as clinics,
      exists (select from outreach_pauses where clinic_id is null and resumed_at is null
        and coalesce(ends_at > now(), true)) as "isEveryClinicPaused"`;
  const needALook = found[0]?.needALook ?? 0;
  return {
    items: found.map(toState),
    needALook,
    clinics: all?.clinics ?? 0,
    isEveryClinicPaused: all?.isEveryClinicPaused ?? false,
  };
}

type ClinicRow = Omit<ClinicState, 'needsALook'> & { faults: number; needALook: number };

function toState({ faults, needALook: _inAll, ...state }: ClinicRow): ClinicState {
  const since = { ...state.since };
  for (const figure of datedFigures) since[figure] = since[figure] && isoOf(since[figure]);
  const newestDead = state.newestDead.map((delivery) => ({ ...delivery, at: isoOf(delivery.at) }));
  const newestAlarms = state.newestAlarms.map(({ kind, at }) => ({ kind, at: isoOf(at) }));
  const failing = state.failing.map((endpoint) => ({ ...endpoint, since: endpoint.since && isoOf(endpoint.since) }));
  return { ...state, newestDead, newestAlarms, failing, needsALook: faults > 0, since };
}

/** PostgreSQL's own JSON has them in the zone of the session. */
const isoOf = (at: string) => new Date(at).toISOString();
