import type { Actor } from '@clinic/prisma/stores/operations/audit';
import { VoiceChange, withKeptKey } from '@clinic/shared/contracts/voice/voice';
import { newId } from '@clinic/shared/crypto';
import { defaultCallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { aPhone } from '../../../support/builders';
import { openRecords, type Records } from '../../../support/records';

/** Ids of what the changes are made to, some of which earlier changes have made. */
interface Things {
  patientId: string;
  otherPatientId: string;
  phone: string;
  callId: string;
  taskId: string;
  adminId: string;
  staffId: string;
  disabledId: string;
  sessionId: string;
  otherSessionId: string;
  proposals: string[];
  made: string;
}

let records: Records;
let clinicId: string;
let things: Things;
beforeAll(async () => {
  records = await openRecords();
  ({ clinicId } = records);
  things = await arrange();
  const { sql } = records.database;
  await sql`
    create function refuse_entry() returns trigger language plpgsql as 'begin raise exception ''the audit is full''; end'`;
  await sql`
    create trigger refuse_entry before insert on audit_entries for each row when (new.actor = 'account:nobody')
    execute function refuse_entry()`;
});
afterAll(() => records.close());

const stores = () => records.stores;
const realNow = new Date('2030-01-07T12:00:00.000Z');
const inAnHour = () => new Date(Date.now() + 3_600_000);

async function arrange(): Promise<Things> {
  const { prisma } = records.database;
  const [run, other] = [await records.aRun(), await records.aRun()];
  const { patientId, phone } = run;
  const { callId } = await records.aPlacedCall(run);
  const call = await records.aPlacedCall(await records.aRun());
  const proposals: string[] = [];
  for (const saidIn of [callId, call.callId]) {
    const said = { clinicId, callId: saidIn, patientId: other.patientId, isMatchedByNumber: true };
    await stores().registration.update(said, { preferredLocation: 'Denver' });
    const [proposal] = await prisma.recordProposal.findMany({ where: { callId: saidIn } });
    proposals.push(proposal?.id ?? '');
  }
  await stores().tasks.open({ clinicId, reason: 'bad_number', cause: 'a cause', patientId });
  const { id: taskId } = await prisma.staffTask.findFirstOrThrow({ where: { clinicId, cause: 'a cause' } });
  const [adminId, staffId, disabledId] = [newId(), newId(), newId()];
  const account = (id: string, about: object) => ({ id, name: id, email: `${id}@example.com`, clinicId, ...about });
  await prisma.user.createMany({
    data: [
      account(adminId, { role: 'admin' }),
      account(staffId, { role: 'staff' }),
      account(disabledId, { role: 'staff', disabledAt: new Date() }),
    ],
  });
  const [sessionId, otherSessionId, last] = [newId(), newId(), newId()];
  for (const id of [sessionId, otherSessionId, last]) {
    await prisma.session.create({ data: { id, userId: staffId, token: newId(), expiresAt: inAnHour() } });
  }
  await prisma.singleSignOnPerson.create({
    data: { clinicId, issuer: 'https://login.example', subject: newId(), userId: staffId },
  });
  const otherPatientId = other.patientId;
  const made = '';
  return {
    patientId,
    otherPatientId,
    phone,
    callId,
    taskId,
    adminId,
    staffId,
    disabledId,
    sessionId,
    otherSessionId,
    proposals,
    made,
  };
}

interface Entry {
  action: string;
  subject?: string;
  subjects?: string[];
  detail?: object;
}

type Change = [what: string, make: (by: Actor) => Promise<unknown>, entries: () => Entry[]];

/** Keeps what a change has made, for those that follow. */
const keep = async (id: Promise<string | undefined>) => (things.made = (await id) ?? '');
const made = (action: string, detail: object = {}) => [{ action, subject: things.made, detail }];
const plain = (action: string, detail: object = {}) => [{ action, detail }];

const aPolicy = { ...defaultCallingPolicy, maxAttempts: 4 };
const anEndpoint = { name: 'One', url: 'https://one.example/a/key', isEnabled: true, events: ['call.ended'] };
const ofEndpoint = { name: 'One', host: 'one.example', enabled: true, events: ['call.ended'] };
const voice = withKeptKey(VoiceChange.parse({ provider: 'vapi', transferTo: '+14155550123' }), null);
const silent = { ...voice, recording: { isOn: true, isDisclosed: false }, apiKey: 'a key' };
const ofVoice = ({ transferTo, apiKey: _key, ...named }: typeof voice) => ({
  ...named,
  provider: 'simulator',
  isTransferred: transferTo !== null,
});
const signOn = {
  issuer: 'https://login.example/tenant',
  clientId: 'us',
  clientSecret: 'secret',
  roleClaim: null,
  roleRules: [],
  defaultRole: 'staff' as const,
  factorAcrs: [],
  domains: ['b.example', 'a.example'],
};
const aSubscription = {
  baseUrl: 'https://clinic.example/api',
  url: 'https://two.example/changes',
  payload: 'application/fhir+json',
  content: 'id-only' as const,
  reason: 'Two',
  patientId: null,
  providerName: null,
  heartbeatSeconds: null,
  endsAt: null,
};
const aFailure = {
  failure: 'server_error' as const,
  operation: 'schedule' as const,
  identifier: null,
  parameters: {},
  times: 2,
};
const aView = { list: 'cases' as const, name: 'One', filters: { show: 'open' }, isShared: true };
const viewer = () => ({ clinicId, accountId: things.staffId });
const line = { number: '+14155552001', platformId: 'line-1', assistantId: null };

/** In this order: some are made to what others have left. */
const changes: Change[] = [
  [
    'closed days',
    (by) => stores().clinics.setClosedDays(clinicId, { '2031-12-25': 'Christmas' }, by),
    () => plain('closed-days.change', { dates: ['2031-12-25'] }),
  ],
  [
    'a language',
    (by) => stores().clinics.setLanguage(clinicId, 'es', by),
    () => plain('language.change', { language: 'es' }),
  ],
  [
    'a country',
    (by) => stores().clinics.setCountry(clinicId, 'CA', by),
    () => plain('country.change', { country: 'CA' }),
  ],
  [
    'numbers of a day',
    (by) => stores().clinics.setNumbersPerDay(clinicId, 70, by),
    () => plain('numbers-per-day.change', { numbersPerDay: 70 }),
  ],
  [
    'a policy that tells patients less',
    (by) => stores().clinics.setPolicy(clinicId, { ...aPolicy, disclosesAutomation: false }, by),
    () => [
      { action: 'recovery-policy.change', detail: { ...aPolicy, disclosesAutomation: false } },
      { action: 'disclosure.off' },
    ],
  ],
  [
    'a policy that tells them again',
    (by) => stores().clinics.setPolicy(clinicId, { ...aPolicy, disclosesAutomation: true }, by),
    () => [
      { action: 'recovery-policy.change', detail: { ...aPolicy, disclosesAutomation: true } },
      { action: 'disclosure.on' },
    ],
  ],
  [
    'a policy that tells them as before',
    (by) => stores().clinics.setPolicy(clinicId, { ...aPolicy, disclosesAutomation: true }, by),
    () => plain('recovery-policy.change', { ...aPolicy, disclosesAutomation: true }),
  ],
  [
    'where events go',
    (by) => stores().clinics.setOutboundEndpoint(clinicId, { ...anEndpoint }, by),
    () => plain('outbound.change', { host: 'one.example', enabled: true, events: ['call.ended'] }),
  ],
  [
    'that events go nowhere',
    (by) => stores().clinics.setOutboundEndpoint(clinicId, { url: null, isEnabled: false, events: [] }, by),
    () => plain('outbound.change', { host: null, enabled: false, events: [] }),
  ],
  [
    'how long contents stay',
    (by) => stores().retention.choose(clinicId, { event_bodies: 90, tool_contents: null }, by),
    () => plain('retention.change', { event_bodies: 90, tool_contents: null }),
  ],
  [
    'what results are counted in',
    (by) => {
      const targets = { targetRecoveryRate: 0.5, targetRecoveries: 20 };
      return stores().results.setSettings(clinicId, { currency: 'CAD', usdRate: 1.25, ...targets }, by);
    },
    () =>
      plain('result-settings.change', {
        currency: 'CAD',
        usdRate: 1.25,
        targetRecoveryRate: 0.5,
        targetRecoveries: 20,
      }),
  ],
  [
    'providers',
    async (by) => stores().providers.replace(clinicId, await stores().providers.list(clinicId), by),
    () => plain('providers.change', { names: ['Dr.Vega'] }),
  ],
  [
    'how long calls hold a time',
    (by) => stores().holds.setForCalls({ clinicId, minutes: 7 }, by),
    () => plain('sandbox.call-holds', { minutes: 7 }),
  ],
  [
    'a sandbox that begins',
    (by) => stores().sandbox.setEnabled({ clinicId, isEnabled: true, now: realNow, by }),
    () => plain('sandbox.enable'),
  ],
  [
    'what the sandbox lets pass',
    (by) =>
      stores().sandboxLeniency.change({ clinicId, to: { minimumNoticeMinutes: 60, maximumNoticeDays: null } }, by),
    () => plain('sandbox.leniency.set', { minimumNoticeMinutes: 60 }),
  ],
  [
    'the clock of the sandbox',
    (by) =>
      stores().sandboxClocks.set(
        { clinicId, realNow, to: () => ({ shows: realNow.toISOString(), runsSince: null }) },
        by,
      ),
    () => plain('sandbox.clock.set', { shows: realNow.toISOString(), isFrozen: true }),
  ],
  [
    'the clock of the sandbox, which runs',
    (by) => {
      const at = realNow.toISOString();
      return stores().sandboxClocks.set({ clinicId, realNow, to: () => ({ shows: at, runsSince: at }) }, by);
    },
    () => plain('sandbox.clock.set', { shows: realNow.toISOString(), isFrozen: false }),
  ],
  [
    'that the sandbox has no clock',
    (by) => stores().sandboxClocks.set({ clinicId, realNow, to: () => null }, by),
    () => plain('sandbox.clock.clear'),
  ],
  [
    'a failure',
    (by) =>
      keep(
        stores()
          .sandboxFailures.choose({ clinicId, ...aFailure, endsAt: inAnHour() }, by)
          .then((chosen) => (chosen.kind === 'chosen' ? chosen.failure.id : '')),
      ),
    () => made('sandbox.failure.choose', { failure: 'server_error', operation: 'schedule', times: 2 }),
  ],
  [
    'a failure that is taken back',
    (by) => stores().sandboxFailures.remove(clinicId, things.made, by),
    () => made('sandbox.failure.remove', { count: 1 }),
  ],
  ['no failure that is taken back', (by) => stores().sandboxFailures.remove(clinicId, null, by), () => []],
  [
    'a client',
    (by) =>
      keep(
        stores()
          .sandboxClients.register({ clinicId, name: 'one', jwks: { keys: [] } }, by)
          .then((registered) => (registered.kind === 'registered' ? registered.client.id : '')),
      ),
    () => made('sandbox.client.register'),
  ],
  [
    'a client that goes',
    (by) => stores().sandboxClients.remove(clinicId, things.made, by),
    () => made('sandbox.client.remove'),
  ],
  ['no client that goes', (by) => stores().sandboxClients.remove(clinicId, things.made, by), () => []],
  [
    'a snapshot',
    (by) => stores().sandboxData.take({ clinicId, name: 'first', realNow }, by),
    () => [{ action: 'sandbox.snapshot', subject: 'first' }],
  ],
  [
    'what a snapshot holds, again',
    (by) => stores().sandboxData.restore({ clinicId, name: 'first', realNow }, by),
    () => [{ action: 'sandbox.restore', subject: 'first', detail: expect.objectContaining({ documents: 0 }) }],
  ],
  [
    'a snapshot that goes',
    (by) => stores().sandboxData.drop(clinicId, 'first', by),
    () => [{ action: 'sandbox.snapshot.delete', subject: 'first' }],
  ],
  ['no snapshot that goes', (by) => stores().sandboxData.drop(clinicId, 'first', by), () => []],
  [
    'the sandbox as it began',
    (by) => stores().sandboxData.reset({ clinicId, realNow }, by),
    () => plain('sandbox.reset', expect.objectContaining({ documents: 0 })),
  ],
  [
    'a sandbox that ends',
    (by) => stores().sandbox.setEnabled({ clinicId, isEnabled: false, now: realNow, by }),
    () => plain('sandbox.disable'),
  ],
  [
    'a named sandbox',
    (by) =>
      keep(
        stores()
          .namedSandboxes.open({ clinicId, name: 'one', now: realNow }, by)
          .then((opened) => (opened.kind === 'opened' ? opened.sandbox.id : '')),
      ),
    () => made('sandbox.named.open'),
  ],
  [
    'its token',
    (by) => stores().namedSandboxes.renewToken(clinicId, things.made, by),
    () => made('sandbox.named.renew'),
  ],
  [
    'that it is gone',
    (by) => stores().namedSandboxes.remove(clinicId, things.made, by),
    () => made('sandbox.named.remove'),
  ],
  [
    'lines',
    (by) => stores().phoneNumbers.replace(clinicId, [line], by),
    () => plain('phone-numbers.change', { count: 1 }),
  ],
  [
    'whose a line is',
    (by) => stores().phoneNumbers.assign({ clinicId, ...line }, by),
    () => plain('phone-numbers.assign'),
  ],
  [
    'an API',
    (by) =>
      stores().settings.setApprovedApi(
        clinicId,
        {
          baseUrl: 'https://clinic.example/api',
          auth: { method: 'bearer', token: 'a-token-of-the-clinic' },
          actions: { 'patient.upsert': { method: 'PUT', path: '/patients/{patientId}' } },
        },
        by,
      ),
    () =>
      plain('approved-api.change', {
        kind: 'json',
        host: 'clinic.example',
        auth: 'bearer',
        headers: [],
        actions: ['patient.upsert'],
        hasCertificate: false,
      }),
  ],
  [
    'that there is no API',
    (by) => stores().settings.removeApprovedApi(clinicId, by),
    () => plain('approved-api.remove'),
  ],
  ['that there is no API, again', (by) => stores().settings.removeApprovedApi(clinicId, by), () => []],
  [
    'a CRM',
    (by) => stores().settings.setCrm(clinicId, { kind: 'hubspot', enabled: false, accessToken: 'a-token' }, by),
    () => plain('crm.change', { kind: 'hubspot', enabled: false }),
  ],
  ['that there is no CRM', (by) => stores().settings.setCrm(clinicId, null, by), () => plain('crm.remove')],
  [
    'how calls are placed',
    (by) => stores().settings.setVoice(clinicId, 'simulator', voice, by),
    () => plain('voice.change', { ...ofVoice(voice), account: 'operator' }),
  ],
  [
    'how calls are placed, and that patients are not told',
    (by) => stores().settings.setVoice(clinicId, 'simulator', silent, by),
    () => [
      { action: 'voice.change', detail: { ...ofVoice(silent), account: 'own' } },
      { action: 'recording-disclosure.off' },
    ],
  ],
  [
    'how calls are placed, and that patients are told again',
    (by) => stores().settings.setVoice(clinicId, 'simulator', { ...voice, transferTo: null }, by),
    () => [
      { action: 'voice.change', detail: { ...ofVoice({ ...voice, transferTo: null }), account: 'operator' } },
      { action: 'recording-disclosure.on' },
    ],
  ],
  [
    'who talks',
    (by) => stores().settings.nameAssistants(clinicId, { 'waitlist-offer': 'one' }, by),
    () => plain('voice.assistants', { assistants: { 'waitlist-offer': 'one' } }),
  ],
  [
    'a key',
    (by) =>
      keep(
        stores()
          .keys.createApiKey({ clinicId, name: 'one', scopes: ['results'], by })
          .then(({ id }) => id),
      ),
    () => made('api-key.create', { scopes: ['results'], expiresAt: null }),
  ],
  [
    'a key in place of it',
    (by) => stores().keys.rotateApiKey({ clinicId, id: things.made, oldUntil: realNow, expiresAt: null }, by),
    () => made('api-key.rotate', { replacedBy: expect.any(String), oldExpiresAt: realNow.toISOString() }),
  ],
  ['a key that goes', (by) => stores().keys.revokeApiKey(clinicId, things.made, by), () => made('api-key.revoke')],
  ['no key that goes', (by) => stores().keys.revokeApiKey(clinicId, things.made, by), () => []],
  [
    'a secret of what comes in',
    (by) => stores().keys.rotateInbound(clinicId, 'forms', by),
    () => [{ action: 'inbound.rotate-secret', subject: 'forms' }],
  ],
  [
    'another secret of what comes in',
    (by) => stores().keys.rotateInbound(clinicId, 'forms', by),
    () => [{ action: 'inbound.rotate-secret', subject: 'forms' }],
  ],
  [
    'that the secret of before is gone',
    (by) => stores().keys.retirePreviousInbound(clinicId, 'forms', by),
    () => [{ action: 'inbound.retire-secret', subject: 'forms' }],
  ],
  ['no secret of before', (by) => stores().keys.retirePreviousInbound(clinicId, 'forms', by), () => []],
  ['the secret of events', (by) => stores().keys.rotateSigning(clinicId, by), () => plain('outbound.rotate-secret')],
  ['the secret of calls', (by) => stores().keys.rotateVoice(clinicId, by), () => plain('voice.rotate-secret')],
  [
    'a key of ours',
    (by) =>
      keep(
        stores()
          .clientKeys.create(clinicId, { kid: newId(), algorithm: 'ES384' }, by)
          .then(async () => (await stores().clientKeys.list(clinicId))[0]?.kid),
      ),
    () => made('client-key.create', { algorithm: 'ES384' }),
  ],
  [
    'an endpoint',
    (by) =>
      keep(
        stores()
          .endpoints.add(clinicId, anEndpoint, by)
          .then((added) => added?.endpoint.id),
      ),
    () => made('endpoint.add', ofEndpoint),
  ],
  [
    'another name of an endpoint',
    (by) => stores().endpoints.change(clinicId, things.made, { ...anEndpoint, name: 'Two', isEnabled: false }, by),
    () => made('endpoint.change', { ...ofEndpoint, name: 'Two', enabled: false }),
  ],
  [
    'the secret of an endpoint',
    (by) => stores().keys.rotateSigning(clinicId, by, things.made),
    () => made('endpoint.rotate-secret'),
  ],
  [
    'an endpoint that goes',
    (by) => stores().endpoints.remove(clinicId, things.made, by),
    () => made('endpoint.remove', { name: 'Two' }),
  ],
  [
    'a subscription',
    (by) =>
      keep(
        stores()
          .fhirSubscriptions.add(clinicId, aSubscription, by)
          .then((added) => added?.subscription.id),
      ),
    () => made('sandbox.subscription.add', { host: 'two.example', content: 'id-only' }),
  ],
  [
    'another content of a subscription',
    (by) => {
      const settings = { ...aSubscription, content: 'empty' as const, isOn: false };
      return stores().fhirSubscriptions.change(clinicId, things.made, settings, by);
    },
    () => made('sandbox.subscription.change', { on: false, content: 'empty' }),
  ],
  [
    'a subscription that goes',
    (by) => stores().fhirSubscriptions.remove(clinicId, things.made, by),
    () => made('sandbox.subscription.remove'),
  ],
  [
    'an opt-out',
    (by) =>
      keep(
        stores()
          .optOuts.add(clinicId, things.phone, by)
          .then(({ id }) => id),
      ),
    () => [{ action: 'opt-out.add', subject: things.made, subjects: [things.patientId] }],
  ],
  ['an opt-out that there is', (by) => stores().optOuts.add(clinicId, things.phone, by), () => []],
  [
    'an opt-out that is lifted',
    (by) => stores().optOuts.lift({ clinicId, patientId: things.patientId, reason: 'patient_asked' }, by),
    () => [
      {
        action: 'opt-out.remove',
        subject: things.made,
        subjects: [things.patientId],
        detail: { patientId: things.patientId, reason: 'patient_asked' },
      },
    ],
  ],
  [
    'opt-outs of a list',
    (by) => {
      const entry = { phone: things.phone, scope: 'recovery_and_reminders' as const, createdAt: null };
      return stores().optOuts.addMany(clinicId, [entry, { phone: aPhone(), scope: 'all', createdAt: null }], by);
    },
    () => plain('opt-out.import', { added: 2, widened: 0 }),
  ],
  [
    'an opt-out that goes',
    async (by) => {
      const where = { clinicId, phone: things.phone };
      const { id } = await records.database.prisma.optOut.findFirstOrThrow({ where });
      await keep(Promise.resolve(id));
      return stores().optOuts.remove(clinicId, { id, reason: 'other_person' }, by);
    },
    () => [
      {
        action: 'opt-out.remove',
        subject: things.made,
        subjects: [things.patientId],
        detail: { reason: 'other_person' },
      },
    ],
  ],
  [
    'a pause',
    (by) => {
      const asked = { clinicId, workflowType: 'care-gap-follow-up' as const, reason: 'a test', until: realNow };
      return keep(
        stores()
          .pauses.pause(asked, by)
          .then(({ id }) => id),
      );
    },
    () => made('outreach.pause', { workflowType: 'care-gap-follow-up', until: realNow.toISOString() }),
  ],
  ['the end of a pause', (by) => stores().pauses.resume(clinicId, things.made, by), () => made('outreach.resume')],
  ['the end of no pause', (by) => stores().pauses.resume(clinicId, things.made, by), () => []],
  [
    'work on many',
    (by) => {
      const asked = { kind: 'cancel_runs' as const, filter: { until: '2000-01-01T00:00:00.000Z' } };
      return keep(
        stores()
          .bulkJobs.start(clinicId, asked, by)
          .then((started) => (started.kind === 'started' ? started.job.id : '')),
      );
    },
    () => made('bulk.cancel_runs', { until: '2000-01-01T00:00:00.000Z', total: 0 }),
  ],
  ['that the work stops', (by) => stores().bulkJobs.stop(clinicId, things.made, by), () => made('bulk.stop')],
  ['that the work stops, again', (by) => stores().bulkJobs.stop(clinicId, things.made, by), () => []],
  [
    'a run of the readiness',
    (by) =>
      keep(
        stores()
          .validationRuns.start({
            clinicId,
            label: null,
            now: realNow,
            endsAt: new Date('2030-01-07T13:00:00.000Z'),
            by,
          })
          .then((started) => (started.kind === 'started' ? started.run.id : '')),
      ),
    () => made('validation-run.start'),
  ],
  [
    'its end',
    (by) => stores().validationRuns.end({ clinicId, runId: things.made, endedAt: realNow, findings: {} }, by),
    () => made('validation-run.end'),
  ],
  [
    'its end, again',
    (by) => stores().validationRuns.end({ clinicId, runId: things.made, endedAt: realNow, findings: {} }, by),
    () => [],
  ],
  [
    'what was proposed',
    (by) => stores().proposals.decide(clinicId, things.proposals[0] ?? '', 'ACCEPTED', by),
    () => [{ action: 'proposal.accept', subject: things.otherPatientId, detail: { proposalId: things.proposals[0] } }],
  ],
  [
    'what was proposed and is not taken',
    (by) => stores().proposals.decide(clinicId, things.proposals[1] ?? '', 'DISMISSED', by),
    () => [{ action: 'proposal.dismiss', subject: things.otherPatientId, detail: { proposalId: things.proposals[1] } }],
  ],
  [
    'what was proposed, again',
    (by) => stores().proposals.decide(clinicId, things.proposals[1] ?? '', 'ACCEPTED', by),
    () => [],
  ],
  [
    'a task',
    (by) => stores().tasks.change(clinicId, [{ id: things.taskId }], { state: 'RESOLVED', priority: 'HIGH' }, by),
    () => [
      {
        action: 'task.change',
        subject: things.taskId,
        subjects: [things.patientId],
        detail: { reason: 'bad_number', state: 'RESOLVED', priority: 'HIGH' },
      },
    ],
  ],
  [
    'a note of a task',
    (by) => stores().tasks.addNote({ id: `note-${clinicId}`, clinicId, taskId: things.taskId, note: 'x' }, by),
    () => [{ action: 'task.note', subject: things.taskId, subjects: [things.patientId] }],
  ],
  [
    'the same note',
    (by) => stores().tasks.addNote({ id: `note-${clinicId}`, clinicId, taskId: things.taskId, note: 'x' }, by),
    () => [],
  ],
  [
    'who follows a call up',
    (by) => {
      const call = { id: things.callId, clinicId, patientId: things.patientId, caseId: null, workflowId: null };
      return keep(
        stores()
          .tasks.takeOver(call, things.staffId, by)
          .then((id) => id ?? ''),
      );
    },
    () => [{ action: 'call.take-over', subject: things.callId, detail: { taskId: things.made } }],
  ],
  [
    'a visit that the rules do not offer',
    (by) => {
      const visit = { provider: 'Dr.Vega', visitType: 'Check-up', startsAt: '2035-03-04T03:10:00.000Z' };
      const asked = { clinicId, appointmentId: `visit-${clinicId}`, patientId: things.patientId, ...visit };
      return stores().overrides.book({ ...asked, reason: 'urgent', now: realNow }, by);
    },
    () => [
      {
        action: 'appointment.override',
        subject: `visit-${clinicId}`,
        subjects: expect.any(Array),
        detail: expect.objectContaining({ reason: 'urgent' }),
      },
    ],
  ],
  [
    'a view',
    (by) =>
      keep(
        stores()
          .savedViews.save(viewer(), aView, by)
          .then((saved) => (saved.kind === 'saved' ? saved.view.id : '')),
      ),
    () => made('view.save', { list: 'cases', isShared: true }),
  ],
  [
    'another name of a view',
    (by) => stores().savedViews.change(viewer(), things.made, { name: 'Two', isShared: false }, by),
    () => made('view.change', { isShared: false }),
  ],
  [
    'a view that goes',
    (by) => stores().savedViews.remove(viewer(), things.made, { ...by, isAdmin: false }),
    () => made('view.remove'),
  ],
  [
    'an invitation',
    (by) =>
      keep(
        stores()
          .accountLinks.invite({ clinicId, email: 'new@example.com', role: 'admin' }, by)
          .then(({ id }) => id),
      ),
    () => made('account.invite', { email: 'new@example.com', role: 'admin' }),
  ],
  [
    'an invitation that is withdrawn',
    (by) => stores().accountLinks.withdraw(clinicId, things.made, by),
    () => made('account.withdraw-invitation'),
  ],
  ['an invitation that is gone', (by) => stores().accountLinks.withdraw(clinicId, things.made, by), () => []],
  [
    'a new password',
    (by) => stores().accountLinks.reset({ clinicId, id: things.staffId }, by),
    () => [{ action: 'account.reset', subject: things.staffId }],
  ],
  [
    'the end of a session',
    (by) => stores().accountSessions.end({ clinicId, accountId: things.staffId, sessionId: things.sessionId }, by),
    () => [{ action: 'session.end', subject: things.staffId, detail: { sessionId: things.sessionId } }],
  ],
  [
    'the end of a session that has ended',
    (by) => stores().accountSessions.end({ clinicId, accountId: things.staffId, sessionId: things.sessionId }, by),
    () => [],
  ],
  [
    'the end of all sessions',
    (by) => stores().accountSessions.endAll({ clinicId, accountId: things.staffId }, by),
    () => [{ action: 'session.end-all', subject: things.staffId, detail: { sessions: 2 } }],
  ],
  [
    'the end of no session',
    (by) => stores().accountSessions.endAll({ clinicId, accountId: things.staffId }, by),
    () => [],
  ],
  [
    'that all need a second factor',
    (by) => stores().staff.requireSecondFactor({ clinicId, isRequired: true }, by),
    () => [{ action: 'second-factor.require', subject: clinicId }],
  ],
  [
    'that all need a second factor, again',
    (by) => stores().staff.requireSecondFactor({ clinicId, isRequired: true }, by),
    () => [],
  ],
  [
    'that nobody needs one',
    (by) => stores().staff.requireSecondFactor({ clinicId, isRequired: false }, by),
    () => [{ action: 'second-factor.stop-requiring', subject: clinicId }],
  ],
  [
    'single sign-on',
    (by) => stores().singleSignOn.set(clinicId, signOn, by),
    () =>
      plain('single-sign-on.change', {
        host: 'login.example',
        isSecretNew: true,
        roleClaim: null,
        domains: ['a.example', 'b.example'],
      }),
  ],
  [
    'whose a domain is',
    (by) => stores().singleSignOn.confirm({ clinicId, domain: 'a.example' }, by),
    () => plain('single-sign-on.confirm-domain', { domain: 'a.example' }),
  ],
  [
    'whose a domain is that nobody entered',
    (by) => stores().singleSignOn.confirm({ clinicId, domain: 'c.example' }, by),
    () => [],
  ],
  [
    'who signs in as whom',
    (by) => stores().singleSignOn.unlink({ clinicId, id: things.staffId }, by),
    () => [{ action: 'single-sign-on.unlink', subject: things.staffId }],
  ],
  [
    'that single sign-on is the only way',
    async (by) => {
      const sessionId = `sso-${by.actor}`;
      const session = { id: sessionId, userId: things.adminId, token: newId(), expiresAt: inAnHour() };
      await records.database.prisma.session.create({ data: { ...session, issuer: signOn.issuer } });
      return stores().singleSignOn.setOnlyWay({ clinicId, isOnlyWay: true, sessionId }, by);
    },
    () => plain('single-sign-on.only-way'),
  ],
  [
    'that it is not',
    (by) => stores().singleSignOn.setOnlyWay({ clinicId, isOnlyWay: false, sessionId: null }, by),
    () => plain('single-sign-on.not-only-way'),
  ],
  [
    'that there is no single sign-on',
    (by) => stores().singleSignOn.remove(clinicId, by),
    () => plain('single-sign-on.remove'),
  ],
  ['that there is none, again', (by) => stores().singleSignOn.remove(clinicId, by), () => []],
  [
    'a role',
    (by) => stores().staff.changeRole({ clinicId, id: things.staffId, role: 'admin' }, by),
    () => [{ action: 'account.change-role', subject: things.staffId, detail: { role: 'admin' } }],
  ],
  [
    'the role that it has',
    (by) => stores().staff.changeRole({ clinicId, id: things.staffId, role: 'admin' }, by),
    () => [],
  ],
  [
    'an account that is disabled',
    (by) => stores().staff.disable({ clinicId, id: things.staffId }, by),
    () => [{ action: 'account.disable', subject: things.staffId }],
  ],
  [
    'an account that is disabled already',
    (by) => stores().staff.disable({ clinicId, id: things.staffId }, by),
    () => [],
  ],
  [
    'an account that is enabled',
    (by) => stores().staff.enable({ clinicId, id: things.disabledId }, by),
    () => [{ action: 'account.enable', subject: things.disabledId }],
  ],
  [
    'an account that is enabled already',
    (by) => stores().staff.enable({ clinicId, id: things.disabledId }, by),
    () => [],
  ],
  [
    'a hold',
    (by) => stores().legalHolds.place({ clinicId, patientId: things.patientId, reason: 'a case' }, by),
    () => [{ action: 'legal-hold.place', subject: things.patientId }],
  ],
  [
    'the end of a hold',
    (by) => stores().legalHolds.lift(clinicId, things.patientId, by),
    () => [{ action: 'legal-hold.lift', subject: things.patientId }],
  ],
  ['the end of no hold', (by) => stores().legalHolds.lift(clinicId, things.patientId, by), () => []],
  [
    'a copy of all that is on file',
    (by) => stores().patientExports.of(clinicId, things.patientId, by),
    () => [
      {
        action: 'patient.export',
        subject: things.patientId,
        detail: expect.objectContaining({ patients: 1, calls: 1 }),
      },
    ],
  ],
  [
    'two records that are one',
    async (by) => {
      await records.database.sql`update calls set state = 'ENDED', ended_at = now() where clinic_id = ${clinicId}`;
      const pair = { clinicId, keptId: things.patientId, replacedId: things.otherPatientId };
      return keep(
        stores()
          .patientMerges.merge({ ...pair, take: ['phone'] }, by)
          .then(({ id }) => id),
      );
    },
    () => [
      {
        action: 'patient.merge',
        subject: things.patientId,
        detail: expect.objectContaining({
          mergeId: things.made,
          replacedId: things.otherPatientId,
          taken: expect.arrayContaining(['phone']),
        }),
      },
    ],
  ],
  [
    'two records that are two again',
    (by) => stores().patientMerges.undo(clinicId, things.made, by),
    () => [
      {
        action: 'patient.merge.undo',
        subject: things.patientId,
        detail: expect.objectContaining({ mergeId: things.made, replacedId: things.otherPatientId }),
      },
    ],
  ],
  [
    'an erasure',
    (by) =>
      keep(
        stores()
          .erasures.request({ clinicId, patientId: things.otherPatientId, reason: 'patient_request' }, by)
          .then((asked) => (asked.kind === 'requested' ? asked.erasure.id : '')),
      ),
    () => [
      {
        action: 'patient.erase',
        subject: things.otherPatientId,
        detail: { erasureId: things.made, reason: 'patient_request' },
      },
    ],
  ],
  [
    'the same erasure',
    (by) => stores().erasures.request({ clinicId, patientId: things.otherPatientId, reason: 'court_order' }, by),
    () => [],
  ],
  [
    'real phones, where there is a sandbox',
    async (by) => {
      await stores().sandbox.setEnabled({ clinicId, isEnabled: true, now: realNow });
      return stores().clinics.setVoiceProvider(clinicId, 'vapi', by);
    },
    () => [{ action: 'voice-provider.change', detail: { voiceProvider: 'vapi' } }, { action: 'sandbox.disable' }],
  ],
  [
    'the simulator',
    (by) => stores().clinics.setVoiceProvider(clinicId, 'simulator', by),
    () => plain('voice-provider.change', { voiceProvider: 'simulator' }),
  ],
];

describe('who changes something, from where and by which request, is in the audit, and what cannot be written there is not done', () => {
  test.each(changes.map((change, index) => [index, ...change] as const))(
    '%i: %s',
    async (index, _what, make, entries) => {
      const by = { actor: `account:${index}`, requestId: `request-${index}`, address: `10.0.0.${index}` };
      const { prisma } = records.database;
      const refused = await make({ actor: 'account:nobody' }).then(
        () => 'done',
        () => 'refused',
      );

      await make(by);

      const written = await prisma.auditEntry.findMany({
        where: { actor: by.actor },
        select: {
          clinicId: true,
          action: true,
          subject: true,
          subjects: true,
          detail: true,
          requestId: true,
          address: true,
        },
      });
      const { requestId, address } = by;
      const origin = { clinicId, requestId, address };
      const expected = entries().map((entry) => ({ subject: null, subjects: [], detail: {}, ...origin, ...entry }));
      const sorted = (rows: { action: string }[]) =>
        rows.toSorted((one, other) => one.action.localeCompare(other.action));
      expect(sorted(written)).toEqual(sorted(expected));
      expect(refused).toBe(expected.length > 0 ? 'refused' : 'done');
    },
  );
});
