import { Overview, SettingsAreas, SetUp } from '@clinic/shared/contracts/operations/overview';
import { localDate, plusDays, startOfDate } from '@clinic/shared/domain/calendar/clinic-time';
import { caseStates } from '@clinic/shared/domain/outreach/case-state';
import { AppError } from '@clinic/shared/errors';
import type { SettingsFacts } from '@clinic/prisma/stores/operations/overview';
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
  routes.get('/integrations/areas', {
    right: 'settings.read',
    summary: 'How each area of the settings stands: on, off, not set up, or in need of a look',
    description: 'By what is stored here. Nothing is asked of other systems: what works is for each page’s own check.',
    responses: { 200: { description: 'Each area', schema: SettingsAreas } },
    async handle({ caller: { clinicId } }, { stores }) {
      const facts = await stores.overview.settings(clinicId);
      if (!facts) throw new AppError('not_found', 'The clinic of this account is gone');
      return { body: { items: areasOf(facts) } };
    },
  }),
];

type AreaState = SettingsAreas['items'][number];

function areasOf(facts: SettingsFacts): AreaState[] {
  const is = (area: AreaState['area'], state: AreaState['state']): AreaState => ({ area, state, count: null });
  const has = (area: AreaState['area'], count: number): AreaState => ({
    area,
    state: count > 0 ? 'on' : 'not_set_up',
    count,
  });
  const onWhere = (isOn: boolean) => (isOn ? 'on' : 'not_set_up');
  const onOrOff = (isOn: boolean | null) => (isOn === null ? 'not_set_up' : isOn ? 'on' : 'off');
  return [
    // Without closed days the hours of providers hold.
    { area: 'hours', state: 'on', count: facts.closedDays },
    facts.hasProviderWithoutHours ? is('providers', 'needs_a_look') : has('providers', facts.providers),
    is('calling', facts.isPaused ? 'paused' : 'on'),
    { area: 'opt-outs', state: 'on', count: facts.optOuts },
    has('people', facts.accounts),
    is('single-sign-on', onWhere(facts.hasSingleSignOn)),
    is('results', onWhere(facts.hasGoals)),
    is('retention', 'on'),
    is('sandbox', facts.isSandboxOn ? 'on' : 'off'),
    has('api-keys', facts.apiKeys),
    has('inbound', facts.inbound),
    is('outbound', outboundState(facts)),
    is('approved-api', onOrOff(facts.isApprovedApiOn)),
    is('crm', onOrOff(facts.isCrmOn)),
    is('voice', facts.isSimulated ? 'simulated' : 'on'),
    has('phone-numbers', facts.phoneNumbers),
  ];
}

function outboundState({ endpoints, openEndpoints, hasFailingEndpoint }: SettingsFacts): AreaState['state'] {
  if (endpoints === 0) return 'not_set_up';
  if (hasFailingEndpoint) return 'needs_a_look';
  return openEndpoints > 0 ? 'on' : 'off';
}
