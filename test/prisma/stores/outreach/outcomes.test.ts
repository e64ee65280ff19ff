import { heldFor } from '@clinic/prisma/stores/outreach/held-facts';
import type { AppointmentStatus } from '@clinic/shared/domain/calendar/appointment-status';
import { offerStatuses } from '@clinic/shared/domain/calendar/waitlist';
import type { TaskReason } from '@clinic/shared/domain/tasks/task';
import type { FinalRunStatus } from '@clinic/shared/domain/outreach/run-status';
import { newId } from '@clinic/shared/crypto';
import {
  bookingTools,
  claims,
  judged,
  leavesOpen,
  type RecordedFact,
  recordedFacts,
} from '@clinic/shared/domain/outreach/evidence';
import {
  type Outcome,
  type WorkflowType,
  workflowTypeNames,
  workflowTypes,
} from '@clinic/shared/domain/outreach/workflow-types';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

type Type = Exclude<WorkflowType, 'abandonment-recovery'>;
const types = workflowTypeNames.filter((type): type is Type => type !== 'abandonment-recovery');

/** A form is that of a recovery alone. */
const factsBeside = recordedFacts.filter((fact) => fact !== 'form_completed');

/** Every outcome of every type that claims something or leaves it open, with each thing that the records can say of it, and with nothing. */
const cases = types.flatMap((type) =>
  workflowTypes[type].outcomes
    .filter((outcome) => claims[outcome] !== null || leavesOpen(outcome))
    .flatMap((outcome) =>
      [null, ...factsBeside].map((fact): [Type, Outcome, RecordedFact | null] => [type, outcome, fact]),
    ),
);

async function aTool(
  run: OpenedRun,
  about: { tool: string; fact?: string; isSuccess?: boolean; appointmentId?: string; reply?: object; dial?: number },
) {
  const callId = newId();
  const { clinicId, patientId, workflowId, workflowType } = run;
  const { tool, fact = null, isSuccess = true, appointmentId, reply = {}, dial = 1 } = about;
  await records.database.sql`
    insert into calls (id, clinic_id, patient_id, workflow_type, workflow_id, direction, phone, attempt, dial, state, platform_call_id)
    values (${callId}, ${clinicId}, ${patientId}, ${workflowType}, ${workflowId}, 'outbound', ${run.phone}, 1, ${dial}, 'ENDED', ${callId})`;
  await records.database.sql`
    insert into tool_calls (id, clinic_id, call_id, tool_call_id, family, tool, arguments, meaning, reply, is_success, fact, detail, completed_at)
    values (${newId()}, ${clinicId}, ${callId}, 'tool-1', 'emr-tools', ${tool}, '{}', ${tool}, ${JSON.stringify(reply)}, ${isSuccess}, ${fact},
      ${JSON.stringify(appointmentId ? { appointmentId } : {})}::jsonb, now())`;
  return callId;
}

let day = 0;
async function anAppointment(run: OpenedRun, status: AppointmentStatus): Promise<string> {
  const id = newId();
  day += 1;
  await records.database.sql`
    insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, status, starts_at, ends_at, updated_at)
    select ${id}, ${run.clinicId}, ${run.patientId}, p.id, 'Visit', ${status}, now() + make_interval(days => ${day}),
      now() + make_interval(days => ${day}, mins => 30), now() + interval '1 second'
    from providers p where p.clinic_id = ${run.clinicId} limit 1`;
  return id;
}

const isAbout = ({ workflowId }: OpenedRun, appointmentId: string) =>
  records.database.prisma.workflowRun.update({
    where: { id: workflowId },
    data: { context: { appointment: { appointmentId } } },
  });

/** The run has called about its visit, which began at another time by then; it was moved before the run was opened. */
async function movedSince(run: OpenedRun) {
  const { sql } = records.database;
  const id = await anAppointment(run, 'booked');
  await isAbout(run, id);
  const callId = await aTool(run, { tool: 'a_tool' });
  await sql`update appointments set updated_at = now() - interval '1 day' where id = ${id}`;
  await sql`
    update calls set appointment_starts_at = (select starts_at from appointments where id = ${id}) - interval '1 hour'
    where id = ${callId}`;
  return callId;
}

/** A second time, about its visit as it is now. */
async function calledAgain(run: OpenedRun) {
  const callId = await aTool(run, { tool: 'a_tool', dial: 2 });
  await records.database.sql`
    update calls set appointment_starts_at = (
      select a.starts_at from appointments a join workflow_runs r on a.id = r.context #>> '{appointment,appointmentId}'
      where r.id = ${run.workflowId})
    where id = ${callId}`;
  return callId;
}

const isWithdrawn = (callId: string) =>
  records.database.prisma.call.update({
    where: { id: callId },
    data: { platformCallId: null, endedReason: 'withdrawn' },
  });

/** Has the records say it of a run, and nothing else. */
async function plant(run: OpenedRun, fact: RecordedFact | null): Promise<unknown> {
  const { sql } = records.database;
  const { clinicId, workflowId, patientId } = run;
  if (fact === null) return undefined;
  if (fact === 'booking_refused') return aTool(run, { tool: 'accept_waitlist_offer', isSuccess: false });
  if (fact === 'not_verified') return aTool(run, { tool: 'verify_patient', reply: { verified: false } });
  if (fact === 'appointment_booked') return anAppointment(run, 'booked');
  if (fact === 'appointment_cancelled') return isAbout(run, await anAppointment(run, 'cancelled'));
  if (fact === 'appointment_arrived') return isAbout(run, await anAppointment(run, 'arrived'));
  if (fact === 'appointment_moved') return movedSince(run);
  if (fact === 'escalated') {
    const callId = await aTool(run, { tool: 'a_tool' });
    return sql`update calls set said = 'escalated' where id = ${callId}`;
  }
  if (fact === 'form_completed') {
    return sql`
      insert into recovery_cases (id, clinic_id, session_id, workflow_id, patient_id, form_completed_at)
      values (${newId()}, ${clinicId}, ${newId()}, ${workflowId}, ${patientId}, now())`;
  }
  if (fact !== 'offer_accepted') return aTool(run, { tool: 'a_tool', fact });
  const entryId = newId();
  day += 1;
  await sql`
    insert into waitlist_entries (id, clinic_id, patient_id, visit_type, earliest_on, latest_on, added_by)
    values (${entryId}, ${clinicId}, ${patientId}, 'Visit', '2030-01-01', '2030-02-01', 'operator')`;
  await sql`
    insert into waitlist_offers (id, clinic_id, entry_id, workflow_id, provider_id, appointment_id, starts_at, ends_at, status)
    select ${newId()}, ${clinicId}, ${entryId}, ${workflowId}, p.id, ${newId()}, now() + make_interval(days => ${day}), now(), 'accepted'
    from providers p where p.clinic_id = ${clinicId} limit 1`;
}

const heldOf = async ({ clinicId, workflowId }: OpenedRun) =>
  (await records.database.transaction((tx) => heldFor(tx, { clinicId, workflowId })))?.facts ?? null;

const ended = async (
  run: OpenedRun,
  outcome: Outcome,
  taskReason: TaskReason | null = null,
  status: FinalRunStatus = 'completed',
) => {
  const { clinicId, workflowId } = run;
  const stands = await records.stores.runs.end({
    clinicId,
    workflowId,
    status,
    outcome,
    taskReason,
    resolution: null,
  });
  const stored = await records.stores.runs.find(clinicId, workflowId);
  const tasks = await records.database.prisma.staffTask.findMany({ where: { workflowId } });
  return { stands: stands?.outcome, stored: stored?.outcome, tasks: tasks.map(({ reason }) => reason) };
};

test.each(cases)(
  '%s that is to end %s, and of which the records say %s, ends as they permit',
  async (workflowType, outcome, fact) => {
    const run = await records.aRun({ workflowType });
    await plant(run, fact);
    const { outcome: permitted, taskReason } = judged({ workflowType, outcome }, fact === null ? [] : [fact]);

    expect(await ended(run, outcome)).toEqual({
      stands: permitted,
      stored: permitted,
      tasks: taskReason === null ? [] : [taskReason],
    });
  },
);

test('an offer that both tools refused is not REBOOKED, whatever the patient is said to have said', async () => {
  const run = await records.aRun({ workflowType: 'waitlist-offer' });
  await plant(run, 'booking_refused');

  expect(await ended(run, 'REBOOKED')).toMatchObject({ stored: 'FOLLOW_UP_REQUIRED', tasks: ['booking_to_check'] });
});

test.each([
  ...bookingTools.map((tool): [string, boolean, RecordedFact[]] => [tool, false, ['booking_refused']]),
  ...bookingTools.map((tool): [string, boolean, RecordedFact[]] => [tool, true, []]),
  ['cancel_appointment', false, []] as [string, boolean, RecordedFact[]],
])('of a run whose %s had success %s the records hold %j', async (tool, isSuccess, held) => {
  const run = await records.aRun({ workflowType: 'waitlist-offer' });
  await aTool(run, { tool, isSuccess });

  expect(await heldOf(run)).toEqual(held);
});

test.each(recordedFacts)('%s is held of its own run in its own clinic, and of no other', async (fact) => {
  const [run, beside] = [await records.aRun({ workflowType: 'waitlist-offer' }), await records.aRun()];
  await plant(run, fact);

  const elsewhere = { ...run, clinicId: records.otherClinicId };
  expect([await heldOf(run), await heldOf(beside), await heldOf(elsewhere)]).toEqual([[fact], [], null]);
});

describe('of a run with', () => {
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000);
  const prisma = () => records.database.prisma;
  const visit = async (run: OpenedRun, status: AppointmentStatus, about: object = {}) => {
    const id = await anAppointment(run, status);
    await prisma().appointment.update({ where: { id }, data: about });
    return id;
  };
  const begun = { startsAt: new Date('2020-01-06T10:00:00Z'), endsAt: new Date('2020-01-06T10:30:00Z') };
  const before = { updatedAt: hours(-2) };

  test.each<[what: string, arrange: (run: OpenedRun) => Promise<unknown>, held: RecordedFact[]]>([
    ['a visit that was booked since', (run) => visit(run, 'booked'), ['appointment_booked']],
    ['a visit that was booked before', (run) => visit(run, 'booked', before), []],
    ['a visit that has begun', (run) => visit(run, 'booked', begun), []],
    ['a visit of somebody else', async () => visit(await records.aRun(), 'booked'), []],
    ['a cancelled visit that it is not about', (run) => visit(run, 'cancelled'), []],
    ['its visit, as it was', async (run) => isAbout(run, await visit(run, 'booked', before)), []],
    ['its visit, cancelled', async (run) => isAbout(run, await visit(run, 'cancelled')), ['appointment_cancelled']],
    [
      'its visit, cancelled, by the id of another system',
      async (run) => {
        const externalId = newId();
        await visit(run, 'cancelled', { externalId });
        await isAbout(run, externalId);
      },
      ['appointment_cancelled'],
    ],
    ['its visit, arrived', async (run) => isAbout(run, await visit(run, 'arrived')), ['appointment_arrived']],
    ['its visit, moved since it called', movedSince, ['appointment_moved']],
    [
      'its visit, moved since it called, and called about again',
      async (run) => {
        await movedSince(run);
        await calledAgain(run);
      },
      [],
    ],
    [
      'its visit, moved since it called, and a call about it that did not ring',
      async (run) => {
        await movedSince(run);
        await isWithdrawn(await calledAgain(run));
      },
      ['appointment_moved'],
    ],
    ['its visit, moved before it called', async (run) => isWithdrawn(await movedSince(run)), []],
    [
      'a time that was held in place of its visit',
      async (run) => isAbout(run, await visit(run, 'cancelled', { heldUntil: hours(1) })),
      [],
    ],
    [
      'a booking in its call that was cancelled again',
      async (run) => aTool(run, { tool: 'book', fact: 'booked', appointmentId: await visit(run, 'cancelled') }),
      [],
    ],
    [
      'a booking in its call that stands',
      async (run) => aTool(run, { tool: 'book', fact: 'booked', appointmentId: await visit(run, 'booked', before) }),
      ['booked'],
    ],
    [
      'a cancellation in its call that was taken back',
      async (run) => aTool(run, { tool: 'x', fact: 'cancelled', appointmentId: await visit(run, 'booked', before) }),
      [],
    ],
    [
      'a cancellation in its call that stands',
      async (run) => aTool(run, { tool: 'x', fact: 'cancelled', appointmentId: await visit(run, 'cancelled') }),
      ['cancelled'],
    ],
    [
      'a patient who was verified in the end',
      async (run) => {
        await aTool(run, { tool: 'verify_patient', reply: { verified: false } });
        await aTool(run, { tool: 'verify_patient', reply: { verified: true }, dial: 2 });
      },
      [],
    ],
  ])('%s the records hold what they say', async (_what, arrange, held) => {
    const run = await records.aRun({ workflowType: 'appointment-reminder' });
    await prisma().workflowRun.update({ where: { id: run.workflowId }, data: { startedAt: hours(-1) } });

    await arrange(run);

    expect(await heldOf(run)).toEqual(held);
  });

  test.each(offerStatuses)('an offer that is %s they hold whether it was accepted', async (status) => {
    const run = await records.aRun({ workflowType: 'waitlist-offer' });
    await plant(run, 'offer_accepted');
    await prisma().waitlistOffer.updateMany({ where: { workflowId: run.workflowId }, data: { status } });

    expect(await heldOf(run)).toEqual(status === 'accepted' ? ['offer_accepted'] : []);
  });
});

const reachesPeople = (isReal: boolean) =>
  records.database.sql`
    update clinics set voice_provider = ${isReal ? 'vapi' : 'simulator'} where id = ${records.clinicId}`;

test.each([
  ['was refused', { verified: false, success: false, error: 'x' }],
  ['may not be used here', { success: false, error: 'tool not available for this call' }],
])('a visit is not CONFIRMED where verifying %s, unless a later call verified the patient', async (_how, reply) => {
  const [unverified, verified] = [
    await records.aRun({ workflowType: 'appointment-reminder' }),
    await records.aRun({ workflowType: 'appointment-reminder' }),
  ];
  for (const run of [unverified, verified]) await aTool(run, { tool: 'verify_patient', reply });
  await aTool(verified, { tool: 'verify_patient', reply: { verified: true }, dial: 2 });

  await reachesPeople(true);
  const [told, stands] = [await ended(unverified, 'CONFIRMED'), await ended(verified, 'CONFIRMED')];
  await reachesPeople(false);

  expect(told).toMatchObject({ stored: 'FOLLOW_UP_REQUIRED', tasks: ['follow_up_required'] });
  expect(stands).toMatchObject({ stored: 'CONFIRMED', tasks: [] });
});

test('the task that a run leaves leads to its last call', async () => {
  const run = await records.aRun({ workflowType: 'appointment-reminder' });
  await aTool(run, { tool: 'verify_patient' });
  const last = await aTool(run, { tool: 'verify_patient', dial: 2 });
  await ended(run, 'FOLLOW_UP_REQUIRED', 'follow_up_required');
  const { workflowId } = run;
  expect(await records.database.prisma.staffTask.findMany({ where: { workflowId } })).toMatchObject([{ callId: last }]);
});

test.each([
  ['FOLLOW_UP_REQUIRED', 'follow_up_required', 'completed', 'REBOOKED', []],
  ['FOLLOW_UP_REQUIRED', 'call_lost', 'completed', 'REBOOKED', []],
  ['DECLINED', null, 'completed', 'REBOOKED', []],
  ['FOLLOW_UP_REQUIRED', 'follow_up_required', 'cancelled', 'FOLLOW_UP_REQUIRED', ['follow_up_required']],
  ['FOLLOW_UP_REQUIRED', 'workflow_failed', 'failed', 'FOLLOW_UP_REQUIRED', ['workflow_failed']],
] as const)(
  'who booked online during a call is not followed up: %s with %s, %s, ends %s',
  async (outcome, taskReason, status, stored, tasks) => {
    const run = await records.aRun({ workflowType: 'care-gap-follow-up' });
    await anAppointment(run, 'booked');

    expect(await ended(run, outcome, taskReason, status)).toEqual({ stands: stored, stored, tasks });
  },
);

test('a form that is completed once its call is over is not followed up', async () => {
  const run = await records.aCase();
  await records.stores.inboundEvents.formCompleted({ ...run, payload: {} });

  const stands = { stands: 'ALREADY_COMPLETED', stored: 'ALREADY_COMPLETED', tasks: [] };
  expect(await ended(run, 'FOLLOW_UP_REQUIRED', 'follow_up_required')).toEqual(stands);
});

test('where nobody is real, a verification that cannot be tried says nothing against a word; one that failed does', async () => {
  const [untried, failed] = [
    await records.aRun({ workflowType: 'appointment-reminder' }),
    await records.aRun({ workflowType: 'appointment-reminder' }),
  ];
  await aTool(untried, { tool: 'verify_patient', reply: { success: false, error: 'tool not available' } });
  await aTool(failed, { tool: 'verify_patient', reply: { verified: false } });

  const outcomes = [(await ended(untried, 'CONFIRMED')).stored, (await ended(failed, 'CONFIRMED')).stored];

  expect(outcomes).toEqual(['CONFIRMED', 'FOLLOW_UP_REQUIRED']);
});

test('where patients are real, who was asked in vain is not verified, and who was not asked is not held against', async () => {
  const clinicId = await records.aClinic('Of real patients');
  await records.database.sql`update clinics set voice_provider = 'vapi' where id = ${clinicId}`;
  const aRun = () => records.aRun({ clinicId, workflowType: 'appointment-reminder' });
  const [unasked, untried] = [await aRun(), await aRun()];
  await aTool(unasked, { tool: 'check_availability' });
  await aTool(untried, { tool: 'verify_patient', reply: { success: false, error: 'tool not available' } });

  expect([await heldOf(unasked), await heldOf(untried)]).toEqual([[], ['not_verified']]);
});

test.each(['booked', 'rescheduled'])(
  'a word stands where a tool refused at first, and what it asked for was %s in the end',
  async (fact) => {
    const run = await records.aRun({ workflowType: 'waitlist-offer' });
    await aTool(run, { tool: 'accept_waitlist_offer', isSuccess: false });
    await aTool(run, { tool: 'accept_waitlist_offer', fact, dial: 2 });

    expect(await heldOf(run)).toEqual([fact]);
  },
);

test('a booking that was taken back before the call was over is no booking', async () => {
  const run = await records.aRun({ workflowType: 'appointment-reminder' });
  const appointmentId = await anAppointment(run, 'cancelled');
  await aTool(run, { tool: 'reschedule_appointment', fact: 'rescheduled', appointmentId });

  expect(await ended(run, 'RESCHEDULED')).toMatchObject({ stored: 'FOLLOW_UP_REQUIRED', tasks: ['booking_to_check'] });
});

test('no outcome but one that promises nothing stands on silence alone, and the patient’s word where no tool could act', () => {
  const onSilence = Object.keys(claims).filter((outcome) => {
    const meant = { workflowType: 'payment-recovery', outcome: outcome as Outcome } as const;
    return judged(meant, []).outcome === outcome;
  });

  expect(new Set(onSilence)).toEqual(
    new Set([
      'REBOOKED',
      'CONFIRMED',
      'INFORMED',
      'RECOVERED',
      'ALREADY_COMPLETED',
      'FOLLOW_UP_REQUIRED',
      'ACTION_REQUIRED',
      'ESCALATED',
      'BILLING_ESCALATION',
      'PRICING_ESCALATION',
      'CLINICAL_ESCALATION',
      'DECLINED',
      'PATIENT_NOT_INTERESTED',
      'PATIENT_NOT_REACHED',
    ]),
  );
});
