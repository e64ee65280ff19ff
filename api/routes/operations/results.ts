import { stringify } from 'csv-stringify/sync';
import { Results, ShowResults } from '@clinic/shared/contracts/operations/results';
import { localDate, plusDays, startOfDate } from '@clinic/shared/domain/calendar/clinic-time';
import { type CaseCounts, ratesOf } from '@clinic/shared/domain/operations/results';
import type { CaseResults } from '@clinic/prisma/stores/operations/results';
import { z } from 'zod';
import type { Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Results', access: 'api-key-or-clinic', right: 'results', patientData: 'none' });

const MAX_RANKED = 10;

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
export const resultRoutes = [
  routes.get('/results', {
    summary: 'How recovery went in the last 7, 30 or 90 days, compared with as many days before',
    description: 'Days are those of the clinic’s clock, today included. A rate is null where nothing was counted.',
    query: ShowResults,
    responses: { 200: { description: 'Figures, days, barriers and forms', schema: Results } },
    handle: async ({ caller: { clinicId }, query: { days } }, { stores }) => ({
      body: await show({ stores }, clinicId, days),
    }),
  }),
  routes.get('/results/export', {
    summary: 'The same by day, as CSV',
    description: 'One row for each day of the present period, with a header.',
    query: ShowResults,
    responses: {
      200: {
        description: `date,${counted.join(',')}`,
        schema: z.string(),
        type: 'text/csv',
        example: stringify([{ ...none, date: '2026-12-01' }], { header: true, columns: ['date', ...counted] }),
      },
    },
    async handle({ caller: { clinicId }, query: { days } }, { stores }) {
      const { byDay } = await show({ stores }, clinicId, days);
      return {
        type: 'text/csv; charset=utf-8',
        headers: { 'content-disposition': `attachment; filename="results-${days}-days.csv"` },
        body: stringify(byDay, { header: true, columns: ['date', ...counted] }),
      };
    },
  }),
];

const show = async ({ stores }: Deps<'stores'>, clinicId: string, days: number): Promise<Results> => {
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
    stores.results.barriers(clinicId, span, MAX_RANKED),
    stores.results.forms(clinicId, span, MAX_RANKED),
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

function figuresOf({ byDay, totals, byStatus }: CaseResults): Results['current'] {
  const sums = { ...none };
  for (const day of byDay) for (const name of counted) sums[name] += day[name];
  return { ...sums, ...ratesOf(sums), ...totals, byStatus };
}
