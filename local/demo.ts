import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openDatabase, type Database } from '@clinic/prisma/client';
import { isSceneName, outcomeOf, type SceneName, sceneNames, scenes } from '@clinic/shared/domain/voice/scenes';
import { z } from 'zod';
import { playCall } from './demo-call';
import { borrowClinic } from './demo-clinic';
import { type DemoReceiver, startDemoReceiver, type SignedEvent } from './demo-receiver';
import type { DevClinic, DevStack } from './dev-file';
import { fillDemoClinics } from './history/fill';
import { isStackRunning } from './running';
import { isScriptedCall, type ScriptedCallName, scriptedCalls } from './scripted-calls';
import { sendEvent } from './send-event';
import { withStack } from './with-stack';

/** On a machine that is busy with other work everything takes longer. */
const limitMs = 120_000;
const say = (line: string): void => console.log(line);

/**
 * `npm run demo`: one abandoned form, from the clinic's website to its outcome, or one scripted call, from its first tool
 * to its last; over the service's public surfaces. With `--fill`: a year of records for the demo clinics.
 */
export async function main(args: string[]): Promise<void> {
  const { name, filling } = readAsked(args);
  // Without a terminal nobody can press the key that stops it, and what is stopped cannot be looked at.
  const staysUp = process.stdin.isTTY;
  const isThereToLookAt = staysUp || isStackRunning();
  const work = (dev: DevStack, signal: AbortSignal) =>
    filling
      ? fillDemoClinics({ dev, ...filling, say, signal })
      : isScriptedCall(name)
        ? playScriptedCall({ dev, name })
        : play({ dev, name, signal, isThereToLookAt });
  await withStack(say, work, { staysUp });
}

interface Asked {
  name: SceneName | ScriptedCallName;
  filling: { cases: number; seed: number } | null;
}

const MAX_CASES = 10_000;

function readAsked(args: string[]): Asked {
  const { values } = parseArgs({
    args,
    options: {
      scene: { type: 'string', default: 'agrees' },
      fill: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  });
  const { scene, fill, seed } = values;
  if (!isSceneName(scene) && !isScriptedCall(scene)) {
    const names = [...sceneNames, ...Object.keys(scriptedCalls)];
    throw new Error(`Scenes: npm run demo -- --scene ${names.join(' | ')}`);
  }
  if (fill === undefined) return { name: scene, filling: null };
  const cases = Number(fill);
  if (!Number.isInteger(cases) || cases < 10 || cases > MAX_CASES || !/^\d{1,9}$/.test(seed))
    throw new Error(
      `npm run demo -- --fill N [--seed N], with 10 to ${MAX_CASES} forms, as: npm run demo -- --fill 1500`,
    );
  return { name: scene, filling: { cases, seed: Number(seed) } };
}

async function playScriptedCall({ dev, name }: { dev: DevStack; name: ScriptedCallName }): Promise<void> {
  const [clinic] = dev.clinics;
  if (!clinic) throw new Error('The local stack has no clinic. Start afresh: npm run reset && npm start');
  await playCall({ dev, clinic, script: scriptedCalls[name], say });
}

/** One form of its own session. What happens to other sessions in the meantime is not looked at. */
async function play({
  dev,
  name,
  signal,
  isThereToLookAt,
}: {
  dev: DevStack;
  name: SceneName;
  signal: AbortSignal;
  isThereToLookAt: boolean;
}): Promise<void> {
  const { phone, patient } = scenes[name];
  const sessionId = `demo-${randomUUID()}`;
  const receiver = await startDemoReceiver();
  const database = openDatabase(dev.databaseUrl, { poolSize: 2 });
  try {
    const { clinic, giveBack } = await borrowClinic({ url: receiver.url, phone, database, dev, say });
    try {
      say(`\n${clinic.name}, ${clinic.timezone}: a patient who ${patient} (${phone})\n`);
      const tell = storyteller();
      const events = collectEvents({ receiver, clinic, sessionId, tell });
      const { workflowId } = await abandonForm({ dev, clinic, phone, sessionId });
      tell(`the patient leaves a form on page 3 of 5; the clinic's website reports forms.abandoned`);
      tell(`accepted: workflow ${workflowId}`);
      const steps = watcher({ database, clinicId: clinic.clinicId, sessionId, tell });
      const ended = await untilEnded({ dev, clinic, workflowId, events, steps, signal });
      finish({ ended, outcome: outcomeOf(scenes[name], 'abandonment-recovery'), events });
      if (isThereToLookAt)
        say(`\nThe run in Temporal's UI: ${dev.temporalUiUrl}/namespaces/default/workflows/${workflowId}\n`);
    } finally {
      await giveBack();
    }
  } finally {
    await database.close();
    await receiver.close();
  }
}

/** The events of one session as they arrive, in that order. The clinic may be sent those of others too. */
function collectEvents({
  receiver,
  clinic,
  sessionId,
  tell,
}: {
  receiver: DemoReceiver;
  clinic: DevClinic;
  sessionId: string;
  tell: (line: string) => void;
}): readonly SignedEvent[] {
  const events: SignedEvent[] = [];
  receiver.listen({
    signingSecret: clinic.outboundSigningSecret,
    onEvent(event) {
      if (event.data.sessionId !== sessionId) return;
      events.push(event);
      tell(`the clinic receives ${event.event}${statusIn(event)}, signature verified`);
    },
    onForgery: (reason) => tell(`the clinic receives something whose signature is wrong: ${reason}`),
  });
  return events;
}

/** The outcome, once both events have arrived and nobody is on the phone. */
async function untilEnded({
  dev,
  clinic,
  workflowId,
  events,
  steps,
  signal,
}: {
  dev: DevStack;
  clinic: DevClinic;
  workflowId: string;
  events: readonly SignedEvent[];
  steps: () => Promise<boolean>;
  signal: AbortSignal;
}): Promise<string> {
  const until = Date.now() + limitMs;
  for (;;) {
    signal.throwIfAborted();
    const ended = await outcomeFromApi({ dev, clinic, workflowId });
    const isQuiet = await steps();
    if (ended && events.length >= 2 && isQuiet) return ended;
    if (Date.now() > until) throw new Error(lateness({ ended, events, workflowId }));
    await sleep(100);
  }
}

/** Prints a line with the seconds that have passed. */
function storyteller(): (line: string) => void {
  const startedAt = Date.now();
  return (line) => say(`  ${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s  ${line}`);
}

function abandonForm({
  dev,
  clinic,
  phone,
  sessionId,
}: {
  dev: DevStack;
  clinic: DevClinic;
  phone: string;
  sessionId: string;
}): Promise<{ workflowId: string }> {
  const now = new Date().toISOString();
  const data = {
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
  };
  return sendEvent({ dev, clinic, path: 'forms-abandoned', event: 'forms.abandoned', data });
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
  if (!response.ok) throw new Error(`GET /api/workflows/${workflowId} returned ${response.status}`);
  const { status, outcome } = Workflow.parse(await response.json());
  return status === 'started' ? null : outcome;
}

/** Tells what has changed in the records since the last time; returns whether nobody is on the phone. */
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
      if (call.state !== 'QUEUED' && call.platformCallId) once(`${call.id} ringing`, `${name} rings`);
      if (call.startedAt) once(`${call.id} started`, `${name} is answered`);
      for (const { id, tool, reply } of call.toolCalls) if (reply) once(id, `  ${tool} → ${reply}`);
      if (call.state === 'ENDED')
        once(`${call.id} ended`, `${name} has ended: ${call.endedReason ?? 'no reason given'}`);
    }
    if (!['PENDING', 'CALLING'].includes(found.status)) once('outcome', `the case ends: ${found.status}`);
    return found.calls.every(({ state }) => state === 'ENDED');
  };
}

function lateness({
  ended,
  events,
  workflowId,
}: {
  ended: string | null;
  events: readonly SignedEvent[];
  workflowId: string;
}) {
  const missing = ended
    ? `its events did not all arrive (${events.map(({ event }) => event).join(', ') || 'none'} did)`
    : 'it has no outcome yet';
  return `Workflow ${workflowId} was given ${limitMs / 1000} s, and ${missing}. .local/logs/worker.log may say why.`;
}

function finish({ ended, outcome, events }: { ended: string; outcome: string; events: readonly SignedEvent[] }): void {
  const order = events.map(({ event }) => event).join(', ');
  if (order !== 'recovery_case.created, recovery_case.outcome') throw new Error(`The events came as: ${order}`);
  if (ended !== outcome) throw new Error(`The case ended as ${ended}; this scene should end as ${outcome}.`);
  say(`\nDone: ${ended}. Both events came signed, created before outcome.`);
}

const statusIn = ({ data }: SignedEvent): string =>
  typeof data.recoveryStatus === 'string' ? ` (${data.recoveryStatus})` : '';
