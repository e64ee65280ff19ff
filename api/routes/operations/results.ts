import { stringify } from 'csv-stringify/sync';
import { Results, ShowResults } from '@clinic/shared/contracts/operations/results';
import { localDate, plusDays, startOfDate } from '@clinic/shared/domain/calendar/clinic-time';
import { comparedWith, datesOf, daysIn, type Period } from '@clinic/shared/domain/operations/periods';
import { notesOf } from '@clinic/shared/domain/operations/result-notes';
import { type CaseCounts, moneyOf, noCases, ratesOf } from '@clinic/shared/domain/operations/results';
import type { CaseResults } from '@clinic/prisma/stores/operations/results';
import { z } from 'zod';
import { currencyOf } from '@clinic/shared/currency';
import { invalid } from '@clinic/shared/errors';
import type { Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Results', access: 'api-key-or-clinic', right: 'results', patientData: 'none' });

/** Two years: what was asked for before is an export's business. */
const MAX_DAYS = 731;

const counted = Object.keys(noCases) as (keyof CaseCounts)[];

/** How recovery went, for those who manage the clinic. */
export const resultRoutes = [
  routes.get('/results', {
    summary: 'How recovery went in any days, compared with the days before',
    description:
      'Days are those of the clinic’s clock, and at most two years of them. A rate is null where nothing was counted.',
    query: ShowResults,
    responses: { 200: { description: 'Figures, days, barriers and forms', schema: Results } },
    handle: async ({ caller: { clinicId }, query }, { stores }) => ({ body: await show({ stores }, clinicId, query) }),
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
        example: stringify([{ ...noCases, date: '2026-12-01' }], { header: true, columns: ['date', ...counted] }),
      },
    },
    async handle({ caller: { clinicId }, query }, { stores }) {
      const { byDay, from, until } = await show({ stores }, clinicId, query);
      return {
        type: 'text/csv; charset=utf-8',
        headers: { 'content-disposition': `attachment; filename="results-${from}-${until}.csv"` },
        body: stringify(byDay, { header: true, columns: ['date', ...counted] }),
      };
    },
  }),
];

async function show(
  { stores }: Deps<'stores'>,
  clinicId: string,
  { comparedWith: comparison, simulated: withSimulated = false, ...asked }: z.output<typeof ShowResults>,
): Promise<Results> {
  const [agenda, settings] = await Promise.all([stores.agendas.of(clinicId), stores.results.settings(clinicId)]);
  const zone = agenda?.zone ?? 'UTC';
  const currency = settings.currency ?? currencyOf(settings.country);
  const usdRate = currency === 'USD' ? 1 : settings.usdRate;
  const period = periodOf(asked, localDate(new Date().toISOString(), zone));
  const earlier = comparedWith(period, comparison);
  const spanOf = ({ from, until }: Period) => ({
    from: startOfDate(from, zone),
    until: startOfDate(plusDays(until, 1), zone),
    zone,
  });
  const [current, before, closedDays, pauses, endings] = await Promise.all([
    stores.results.of(clinicId, { ...spanOf(period), withSimulated }),
    stores.results.of(clinicId, { ...spanOf(earlier), withSimulated }),
    stores.clinics.closedDays(clinicId),
    stores.pauses.during(clinicId, spanOf(period)),
    stores.results.endings(clinicId, spanOf(period)),
  ]);
  const paused = pauses.map(({ reason, pausedAt, endedAt }) => ({
    reason,
    from: pausedAt.toISOString(),
    until: endedAt?.toISOString() ?? null,
  }));
  return {
    timezone: zone,
    currency,
    usdRate,
    targets: { recoveryRate: settings.targetRecoveryRate, recoveries: settings.targetRecoveries },
    days: daysIn(period),
    ...period,
    beforeFrom: earlier.from,
    beforeUntil: earlier.until,
    current: figuresOf(current, usdRate),
    before: figuresOf(before, usdRate),
    byDay: everyDay(period, current),
    byDayBefore: everyDay(earlier, before),
    notes: notesOf(period, zone, { closedDays, pauses: paused, endings }),
    byHour: current.byHour,
    barriers: current.byBarrier.map(({ name, ...counts }) => ({ ...counts, barrier: name, cases: counts.opened })),
    forms: current.byForm.map(({ name, ...counts }) => ({ ...counts, formName: name, cases: counts.opened })),
    providers: current.byProvider,
    visitTypes: current.byVisitType,
    hoursReached: current.byHourReached.map(({ name, ...counts }) => ({ ...counts, hour: Number(name) })),
  };
}

function periodOf(
  { days, from, until }: Pick<z.output<typeof ShowResults>, 'days' | 'from' | 'until'>,
  today: string,
): Period {
  if (from === undefined && until === undefined) return { from: plusDays(today, 1 - days), until: today };
  if (from === undefined) throw invalid('from', 'is needed with until');
  if (until === undefined) throw invalid('until', 'is needed with from');
  const period = { from, until };
  if (until < from) throw invalid('until', 'must not be before from');
  if (daysIn(period) > MAX_DAYS) throw invalid('until', 'must be at most two years after from');
  return period;
}

function everyDay(period: Period, { byDay }: CaseResults): Results['byDay'] {
  const found = new Map(byDay.map((day) => [day.date, day]));
  return datesOf(period).map((date) => found.get(date) ?? { ...noCases, date });
}

const figuresOf = (
  { all, byStatus, medianSecondsToOutcome, simulated, recoveredPatients }: CaseResults,
  usdRate: number | null,
): Results['current'] => ({
  ...all,
  ...ratesOf(all),
  ...moneyOf(all, { usdRate, recoveredPatients }),
  recoveredPatients,
  medianSecondsToOutcome,
  simulated,
  byStatus: Object.fromEntries(byStatus.map(({ name, opened }) => [name, opened])),
});
