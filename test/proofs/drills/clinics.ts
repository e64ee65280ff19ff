import { demoPolicy } from '@clinic/prisma/fixtures';
import type { CallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clinic, House } from '../faults/house';
import { ask } from '../faults/http';

/** What an admin of a clinic does in a drill. Each asks until it is done: parts of the service may be down. */
export interface Admin {
  setPolicy(about: Partial<CallingPolicy>): Promise<void>;
  pause(): Promise<void>;
  /** Ends every pause. */
  resume(): Promise<void>;
}

export function adminOf({ baseUrl }: House, { token }: Clinic): Admin {
  const untilDone = async (method: string, path: string, body?: unknown): Promise<{ items?: { id: string }[] }> => {
    for (const deadline = Date.now() + 120_000; ; await delay(500)) {
      const headers = { authorization: `Bearer ${token}` };
      const url = `${baseUrl}${path}`;
      const answer = await ask({ method, url, headers, body, timeoutMs: 30_000 }).catch(() => null);
      if (answer && answer.status < 300) return answer.text === '' ? {} : (JSON.parse(answer.text) as object);
      if (Date.now() > deadline) throw new Error(`${method} ${path}: ${answer?.status} ${answer?.text}`);
    }
  };
  const pause = async () => void (await untilDone('POST', '/pauses', { reason: 'A drill' }));
  return {
    pause,
    async setPolicy(about) {
      await untilDone('PUT', '/integrations/recovery-policy', { ...demoPolicy, ...about });
    },
    async resume() {
      const { items = [] } = await untilDone('GET', '/pauses');
      for (const { id } of items) await untilDone('DELETE', `/pauses/${id}`);
    },
  };
}
