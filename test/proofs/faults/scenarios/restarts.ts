import { setTimeout as delay } from 'node:timers/promises';
import { signIn } from '../house';
import { ask } from '../http';
import { note, scenario, type Stage } from '../stage';

interface Restarts {
  rounds: number;
  perSecond: number;
  operations: number;
}

export const rollingRestart = scenario<Restarts>({
  id: 'F7',
  title: 'every API and worker is restarted in turn with SIGTERM',
  numbers: {
    pr: { rounds: 1, perSecond: 12, operations: 60 },
    nightly: { rounds: 10, perSecond: 50, operations: 1_000 },
    release: { rounds: 20, perSecond: 50, operations: 10_000 },
  },
  drainsWithinSeconds: 60,
  expectsTrouble: false,
  async play(stage, { rounds, perSecond, operations }) {
    const { load, house } = stage;
    load.begin({ perSecond, atLeast: operations, phones: 0.1, bookings: 0.1, copies: 1 });
    await delay(1_000);
    for (let round = 0; round < rounds; round += 1) {
      for (const target of [...house.apis, ...house.workers]) {
        note(stage, 'SIGTERM', target);
        await target.stop();
        await target.start();
        while (!(await house.areApisReady())) await delay(100);
        // The balancer looks every tenth of a second.
        await delay(500);
      }
    }
    await load.finish();
    return { restarts: rounds * 4, failedRequests: failedRequests(stage) };
  },
});

/** Every request must be answered, at once and with 200 or a booking's 409. Each that is not breaks the promise. */
function failedRequests({ requests, recoveries }: Stage): number {
  const failed = requests.entries.filter(({ result }) => result === 'unknown');
  const reasons = [...new Set(failed.map(({ status, error }) => String(status ?? error)))];
  if (failed.length > 0)
    recoveries.push({
      what: `${failed.length} of ${requests.entries.length} requests failed (${reasons.join(', ')})`,
      seconds: Infinity,
      withinSeconds: 0,
    });
  return failed.length;
}

interface Rotations {
  operations: number;
  rotatesPayloadKey: boolean;
}

export const secretsRotated = scenario<Rotations>({
  id: 'F18',
  title: 'secrets and the payload key are rotated under load',
  numbers: {
    pr: { operations: 25, rotatesPayloadKey: false },
    nightly: { operations: 200, rotatesPayloadKey: true },
    release: { operations: 2_000, rotatesPayloadKey: true },
  },
  drainsWithinSeconds: 60,
  async play(stage, { operations, rotatesPayloadKey }) {
    const { load, house } = stage;
    load.begin({ perSecond: 8, atLeast: operations });
    await delay(1_500);
    for (const clinic of house.clinics) {
      // Whoever signed in before the scenarios that came first would have to prove it again.
      const bearer = { authorization: `Bearer ${await signIn(house.baseUrl, clinic)}` };
      const post = async (path: string, body: unknown = {}) => {
        const answer = await ask({
          method: 'POST',
          url: `${house.baseUrl}/integrations${path}`,
          headers: bearer,
          body,
          timeoutMs: 20_000,
        });
        if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
        return JSON.parse(answer.text) as { secret: string; key: string };
      };
      // A receiver takes the new secret over at once; for a moment what was signed before is still on its way.
      const { secret } = await post('/outbound/rotate-secret');
      const old = clinic.outboundSigningSecret;
      house.sink.secrets(clinic.clinicId, [old, secret]);
      setTimeout(() => house.sink.secrets(clinic.clinicId, [secret]), 3_000 * stage.patience);
      clinic.outboundSigningSecret = secret;
      for (const event of ['forms-abandoned', 'forms-completed'])
        clinic.inboundSecrets[event] = (await post(`/inbound/${event}/rotate-secret`)).secret;
      clinic.apiKey = (await post('/api-keys', { name: 'Second key' })).key;
    }
    if (rotatesPayloadKey) {
      house.addPayloadKey();
      for (const target of [...house.workers, ...house.apis]) {
        note(stage, 'SIGTERM for a new payload key', target);
        await target.stop();
        await target.start();
      }
    }
    await load.finish();
    await delay(3_000 * stage.patience);
    return { rotations: house.clinics.length * 4 + (rotatesPayloadKey ? 1 : 0) };
  },
});
