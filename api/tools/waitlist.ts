import { defaultVisitType } from '@clinic/shared/contracts/calendar/appointments';
import { Line } from '@clinic/shared/contracts/primitives';
import { DateText, TimeText } from '@clinic/shared/contracts/primitives';
import { localDate, plusDays } from '@clinic/shared/domain/calendar/clinic-time';
import { spokenTime } from '@clinic/shared/domain/voice/spoken-time';
import { z } from 'zod';
import { UNKNOWN_PATIENT, unknownProvider } from './appointment-answers';
import { booking, followingUp } from './appointment-calls';
import { refusal, Success, tool, type ToolAnswer, type ToolContext } from './tool';
import { withinLimits } from './unverified-booking';

const family = 'calling-tools';
const subject = 'waitlist-offer';
/** Who says no date waits for the next weeks. */
const WAIT_DAYS = 30;

const NOTHING_OFFERED = refusal('No time is held for this caller any more. Say that they stay on the list.');

/** What a call does that offers somebody on the waitlist a time, and how a caller gets on the list. Additions of ours. */
export const waitlistTools = [
  tool({
    family,
    name: 'get_waitlist_offer',
    description: 'The time that became free and is held for the caller while you talk. Call it before you name a time.',
    arguments: z.object({}),
    result: z.object({
      found: z.boolean(),
      providerName: z.string().optional(),
      visitType: z.string().optional(),
      scheduledAt: z.string().optional(),
      scheduledAtSpoken: z.string().optional(),
      success: z.boolean().optional(),
      error: z.string().optional(),
    }),
    example: {
      arguments: {},
      result: {
        found: true,
        providerName: 'Dr.Chen',
        visitType: 'Follow-up consultation',
        scheduledAt: '2026-12-01T16:00:00.000Z',
        scheduledAtSpoken: 'Tuesday, December 1 at 9:00 AM',
      },
    },
    workflowTypes: ['waitlist-offer'],
    needs: 'waitlist',
    isWrite: false,
    ifCallerFailed: { found: false },
    async handle(_none, { call: { clinicId, clinicZone, workflowId }, stores }) {
      const isHeld = workflowId !== null && (await stores.waitlistOffers.prolong(clinicId, workflowId));
      const offer = isHeld ? await stores.waitlistOffers.ofRun(clinicId, workflowId) : null;
      if (!offer) return { result: { found: false } };
      const now = await stores.agendas.now(clinicId);
      const scheduledAt = offer.startsAt.toISOString();
      return {
        result: {
          found: true,
          providerName: offer.providerName,
          visitType: offer.visitType,
          scheduledAt,
          scheduledAtSpoken: spokenTime(scheduledAt, clinicZone, now.toISOString()),
        },
      };
    },
  }),

  tool({
    family,
    name: 'accept_waitlist_offer',
    description: 'The caller wants the time that is held for them: books it.',
    arguments: z.object({}),
    result: z.object({
      success: z.boolean(),
      appointmentId: z.string().optional(),
      scheduledAt: z.string().optional(),
      scheduledAtSpoken: z.string().optional(),
      status: z.string().optional(),
      error: z.string().optional(),
    }),
    example: {
      arguments: {},
      result: {
        success: true,
        appointmentId: 'appointment-1',
        scheduledAt: '2026-12-01T16:00:00.000Z',
        scheduledAtSpoken: 'Tuesday, December 1 at 9:00 AM',
        status: 'booked',
      },
    },
    workflowTypes: ['waitlist-offer'],
    needs: 'waitlist',
    isWrite: true,
    ifCallerFailed: {},
    subject,
    async handle(_none, { call: { clinicId, clinicZone, workflowId }, stores }): Promise<ToolAnswer> {
      if (workflowId === null) return NOTHING_OFFERED;
      const accepted = await stores.waitlistOffers.accept(clinicId, workflowId);
      if (accepted.kind !== 'booked') return NOTHING_OFFERED;
      const { appointmentId, startsAt } = accepted.offer;
      const scheduledAt = startsAt.toISOString();
      const now = await stores.agendas.now(clinicId);
      const scheduledAtSpoken = spokenTime(scheduledAt, clinicZone, now.toISOString());
      return {
        result: { success: true, appointmentId, scheduledAt, scheduledAtSpoken, status: 'booked' },
        fact: 'booked',
        detail: { appointmentId, startsAt: scheduledAt },
      };
    },
  }),

  tool({
    family,
    name: 'decline_waitlist_offer',
    description:
      'The caller does not want the time that is held for them; it goes to somebody else. They wait on, unless they say that they need no other time.',
    arguments: z.object({
      leavesList: z.boolean().optional().describe('True where they want no other time offered either'),
    }),
    result: Success,
    example: { arguments: { leavesList: false }, result: { success: true } },
    workflowTypes: ['waitlist-offer'],
    needs: 'waitlist',
    isWrite: true,
    ifCallerFailed: {},
    subject,
    async handle({ leavesList = false }, { call: { clinicId, workflowId }, stores }): Promise<ToolAnswer> {
      if (workflowId === null) return NOTHING_OFFERED;
      const isDeclined = await stores.waitlistOffers.decline({ clinicId, workflowId, leavesList });
      const isAgain = !isDeclined && (await stores.waitlistOffers.ofRun(clinicId, workflowId))?.status === 'declined';
      return isDeclined || isAgain ? { result: { success: true }, fact: 'declined' } : NOTHING_OFFERED;
    },
  }),

  tool({
    family,
    name: 'join_waitlist',
    description: 'No open time suits the caller: puts them on the list of those who are called when one becomes free.',
    arguments: z.object({
      providerName: Line.optional().describe('Any provider if omitted'),
      visitType: Line.optional(),
      earliestOn: DateText.optional().describe('As 2026-11-24; today if omitted'),
      latestOn: DateText.optional().describe('As 2026-12-24; 30 days later if omitted'),
      fromTime: TimeText.optional().describe('As 09:00, on the clinic’s clock; any time of day if omitted'),
      untilTime: TimeText.optional().describe('As 12:00: a visit begins before'),
    }),
    result: Success.extend({ reason: z.string().optional() }),
    example: { arguments: { visitType: 'Follow-up consultation' }, result: { success: true } },
    workflowTypes: [...booking, ...followingUp],
    needs: 'holding',
    isWrite: true,
    ifCallerFailed: {},
    isForNewPatients: true,
    handle: (args, context) => withinLimits('waitlist', context, () => join(args, context)),
  }),
];

async function join(
  args: {
    providerName?: string | undefined;
    visitType?: string | undefined;
    earliestOn?: string | undefined;
    latestOn?: string | undefined;
    fromTime?: string | undefined;
    untilTime?: string | undefined;
  },
  context: ToolContext,
): Promise<ToolAnswer> {
  const { call, recordId: entryId, stores } = context;
  const { clinicId, patientId, clinicZone } = call;
  const today = localDate((await stores.agendas.now(clinicId)).toISOString(), clinicZone);
  const earliestOn = args.earliestOn ?? today;
  const latestOn = args.latestOn ?? plusDays(earliestOn, WAIT_DAYS);
  if (latestOn < today || latestOn < earliestOn)
    return refusal('latestOn must be a day to come, and not before earliestOn.');
  const { fromTime = null, untilTime = null } = args;
  if (fromTime !== null && untilTime !== null && untilTime <= fromTime)
    return refusal('untilTime must be after fromTime.');
  const added = await stores.waitlist.add(
    {
      clinicId,
      entryId,
      patientId,
      provider: args.providerName ?? null,
      visitType: args.visitType ?? defaultVisitType,
      earliestOn,
      latestOn,
      fromTime,
      untilTime,
    },
    `call:${call.callId}`,
  );
  switch (added.kind) {
    case 'added':
      return { result: { success: true } };
    case 'unknown_provider':
      return refusal(await unknownProvider(context));
    case 'unknown_patient':
      return UNKNOWN_PATIENT;
    case 'too_many':
      return refusal('The caller is on the list for as many times as possible already.');
  }
}
