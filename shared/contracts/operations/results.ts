import { z } from 'zod';
import { isDate } from '../../domain/calendar/clinic-time';
import { comparisons } from '../../domain/operations/periods';
import { noteKinds } from '../../domain/operations/result-notes';
import { CaseState } from '../outreach/cases';
import { Flag } from '../primitives';

const Day = z
  .string()
  .refine(isDate, 'must be a date as 2026-10-31')
  // What it is compared with is a year before, or more, and dates begin with the year 1.
  .refine((date) => date >= '1900-01-01', 'must not be before 1900')
  .meta({ format: 'date' });

/** `GET /api/results`. */
export const ShowResults = z.object({
  days: z
    .enum(['7', '30', '90'], { error: 'must be 7, 30 or 90' })
    .default('30')
    .transform(Number)
    .describe("Whole days of the clinic's calendar, today the last; without `from` and `until`"),
  from: Day.optional().describe('The first day; with `until`'),
  until: Day.optional().describe('The last day'),
  comparedWith: z
    .enum(comparisons)
    .default('before')
    .describe(
      'Whole months are compared with as many months before, other days with as many days before; whole weeks with the same weekdays',
    ),
  simulated: Flag.optional().describe('true: with the cases in which the simulator played the patient'),
});

const counts = {
  opened: z.int().describe('Recovery cases that were opened in these days; every other number is about these cases'),
  ended: z.int(),
  recovered: z.int(),
  alreadyCompleted: z.int().describe('Finished by the patient before a call'),
  lost: z.int().describe('Ended in any other way'),
  called: z.int().describe("Cases whose patient's phone rang"),
  reached: z.int().describe('Cases in which a person answered'),
  calls: z.int().describe('Calls that rang'),
  valueRecovered: z.number().describe('Of the unit prices that came with the forms of recovered cases'),
  valueLost: z.number().describe('The same of lost cases'),
  callCostUsd: z.number().describe('What the calls of these cases cost, as the platform bills them'),
  callSeconds: z.int().describe('For how long people talked in them'),
};

const money = z.number().nullable();

const Figures = z
  .object({
    ...counts,
    recoveryRate: z.number().nullable().describe('recovered / (recovered + lost)'),
    reachRate: z.number().nullable().describe('reached / called'),
    callsPerRecovery: z.number().nullable().describe('calls / recovered'),
    medianSecondsToOutcome: z.number().nullable().describe('From the opening of a case to its end'),
    recoveredPatients: z.int().describe('Patients of recovered cases, each counted once'),
    recoveredWithPrice: z.int().describe('Recovered cases whose form came with a price: what valueRecovered adds up'),
    callCost: money.describe('callCostUsd in the clinic’s currency'),
    net: money.describe('valueRecovered - callCost'),
    costPerRecovered: money.describe('callCost / recoveredPatients'),
    netPerRecovered: money.describe('net / recoveredPatients'),
    simulated: z.int().describe('Cases in which the simulator played the patient: no real person was reached in them'),
    byStatus: z.partialRecord(CaseState, z.int()),
  })
  .meta({ id: 'ResultFigures' });

const DayFigures = z.object({ date: z.iso.date(), ...counts });

/** Of at most ten names those with the most cases. */
const Group = z.object({ name: z.string(), ...counts });

const settings = {
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be three capital letters, as EUR')
    .nullable()
    .describe('ISO 4217, of the prices in the forms; null: that of the clinic’s country'),
  usdRate: z
    .number()
    .positive()
    .max(1_000_000)
    .nullable()
    .describe('What a US dollar costs in it, for calls are billed in dollars; null: not known'),
  targetRecoveryRate: z.number().min(0).max(1).nullable().describe('Of the cases that are decided'),
  targetRecoveries: z.int().min(0).max(1_000_000).nullable().describe('In a calendar month'),
};

/** `GET /api/integrations/results`. */
export const ResultSettings = z
  .object({ ...settings, ownCurrency: z.string().describe('That of the clinic’s country') })
  .meta({ id: 'ResultSettings' });

/** `PUT /api/integrations/results`. */
export const ResultSettingsChange = z.strictObject(settings);

/** `GET /api/results/mail`. */
export const ResultMail = z
  .object({
    isWanted: z.boolean().describe('Whether the results of each month come by mail'),
    hasMail: z.boolean().describe('Whether this deployment sends mail'),
    email: z.string(),
  })
  .meta({ id: 'ResultMail' });

/** `PUT /api/results/mail`. */
export const ResultMailChange = z.strictObject({ isWanted: z.boolean() });

/** How recovery went, compared with other days. Days are the clinic's. */
export const Results = z
  .object({
    timezone: z.string(),
    currency: z.string().describe('ISO 4217: of values, which are those of the forms'),
    usdRate: z.number().nullable().describe('What a US dollar costs in it; null where the clinic has not said'),
    targets: z.object({
      recoveryRate: z.number().nullable().describe('From 0 to 1'),
      recoveries: z.int().nullable().describe('In a calendar month'),
    }),
    days: z.int(),
    from: z.iso.date(),
    until: z.iso.date().describe('The last day'),
    beforeFrom: z.iso.date(),
    beforeUntil: z.iso.date(),
    current: Figures,
    before: Figures.describe('The same of what it is compared with'),
    byDay: z.array(DayFigures),
    byDayBefore: z.array(DayFigures),
    notes: z
      .array(
        z.object({
          date: z.iso.date(),
          kind: z.enum(noteKinds),
          text: z.string().nullable().describe('What a closed day is called, or why outreach was paused'),
          count: z
            .int()
            .nullable()
            .describe('Calls that failed at the voice platform, or waited in line for more than 15 minutes'),
        }),
      )
      .describe('Why fewer patients were called on some of these days'),
    byHour: z
      .array(
        z.object({
          weekday: z.int().describe('1, Monday, to 7'),
          hour: z.int().describe('0 to 23'),
          ...counts,
        }),
      )
      .describe("By when they were opened, on the clinic's clock; an hour without a case is left out"),
    barriers: z
      .array(z.object({ barrier: z.string(), cases: z.int(), ...counts }))
      .describe('Why patients stopped, the most frequent first, ten at most; case makes no difference'),
    forms: z
      .array(z.object({ formName: z.string(), cases: z.int(), ...counts }))
      .describe('The forms with the most cases, ten at most'),
    providers: z
      .array(Group.extend({ displayName: z.string().nullable() }))
      .describe('Recovered cases by the first visit that the patient booked in the 30 days after; `none`: no visit'),
    visitTypes: z.array(Group).describe('The same by its visit type'),
    hoursReached: z
      .array(z.object({ hour: z.int().describe('0 to 23'), ...counts }))
      .describe("By the hour of the clinic's clock at which a person first answered"),
  })
  .meta({ id: 'Results' });
export type Results = z.infer<typeof Results>;
