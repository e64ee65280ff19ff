import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { VOICE_SECRET } from '@clinic/shared/domain/voice/headers';
import { anAbandonedForm } from '../../support/builders';
import { inMs, type Outcome, quantile } from './attack';
import type { Target } from './target';

const SOCKETS = 210;
const SECONDS = 12;
const MAX_HONEST_MS = 1_000;

/** Many sockets send a sign-in's body byte by byte, and open anew when they are ended. */
export function slowBodies(target: Target): Promise<Outcome> {
  let opened = 0;
  return whileHonest(target, {
    attack: `${SOCKETS} sockets that send a body a byte a second to the sign-in, without a credential`,
    tried: () => `${opened} connections in ${SECONDS} s`,
    play: async (until) => {
      const one = async () => {
        while (performance.now() < until) {
          opened += 1;
          await drip(target, until);
        }
      };
      await Promise.all(Array.from({ length: SOCKETS }, one));
    },
  });
}

/** Reports of a call with one clinic's voice secret, whose lists are nested a million deep. */
export function nestedBodies(target: Target): Promise<Outcome> {
  const nested = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
  const body = `{"message":{"type":"end-of-call-report","artifact":${nested}}}`;
  const statuses = new Map<number, number>();
  return whileHonest(target, {
    attack: 'reports of a call of 2 MB, nested a million deep, one after the other',
    tried: () => [...statuses].map(([status, count]) => `${count} answered ${status}`).join(', '),
    play: async (until) => {
      while (performance.now() < until) {
        const headers = { [VOICE_SECRET]: target.env.VOICE_WEBHOOK_SECRET ?? '', 'content-type': 'application/json' };
        const { status } = await fetch(`${target.baseUrl}/voice/events`, { method: 'POST', body, headers });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    },
  });
}

interface Attack {
  attack: string;
  tried: () => string;
  play(until: number): Promise<void>;
}

/** A clinic's systems send forms and somebody reads tasks meanwhile, from addresses of their own. */
async function whileHonest(target: Target, { attack, tried, play }: Attack): Promise<Outcome> {
  const bearer = JSON.parse((await target.signIn('203.0.113.9', target.clinic)).text).token as string;
  const until = performance.now() + SECONDS * 1_000;
  const times: number[] = [];
  let refused = 0;
  const honest = async () => {
    while (performance.now() < until) {
      const startedAt = performance.now();
      const [form, tasks] = await Promise.all([
        target.inbound('forms-abandoned', anAbandonedForm({ sessionId: `attacked-${randomUUID()}` })),
        target.from('203.0.113.9', 'GET', '/api/tasks', { bearer }),
      ]);
      times.push(performance.now() - startedAt);
      refused += [form, tasks].filter(({ status }) => status !== 200).length;
      await delay(100);
    }
  };
  await Promise.all([play(until), honest()]);
  return {
    attack,
    tried: tried(),
    through: `${refused} of ${2 * times.length} honest requests refused`,
    honest: inMs(times),
    limit: `none refused, p95 below ${MAX_HONEST_MS} ms`,
    holds: refused === 0 && times.length > 0 && quantile(times, 0.95) < MAX_HONEST_MS,
  };
}

/** One request whose body does not end; resolves when the server has had enough, or the time is over. */
async function drip(target: Target, until: number): Promise<void> {
  const { hostname, port } = new URL(target.baseUrl);
  const socket: Socket = connect(Number(port), hostname);
  socket.on('error', () => socket.destroy());
  const head = ['POST /api/auth/sign-in/email HTTP/1.1', `host: ${hostname}`, 'content-type: application/json'];
  socket.write(`${[...head, 'content-length: 1000'].join('\r\n')}\r\n\r\n`);
  while (!socket.destroyed && !socket.readableEnded && performance.now() < until) {
    socket.write(' ');
    socket.resume();
    await delay(1_000);
  }
  socket.destroy();
}
