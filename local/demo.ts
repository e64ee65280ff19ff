import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openDatabase, type Database } from '@clinic/prisma/client';
import { createStores } from '@clinic/prisma/stores';
import { z } from 'zod';
import { startDemoReceiver, type SignedEvent } from './demo-receiver';
import { playCall } from './demo-call';
import type { DevClinic, DevStack } from './dev-file';
import { localKeys } from './environment';
import { isScriptedCall, scriptedCalls } from './scripted-calls';
import { withStack } from './with-stack';

/** The patient's number decides what happens on the call, as card numbers do in a payment sandbox. */
const scenes = {
  agrees: { phone: '+15005550001', story: 'answers, says why they stopped, agrees', outcome: 'RECOVERED' },
  callback: { phone: '+15005550002', story: 'asks for a callback', outcome: 'FOLLOW_UP_REQUIRED' },
  price: { phone: '+15005550003', story: 'finds it too expensive', outcome: 'PRICING_ESCALATION' },
  clinical: { phone: '+15005550004', story: 'has a clinical question', outcome: 'CLINICAL_ESCALATION' },
  declines: { phone: '+15005550005', story: 'declines', outcome: 'PATIENT_NOT_INTERESTED' },
  'no-answer': { phone: '+15005550006', story: 'never answers', outcome: 'PATIENT_NOT_REACHED' },
  'second-attempt': { phone: '+15005550007', story: 'answers at the second attempt', outcome: 'RECOVERED' },
  'hang-up': { phone: '+15005550008', story: 'hangs up', outcome: 'FOLLOW_UP_REQUIRED' },
  refused: { phone: '+15005550009', story: 'is rung after the platform refused twice', outcome: 'RECOVERED' },
};
type SceneName = keyof typeof scenes;

const limitMs = 60_000;
const say = (line: string): void => console.log(line);

/**
 * `npm run demo`: one abandoned form, from the clinic's website to its outcome, or one scripted call, from its first tool
 * to its last; over the service's public surfaces.
 */
export async function main(args: string[]): Promise<void> {
  const scene = readScene(args);
  await withStack(say, (dev, signal) => {
    const [clinic] = dev.clinics;
    if (!clinic) throw new Error('The local stack has no clinic. Start afresh: npm run reset && npm start');
    if (isScriptedCall(scene)) return playCall({ dev, clinic, script: scriptedCalls[scene], say });
    return play({ dev, clinic, scene, signal });
  });
}

async function play({
  dev,
  clinic,
  scene,
  signal,
}: {
  dev: DevStack;
  clinic: DevClinic;
  scene: SceneName;
  signal: AbortSignal;
}): Promise<void> {
  const tell = storyteller();
  const events: SignedEvent[] = [];
  const { phone, story, outcome } = scenes[scene];
  const receiver = await startDemoReceiver({
    signingSecret: clinic.outboundSigningSecret,
    onEvent(event) {
      events.push(event);
      tell(`the clinic receives ${event.event}${outcomeOf(event)}, signature verified`);
    },
    onForgery: (reason) => tell(`the clinic receives something whose signature is wrong: ${reason}`),
  });
  const database = openDatabase(dev.databaseUrl, { poolSize: 2 });
  const restore = await sendEventsTo(receiver.url, { database, dev, clinic });
  try {
    say(`\n${clinic.name}, ${clinic.timezone}: a patient who ${story} (${phone})\n`);
    const sessionId = `demo-${randomUUID()}`;
    const { workflowId } = await abandonForm({ dev, clinic, phone, sessionId });
    tell(`the patient leaves a form on page 3 of 5; the clinic's website reports forms.abandoned`);
    tell(`accepted: workflow ${workflowId}`);

    const steps = watcher({ database, clinicId: clinic.clinicId, sessionId, tell });
    const until = Date.now() + limitMs;
    let ended: string | null = null;
    let isQuiet = false;
    while (!(ended && events.length >= 2 && isQuiet)) {
      signal.throwIfAborted();
      if (Date.now() > until) throw new Error(lateness({ ended, events, workflowId }));
      await sleep(100);
      ended = await outcomeFromApi({ dev, clinic, workflowId });
      isQuiet = await steps();
    }
    finish({ ended, outcome, events });
    say(`\nThe run in Temporal's UI: ${dev.temporalUiUrl}/namespaces/default/workflows/${workflowId}\n`);
  } finally {
    await restore();
    await database.close();
    await receiver.close();
  }
}

function readScene(args: string[]): SceneName | keyof typeof scriptedCalls {
  const { values } = parseArgs({ args, options: { scene: { type: 'string', default: 'agrees' } } });
  const names = Object.keys({ ...scenes, ...scriptedCalls }) as (SceneName | keyof typeof scriptedCalls)[];
  const scene = names.find((name) => name === values.scene);
  if (scene) return scene;
  throw new Error(`Scenes: npm run demo -- --scene ${names.join(' | ')}`);
}

/** Prints a line with the seconds that have passed. */
function storyteller(): (line: string) => void {
  const startedAt = Date.now();
  return (line) => say(`  ${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s  ${line}`);
}

/** Answers how to set the clinic's earlier URL again. */
async function sendEventsTo(
  url: string,
  { database, dev, clinic }: { database: Database; dev: DevStack; clinic: DevClinic },
): Promise<() => Promise<void>> {
  const { clinics } = createStores(database, localKeys(dev).secretKeys);
  const earlier = await clinics.outboundEndpoint(clinic.clinicId);
  await clinics.setOutboundEndpoint(clinic.clinicId, { url, isEnabled: true, events: earlier.events });
  return () => clinics.setOutboundEndpoint(clinic.clinicId, earlier);
}

const Accepted = z.object({ accepted: z.literal(true), workflowId: z.string() });

async function abandonForm({
  dev,
  clinic,
  phone,
  sessionId,
}: {
  dev: DevStack;
  clinic: DevClinic;
  phone: string;
  sessionId: string;
}): Promise<z.infer<typeof Accepted>> {
  const now = new Date().toISOString();
  const response = await fetch(`${dev.baseUrl}/automation/webhook/${clinic.clinicId}/forms-abandoned`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-automation-secret': clinic.inboundSecrets['forms-abandoned'] ?? '',
    },
    body: JSON.stringify({
      event: 'forms.abandoned',
      tenant_id: 'demo',
      sent_at: now,
      data: {
        session_id: sessionId,
        form_id: 'new-patient',
        form_name: 'New patient registration',
        last_page_reached: 3,
        total_pages: 5,
        completion_percentage: 60,
        last_activity_at: now,
        draft_age_hours: 2,
        abandoned_at: now,
        resume_url: 'https://clinic.example/forms/resume',
        partial_form_data: { phi_first_name: 'Robin', phi_last_name: 'Example', phi_phone: phone },
      },
    }),
  });
  const body: unknown = await response.json();
  const accepted = Accepted.safeParse(body);
  if (accepted.success) return accepted.data;
  throw new Error(`forms-abandoned was answered with ${response.status}: ${JSON.stringify(body)}`);
}

const Workflow = z.object({ status: z.string(), outcome: z.string().nullable() });

async function outcomeFromApi({
  dev,
  clinic,
  workflowId,
}: {
  dev: DevStack;
  clinic: DevClinic;
  workflowId: string;
}): Promise<string | null> {
  const response = await fetch(`${dev.baseUrl}/workflows/${workflowId}`, {
    headers: { authorization: `Bearer ${clinic.apiKey}` },
  });
  if (!response.ok) throw new Error(`GET /api/workflows/${workflowId} was answered with ${response.status}`);
  const { status, outcome } = Workflow.parse(await response.json());
  return status === 'started' ? null : outcome;
}

/** Tells what has changed in the records since it was asked last; answers whether nobody is on the phone. */
function watcher({
  database: { prisma },
  clinicId,
  sessionId,
  tell,
}: {
  database: Database;
  clinicId: string;
  sessionId: string;
  tell: (line: string) => void;
}): () => Promise<boolean> {
  const told = new Set<string>();
  const once = (key: string, line: string) => {
    if (told.has(key)) return;
    told.add(key);
    tell(line);
  };
  return async () => {
    const found = await prisma.recoveryCase.findFirst({
      where: { clinicId, sessionId },
      include: {
        calls: { orderBy: { createdAt: 'asc' }, include: { toolCalls: { orderBy: { startedAt: 'asc' } } } },
      },
    });
    if (!found) return false;
    once('case', `recovery case ${found.id} is opened`);
    for (const [index, call] of found.calls.entries()) {
      const name = `call ${index + 1}`;
      if (call.state !== 'QUEUED') once(`${call.id} ringing`, `${name} rings`);
      if (call.startedAt) once(`${call.id} started`, `${name} is answered`);
      for (const { id, tool, reply } of call.toolCalls) if (reply) once(id, `  ${tool} → ${reply}`);
      if (call.state === 'ENDED')
        once(`${call.id} ended`, `${name} has ended: ${call.endedReason ?? 'no reason given'}`);
    }
    if (!['PENDING', 'CALLING'].includes(found.status)) once('outcome', `the case ends: ${found.status}`);
    return found.calls.every(({ state }) => state === 'ENDED');
  };
}

function lateness({ ended, events, workflowId }: { ended: string | null; events: SignedEvent[]; workflowId: string }) {
  const missing = ended
    ? `its events did not all arrive (${events.map(({ event }) => event).join(', ') || 'none'} did)`
    : 'it has no outcome yet';
  return `Workflow ${workflowId} was given ${limitMs / 1000} s, and ${missing}. .local/logs/worker.log may say why.`;
}

function finish({ ended, outcome, events }: { ended: string; outcome: string; events: SignedEvent[] }): void {
  const order = events.map(({ event }) => event).join(', ');
  if (order !== 'recovery_case.created, recovery_case.outcome') throw new Error(`The events came as: ${order}`);
  if (ended !== outcome) throw new Error(`The case ended as ${ended}; this scene should end as ${outcome}.`);
  say(`\nDone: ${ended}. Both events came signed, created before outcome.`);
}

const outcomeOf = ({ data }: SignedEvent): string =>
  typeof data.recoveryStatus === 'string' ? ` (${data.recoveryStatus})` : '';
