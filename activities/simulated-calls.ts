import { Context, heartbeat } from '@temporalio/activity';
import { setTimeout as delay } from 'node:timers/promises';
import type { SimulatedCall } from './gateways/voice/simulator';
import { type Line, sceneFor } from './gateways/voice/scenes';

export interface SimulatedCallDeps {
  voiceSecret: string;
  /** How long the caller takes over each line. */
  pauseMs: number;
}

/** Plays a call's scene over the service's public routes, in the voice platform's own wire format. */
export function createSimulatedCallActivities({ voiceSecret, pauseMs }: SimulatedCallDeps) {
  return {
    /** Resumes where a killed worker stopped. What was said before may be said again: ids repeat, so nothing happens twice. */
    async playScene(call: SimulatedCall): Promise<void> {
      const { cancellationSignal, info } = Context.current();
      const alreadySaid = (info.heartbeatDetails as number | undefined) ?? 0;
      const keepAlive = setInterval(() => heartbeat(said), 2_000);
      let said = 0;
      const post = postsOf(call, voiceSecret, cancellationSignal);
      try {
        const scene = sceneFor(call);
        const steps: (() => Promise<void>)[] = [
          () => post.status('ringing'),
          ...(scene.isAnswered ? [() => post.status('in-progress')] : []),
          ...scene.lines.map((line, index) => () => post.line(line, index)),
        ];
        for (const step of steps) {
          said += 1;
          if (said <= alreadySaid) continue;
          if (pauseMs > 0) await delay(pauseMs, undefined, { signal: cancellationSignal });
          await step();
          heartbeat(said);
        }
      } finally {
        clearInterval(keepAlive);
      }
    },
  };
}

function postsOf(call: SimulatedCall, voiceSecret: string, signal: AbortSignal) {
  const { serverUrl, platformCallId, callId, phone } = call;
  const about = {
    id: platformCallId,
    type: 'outboundPhoneCall',
    name: callId,
    metadata: { callId },
    customer: { number: phone },
  };

  const send = async (path: string, message: Record<string, unknown>) => {
    const response = await fetch(`${serverUrl}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-voice-secret': voiceSecret },
      body: JSON.stringify({ message: { timestamp: Date.now(), call: about, ...message } }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(20_000)]),
    });
    // Thrown away, the activity is tried again: a platform's queue does no less.
    if (!response.ok) throw new Error(`the service answered ${response.status} to ${path}`);
    await response.arrayBuffer();
  };

  return {
    status: (status: string) => send('/voice/events', { type: 'status-update', status }),

    async line(line: Line, index: number) {
      if (line.say === 'tool') {
        const toolCall = { id: `${platformCallId}-${index}`, type: 'function' };
        const entry = { ...toolCall, function: { name: line.tool, arguments: line.arguments } };
        return send(`/${line.family}/${line.tool}`, { type: 'tool-calls', toolCalls: [entry], toolCallList: [entry] });
      }
      await send('/voice/events', { type: 'status-update', status: 'ended', endedReason: line.reason });
      const analysis = { summary: line.summary };
      return send('/voice/events', { type: 'end-of-call-report', endedReason: line.reason, analysis });
    },
  };
}
