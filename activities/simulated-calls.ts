import { Context, heartbeat } from '@temporalio/activity';
import { setTimeout as delay } from 'node:timers/promises';
import type { SimulatedCall } from '@clinic/shared/voice/simulated-call';
import { sceneFor } from './gateways/voice/scenes';
import type { Line, Reply } from './gateways/voice/scenes/talk';

export interface SimulatedCallDeps {
  voiceSecret: string;
  /** How long the caller takes over each line. */
  pauseMs: number;
}

/** Plays a call's scene over the service's public routes, in the voice platform's own wire format. */
export function createSimulatedCallActivities({ voiceSecret, pauseMs }: SimulatedCallDeps) {
  return {
    /** Resumes where a killed worker stopped. What was said last may be said again: ids repeat, so nothing happens twice. */
    async playScene(call: SimulatedCall): Promise<void> {
      const { cancellationSignal, info } = Context.current();
      // One for each line that is over.
      const replies = (info.heartbeatDetails as Reply[] | undefined) ?? [];
      const keepAlive = setInterval(() => heartbeat(replies), 2_000);
      const post = postsOf(call, voiceSecret, cancellationSignal);
      const say = async <T>(line: () => Promise<T>): Promise<T> => {
        if (pauseMs > 0) await delay(pauseMs, undefined, { signal: cancellationSignal });
        return line();
      };
      try {
        const scene = sceneFor(call);
        if (replies.length === 0) {
          await say(() => post.status('ringing'));
          if (scene.isAnswered) await say(() => post.status('in-progress'));
        }
        const talk = scene.talk();
        let next = talk.next();
        for (let index = 0; next.done !== true; index += 1) {
          const line = next.value;
          const reply = replies[index] ?? (await say(() => post.line(line, index)));
          replies[index] = reply;
          heartbeat(replies);
          next = talk.next(reply);
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

  const send = async (path: string, message: Record<string, unknown>): Promise<unknown> => {
    const response = await fetch(`${serverUrl}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-voice-secret': voiceSecret },
      body: JSON.stringify({ message: { timestamp: Date.now(), call: about, ...message } }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(20_000)]),
    });
    // Thrown away, the activity is tried again: a platform's queue does no less.
    if (!response.ok) throw new Error(`the service answered ${response.status} to ${path}`);
    return response.json();
  };

  return {
    status: (status: string) => send('/voice/events', { type: 'status-update', status }),

    async line(line: Line, index: number): Promise<Reply> {
      if (line.say === 'tool') {
        const toolCall = { id: `${platformCallId}-${index}`, type: 'function' };
        const entry = { ...toolCall, function: { name: line.tool, arguments: line.arguments } };
        const message = { type: 'tool-calls', toolCalls: [entry], toolCallList: [entry] };
        return resultOf(await send(`/${line.family}/${line.tool}`, message));
      }
      await send('/voice/events', { type: 'status-update', status: 'ended', endedReason: line.reason });
      const analysis = { summary: line.summary, ...(line.said && { structuredData: { outcome: line.said } }) };
      await send('/voice/events', { type: 'end-of-call-report', endedReason: line.reason, analysis });
      return {};
    },
  };
}

function resultOf(answer: unknown): Reply {
  const { results } = answer as { results?: { result: string }[] };
  return JSON.parse(results?.[0]?.result ?? '{}') as Reply;
}
