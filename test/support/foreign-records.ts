import { newId } from '@clinic/shared/crypto';
import { aValidationRun } from './calls';
import type { App } from './app';
import type { FhirClinic } from './fhir';

export const anEndpoint = { name: 'A warehouse', url: 'http://127.0.0.1:9/warehouse' };

/** A record of each kind of another clinic: its id by the name of the parameter that routes take it by. */
export async function foreignRecords(app: App, other: FhirClinic): Promise<Record<string, string>> {
  const { clinicId } = other.clinic;
  const [appointment, patientId] = [await other.aBooked(), await other.aPatient()];
  await app.request('PUT', '/integrations/outbound', {
    body: { url: 'http://127.0.0.1:9/hook' },
    bearer: other.admin,
  });
  const endpoint = await app.request('POST', '/integrations/outbound/endpoints', {
    body: anEndpoint,
    bearer: other.admin,
  });
  const started = await app.abandon({}, other.clinic);
  await app.stores.tasks.open({ clinicId, reason: 'clinical_escalation', cause: 'a-cause', patientId });
  const ofClinic = { limit: 1 };
  const [tasks, deliveries, keys, optOut] = await Promise.all([
    app.stores.tasks.list(clinicId, ofClinic),
    app.stores.deliveries.list(clinicId, ofClinic),
    app.stores.keys.listApiKeys(clinicId),
    app.stores.optOuts.add(clinicId, '+15005550123'),
  ]);
  const caller = { clinicId, patientId, callId: other.clinic.testCallId, isMatchedByNumber: true };
  await app.stores.registration.update(caller, { preferredLocation: 'Elsewhere' });
  const [proposal] = await app.stores.proposals.ofPatient(clinicId, patientId);
  const pause = await app.stores.pauses.pause(
    { clinicId, workflowType: 'care-gap-follow-up', reason: 'a test', until: null },
    { actor: 'operator' },
  );
  const [erased, merged] = [await other.aPatient(), await other.aPatient()];
  const merge = await app.stores.patientMerges.merge(
    { clinicId, keptId: patientId, replacedId: merged, take: [] },
    { actor: 'operator' },
  );
  const erasure = await app.stores.erasures.request(
    { clinicId, patientId: erased, reason: 'patient_request' },
    { actor: 'operator' },
  );
  if (erasure.kind !== 'requested') throw new Error(erasure.kind);
  // Of a time in which nothing was started.
  const filter = { until: '2000-01-01T00:00:00.000Z' };
  const job = await app.stores.bulkJobs.start(clinicId, { kind: 'cancel_runs', filter }, { actor: 'operator' });
  if (job.kind !== 'started') throw new Error(job.kind);
  await app.stores.clientKeys.create(clinicId, { kid: newId(), algorithm: 'ES384' });
  const [key] = await app.stores.clientKeys.list(clinicId);
  const before = await app.stores.providers.list(clinicId);
  await app.stores.providers.replace(clinicId, [...before, { ...before[0]!, name: 'Dr.Elsewhere' }]);
  const [accounts, invitation] = await Promise.all([
    app.stores.staff.accounts(clinicId),
    app.stores.accountLinks.invite({ clinicId, email: 'new@elsewhere.example', role: 'staff' }, { actor: 'operator' }),
  ]);
  const accountId = accounts.find(({ role }) => role === 'staff')!.id;
  await app.signIn(other.clinic.staff);
  const [session] = await app.stores.accountSessions.list({ clinicId, accountId });
  const passkeyId = 'a-passkey-elsewhere';
  await app.database.sql`
    insert into passkeys (id, user_id, name, credential_id, public_key, counter, is_synced)
    values (${passkeyId}, ${accountId}, 'Elsewhere', 'credential', 'key', 0, false)`;
  const aView = { list: 'cases', name: 'theirs', filters: { show: 'open' }, isShared: true } as const;
  const view = await app.stores.savedViews.save({ clinicId, accountId }, aView, { actor: 'operator' });
  if (view.kind !== 'saved') throw new Error(view.kind);
  const runId = await aValidationRun(app, clinicId);
  await app.stores.sandboxData.take({ clinicId, name: 'theirs', realNow: new Date() });
  const failure = await app.stores.sandboxFailures.choose({
    clinicId,
    failure: 'server_error',
    operation: 'schedule',
    identifier: null,
    parameters: {},
    times: 1,
    endsAt: new Date(Date.now() + 3_600_000),
  });
  if (failure.kind !== 'chosen') throw new Error(failure.kind);
  const jwks = { keys: [] };
  const client = await app.stores.sandboxClients.register({ clinicId, name: 'theirs', jwks });
  if (client.kind !== 'registered') throw new Error(client.kind);
  const wish = { earliestOn: '2035-01-01', latestOn: '2035-12-31', fromTime: null, untilTime: null };
  const waiting = await app.stores.waitlist.add(
    { clinicId, patientId, provider: null, visitType: 'Check-up', ...wish },
    'test',
  );
  if (waiting.kind !== 'added') throw new Error(waiting.kind);
  const opened = await app.stores.namedSandboxes.open({ clinicId, name: 'theirs', now: new Date() });
  if (opened.kind !== 'opened') throw new Error(opened.kind);
  const subscribed = await app.stores.fhirSubscriptions.add(clinicId, {
    baseUrl: app.baseUrl,
    url: 'https://theirs.example/changes',
    payload: 'application/fhir+json',
    content: 'id-only',
    reason: 'theirs',
    patientId: null,
    providerName: null,
    heartbeatSeconds: null,
    endsAt: null,
  });
  return {
    subscriptionId: subscribed?.subscription.id ?? '',
    entryId: waiting.entry.id,
    sandboxId: opened.sandbox.id,
    failureId: failure.failure.id,
    clientId: client.client.id,
    endpointId: endpoint.body.id,
    snapshot: 'theirs',
    accountId,
    invitationId: invitation.id,
    sessionId: session!.id,
    passkeyId,
    id: appointment.id,
    appointmentId: appointment.id,
    patientId,
    recordId: patientId,
    name: 'Dr.Elsewhere',
    workflowId: started.body.workflowId,
    recoveryCaseId: started.body.recoveryCaseId,
    callId: other.clinic.testCallId,
    optOutId: optOut.id,
    pauseId: pause.id,
    taskId: tasks.items[0]!.id,
    proposalId: proposal!.id,
    mergeId: merge.id,
    deliveryId: deliveries.items[0]!.id,
    apiKeyId: keys[0]!.id,
    kid: key!.kid,
    erasureId: erasure.erasure.id,
    jobId: job.job.id,
    viewId: view.view.id,
    runId,
  };
}
