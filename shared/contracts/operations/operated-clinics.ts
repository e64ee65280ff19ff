import { z } from 'zod';
import { type DatedFigure, datedFigures } from '../../domain/operations/clinic-faults';
import { alarmKinds } from '../../domain/tasks/alarms';
import { Instant } from '../primitives';

const Count = z.int().min(0);
const Seconds = z.number().min(0);

const Since = z.object(
  Object.fromEntries(datedFigures.map((figure) => [figure, Instant.nullable()])) as Record<
    DatedFigure,
    z.ZodNullable<typeof Instant>
  >,
);

const NamedEndpoint = z.object({
  endpointId: z.string(),
  endpointName: z.string().nullable().describe("null: the clinic's first endpoint"),
});

const OperatedClinic = z
  .object({
    clinicId: z.string(),
    name: z.string(),
    openRuns: Count,
    unstartedRuns: Count.describe('Open runs that Temporal has not taken for a minute'),
    stuckRuns: Count.nullable().describe(
      'Runs whose workflow fails again and again; null where Temporal cannot be asked',
    ),
    runFaults: Count.describe('Open tasks about runs that failed, or whose records are incomplete'),
    voiceFaults: Count.describe('Open tasks about faults of the voice platform'),
    systemFaults: Count.describe("Open tasks about what the clinic's EHR, API or CRM did not take"),
    setupFaults: Count.describe('Open tasks that only a change of settings mends'),
    alarms: Count.describe('Open alarms about who read what'),
    alarmKinds: z.array(z.enum(alarmKinds)).describe('Of which kinds these are'),
    newestAlarms: z
      .array(z.object({ kind: z.enum(alarmKinds), at: Instant }))
      .describe('The newest of them, ten at most'),
    failingEndpoints: Count.describe('Endpoints for events whose last attempt failed'),
    failing: z
      .array(
        NamedEndpoint.extend({
          since: Instant.nullable(),
          error: z.string().nullable().describe('Why the last attempt failed, as deliveries say it'),
        }),
      )
      .describe('Which endpoints these are, the one that fails longest first'),
    deadDeliveries: Count.describe('Given up within the last seven days, of endpoints that have not been removed'),
    newestDead: z
      .array(
        NamedEndpoint.extend({
          deliveryId: z.string(),
          event: z.string(),
          at: Instant.describe('When it was given up'),
        }),
      )
      .describe('The newest of those given up, three at most'),
    deadEndpoints: z
      .array(NamedEndpoint.extend({ count: Count }))
      .describe('To which endpoints those given up are, those with the most first'),
    waitingDeliveries: Count,
    waitingErasures: Count,
    pauses: Count.describe('In force, of this clinic'),
    needsALook: z.boolean().describe('Whether anything but erasures, pauses and deliveries that wait is counted'),
    since: Since.describe('When the oldest of what is counted came about, and the newest delivery was given up'),
    temporalUrl: z.string().describe("Where Temporal's UI lists the clinic's workflows"),
    temporalUrls: z
      .object({
        stuckRuns: z.string(),
        runFaults: z
          .string()
          .describe('Workflows that ended otherwise than by themselves, for as long as Temporal keeps them'),
        failingEndpoints: z.string().describe('Workflows that wait to deliver'),
        waitingDeliveries: z.string().describe('The same'),
        waitingErasures: z.string(),
      })
      .describe('Where it lists what a figure is about'),
  })
  .meta({ id: 'OperatedClinic' });

/** `GET /api/operations/clinics`. */
export const OperatedClinics = z
  .object({
    at: Instant,
    isTemporalReachable: z.boolean(),
    duties: z.array(
      z.object({
        name: z.string().describe('relay, reconcile, fulfil or mail; an older process may have others'),
        isHeld: z.boolean().describe('Whether a worker has it'),
        passedAt: Instant.nullable().describe('When a pass last came to its end, give or take some seconds'),
        isLate: z.boolean().describe('Whether that is longer ago than it should be'),
      }),
    ),
    oldest: z
      .object({ startSeconds: Seconds, messageSeconds: Seconds, callSeconds: Seconds, deliverySeconds: Seconds })
      .describe(
        'How long what waits longest has waited: a start, a message to a workflow, a due call that no pause holds back, a due delivery',
      ),
    isEveryClinicPaused: z.boolean(),
    pauses: z
      .array(
        z.object({
          id: z.string(),
          clinicId: z.string().nullable().describe('null: of every clinic'),
          workflowType: z.string().nullable().describe('null: of every type'),
          reason: z.string(),
          isByOperator: z.boolean(),
          pausedAt: Instant,
          until: Instant.nullable(),
        }),
      )
      .describe('Those in force, the newest first'),
    clinics: Count.describe('How many there are in all'),
    needALook: Count.describe('How many of all need a look'),
    items: z.array(OperatedClinic).describe('The worst first, 200 at most'),
  })
  .meta({ id: 'OperatedClinics' });
