import { setTimeout as delay } from 'node:timers/promises';
import { aSession } from '../support/builders';
import { eventually } from '../support/eventually';
import { type Service, startService } from '../support/service';

const FORMS = 120;
const CLIENTS = 16;
const KILLS = 2;

let service: Service;

beforeAll(async () => {
  service = await startService();
}, 90_000);

afterAll(() => service.stop());

interface Sent {
  sessionId: string;
  /** How often nobody knew whether it had arrived. */
  unknown: number;
  recoveryCaseId?: string;
}

test('an API that is killed during a burst has kept what it accepted: one case for each form, and each ends', async () => {
  const ledger: Sent[] = [];
  const todo = Array.from({ length: FORMS }, aSession);
  const answered = () => ledger.filter(({ recoveryCaseId }) => recoveryCaseId).length;

  const clients = Promise.all(Array.from({ length: CLIENTS }, () => sendAll(todo, ledger)));
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await eventually(() => answered() >= (FORMS / (KILLS + 1)) * kill, { every: 2 });
    await service.api.kill();
    await service.api.start();
  }
  await clients;
  const open = () => service.database.sql`select 1 from recovery_cases where ended_at is null`;
  await eventually(async () => (await open()).length === 0, { within: 90_000, every: 200 });

  const stored = await service.database.sql<{ sessionId: string; id: string; status: string }>`
    select session_id as "sessionId", id, status from recovery_cases`;
  const runs = await service.database.sql`select status from workflow_runs`;
  expect(ledger.reduce((sum, { unknown }) => sum + unknown, 0)).toBeGreaterThan(0);
  expect(new Map(stored.map(({ sessionId, id }) => [sessionId, id]))).toEqual(
    new Map(ledger.map(({ sessionId, recoveryCaseId }) => [sessionId, recoveryCaseId])),
  );
  expect(stored).toHaveLength(FORMS);
  expect(new Set(stored.map(({ status }) => status))).toEqual(new Set(['PATIENT_NOT_REACHED']));
  expect(runs).toEqual(Array.from({ length: FORMS }, () => ({ status: 'completed' })));
}, 180_000);

/** A caller that repeats what got no answer until it has one, as a platform does. */
async function sendAll(todo: string[], ledger: Sent[]): Promise<void> {
  for (let sessionId = todo.pop(); sessionId !== undefined; sessionId = todo.pop()) {
    const sent: Sent = { sessionId, unknown: 0 };
    ledger.push(sent);
    while (!sent.recoveryCaseId) {
      const answer = await service.abandon({ sessionId, phone: null }).catch(() => null);
      if (answer?.status === 200) sent.recoveryCaseId = answer.body.recoveryCaseId;
      else {
        if (answer) throw new Error(`a form was refused: ${answer.status} ${answer.text}`);
        sent.unknown += 1;
        await delay(100);
      }
    }
  }
}
