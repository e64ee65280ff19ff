import { localDate } from '@clinic/shared/domain/calendar/clinic-time';
import { alarmKinds } from '@clinic/shared/domain/tasks/alarms';
import { bound } from '../../bound';
import type { Database } from '../../client';

/** What happened since a moment, and what is so now. */
export interface Overview {
  cases: { opened: number; ended: number; simulated: number; byStatus: Record<string, number> };
  calls: { running: number; placed: number };
  deliveries: { delivered: number; retrying: number; dead: number; failingSince: Date | null };
  tasks: { open: number; unassigned: number };
  appointments: { booked: number; onTheDay: number };
}

/** What a new clinic has set up already. */
export interface SetUp {
  hasUrl: boolean;
  hasInboundSecret: boolean;
  hasTestEvent: boolean;
  hasCase: boolean;
  /** Its calls ring phones. */
  hasVoice: boolean;
}

/** What the areas of a clinic's settings hold. */
export interface SettingsFacts {
  /** From today on, by the clinic's clock. */
  closedDays: number;
  providers: number;
  hasProviderWithoutHours: boolean;
  isPaused: boolean;
  /** Up to `MANY_OPT_OUTS`. */
  optOuts: number;
  accounts: number;
  hasSingleSignOn: boolean;
  hasGoals: boolean;
  isSandboxOn: boolean;
  apiKeys: number;
  /** Inbound URLs with a secret. */
  inbound: number;
  endpoints: number;
  openEndpoints: number;
  hasFailingEndpoint: boolean;
  /** Whether anything is done at it; null: there is none. */
  isApprovedApiOn: boolean | null;
  /** Null: there is none. */
  isCrmOn: boolean | null;
  isSimulated: boolean;
  phoneNumbers: number;
}

const MANY_OPT_OUTS = 1_000;

export const createOverviewStores = (database: Database) => bound(database, { setUp, settings, of });

async function setUp({ sql }: Database, clinicId: string): Promise<SetUp> {
  const [found] = await sql<SetUp>`
    select
      exists (select 1 from receivers where clinic_id = ${clinicId} and is_first and is_enabled and url is not null) as "hasUrl",
      exists (select 1 from secrets where clinic_id = ${clinicId} and kind = 'inbound' and expires_at is null) as "hasInboundSecret",
      exists (select 1 from deliveries where clinic_id = ${clinicId} and event = 'test' and state = 'DELIVERED') as "hasTestEvent",
      exists (select 1 from recovery_cases where clinic_id = ${clinicId}) as "hasCase",
      exists (select 1 from clinics where id = ${clinicId} and voice_provider <> 'simulator') as "hasVoice"`;
  return found ?? { hasUrl: false, hasInboundSecret: false, hasTestEvent: false, hasCase: false, hasVoice: false };
}

/** Null where there is no such clinic. */
async function settings({ sql }: Database, clinicId: string): Promise<SettingsFacts | null> {
  const [found] = await sql<Omit<SettingsFacts, 'closedDays'> & { zone: string; now: Date; closed: string[] }>`
    select c.timezone as zone, now() as now, array(select jsonb_object_keys(c.closed_days)) as closed,
      (select count(*)::int from providers where clinic_id = ${clinicId} and is_active) as providers,
      exists (select 1 from providers p where p.clinic_id = ${clinicId} and p.is_active and not exists (
        select 1 from jsonb_each(p.working_hours) of_day where of_day.value <> '[]'::jsonb)) as "hasProviderWithoutHours",
      outreach_pause(c.id, null) is not null as "isPaused",
      (select count(*)::int from (select 1 from opt_outs where clinic_id = ${clinicId} limit ${MANY_OPT_OUTS}) o) as "optOuts",
      (select count(*)::int from users where clinic_id = ${clinicId} and disabled_at is null and coalesce(ends_at > now(), true))
        as accounts,
      exists (select 1 from single_sign_on where clinic_id = ${clinicId}) as "hasSingleSignOn",
      (c.target_recovery_rate is not null or c.target_recoveries is not null) as "hasGoals",
      c.sandbox_enabled as "isSandboxOn",
      (select count(*)::int from api_keys where clinic_id = ${clinicId} and revoked_at is null and coalesce(expires_at > now(), true))
        as "apiKeys",
      (select count(*)::int from secrets where clinic_id = ${clinicId} and kind = 'inbound' and expires_at is null) as inbound,
      e.all as endpoints, e.open as "openEndpoints", e.failing > 0 as "hasFailingEndpoint",
      (select case kind when 'fhir-r4' then coalesce((fhir ->> 'isOn')::boolean, false) else actions not in ('{}', '[]') end
        from approved_apis where clinic_id = ${clinicId}) as "isApprovedApiOn",
      (select is_enabled from crm_settings where clinic_id = ${clinicId}) as "isCrmOn",
      c.voice_provider = 'simulator' as "isSimulated",
      (select count(*)::int from phone_numbers where clinic_id = ${clinicId}) as "phoneNumbers"
    from clinics c
    cross join (
      select count(*)::int as all, (count(*) filter (where is_enabled))::int as open,
        (count(*) filter (where disabled_reason is not null or (is_enabled and failing_since is not null)))::int as failing
      from receivers where clinic_id = ${clinicId} and kind = 'endpoint' and removed_at is null and url is not null
    ) e
    where c.id = ${clinicId}`;
  if (!found) return null;
  const { zone, now, closed, ...facts } = found;
  const today = localDate(now.toISOString(), zone);
  return { ...facts, closedDays: closed.filter((day) => day >= today).length };
}

async function of(
  { sql }: Database,
  clinicId: string,
  { from, until, withoutAlarms }: { from: string; until: string; withoutAlarms: boolean },
): Promise<Overview> {
  const hidden = withoutAlarms ? [...alarmKinds] : [];
  const [cases, [now], [receiver]] = await Promise.all([
    // What is open, and what ended on the day: each from an index of its own.
    sql<{ status: string; isSimulated: boolean; opened: number; ended: number; count: number }>`
      select shown.status, r.is_simulated as "isSimulated", count(*)::int as count, count(shown.ended_at)::int as ended,
        count(*) filter (where shown.created_at >= ${from} and shown.created_at < ${until})::int as opened
      from (
        select clinic_id, workflow_id, status, created_at, ended_at from recovery_cases where clinic_id = ${clinicId} and ended_at is null
        union all
        select clinic_id, workflow_id, status, created_at, ended_at from recovery_cases
        where clinic_id = ${clinicId} and ended_at >= ${from} and ended_at < ${until}
      ) shown
      join workflow_runs r on r.clinic_id = shown.clinic_id and r.id = shown.workflow_id
      group by shown.status, r.is_simulated`,
    sql<Record<keyof typeof nothing, number>>`
      select
        (select count(*)::int from calls where clinic_id = ${clinicId} and state <> 'ENDED' and not is_test) as running,
        (select count(*)::int from calls where clinic_id = ${clinicId} and created_at >= ${from} and created_at < ${until}
          and platform_call_id is not null and direction = 'outbound' and not is_test) as placed,
        (select count(*)::int from deliveries where clinic_id = ${clinicId} and created_at >= ${from}
          and created_at < ${until} and state = 'DELIVERED' and not starts_with(event, 'subscription.')) as delivered,
        (select count(*)::int from deliveries where clinic_id = ${clinicId} and state = 'PENDING' and tries > 0
          and not starts_with(event, 'subscription.')) as retrying,
        -- Nobody can send again what was for an endpoint that is gone.
        (select count(*)::int from deliveries d join receivers r on r.clinic_id = d.clinic_id and r.id = d.receiver_id and r.removed_at is null
          where d.clinic_id = ${clinicId} and d.state = 'DEAD' and not starts_with(d.event, 'subscription.')) as dead,
        (select count(*)::int from staff_tasks where clinic_id = ${clinicId} and state = 'OPEN'
          and reason <> all(${hidden}::text[])) as open,
        (select count(*)::int from staff_tasks where clinic_id = ${clinicId} and state = 'OPEN'
          and assignee_id is null and reason <> all(${hidden}::text[])) as unassigned,
        (select count(*)::int from appointments where clinic_id = ${clinicId} and created_at >= ${from}
          and created_at < ${until} and held_until is null) as booked,
        (select count(*)::int from appointments where clinic_id = ${clinicId} and starts_at >= ${from}
          and starts_at < ${until} and status <> 'cancelled') as "onTheDay"`,
    sql<{ failingSince: Date | null }>`
      select min(failing_since) as "failingSince" from receivers where clinic_id = ${clinicId} and kind = 'endpoint' and removed_at is null`,
  ]);
  const { running, placed, delivered, retrying, dead, open, unassigned, booked, onTheDay } = now ?? nothing;
  const real = cases.filter(({ isSimulated }) => !isSimulated);
  const simulated = cases.filter(({ isSimulated }) => isSimulated);
  return {
    cases: {
      // Whatever was opened today is open, or ended today.
      opened: real.reduce((sum, each) => sum + each.opened, 0),
      ended: real.reduce((sum, each) => sum + each.ended, 0),
      simulated: simulated.reduce((sum, { count }) => sum + count, 0),
      byStatus: Object.fromEntries(real.map(({ status, count }) => [status, count])),
    },
    calls: { running, placed },
    deliveries: { delivered, retrying, dead, failingSince: receiver?.failingSince ?? null },
    tasks: { open, unassigned },
    appointments: { booked, onTheDay },
  };
}

const nothing = {
  running: 0,
  placed: 0,
  delivered: 0,
  retrying: 0,
  dead: 0,
  open: 0,
  unassigned: 0,
  booked: 0,
  onTheDay: 0,
};
