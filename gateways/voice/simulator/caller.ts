import { deadline } from '@clinic/shared/deadline';
import { VOICE_SECRET } from '@clinic/shared/domain/voice/headers';
import { type CallStatus, endOfCall, resultIn, statusUpdate, toolCallMessage } from './speak';
import type { Line, Reply } from './talk';

/** One call's side of the voice platform: it reports and uses tools over the service's public routes. */
export interface Caller {
  report(status: CallStatus): Promise<void>;
  /** A tool's decoded result; nothing for the end of the call. A line with the same index counts once. */
  say(line: Line, index: number): Promise<Reply>;
}

export interface CallerOptions {
  /** Ends in /api. */
  baseUrl: string;
  voiceSecret: string;
  /** The call as its messages describe it; `id` is the platform's. */
  call: { id: string } & Record<string, unknown>;
  signal?: AbortSignal;
}

const TIMEOUT_MS = 20_000;

export function createCaller({ baseUrl, voiceSecret, call, signal }: CallerOptions): Caller {
  const send = async (path: string, message: Record<string, unknown>): Promise<unknown> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [VOICE_SECRET]: voiceSecret },
      body: JSON.stringify({ message: { timestamp: Date.now(), call, ...message } }),
      signal: deadline(TIMEOUT_MS, ...(signal ? [signal] : [])),
    });
    if (!response.ok) throw new Error(`the service returned ${response.status} for ${path}`);
    return response.json();
  };

  return {
    async report(status) {
      await send('/voice/events', statusUpdate(status));
    },

    async say(line, index) {
      if (line.say === 'tool') {
        const { family, tool, arguments: args } = line;
        const id = `${call.id}-${index}`;
        return resultIn(await send(`/${family}/${tool}`, toolCallMessage({ id, tool, args })));
      }
      for (const message of endOfCall(line)) await send('/voice/events', message);
      return {};
    },
  };
}
