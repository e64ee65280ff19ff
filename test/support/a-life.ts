import type { Records } from './records';
import { newId } from '@clinic/shared/crypto';
import { aPhone } from './builders';

const by = { actor: 'account:admin' };

let visits = 0;

/** A patient with a row in every table, who has opted out and is under a legal hold. */
export async function aLife(
  records: Records,
  { isOver = true, clinicId = records.clinicId }: { isOver?: boolean; clinicId?: string } = {},
) {
  const { stores, database } = records;
  const phone = aPhone();
  const sessionId = `zwolle-${newId()}@mail.example`;
  const opened = await stores.runs.openRecovery({
    clinicId,
    sessionId,
    patient: { firstName: 'Xan', lastName: 'Zwolle', phone, email: 'xan.zwolle@mail.example' },
    form: { resumeUrl: 'https://forms.example/resume/zwolle' },
    inbound: { payload: { phi_last_name: 'Zwolle' } },
  });
  const { workflowId, caseId } = opened;
  const patientId = opened.patientId!;
  const run = {
    clinicId,
    workflowId,
    caseId,
    patientId,
    phone,
    sessionId,
    workflowType: 'abandonment-recovery' as const,
  };
  await database.prisma.patient.update({
    where: { id: patientId },
    data: {
      birthDate: '1980-03-05',
      address: 'Zwolle Street',
      insurance: { memberId: 'Zwolle-1' },
      identifier: `MRN-${phone}`,
    },
  });
  const { callId, platformCallId } = await records.aPlacedCall(run);
  await stores.calls.report({
    platformCallId,
    intentId: null,
    state: 'IN_PROGRESS',
    endedReason: null,
    summary: 'Zwolle said no',
    evidence: { transcript: 'I am Zwolle', recordingUrl: null, costUsd: 1, durationSeconds: 2, success: 'true' },
  });
  await stores.toolCalls.claim({
    clinicId,
    callId,
    toolCallId: newId(),
    family: 'emr',
    tool: 'find',
    arguments: { name: 'Zwolle' },
    meaning: 'Zwolle',
    rivals: null,
  });
  const follow = await stores.runs.openRun({
    clinicId,
    sessionId: `${sessionId}-2`,
    workflowType: 'care-gap-follow-up',
    patient: { firstName: 'Xan', lastName: 'Zwolle', phone, patientId },
  });
  await stores.calls.reserve(
    records.anIntent(
      { ...run, ...follow, patientId, workflowType: 'care-gap-follow-up', caseId: null },
      { maxConcurrentCalls: 0 },
    ),
  );
  await database.prisma.clinicNotice.create({
    data: { clinicId, workflowId: follow.workflowId, action: 'patient.upsert', subject: callId },
  });
  await stores.calls.openTestCall({ clinicId, patientId, workflowType: null, workflowId: null, caseId: null });
  await database.prisma.workflowMessage.create({
    data: { id: newId(), clinicId, workflowId, signal: 'outcomeResolved', payload: { said: 'Zwolle' } },
  });
  const decision = { id: newId(), clinicId, workflowId, callId, stage: 'plan', rule: 'due', decided: {}, inputs: {} };
  await database.prisma.callDecision.create({ data: decision });
  const validation = await stores.validationRuns.start({
    clinicId,
    label: null,
    now: new Date(),
    endsAt: new Date(Date.now() + 60_000),
    by,
  });
  if (validation.kind === 'started') {
    const { id: runId } = validation.run;
    await stores.validationRuns.observe(clinicId, runId, [
      {
        at: new Date().toISOString(),
        durationMs: 1,
        operation: 'upcoming',
        status: 200,
        credential: null,
        key: null,
        request: 'a-digest',
        retryAfterSeconds: null,
        refusal: null,
        facts: { patient: patientId },
      },
    ]);
    await stores.validationRuns.end({ clinicId, runId, endedAt: new Date(), findings: {} });
  }
  await stores.sandboxFailures.choose({
    clinicId,
    failure: 'forbidden',
    operation: null,
    identifier: `MRN-${phone}`,
    parameters: {},
    times: 1,
    endsAt: new Date(Date.now() + 60_000),
  });
  await database.prisma.sandboxSnapshot.create({
    data: {
      clinicId,
      name: newId(),
      contents: { patients: [{ id: patientId, last_name: 'Zwolle' }] },
      patientIds: [patientId],
      appointments: 0,
      documents: 0,
    },
  });
  const [delivery] = await database.sql<{ id: string; receiverId: string }>`
    select d.id, d.receiver_id as "receiverId" from deliveries d join outbound_events e on e.id = d.event_id where e.subject = ${caseId}`;
  await database.prisma.deliveryAttempt.create({
    data: {
      id: newId(),
      clinicId,
      deliveryId: delivery!.id,
      receiverId: delivery!.receiverId,
      url: 'https://clinic.example',
      durationMs: 1,
      response: 'Zwolle',
    },
  });
  await stores.documents.write({
    id: newId(),
    clinicId,
    patientId,
    callId,
    content: [{ contentType: 'text/plain', data: Buffer.from('Zwolle').toString('base64') }],
    escalateToClinicalTeam: true,
  });
  const { items } = await stores.tasks.list(clinicId, { patientId, limit: 1 });
  await stores.tasks.addNote({ id: newId(), clinicId, taskId: items[0]!.id, note: 'Zwolle was called' }, by);
  const startsAt = new Date(Date.UTC(2035, 1, 1, 10) + (visits += 1) * 86_400_000).toISOString();
  const visit = { provider: 'Dr.Vega', visitType: 'Zwolle visit', now: new Date() };
  const booked = await stores.appointments.book({ clinicId, patientId, startsAt, ...visit });
  if (booked.kind === 'booked') {
    await database.sql`
      insert into appointment_versions (clinic_id, appointment_id, version, provider_id, status, visit_type, starts_at, ends_at, updated_at)
      select clinic_id, id, version, provider_id, status, visit_type, starts_at, ends_at, updated_at
      from appointments where clinic_id = ${clinicId} and id = ${booked.appointment.id}`;
  }
  if (booked.kind !== 'booked') throw new Error(booked.kind);
  const [entryId, offerId] = [newId(), newId()];
  await database.sql`
    insert into waitlist_entries (id, clinic_id, patient_id, visit_type, earliest_on, latest_on, status, added_by)
    values (${entryId}, ${clinicId}, ${patientId}, 'Zwolle visit', '2035-01-01', '2035-12-31', 'booked', 'test')`;
  await database.sql`
    insert into waitlist_offers (id, clinic_id, entry_id, workflow_id, provider_id, starts_at, appointment_id, status, ends_at)
    select ${offerId}, clinic_id, ${entryId}, ${workflowId}, provider_id, starts_at, id, 'accepted', starts_at
    from appointments where clinic_id = ${clinicId} and id = ${booked.appointment.id}`;
  await database.sql`
    insert into receivers (id, clinic_id, kind, name, url)
    values (${offerId}, ${clinicId}, 'subscription', 'test', 'https://receiver.example')`;
  await database.sql`
    insert into fhir_subscriptions (clinic_id, id, base_url, payload, content)
    values (${clinicId}, ${offerId}, 'https://clinic.example/api', 'application/fhir+json', 'id-only')`;
  const heard = JSON.stringify({
    appointmentId: booked.appointment.id,
    patientId,
    isNew: true,
    shown: { visitType: 'Zwolle visit' },
  });
  await database.sql`
    insert into outbound_events (id, clinic_id, event, subject, number, data)
    values (${newId()}, ${clinicId}, 'subscription.event', ${offerId}, null, ${heard}::jsonb),
      (${newId()}, ${clinicId}, 'subscription.event', ${offerId}, 1, ${heard}::jsonb)`;
  await stores.callerTries.take({ id: newId(), kind: 'identity', clinicId, callId, patientId, phone: null });
  await stores.verifications.check({
    id: newId(),
    clinicId,
    callId,
    patientId,
    tool: 'verify_patient',
    stated: '1999-01-01',
  });
  const said = { clinicId, callId, patientId, isMatchedByNumber: true };
  await database.prisma.patient.update({ where: { id: patientId }, data: { isPlaceholder: false } });
  await stores.registration.update(said, { preferredLocation: 'Zwolle' });
  await database.prisma.identityMatch.create({
    data: { id: newId(), clinicId, patientId, callId, matchedOn: ['phone'] },
  });
  const request = { clinicId, route: `POST /patients/${patientId}/notes`, key: newId(), requestHash: 'x' };
  const claim = await stores.idempotency.claim(request);
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  const reply = { status: 200, body: 'Zwolle', contentType: 'text/plain' };
  await stores.idempotency.answer({ ...request, ...reply, token: claim.token });
  await stores.optOuts.add(clinicId, phone, by);
  await stores.legalHolds.place({ clinicId, patientId, reason: 'Zwolle is at court' }, by);
  await stores.audit.write({ clinicId, action: 'patient.change', subject: patientId, ...by });
  if (isOver) await endAll(records, clinicId, patientId);
  return { ...run };
}

/** Ends what is open of a patient, as workflows and the platform would. */
export async function endAll(records: Records, clinicId: string, patientId: string): Promise<void> {
  const { stores, database } = records;
  await database.sql`update calls set state = 'ENDED', ended_at = now() where clinic_id = ${clinicId} and patient_id = ${patientId}`;
  const open = await database.prisma.workflowRun.findMany({ where: { clinicId, patientId, status: 'started' } });
  for (const { id: workflowId } of open) {
    await stores.runs.end({
      clinicId,
      workflowId,
      status: 'cancelled',
      outcome: 'FOLLOW_UP_REQUIRED',
      taskReason: null,
      resolution: null,
    });
  }
}
