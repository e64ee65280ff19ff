import type { AppointmentNotice, PatientNotice } from '../../contracts/clinic-notice';
import { type EhrAnswer, type LiveEhr, unavailable } from '../clinic-api-port';
import { OutboundError } from '../safe-http';
import { askFhir, FhirFault } from './exchange';
import {
  type Ask,
  bookedUnderOurs,
  cancel,
  type FhirApiOptions,
  freeSlot,
  freeSlots,
  knownPatient,
  makeAppointment,
  move,
  readAppointment,
  refused,
  search,
} from './fhir-api';
import * as fhir from './resources';

type Within = Parameters<LiveEhr['upcoming']>[2];

/** Those to come of one patient, mostly on one page. */
const APPOINTMENTS_A_PAGE = 50;

/**
 * A FHIR server's appointments for a call that goes on. A time that is booked is first seen to be free, and is booked under an
 * identifier of ours, by which it is found again when the answer was lost.
 */
export function createLiveEhr({ sendFor, baseUrl, settings, capabilities }: Omit<FhirApiOptions, 'now'>): LiveEhr {
  const act = async <T>(
    action: 'appointment.book' | 'appointment.cancel',
    within: Within,
    work: (ask: Ask) => Promise<T>,
  ): Promise<EhrAnswer<T>> => {
    const send = sendFor(action, within);
    try {
      return { kind: 'done', value: await work((request) => askFhir(send, baseUrl, request)) };
    } catch (error) {
      if (error instanceof FhirFault) return error.result;
      if (error instanceof OutboundError) return unavailable(error);
      throw error;
    }
  };
  const actorOf = (providerName: string): string | null =>
    settings.providers.find(({ name }) => name === providerName)?.reference ?? null;
  const mayMakePatients = settings.permitted.includes('patient.upsert');

  const noticeOf = (about: {
    key: string;
    externalId: string | null;
    providerName: string;
    visitType: string;
    patient: PatientNotice;
    startsAt: string;
    endsAt: string;
  }): AppointmentNotice => {
    const { key, ...rest } = about;
    return { ...rest, appointmentId: key, status: 'booked' };
  };

  return {
    openSlots: ({ providers, from, until }, within) =>
      act('appointment.book', within, async (ask) => {
        const mapped = settings.providers.filter(({ name }) => providers.includes(name));
        if (mapped.length === 0) return [];
        const actors = mapped.map(({ reference }) => reference);
        const found = await freeSlots(ask, { actors, from, until });
        const slots = found
          .filter(({ startsAt }) => startsAt >= from && startsAt < until)
          .map(({ reference, actor, startsAt, endsAt }) => ({
            slotId: reference.replace('Slot/', ''),
            providerName: mapped.find((each) => each.reference === actor)?.name ?? '',
            startsAt,
            endsAt,
          }));
        return slots.toSorted((one, other) => Date.parse(one.startsAt) - Date.parse(other.startsAt));
      }),

    upcoming: (patient, now, within) =>
      act('appointment.book', within, async (ask) => {
        const patientId = await patientThere(ask, patient);
        if (patientId === null) return null;
        const { resources } = await search(ask, 'Appointment', [
          ['patient', `Patient/${patientId}`],
          ['date', `ge${now}`],
          ['_count', String(APPOINTMENTS_A_PAGE)],
        ]);
        return fhir.comingIn(resources, now, settings)[0] ?? null;
      }),

    bookingOf: ({ key, startsAt }, within) =>
      act('appointment.book', within, (ask) => bookedUnderOurs(ask, { appointmentId: key, startsAt }, capabilities)),

    book: ({ key, patient, providerName, visitType, startsAt }, within) =>
      act('appointment.book', within, async (ask) => {
        const actor = actorOf(providerName);
        if (actor === null) return refused(`no practitioner of the EHR is mapped to ${providerName}`, 404);
        const patientId = await knownPatient(ask, patient, mayMakePatients);
        const ours = await bookedUnderOurs(ask, { appointmentId: key, startsAt }, capabilities);
        if (ours !== null) return { id: ours, patientId };
        const slot = await freeSlot(ask, { actor, startsAt });
        const notice = noticeOf({
          key,
          externalId: null,
          providerName,
          visitType,
          patient,
          startsAt,
          endsAt: slot.endsAt,
        });
        const patientReference = `Patient/${patientId}`;
        return {
          id: await makeAppointment({ ask, notice, patientReference, settings, capabilities, slot }),
          patientId,
        };
      }),

    move: ({ appointment, key, patient, startsAt }, within) =>
      act('appointment.book', within, async (ask) => {
        const { id, actor, visitType } = appointment;
        if (actor === null) return refused('the appointment names no practitioner whose times could be looked up', 404);
        const ours = await bookedUnderOurs(ask, { appointmentId: key, startsAt }, capabilities);
        const current = ours === null ? await readAppointment(ask, id) : null;
        if (ours === null && (!current || fhir.isCalledOff(current.resource)))
          return refused('the appointment is not there any more', 404);
        if (current && Date.parse(String(current.resource['start'])) === Date.parse(startsAt)) return { id };
        const providerName = settings.providers.find(({ reference }) => reference === actor)?.name;
        const slot = ours === null ? await freeSlot(ask, { actor, startsAt }) : null;
        const endsAt = slot?.endsAt ?? startsAt;
        const notice = noticeOf({
          key,
          externalId: id,
          providerName: providerName ?? '',
          visitType,
          patient,
          startsAt,
          endsAt,
        });
        const patientId = await knownPatient(ask, patient, false);
        const booking = { ask, notice, patientReference: `Patient/${patientId}`, settings, capabilities };
        if (slot !== null && (settings.rescheduling === 'update' || providerName === undefined)) {
          await move({ ...booking, slot }, id);
          return { id };
        }
        const made = ours ?? (await makeAppointment({ ...booking, ...(slot !== null && { slot }) }));
        await cancel(ask, id, 'moved');
        return { id: made };
      }),

    cancel: (appointmentId, within) =>
      act('appointment.cancel', within, async (ask) => {
        await cancel(ask, appointmentId, 'patient');
        return null;
      }),
  };
}

/** The server's id of a patient; null where it has no such patient. */
async function patientThere(ask: Ask, patient: PatientNotice): Promise<string | null> {
  try {
    return await knownPatient(ask, patient, false);
  } catch (error) {
    if (error instanceof FhirFault && error.result.kind === 'refused' && error.result.because === 'no_such_patient')
      return null;
    throw error;
  }
}
