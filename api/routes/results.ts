import { stringify } from 'csv-stringify/sync';
import { Results, ShowResults } from '@clinic/shared/contracts/results';
import { localDate, plusDays, startOfDate } from '@clinic/shared/domain/clinic-time';
import { type CaseCounts, ratesOf } from '@clinic/shared/domain/results';
import type { CaseResults } from '@clinic/prisma/stores/results';
import { z } from 'zod';
import { route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

const tag = 'Results';
const MOST_RANKED = 10;

const none: CaseCounts = {
  opened: 0,
  ended: 0,
  recovered: 0,
  alreadyCompleted: 0,
  called: 0,
  reached: 0,
  calls: 0,
};
const counted = Object.keys(none) as (keyof CaseCounts)[];

/** How recovery went, for those who manage the clinic. */
export function resultRoutes({ stores }: RouteDeps): Route[] {
  const show = async (clinicId: string, days: number): Promise<Results> => {
    const timezone = (await stores.agendas.of(clinicId))?.zone ?? 'UTC';
    const until = localDate(new Date().toISOString(), timezone);
    const from = plusDays(until, 1 - days);
    const [from0, from1, end] = [plusDays(from, -days), from, plusDays(until, 1)].map((date) =>
      startOfDate(date, timezone),
    ) as [string, string, string];
    const span = { from: from1, until: end };
    const [current, before, barriers, forms] = await Promise.all([
      stores.results.of(clinicId, { ...span, zone: timezone }),
      stores.results.of(clinicId, { from: from0, until: from1, zone: timezone }),
      stores.results.barriers(clinicId, span, MOST_RANKED),
      stores.results.forms(clinicId, span, MOST_RANKED),
    ]);
    const found = new Map(current.byDay.map((day) => [day.date, day]));
    const dates = Array.from({ length: days }, (_, index) => plusDays(from, index));
    const byDay = dates.map((date) => found.get(date) ?? { ...none, date });
    return {
      timezone,
      days,
      from,
      until,
      current: figuresOf(current),
      before: figuresOf(before),
      byDay,
      byHour: current.byHour,
      barriers,
      forms,
    };
  };

  return [
    route({
      method: 'get',
      path: '/results',
      access: 'api-key-or-clinic',
      patientData: 'none',
      tag,
      summary: 'How recovery went in the last 7, 30 or 90 days, compared with as many days before',
      query: ShowResults,
      responses: { 200: { description: 'Figures, days, barriers and forms', schema: Results } },
      handle: async ({ caller: { clinicId }, query: { days } }) => ({ body: await show(clinicId, days) }),
    }),
    route({
      method: 'get',
      path: '/results/export',
      access: 'api-key-or-clinic',
      patientData: 'none',
      tag,
      summary: 'The same by day, as CSV',
      query: ShowResults,
      responses: {
        200: { description: `date,${counted.join(',')}`, schema: z.string(), type: 'text/csv' },
      },
      async handle({ caller: { clinicId }, query: { days } }) {
        const { byDay } = await show(clinicId, days);
        return {
          type: 'text/csv; charset=utf-8',
          headers: { 'content-disposition': `attachment; filename="results-${days}-days.csv"` },
          body: stringify(byDay, { header: true, columns: ['date', ...counted] }),
        };
      },
    }),
  ];
}

function figuresOf({ byDay, totals, byStatus }: CaseResults): Results['current'] {
  const sums = { ...none };
  for (const day of byDay) for (const name of counted) sums[name] += day[name];
  return { ...sums, ...ratesOf(sums), ...totals, byStatus };
}
