import { localDate, plusDays, startOfDate } from '@clinic/shared/domain/clinic-time';
import { caseStates } from '@clinic/shared/domain/case-state';
import type { Stores } from '@clinic/prisma/stores';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import { route, type Route } from '../http/route';

const Count = z.int().min(0);

const Overview = z
  .object({
    date: z.iso.date().describe("Today in the clinic's timezone"),
    timezone: z.string(),
    cases: z.object({
      opened: Count.describe('Today'),
      ended: Count.describe('Today'),
      byStatus: z
        .record(z.enum(caseStates), Count)
        .describe('Open cases, and those that were opened or ended today, by their status now'),
    }),
    calls: z.object({ running: Count.describe('Now'), placed: Count.describe('Today') }),
    deliveries: z.object({
      delivered: Count.describe('Events of today that were received'),
      retrying: Count.describe('Failed at least once and tried again'),
      dead: Count.describe('Given up, until somebody sends them again'),
    }),
    tasks: z.object({ open: Count, unassigned: Count }),
    appointments: z.object({ booked: Count.describe('Booked today'), onTheDay: Count.describe('That start today') }),
  })
  .meta({ id: 'Overview' });

/** What happened today in the clinic's zone, and what is going on now. */
export function overviewRoutes({ stores }: { stores: Stores }): Route[] {
  return [
    route({
      method: 'get',
      path: '/overview',
      access: 'clinic',
      tag: 'Overview',
      summary: "What happened today, in the clinic's timezone",
      responses: { 200: { description: 'Counts', schema: Overview } },
      async handle({ caller: { clinicId } }) {
        const clinic = await stores.clinics.find(clinicId);
        if (!clinic) throw new AppError('not_found', 'The clinic of this account is gone');
        const { timezone } = clinic;
        const date = localDate(new Date().toISOString(), timezone);
        const day = { from: startOfDate(date, timezone), until: startOfDate(plusDays(date, 1), timezone) };
        const counts = await stores.overview.of(clinicId, day);
        const none = Object.fromEntries(caseStates.map((status) => [status, 0]));
        const cases = { ...counts.cases, byStatus: { ...none, ...counts.cases.byStatus } };
        return { body: { date, timezone, ...counts, cases } };
      },
    }),
  ];
}
