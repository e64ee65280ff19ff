import type { NotedRecords } from '@clinic/shared/domain/operations/result-notes';
import { type CaseCounts, noCases } from '@clinic/shared/domain/operations/results';
import { bound } from '../../bound';
import { type Actor, audit } from './audit';
import type { Database } from '../../client';
import { allOf, condition } from '../../sql';
import { answered, clockOf, isLost, isVisitAfter, NO_VISIT, rang } from '../outreach/case-facts';

/** Cases that have something in common; `name` is that. */
export interface GroupCounts extends CaseCounts {
  name: string;
}

/** Cases of one day of the clinic's calendar (`2026-11-23`), by the day on which they were opened. */
export interface DayCounts extends CaseCounts {
  date: string;
}

/** Cases that were opened at an hour (0 to 23) of a weekday (1, Monday, to 7), by the clinic's clock. */
export interface HourCounts extends CaseCounts {
  weekday: number;
  hour: number;
}

export interface CaseTotals {
  medianSecondsToOutcome: number | null;
  /** Cases that the simulator played, whether they are counted or not. */
  simulated: number;
  /** Each counted once. */
  recoveredPatients: number;
  /** Recovered cases whose form came with a price. */
  recoveredWithPrice: number;
}

/** What the results of a clinic are measured by. */
export interface ResultSettings {
  /** ISO 4217; null where the clinic has chosen none. */
  currency: string | null;
  /** What a US dollar costs in it. */
  usdRate: number | null;
  /** From 0 to 1. */
  targetRecoveryRate: number | null;
  /** In a calendar month. */
  targetRecoveries: number | null;
}

/** What became of the cases of a span. What has no case is left out. */
export interface CaseResults extends CaseTotals {
  all: CaseCounts;
  byDay: DayCounts[];
  byHour: HourCounts[];
  /** By the first outcome that a case ended with, or how it stands. */
  byStatus: GroupCounts[];
  byForm: GroupCounts[];
  byBarrier: GroupCounts[];
  /** By the hour of the clinic's clock at which a person first answered. */
  byHourReached: GroupCounts[];
  /** By the visit that a recovered patient booked. */
  byProvider: (GroupCounts & { displayName: string | null })[];
  byVisitType: GroupCounts[];
}

/** Cases that were opened from an instant on and before another. */
interface Span {
  from: string;
  until: string;
  zone: string;
  /** With those that the simulator played. */
  withSimulated: boolean;
}

export const createResultStores = (database: Database) => bound(database, { of, endings, settings, setSettings });

/** Beside those that have none. */
const MAX_NAMES = 10;
/** A call that waited for longer until it got one of the clinic's lines came late. */
const LONG_IN_LINE = '15 minutes';

interface Row extends CaseCounts {
  kind: string;
  date: string | null;
  weekday: number | null;
  hour: number | null;
  name: string | null;
  displayName: string | null;
}

/** What became of the cases that were opened in a span, all of it from one reading of them. */
async function of({ sql }: Database, clinicId: string, span: Span): Promise<CaseResults> {
  const [rows, [totals]] = await Promise.all([grouped({ sql }, clinicId, span), totalsOf({ sql }, clinicId, span)]);
  const ofKind = (kind: string) => rows.filter((row) => row.kind === kind);
  const named = (kind: string) =>
    ofKind(kind).flatMap((row) => (row.name === null ? [] : [{ ...countsOf(row), name: row.name }]));
  const [all] = ofKind('all');
  return {
    ...(totals ?? { medianSecondsToOutcome: null, simulated: 0, recoveredPatients: 0, recoveredWithPrice: 0 }),
    all: all ? countsOf(all) : noCases,
    byDay: ofKind('day').map((row) => ({ ...countsOf(row), date: row.date ?? '' })),
    byHour: ofKind('hour').map((row) => ({ ...countsOf(row), weekday: row.weekday ?? 0, hour: row.hour ?? 0 })),
    byStatus: named('status'),
    byForm: named('form'),
    byBarrier: named('barrier'),
    byHourReached: named('reached'),
    byProvider: ofKind('provider').flatMap(({ name, displayName, ...row }) =>
      name === null ? [] : [{ ...countsOf(row), name, displayName }],
    ),
    byVisitType: named('visit_type'),
  };
}

const countsOf = (row: CaseCounts): CaseCounts => ({
  opened: row.opened,
  ended: row.ended,
  recovered: row.recovered,
  alreadyCompleted: row.alreadyCompleted,
  lost: row.lost,
  called: row.called,
  reached: row.reached,
  calls: row.calls,
  valueRecovered: row.valueRecovered,
  valueLost: row.valueLost,
  callCostUsd: row.callCostUsd,
  callSeconds: row.callSeconds,
});

const chosen = (clinicId: string, { from, until, withSimulated }: Span) =>
  allOf(
    condition`c.clinic_id = ${clinicId} and c.created_at >= ${from} and c.created_at < ${until}`,
    !withSimulated && condition`not r.is_simulated`,
  );

const grouped = (
  { sql }: Pick<Database, 'sql'>,
  clinicId: string,
  span: Span,
  { since, seconds } = clockOf(span),
): Promise<Row[]> => sql<Row>`
  with chosen as materialized (
    select c.clinic_id, c.workflow_id, c.patient_id, c.status, c.created_at, c.ended_at, ${isLost} as is_lost, c.form_name,
      lower(c.barrier ->> 'primaryBarrier') as barrier, on_clock(c.created_at, ${since}, ${seconds}) as local,
      (select sum((product ->> 'unitPrice')::float8)
        from jsonb_array_elements(case jsonb_typeof(c.selected_products) when 'array' then c.selected_products end) product) as value
    from recovery_cases c join workflow_runs r on r.clinic_id = c.clinic_id and r.id = c.workflow_id
    where ${chosen(clinicId, span)}
  ), called as (
    select k.workflow_id, count(*) filter (where ${rang}) as calls, min(k.started_at) filter (where ${answered}) as reached_at,
      sum(k.cost_usd) as cost_usd, sum(k.duration_seconds) as seconds
    from chosen c join calls k on k.clinic_id = c.clinic_id and k.workflow_id = c.workflow_id and not k.is_test
    group by k.workflow_id
  ), facts as (
    select c.*, to_char(c.local, 'YYYY-MM-DD') as day, extract(isodow from c.local)::int as weekday, extract(hour from c.local)::int as hour,
      coalesce(called.calls, 0) as calls, called.reached_at, called.cost_usd, called.seconds,
      extract(hour from on_clock(called.reached_at, ${since}, ${seconds}))::text as reached_hour, p.display_name,
      case when c.status = 'RECOVERED' then coalesce(p.name, ${NO_VISIT}) end as provider,
      case when c.status = 'RECOVERED' then coalesce(visit.visit_type, ${NO_VISIT}) end as visit_type
    from chosen c left join called on called.workflow_id = c.workflow_id
    left join lateral (
      select a.provider_id, a.visit_type from appointments a where ${isVisitAfter} order by a.created_at, a.id limit 1) visit on true
    left join providers p on p.clinic_id = c.clinic_id and p.id = visit.provider_id
  ), groups as (
    select case when grouping(day) = 0 then 'day' when grouping(weekday) = 0 then 'hour' when grouping(status) = 0 then 'status'
        when grouping(form_name) = 0 then 'form' when grouping(barrier) = 0 then 'barrier' when grouping(reached_hour) = 0 then 'reached'
        when grouping(provider) = 0 then 'provider' when grouping(visit_type) = 0 then 'visit_type' else 'all' end as kind,
      day as date, weekday, hour, coalesce(status, form_name, barrier, reached_hour, provider, visit_type) as name,
      min(display_name) as "displayName", count(*)::int as opened, count(ended_at)::int as ended,
      count(*) filter (where status = 'RECOVERED')::int as recovered,
      count(*) filter (where status = 'ALREADY_COMPLETED')::int as "alreadyCompleted",
      count(*) filter (where is_lost)::int as lost, count(*) filter (where calls > 0)::int as called,
      count(reached_at)::int as reached, coalesce(sum(calls), 0)::int as calls,
      coalesce(sum(value) filter (where status = 'RECOVERED'), 0)::float8 as "valueRecovered",
      coalesce(sum(value) filter (where is_lost), 0)::float8 as "valueLost",
      coalesce(sum(cost_usd), 0)::float8 as "callCostUsd", coalesce(sum(seconds), 0)::int as "callSeconds"
    from facts
    group by grouping sets ((), (day), (weekday, hour), (status), (form_name), (barrier), (reached_hour), (provider), (visit_type))
  )
  select kind, date, weekday, hour, name, "displayName", opened, ended, recovered, "alreadyCompleted", lost, called, reached, calls,
    "valueRecovered", "valueLost", "callCostUsd", "callSeconds"
  from (select *, row_number() over (partition by kind, coalesce(name, ${NO_VISIT}) = ${NO_VISIT} order by opened desc, name) as place from groups) ranked
  where kind not in ('form', 'barrier', 'provider', 'visit_type') or place <= ${MAX_NAMES}
  order by date, weekday, hour, opened desc, name`;

const totalsOf = (
  { sql }: Pick<Database, 'sql'>,
  clinicId: string,
  span: Span,
): Promise<CaseTotals[]> => sql<CaseTotals>`
  select percentile_cont(0.5) within group (order by extract(epoch from c.ended_at - c.created_at))
      filter (where ${span.withSimulated} or not r.is_simulated) as "medianSecondsToOutcome",
    count(*) filter (where r.is_simulated)::int as simulated,
    count(distinct c.patient_id) filter (where c.status = 'RECOVERED' and (${span.withSimulated} or not r.is_simulated))::int
      as "recoveredPatients",
    count(*) filter (where c.status = 'RECOVERED' and c.selected_products @? '$[*].unitPrice' and (${span.withSimulated} or not r.is_simulated))::int
      as "recoveredWithPrice"
  from recovery_cases c join workflow_runs r on r.clinic_id = c.clinic_id and r.id = c.workflow_id
  where ${chosen(clinicId, { ...span, withSimulated: true })}`;

/** How many calls of each day ended for which reason. */
function endings(
  { sql }: Database,
  clinicId: string,
  span: Pick<Span, 'from' | 'until' | 'zone'>,
): Promise<NotedRecords['endings'][number][]> {
  const { since, seconds } = clockOf(span);
  return sql<NotedRecords['endings'][number]>`
    select coalesce(to_char(on_clock(created_at, ${since}, ${seconds}), 'YYYY-MM-DD'), '') as date, coalesce(ended_reason, '') as reason,
      count(*)::int as calls, count(*) filter (where created_at - queued_at > ${LONG_IN_LINE}::interval)::int as waited
    from calls
    where clinic_id = ${clinicId} and created_at >= ${span.from} and created_at < ${span.until} and not is_test
      and ended_reason is not null and workflow_type = 'abandonment-recovery'
    group by 1, 2 order by 1, 2`;
}

/** With the clinic's country, by which its currency is found where it has chosen none. */
async function settings({ sql }: Database, clinicId: string): Promise<ResultSettings & { country: string }> {
  const [found] = await sql<ResultSettings & { country: string }>`
    select currency, usd_rate as "usdRate", target_recovery_rate as "targetRecoveryRate", target_recoveries as "targetRecoveries",
      default_country as country
    from clinics where id = ${clinicId}`;
  return found ?? { currency: null, usdRate: null, targetRecoveryRate: null, targetRecoveries: null, country: '' };
}

async function setSettings(
  { transaction }: Database,
  clinicId: string,
  { currency, usdRate, targetRecoveryRate, targetRecoveries }: ResultSettings,
  by?: Actor,
): Promise<void> {
  await transaction(async (tx) => {
    await tx`
      update clinics set currency = ${currency}, usd_rate = ${usdRate}, target_recovery_rate = ${targetRecoveryRate},
        target_recoveries = ${targetRecoveries}
      where id = ${clinicId}`;
    const detail = { currency, usdRate, targetRecoveryRate, targetRecoveries };
    await audit(tx, by, { clinicId, action: 'result-settings.change', detail });
  });
}
