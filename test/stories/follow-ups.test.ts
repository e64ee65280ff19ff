import type { DevClinic } from '@clinic/accounts/seed';
import { type WorkflowType, workflowTypeNames, workflowTypes } from '@clinic/shared/domain/outreach/workflow-types';
import { type App, startApp } from '../support/app';
import { aPhone, aSession, phones } from '../support/builders';
import { eventually } from '../support/eventually';
import { type Receiver, startReceiver } from '../support/outside/receiver';
import { aPatientEvent } from '../support/patient-events';

type Type = Exclude<WorkflowType, 'abandonment-recovery'>;

const types = workflowTypeNames.filter((type): type is Type => type !== 'abandonment-recovery');

let app: App;
let receiver: Receiver;

beforeAll(async () => {
  app = await startApp();
  receiver = await startReceiver(() => [app.clinic.outboundSigningSecret]);
  await app.stores.clinics.setOutboundEndpoint(app.clinic.clinicId, {
    url: receiver.url,
    isEnabled: true,
    events: ['recovery_case.created', 'recovery_case.outcome', 'workflow.completed'],
  });
  await app.request('PUT', '/abandonment-recovery/sandbox-emr/config', {
    body: { enabled: true },
    bearer: await app.admin(),
  });
}, 240_000);

afterAll(async () => {
  await app.stop();
  await receiver.close();
});

const start = (workflowType: Type, phone: string, clinic = app.clinic, context: Record<string, unknown> = {}) =>
  app.start(
    {
      workflowType,
      clinicId: clinic.clinicId,
      patient: { firstName: 'Ann', lastName: 'Lee', phone },
      context: { sessionId: aSession(), ...context },
    },
    clinic,
  );

const completed = (workflowId: string) =>
  eventually(() => receiver.events.find(({ data }) => data.workflowId === workflowId));

describe('an event about a patient leads to its workflow, its outcome and its outgoing event', () => {
  test.each([
    ['appointment-created', '', 'appointment-confirmation', 'CONFIRMED'],
    ['appointment-approaching', '', 'appointment-reminder', 'CONFIRMED'],
    ['payment-failed', '', 'payment-recovery', 'SELF_PAY'],
    ['prescription-status-changed', '', 'prescription-follow-up', 'INFORMED'],
    ['patient-follow-up-required', 'cancellation', 'cancellation-follow-up', 'REBOOKED'],
    ['patient-follow-up-required', 'reschedule', 'reschedule-follow-up', 'REBOOKED'],
    ['patient-follow-up-required', 'care_gap', 'care-gap-follow-up', 'REBOOKED'],
  ] as const)('%s %s: %s, %s', async (path, reason, workflowType, outcome) => {
    const event = aPatientEvent(path, reason ? { data: { follow_up: { reason, note: 'in the morning' } } } : {});
    const sessionId = event.data.event_id;

    const first = await app.inbound(path, event);
    const again = await app.inbound(path, event);

    const { workflowId } = first.body;
    expect(first.status).toBe(200);
    expect(first.body).toEqual({ accepted: true, duplicate: false, workflowId });
    expect(again.body).toEqual({ accepted: true, duplicate: true, workflowId });
    expect(await app.ended(workflowId)).toMatchObject({ workflowType, status: 'completed', outcome, attempts: 1 });
    const { event: name, data } = await completed(workflowId);
    expect({ name, data }).toEqual({
      name: 'workflow.completed',
      data: { workflowId, workflowType, sessionId, outcome },
    });
  });
});

describe('every number plays its scene in every workflow', () => {
  const outcomeOf = (type: Type, phone: string): string => {
    // Started by itself it has no offer: a patient who agrees has nothing booked, and staff have a task.
    const agreed = type === 'waitlist-offer' ? 'FOLLOW_UP_REQUIRED' : workflowTypes[type].outcomes[0];
    const ending = (...words: string[]) =>
      workflowTypes[type].outcomes.find((outcome) => words.includes(outcome)) ?? 'FOLLOW_UP_REQUIRED';
    switch (phone) {
      case phones.wantsCallback:
      case phones.hangsUp:
        return 'FOLLOW_UP_REQUIRED';
      case phones.findsItExpensive:
      case phones.asksClinicalQuestion:
        return ending('ESCALATED', 'BILLING_ESCALATION');
      case phones.declines:
        return ending('DECLINED');
      case phones.neverAnswers:
        return 'PATIENT_NOT_REACHED';
      default:
        return agreed;
    }
  };
  const started = new Map<string, Promise<string>>();
  const play = async (type: Type, phone: string, clinic: DevClinic): Promise<string> => {
    try {
      // As any client does: a hundred at once are more than a busy machine takes in.
      const { status, body } = await eventually(async () => {
        const answer = await start(type, phone, clinic);
        return answer.status !== 503 && answer;
      });
      if (status >= 400) return `${status} ${body.message}`;
      return (await app.ended(body.workflowId, clinic, { within: 150 })).outcome;
    } catch (error) {
      return String(error);
    }
  };

  // Two workflows share the numbers of a clinic, and wait for each other. Where the sandbox is off, nobody has its tools.
  beforeAll(async () => {
    for (let group = 0; group < types.length; group += 2) {
      const clinic = await app.addClinic();
      await app.database.prisma.clinic.update({ where: { id: clinic.clinicId }, data: { sandboxEnabled: true } });
      for (const type of types.slice(group, group + 2)) {
        for (const phone of Object.values(phones)) started.set(`${type} ${phone}`, play(type, phone, clinic));
      }
    }
    for (const type of types) {
      const phone = phones.asksClinicalQuestion;
      started.set(`${type} ${phone} without tools`, play(type, phone, app.otherClinic));
    }
  }, 240_000);

  test.each(types)(
    '%s',
    async (type) => {
      const played: Record<string, string | undefined> = {};
      const wanted: Record<string, string> = {};
      for (const [part, phone] of Object.entries(phones)) {
        played[part] = await started.get(`${type} ${phone}`);
        wanted[part] = outcomeOf(type, phone);
      }
      const withoutTools = await started.get(`${type} ${phones.asksClinicalQuestion} without tools`);

      expect(played).toEqual(wanted);
      expect(withoutTools).toBe(outcomeOf(type, phones.asksClinicalQuestion));
    },
    200_000,
  );

  test('no phone ever rang for two workflows at once', async () => {
    const overlapping = await app.database.sql`
      select 1 from calls one join calls other on other.clinic_id = one.clinic_id and other.phone = one.phone
        and other.id > one.id and other.requested_at < one.ended_at and one.requested_at < other.ended_at`;

    expect(overlapping).toEqual([]);
  });
});

test('a time that is cancelled is offered by phone to who waits for it, and to the next when they decline', async () => {
  const clinic = await app.addClinic();
  await app.database.prisma.clinic.update({ where: { id: clinic.clinicId }, data: { sandboxEnabled: true } });
  const key = { bearer: clinic.apiKey };
  const providerName = clinic.providers[0] ?? '';
  const person = async (phone: string) => {
    // The simulator's callers know when they were born.
    const body = { firstName: 'Ann', lastName: 'Lee', phone, dateOfBirth: '1961-07-09' };
    return String((await app.request('POST', '/patients', { ...key, body })).body.id);
  };
  const { body: found } = await app.request('GET', `/availability?providerName=${providerName}&limit=1`, key);
  const [{ startsAt }] = found.slots;
  const patientId = await person(aPhone());
  const { body: booked } = await app.request('POST', '/appointments', {
    ...key,
    body: { patientId, providerName, startsAt },
  });
  const days = { earliestOn: '2020-01-01', latestOn: '2099-12-31' };
  const waiting: string[] = [];
  for (const phone of [phones.declines, aPhone()]) {
    const body = { ...days, patientId: await person(phone) };
    waiting.push(String((await app.request('POST', '/waitlist', { ...key, body })).body.id));
  }

  await app.request('POST', `/appointments/${booked.id}/cancel`, key);

  const entries = async () => (await app.request('GET', '/waitlist', key)).body.items;
  // The newest first.
  const [taken, declined] = await eventually(
    async () => {
      const items = await entries();
      return items.some(({ status }: { status: string }) => status === 'booked') && items;
    },
    { within: 60_000 },
  );
  expect([declined.id, taken.id]).toEqual(waiting);
  expect(declined).toMatchObject({ status: 'waiting', offeredAt: null, appointmentId: null });
  expect(taken).toMatchObject({ status: 'booked', offeredAt: startsAt });
  const { body: appointment } = await app.request('GET', `/appointments/${taken.appointmentId}`, key);
  expect(appointment).toMatchObject({ status: 'booked', startsAt, patientId: taken.patientId, providerName });
  const offers = await app.database.sql<{ status: string; waited: number | null }>`
    select o.status, extract(epoch from o.offered_at - a.cancelled_at)::float8 as waited
    from waitlist_offers o join appointments a on a.id = ${String(booked.id)} where o.clinic_id = ${clinic.clinicId} order by o.offered_at`;
  expect(offers.map(({ status }) => status)).toEqual(['declined', 'accepted']);
  expect(offers[0]?.waited).toBeLessThan(10);
}, 90_000);
