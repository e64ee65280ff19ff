import { tellClinic } from '@clinic/gateways/clinic-api/tell-clinic';
import { EHR_WAIT_MS, whileCallerWaits } from '@clinic/gateways/clinic-api/while-caller-waits';
import type { CalendarAppointment, FreeTime } from '@clinic/gateways/calendar/port';
import { Line, Prose } from '@clinic/shared/contracts/primitives';
import { parseSpokenTime } from '@clinic/shared/domain/calendar/clinic-time';
import { demandsVerification } from '@clinic/shared/domain/patients/real-patients';
import { readBirthDate } from '@clinic/shared/domain/patients/intake';
import { readSpokenDay } from '@clinic/shared/domain/voice/spoken-day';
import { z } from 'zod';
import { noSlots, STAFF_CALL_BACK, toRefusal, toSpoken, unknownProvider } from './appointment-answers';
import { booking, followingUp, withoutVisit } from './appointment-calls';
import { bookForCaller } from './unverified-booking';
import { verifyCaller } from './verify-caller';
import { refusal, Success, tool, type ToolAnswer, type ToolContext } from './tool';

const family = 'emr-tools';

/** Booking, moving and cancelling change the same thing. */
const subject = 'appointment';

/** As far as a search for open times looks ahead, like the Slot search. */
const SEARCH_DAYS = 14;
/** More than an agent can offer in one breath, enough to find another one. */
const MAX_SLOTS = 10;

const LOCKED =
  'Nobody can be verified right now. Tell the caller kindly that the clinic will call back to help, and say nothing of their record.';
const SPOKEN_TIME = 'must be a date and time, as 2026-11-24T14:30';

const Time = Line.describe("A date and time; without an offset it is the clinic's local time");
const Offered = z.object({
  slotId: z.string(),
  providerName: z.string(),
  startsAt: z.string(),
  startsAtSpoken: z.string(),
});

/** Tools on the calendar that a call acts on (contract, "emr-tools"). */
export const emrTools = [
  tool({
    family,
    name: 'verify_patient',
    description: 'Check the date of birth that the caller states before anything of their record is said.',
    arguments: z.object({ dateOfBirth: Line.describe('As YYYY-MM-DD') }),
    result: z.object({
      verified: z.boolean(),
      reason: z.literal('nothing_on_file').optional(),
      error: z.string().optional(),
    }),
    example: { arguments: { dateOfBirth: '1980-03-05' }, result: { verified: true } },
    workflowTypes: [...followingUp, 'prescription-follow-up', 'waitlist-offer'],
    isWrite: false,
    async handle({ dateOfBirth }, context) {
      const stated = readBirthDate(dateOfBirth, context.call.clinicCountry);
      const outcome = await verifyCaller({ tool: 'verify_patient', stated }, context);
      switch (outcome) {
        case 'matched':
          return { result: { verified: true } };
        case 'nothing_on_file':
          return nothingOnFile(context);
        case 'could_not_be_compared':
          return notVerified(STAFF_CALL_BACK);
        case 'mismatched':
          return { result: { verified: false } };
        case 'unreadable':
          return notVerified('dateOfBirth is not a date. Ask for the year, the month and the day.');
        case 'locked':
          return notVerified(LOCKED);
      }
    },
  }),

  tool({
    family,
    name: 'check_availability',
    description:
      'Find open times. Give aroundDate for another day than today; with a time of day, times from then on are found.',
    arguments: z.object({
      providerName: Line.optional().describe('Any provider if omitted'),
      aroundDate: Line.optional().describe('As 2026-11-24 or 2026-11-24T14:30, or a word as tomorrow or Tuesday'),
    }),
    result: z.object({ slots: z.array(Offered), success: z.boolean().optional(), error: z.string().optional() }),
    example: {
      arguments: { providerName: 'Dr.Chen', aroundDate: '2026-12-01' },
      result: {
        slots: [
          {
            slotId: 'slot-1',
            providerName: 'Dr.Chen',
            startsAt: '2026-12-01T16:00:00.000Z',
            startsAtSpoken: 'Tuesday, December 1 at 9:00 AM',
          },
        ],
      },
    },
    workflowTypes: [...booking, ...followingUp],
    isWrite: false,
    async handle({ providerName, aroundDate }, context) {
      const { call, calendar, now } = context;
      const at = now.toISOString();
      const clinic = { zone: call.clinicZone, country: call.clinicCountry, now: at };
      const around = aroundDate === undefined ? at : readSpokenDay(aroundDate, clinic);
      if (!around) return noSlots('aroundDate must be a date, as 2026-11-24');
      // A day that has passed is a slip of the tongue: what is open from now on is the next best thing.
      const from = around > at ? around : at;
      const search = { provider: providerName ?? null, from, days: SEARCH_DAYS, limit: MAX_SLOTS };
      const found = await calendar.freeTimes(search, now);
      switch (found.kind) {
        case 'found':
          return { result: { slots: found.times.map((time) => toOffered(time, context)) } };
        case 'unknown_provider':
          return noSlots(await unknownProvider(context));
        case 'left_to_staff':
          return noSlots(STAFF_CALL_BACK);
      }
    },
  }),

  tool({
    family,
    name: 'book_appointment',
    description: 'Book one of the open times for the caller.',
    arguments: z.object({ providerName: Line, visitType: Line, scheduledAt: Time }),
    result: Success.extend({
      appointmentId: z.string().optional(),
      scheduledAt: z.string().optional(),
      scheduledAtSpoken: z.string().optional(),
      status: z.string().optional(),
      reason: z.string().optional(),
    }),
    example: {
      arguments: {
        providerName: 'Dr.Chen',
        visitType: 'Follow-up consultation',
        scheduledAt: '2026-12-01T16:00:00.000Z',
      },
      result: {
        success: true,
        appointmentId: 'appointment-1',
        scheduledAt: '2026-12-01T16:00:00.000Z',
        scheduledAtSpoken: 'Tuesday, December 1 at 9:00 AM',
        status: 'booked',
      },
    },
    workflowTypes: booking,
    followUpTypes: withoutVisit,
    isWrite: true,
    ifCallerFailed: {},
    isForNewPatients: true,
    subject,
    // The provider's time is what is booked; what the visit is called may be put differently the second time.
    meaning: ({ providerName, scheduledAt }, { clinicZone }) => [
      providerName.toLowerCase(),
      parseSpokenTime(scheduledAt, clinicZone) ?? scheduledAt,
    ],
    async handle({ providerName: provider, visitType, scheduledAt }, context) {
      const startsAt = parseSpokenTime(scheduledAt, context.call.clinicZone);
      if (!startsAt) return refusal(`scheduledAt ${SPOKEN_TIME}.`);
      return bookForCaller({ provider, visitType, startsAt }, context);
    },
  }),

  tool({
    family,
    name: 'get_upcoming_appointment',
    description: "Look up the caller's next appointment.",
    arguments: z.object({}),
    result: z.object({
      found: z.boolean(),
      appointmentId: z.string().optional(),
      providerName: z.string().optional(),
      scheduledAt: z.string().optional(),
      scheduledAtSpoken: z.string().optional(),
      status: z.string().optional(),
      success: z.boolean().optional(),
      error: z.string().optional(),
    }),
    example: {
      arguments: {},
      result: {
        found: true,
        appointmentId: 'appointment-1',
        providerName: 'Dr.Chen',
        scheduledAt: '2026-12-01T16:00:00.000Z',
        scheduledAtSpoken: 'Tuesday, December 1 at 9:00 AM',
        status: 'booked',
      },
    },
    workflowTypes: followingUp,
    isWrite: false,
    ifCallerFailed: { found: false },
    async handle(_none, context) {
      const next = await context.calendar.upcoming(context.now);
      if (next.kind === 'nothing_upcoming') return { result: { found: false } };
      if (next.kind === 'left_to_staff') {
        return { result: { found: false, success: false, error: STAFF_CALL_BACK } };
      }
      const { id: appointmentId, providerName, startsAt: scheduledAt, status } = next.appointment;
      const named = providerName !== null && { providerName };
      const scheduledAtSpoken = toSpoken(scheduledAt, context);
      return { result: { found: true, appointmentId, ...named, scheduledAt, scheduledAtSpoken, status } };
    },
  }),

  tool({
    family,
    name: 'reschedule_appointment',
    description: "Move the caller's next appointment to another open time of the same provider.",
    arguments: z.object({ newDateTime: Time }),
    result: Success.extend({
      appointmentId: z.string().optional(),
      scheduledAt: z.string().optional(),
      status: z.string().optional(),
      reason: z.string().optional(),
    }),
    example: {
      arguments: { newDateTime: '2026-12-01T16:00:00.000Z' },
      result: {
        success: true,
        appointmentId: 'appointment-1',
        scheduledAt: '2026-12-01T16:00:00.000Z',
        status: 'booked',
      },
    },
    workflowTypes: followingUp,
    isWrite: true,
    ifCallerFailed: {},
    subject,
    meaning: ({ newDateTime }, { clinicZone }) => parseSpokenTime(newDateTime, clinicZone) ?? newDateTime,
    async handle({ newDateTime }, context) {
      const startsAt = parseSpokenTime(newDateTime, context.call.clinicZone);
      if (!startsAt) return refusal(`newDateTime ${SPOKEN_TIME}.`);
      const moved = await context.calendar.move(startsAt, context);
      return moved.kind === 'moved' ? toMoved(moved.appointment) : toRefusal(moved, context);
    },
  }),

  tool({
    family,
    name: 'cancel_appointment',
    description: "Cancel the caller's next appointment.",
    arguments: z.object({}),
    result: Success.extend({ status: z.string().optional() }),
    example: { arguments: {}, result: { success: true, status: 'cancelled' } },
    workflowTypes: followingUp,
    isWrite: true,
    ifCallerFailed: {},
    subject,
    async handle(_none, context) {
      const cancelled = await context.calendar.cancel(context);
      return cancelled.kind === 'cancelled' ? toCancelled(cancelled.appointment) : toRefusal(cancelled, context);
    },
  }),

  tool({
    family,
    name: 'document_and_escalate',
    description:
      'Write down what the caller said for the clinic, and ask the clinical team to look at it where needed.',
    arguments: z.object({
      labOrderNote: Prose.optional(),
      referralNote: Prose.optional(),
      medicationNote: Prose.optional(),
      escalationReason: Prose.optional(),
      escalateToClinicalTeam: z.boolean().optional(),
      requestExternalRecords: z.boolean().optional(),
    }),
    result: Success,
    example: {
      arguments: { escalationReason: 'The caller asked about a new side effect.', escalateToClinicalTeam: true },
      result: { success: true },
    },
    workflowTypes: [...followingUp, 'prescription-follow-up', 'waitlist-offer'],
    isWrite: true,
    async handle({ escalateToClinicalTeam, requestExternalRecords, ...notes }, { call, recordId, stores, systems }) {
      const text = noteText(notes);
      const isEscalated = escalateToClinicalTeam === true || Boolean(notes.escalationReason);
      if (text === '' && !isEscalated && !requestExternalRecords) return { result: { success: true } };
      const wishesIn = wishesText({ isEscalated, requestExternalRecords });
      await stores.documents.write({
        id: recordId,
        clinicId: call.clinicId,
        patientId: call.patientId,
        callId: call.callId,
        content: [{ contentType: 'text/plain', data: Buffer.from(text || wishesIn, 'utf8').toString('base64') }],
        escalateToClinicalTeam: isEscalated || escalateToClinicalTeam,
        requestExternalRecords,
      });
      // No workflow tells of a test call when it is over.
      if (call.isTest && call.isLiveEhr) await tellOfTest({ call, stores, systems });
      return { result: { success: true }, fact: isEscalated ? 'escalated' : 'documented' };
    },
  }),
];

async function tellOfTest({ call, stores, systems }: Pick<ToolContext, 'call' | 'stores' | 'systems'>): Promise<void> {
  const { clinicId, callId } = call;
  const api = await systems.approvedApi(clinicId);
  if (!api) return;
  const notice = { clinicId, callId, action: 'document.write' as const };
  await whileCallerWaits(EHR_WAIT_MS, (within) => tellClinic({ api, records: stores.callSubjects }, notice, within));
}

/** By the contract a patient of the sandbox without a date of birth is verified. Of real ones nobody is: staff call back. */
async function nothingOnFile({ call, stores }: ToolContext): Promise<ToolAnswer> {
  if (!demandsVerification(call)) return { result: { verified: true } };
  const { clinicId, callId, patientId, caseId, workflowId } = call;
  const cause = `nothing_on_file:${callId}`;
  await stores.tasks.open({ clinicId, reason: 'nothing_on_file', cause, patientId, callId, caseId, workflowId });
  return { result: { verified: false, reason: 'nothing_on_file' } };
}

const notVerified = (error: string): ToolAnswer => ({ result: { verified: false, success: false, error } });

const toOffered = ({ slotId, providerName, startsAt }: FreeTime, context: ToolContext): z.infer<typeof Offered> => ({
  slotId,
  providerName,
  startsAt,
  startsAtSpoken: toSpoken(startsAt, context),
});

const toMoved = ({ id, startsAt, status }: CalendarAppointment): ToolAnswer => ({
  result: { success: true, appointmentId: id, scheduledAt: startsAt, status },
  fact: 'rescheduled',
  detail: { appointmentId: id, startsAt },
});

const toCancelled = ({ id, status }: CalendarAppointment): ToolAnswer => ({
  result: { success: true, status },
  fact: 'cancelled',
  detail: { appointmentId: id },
});

const headings = {
  labOrderNote: 'Lab order',
  referralNote: 'Referral',
  medicationNote: 'Medication',
  escalationReason: 'Escalation',
} as const;

/** What is known where the caller's words were not written down: an empty text is no text to FHIR. */
const wishesText = (wishes: { isEscalated: boolean; requestExternalRecords: boolean | undefined }): string =>
  [
    ...(wishes.isEscalated ? ['The care team should look at it.'] : []),
    ...(wishes.requestExternalRecords ? ['External records are to be requested.'] : []),
  ].join('\n');

function noteText(notes: { [name in keyof typeof headings]?: string }): string {
  return Object.entries(headings)
    .flatMap(([name, heading]) => {
      const note = notes[name as keyof typeof headings];
      return note ? [`${heading}: ${note}`] : [];
    })
    .join('\n');
}
