import { randomUUID } from 'node:crypto';
import type { DevClinic, DevStack } from './dev-file';
import { DATE_OF_BIRTH, type Reply, type ScriptedCall } from './scripted-calls';

type Reach = Pick<DevStack, 'baseUrl' | 'voiceSecret'>;

/** Plays a scripted call in an internal test call: the agent's side of it, over plain HTTP. */
export async function playCall({
  dev,
  clinic,
  script,
  say,
}: {
  dev: Reach;
  clinic: Pick<DevClinic, 'name' | 'timezone' | 'email' | 'password' | 'apiKey'>;
  script: ScriptedCall;
  say: (line: string) => void;
}): Promise<void> {
  const { email, password, apiKey } = clinic;
  const { token } = await send(dev, { path: '/auth/sign-in/email', body: { email, password } });
  const asAdmin = { authorization: `Bearer ${String(token)}` };
  const sandbox = '/abandonment-recovery/sandbox-emr/config';
  await send(dev, { method: 'PUT', path: sandbox, body: { enabled: true }, headers: asAdmin });

  say(`\n${clinic.name}, ${clinic.timezone}: ${script.story}\n`);
  const patientId = script.hasAppointment
    ? await aPatientWithAppointment(dev, { authorization: `Bearer ${apiKey}` })
    : undefined;
  const { callId } = await send(dev, {
    path: '/voice/test-calls',
    headers: asAdmin,
    body: { workflowType: script.workflowType, patientId },
  });

  await script.talk(async (path, args = {}) => {
    say(`  the agent uses ${path} ${JSON.stringify(args)}`);
    const toolCalls = [{ id: randomUUID(), type: 'function', function: { arguments: args } }];
    const { results } = await send(dev, {
      path: `/${path}`,
      body: { message: { type: 'tool-calls', call: { id: callId }, toolCalls } },
      headers: { 'x-voice-secret': dev.voiceSecret },
    });
    const [{ result } = { result: '' }] = results as { result: string }[];
    say(`    → ${result}`);
    return JSON.parse(result) as Reply;
  });
  const call = { id: callId };
  await send(dev, {
    path: '/voice/events',
    body: { message: { type: 'status-update', status: 'ended', endedReason: 'assistant-ended-call', call } },
    headers: { 'x-voice-secret': dev.voiceSecret },
  });
  say('\nDone. The call, its tools and the tasks for staff are on the dashboard.');
}

async function aPatientWithAppointment(dev: Reach, headers: Record<string, string>): Promise<string> {
  const patient = await send(dev, {
    path: '/patients',
    headers,
    body: { firstName: 'Robin', lastName: 'Vale', phone: '+15005550001', dateOfBirth: DATE_OF_BIRTH },
  });
  const { slots } = await send(dev, { method: 'GET', path: '/availability?limit=1', headers });
  const [slot] = slots as { providerName: string; startsAt: string }[];
  if (!slot) throw new Error('The clinic has no open time.');
  const { providerName, startsAt } = slot;
  await send(dev, { path: '/appointments', headers, body: { patientId: patient.id, providerName, startsAt } });
  return String(patient.id);
}

async function send(
  { baseUrl }: Reach,
  {
    method = 'POST',
    path,
    body,
    headers,
  }: { method?: string; path: string; body?: unknown; headers?: Record<string, string> },
): Promise<Reply> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok)
    throw new Error(`${method} /api${path} was answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Reply;
}
