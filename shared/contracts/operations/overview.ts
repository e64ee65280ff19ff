import { z } from 'zod';
import { CaseState } from '../outreach/cases';
import { Instant } from '../primitives';

const Total = z.int().min(0);

/** `GET /api/overview`. */
export const Overview = z
  .object({
    date: z.iso.date().describe("Today in the clinic's timezone"),
    timezone: z.string(),
    cases: z.object({
      opened: Total.describe('Today, without simulated ones, as everything here'),
      ended: Total.describe('Today'),
      simulated: Total.describe('Cases left out: open, or opened or ended today, that the simulator played'),
      byStatus: z
        .record(CaseState, Total)
        .describe('Open cases, and those that were opened or ended today, by their status now'),
    }),
    calls: z.object({ running: Total.describe('Now'), placed: Total.describe('Today') }),
    deliveries: z.object({
      delivered: Total.describe('Events of today that were received'),
      retrying: Total.describe('Failed at least once and tried again'),
      dead: Total.describe('Given up, until somebody sends them again'),
      failingSince: Instant.nullable().describe(
        'Since when the receiver has taken nothing; null while it takes events',
      ),
    }),
    tasks: z.object({ open: Total, unassigned: Total }),
    appointments: z.object({ booked: Total.describe('Booked today'), onTheDay: Total.describe('That start today') }),
  })
  .meta({ id: 'Overview' });

/** `GET /api/overview/set-up`: what a new clinic has done already, in the order in which it is done. */
export const SetUp = z
  .object({
    steps: z.array(
      z.object({
        step: z
          .enum(['outbound-url', 'inbound-secret', 'test-event', 'first-case', 'voice'])
          .describe('voice: calls ring phones, and no simulator plays them'),
        isDone: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'SetUp' });

/** `GET /api/integrations/areas`: how each area of the settings stands, by the name that the dashboard's addresses have. */
export const SettingsAreas = z
  .object({
    items: z.array(
      z.object({
        area: z.enum([
          'hours',
          'providers',
          'calling',
          'opt-outs',
          'people',
          'single-sign-on',
          'results',
          'retention',
          'sandbox',
          'api-keys',
          'inbound',
          'outbound',
          'approved-api',
          'crm',
          'voice',
          'phone-numbers',
        ]),
        state: z
          .enum(['on', 'off', 'not_set_up', 'needs_a_look', 'paused', 'simulated'])
          .describe(
            'not_set_up: nothing is entered; needs_a_look: an endpoint fails, or a provider has no hours; paused: all outreach is; simulated: no phone rings',
          ),
        count: z
          .int()
          .nullable()
          .describe(
            'Of what it lists: closed days to come, providers, opt-outs (up to 1,000), open accounts, live keys, inbound URLs with a secret, phone numbers',
          ),
      }),
    ),
  })
  .meta({ id: 'SettingsAreas' });
export type SettingsAreas = z.infer<typeof SettingsAreas>;
