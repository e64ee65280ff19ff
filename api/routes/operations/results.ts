import { stringify } from 'csv-stringify/sync';
import { ResultMail, ResultMailChange, Results, ShowResults } from '@clinic/shared/contracts/operations/results';
import { localDate, plusDays } from '@clinic/shared/domain/calendar/clinic-time';
import { comparedWith, daysIn, type Period, spanOf } from '@clinic/shared/domain/operations/periods';
import { notesOf } from '@clinic/shared/domain/operations/result-notes';
import { type CaseCounts, moneyOf, noCases, onEveryDay, ratesOf } from '@clinic/shared/domain/operations/results';
import type { CaseResults } from '@clinic/prisma/stores/operations/results';
import { z } from 'zod';
import { moneyOfClinic } from '@clinic/shared/currency';
import { AppError, invalid } from '@clinic/shared/errors';
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
  routes.get('/results/mail', {
    access: 'clinic',
    summary: 'Whether one hears of each month by mail',
    description: '`hasMail` says whether this deployment can send mail at all.',
    responses: { 200: { description: 'What was chosen', schema: ResultMail } },
    handle: async ({ caller: { clinicId, accountId } }, deps) => ({ body: await mailOf(deps, clinicId, accountId) }),
  }),
  routes.put('/results/mail', {
    access: 'clinic',
    summary: 'Choose whether the results of each month come by mail',
    description:
      'On the first day of the next month, from six in the morning by the clinic’s clock: what was recovered, what it was worth and what calls cost, beside the month before, with a chart. It is about the clinic, never about a patient.',
    body: ResultMailChange,
    responses: {
      200: { description: 'What is chosen now', schema: ResultMail },
      409: { description: 'This deployment sends no mail' },
    },
    async handle({ caller: { clinicId, accountId }, body: { isWanted } }, deps) {
      if (isWanted && !deps.mail.isSet)
        throw new AppError('conflict', 'This service sends no mail: SMTP_URL is not set');
      await deps.stores.monthMails.want(clinicId, accountId, isWanted);
      return { body: await mailOf(deps, clinicId, accountId) };
    },
  }),
];

async function mailOf(
  { stores, mail }: Deps<'stores' | 'mail'>,
  clinicId: string,
  accountId: string,
): Promise<z.infer<typeof ResultMail>> {
  const [isWanted, account] = await Promise.all([
    stores.monthMails.isWanted(clinicId, accountId),
    stores.staff.find(clinicId, accountId),
  ]);
  return { isWanted, hasMail: mail.isSet, email: account?.email ?? '' };
}

async function show(
  { stores }: Deps<'stores'>,
  clinicId: string,
  { comparedWith: comparison, simulated: withSimulated = false, ...asked }: z.output<typeof ShowResults>,
): Promise<Results> {
  const [agenda, settings] = await Promise.all([stores.agendas.of(clinicId), stores.results.settings(clinicId)]);
  const zone = agenda?.zone ?? 'UTC';
  const { currency, usdRate } = moneyOfClinic(settings);
  const period = periodOf(asked, localDate(new Date().toISOString(), zone));
  const earlier = comparedWith(period, comparison);
  const [current, before, closedDays, pauses, endings] = await Promise.all([
    stores.results.of(clinicId, { ...spanOf(period, zone), withSimulated }),
    stores.results.of(clinicId, { ...spanOf(earlier, zone), withSimulated }),
    stores.clinics.closedDays(clinicId),
    stores.pauses.during(clinicId, spanOf(period, zone)),
    stores.results.endings(clinicId, spanOf(period, zone)),
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
    byDay: onEveryDay(period, current.byDay),
    byDayBefore: onEveryDay(earlier, before.byDay),
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

const figuresOf = (
  { all, byStatus, medianSecondsToOutcome, simulated, recoveredPatients, recoveredWithPrice }: CaseResults,
  usdRate: number | null,
): Results['current'] => ({
  ...all,
  ...ratesOf(all),
  ...moneyOf(all, { usdRate, recoveredPatients }),
  recoveredPatients,
  recoveredWithPrice,
  medianSecondsToOutcome,
  simulated,
  byStatus: Object.fromEntries(byStatus.map(({ name, opened }) => [name, opened])),
});
