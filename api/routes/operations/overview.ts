import { Overview, SetUp } from '@clinic/shared/contracts/operations/overview';
import { localDate, plusDays, startOfDate } from '@clinic/shared/domain/calendar/clinic-time';
import { caseStates } from '@clinic/shared/domain/outreach/case-state';
import { AppError } from '@clinic/shared/errors';
import type { z } from 'zod';
import { seesAlarms } from '../../http/sees-alarms';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Overview', access: 'clinic', right: 'workflows', patientData: 'none' });

/** What happened today in the clinic's zone, and what is going on now. */
export const overviewRoutes = [
  routes.get('/overview', {
    summary: "What happened today, in the clinic's timezone",
    description: 'Open cases and calls are those of now, the rest counts from midnight of the clinic’s clock.',
    responses: { 200: { description: 'Counts', schema: Overview } },
    async handle({ caller }, { stores }) {
      const { clinicId } = caller;
      const clinic = await stores.clinics.find(clinicId);
      if (!clinic) throw new AppError('not_found', 'The clinic of this account is gone');
      const { timezone } = clinic;
      const date = localDate(new Date().toISOString(), timezone);
      const day = { from: startOfDate(date, timezone), until: startOfDate(plusDays(date, 1), timezone) };
      const counts = await stores.overview.of(clinicId, { ...day, withoutAlarms: !seesAlarms(caller) });
      const none = Object.fromEntries(caseStates.map((status) => [status, 0]));
      const cases = { ...counts.cases, byStatus: { ...none, ...counts.cases.byStatus } };
      const failingSince = counts.deliveries.failingSince?.toISOString() ?? null;
      return { body: { date, timezone, ...counts, cases, deliveries: { ...counts.deliveries, failingSince } } };
    },
  }),
  routes.get('/overview/set-up', {
    right: 'settings.read',
    summary: 'What a new clinic has set up already',
    description:
      'In the order in which they are usually done. Nothing is asked of other systems: what works is for each page’s own check.',
    responses: { 200: { description: 'The steps, in their order', schema: SetUp } },
    async handle({ caller: { clinicId } }, { stores }) {
      const found = await stores.overview.setUp(clinicId);
      const steps: z.infer<typeof SetUp>['steps'] = [
        { step: 'outbound-url', isDone: found.hasUrl },
        { step: 'inbound-secret', isDone: found.hasInboundSecret },
        { step: 'test-event', isDone: found.hasTestEvent },
        { step: 'first-case', isDone: found.hasCase },
        { step: 'voice', isDone: found.hasVoice },
      ];
      return { body: { steps } };
    },
  }),
];
