import { Line, Prose } from '@clinic/shared/contracts/primitives';
import { plusLocalDays, parseSpokenTime } from '@clinic/shared/domain/clinic-time';
import { readBirthDate } from '@clinic/shared/domain/intake';
import { readSpokenDay } from '@clinic/shared/domain/spoken-day';
import { spokenTime } from '@clinic/shared/domain/spoken-time';
import type { AppointmentRecord, OpenSlot, TimeRefusal } from '@clinic/prisma/stores/appointments';
import { z } from 'zod';
import * as ehr from './live-ehr';
import { booking, followingUp } from './appointment-calls';
import { noSlots, NOTHING_UPCOMING, takingTurns, UNKNOWN_PATIENT, unknownProvider } from './appointment-words';
import { refusal, tool, type ToolAnswer, type ToolContext } from './tool';

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
const Result = z.object({ success: z.boolean(), error: z.string().optional() });
const Offered = z.object({
  slotId: z.string(),
  providerName: z.string(),
  startsAt: z.string(),
  startsAtSpoken: z.string(),
});

/** Tools on the clinic's appointments, on the same records and rules as the FHIR routes (contract, "emr-tools"). */
export const emrTools = [
  tool({
    family,
    name: 'verify_patient',
    description: 'Check the date of birth that the caller states before anything of their record is said.',
    arguments: z.object({ dateOfBirth: Line.describe('As YYYY-MM-DD') }),
    result: z.object({ verified: z.boolean(), error: z.string().optional() }),
    workflowTypes: [...followingUp, 'prescription-follow-up', 'waitlist-offer'],
    isWrite: false,
    async handle({ dateOfBirth }, { call, recordId, stores }) {
      const stated = readBirthDate(dateOfBirth);
      const outcome = await stores.verifications.check({ ...call, id: recordId, tool: 'verify_patient', stated });
      switch (outcome) {
        case 'matched':
        case 'nothing_on_file':
          return { result: { verified: true } };
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
    workflowTypes: [...booking, ...followingUp],
    isWrite: false,
    async handle({ providerName, aroundDate }, context) {
      const { call, stores, now } = context;
      const search = { providerName: providerName ?? null, days: SEARCH_DAYS, limit: MAX_SLOTS };
      const { clinicId, clinicZone } = call;
      const at = now.toISOString();
      const around = aroundDate === undefined ? at : readSpokenDay(aroundDate, clinicZone, at);
      if (!around) return noSlots('aroundDate must be a date, as 2026-11-24');
      // A day that has passed is a slip of the tongue: what is open from now on is the next best thing.
      const from = around > at ? around : at;
      if (call.isLiveEhr) return ehr.openTimes({ ...search, from }, context);
      const until = plusLocalDays(from, SEARCH_DAYS, clinicZone);
      const provider = search.providerName;
      const found = await stores.appointments.openSlots({ clinicId, provider, from, until, now });
      if (found.kind === 'unknown_provider') return noSlots(await unknownProvider(context));
      const slots = provider ? found.slots : takingTurns(found.slots, MAX_SLOTS);
      return { result: { slots: slots.slice(0, MAX_SLOTS).map((slot) => toOffer(slot, clinicZone, at)) } };
    },
  }),

  tool({
    family,
    name: 'book_appointment',
    description: 'Book one of the open times for the caller.',
    arguments: z.object({ providerName: Line, visitType: Line, scheduledAt: Time }),
    result: Result.extend({
      appointmentId: z.string().optional(),
      scheduledAt: z.string().optional(),
      scheduledAtSpoken: z.string().optional(),
      status: z.string().optional(),
      reason: z.string().optional(),
    }),
    workflowTypes: booking,
    isWrite: true,
    ifCallerFailed: {},
    subject,
    // The provider's time is what is booked; what the visit is called may be put differently the second time.
    meaning: ({ providerName, scheduledAt }, { clinicZone }) => [
      providerName.toLowerCase(),
      parseSpokenTime(scheduledAt, clinicZone) ?? scheduledAt,
    ],
    async handle({ providerName, visitType, scheduledAt }, context) {
      const { call, recordId: appointmentId, stores, now } = context;
      const { clinicId, patientId } = call;
      const startsAt = parseSpokenTime(scheduledAt, call.clinicZone);
      if (!startsAt) return refusal(`scheduledAt ${SPOKEN_TIME}.`);
      if (call.isLiveEhr) return ehr.book({ providerName, visitType, startsAt }, context);
      const booked = await stores.appointments.book({
        clinicId,
        appointmentId,
        patientId,
        provider: providerName,
        visitType,
        startsAt,
        now,
      });
      switch (booked.kind) {
        case 'booked':
          return toBooked(booked.appointment, context);
        case 'unknown_provider':
          return refusal(await unknownProvider(context));
        case 'unknown_patient':
          return UNKNOWN_PATIENT;
        case 'slot_taken': {
          const own = await bookedInThisCall({ providerName, startsAt }, context);
          return own ? toBooked(own, context) : toRefusal(booked);
        }
        case 'slot_held':
        case 'slot_unavailable':
        case 'in_the_past':
          return toRefusal(booked);
      }
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
    workflowTypes: followingUp,
    isWrite: false,
    ifCallerFailed: { found: false },
    async handle(_none, context) {
      const { call, stores, now } = context;
      if (call.isLiveEhr) return ehr.nextAppointment(context);
      const next = await stores.appointments.nextUpcoming(call.clinicId, call.patientId, now);
      if (!next) return { result: { found: false } };
      const { id: appointmentId, providerName, status } = next;
      const scheduledAt = next.startsAt.toISOString();
      const scheduledAtSpoken = spokenTime(scheduledAt, call.clinicZone, now.toISOString());
      return { result: { found: true, appointmentId, providerName, scheduledAt, scheduledAtSpoken, status } };
    },
  }),

  tool({
    family,
    name: 'reschedule_appointment',
    description: "Move the caller's next appointment to another open time of the same provider.",
    arguments: z.object({ newDateTime: Time }),
    result: Result.extend({
      appointmentId: z.string().optional(),
      scheduledAt: z.string().optional(),
      status: z.string().optional(),
      reason: z.string().optional(),
    }),
    workflowTypes: followingUp,
    isWrite: true,
    ifCallerFailed: {},
    subject,
    meaning: ({ newDateTime }, { clinicZone }) => parseSpokenTime(newDateTime, clinicZone) ?? newDateTime,
    async handle({ newDateTime }, context) {
      const { call, stores, now, triedAt } = context;
      const { clinicId, patientId } = call;
      const startsAt = parseSpokenTime(newDateTime, call.clinicZone);
      if (!startsAt) return refusal(`newDateTime ${SPOKEN_TIME}.`);
      if (call.isLiveEhr) return ehr.move(startsAt, context);
      const alreadyMoved = triedAt && (await ownAppointmentAt(startsAt, context));
      if (alreadyMoved) return toMoved(alreadyMoved);
      const next = await stores.appointments.nextUpcoming(clinicId, patientId, now);
      if (!next) return NOTHING_UPCOMING;
      const moved = await stores.appointments.reschedule({ clinicId, appointmentId: next.id, startsAt, now });
      switch (moved.kind) {
        case 'moved':
          return toMoved(moved.appointment);
        // It was cancelled, or its time came, between the two statements.
        case 'appointment_cancelled':
        case 'appointment_fulfilled':
        case 'version_changed':
        case 'unknown':
          return NOTHING_UPCOMING;
        case 'slot_taken':
        case 'slot_held':
        case 'slot_unavailable':
        case 'in_the_past':
          return toRefusal(moved);
      }
    },
  }),

  tool({
    family,
    name: 'cancel_appointment',
    description: "Cancel the caller's next appointment.",
    arguments: z.object({}),
    result: Result.extend({ status: z.string().optional() }),
    workflowTypes: followingUp,
    isWrite: true,
    ifCallerFailed: {},
    subject,
    async handle(_none, context) {
      const { call, stores, now, triedAt } = context;
      if (call.isLiveEhr) return ehr.cancel(context);
      const { clinicId, patientId } = call;
      const cancelled = triedAt && (await stores.appointments.cancelledSince(clinicId, patientId, triedAt));
      if (cancelled) return toCancelled(cancelled);
      const next = await stores.appointments.nextUpcoming(clinicId, patientId, now);
      if (!next) return NOTHING_UPCOMING;
      const result = await stores.appointments.cancel({ clinicId, appointmentId: next.id });
      return result.kind === 'cancelled' ? toCancelled(result.appointment) : NOTHING_UPCOMING;
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
    result: Result,
    workflowTypes: [...followingUp, 'prescription-follow-up', 'waitlist-offer'],
    isWrite: true,
    async handle({ escalateToClinicalTeam, requestExternalRecords, ...notes }, { call, recordId, stores }) {
      const text = noteText(notes);
      const isEscalated = escalateToClinicalTeam === true || Boolean(notes.escalationReason);
      if (text === '' && !isEscalated && !requestExternalRecords) return { result: { success: true } };
      await stores.documents.write({
        id: recordId,
        clinicId: call.clinicId,
        patientId: call.patientId,
        callId: call.callId,
        content: [{ contentType: 'text/plain', data: Buffer.from(text, 'utf8').toString('base64') }],
        escalateToClinicalTeam: isEscalated || escalateToClinicalTeam,
        requestExternalRecords,
      });
      return { result: { success: true }, fact: isEscalated ? 'escalated' : 'documented' };
    },
  }),
];

const notVerified = (error: string): ToolAnswer => ({ result: { verified: false, success: false, error } });

const toOffer = ({ slotId, providerName, startsAt }: OpenSlot, zone: string, now: string): z.infer<typeof Offered> => ({
  slotId,
  providerName,
  startsAt,
  startsAtSpoken: spokenTime(startsAt, zone, now),
});

/** The time is taken by this very call: asked for again in other words, or by a try that was cut short. */
async function bookedInThisCall(
  { providerName, startsAt }: { providerName: string; startsAt: string },
  context: ToolContext,
): Promise<AppointmentRecord | null> {
  const { call, stores, triedAt } = context;
  const own = await ownAppointmentAt(startsAt, context);
  if (!own) return null;
  const provider = await stores.providers.recognise(call.clinicId, providerName);
  if (own.providerName !== provider?.name) return null;
  return triedAt || (await stores.toolCalls.hasToldOf(call.callId, own.id)) ? own : null;
}

/** What the patient has booked at a time. */
async function ownAppointmentAt(startsAt: string, { call, stores }: ToolContext): Promise<AppointmentRecord | null> {
  const until = new Date(Date.parse(startsAt) + 1).toISOString();
  const { items } = await stores.appointments.list(call.clinicId, {
    patientId: call.patientId,
    status: 'booked',
    from: startsAt,
    until,
    limit: 1,
  });
  return items[0] ?? null;
}

function toBooked({ id, startsAt, status }: AppointmentRecord, { call, now }: ToolContext): ToolAnswer {
  const scheduledAt = startsAt.toISOString();
  const scheduledAtSpoken = spokenTime(scheduledAt, call.clinicZone, now.toISOString());
  return {
    result: { success: true, appointmentId: id, scheduledAt, scheduledAtSpoken, status },
    fact: 'booked',
    detail: { appointmentId: id, startsAt: scheduledAt },
  };
}

function toMoved({ id, startsAt, status }: AppointmentRecord): ToolAnswer {
  const scheduledAt = startsAt.toISOString();
  return {
    result: { success: true, appointmentId: id, scheduledAt, status },
    fact: 'rescheduled',
    detail: { appointmentId: id, startsAt: scheduledAt },
  };
}

const toCancelled = ({ id, status }: AppointmentRecord): ToolAnswer => ({
  result: { success: true, status },
  fact: 'cancelled',
  detail: { appointmentId: id },
});

/** `slot_taken`, `slot_unavailable` or `in_the_past`. To a caller a time that somebody else holds is as good as taken. */
const toRefusal = ({ kind }: TimeRefusal): ToolAnswer => ({
  result: { success: false, reason: kind === 'slot_held' ? 'slot_taken' : kind },
});

const headings = {
  labOrderNote: 'Lab order',
  referralNote: 'Referral',
  medicationNote: 'Medication',
  escalationReason: 'Escalation',
} as const;

function noteText(notes: { [name in keyof typeof headings]?: string }): string {
  return Object.entries(headings)
    .flatMap(([name, heading]) => {
      const note = notes[name as keyof typeof headings];
      return note ? [`${heading}: ${note}`] : [];
    })
    .join('\n');
}
