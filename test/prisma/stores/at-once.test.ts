import type { Database } from '@clinic/prisma/client';
import type { Sql } from '@clinic/prisma/sql';
import type { Stores } from '@clinic/prisma/stores';
import { MAX_SUBSCRIPTIONS } from '@clinic/prisma/stores/events/fhir-subscriptions';
import { audit } from '@clinic/prisma/stores/operations/audit';
import { MAX_CLIENTS } from '@clinic/prisma/stores/sandbox/sandbox-clients';
import { MAX_SNAPSHOTS } from '@clinic/prisma/stores/sandbox/sandbox-data';
import { MAX_FAILURES } from '@clinic/prisma/stores/sandbox/sandbox-failures';
import { MAX_EXCHANGES } from '@clinic/prisma/stores/sandbox/validation-runs';
import { newId } from '@clinic/shared/crypto';
import { MAX_ENDPOINTS } from '@clinic/shared/domain/events/delivery-owner';
import { eventually } from '../../support/eventually';
import { waitingForLocks } from '../../support/locks';
import { type OpenedRun, openRecords, type Records } from '../../support/records';

let records: Records;
let clinicId: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  clinicId = await records.aClinic('Harbor');
});
afterAll(() => records.close());

const by = { actor: 'account:ann' };
const now = new Date();
const HOUR_MS = 3_600_000;
const later = new Date(now.getTime() + HOUR_MS);
/** So many wishes a patient may have on the waitlist. */
const MAX_WISHES = 10;
const noKeys = { jwks: { keys: [] } };
const aFailure = { failure: 'server_error', operation: null, identifier: null, parameters: {}, times: 1 } as const;
const sso = {
  issuer: 'https://sso.example/harbor',
  clientId: 'clinic',
  roleClaim: null,
  roleRules: [],
  defaultRole: 'staff' as const,
  factorAcrs: [],
  domains: [],
};

const anExchange = {
  at: now.toISOString(),
  operation: 'read' as const,
  durationMs: 1,
  status: 200,
  credential: 'x',
  key: null,
  request: 'x',
  retryAfterSeconds: null,
  refusal: null,
  facts: {},
};
const untold = {
  apiKey: null,
  credentialId: null,
  phoneNumberId: null,
  assistantId: null,
  assistants: {},
  transferTo: null,
  voicemail: { isDetected: true, leavesMessage: false },
  maxCallSeconds: 600,
  recording: { isOn: true, isDisclosed: false },
  isHipaa: false,
};
const anEndpoint = { name: 'Warehouse', url: 'https://harbor.example/events', isEnabled: true, events: [] };
const aSubscription = {
  baseUrl: 'https://clinic.example/api',
  url: 'https://harbor.example/changes',
  payload: 'application/fhir+json',
  content: 'id-only' as const,
  reason: 'x',
  patientId: null,
  providerName: null,
  heartbeatSeconds: null,
  endsAt: null,
};
const anyTime = { provider: null, earliestOn: '2045-01-01', latestOn: '2045-12-31', fromTime: null, untilTime: null };

type Ask = (stores: Stores) => Promise<unknown>;

/** One change that is as good as done, and another that begins before anybody can see the first. */
interface Race {
  first: Ask;
  second: Ask;
  /** The table in which the first has its last row to write, where it is another than of most. */
  last?: 'deliveries' | 'audit_links';
  /** Besides what the two are answered. */
  left?: Ask;
}

async function anAccount(about: object = {}): Promise<string> {
  const id = newId();
  const person = { name: 'Ann Lee', email: `${id}@harbor.example`, role: 'staff' };
  await records.database.prisma.user.create({ data: { id, clinicId, ...person, ...about } });
  return id;
}

const audited = async (action: string) =>
  (await records.database.prisma.auditEntry.findMany({ where: { clinicId, action } })).length;

const many = async (count: number, make: (index: number) => Promise<unknown>) => {
  for (let index = 0; index < count; index += 1) await make(index);
};

const kindOf = (work: Promise<{ kind: string }>) => work.then(({ kind }) => kind);

/** What another process writes. */
const written = (write: (tx: Sql) => Promise<unknown>): Promise<void> =>
  records.database.transaction(async (tx) => {
    await write(tx);
    await audit(tx, by, { clinicId, action: 'x' });
  });

const erase =
  (patientId: string): Ask =>
  ({ erasures }) =>
    kindOf(erasures.request({ clinicId, patientId, reason: 'patient_request' }, by));
const hold =
  (patientId: string): Ask =>
  ({ legalHolds }) =>
    legalHolds.place({ clinicId, patientId, reason: 'a case' }, by);
const rings =
  (platformCallId: string): Ask =>
  ({ inboundCalls }) =>
    inboundCalls
      .open({
        owner: { clinicId, country: 'US' },
        platformCallId,
        callerNumber: '+12025550144',
        state: 'RINGING',
      })
      .then(() => 'opened');

/** What the two are answered, the second of which begins when the first has its last row to write: its entry in the audit, for most. */
async function atOnce({ first, second, last }: Race, { database, stores }: Records): Promise<unknown[]> {
  const ask = (one: Ask) => one(stores).catch((error: { code?: string }) => error.code ?? error);
  const asked = await database.transaction(async (tx) => {
    if (last === 'deliveries') await tx`lock table deliveries in share mode`;
    else if (last === 'audit_links') await tx`lock table audit_links in share mode`;
    else await tx`lock table audit_entries, calls, waitlist_entries in share mode`;
    const firstAsked = ask(first);
    await areWaiting(1, database);
    const secondAsked = ask(second);
    await areWaiting(2, database);
    return { answers: Promise.all([firstAsked, secondAsked]) };
  });
  return asked.answers;
}

const areWaiting = (count: number, database: Database) =>
  eventually(async () => (await waitingForLocks(database)) === count, { every: 5, within: 10_000 });

test.each<[string, () => Race | Promise<Race>, unknown]>([
  [
    'invitations for one address leave one',
    () => {
      const invite: Ask = ({ accountLinks }) =>
        accountLinks.invite({ clinicId, email: 'bea@harbor.example', role: 'staff' }, by).then(({ email }) => email);
      return {
        first: invite,
        second: invite,
        left: async ({ accountLinks }) => (await accountLinks.invitations(clinicId)).length,
      };
    },
    ['bea@harbor.example', 'bea@harbor.example', 1],
  ],
  [
    'links to reset one password leave one',
    async () => {
      const id = await anAccount();
      const reset: Ask = async ({ accountLinks }) => (await accountLinks.reset({ clinicId, id }, by)) !== null;
      return {
        first: reset,
        second: reset,
        left: () => records.database.prisma.accountLink.count({ where: { userId: id } }),
      };
    },
    [true, true, 1],
  ],
  [
    'roles given to one account, the same, are one change',
    async () => {
      const id = await anAccount();
      const change: Ask = ({ staff }) => staff.changeRole({ clinicId, id, role: 'manager' }, by);
      return { first: change, second: change, left: () => audited('account.change-role') };
    },
    [true, true, 1],
  ],
  [
    'ends of one account are one',
    async () => {
      const id = await anAccount();
      const disable: Ask = ({ staff }) => staff.disable({ clinicId, id }, by);
      return { first: disable, second: disable, left: () => audited('account.disable') };
    },
    [true, true, 1],
  ],
  [
    'accounts opened again are one',
    async () => {
      const id = await anAccount({ disabledAt: now });
      const enable: Ask = ({ staff }) => staff.enable({ clinicId, id }, by);
      return { first: enable, second: enable, left: () => audited('account.enable') };
    },
    [true, true, 1],
  ],
  [
    'rotations of the key of a clinic leave two keys, and the second is refused',
    async () => {
      const make: Ask = ({ clientKeys }) => clientKeys.create(clinicId, { kid: newId(), algorithm: 'ES384' }, by);
      await make(records.stores);
      return { first: make, second: make, left: async ({ clientKeys }) => (await clientKeys.list(clinicId)).length };
    },
    [undefined, 'conflict', 2],
  ],
  [
    'a key that is made while the only one is withdrawn signs from now on',
    async () => {
      const { clientKeys } = records.stores;
      await clientKeys.create(clinicId, { kid: newId(), algorithm: 'ES384' }, by);
      const [only] = await clientKeys.list(clinicId);
      return {
        first: () => clientKeys.remove(clinicId, only?.kid ?? '', by),
        second: () => clientKeys.create(clinicId, { kid: newId(), algorithm: 'ES384' }, by),
        left: async () => (await clientKeys.list(clinicId)).map(({ signsFrom }) => signsFrom <= new Date()),
      };
    },
    [true, undefined, [true]],
  ],
  [
    'settings of single sign-on, the second without the secret of the first, keep the secret',
    () => ({
      first: ({ singleSignOn }) => singleSignOn.set(clinicId, { ...sso, clientSecret: 'hidden' }, by),
      second: ({ singleSignOn }) => singleSignOn.set(clinicId, sso, by),
      left: async ({ singleSignOn }) => (await singleSignOn.find(clinicId))?.hasClientSecret,
    }),
    [undefined, undefined, true],
  ],
  [
    'single sign-on that two make no longer the only way in is changed once',
    async () => {
      await records.stores.singleSignOn.set(clinicId, sso, by);
      await records.database.prisma.singleSignOn.update({ where: { clinicId }, data: { isOnlyWay: true } });
      const change: Ask = ({ singleSignOn }) =>
        singleSignOn.setOnlyWay({ clinicId, isOnlyWay: false, sessionId: null }, by);
      return { first: change, second: change, left: () => audited('single-sign-on.not-only-way') };
    },
    [undefined, undefined, 1],
  ],
  [
    'a line that the operator confirms while the clinic enters it again stays confirmed',
    async () => {
      const number = '+12025550143';
      const line = { number, platformId: null, assistantId: null };
      await records.stores.phoneNumbers.replace(clinicId, [line], by);
      return {
        first: ({ phoneNumbers }) => phoneNumbers.assign({ clinicId, number, platformId: null }, by),
        second: ({ phoneNumbers }) => phoneNumbers.replace(clinicId, [line], by).then((lines) => lines.length),
        left: async ({ phoneNumbers }) => (await phoneNumbers.list(clinicId)).map(({ isConfirmed }) => isConfirmed),
      };
    },
    [undefined, 1, [true]],
  ],
  [
    'sandboxes of one name are one',
    () => {
      const open: Ask = ({ namedSandboxes }) => kindOf(namedSandboxes.open({ clinicId, name: 'Ann', now }, by));
      return { first: open, second: open };
    },
    ['opened', 'name_taken'],
  ],
  [
    'clients of a sandbox that has room for one are one',
    async () => {
      const register =
        (name: string): Ask =>
        ({ sandboxClients }) =>
          kindOf(sandboxClients.register({ clinicId, name, ...noKeys }, by));
      await many(MAX_CLIENTS - 1, (index) => register(`Client ${index}`)(records.stores));
      return { first: register('Last'), second: register('Too many') };
    },
    ['registered', 'too_many'],
  ],
  [
    'failures chosen where there is room for one are one',
    async () => {
      const choose: Ask = ({ sandboxFailures }) =>
        kindOf(sandboxFailures.choose({ clinicId, ...aFailure, endsAt: later }, by));
      await many(MAX_FAILURES - 1, () => choose(records.stores));
      return { first: choose, second: choose };
    },
    ['chosen', 'too_many'],
  ],
  [
    'snapshots where there is room for one are one',
    async () => {
      const take =
        (name: string): Ask =>
        ({ sandboxData }) =>
          kindOf(sandboxData.take({ clinicId, name, realNow: now }, by));
      await many(MAX_SNAPSHOTS - 1, (index) => take(`s${index}`)(records.stores));
      return { first: take('last'), second: take('too-many') };
    },
    ['taken', 'too_many'],
  ],
  [
    'a snapshot of somebody who is erased just then is gone with them',
    async () => {
      const { patient } = await records.stores.sandbox.match(clinicId, 'ANN-1');
      return {
        first: ({ sandboxData }) => kindOf(sandboxData.take({ clinicId, name: 'ann', realNow: now }, by)),
        second: () =>
          written(async (tx) => {
            await tx`select id from patients where id = ${patient.id} for update`;
            await tx`delete from sandbox_snapshots where ${patient.id} = any (patient_ids)`;
          }),
        left: ({ sandboxData }) => sandboxData.snapshots(clinicId),
      };
    },
    ['taken', undefined, []],
  ],
  [
    'leniencies, each another, both hold',
    () => ({
      first: ({ sandboxLeniency }) => sandboxLeniency.change({ clinicId, to: { minimumNoticeMinutes: 5 } }, by),
      second: ({ sandboxLeniency }) => sandboxLeniency.change({ clinicId, to: { reschedules: false } }, by),
      left: async ({ sandboxLeniency }) => {
        const { minimumNoticeMinutes, reschedules } = await sandboxLeniency.find(clinicId);
        return { minimumNoticeMinutes, reschedules };
      },
    }),
    [expect.anything(), expect.anything(), { minimumNoticeMinutes: 5, reschedules: false }],
  ],
  [
    'sandboxes switched on twice are switched on once',
    () => {
      const enable: Ask = ({ sandbox }) => sandbox.setEnabled({ clinicId, isEnabled: true, now, by });
      return { first: enable, second: enable, left: () => audited('sandbox.enable') };
    },
    [undefined, undefined, 1],
  ],
  [
    'settings of the clock of a sandbox build on one another',
    () => {
      const anHourOn: Ask = ({ sandboxClocks }) =>
        sandboxClocks.set(
          {
            clinicId,
            realNow: now,
            to: (clock) => {
              const shown = Date.parse(clock?.shows ?? now.toISOString());
              return { shows: new Date(shown + HOUR_MS).toISOString(), runsSince: null };
            },
          },
          by,
        );
      return {
        first: anHourOn,
        second: anHourOn,
        left: async () =>
          (await records.database.prisma.sandboxClock.findMany({ where: { clinicId } })).map(({ shows }) => shows),
      };
    },
    [expect.anything(), expect.anything(), [new Date(now.getTime() + 2 * HOUR_MS)]],
  ],
  [
    'exchanges of a run that is watched, where there is room for one, are one',
    async () => {
      const started = await records.stores.validationRuns.start({ clinicId, label: null, now, endsAt: later, by });
      const runId = started.kind === 'started' ? started.run.id : '';
      return {
        first: () =>
          written((tx) => tx`update validation_runs set exchanges = ${MAX_EXCHANGES} where clinic_id = ${clinicId}`),
        second: ({ validationRuns }) => validationRuns.observe(clinicId, runId, [anExchange]),
        left: ({ validationRuns }) => validationRuns.exchangesOf(clinicId, runId),
      };
    },
    [undefined, undefined, []],
  ],
  [
    'lists of providers leave that of the second',
    () => {
      const provider = { displayName: 'Dr. Ash', workingHours: {}, visitTypes: [] };
      const replace =
        (name: string): Ask =>
        async ({ providers }) => {
          await providers.replace(clinicId, [{ name, ...provider }], by);
        };
      return {
        first: replace('Dr.Ash'),
        second: replace('Dr.Birch'),
        left: async ({ providers }) => (await providers.list(clinicId)).map(({ name }) => name),
      };
    },
    [undefined, undefined, ['Dr.Birch']],
  ],
  [
    'voice settings that tell patients of no recording are noted once',
    () => {
      const set: Ask = ({ settings }) => settings.setVoice(clinicId, 'simulator', untold, by);
      return { first: set, second: set, left: () => audited('recording-disclosure.off') };
    },
    [undefined, undefined, 1],
  ],
  [
    'rules that tell patients of no automation are noted once',
    async () => {
      const policy = { ...(await records.stores.clinics.policy(clinicId)), disclosesAutomation: false };
      const set: Ask = ({ clinics }) => clinics.setPolicy(clinicId, policy, by);
      return { first: set, second: set, left: () => audited('disclosure.off') };
    },
    [undefined, undefined, 1],
  ],
  [
    'what a dollar costs in a country is not what it costs in the next',
    () => ({
      first: () =>
        written((tx) => tx`update clinics set default_country = 'CA', usd_rate = 1.35 where id = ${clinicId}`),
      second: ({ clinics }) => clinics.setCountry(clinicId, 'US', by),
      left: async ({ results }) => (await results.settings(clinicId)).usdRate,
    }),
    [undefined, undefined, null],
  ],
  [
    'stops of one job are one',
    async () => {
      const until = later.toISOString();
      const started = await records.stores.bulkJobs.start(clinicId, { kind: 'cancel_runs', filter: { until } }, by);
      const id = started.kind === 'started' ? started.job.id : '';
      const stop: Ask = ({ bulkJobs }) => bulkJobs.stop(clinicId, id, by);
      return { first: stop, second: stop, left: () => audited('bulk.stop') };
    },
    [true, false, 1],
  ],
  [
    'subscriptions where there is room for one are one',
    async () => {
      const add: Ask = async ({ fhirSubscriptions }) =>
        (await fhirSubscriptions.add(clinicId, aSubscription, by)) !== null;
      await many(MAX_SUBSCRIPTIONS - 1, () => add(records.stores));
      return { first: add, second: add };
    },
    [true, false],
  ],
  [
    'removals of one subscription are one',
    async () => {
      const added = await records.stores.fhirSubscriptions.add(clinicId, aSubscription, by);
      const id = added?.subscription.id ?? '';
      const remove: Ask = ({ fhirSubscriptions }) => fhirSubscriptions.remove(clinicId, id, by);
      return { first: remove, second: remove, left: () => audited('sandbox.subscription.remove') };
    },
    [true, false, 1],
  ],
  [
    'readings of what a subscription has just heard of number it once',
    async () => {
      const added = await records.stores.fhirSubscriptions.add(clinicId, aSubscription, by);
      const id = added?.subscription.id ?? '';
      const heard = { clinicId, event: 'subscription.event', subject: id, data: {} };
      await records.database.prisma.outboundEvent.create({ data: { id: newId(), ...heard } });
      const read: Ask = async ({ fhirSubscriptions }) => {
        const found = await fhirSubscriptions.events(clinicId, id, { from: 1, until: 9, limit: 9 });
        return found?.events.map(({ number }) => number);
      };
      return { first: read, second: read, last: 'deliveries' };
    },
    [[1], [1]],
  ],
  [
    'deliveries to an endpoint that fails are one at a time',
    async () => {
      const { prisma } = records.database;
      const receiver = await prisma.receiver.findFirstOrThrow({ where: { clinicId, isFirst: true } });
      await prisma.receiver.update({ where: { id: receiver.id }, data: { failures: 3 } });
      const lease = ({ caseId }: OpenedRun): Ask => {
        const owner = { clinicId, subject: caseId ?? '', receiverId: receiver.id };
        return ({ deliveryLeases }) => kindOf(deliveryLeases.lease(owner));
      };
      const cases = { one: await records.aCase({ clinicId }), other: await records.aCase({ clinicId }) };
      return { first: lease(cases.one), second: lease(cases.other), last: 'deliveries' };
    },
    ['leased', 'later'],
  ],
  [
    'seals of one entry of the audit are one',
    async () => {
      await records.stores.auditChain.seal(10_000);
      await written(() => Promise.resolve());
      const seal: Ask = async ({ auditChain }) => (await auditChain.seal(10_000)).sealed;
      return { first: seal, second: seal, last: 'audit_links' };
    },
    [1, 0],
  ],
  [
    'endpoints where there is room for one are one',
    async () => {
      const add: Ask = async ({ endpoints }) => (await endpoints.add(clinicId, anEndpoint, by)) !== null;
      await many(MAX_ENDPOINTS - 2, () => add(records.stores));
      return { first: add, second: add };
    },
    [true, false],
  ],
  [
    'a note on a task that is just erased is refused',
    async () => {
      await records.stores.tasks.open({ clinicId, reason: 'bad_number', cause: 'x' });
      const { id } = await records.database.prisma.staffTask.findFirstOrThrow({ where: { clinicId } });
      return {
        first: () => written((tx) => tx`delete from staff_tasks where id = ${id}`),
        second: ({ tasks }) => tasks.addNote({ id: newId(), clinicId, taskId: id, note: 'Rang back' }, by),
      };
    },
    [undefined, false],
  ],
  [
    'an erasure comes before the hold that is placed after it',
    async () => {
      const { patientId } = await records.aRun({ clinicId });
      return { first: erase(patientId), second: hold(patientId) };
    },
    ['requested', 'conflict'],
  ],
  [
    'a hold comes before the erasure that is asked for after it',
    async () => {
      const { patientId } = await records.aRun({ clinicId });
      return { first: hold(patientId), second: erase(patientId) };
    },
    [true, 'held'],
  ],
  [
    'wishes of a patient who may have one more are one',
    async () => {
      const { patientId } = await records.aRun({ clinicId });
      const add =
        (visitType: string): Ask =>
        ({ waitlist }) =>
          kindOf(waitlist.add({ clinicId, patientId, visitType, ...anyTime }, by.actor));
      await many(MAX_WISHES - 1, (index) => add(`Visit ${index}`)(records.stores));
      return { first: add('Last'), second: add('Too many') };
    },
    ['added', 'too_many'],
  ],
  [
    'test calls where one more may be made are one',
    async () => {
      const { patientId, phone, workflowType } = await records.aRun({ clinicId });
      const open: Ask = async ({ calls }) =>
        (await calls.openTrialCall({ clinicId, workflowType, patientId, phone, account: 'x' })) !== null;
      await many(2, () => open(records.stores));
      return { first: open, second: open };
    },
    [true, false],
  ],
  [
    'reports of one call that came in open one',
    () => {
      const open = rings('platform-1');
      return { first: open, second: open, left: () => records.database.prisma.call.count({ where: { clinicId } }) };
    },
    ['opened', 'opened', 1],
  ],
  [
    'calls from a phone that nobody knows are of one person',
    () => ({
      first: rings('platform-2'),
      second: rings('platform-3'),
      left: () => records.database.prisma.patient.count({ where: { clinicId } }),
    }),
    ['opened', 'opened', 1],
  ],
])('%s', async (_what, prepare, expected) => {
  const race = await prepare();

  const answers = await atOnce(race, records);

  expect(race.left ? [...answers, await race.left(records.stores)] : answers).toEqual(expected);
});

/** What another process has in hand, and what is done meanwhile of the rest. */
interface InHand {
  take: (tx: Sql) => Promise<unknown>;
  ask: Ask;
  left?: Ask;
}

test.each<[string, () => InHand | Promise<InHand>, unknown[]]>([
  [
    'a delivery to an endpoint that is removed',
    async () => {
      const added = await records.stores.endpoints.add(
        clinicId,
        { ...anEndpoint, events: ['recovery_case.created'] },
        by,
      );
      const receiverId = added?.endpoint.id ?? '';
      const inHand = await records.aCase({ clinicId });
      const other = await records.aCase({ clinicId });
      const stateOf = async ({ caseId }: OpenedRun) =>
        (await records.database.prisma.delivery.findFirst({ where: { receiverId, subject: caseId ?? '' } }))?.state;
      return {
        take: (tx: Sql) =>
          tx`select id from deliveries where receiver_id = ${receiverId} and subject = ${inHand.caseId} for update`,
        ask: ({ endpoints }) => endpoints.remove(clinicId, receiverId),
        left: async () => [await stateOf(inHand), await stateOf(other)],
      };
    },
    [true, ['PENDING', 'DEAD']],
  ],
  [
    'a visit beside another of which something is being noted',
    async () => {
      const { patientId } = await records.aRun({ clinicId });
      const { prisma } = records.database;
      const [provider] = await prisma.provider.findMany({ where: { clinicId } });
      const ids = [newId(), newId()];
      for (const [index, id] of ids.entries()) {
        const startsAt = new Date(now.getTime() - (index + 1) * HOUR_MS);
        const endsAt = new Date(startsAt.getTime() + HOUR_MS / 2);
        const about = { clinicId, patientId, providerId: provider?.id ?? '', visitType: 'Check-up' };
        await prisma.appointment.create({ data: { id, ...about, startsAt, endsAt } });
      }
      return {
        take: (tx: Sql) => tx`select id from appointments where id = ${ids[0]} for update`,
        ask: ({ visits }) => kindOf(visits.note({ clinicId, appointmentId: ids[1] ?? '', as: 'fulfilled', now })),
      };
    },
    ['noted'],
  ],
  [
    'a clinic whose runs are being told of its rules',
    async () => {
      const other = await records.aClinic('Meadow');
      await records.database.sql`update calling_policies set told_up_to = null`;
      for (const each of [clinicId, other]) {
        await records.aRun({ clinicId: each });
        await records.database.sql`update calling_policies set told_up_to = '' where clinic_id = ${each}`;
      }
      return {
        take: (tx: Sql) => tx`select 1 from calling_policies where clinic_id = ${other} for update`,
        ask: ({ messages }) => messages.tellOfRules(10),
      };
    },
    [1],
  ],
  ...['by the real time', 'by a clock of the sandbox'].map((how): [string, () => Promise<InHand>, unknown[]] => [
    `an appointment that is over ${how}`,
    async () => {
      const { patientId } = await records.aRun({ clinicId });
      const { prisma } = records.database;
      const [provider] = await prisma.provider.findMany({ where: { clinicId } });
      if (how !== 'by the real time') {
        await prisma.clinic.update({ where: { id: clinicId }, data: { sandboxEnabled: true } });
        await prisma.sandboxClock.create({ data: { clinicId, shows: now } });
      }
      const ids = [newId(), newId()];
      for (const [index, id] of ids.entries()) {
        const startsAt = new Date(now.getTime() - (index + 2) * HOUR_MS);
        const endsAt = new Date(startsAt.getTime() + HOUR_MS / 2);
        const about = { clinicId, patientId, providerId: provider?.id ?? '', visitType: 'Check-up' };
        await prisma.appointment.create({ data: { id, ...about, startsAt, endsAt } });
      }
      return {
        take: (tx) => tx`select id from appointments where id = ${ids[0]} for update`,
        ask: async ({ appointments }) => (await appointments.fulfilPast(now, 100)) > 0,
        left: async () => {
          const found = await prisma.appointment.findMany({ where: { clinicId }, orderBy: { startsAt: 'desc' } });
          return found.map(({ status }) => status);
        },
      };
    },
    [true, ['booked', 'fulfilled']],
  ]),
  [
    'a hold that is a day old',
    async () => {
      const { patientId } = await records.aRun({ clinicId });
      const { prisma } = records.database;
      const [provider] = await prisma.provider.findMany({ where: { clinicId } });
      // What the rows before this one have left.
      await records.stores.appointments.fulfilPast(now, 100);
      const ids = [newId(), newId()];
      const about = { clinicId, patientId, providerId: provider?.id ?? '', visitType: 'Check-up' };
      const createdAt = new Date(now.getTime() - 25 * HOUR_MS);
      for (const [index, id] of ids.entries()) {
        const startsAt = new Date(now.getTime() + (index + 1) * HOUR_MS);
        const endsAt = new Date(startsAt.getTime() + HOUR_MS / 2);
        const held = { status: 'cancelled', heldUntil: now, createdAt } as const;
        await prisma.appointment.create({ data: { id, ...about, ...held, startsAt, endsAt } });
      }
      return {
        take: (tx: Sql) => tx`update appointments set status = 'booked', held_until = null where id = ${ids[0]}`,
        ask: ({ appointments }) => appointments.fulfilPast(now, 100),
        left: async () => {
          const found = await prisma.appointment.findMany({ where: { clinicId } });
          return found.map(({ id, status }) => [ids.indexOf(id), status]);
        },
      };
    },
    [0, [[0, 'booked']]],
  ],
])('%s is passed over while another process has it in hand', async (_what, prepare, expected) => {
  const { take, ask, left } = await prepare();

  const answer = await records.database.transaction(async (tx) => {
    await take(tx);
    return ask(records.stores);
  });

  expect(left ? [answer, await left(records.stores)] : [answer]).toEqual(expected);
});
