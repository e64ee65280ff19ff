import { createCaller } from '@clinic/gateways/voice/simulator/caller';
import { perform } from '@clinic/gateways/voice/simulator/talk';
import type { DevClinic, DevStack } from './dev-file';
import { DATE_OF_BIRTH, type ScriptedCall } from './scripted-calls';

type Reach = Pick<DevStack, 'baseUrl' | 'voiceSecret'>;
type Fields = Record<string, unknown>;

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

  const caller = createCaller({ baseUrl: dev.baseUrl, voiceSecret: dev.voiceSecret, call: { id: String(callId) } });
  await perform(script.talk, async (line, index) => {
    if (line.say === 'end') return caller.say(line, index);
    say(`  the agent uses ${line.family}/${line.tool} ${JSON.stringify(line.arguments)}`);
    const reply = await caller.say(line, index);
    say(`    → ${JSON.stringify(reply)}`);
    return reply;
  });
  say('\nDone. The call, its tools and the tasks for staff are on the dashboard.');
}

/** Books the first open time that nobody else takes in the meantime. */
async function aPatientWithAppointment(dev: Reach, headers: Record<string, string>): Promise<string> {
  const patient = await send(dev, {
    path: '/patients',
    headers,
    body: { firstName: 'Robin', lastName: 'Vale', phone: '+15005550001', dateOfBirth: DATE_OF_BIRTH },
  });
  const { slots } = await send(dev, { method: 'GET', path: '/availability?limit=20', headers });
  for (const { providerName, startsAt } of slots as { providerName: string; startsAt: string }[]) {
    const body = { patientId: patient.id, providerName, startsAt };
    const { ok } = await request(dev, { path: '/appointments', headers, body });
    if (ok) return String(patient.id);
  }
  throw new Error('The clinic has no open time.');
}

interface Request {
  method?: string;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The reply as JSON. Throws unless it is a success. */
async function send(reach: Reach, asked: Request): Promise<Fields> {
  const response = await request(reach, asked);
  if (response.ok) return (await response.json()) as Fields;
  const { method = 'POST', path } = asked;
  throw new Error(`${method} /api${path} returned ${response.status}: ${await response.text()}`);
}

function request({ baseUrl }: Reach, { method = 'POST', path, body, headers }: Request): Promise<Response> {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...type, ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}
