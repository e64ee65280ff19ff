import type { Stores } from '@clinic/prisma/stores';
import { newId } from '@clinic/shared/crypto';
import { aPhone } from '../../support/builders';
import { openRecords, type OpenedRun, type Records } from '../../support/records';

/** What the owner has of each kind, by its id. */
interface Owned {
  run: OpenedRun;
  recovery: OpenedRun;
  caseId: string;
  callId: string;
  /** A call that nobody has begun to dial. */
  waitingCallId: string;
  /** A call that the platform said it does not know. */
  lostCallId: string;
  /** A test call that is open. */
  testCallId: string;
  patientId: string;
  appointmentId: string;
  cancelledAppointmentId: string;
  holdId: string;
  taskId: string;
  deliveryId: string;
  apiKeyId: string;
  optOutId: string;
  proposalId: string;
  staffId: string;
  disabledId: string;
  sessionId: string;
  invitationId: string;
  kid: string;
  heldPatientId: string;
  erasedPatientId: string;
  erasureId: string;
  /** Of two records that are one. */
  keptPatientId: string;
  replacedPatientId: string;
  mergeId: string;
  /** A third record of theirs. */
  alikePatientId: string;
  validationRunId: string;
  failureId: string;
  bulkJobId: string;
  viewId: string;
  clientId: string;
  waitlistEntryId: string;
  /** Of a run that offers a time. */
  offering: string;
  alsoOffering: string;
  freedId: string;
  endpointId: string;
  subscriptionId: string;
  sandboxId: string;
}

let records: Records;
let owned: Owned;

beforeAll(async () => {
  records = await openRecords();
  await prepareDigests(records);
  await prepareRefusals(records);
  owned = await fill(records, records.clinicId);
});
afterAll(() => records.close());

type Attempt = (stores: Stores, clinicId: string, owned: Owned) => Promise<unknown>;
const now = new Date();
const operator = { actor: 'operator' };
const nextMonth = '2035-03-01T10:00:00.000Z';
const aHold = { provider: 'Dr.Vega', visitType: 'Consultation', minutes: 5, now };
const month = { from: '2035-02-01T00:00:00.000Z', until: '2035-03-05T00:00:00.000Z' };
const page = { limit: 50 };
const anEndpoint = {
  name: 'Owner',
  url: 'https://owner.example/events',
  isEnabled: true,
  events: ['recovery_case.outcome'],
};
const aSubscription = {
  baseUrl: 'https://clinic.example/api',
  url: 'https://owner.example/changes',
  payload: 'application/fhir+json',
  content: 'id-only' as const,
  reason: 'Owner',
  patientId: null,
  providerName: null,
  heartbeatSeconds: null,
  endsAt: null,
};
const anEhrTime = { actor: 'Practitioner/7', startsAt: nextMonth, endsAt: '2035-03-01T10:30:00.000Z' };
const ofCall = (clinicId: string, { patientId, callId }: Owned) => ({
  clinicId,
  patientId,
  callId,
  isMatchedByNumber: false,
});

/** Every method that takes the id of a record, called by a clinic, the owner or another, with an id of the owner's. */
const attempts: Record<string, Attempt> = {
  'accountLinks.withdraw': ({ accountLinks }, clinicId, { invitationId }) =>
    accountLinks.withdraw(clinicId, invitationId, operator),
  'singleSignOn.unlink': ({ singleSignOn }, clinicId, { staffId: id }) =>
    singleSignOn.unlink({ clinicId, id }, operator),
  'accountLinks.reset': ({ accountLinks }, clinicId, { staffId: id }) => accountLinks.reset({ clinicId, id }, operator),
  'accountSessions.list': ({ accountSessions }, clinicId, { staffId: accountId }) =>
    accountSessions.list({ clinicId, accountId }),
  'accountSessions.end': ({ accountSessions }, clinicId, { staffId: accountId, sessionId }) =>
    accountSessions.end({ clinicId, accountId, sessionId }, operator),
  'accountSessions.endAll': ({ accountSessions }, clinicId, { staffId: accountId }) =>
    accountSessions.endAll({ clinicId, accountId }, operator),
  'appointments.book': ({ appointments }, clinicId, { patientId }) =>
    appointments.book({
      clinicId,
      patientId,
      provider: 'Dr.Vega',
      visitType: 'Consultation',
      startsAt: nextMonth,
      now,
    }),
  'appointments.reschedule': ({ appointments }, clinicId, { appointmentId }) =>
    appointments.reschedule({ clinicId, appointmentId, startsAt: nextMonth, now }),
  'appointments.cancel': ({ appointments }, clinicId, { appointmentId }) =>
    appointments.cancel({ clinicId, appointmentId }),
  'visits.restore': ({ visits }, clinicId, { appointmentId }) => visits.restore({ clinicId, appointmentId, now }),
  'visits.waitingForTimeOf': ({ visits }, clinicId, { appointmentId }) =>
    visits.waitingForTimeOf(clinicId, appointmentId),
  'visits.note': ({ visits }, clinicId, { appointmentId }) =>
    visits.note({ clinicId, appointmentId, as: 'booked', now }),
  'visits.ofDay': ({ visits }, clinicId) =>
    visits.ofDay(clinicId, { from: '2000-01-01T00:00:00.000Z', until: '2100-01-01T00:00:00.000Z' }),
  'ehrAppointments.find': ({ ehrAppointments }, clinicId, { appointmentId }) =>
    ehrAppointments.find(clinicId, appointmentId),
  'ehrAppointments.versions': ({ ehrAppointments }, clinicId, { appointmentId }) =>
    ehrAppointments.versions(clinicId, appointmentId),
  'ehrAppointments.search': ({ ehrAppointments }, clinicId, { patientId }) =>
    ehrAppointments.search(clinicId, { patientId, limit: 50 }),
  'ehrTimes.take': ({ ehrTimes }, clinicId, { waitingCallId: holder }) =>
    ehrTimes.take(clinicId, { holder, ...anEhrTime, actor: 'Practitioner/8' }),
  'ehrTimes.giveBack': ({ ehrTimes }, clinicId, { callId }) => ehrTimes.giveBack(clinicId, callId),
  'patientMatches.identified': ({ patientMatches }, clinicId, { patientId }) =>
    patientMatches.identified(clinicId, `OWN-${patientId}`),
  'patientMatches.candidates': ({ patientMatches }, clinicId) =>
    patientMatches.candidates(clinicId, { identifier: null, phone: null, birthDates: [], fullNames: ['owner lee'] }),
  'patientMatches.known': ({ patientMatches }, clinicId) =>
    patientMatches.known(clinicId, { identifier: null, phone: null, birthDates: [], fullNames: ['owner lee'] }),
  'appointments.nextUpcoming': ({ appointments }, clinicId, { patientId }) =>
    appointments.nextUpcoming(clinicId, patientId, now),
  'appointments.changedUnder': ({ appointments }, clinicId) => appointments.changedUnder(clinicId, 'owner'),
  'appointments.find': ({ appointments }, clinicId, { appointmentId }) => appointments.find(clinicId, appointmentId),
  'appointments.list': ({ appointments }, clinicId, { patientId }) =>
    appointments.list(clinicId, { ...page, patientId }),
  'appointments.calendar': ({ appointments }, clinicId) =>
    appointments.calendar(clinicId, { providerName: 'Dr.Vega', ...month, limit: 50 }),
  'audit.list': ({ audit }, clinicId, { apiKeyId }) => audit.list(clinicId, { ...page, subject: apiKeyId }),
  'audit.count': ({ audit }, clinicId, { apiKeyId }) => audit.count(clinicId, { subject: apiKeyId }),
  'audit.changesOf': ({ audit }, clinicId, { apiKeyId }) => audit.changesOf(clinicId, [apiKeyId], 10),
  'bulkJobs.find': ({ bulkJobs }, clinicId, { bulkJobId }) => bulkJobs.find(clinicId, bulkJobId),
  'bulkJobs.list': ({ bulkJobs }, clinicId) => bulkJobs.list(clinicId, page),
  'bulkJobs.stop': ({ bulkJobs }, clinicId, { bulkJobId }) => bulkJobs.stop(clinicId, bulkJobId, operator),
  'bulkJobs.preview': ({ bulkJobs }, clinicId) =>
    bulkJobs.preview(clinicId, 'cancel_runs', { until: nextMonth }).then(({ total }) => total || null),
  'callRecords.list': ({ callRecords }, clinicId, { run }) =>
    callRecords.list(clinicId, { ...page, workflowId: run.workflowId }),
  'callRecords.count': ({ callRecords }, clinicId, { run }) =>
    callRecords.count(clinicId, { workflowId: run.workflowId }),
  'callRecords.find': ({ callRecords }, clinicId, { callId }) => callRecords.find(clinicId, callId),
  'callRecords.decisions': ({ callRecords }, clinicId, { patientId }) =>
    callRecords.decisions(clinicId, { ...page, patientId }),
  'calls.reserve': ({ calls }, clinicId, { run }) => calls.reserve({ ...records.anIntent(run, { dial: 9 }), clinicId }),
  'calls.liveOf': ({ calls }, clinicId, { callId }) => calls.liveOf(clinicId, callId),
  'calls.toPlace': ({ calls }, clinicId, { callId }) => calls.toPlace(clinicId, callId),
  'calls.beginRequest': ({ calls }, clinicId, { waitingCallId: callId }) =>
    calls.beginRequest({ clinicId, callId, requests: 0 }),
  'calls.placed': ({ calls }, clinicId, { waitingCallId: callId }) =>
    calls.placed({ clinicId, callId, platformCallId: newId() }),
  'calls.close': ({ calls }, clinicId, { callId }) => calls.close({ clinicId, callId, reason: 'voicemail' }),
  'calls.withdrawUnrequested': ({ calls }, clinicId, { waitingCallId }) =>
    calls.withdrawUnrequested(clinicId, waitingCallId),
  'calls.markFound': ({ calls }, clinicId, { lostCallId }) => calls.markFound(clinicId, lostCallId),
  'calls.lookLater': ({ calls }, clinicId, { callId }) => calls.lookLater(clinicId, callId),
  'calls.markNotFound': ({ calls }, clinicId, { callId }) => calls.markNotFound(clinicId, callId),
  'calls.closeTestCall': ({ calls }, clinicId, { testCallId }) => calls.closeTestCall(clinicId, testCallId),
  'lookup.find': ({ lookup }, clinicId, { callId }) => lookup.find(clinicId, callId),
  'calls.find': ({ calls }, clinicId, { callId }) => calls.find(clinicId, callId),
  'calls.list': ({ calls }, clinicId, { patientId }) => calls.list(clinicId, { ...page, patientId }),
  'calls.review': ({ calls }, clinicId, { callId }) => calls.review(clinicId, callId),
  'calls.openTestCall': ({ calls }, clinicId, { recovery, caseId }) =>
    calls.openTestCall({
      clinicId,
      workflowType: recovery.workflowType,
      patientId: recovery.patientId,
      workflowId: recovery.workflowId,
      caseId,
    }),
  'calls.openTrialCall': ({ calls }, clinicId, { recovery }) =>
    calls.openTrialCall({
      clinicId,
      workflowType: recovery.workflowType,
      patientId: recovery.patientId,
      phone: recovery.phone,
      account: 'x',
    }),
  'callSubjects.patient': ({ callSubjects }, clinicId, { callId }) => callSubjects.patient(clinicId, callId),
  'callSubjects.documents': ({ callSubjects }, clinicId, { callId }) => callSubjects.documents(clinicId, callId),
  'holds.ofProvider': ({ holds }, clinicId) => holds.ofProvider(clinicId, { providerName: 'Dr.Vega', ...month, now }),
  'holds.hold': ({ holds }, clinicId, { patientId }) =>
    holds.hold({ ...aHold, clinicId, patientId, startsAt: nextMonth }),
  'overrides.book': ({ overrides }, clinicId, { patientId }) =>
    overrides.book({ ...aHold, clinicId, patientId, startsAt: nextMonth, reason: 'urgent' }, operator),
  'holds.confirm': ({ holds }, clinicId, { holdId }) => holds.confirm({ clinicId, holdId, now }),
  'holds.release': ({ holds }, clinicId, { holdId }) => holds.release({ clinicId, holdId }),
  'callSubjects.appointment': ({ callSubjects }, clinicId, { appointmentId }) =>
    callSubjects.appointment(clinicId, appointmentId),
  'callSubjects.keepExternalId': ({ callSubjects }, clinicId, { appointmentId }) =>
    callSubjects.keepExternalId({ clinicId, of: 'appointment', id: appointmentId, externalId: newId() }),
  'clientKeys.remove': ({ clientKeys }, clinicId, { kid }) => clientKeys.remove(clinicId, kid),
  'caseRecords.list': ({ caseRecords }, clinicId, { recovery }) =>
    caseRecords.list(clinicId, { ...page, patientId: recovery.patientId }),
  'caseRecords.count': ({ caseRecords }, clinicId, { recovery }) =>
    caseRecords.count(clinicId, { patientId: recovery.patientId }),
  'caseRecords.history': ({ caseRecords }, clinicId, { caseId }) => caseRecords.history(clinicId, caseId),
  'cases.find': ({ cases }, clinicId, { caseId }) => cases.find(clinicId, caseId),
  'cases.progress': ({ cases }, clinicId, { caseId }) => cases.progress(clinicId, caseId),
  'cases.calling': ({ cases }, clinicId, { recovery }) => cases.calling(clinicId, recovery.patientId),
  'cases.setOpenStatus': ({ cases }, clinicId, { caseId }) =>
    cases.setOpenStatus({ clinicId, caseId, status: 'PENDING' }),
  'cases.saveBarrier': ({ cases }, clinicId, { caseId }) =>
    cases.saveBarrier({ clinicId, caseId, barrier: { primaryBarrier: 'price' } }),
  'cases.storeDecision': ({ cases }, clinicId, { caseId, callId, recovery }) =>
    cases.storeDecision({
      id: newId(),
      clinicId,
      caseId,
      callId,
      workflowId: recovery.workflowId,
      resolution: { recoveryStatus: 'RECOVERED', resumeLinkSent: false },
    }),
  'clinicNotices.settle': ({ clinicNotices }, clinicId, { run, callId }) =>
    clinicNotices.settle({ clinicId, workflowId: run.workflowId, callId, action: 'patient.upsert' }),
  'clinicNotices.giveUp': ({ clinicNotices }, clinicId, { run: { workflowId, patientId } }) =>
    clinicNotices.giveUp({ clinicId, workflowId, patientId, caseId: null }, { isKnown: true }),
  'deliveryLeases.lease': ({ deliveryLeases }, clinicId, { caseId }) =>
    deliveryLeases.lease({ clinicId, subject: caseId }),
  'deliveryLeases.record': ({ deliveryLeases }, clinicId, { deliveryId }) =>
    deliveryLeases.record({
      clinicId,
      deliveryId,
      token: newId(),
      url: 'https://clinic.example/events',
      result: { kind: 'delivered', status: 200 },
      durationMs: 1,
      response: null,
      random: 0,
    }),
  'deliveryLeases.abandon': ({ deliveryLeases }, clinicId, { deliveryId }) =>
    deliveryLeases.abandon({ clinicId, deliveryId, token: newId(), error: 'x' }),
  'deliveries.find': ({ deliveries }, clinicId, { deliveryId }) => deliveries.find(clinicId, deliveryId),
  'deliveries.list': ({ deliveries }, clinicId, { caseId }) => deliveries.list(clinicId, { ...page, subject: caseId }),
  'deliveries.count': ({ deliveries }, clinicId, { caseId }) => deliveries.count(clinicId, { subject: caseId }),
  'deliveries.resend': ({ deliveries }, clinicId, { deliveryId }) => deliveries.resend(clinicId, deliveryId),
  'endpoints.find': ({ endpoints }, clinicId, { endpointId }) => endpoints.find(clinicId, endpointId),
  'endpoints.change': ({ endpoints }, clinicId, { endpointId }) =>
    endpoints.change(clinicId, endpointId, { ...anEndpoint, name: 'Owner too' }),
  'endpoints.remove': ({ endpoints }, clinicId, { endpointId }) => endpoints.remove(clinicId, endpointId),
  'fhirSubscriptions.find': ({ fhirSubscriptions }, clinicId, { subscriptionId }) =>
    fhirSubscriptions.find(clinicId, subscriptionId),
  'fhirSubscriptions.events': ({ fhirSubscriptions }, clinicId, { subscriptionId }) =>
    fhirSubscriptions.events(clinicId, subscriptionId, { from: 1, until: 10, limit: 10 }),
  'fhirSubscriptions.change': ({ fhirSubscriptions }, clinicId, { subscriptionId }) =>
    fhirSubscriptions.change(clinicId, subscriptionId, { ...aSubscription, reason: 'Another', isOn: true }),
  'fhirSubscriptions.remove': ({ fhirSubscriptions }, clinicId, { subscriptionId }) =>
    fhirSubscriptions.remove(clinicId, subscriptionId),
  'documents.write': ({ documents }, clinicId, { patientId }) =>
    documents.write({ id: newId(), clinicId, patientId, content: [{ contentType: 'text/plain', data: 'eA==' }] }),
  'documents.ofPatient': ({ documents }, clinicId, { patientId }) => documents.ofPatient(clinicId, patientId, 50),
  'erasures.request': ({ erasures }, clinicId, { patientId }) =>
    erasures.request({ clinicId, patientId, reason: 'patient_request' }, { actor: 'account:x' }),
  'erasures.preview': ({ erasures }, clinicId, { patientId }) => erasures.preview(clinicId, patientId),
  'erasures.find': ({ erasures }, clinicId, { erasureId }) => erasures.find(clinicId, erasureId),
  'erasures.list': ({ erasures }, clinicId, { erasedPatientId: patientId }) =>
    erasures.list(clinicId, { ...page, patientId }),
  'inboundEvents.formCompleted': ({ inboundEvents }, clinicId, { recovery }) =>
    inboundEvents.formCompleted({ clinicId, sessionId: recovery.sessionId, payload: {} }),
  'keys.rotateApiKey': ({ keys }, clinicId, { apiKeyId }) =>
    keys.rotateApiKey({ clinicId, id: apiKeyId, oldUntil: new Date(), expiresAt: null }),
  'keys.revokeApiKey': ({ keys }, clinicId, { apiKeyId }) => keys.revokeApiKey(clinicId, apiKeyId),
  'legalHolds.find': ({ legalHolds }, clinicId, { heldPatientId }) => legalHolds.find(clinicId, heldPatientId),
  'legalHolds.place': ({ legalHolds }, clinicId, { patientId }) =>
    legalHolds.place({ clinicId, patientId, reason: 'a case' }, { actor: 'account:x' }),
  'legalHolds.lift': ({ legalHolds }, clinicId, { heldPatientId }) =>
    legalHolds.lift(clinicId, heldPatientId, { actor: 'account:x' }),
  'lines.queue': ({ lines }, clinicId) => lines.queue(clinicId, page),
  'optOuts.addFromCall': ({ optOuts }, clinicId, { callId }) =>
    optOuts.addFromCall({ clinicId, callId, scope: 'all', source: 'tool' }),
  'optOuts.lift': ({ optOuts }, clinicId, { heldPatientId }) =>
    optOuts.lift({ clinicId, patientId: heldPatientId, reason: 'patient_asked' }, { actor: 'account:foreign' }),
  'optOuts.remove': ({ optOuts }, clinicId, { optOutId }) => optOuts.remove(clinicId, { id: optOutId }),
  'patientExports.of': ({ patientExports }, clinicId, { patientId }) =>
    patientExports.of(clinicId, patientId, { actor: 'account:x' }),
  'patientMerges.merge': ({ patientMerges }, clinicId, { keptPatientId: keptId, alikePatientId: replacedId }) =>
    patientMerges.merge({ clinicId, keptId, replacedId, take: [] }, operator),
  'patientMerges.preview': ({ patientMerges }, clinicId, { keptPatientId: keptId, alikePatientId: replacedId }) =>
    patientMerges.preview({ clinicId, keptId, replacedId }),
  'patientMerges.undo': ({ patientMerges }, clinicId, { mergeId }) => patientMerges.undo(clinicId, mergeId, operator),
  'patientMerges.inForce': ({ patientMerges }, clinicId, { keptPatientId }) =>
    patientMerges.inForce(clinicId, keptPatientId),
  'patientMerges.findReplaced': ({ patientMerges }, clinicId, { keptPatientId }) =>
    patientMerges.findReplaced(clinicId, keptPatientId),
  'patientRecords.find': ({ patientRecords }, clinicId, { patientId }) => patientRecords.find(clinicId, patientId),
  'patientRecords.list': ({ patientRecords }, clinicId) =>
    patientRecords.list(clinicId, { ...page, search: 'Owner', now }),
  'patientRecords.count': ({ patientRecords }, clinicId) => patientRecords.count(clinicId, { search: 'Owner' }),
  'patientRecords.create': ({ patientRecords }, clinicId, { patientId }) =>
    patientRecords.create(clinicId, patientId, { firstName: 'A', lastName: 'B', phone: '+14155559999' }),
  'patientRecords.change': ({ patientRecords }, clinicId, { patientId }) =>
    patientRecords.change(clinicId, patientId, { firstName: 'Changed' }),
  'patients.exists': ({ patients }, clinicId, { patientId }) => patients.exists(clinicId, patientId),
  'proposals.ofPatient': ({ proposals }, clinicId, { patientId }) => proposals.ofPatient(clinicId, patientId),
  'proposals.decide': ({ proposals }, clinicId, { proposalId }) =>
    proposals.decide(clinicId, proposalId, 'ACCEPTED', { actor: 'account:x' }),
  'registration.update': ({ registration }, clinicId, mine) =>
    registration.update(ofCall(clinicId, mine), { firstName: 'Changed' }),
  'registration.resolveIdentity': ({ registration }, clinicId, mine) =>
    registration.resolveIdentity(ofCall(clinicId, mine), { name: 'Owner Lee', phone: mine.run.phone }),
  'registration.saveInsurance': ({ registration }, clinicId, mine) =>
    registration.saveInsurance(ofCall(clinicId, mine), {
      payerName: 'P',
      memberId: 'M',
      groupId: null,
      subscriberName: null,
      status: 'verified',
      copayCents: null,
      errorMessage: null,
      source: 'sandbox',
    }),
  'registration.saveSelfPay': ({ registration }, clinicId, mine) =>
    registration.saveSelfPay(ofCall(clinicId, mine), { decision: 'self_pay_continue', priceCents: 1 }),
  'registration.escalateBilling': ({ registration }, clinicId, mine) =>
    registration.escalateBilling(ofCall(clinicId, mine), 'price'),
  'registration.saveIntake': ({ registration }, clinicId, mine) =>
    registration.saveIntake(ofCall(clinicId, mine), {
      firstName: 'A',
      lastName: 'B',
      birthDate: '1990-01-01',
      phone: '+14155559998',
      email: 'a@example.com',
      address: 'x',
      reasonForVisit: 'y',
    }),
  'registration.markSynced': ({ registration }, clinicId, mine) => registration.markSynced(ofCall(clinicId, mine)),
  'runRecords.list': ({ runRecords }, clinicId, { patientId }) => runRecords.list(clinicId, { ...page, patientId }),
  'runRecords.count': ({ runRecords }, clinicId, { patientId }) => runRecords.count(clinicId, { patientId }),
  'patientRecords.named': ({ patientRecords }, clinicId, { patientId }) => patientRecords.named(clinicId, [patientId]),
  'viewers.recordOf': ({ viewers }, clinicId, { taskId }) => viewers.recordOf(clinicId, taskId),
  'viewers.note': ({ viewers }, clinicId, { sessionId, alikePatientId: recordId }) =>
    viewers.note({ clinicId, sessionId, recordId }, { isEditing: true }),
  'viewers.leave': ({ viewers }, clinicId, { sessionId, patientId: recordId }) =>
    viewers.leave({ clinicId, sessionId, recordId }),
  'viewers.others': ({ viewers }, clinicId, { disabledId: accountId, patientId: recordId }) =>
    viewers.others({ clinicId, accountId, recordId }),
  'savedViews.list': ({ savedViews }, clinicId, { staffId: accountId }) => savedViews.list({ clinicId, accountId }, {}),
  'savedViews.save': ({ savedViews }, clinicId, { staffId: accountId }) =>
    savedViews.save(
      { clinicId, accountId },
      { list: 'calls', name: 'Mine', filters: { show: 'past' }, isShared: false },
      operator,
    ),
  'savedViews.change': ({ savedViews }, clinicId, { staffId: accountId, viewId }) =>
    savedViews.change({ clinicId, accountId }, viewId, { name: 'Renamed' }, operator),
  'savedViews.remove': ({ savedViews }, clinicId, { staffId: accountId, viewId }) =>
    savedViews.remove({ clinicId, accountId }, viewId, { ...operator, isAdmin: true }),
  'runs.isOpen': ({ runs }, clinicId, { run }) => runs.isOpen(clinicId, run.workflowId),
  'runs.find': ({ runs }, clinicId, { run }) => runs.find(clinicId, run.workflowId),
  'runs.list': ({ runs }, clinicId) => runs.list(clinicId, page),
  'runs.facts': ({ runs }, clinicId, { run }) => runs.facts(clinicId, run.workflowId),
  'runs.end': ({ runs }, clinicId, { recovery }) =>
    runs.end({
      clinicId,
      workflowId: recovery.workflowId,
      status: 'cancelled',
      outcome: 'FOLLOW_UP_REQUIRED',
      taskReason: 'follow_up_required',
      resolution: null,
    }),
  'sandbox.duplicate': ({ sandbox }, clinicId, { patientId }) => sandbox.duplicate(clinicId, patientId),
  'sandbox.upcomingAsOf': ({ sandbox }, clinicId, { patientId }) =>
    sandbox.upcomingAsOf({ clinicId, patientId, asOf: new Date(Date.now() + 60_000), now }),
  'sandboxClients.remove': ({ sandboxClients }, clinicId, { clientId }) => sandboxClients.remove(clinicId, clientId),
  'namedSandboxes.renewToken': ({ namedSandboxes }, clinicId, { sandboxId }) =>
    namedSandboxes.renewToken(clinicId, sandboxId),
  'namedSandboxes.remove': ({ namedSandboxes }, clinicId, { sandboxId }) => namedSandboxes.remove(clinicId, sandboxId),
  'sandboxData.take': ({ sandboxData }, clinicId) => sandboxData.take({ clinicId, name: 'ours', realNow: now }),
  'sandboxData.restore': ({ sandboxData }, clinicId) => sandboxData.restore({ clinicId, name: 'ours', realNow: now }),
  'sandboxData.drop': ({ sandboxData }, clinicId) => sandboxData.drop(clinicId, 'ours'),
  'sandboxFailures.remove': ({ sandboxFailures }, clinicId, { failureId }) =>
    sandboxFailures.remove(clinicId, failureId),
  'sandboxFailures.claim': ({ sandboxFailures }, clinicId, { failureId }) =>
    sandboxFailures.claim({ clinicId, id: failureId, subject: {} }),
  'staff.changeRole': ({ staff }, clinicId, { staffId: id }) =>
    staff.changeRole({ clinicId, id, role: 'admin' }, operator),
  'staff.disable': ({ staff }, clinicId, { staffId: id }) => staff.disable({ clinicId, id }, operator),
  'staff.enable': ({ staff }, clinicId, { disabledId: id }) => staff.enable({ clinicId, id }, operator),
  'staff.find': ({ staff }, clinicId, { staffId }) => staff.find(clinicId, staffId),
  'validationRuns.find': ({ validationRuns }, clinicId, { validationRunId }) =>
    validationRuns.find(clinicId, validationRunId),
  'validationRuns.list': ({ validationRuns }, clinicId) => validationRuns.list(clinicId, page),
  'validationRuns.observe': ({ validationRuns }, clinicId, { validationRunId }) =>
    validationRuns.observe(clinicId, validationRunId, [anExchange]),
  'validationRuns.exchangesOf': ({ validationRuns }, clinicId, { validationRunId }) =>
    validationRuns.exchangesOf(clinicId, validationRunId),
  'validationRuns.end': ({ validationRuns }, clinicId, { validationRunId: runId }) =>
    validationRuns.end({ clinicId, runId, endedAt: now, findings: {} }),
  'tasks.open': ({ tasks }, clinicId, { patientId, run }) =>
    tasks.open({ clinicId, reason: 'bad_number', cause: 'foreign', patientId, workflowId: run.workflowId }),
  'tasks.find': ({ tasks }, clinicId, { taskId }) => tasks.find(clinicId, taskId),
  'tasks.intend': ({ tasks }, clinicId, { patientId, run }) =>
    tasks.intend({
      clinicId,
      reason: 'bad_number',
      cause: 'foreign',
      patientId,
      workflowId: run.workflowId,
      detail: { intent: { key: 'k', isOpen: true } },
    }),
  'tasks.pending': ({ tasks }, clinicId, { patientId }) => tasks.pending(clinicId, `ours-${patientId}`),
  'tasks.withdraw': ({ tasks }, clinicId, { patientId }) => tasks.withdraw(clinicId, `ours-${patientId}`),
  'taskMails.isWanted': ({ taskMails }, clinicId, { staffId }) =>
    taskMails.isWanted(clinicId, staffId).then((isWanted) => isWanted || null),
  'taskMails.want': ({ taskMails }, clinicId, { staffId }) => taskMails.want(clinicId, staffId, false),
  'monthMails.isWanted': ({ monthMails }, clinicId, { staffId }) =>
    monthMails.isWanted(clinicId, staffId).then((isWanted) => isWanted || null),
  'monthMails.want': ({ monthMails }, clinicId, { staffId }) => monthMails.want(clinicId, staffId, false),
  'tasks.list': ({ tasks }, clinicId, { patientId }) => tasks.list(clinicId, { ...page, patientId }),
  'tasks.count': ({ tasks }, clinicId, { patientId }) => tasks.count(clinicId, { patientId }),
  'tasks.findAll': ({ tasks }, clinicId, { taskId }) => tasks.findAll(clinicId, [taskId]),
  'tasks.change': ({ tasks }, clinicId, { taskId }) => tasks.change(clinicId, [{ id: taskId }], { state: 'RESOLVED' }),
  'tasks.addNote': ({ tasks }, clinicId, { taskId }) =>
    tasks.addNote({ id: newId(), clinicId, taskId, note: 'x' }, { actor: 'account:foreign' }),
  'tasks.takeOver': ({ tasks }, clinicId, { patientId, callId, staffId }) =>
    tasks.takeOver({ id: callId, clinicId, patientId, caseId: null, workflowId: null }, staffId, operator),
  'tasks.latestAssigned': ({ tasks }, clinicId, { staffId }) => tasks.latestAssigned(clinicId, staffId, 10),
  'tasks.notes': ({ tasks }, clinicId, { taskId }) => tasks.notes(clinicId, taskId, 10),
  'toolCalls.claim': ({ toolCalls }, clinicId, { callId }) =>
    toolCalls.claim({
      clinicId,
      callId,
      toolCallId: newId(),
      family: 'emr',
      tool: 'book',
      arguments: {},
      meaning: 'x',
      rivals: null,
    }),
  'toolCalls.ofCall': ({ toolCalls }, clinicId, { callId }) => toolCalls.ofCall(clinicId, callId),
  'callerTries.take': ({ callerTries }, clinicId, { callId, patientId }) =>
    callerTries.take({ id: newId(), kind: 'identity', clinicId, callId, patientId, phone: null }),
  'callerTries.giveBack': ({ callerTries }, clinicId, { callId }) => callerTries.giveBack(clinicId, callId),
  'verifications.check': ({ verifications }, clinicId, { callId, patientId }) =>
    verifications.check({ id: newId(), clinicId, callId, patientId, tool: 'verify_patient', stated: '1980-01-01' }),
  'verifications.isOnFile': ({ verifications }, clinicId, { patientId }) =>
    verifications.isOnFile({ clinicId, patientId }),
  'waitlist.add': ({ waitlist }, clinicId, { patientId }) =>
    waitlist.add(aWish(clinicId, patientId, 'Check-up'), 'foreign'),
  'waitlist.list': ({ waitlist }, clinicId, { patientId }) => waitlist.list(clinicId, { ...page, patientId }),
  'waitlist.find': ({ waitlist }, clinicId, { waitlistEntryId }) => waitlist.find(clinicId, waitlistEntryId),
  'waitlist.remove': ({ waitlist }, clinicId, { waitlistEntryId }) => waitlist.remove(clinicId, waitlistEntryId),
  'waitlistOffers.offer': ({ waitlistOffers }, clinicId, { freedId: id }) => waitlistOffers.offer({ id, clinicId }),
  'waitlistOffers.ofRun': ({ waitlistOffers }, clinicId, { offering }) => waitlistOffers.ofRun(clinicId, offering),
  'waitlistOffers.prolong': ({ waitlistOffers }, clinicId, { offering }) => waitlistOffers.prolong(clinicId, offering),
  'waitlistOffers.decline': ({ waitlistOffers }, clinicId, { offering: workflowId }) =>
    waitlistOffers.decline({ clinicId, workflowId, leavesList: false }),
  'waitlistOffers.accept': ({ waitlistOffers }, clinicId, { offering }) => waitlistOffers.accept(clinicId, offering),
  'waitlistOffers.postpone': ({ waitlistOffers }, clinicId, { alsoOffering: workflowId }) =>
    waitlistOffers.postpone({ clinicId, workflowId, until: nextMonth }),
};

const aWish = (clinicId: string, patientId: string, visitType: string) => ({
  clinicId,
  patientId,
  provider: null,
  visitType,
  earliestOn: '2035-01-01',
  latestOn: '2035-12-31',
  fromTime: null,
  untilTime: null,
});

const own = 'takes no id but that of the clinic itself, which its credential names';
const worker = 'of the worker, which works for all clinics and is asked by none';
const claimed = 'takes the id of a row that the caller has just made, or has looked up within its clinic';
const platform = "takes the voice platform's id, which names the clinic; only the platform's secret opens it";
const byKey = 'takes a secret, which names the clinic';
const opens = 'opens a record of its own; an id of a patient of another clinic is that of nobody (opened-runs.test.ts)';

const excused: Record<string, string> = {
  'accountLinks.find': byKey,
  'accountLinks.invitations': own,
  'accountLinks.invite': own,
  'agendas.of': own,
  'agendas.forget': worker,
  'agendas.now': own,
  'appointments.slotsOf': own,
  'appointments.openSlots': own,
  'appointments.explain': own,
  'namedSandboxes.list': own,
  'namedSandboxes.open': own,
  'namedSandboxes.ofToken': byKey,
  'sandboxClients.list': own,
  'sandboxClients.register': own,
  'sandboxClients.identified': byKey,
  'sandboxClients.useAssertion': claimed,
  'sandboxClients.keepToken': claimed,
  'sandboxClients.ofToken': byKey,
  'sandboxLeniency.find': own,
  'sandboxLeniency.change': own,
  'appointments.fulfilPast': worker,
  'audit.write': own,
  'audit.writeRequest': own,
  'clinics.setNumbersPerDay': own,
  'auditChain.seal': worker,
  'auditChain.verify': 'of the operator, who checks the audit of every clinic',
  'callDecisions.after': worker,
  'viewers.forgetLeft': worker,
  'callDecisions.record': own,
  'callingRules.mayRing': own,
  'callPreview.openRuns': own,
  'calls.live': platform,
  'calls.defaultTestCall': 'the local stack alone has such a call',
  'calls.report': platform,
  'calls.expireTestCalls': worker,
  'calls.left': worker,
  'clinicNotices.owing': worker,
  'clientKeys.create': own,
  'clientKeys.list': own,
  'clientKeys.published': 'public halves, which everybody may read',
  'clientKeys.signing': own,
  'clinics.closedDays': own,
  'clinics.countWithoutAccount': worker,
  'clinics.create': own,
  'clinics.find': own,
  'clinics.language': own,
  'clinics.outboundEndpoint': own,
  'clinics.setOutboundEndpoint': own,
  'clinics.policy': own,
  'clinics.setClosedDays': own,
  'clinics.setLanguage': own,
  'clinics.setCountry': own,
  'clinics.setPolicy': own,
  'clinics.setVoiceProvider': own,
  'cursors.encode': 'a cursor is signed for its clinic (lists.test.ts)',
  'cursors.of': 'names a list, of which each cursor belongs to one clinic',
  'cursors.decode': 'a cursor is signed for its clinic (lists.test.ts)',
  'cursors.page': 'a cursor is signed for its clinic (lists.test.ts)',
  'deliveryLeases.receiversOf': own,
  'deliveryLeases.overdue': worker,
  'deliveryLeases.untried': worker,
  'deliveries.emit': own,
  'fhirSubscriptions.list': own,
  'fhirSubscriptions.add': own,
  'fhirSubscriptions.prepare': worker,
  'endpoints.list': own,
  'endpoints.add': own,
  'duties.take': worker,
  'duties.prolong': worker,
  'duties.release': worker,
  'duties.doneUntil': worker,
  'duties.noteDone': worker,
  'duties.list': worker,
  'erasures.standing': worker,
  'erasures.erase': worker,
  'erasures.erasedIds': worker,
  'erasures.forgetReplies': worker,
  'erasures.markDone': worker,
  'erasures.isErasedCall': platform,
  'validationRuns.start': own,
  'waitlistOffers.due': worker,
  'waitlistOffers.endOverdue': worker,
  'waitlistOffers.endExpired': worker,
  'validationRuns.unended': worker,
  'validationRuns.runOfCredential': byKey,
  'holds.setForCalls': own,
  'retention.chosen': own,
  'retention.choose': own,
  'retention.countDue': own,
  'retention.due': worker,
  'retention.purge': worker,
  'retention.done': worker,
  'retention.after': worker,
  'idempotency.idUnder': 'the clinic is part of the id (test/api/idempotency.test.ts)',
  'idempotency.secretUnder': 'the clinic is part of the secret (test/api/idempotency.test.ts)',
  'idempotency.claim': 'the clinic is part of the key (stores/idempotency.test.ts)',
  'idempotency.answer': 'the clinic is part of the key (stores/idempotency.test.ts)',
  'idempotency.release': 'the clinic is part of the key (stores/idempotency.test.ts)',
  'inboundCalls.ownerOf': platform,
  'inboundCalls.open': platform,
  'keys.createApiKey': own,
  'keys.listApiKeys': own,
  'keys.apiKey': byKey,
  'keys.touchApiKey': claimed,
  'keys.rotateInbound': own,
  'keys.retirePreviousInbound': own,
  'keys.inboundDigests': own,
  'keys.listInbound': own,
  'keys.touchSecret': claimed,
  'keys.rotateSigning': own,
  'keys.listSigning': own,
  'keys.signingSecrets': own,
  'keys.rotateVoice': own,
  'keys.voiceSecret': own,
  'keys.clinicOfVoiceSecret': byKey,
  'keys.listVoice': own,
  'lines.standWhilePaused': claimed,
  'lines.sweep': worker,
  'messages.find': claimed,
  'messages.unsent': worker,
  'messages.tellOfRules': worker,
  'messages.markSent': claimed,
  'optOuts.addMany': own,
  'optOuts.list': own,
  'optOuts.wouldAdd': own,
  'optOuts.add': own,
  'overview.of': own,
  'overview.setUp': own,
  'overview.settings': own,
  'results.of': own,
  'results.endings': own,
  'pauses.during': own,
  'results.settings': own,
  'results.setSettings': own,
  'backlog.read': worker,
  'clinicStates.read': 'of operators, who belong to no clinic; counts and names of clinics',
  'signInCounts.count': 'before anybody is signed in',
  'signInCounts.deleteOld': worker,
  'patients.findOrCreateByPhone': own,
  'patients.createPlaceholder': own,
  'patients.createTestPatient': own,
  'pauses.holding': own,
  'pauses.pause': own,
  'pauses.resume': 'the other clinic is refused in api/pauses.test.ts',
  'phoneNumbers.list': own,
  'singleSignOn.find': own,
  'singleSignOn.usable': own,
  'singleSignOn.set': own,
  'singleSignOn.remove': own,
  'singleSignOn.setOnlyWay': own,
  'singleSignOn.domains': own,
  'singleSignOn.clinicOfDomain': 'before anybody is signed in',
  'singleSignOn.confirm': 'of the operator, who says whose a domain is',
  'singleSignOn.unconfirmed': 'of the operator, who says whose a domain is',
  'phoneNumbers.replace': own,
  'phoneNumbers.assign': 'of the operator, who says whose a line is',
  'phoneNumbers.unconfirmed': 'of the operator, who says whose a line is',
  'providers.list': own,
  'providers.find': own,
  'providers.knownVisitTypes': own,
  'providers.recognise': own,
  'providers.replace': own,
  'bulkJobs.start': own,
  'bulkJobs.end': worker,
  'bulkSteps.placeOf': worker,
  'bulkSteps.nextRuns': worker,
  'bulkSteps.noteWait': worker,
  'bulkSteps.noteRuns': worker,
  'bulkSteps.resendSome': worker,
  'longWork.undispatched': worker,
  'longWork.markDispatched': worker,
  'longWork.markLost': worker,
  'longWork.underWay': worker,
  'runRecords.counts': own,
  'deliveries.receiver': own,
  'alarms.countReads': worker,
  'alarms.exports': worker,
  'alarms.refusals': worker,
  'alarms.tellOperator': worker,
  'alarms.due': worker,
  'alarms.newAlarms': worker,
  'alarms.told': worker,
  'taskMails.due': worker,
  'taskMails.newTasks': worker,
  'taskMails.told': worker,
  'monthMails.due': worker,
  'monthMails.dueMonth': worker,
  'monthMails.claim': worker,
  'monthMails.giveBack': worker,
  'runs.openRecovery': opens,
  'runs.openRun': opens,
  'runs.areOpeningsWaiting': 'says of no record',
  'runs.undispatched': worker,
  'runs.markDispatched': claimed,
  'runs.markLost': worker,
  'runs.openAmong': worker,
  'runs.openSince': worker,
  'runs.recorded': worker,
  'calls.underWay': own,
  'sandbox.isEnabled': own,
  'sandbox.setEnabled': own,
  'sandbox.match': own,
  'sandboxClocks.set': own,
  'sandboxData.counts': own,
  'sandboxData.reset': own,
  'sandboxData.snapshots': own,
  'sandboxFailures.list': own,
  'sandboxFailures.choose': own,
  'settings.approvedApi': own,
  'settings.permittedActions': own,
  'settings.statement': own,
  'settings.keepStatement': own,
  'settings.setApprovedApi': own,
  'settings.removeApprovedApi': own,
  'settings.crm': own,
  'settings.setCrm': own,
  'settings.voice': own,
  'settings.nameAssistants': own,
  'settings.setVoice': own,
  'staff.accounts': own,
  'staff.list': own,
  'staff.requireSecondFactor': own,
  'staff.secondFactorRule': own,
  'tasks.openForUnknownRuns': 'the clinic is that of the workflow (worker/reconcile.test.ts)',
  'toolCalls.complete': claimed,
  'toolCalls.release': claimed,
  'toolCalls.renew': claimed,
  'toolCalls.hasToldOf': claimed,
  'visits.callsAct': own,
};

test('every method of a store is tried across clinics, or excused with a reason', () => {
  const methods = Object.entries(records.stores).flatMap(([store, members]) =>
    Object.keys(members).map((name) => `${store}.${name}`),
  );

  const accounted = [...Object.keys(attempts), ...Object.keys(excused)];

  expect(accounted.toSorted()).toEqual(methods.toSorted());
});

describe('another clinic', () => {
  test.each(Object.entries(attempts))('gets nothing and changes nothing with %s', async (_method, attempt) => {
    const before = await rowsOf(records, records.clinicId);

    const result: unknown = await attempt(records.stores, records.otherClinicId, owned).catch(() => null);

    expect(whatIsIn(result, owned)).toEqual([]);
    expect(await rowsOf(records, records.clinicId)).toEqual(before);
  });
});

/** What is meant to change more than it names. */
const meansOthersToo: Record<string, string> = {
  'clientKeys.remove': 'the key that is left signs on',
  'sandboxData.restore': 'all of the sandbox becomes what it was',
};

describe('the owner', () => {
  /** What an attempt left as it was serves the next one. */
  let unchanged: Awaited<ReturnType<typeof aFilledClinic>> | null = null;

  test.each(Object.entries(attempts))(
    'is given or changes something with the same %s, and nothing of what is beside it',
    async (method, attempt) => {
      const filled = unchanged ?? (await aFilledClinic());
      const { clinicId, mine, beside, before, besideBefore } = filled;

      const toAnother: unknown = await attempt(records.stores, records.otherClinicId, mine).catch(() => null);
      const isRefused = await isRefusedWhileNothingIsWritten(() => attempt(records.stores, clinicId, mine));
      const toOwner: unknown = await attempt(records.stores, clinicId, mine);

      const isChanged = JSON.stringify(await rowsOf(records, clinicId)) !== JSON.stringify(before);
      unchanged = isChanged ? null : filled;
      expect(isChanged || textOf(toOwner) !== textOf(toAnother)).toBe(true);
      // Nobody hears that a change was made which was not.
      expect(isRefused || !isChanged).toBe(true);
      if (isChanged && !Object.hasOwn(meansOthersToo, method))
        expect(await rowsBeside(clinicId, { mine, beside })).toEqual(besideBefore);
    },
  );
});

const soon = new Date('2036-01-01T00:00:00.000Z');
const aDuty = { name: 'relay' as const, token: 1 };
const aKey = { clinicId: 'x', route: 'x', key: 'x', requestHash: 'x', token: 'x' };
const aPurge = { clinicId: 'x', kind: 'event_bodies' as const, from: null, until: now };
const aMonth = { month: '2035-01-01', toldMonth: '2034-12-01', isClaimed: true };
const aReply = { id: 'x', token: 'x', reply: '{}', isSuccess: true, change: null };
const auditedReply = { tool: 'x', requestId: 'x', address: 'x', isRead: false, patientId: 'x' };
const person = { firstName: 'A', lastName: 'B' };
const anImport = { phone: '+14155559997', scope: 'all' as const, createdAt: null };
const anInbound = { platformCallId: 'x', callerNumber: null, state: 'RINGING' as const };

/** What those write who are asked by no clinic, or by one about itself alone. */
const writes: Record<string, (stores: Stores, clinicId: string) => Promise<unknown>> = {
  'accountLinks.invite': ({ accountLinks }, clinicId) =>
    accountLinks.invite({ clinicId, email: 'x@example.com', role: 'staff' }, operator),
  'alarms.tellOperator': ({ alarms }) => alarms.tellOperator(),
  'alarms.told': ({ alarms }) => alarms.told('x', ['x']),
  'appointments.fulfilPast': ({ appointments }) => appointments.fulfilPast(now, 1),
  'audit.write': ({ audit }, clinicId) => audit.write({ clinicId, action: 'x', ...operator }),
  'audit.writeRequest': ({ audit }, clinicId) =>
    audit.writeRequest({
      clinicId,
      action: 'x',
      ...operator,
      requestId: 'x',
      address: 'x',
      isRead: true,
      route: 'x',
      subjects: [],
    }),
  'bulkJobs.end': ({ bulkJobs }, clinicId) => bulkJobs.end(clinicId, 'x'),
  'bulkJobs.start': ({ bulkJobs }, clinicId) =>
    bulkJobs.start(clinicId, { kind: 'cancel_runs', filter: { until: nextMonth } }, operator),
  'bulkSteps.noteWait': ({ bulkSteps }, clinicId) => bulkSteps.noteWait(clinicId, 'x', 'endpoint'),
  'calls.openTrialCall': ({ calls }, clinicId) =>
    calls.openTrialCall({
      clinicId,
      workflowType: 'waitlist-offer',
      patientId: 'x',
      phone: '+14155559996',
      account: 'x',
    }),
  'clientKeys.create': ({ clientKeys }, clinicId) => clientKeys.create(clinicId, { kid: newId(), algorithm: 'ES384' }),
  'clinics.setClosedDays': ({ clinics }, clinicId) => clinics.setClosedDays(clinicId, {}),
  'clinics.setCountry': ({ clinics }, clinicId) => clinics.setCountry(clinicId, 'CA'),
  'clinics.setLanguage': ({ clinics }, clinicId) => clinics.setLanguage(clinicId, 'es'),
  'clinics.setNumbersPerDay': ({ clinics }, clinicId) => clinics.setNumbersPerDay(clinicId, 1),
  'clinics.setOutboundEndpoint': ({ clinics }, clinicId) =>
    clinics.setOutboundEndpoint(clinicId, { url: null, isEnabled: true, events: [] }),
  'clinics.setVoiceProvider': ({ clinics }, clinicId) => clinics.setVoiceProvider(clinicId, 'vapi'),
  'deliveries.emit': ({ deliveries }, clinicId) =>
    deliveries.emit({ clinicId, event: 'test', subject: 'x', data: { message: 'x' } }),
  'duties.noteDone': ({ duties }) => duties.noteDone(aDuty, now),
  'duties.prolong': ({ duties }) => duties.prolong(aDuty, 1),
  'duties.release': ({ duties }) => duties.release(aDuty),
  'duties.take': ({ duties }) => duties.take('relay', 'x', 1),
  'endpoints.add': ({ endpoints }, clinicId) => endpoints.add(clinicId, anEndpoint),
  'fhirSubscriptions.add': ({ fhirSubscriptions }, clinicId) => fhirSubscriptions.add(clinicId, aSubscription),
  'holds.setForCalls': ({ holds }, clinicId) => holds.setForCalls({ clinicId, minutes: 5 }, operator),
  'idempotency.answer': ({ idempotency }) =>
    idempotency.answer({ ...aKey, status: 200, body: 'x', contentType: 'text/plain' }),
  'idempotency.claim': ({ idempotency }, clinicId) => idempotency.claim({ ...aKey, clinicId }),
  'idempotency.release': ({ idempotency }) => idempotency.release(aKey),
  'inboundCalls.open': ({ inboundCalls }, clinicId) =>
    inboundCalls.open({ owner: { clinicId, country: 'US' }, ...anInbound }),
  'keys.createApiKey': ({ keys }, clinicId) => keys.createApiKey({ clinicId, name: 'x', scopes: [], by: operator }),
  'keys.retirePreviousInbound': ({ keys }, clinicId) => keys.retirePreviousInbound(clinicId, 'x'),
  'keys.rotateInbound': ({ keys }, clinicId) => keys.rotateInbound(clinicId, 'x'),
  'keys.rotateSigning': ({ keys }, clinicId) => keys.rotateSigning(clinicId),
  'keys.rotateVoice': ({ keys }, clinicId) => keys.rotateVoice(clinicId),
  'keys.touchApiKey': ({ keys }) => keys.touchApiKey('x'),
  'keys.touchSecret': ({ keys }) => keys.touchSecret('x'),
  'longWork.markDispatched': ({ longWork }, clinicId) =>
    longWork.markDispatched({ kind: 'cancel_runs', clinicId, id: 'x' }),
  'longWork.markLost': ({ longWork }, clinicId) => longWork.markLost({ kind: 'cancel_runs', clinicId, id: 'x' }),
  'messages.markSent': ({ messages }) => messages.markSent('x'),
  'monthMails.claim': ({ monthMails }) => monthMails.claim('x', '2035-01-01'),
  'monthMails.giveBack': ({ monthMails }) => monthMails.giveBack('x', aMonth),
  'namedSandboxes.open': ({ namedSandboxes }, clinicId) => namedSandboxes.open({ clinicId, name: 'x', now }),
  'optOuts.add': ({ optOuts }, clinicId) => optOuts.add(clinicId, anImport.phone),
  'optOuts.addMany': ({ optOuts }, clinicId) => optOuts.addMany(clinicId, [anImport], operator),
  'patients.createPlaceholder': ({ patients }, clinicId) => patients.createPlaceholder(clinicId),
  'patients.createTestPatient': ({ patients }, clinicId) =>
    patients.createTestPatient(clinicId, { externalId: 'x', birthDate: null, ...person }),
  'patients.findOrCreateByPhone': ({ patients }, clinicId) => patients.findOrCreateByPhone(clinicId, '+14155559995'),
  'pauses.pause': ({ pauses }, clinicId) =>
    pauses.pause({ clinicId, workflowType: null, reason: 'x', until: null }, operator),
  'pauses.resume': ({ pauses }, clinicId) => pauses.resume(clinicId, 'x', operator),
  'phoneNumbers.assign': ({ phoneNumbers }, clinicId) =>
    phoneNumbers.assign({ clinicId, number: '+14155559994', platformId: null }, operator),
  'phoneNumbers.replace': ({ phoneNumbers }, clinicId) => phoneNumbers.replace(clinicId, []),
  'providers.replace': ({ providers }, clinicId) => providers.replace(clinicId, []),
  'results.setSettings': ({ results }, clinicId) =>
    results.setSettings(clinicId, {
      currency: null,
      usdRate: null,
      targetRecoveryRate: null,
      targetRecoveries: null,
    }),
  'retention.choose': ({ retention }, clinicId) => retention.choose(clinicId, { event_bodies: 9 }, operator),
  'retention.done': ({ retention }) => retention.done(aPurge),
  'runs.markDispatched': ({ runs }) => runs.markDispatched(['x']),
  'runs.markLost': ({ runs }) => runs.markLost('x'),
  'runs.openRun': ({ runs }, clinicId) =>
    runs.openRun({
      clinicId,
      sessionId: 'x',
      workflowType: 'care-gap-follow-up',
      patient: { ...person, phone: '+14155559993' },
    }),
  'runs.openRecovery': ({ runs }, clinicId) =>
    runs.openRecovery({ clinicId, sessionId: 'y', patient: { ...person, phone: '+14155559992' }, form: {} }),
  'sandbox.match': ({ sandbox }, clinicId) => sandbox.match(clinicId, 'NOBODY-1'),
  'sandbox.setEnabled': ({ sandbox }, clinicId) => sandbox.setEnabled({ clinicId, isEnabled: true, now }),
  'sandboxClients.keepToken': ({ sandboxClients }, clinicId) =>
    sandboxClients.keepToken({ clinicId, clientId: 'x', token: 'x', scopes: 'x', endsAt: soon }),
  'sandboxClients.register': ({ sandboxClients }, clinicId) =>
    sandboxClients.register({ clinicId, name: 'x', jwks: { keys: [] } }),
  'sandboxClients.useAssertion': ({ sandboxClients }) =>
    sandboxClients.useAssertion({ clientId: 'x', jti: 'x', endsAt: soon }),
  'sandboxClocks.set': ({ sandboxClocks }, clinicId) =>
    sandboxClocks.set({ clinicId, realNow: now, to: () => ({ shows: nextMonth, runsSince: null }) }),
  'sandboxData.reset': ({ sandboxData }, clinicId) => sandboxData.reset({ clinicId, realNow: now }),
  'sandboxLeniency.change': ({ sandboxLeniency }, clinicId) =>
    sandboxLeniency.change({ clinicId, to: { minimumNoticeMinutes: 5 } }),
  'settings.keepStatement': ({ settings }, clinicId) =>
    settings.keepStatement(clinicId, { baseUrl: 'x', declared: {} }),
  'settings.nameAssistants': ({ settings }, clinicId) => settings.nameAssistants(clinicId, {}),
  'settings.removeApprovedApi': ({ settings }, clinicId) => settings.removeApprovedApi(clinicId),
  'settings.setCrm': ({ settings }, clinicId) => settings.setCrm(clinicId, null),
  'signInCounts.count': ({ signInCounts }) => signInCounts.count('x@example.com', 'x'),
  'signInCounts.deleteOld': ({ signInCounts }) => signInCounts.deleteOld(),
  'staff.requireSecondFactor': ({ staff }, clinicId) =>
    staff.requireSecondFactor({ clinicId, isRequired: true }, operator),
  'taskMails.told': ({ taskMails }) => taskMails.told('x', now),
  'toolCalls.complete': ({ toolCalls }) => toolCalls.complete({ ...aReply, audited: auditedReply }),
  'toolCalls.release': ({ toolCalls }) => toolCalls.release({ id: 'x', token: 'x' }),
  'toolCalls.renew': ({ toolCalls }) => toolCalls.renew({ id: 'x', token: 'x' }),
  'validationRuns.start': ({ validationRuns }, clinicId) =>
    validationRuns.start({ clinicId, label: null, now, endsAt: soon, by: operator }),
  'viewers.forgetLeft': ({ viewers }) => viewers.forgetLeft(),
  'waitlistOffers.endExpired': ({ waitlistOffers }) => waitlistOffers.endExpired(),
};

test.each(Object.entries(writes))('whoever asks for %s hears that nothing could be written', async (_method, write) => {
  const { stores, otherClinicId } = records;

  expect(await isRefusedWhileNothingIsWritten(() => write(stores, otherClinicId))).toBe(true);
});

describe('what ends with a row that cannot be written is not done', () => {
  test.each<[method: string, of: keyof typeof refusals, write: Attempt]>([
    [
      'inboundCalls.open',
      'calls',
      ({ inboundCalls }, clinicId) => inboundCalls.open({ owner: { clinicId, country: 'US' }, ...anInbound }),
    ],
    [
      'calls.beginRequest',
      'calls',
      ({ calls }, clinicId, { waitingCallId: callId }) => calls.beginRequest({ clinicId, callId, requests: 0 }),
    ],
    [
      'optOuts.addMany',
      'messages',
      ({ optOuts }, clinicId, { run }) => optOuts.addMany(clinicId, [{ ...anImport, phone: run.phone }], operator),
    ],
  ])('%s, of %s', async (_method, of, write) => {
    const { stores, clinicId } = records;
    const before = await rowsOf(records, clinicId);

    expect(await isRefusedWhileNothingIsWritten(() => write(stores, clinicId, owned), of)).toBe(true);

    expect(await rowsOf(records, clinicId)).toEqual(before);
  });
});

type Making = (sql: Records['database']['sql']) => Promise<unknown>;

const allowAll: Making = (sql) => sql`
  create or replace function refuse_write() returns trigger language plpgsql as 'begin return null; end'`;

/** What each statement that writes runs into, by what it is refused for. */
const refusals = {
  everything: (sql) => sql`
    create or replace function refuse_write() returns trigger language plpgsql as
    'begin raise exception ''nothing is written''; end'`,
  calls: (sql) => sql`
    create or replace function refuse_write() returns trigger language plpgsql as
    'begin if tg_table_name = ''calls'' then raise exception ''no call is written''; end if; return null; end'`,
  messages: (sql) => sql`
    create or replace function refuse_write() returns trigger language plpgsql as
    'begin if tg_table_name = ''workflow_messages'' then raise exception ''no message is written''; end if; return null; end'`,
} satisfies Record<string, Making>;

async function prepareRefusals({ database: { sql } }: Records): Promise<void> {
  await allowAll(sql);
  await sql`
    do 'declare each record; begin
      for each in select tablename as name from pg_tables where schemaname = ''public'' loop
        execute format(''create trigger refuse_write before insert or update or delete on %I
          for each statement execute function refuse_write()'', each.name);
      end loop; end'`;
}

async function isRefusedWhileNothingIsWritten(
  work: () => Promise<unknown>,
  of: keyof typeof refusals = 'everything',
): Promise<boolean> {
  const { sql } = records.database;
  await refusals[of](sql);
  const isRefused = await work().then(
    () => false,
    () => true,
  );
  await allowAll(sql);
  return isRefused;
}

async function aFilledClinic() {
  const clinicId = await records.aClinic();
  const mine = await fill(records, clinicId);
  const beside = await fill(records, clinicId, 1);
  const [before, besideBefore] = [await rowsOf(records, clinicId), await rowsBeside(clinicId, { mine, beside })];
  return { clinicId, mine, beside, before, besideBefore };
}

/** The ids of all records of an owner. */
const idsOf = ({ run, recovery, ...ids }: Owned): string[] =>
  [...Object.values(ids), run.workflowId, recovery.workflowId, run.phone, recovery.phone].filter((id) => id !== '');

/** Of the rows of a clinic those that tell of `beside` and not of `mine`, table by table. */
async function rowsBeside(clinicId: string, { mine, beside }: { mine: Owned; beside: Owned }): Promise<Rows> {
  const rows = await records.database.prisma.$queryRawUnsafe<{ name: string; digest: string | null }[]>(
    'select * from rows_beside($1, $2, $3)',
    clinicId,
    idsOf(beside).map((id) => `%${id}%`),
    idsOf(mine).map((id) => `%${id}%`),
  );
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
type Rows = Record<string, string | null>;

/** Values of the owner's records that a result holds. */
function whatIsIn(result: unknown, { run, recovery, ...ids }: Owned): string[] {
  const text = textOf(result);
  const telling = [...Object.values(ids), run.workflowId, recovery.workflowId, run.phone, recovery.phone, 'Owner'];
  return telling.filter((value) => text.includes(value));
}

function textOf(result: unknown): string {
  return JSON.stringify(result, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)) ?? '';
}

const anExchange = {
  at: now.toISOString(),
  durationMs: 1,
  operation: 'match' as const,
  status: 200,
  credential: 'a-digest',
  key: null,
  request: 'another-digest',
  retryAfterSeconds: null,
  refusal: null,
  facts: {},
};

/** All rows of a clinic, table by table, as one digest each. */
async function rowsOf({ database }: Records, clinicId: string): Promise<Rows> {
  const rows = await database.prisma.$queryRawUnsafe<{ name: string; digest: string | null }[]>(
    'select * from digests_of($1)',
    clinicId,
  );
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/** A function, whose plan is kept: it reads all tables, and runs some hundred times. */
async function prepareDigests({ database }: Records): Promise<void> {
  const tables = await database.sql<{ name: string }>`
    select coalesce(table_name::text, '') as name from information_schema.columns
    where table_schema = 'public' and column_name = 'clinic_id'
      and table_name in (select tablename from pg_tables where schemaname = 'public')`;
  const digests = tables.map(
    ({ name }) => `select '${name}', (
      select md5(string_agg(t::text, '|' order by t::text)) from "${name}" t where clinic_id = of_clinic)`,
  );
  // Everything is told of there.
  const beside = tables
    .filter(({ name }) => name !== 'changes')
    .map(
      ({ name }) => `select '${name}', (
      select string_agg(t::text, chr(10) order by t::text) from "${name}" t where clinic_id = of_clinic
        and t::text like any(telling_of) and not t::text like any(not_of))`,
    );
  await database.prisma.$executeRawUnsafe(`
    create function rows_beside(of_clinic text, telling_of text[], not_of text[]) returns table (name text, digest text) language plpgsql stable as
    $$ begin return query ${beside.join(' union all ')}; end $$`);
  await database.prisma.$executeRawUnsafe(`
    create function digests_of(of_clinic text) returns table (name text, digest text) language plpgsql stable as
    $$ begin return query ${digests.join(' union all ')}; end $$`);
}

/** One of each thing, of a clinic; at another `place` those stand beside each other that a clinic may have several of. */
async function fill(
  { stores, database, aRun, aCase, anIntent, aPlacedCall, aReservedCall }: Records,
  clinicId: string,
  place = 0,
): Promise<Owned> {
  const [run, recovery] = [await aRun({ clinicId }), await aCase({ clinicId })];
  const patientId = run.patientId;
  await database.prisma.patient.update({
    where: { id: patientId },
    data: { firstName: 'Owner', birthDate: '1980-01-01', identifier: `OWN-${patientId}` },
  });
  await database.prisma.patient.create({
    data: { id: newId(), clinicId, firstName: 'Owner', lastName: 'Lee', phone: aPhone() },
  });
  const { callId } = await aPlacedCall(run);
  await database.prisma.clinicNotice.create({
    data: { clinicId, workflowId: run.workflowId, action: 'patient.upsert', subject: callId },
  });
  const { callId: lostCallId } = await aPlacedCall(recovery);
  await stores.calls.markNotFound(clinicId, lostCallId);
  await stores.toolCalls.claim({
    clinicId,
    callId,
    toolCallId: newId(),
    family: 'emr',
    tool: 'find',
    arguments: {},
    meaning: 'y',
    rivals: null,
  });
  const testOf = { clinicId, patientId: recovery.patientId, workflowType: null, workflowId: null, caseId: null };
  const testCallId = await stores.calls.openTestCall(testOf);
  const waitingCallId = await aReservedCall(await aRun({ clinicId }));
  await stores.calls.reserve(anIntent(await aRun({ clinicId }), { maxConcurrentCalls: 0 }));
  const appointmentId = await anAppointment({ clinicId, patientId, startsAt: `2035-02-01T1${place}:00:00.000Z` });
  const cancelledAppointmentId = await anAppointment({
    clinicId,
    patientId,
    startsAt: `2035-02-02T1${place}:00:00.000Z`,
  });
  await stores.appointments.cancel({ clinicId, appointmentId: cancelledAppointmentId, change: { key: 'owner' } });
  const holdId = newId();
  await stores.holds.hold({ ...aHold, clinicId, holdId, patientId, startsAt: `2035-02-03T1${place}:00:00.000Z` });
  await stores.tasks.open({ clinicId, reason: 'bad_number', cause: `ours-${patientId}`, patientId });
  const content = [{ contentType: 'text/plain', data: 'T3duZXI=' }];
  await stores.documents.write({ id: newId(), clinicId, patientId, callId, content });
  const task = await database.prisma.staffTask.findFirstOrThrow({
    where: { clinicId, patientId, reason: 'bad_number' },
  });
  const deliveryId = await stores.deliveries.emit({
    clinicId,
    event: 'test',
    subject: recovery.caseId ?? '',
    data: { message: 'hello' },
  });
  const wrong = { id: newId(), clinicId, callId, patientId, tool: 'verify_patient' as const, stated: '1999-01-01' };
  await stores.verifications.check(wrong);
  await stores.callerTries.take({ id: callId, kind: 'identity', clinicId, callId, patientId, phone: null });
  const said = { clinicId, callId, patientId, isMatchedByNumber: true };
  await stores.registration.update(said, { preferredLocation: 'Owner Street' });
  const [proposal] = await stores.proposals.ofPatient(clinicId, patientId);
  const by = { actor: 'account:owner' };
  await stores.tasks.addNote({ id: newId(), clinicId, taskId: task.id, note: 'Owner' }, by);
  const { id: apiKeyId } = await stores.keys.createApiKey({ clinicId, name: 'ours', scopes: ['results'], by });
  const [held, toErase] = [await aRun({ clinicId }), await aRun({ clinicId })];
  const [heldPatientId, erasedPatientId] = [held.patientId, toErase.patientId];
  const { id: optOutId } = await stores.optOuts.add(clinicId, held.phone);
  const [staffId, disabledId, sessionId] = [newId(), newId(), newId()];
  const aPerson = (id: string) => ({ id, name: 'Owner', email: `${id}@example.com`, clinicId, role: 'staff' });
  await database.prisma.user.createMany({
    data: [aPerson(staffId), { ...aPerson(disabledId), disabledAt: new Date() }],
  });
  await stores.tasks.open({
    clinicId,
    reason: 'bad_number',
    cause: `assigned-${patientId}`,
    patientId: held.patientId,
  });
  await database.prisma.staffTask.updateMany({
    where: { clinicId, patientId: held.patientId },
    data: { assigneeId: staffId, assignedBy: by.actor, assignedAt: now },
  });
  const expiresAt = new Date(Date.now() + 3_600_000);
  await database.prisma.session.create({ data: { id: sessionId, userId: staffId, token: newId(), expiresAt } });
  await database.prisma.singleSignOnPerson.create({
    data: { clinicId, issuer: 'https://login.example', subject: newId(), userId: staffId },
  });
  const invited = { clinicId, email: `${newId()}@example.com`, role: 'staff' } as const;
  const { id: invitationId } = await stores.accountLinks.invite(invited, by);
  await stores.legalHolds.place({ clinicId, patientId: heldPatientId, reason: 'a case' }, by);
  const erasing = { clinicId, patientId: erasedPatientId, reason: 'patient_request' as const };
  const erasure = await stores.erasures.request(erasing, by);
  const people = [await aRun({ clinicId }), await aRun({ clinicId }), await aRun({ clinicId })];
  const [keptPatientId = '', replacedPatientId = '', alikePatientId = ''] = people.map((each) => each.patientId);
  const merge = await stores.patientMerges.merge(
    { clinicId, keptId: keptPatientId, replacedId: replacedPatientId, take: [] },
    by,
  );
  await stores.clientKeys.create(clinicId, { kid: newId(), algorithm: 'ES384' });
  const [key] = await stores.clientKeys.list(clinicId);
  const validation = await stores.validationRuns.start({
    clinicId,
    label: 'Owner',
    now,
    endsAt: new Date(now.getTime() + 60_000),
    by,
  });
  if (validation.kind === 'started') await stores.validationRuns.observe(clinicId, validation.run.id, [anExchange]);
  await stores.taskMails.want(clinicId, staffId, true);
  await stores.monthMails.want(clinicId, staffId, true);
  await stores.viewers.note({ clinicId, sessionId, recordId: patientId }, { isEditing: false });
  const aView = { list: 'cases', name: `Owner ${place}`, filters: { show: 'open' }, isShared: true } as const;
  const view = await stores.savedViews.save({ clinicId, accountId: staffId }, aView, by);
  const bulk = await stores.bulkJobs.start(clinicId, { kind: 'cancel_runs', filter: { until: nextMonth } }, by);
  await stores.sandboxData.take({ clinicId, name: 'ours', realNow: now });
  const chosen = await stores.sandboxFailures.choose({
    clinicId,
    failure: 'server_error',
    operation: null,
    identifier: null,
    parameters: {},
    times: 5,
    endsAt: new Date(Date.now() + 3_600_000),
  });
  if (chosen.kind !== 'chosen') throw new Error(chosen.kind);
  const registered = await stores.sandboxClients.register({ clinicId, name: 'ours', jwks: { keys: [] } }, by);
  if (registered.kind !== 'registered') throw new Error(registered.kind);
  await stores.ehrTimes.take(clinicId, { holder: callId, ...anEhrTime });
  const wishes: string[] = [];
  for (const visitType of ['Offered', 'Also offered']) {
    const added = await stores.waitlist.add(aWish(clinicId, patientId, visitType), 'test');
    if (added.kind === 'added') wishes.push(added.entry.id);
  }
  const provider = await database.prisma.provider.findFirstOrThrow({ where: { clinicId } });
  const offers = await Promise.all(
    wishes.map(async (entryId, index) => {
      const { workflowId } = await aRun({ clinicId });
      const startsAt = new Date(Date.UTC(2035, 1, 5 + index, 10 + place));
      const [id, providerId] = [newId(), provider.id];
      const offer = { id, clinicId, entryId, workflowId, providerId, startsAt, appointmentId: newId() };
      await database.prisma.waitlistOffer.create({ data: { ...offer, endsAt: new Date(Date.now() + 60_000) } });
      return workflowId;
    }),
  );
  // Found in no other value by chance.
  const freedId = `77${String(Date.now())}${String(process.hrtime.bigint() % 1_000n)}`.slice(0, 18);
  await database.sql`
    insert into freed_times (id, clinic_id, provider_id, starts_at) overriding system value
    values (${freedId}::bigint, ${clinicId}, ${provider.id}, ${new Date(Date.UTC(2035, 1, 9, 10 + place))})`;
  const added = await stores.endpoints.add(clinicId, anEndpoint, by);
  const subscribed = await stores.fhirSubscriptions.add(clinicId, aSubscription, by);
  const opened = await stores.namedSandboxes.open({ clinicId, name: `ours ${place}`, now: new Date() }, by);
  if (opened.kind !== 'opened') throw new Error(opened.kind);
  return {
    waitlistEntryId: wishes[0] ?? '',
    offering: offers[0] ?? '',
    alsoOffering: offers[1] ?? '',
    freedId,
    run,
    recovery,
    endpointId: added?.endpoint.id ?? '',
    subscriptionId: subscribed?.subscription.id ?? '',
    caseId: recovery.caseId ?? '',
    callId,
    waitingCallId,
    lostCallId,
    failureId: chosen.failure.id,
    bulkJobId: bulk.kind === 'started' ? bulk.job.id : '',
    viewId: view.kind === 'saved' ? view.view.id : '',
    clientId: registered.client.id,
    sandboxId: opened.sandbox.id,
    testCallId,
    patientId,
    appointmentId,
    cancelledAppointmentId,
    holdId,
    taskId: task.id,
    deliveryId,
    apiKeyId,
    optOutId,
    proposalId: proposal?.id ?? '',
    staffId,
    disabledId,
    sessionId,
    invitationId,
    kid: key?.kid ?? '',
    heldPatientId,
    erasedPatientId,
    keptPatientId,
    replacedPatientId,
    mergeId: merge.id,
    alikePatientId,
    erasureId: erasure.kind === 'requested' ? erasure.erasure.id : '',
    validationRunId: validation.kind === 'started' ? validation.run.id : '',
  };
}

async function anAppointment(about: { clinicId: string; patientId: string; startsAt: string }): Promise<string> {
  const visit = { provider: 'Dr.Vega', visitType: 'Consultation', now };
  const booking = await records.stores.appointments.book({ ...about, ...visit });
  if (booking.kind !== 'booked') throw new Error(booking.kind);
  return booking.appointment.id;
}
