import type { Sql } from '@clinic/prisma/sql';
import { createStores, type Stores } from '@clinic/prisma/stores';
import { endRun, type RunEnding } from '@clinic/prisma/stores/outreach/runs';
import { applyProposalOf, propose } from '@clinic/prisma/stores/patients/proposals';
import { newId } from '@clinic/shared/crypto';
import { whileChanging } from '../../support/locks';
import { openRecords, type Records } from '../../support/records';

let records: Records;
let clinicId: string;
let receiverId: string;
let stores: Stores;
/** Transactions that were begun again: two that take the same in another order wait for each other until one is ended. */
let again = 0;
beforeAll(async () => {
  records = await openRecords();
  const { database, secretKey } = records;
  const counted: typeof database.transaction = (work) => {
    let times = 0;
    return database.transaction((tx) => {
      again += times;
      times = 1;
      return work(tx);
    });
  };
  stores = createStores({ ...database, transaction: counted }, [{ id: 's1', key: secretKey }]);
});
beforeEach(async () => {
  clinicId = await records.aClinic('Harbor');
  const { id } = await records.database.prisma.receiver.findFirstOrThrow({ where: { clinicId, isFirst: true } });
  receiverId = id;
});
afterAll(() => records.close());

const by = { actor: 'account:ann' };
const until = '2999-01-01T00:00:00.000Z';
const resolution = { recoveryStatus: 'RECOVERED', resumeLinkSent: false } as const;

async function aDelivery(about: object = {}): Promise<string> {
  const { prisma } = records.database;
  const id = newId();
  await prisma.outboundEvent.create({ data: { id, clinicId, event: 'unheard', subject: id, data: { full: true } } });
  const given = { eventName: 'case.ended', subject: id, state: 'DEAD', place: 1, ...about };
  await prisma.delivery.create({ data: { id, clinicId, eventId: id, receiverId, ...given } });
  return id;
}

const stateOf = async (id: string) => (await records.database.prisma.delivery.findUnique({ where: { id } }))?.state;

async function aResend(): Promise<string> {
  const job = { kind: 'resend_deliveries' as const, filter: { until } };
  const started = await records.stores.bulkJobs.start(clinicId, job, by);
  if (started.kind !== 'started') throw new Error(started.kind);
  return started.job.id;
}

async function aSubscription(): Promise<string> {
  const settings = { payload: 'application/fhir+json', content: 'id-only', reason: 'x', endsAt: null } as const;
  const urls = { baseUrl: 'https://clinic.example/api', url: 'https://harbor.example/changes' };
  const all = { ...settings, ...urls, patientId: null, providerName: null, heartbeatSeconds: null };
  const added = await records.stores.fhirSubscriptions.add(clinicId, all, by);
  return added?.subscription.id ?? '';
}

async function aNamedSandbox(): Promise<string> {
  const opened = await records.stores.namedSandboxes.open({ clinicId, name: 'CI', now: new Date() }, by);
  if (opened.kind !== 'opened') throw new Error(opened.kind);
  return opened.sandbox.id;
}

const aPatientOf = (tx: Sql, owner: string) => tx`
  insert into patients (id, clinic_id, first_name, last_name, updated_at)
  values (${newId()}, ${owner}, 'Ann', 'Lee', now())`;

/** What another process is in the middle of, and what is asked by then. */
interface UnderWay {
  change: (tx: Sql) => Promise<unknown>;
  ask: (stores: Stores) => Promise<unknown>;
  /** What the other goes on with. */
  goOn?: (tx: Sql) => Promise<unknown>;
  /** Besides the answer. */
  left?: () => Promise<unknown>;
}

/** A step of a job that sends failed deliveries again. */
const resending =
  (change: (tx: Sql, ids: { job: string; delivery: string }) => Promise<unknown>) => async (): Promise<UnderWay> => {
    const delivery = await aDelivery();
    const job = await aResend();
    return {
      change: (tx) => change(tx, { job, delivery }),
      ask: ({ bulkSteps }) => bulkSteps.resendSome(clinicId, job, null),
      left: () => stateOf(delivery),
    };
  };

test.each<[string, () => Promise<UnderWay>, unknown[]]>([
  [
    'a job that is stopped sends nothing more',
    resending((tx: Sql, { job }) => tx`update bulk_jobs set state = 'STOPPED' where id = ${job}`),
    [null, 'DEAD'],
  ],
  [
    'a job does not send again what was just delivered',
    resending((tx: Sql, { delivery }) => tx`update deliveries set state = 'DELIVERED' where id = ${delivery}`),
    [null, 'DELIVERED'],
  ],
  [
    'a job does not send a body that was just emptied',
    resending((tx: Sql, { delivery }) => tx`update outbound_events set data = '{}' where id = ${delivery}`),
    [expect.objectContaining({ owners: [] }), 'DEAD'],
  ],
  [
    'what is just being sent is not sent again',
    async () => {
      const delivery = await aDelivery({ state: 'PENDING' });
      return {
        change: (tx: Sql) =>
          tx`update deliveries set leased_until = now() + interval '1 minute' where id = ${delivery}`,
        ask: ({ deliveries }) => deliveries.resend(clinicId, delivery),
      };
    },
    ['conflict'],
  ],
  [
    'a body that was just emptied is not sent again',
    async () => {
      const delivery = await aDelivery();
      return {
        change: (tx: Sql) => tx`update outbound_events set data = '{}' where id = ${delivery}`,
        ask: ({ deliveries }) => deliveries.resend(clinicId, delivery),
        left: () => stateOf(delivery),
      };
    },
    ['conflict', 'DEAD'],
  ],
  [
    'what was just given up is not sent',
    async () => {
      const delivery = await aDelivery({ state: 'PENDING' });
      return {
        change: (tx: Sql) => tx`update deliveries set state = 'DEAD' where id = ${delivery}`,
        ask: ({ deliveryLeases }) => deliveryLeases.lease({ clinicId, subject: delivery, receiverId }),
      };
    },
    [{ kind: 'none' }],
  ],
  [
    'a call that was just ended does not ring',
    async () => {
      const callId = await records.aReservedCall(await records.aRun({ clinicId }));
      return {
        change: (tx: Sql) =>
          tx`update calls set state = 'ENDED', ended_at = now(), ended_reason = 'x' where id = ${callId}`,
        ask: ({ calls }) => calls.beginRequest({ clinicId, callId, requests: 0 }),
      };
    },
    [{ kind: 'withdrawn', because: 'call_over' }],
  ],
  [
    'a report by our own id says nothing of a call that has just got another id at the platform',
    async () => {
      const callId = await records.aReservedCall(await records.aRun({ clinicId }));
      await records.stores.calls.beginRequest({ clinicId, callId, requests: 0 });
      const told = { platformCallId: 'theirs', intentId: callId, endedReason: 'customer-ended-call', summary: null };
      return {
        change: (tx: Sql) => tx`update calls set platform_call_id = ${`another-${callId}`} where id = ${callId}`,
        ask: ({ calls }) => calls.report({ ...told, state: 'ENDED' }),
        left: async () => (await records.database.prisma.call.findUnique({ where: { id: callId } }))?.state,
      };
    },
    [null, 'QUEUED'],
  ],
  [
    'a run ends as its case was just resolved',
    async () => {
      const { caseId, workflowId } = await records.aCase({ clinicId });
      const ending: RunEnding = {
        clinicId,
        workflowId,
        status: 'completed',
        outcome: 'PATIENT_NOT_REACHED',
        taskReason: null,
        resolution: null,
      };
      return {
        change: (tx: Sql) => tx`
          update recovery_cases set decision = ${JSON.stringify({ id: 'x', resolution })}::jsonb where id = ${caseId}`,
        ask: ({ runs }) => runs.end(ending),
        goOn: (tx: Sql) => endRun(tx, { ...ending, outcome: 'RECOVERED', resolution }),
        left: async () =>
          (await records.database.prisma.workflowRun.findUnique({ where: { id: workflowId } }))?.outcome,
      };
    },
    [expect.objectContaining({ outcome: 'RECOVERED' }), 'RECOVERED'],
  ],
  [
    'who changes a subscription takes what it is owed before its receiver, as who has tried to deliver it',
    async () => {
      const id = await aSubscription();
      return {
        change: (tx: Sql) => tx`select 1 from deliveries where receiver_id = ${id} for update`,
        ask: ({ fhirSubscriptions }) =>
          fhirSubscriptions
            .change(
              clinicId,
              id,
              {
                isOn: true,
                content: 'empty',
                reason: 'y',
                patientId: null,
                providerName: null,
                heartbeatSeconds: null,
                endsAt: null,
              },
              by,
            )
            .then((changed) => changed?.content),
        goOn: (tx: Sql) => tx`update receivers set failures = failures + 1 where id = ${id}`,
      };
    },
    ['empty'],
  ],
  [
    'tasks are taken in one order, whichever way they are named',
    async () => {
      for (const cause of ['x', 'y']) await records.stores.tasks.open({ clinicId, reason: 'bad_number', cause });
      const rows = await records.database.prisma.staffTask.findMany({ where: { clinicId }, orderBy: { id: 'asc' } });
      const [first = '', second = ''] = rows.map(({ id }) => id);
      return {
        change: (tx: Sql) => tx`select 1 from staff_tasks where id = ${first} for update`,
        ask: async ({ tasks }) => [
          ...(await tasks.change(clinicId, [{ id: second }, { id: first }], { state: 'RESOLVED' }, by)).values(),
        ],
        goOn: (tx: Sql) => tx`update staff_tasks set due_on = '2045-01-01' where id = ${second}`,
      };
    },
    [['changed', 'changed']],
  ],
  [
    'what a caller said is written over the record, though they are still saying it',
    async () => {
      const run = await records.aRun({ clinicId });
      const { callId } = await records.aPlacedCall(run);
      const about = { clinicId, callId, patientId: run.patientId };
      return {
        change: (tx: Sql) => propose(tx, about, { email: 'ann@harbor.example' }),
        ask: () => records.database.transaction((tx) => applyProposalOf(tx, about)).then(() => 'applied'),
        left: async () => (await records.database.prisma.patient.findUnique({ where: { id: run.patientId } }))?.email,
      };
    },
    ['applied', 'ann@harbor.example'],
  ],
  [
    'who is just being registered in a sandbox goes with it',
    async () => {
      const sandboxId = await aNamedSandbox();
      return {
        change: (tx: Sql) => aPatientOf(tx, sandboxId),
        ask: ({ namedSandboxes }) => namedSandboxes.remove(clinicId, sandboxId, by),
        left: () => records.database.prisma.patient.count({ where: { clinicId: sandboxId } }),
      };
    },
    [true, 0],
  ],
  [
    'a patient of a sandbox whom something just begins to name stays',
    async () => {
      const sandboxId = await aNamedSandbox();
      const [patient] = await records.database.prisma.patient.findMany({
        where: { clinicId: sandboxId, identifier: { not: null } },
        orderBy: { id: 'desc' },
      });
      const id = patient?.id ?? '';
      return {
        change: (tx: Sql) => tx`
          insert into legal_holds (clinic_id, patient_id, reason, placed_by)
          values (${sandboxId}, ${id}, 'a case', ${by.actor})`,
        ask: ({ sandboxData }) => sandboxData.reset({ clinicId: sandboxId, realNow: new Date() }).then(() => 'reset'),
        left: () => records.database.prisma.patient.count({ where: { id } }),
      };
    },
    ['reset', 1],
  ],
])('%s', async (_what, prepare, expected) => {
  const { change, ask, goOn, left } = await prepare();
  again = 0;

  const answer = await whileChanging(
    records.database,
    change,
    () => ask(stores).catch((error: { code?: string }) => error.code ?? error),
    goOn,
  );

  expect(left ? [answer, await left()] : [answer]).toEqual(expected);
  expect(again).toBe(0);
});
