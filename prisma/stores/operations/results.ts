import type { CaseCounts } from '@clinic/shared/domain/operations/results';
import { bound } from '../../bound';
import type { Database } from '../../client';

/** Cases of one day of the clinic's calendar (`2026-11-23`), by the day on which they were opened. */
export interface DayCounts extends CaseCounts {
  date: string;
}

/** Cases that were opened at an hour (0 to 23) of a weekday (1, Monday, to 7), by the clinic's clock. */
export interface HourCounts {
  weekday: number;
  hour: number;
  opened: number;
  ended: number;
  recovered: number;
  alreadyCompleted: number;
}

export interface CaseTotals {
  medianSecondsToOutcome: number | null;
  valueRecovered: number;
  simulated: number;
}

export interface CaseResults {
  byDay: DayCounts[];
  /** An hour without a case is left out. */
  byHour: HourCounts[];
  totals: CaseTotals;
  byStatus: Record<string, number>;
}

/** Cases that were opened from an instant on and before another. */
interface Span {
  from: string;
  until: string;
}

export const createResultStores = (database: Database) => bound(database, { of, barriers, forms });

/** What became of the cases that were opened in a span; a day of `zone` without a case is left out. */
async function of(
  { sql }: Database,
  clinicId: string,
  { from, until, zone }: Span & { zone: string },
): Promise<CaseResults> {
  const [byDay, byHour, [totals], statuses] = await Promise.all([
    sql<DayCounts>`
      with called as (
        select k.workflow_id, count(*)::int as calls,
          bool_or(k.started_at is not null and k.said is distinct from 'voicemail') as is_reached
        from recovery_cases c
        join calls k on k.clinic_id = c.clinic_id and k.workflow_id = c.workflow_id and not k.is_test
        where c.clinic_id = ${clinicId} and c.created_at >= ${from} and c.created_at < ${until}
          and (k.rang_at is not null or k.started_at is not null)
        group by k.workflow_id)
      select coalesce(to_char(c.created_at at time zone ${zone}, 'YYYY-MM-DD'), '') as date, count(*)::int as opened,
        count(c.ended_at)::int as ended,
        count(*) filter (where c.status = 'RECOVERED')::int as recovered,
        count(*) filter (where c.status = 'ALREADY_COMPLETED')::int as "alreadyCompleted",
        count(called.workflow_id)::int as called,
        count(*) filter (where called.is_reached)::int as reached,
        coalesce(sum(called.calls), 0)::int as calls
      from recovery_cases c left join called on called.workflow_id = c.workflow_id
      where c.clinic_id = ${clinicId} and c.created_at >= ${from} and c.created_at < ${until}
      group by 1 order by 1`,
    sql<HourCounts>`
      select coalesce(extract(isodow from c.created_at at time zone ${zone})::int, 0) as weekday,
        coalesce(extract(hour from c.created_at at time zone ${zone})::int, 0) as hour, count(*)::int as opened,
        count(c.ended_at)::int as ended,
        count(*) filter (where c.status = 'RECOVERED')::int as recovered,
        count(*) filter (where c.status = 'ALREADY_COMPLETED')::int as "alreadyCompleted"
      from recovery_cases c
      where c.clinic_id = ${clinicId} and c.created_at >= ${from} and c.created_at < ${until}
      group by 1, 2 order by 1, 2`,
    sql<CaseTotals>`
      select percentile_cont(0.5) within group (order by extract(epoch from c.ended_at - c.created_at)) as "medianSecondsToOutcome",
        coalesce(sum((
          select sum((product ->> 'unitPrice')::float8)
          from jsonb_array_elements(case jsonb_typeof(c.selected_products) when 'array' then c.selected_products end) product
        )) filter (where c.status = 'RECOVERED'), 0)::float8 as "valueRecovered",
        count(*) filter (where r.is_simulated)::int as simulated
      from recovery_cases c join workflow_runs r on r.clinic_id = c.clinic_id and r.id = c.workflow_id
      where c.clinic_id = ${clinicId} and c.created_at >= ${from} and c.created_at < ${until}`,
    sql<{ status: string; count: number }>`
      select status, count(*)::int as count from recovery_cases
      where clinic_id = ${clinicId} and created_at >= ${from} and created_at < ${until}
      group by status`,
  ]);
  return {
    byDay,
    byHour,
    totals: totals ?? { medianSecondsToOutcome: null, valueRecovered: 0, simulated: 0 },
    byStatus: Object.fromEntries(statuses.map(({ status, count }) => [status, count])),
  };
}

/** Why patients stopped, the most frequent first. */
const barriers = (
  { sql }: Database,
  clinicId: string,
  { from, until }: Span,
  limit: number,
): Promise<{ barrier: string; cases: number; recovered: number }[]> => sql<{
  barrier: string;
  cases: number;
  recovered: number;
}>`
  select coalesce(min(barrier ->> 'primaryBarrier'), '') as barrier, count(*)::int as cases,
    count(*) filter (where status = 'RECOVERED')::int as recovered
  from recovery_cases
  where clinic_id = ${clinicId} and created_at >= ${from} and created_at < ${until}
    and barrier ->> 'primaryBarrier' is not null
  group by lower(barrier ->> 'primaryBarrier') order by cases desc, barrier limit ${limit}`;

/** The forms with the most cases. */
const forms = (
  { sql }: Database,
  clinicId: string,
  { from, until }: Span,
  limit: number,
): Promise<{ formName: string; cases: number; ended: number; recovered: number }[]> => sql<{
  formName: string;
  cases: number;
  ended: number;
  recovered: number;
}>`
  select coalesce(form_name, '') as "formName", count(*)::int as cases, count(ended_at)::int as ended,
    count(*) filter (where status = 'RECOVERED')::int as recovered
  from recovery_cases
  where clinic_id = ${clinicId} and created_at >= ${from} and created_at < ${until} and form_name is not null
  group by form_name order by cases desc, form_name limit ${limit}`;
