import { z } from 'zod';
import { PatientName } from '../patients/patients';
import { Instant, Moment, Page, pageOf, Total } from '../primitives';
import { WorkflowTypeName } from './workflows';

/** A call that is due and waits for a free line. */
export const QueuedCall = z
  .object({
    workflowId: z.string(),
    workflowType: WorkflowTypeName,
    recoveryCaseId: z.string().nullable(),
    patient: PatientName,
    dueAt: Instant.describe('Since when the call has been due: first due, first served'),
    queuedAt: Instant.describe('When it got in line'),
    notAfter: Instant.nullable().describe('From then on it is not made for this reason any more; decided anew then'),
    goesFirst: z
      .boolean()
      .describe('Before calls that have been due for longer: it is about an appointment, and loses its use with time'),
    isPhoneInCall: z.boolean().describe('The phone is in another call: passed over until that is over'),
  })
  .meta({ id: 'QueuedCall' });
export type QueuedCall = z.infer<typeof QueuedCall>;

/** `GET /api/calling-queue`. */
export const ListQueue = Page.extend({
  from: Moment.optional().describe('Due since this day of the clinic, this instant, or later'),
  until: Moment.optional().describe('Due since before'),
});

/** `GET /api/calling-queue`. */
export const CallingQueue = pageOf(QueuedCall)
  .extend({
    lines: z.object({
      total: z.int().describe('Calls at once that the calling policy allows'),
      inUse: z.int().describe('Calls under way, inbound ones too, and lines given to a call that is about to be made'),
    }),
    waiting: z.int().describe('All that wait, not only those of this page'),
    total: Total.describe('Those that the filters find'),
  })
  .meta({ id: 'CallingQueue' });
