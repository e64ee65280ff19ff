import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Said } from '@clinic/shared/domain/outreach/conversation';
import { demoPolicy } from '@clinic/prisma/fixtures';
import { endOfCall } from '@clinic/gateways/voice/simulator/speak';
import { anAbandonedForm, aPhone } from '../support/builders';
import { eventually } from '../support/eventually';
import { clinicFile, goLive, type LiveDeployment } from '../support/go-live';
import { startFhirServer } from '../support/outside/fhir-server';
import { type Gateway, startGateway } from '../support/outside/gateway';
import { startHapiServer } from '../support/outside/hapi-server';
import { type Receiver, startReceiver } from '../support/outside/receiver';
import { aNumber, startVapiServer, type VapiCall, type VapiServer } from '../support/outside/vapi-server';

/**
 * The go-live page in production with its guards on. The voice platform and the receiver have names of the public internet and
 * certificates (`NODE_EXTRA_CA_CERTS`); the EHR stands in the clinic's own network, which the operator lists. `HAPI=live` puts the
 * real HAPI FHIR behind the gateway.
 */

const TOKEN = 'token-of-the-ehr';
const KEY = 'key-of-the-clinic';
const BIRTH_DATE = '1990-02-03';

const numberId = randomUUID();
const signingSecrets: string[] = [];
let folder: string;
let vapi: VapiServer;
let receiver: Receiver;
let gateways: Gateway[];
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'go-live-outside-'));
  [vapi, receiver] = await Promise.all([startVapiServer(KEY), startReceiver(() => signingSecrets)]);
  vapi.numbers = [aNumber({ id: numberId, number: '+13035550140' })];
  const [platform, events] = ['voice.example', 'events.clinic.example'];
  gateways = await Promise.all([
    startGateway({ name: platform, target: vapi.url }),
    startGateway({ name: events, target: receiver.url }),
  ]);
  const authorities = join(folder, 'authorities.pem');
  writeFileSync(authorities, gateways.map(({ certificate }) => certificate).join('\n'));
  env = {
    NODE_EXTRA_CA_CERTS: authorities,
    NODE_OPTIONS: `--require=${join(__dirname, '../support/outside/public-names.cjs')}`,
    PUBLIC_NAMES: JSON.stringify({ [platform]: gateways[0]?.port, [events]: gateways[1]?.port }),
    VAPI_BASE_URL: `https://${platform}`,
    VAPI_KEY: KEY,
    VAPI_NUMBER_ID: numberId,
    VAPI_CREDENTIAL_ID: randomUUID(),
    RECEIVER_URL: `https://${events}/events`,
  };
});
afterAll(async () => {
  await Promise.all([...gateways, vapi, receiver].map((each) => each.close()));
  rmSync(folder, { recursive: true });
});

let live: LiveDeployment | null = null;
afterEach(async () => {
  await live?.stop();
  live = null;
});

/** Walks the page. Then open at every hour, as the test may run at any. */
async function wentLive(about: Parameters<typeof goLive>[0]): Promise<LiveDeployment> {
  const deployed = await goLive(about);
  live = deployed;
  signingSecrets.push(deployed.made.outboundSigningSecret);
  const policy = { ...demoPolicy, unknownZone: 'clinic' };
  const bearer = await deployed.admin();
  const opened = await deployed.request('PUT', '/integrations/recovery-policy', { bearer, body: policy });
  expect(opened.status).toBe(200);
  expect(deployed.said).toContain('"isApplied": true');
  expect(deployed.said).toContain("the clinic's voice settings name all of them");
  expect(deployed.said).toContain('"passed": true');
  expect(deployed.warned).toBe('');
  expect(deployed.said).not.toMatch(new RegExp(`${KEY}|${TOKEN}`));
  return deployed;
}

const placed = (phone: string) =>
  eventually(() => vapi.calls.find(({ customer }) => customer?.number === phone), { within: 90_000 }).catch(() => {
    throw new Error(`Nobody rang. The API and the worker said last:\n${live?.lines().slice(-60).join('\n')}`);
  });

async function hangUp({ voiceEvent }: LiveDeployment, { id }: VapiCall, said?: Said): Promise<void> {
  for (const message of endOfCall({ reason: 'assistant-ended-call', summary: 'They talked.', said })) {
    // On a machine that is busy it is told again: the run would end without it too, minutes later.
    await eventually(async () => (await voiceEvent({ call: { id }, ...message })).status !== 503);
  }
}

const completed = (workflowId: string) =>
  eventually(() =>
    receiver.events.find(({ event, data }) => event === 'workflow.completed' && data.workflowId === workflowId),
  );

/** HAPI FHIR, or what follows it on the wire, and the clinic's own people there. */
async function startEhr() {
  const server = await (process.env.HAPI === 'live' ? startHapiServer({ token: TOKEN }) : startFhirServer());
  const staff = async (path: string, resource?: object): Promise<{ id: string; entry?: { resource: object }[] }> => {
    const response = await fetch(`${server.url}/${path}`, {
      method: resource ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'cache-control': 'no-cache',
        ...(resource && { 'content-type': 'application/fhir+json' }),
      },
      body: resource && JSON.stringify({ resourceType: path, ...resource }),
    });
    return JSON.parse(await response.text());
  };
  return {
    url: server.url,
    add: async (type: string, resource: object): Promise<string> => `${type}/${(await staff(type, resource)).id}`,
    all: async (type: string): Promise<object[]> => ((await staff(type)).entry ?? []).map(({ resource }) => resource),
    close: () => server.close(),
  };
}

test('with an EHR behind a gateway of 750 ms in the clinic’s own network: form, call, verified, booking there, signed outcome', async () => {
  const ehr = await startEhr();
  const gateway = await startGateway({ name: '127.0.0.1', target: ehr.url, delayMs: 750 });
  try {
    const [ann, ada] = [aPhone(), aPhone()];
    const practitioner = await ehr.add('Practitioner', { name: [{ text: 'José Müller' }] });
    const schedule = await ehr.add('Schedule', { actor: [{ reference: practitioner }] });
    const [start, end] = ['2035-03-05T16:00:00.000Z', '2035-03-05T16:40:00.000Z'];
    await ehr.add('Slot', { status: 'free', schedule: { reference: schedule }, start, end });
    const name = [{ family: 'Example', given: ['Ada'] }];
    const telecom = [{ system: 'phone', value: ada }];
    const patient = await ehr.add('Patient', { name, telecom, birthDate: BIRTH_DATE });

    const host = `127.0.0.1:${gateway.port}`;
    const deployed = await wentLive({
      file: clinicFile.replace('Practitioner/7', practitioner),
      env: { ...env, EHR_URL: `https://${host}/fhir`, EHR_TOKEN: TOKEN },
      privateTarget: { host, ca: gateway.certificate },
    });
    const { clinicId } = deployed.made;

    const { body: recovery } = await deployed.inbound('forms-abandoned', anAbandonedForm({ phone: ann }));
    const { body: journey } = await deployed.start({
      workflowType: 'new-patient-journey',
      clinicId,
      patient: { firstName: 'Ada', lastName: 'Example', phone: ada },
      context: { sessionId: 'go-live' },
    });
    const [annCall, adaCall] = await Promise.all([placed(ann), placed(ada)]);
    expect([annCall.phoneNumberId, vapi.assistants.map(({ id }) => id)]).toEqual([
      numberId,
      expect.arrayContaining([annCall.assistantId, adaCall.assistantId]),
    ]);

    // The platform has the call before the answer to it is stored: the first words of a call come later than this.
    const resolution = { recoveryStatus: 'RECOVERED', resumeLinkSent: true };
    await eventually(async () => {
      const resolved = await deployed.tool(
        'abandonment-recovery-tools/resolve_recovery_outcome',
        annCall.id,
        resolution,
      );
      return resolved.success === true || undefined;
    });
    const adaAsks = (tool: string, args: object) => deployed.tool(tool, adaCall.id, args);
    const visit = { providerName: 'Dr. José Müller', visitType: 'New patient visit', scheduledAt: start };
    const { slots } = await adaAsks('emr-tools/check_availability', { aroundDate: '2035-03-05' });
    expect(slots).toMatchObject([{ providerName: 'Dr.Jose.Muller', startsAt: start }]);
    const unasked = await adaAsks('emr-tools/book_appointment', visit);
    expect(unasked).toMatchObject({ success: false, reason: 'not_verified' });
    await adaAsks('patient-journey/resolve_patient_identity', {
      statedName: 'Ada Example',
      statedDateOfBirth: BIRTH_DATE,
    });
    const booked = await adaAsks('emr-tools/book_appointment', visit);
    expect(booked).toMatchObject({ success: true, scheduledAt: start });
    await Promise.all([hangUp(deployed, annCall), hangUp(deployed, adaCall)]);

    const [appointment, ...others] = await ehr.all('Appointment');
    expect(others).toEqual([]);
    expect(appointment).toMatchObject({ id: booked.appointmentId, status: 'booked' });
    expect(JSON.stringify(appointment)).toContain(`"${patient}"`);
    expect(await ehr.all('Patient')).toHaveLength(1);
    const outcome = await receiver.heard(recovery.recoveryCaseId, 2);
    expect(outcome.at(-1)).toMatchObject({ event: 'recovery_case.outcome', data: { recoveryStatus: 'RECOVERED' } });
    expect(await deployed.ended(journey.workflowId)).toMatchObject({ status: 'completed', attempts: 1 });
    const told = await completed(journey.workflowId);
    expect([told.clinicId, receiver.forged]).toEqual([clinicId, []]);
  } finally {
    await Promise.all([gateway.close(), ehr.close()]);
  }
}, 240_000);

test('without any EHR: the assistants have the tools that can work, and a call that cannot act leaves staff a task', async () => {
  const withoutEhr = clinicFile.replace(/^approvedApi:\n( .*\n)+/m, '');
  const deployed = await wentLive({ file: withoutEhr, env });
  const { clinicId } = deployed.made;
  const phone = aPhone();

  const { body: run } = await deployed.start({
    workflowType: 'care-gap-follow-up',
    clinicId,
    patient: { firstName: 'Ann', lastName: 'Lee', phone },
    context: { sessionId: 'go-live' },
  });
  const call = await placed(phone);
  const tools = new Set(
    vapi.assistants
      .filter(({ metadata }) => metadata?.['clinicId'] === clinicId)
      .flatMap(({ model }) => model?.tools ?? [])
      .flatMap((tool) => ('function' in tool && tool.function ? [tool.function.name] : [])),
  );
  const refused = await deployed.tool('emr-tools/check_availability', call.id, { aroundDate: '2035-03-05' });
  await hangUp(deployed, call, 'callback');

  expect(tools).toContain('resolve_recovery_outcome');
  for (const useless of ['verify_patient', 'check_availability', 'book_appointment', 'reschedule_appointment'])
    expect(tools).not.toContain(useless);
  expect(refused).toMatchObject({ success: false });
  expect(await deployed.ended(run.workflowId)).toMatchObject({ outcome: 'FOLLOW_UP_REQUIRED', attempts: 1 });
  const { body: left } = await deployed.request('GET', '/tasks', { bearer: await deployed.admin() });
  expect(left.items).toMatchObject([{ reason: 'follow_up_required', workflowId: run.workflowId }]);
  expect((await completed(run.workflowId)).data).toMatchObject({ outcome: 'FOLLOW_UP_REQUIRED' });
}, 240_000);
