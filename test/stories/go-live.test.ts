import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startGuard } from '@clinic/local/guard';
import { freePort } from '@clinic/local/ports';
import { demoPolicy } from '@clinic/prisma/fixtures';
import type { DevClinic, MadeClinic } from '@clinic/accounts/seed';
import { endOfCall } from '@clinic/gateways/voice/simulator/speak';
import { serviceEnvironment } from '../support/app';
import { anAbandonedForm, anEnvelope, aPhone } from '../support/builders';
import { createClinicClient } from '../support/clinic-client';
import { emptyDatabase } from '../support/database';
import { eventually } from '../support/eventually';
import { type FhirServer, startFhirServer } from '../support/outside/fhir-server';
import { type Receiver, startReceiver } from '../support/outside/receiver';
import { aNumber, startVapiServer, type VapiCall, type VapiServer } from '../support/outside/vapi-server';
import { aProcess } from '../support/service';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');
const guide = readFileSync(join(root, 'docs', 'go-live.md'), 'utf8');
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`\\n\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text);

let vapi: VapiServer;
let ehr: FhirServer;
let receiver: Receiver;
let folder: string;
let made: MadeClinic;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'go-live-'));
  for (const name of ['dist', 'gateways', 'prisma', 'temporal']) symlinkSync(join(root, name), join(folder, name));
  [vapi, ehr, receiver] = await Promise.all([
    startVapiServer('key-of-the-clinic'),
    startFhirServer(),
    startReceiver(() => [made.outboundSigningSecret]),
  ]);
});
afterAll(async () => {
  await Promise.all([vapi.close(), ehr.close(), receiver.close()]);
  rmSync(folder, { recursive: true });
});

test('from an empty database and Temporal by the commands of the guide: form, call, booking in the EHR, signed outcome', async () => {
  const numberId = randomUUID();
  vapi.numbers = [aNumber({ id: numberId, number: '+13035550140' })];
  ehr.add({ resourceType: 'Practitioner', id: '7', name: [{ text: 'José Müller' }] });
  ehr.add({ resourceType: 'Schedule', id: 's7', actor: [{ reference: 'Practitioner/7' }] });
  const [start, end] = ['2035-03-05T16:00:00.000Z', '2035-03-05T16:40:00.000Z'];
  ehr.add({ resourceType: 'Slot', status: 'free', schedule: { reference: 'Schedule/s7' }, start, end });

  const [databaseUrl, port] = await Promise.all([emptyDatabase(), freePort()]);
  const env = {
    ...serviceEnvironment({ port, databaseUrl, namespace: `go-live-${randomUUID()}` }),
    DATABASE_OWNER_URL: databaseUrl,
    LOG_LEVEL: 'info',
    LOCAL_STACK: '0',
    VAPI_BASE_URL: vapi.url,
    VAPI_KEY: 'key-of-the-clinic',
    VAPI_NUMBER_ID: numberId,
    VAPI_CREDENTIAL_ID: randomUUID(),
    EHR_URL: ehr.url,
    EHR_TOKEN: 'token-of-the-ehr',
    RECEIVER_URL: receiver.url,
  };
  const [first = '', second = ''] = blocks('sh');
  const shell = (script: string, more: NodeJS.ProcessEnv = {}) =>
    run('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { PATH: `${join(process.execPath, '..')}:${process.env.PATH}`, HOME: process.env.HOME, ...env, ...more },
    });
  const written = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'));

  await shell(first);
  made = await written('made.json');
  const { clinicId } = made;
  const { shownOnce: voiceSecret } = await written('voice-secret.json');
  writeFileSync(join(folder, 'clinic.yaml'), blocks('yaml')[0] ?? '');
  const { stdout: said } = await shell(second, { CLINIC: clinicId });

  expect(said).toContain('"isApplied": true');
  expect(said).toContain("the clinic's voice settings name all of them");
  expect(said).toContain('"passed": true');
  expect(said).not.toMatch(/key-of-the-clinic|token-of-the-ehr/);

  const guard = startGuard();
  const origin = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  const api = aProcess({ name: 'api', env, isReady: isUp, guard });
  const isWorking = (lines: string[]) => lines.some((line) => line.includes('worker started'));
  const worker = aProcess({ name: 'worker', env, isReady: isWorking, guard });
  try {
    await Promise.all([api.start(), worker.start()]);
    const clinic = { ...made, staff: made } as unknown as DevClinic;
    const client = createClinicClient({ baseUrl: `${origin}/api`, voiceSecret, clinic });
    // Open at every hour, as the test may run at any.
    const policy = { ...demoPolicy, unknownZone: 'clinic' };
    const opened = await client.request('PUT', '/integrations/recovery-policy', {
      bearer: await client.admin(),
      body: policy,
    });
    expect(opened.status).toBe(200);
    const placed = (phone: string) =>
      eventually(() => vapi.calls.find(({ customer }) => customer?.number === phone), { within: 90_000 }).catch(() => {
        const last = [api, worker].flatMap(({ lines }) => lines.slice(-30));
        throw new Error(`Nobody rang. The API and the worker said last:\n${last.join('\n')}`);
      });
    const tool = async ({ id }: VapiCall, path: string, args: object) => {
      const { body } = await client.asVoice(path, anEnvelope(id, [{ arguments: args }]));
      return JSON.parse(body.results[0].result);
    };
    const hangUp = async ({ id }: VapiCall) => {
      for (const message of endOfCall({ reason: 'assistant-ended-call', summary: 'They talked.' })) {
        await client.voiceEvent({ call: { id }, ...message });
      }
    };

    const [ann, ada] = [aPhone(), aPhone()];
    const { body: recovery } = await client.inbound('forms-abandoned', anAbandonedForm({ phone: ann }));
    const { body: journey } = await client.start({
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

    await tool(annCall, '/abandonment-recovery-tools/resolve_recovery_outcome', {
      recoveryStatus: 'RECOVERED',
      resumeLinkSent: true,
    });
    const { slots } = await tool(adaCall, '/emr-tools/check_availability', { aroundDate: '2035-03-05' });
    expect(slots).toMatchObject([{ providerName: 'Dr.Jose.Muller', startsAt: start }]);
    const booked = await tool(adaCall, '/emr-tools/book_appointment', {
      providerName: 'Dr. José Müller',
      visitType: 'New patient visit',
      scheduledAt: start,
    });
    expect(booked).toMatchObject({ success: true, scheduledAt: start });
    await Promise.all([hangUp(annCall), hangUp(adaCall)]);

    const [appointment, ...others] = ehr.all('Appointment');
    expect(others).toEqual([]);
    expect(appointment).toMatchObject({ id: booked.appointmentId, status: 'booked', start, end });
    expect(ehr.all('Patient')).toMatchObject([
      { name: [{ family: 'Example', given: ['Ada'] }], telecom: [{ value: ada }] },
    ]);
    const outcome = await receiver.heard(recovery.recoveryCaseId, 2);
    expect(outcome.at(-1)).toMatchObject({ event: 'recovery_case.outcome', data: { recoveryStatus: 'RECOVERED' } });
    const ended = await client.ended(journey.workflowId);
    expect(ended).toMatchObject({ status: 'completed', attempts: 1 });
    const told = await eventually(() => receiver.events.find(({ event }) => event === 'workflow.completed'));
    expect([told.clinicId, receiver.forged]).toEqual([clinicId, []]);
  } finally {
    await Promise.all([api.stop(), worker.stop()]);
    guard.release();
  }
}, 240_000);
