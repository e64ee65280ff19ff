import { z } from 'zod';
import { CaseState } from '../outreach/cases';

/** `GET /api/results`. */
export const ShowResults = z.object({
  days: z
    .enum(['7', '30', '90'], { error: 'must be 7, 30 or 90' })
    .default('30')
    .transform(Number)
    .describe("Whole days of the clinic's calendar, today the last"),
});

const counts = {
  opened: z.int().describe('Recovery cases that were opened in these days; every other number is about these cases'),
  ended: z.int(),
  recovered: z.int(),
  alreadyCompleted: z.int().describe('Finished by the patient before a call'),
  called: z.int().describe("Cases whose patient's phone rang"),
  reached: z.int().describe('Cases in which a person answered'),
  calls: z.int().describe('Calls that rang'),
};

const Figures = z
  .object({
    ...counts,
    recoveryRate: z.number().nullable().describe('recovered / (ended - alreadyCompleted)'),
    reachRate: z.number().nullable().describe('reached / called'),
    callsPerRecovery: z.number().nullable().describe('calls / recovered'),
    medianSecondsToOutcome: z.number().nullable().describe('From the opening of a case to its end'),
    valueRecovered: z.number().describe('Of the unit prices that came with the forms of recovered cases'),
    simulated: z.int().describe('Cases that the simulator played: nobody was reached in them'),
    byStatus: z.partialRecord(CaseState, z.int()),
  })
  .meta({ id: 'ResultFigures' });

/** How recovery went, compared with as many days before. Days are the clinic's. */
export const Results = z
  .object({
    timezone: z.string(),
    days: z.int(),
    from: z.iso.date(),
    until: z.iso.date().describe('The last day'),
    current: Figures,
    before: Figures.describe('The same of as many days just before'),
    byDay: z.array(z.object({ date: z.iso.date(), ...counts })),
    byHour: z
      .array(
        z.object({
          weekday: z.int().describe('1, Monday, to 7'),
          hour: z.int().describe('0 to 23'),
          opened: counts.opened,
          ended: counts.ended,
          recovered: counts.recovered,
          alreadyCompleted: counts.alreadyCompleted,
        }),
      )
      .describe("By when they were opened, on the clinic's clock; an hour without a case is left out"),
    barriers: z
      .array(z.object({ barrier: z.string(), cases: z.int(), recovered: z.int() }))
      .describe('Why patients stopped, the most frequent first, ten at most; case makes no difference'),
    forms: z
      .array(z.object({ formName: z.string(), cases: z.int(), ended: z.int(), recovered: z.int() }))
      .describe('The forms with the most cases, ten at most'),
  })
  .meta({ id: 'Results' });
export type Results = z.infer<typeof Results>;
