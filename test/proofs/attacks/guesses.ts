import { randomUUID } from 'node:crypto';
import { anEnvelope, aPhone } from '../../support/builders';
import { VOICE_SECRET } from '@clinic/shared/domain/voice/headers';
import { inMs, type Outcome } from './attack';
import type { Target } from './target';

const ADDRESS = '198.51.100.7';
const FREE_GUESSES = 20;

/** Guesses at the links of invitations from the address of a clinic, whose people sign in meanwhile. */
export async function linkGuesses(target: Target): Promise<Outcome> {
  await target.signIn(ADDRESS, target.clinic.staff);
  const statuses: number[] = [];
  const startedAt = performance.now();
  for (let guess = 0; guess < 200; guess += 1) {
    const body = { token: `guessed-${randomUUID()}` };
    statuses.push((await target.from(ADDRESS, 'POST', '/api/auth/links/read', { body })).status);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const waits = Math.ceil(Math.log2(seconds + 1));
  const known = await target.signIn(ADDRESS, target.clinic.staff);
  const looked = statuses.filter((status) => status === 404).length;
  return {
    attack: 'guesses at the links of invitations, from the address of a clinic',
    tried: `${statuses.length} tokens in ${seconds.toFixed(0)} s`,
    through: `${looked} looked up, none found`,
    honest: `somebody of the clinic signs in from there: ${known.status}, ${inMs([known.ms])}`,
    limit: `${FREE_GUESSES}, then one after each wait of twice the length (${waits}), and everybody who is known signs in`,
    holds:
      looked <= FREE_GUESSES + waits &&
      statuses.every((status) => status === 404 || status === 429) &&
      known.status === 200,
  };
}

/** Somebody who calls a clinic with real patients books one time after the other, and says another name in each call. */
export async function bookingFlood(target: Target): Promise<Outcome> {
  const { clinicId } = await target.addClinic('Real patients');
  await target.database.sql`
    update clinics set is_demo = false, simulator_asked_at = null, sandbox_enabled = false where id = ${clinicId}`;
  await target.database.sql`update calling_policies set books_in_own_calendar = true where clinic_id = ${clinicId}`;
  const patient = { id: randomUUID(), clinicId, firstName: 'Ann', lastName: 'Lee', phone: aPhone() };
  await target.database.prisma.patient.create({ data: patient });
  const callId = `platform-${randomUUID()}`;
  await target.database.prisma.call.create({
    data: {
      id: randomUUID(),
      clinicId,
      patientId: patient.id,
      workflowType: 'new-patient-journey',
      phone: patient.phone,
      direction: 'inbound',
      state: 'IN_PROGRESS',
      platformCallId: callId,
      requestedAt: new Date(),
    },
  });
  const tool = async (name: string, args: object) => {
    const { body } = await target.request('POST', `/emr-tools/${name}`, {
      body: anEnvelope(callId, [{ id: randomUUID(), arguments: args }]),
      headers: { [VOICE_SECRET]: target.env.VOICE_WEBHOOK_SECRET ?? '' },
    });
    return JSON.parse(body.results[0].result) as {
      success?: boolean;
      slots?: { providerName: string; startsAt: string }[];
    };
  };
  const booked: boolean[] = [];
  const times: number[] = [];
  while (booked.length < 96) {
    const { slots = [] } = await tool('check_availability', {});
    if (slots.length === 0) throw new Error('no time is offered');
    for (const { providerName, startsAt } of slots.slice(0, 96 - booked.length)) {
      const startedAt = performance.now();
      const { success = false } = await tool('book_appointment', {
        providerName,
        visitType: 'Visit',
        scheduledAt: startsAt,
      });
      times.push(performance.now() - startedAt);
      booked.push(success);
    }
  }
  const count = booked.filter(Boolean).length;
  return {
    attack: 'bookings in one call by somebody whom nobody has verified, in a clinic with real patients',
    tried: `${booked.length} times`,
    through: `${count} booked`,
    honest: `each answered in ${inMs(times)}`,
    limit: 'one in a call',
    holds: count === 1,
  };
}
