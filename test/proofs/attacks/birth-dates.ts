import { randomUUID } from 'node:crypto';
import { VOICE_SECRET } from '@clinic/shared/domain/voice/headers';
import { inMs, type Outcome } from './attack';
import type { Target } from './target';

const SECONDS = 15;
const PER_CALL = 32;
/** The dates of a hundred years. */
const ALL = 36_525;
/** The right one stands here in the list of who guesses. */
const RIGHT_AT = 1_000;
const MAX_COMPARED = 5;

/** Somebody who answers the calls for a patient states one date of birth after the other, as many at once as a request holds. */
export async function birthDateSearch(target: Target): Promise<Outcome> {
  const { clinicId } = target.clinic;
  const [patientId, right] = [randomUUID(), dateAt(RIGHT_AT)];
  const patient = {
    id: patientId,
    clinicId,
    firstName: 'Ann',
    lastName: 'Lee',
    phone: '+13035550142',
    birthDate: right,
  };
  await target.database.prisma.patient.create({ data: patient });
  await target.database.prisma.clinic.update({ where: { id: clinicId }, data: { sandboxEnabled: true } });

  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  let [stated, compared, calls] = [0, 0, 0];
  let isFound = false;
  const refusals = new Set<string>();
  while (seconds() < SECONDS && !isFound && stated < ALL) {
    calls += 1;
    const call = await aCall(target, patientId, calls);
    const dates = Array.from({ length: PER_CALL }, (_, index) => dateAt(stated + index));
    const replies = await state(target, call, dates);
    stated += dates.length;
    // A date that was compared is answered by this alone; one that was not says why.
    compared += replies.filter(({ success, verified }) => verified !== undefined && success !== false).length;
    for (const { error } of replies) if (error !== undefined) refusals.add(error);
    isFound = replies.some(({ verified }) => verified === true);
  }
  const took = seconds();

  // The patient themself, in a call of their own.
  const honestTimes: number[] = [];
  const askedAt = performance.now();
  const [own] = await state(target, await aCall(target, patientId, 0), [right]);
  honestTimes.push(performance.now() - askedAt);
  const tasks = await target.database.sql<{ count: number }>`
    select count(*)::int4 as count from staff_tasks where clinic_id = ${clinicId} and reason = 'verification_locked'`;

  if (compared === 0) throw new Error(`no date was compared: ${[...refusals].join(' ')}`);
  const perHour = isFound ? (compared / took) * 3_600 : MAX_COMPARED;
  const days = ALL / perHour / 24;
  return {
    attack: 'dates of birth of one patient by verify_patient, over many calls',
    tried: `${stated} dates in ${calls} calls in ${took.toFixed(0)} s`,
    through: `${compared} compared, ${isFound ? 'the right one among them' : 'none of them right'}; all ${ALL} dates take ${days < 1 ? `${(days * 24 * 60).toFixed(0)} min` : `${days.toFixed(0)} days`}`,
    honest: `the patient's own right date is ${own?.verified === true ? 'taken' : 'not compared either, for the hour'}, answered in ${inMs(honestTimes.slice(0, 1))}; ${tasks[0]?.count ?? 0} task for staff`,
    limit: `at most ${MAX_COMPARED} compared in an hour`,
    holds: compared <= MAX_COMPARED && !isFound,
  };
}

/** From 1926 on, in an order that goes through all of them. */
function dateAt(index: number): string {
  const day = (index * 7_919) % ALL;
  return new Date(Date.UTC(1926, 0, 1 + day)).toISOString().slice(0, 10);
}

/** One that the service has placed and that is under way. Returns the platform's id. */
async function aCall(target: Target, patientId: string, nth: number): Promise<string> {
  const platformCallId = `platform-${randomUUID()}`;
  await target.database.prisma.call.create({
    data: {
      id: randomUUID(),
      clinicId: target.clinic.clinicId,
      patientId,
      workflowType: 'care-gap-follow-up',
      phone: `+1303${5_550_000 + nth}`,
      direction: 'outbound',
      state: 'IN_PROGRESS',
      platformCallId,
      requestedAt: new Date(),
    },
  });
  return platformCallId;
}

interface Stated {
  error?: string;
  verified?: boolean;
  success?: boolean;
}

async function state(target: Target, callId: string, dates: string[]): Promise<Stated[]> {
  const toolCalls = dates.map((dateOfBirth) => ({ id: randomUUID(), function: { arguments: { dateOfBirth } } }));
  const { status, text, body } = await target.request('POST', '/emr-tools/verify_patient', {
    body: { message: { call: { id: callId }, toolCalls } },
    headers: { [VOICE_SECRET]: target.env.VOICE_WEBHOOK_SECRET ?? '' },
  });
  if (status !== 200) throw new Error(`the tool was answered ${status} ${text}`);
  return (body.results as { result: string }[]).map(({ result }) => JSON.parse(result) as Stated);
}
