import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { root } from '@clinic/local/paths';
import { Agent, request } from 'undici';
import { startTestServers } from '../../support/servers';
import { type Service, startService } from '../../support/service';

export interface Reply {
  status: number;
  text: string;
  retryAfterMs: number;
  ms: number;
}

/** The service as it is attacked, and what the attacks need of it. */
export interface Target extends Omit<Service, 'signIn'> {
  /** As somebody at this address: the API stands behind one proxy that it trusts. */
  from(address: string, method: string, path: string, how?: { body?: unknown; bearer?: string }): Promise<Reply>;
  signIn(address: string, credentials: { email: string; password: string }): Promise<Reply>;
  /** Accounts of the clinic with the password of its administrator, or with that of its staff account. */
  addAccounts(count: number, whose: 'admin' | 'staff'): Promise<string[]>;
  /** A system of the clinic, reached by a name, whose every connection is a new one. */
  clinicSystem: string;
  /** The API forgets what it counts in memory. */
  restartApi(): Promise<void>;
}

/** API and worker as processes of their own with the limits that they have by default, on servers of their own. */
export async function startTarget(): Promise<Target> {
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', build], { cwd: root });
  const stopServers = await startTestServers((line) => console.log(line));
  const byDefault = {
    RATE_LIMIT_PER_SECOND: undefined,
    RATE_LIMIT_BURST: undefined,
    SIGN_INS_PER_MINUTE: undefined,
    DATABASE_POOL_SIZE: undefined,
  };
  const service = await startService({ env: { ...byDefault, TRUST_PROXY: '1' } });
  const agent = new Agent({ connections: 256, pipelining: 1 });
  const system = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}'),
  );
  await new Promise<void>((resolve) => void system.listen(0, resolve));

  const from: Target['from'] = async (address, method, path, { body, bearer } = {}) => {
    const startedAt = performance.now();
    const reply = await request(`${new URL(service.baseUrl).origin}${path}`, {
      method: method as 'GET',
      headers: {
        'x-forwarded-for': address,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(bearer && { authorization: `Bearer ${bearer}` }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      dispatcher: agent,
    });
    const text = await reply.body.text();
    const retryAfterMs = Number(reply.headers['retry-after'] ?? 0) * 1_000;
    return { status: reply.statusCode, text, retryAfterMs, ms: performance.now() - startedAt };
  };

  return {
    ...service,
    from,
    signIn: (address, body) => from(address, 'POST', '/api/auth/sign-in/email', { body }),
    clinicSystem: `http://localhost:${(system.address() as AddressInfo).port}`,
    async addAccounts(count, whose) {
      const { clinicId, email, staff } = service.clinic;
      const like = whose === 'admin' ? email : staff.email;
      const emails = Array.from({ length: count }, () => `person-${randomUUID()}@attacked.example`);
      for (const each of emails) {
        const id = randomUUID();
        await service.database.sql`
          insert into users (id, name, email, clinic_id, role, created_at, updated_at)
          values (${id}, 'Attacked', ${each}, ${clinicId}, 'staff', now(), now())`;
        await service.database.sql`
          insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
          select ${randomUUID()}, ${id}, ${id}, 'credential', a.password, now(), now()
          from accounts a join users u on u.id = a.user_id where u.email = ${like}`;
      }
      return emails;
    },
    async restartApi() {
      await service.api.stop();
      await service.api.start();
    },
    async stop() {
      await agent.close();
      await service.stop();
      await new Promise((resolve) => void system.close(resolve));
      await stopServers();
    },
  };
}

/** The page that is read while others attack. */
const build = "import { buildDashboard } from './local/prepare.mjs'; await buildDashboard(console.error);";
