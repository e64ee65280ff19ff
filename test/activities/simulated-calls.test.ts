import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createSimulatedCallActivities } from '@clinic/activities/simulated-calls';
import type { Reply } from '@clinic/gateways/voice/simulator/talk';
import type { Stores } from '@clinic/prisma/stores';
import type { SimulatedCall } from '@clinic/shared/domain/voice/simulated-call';
import { noResult } from '@clinic/shared/domain/voice/tool-request';

const PAUSE_MS = 120;

/** The service's side of a call: what each request was about, how long it came after the one before, and what a tool says. */
async function heard({
  heartbeatDetails,
  pauseMs = PAUSE_MS,
  result = { success: true },
}: { heartbeatDetails?: Reply[]; pauseMs?: number; result?: object } = {}) {
  const messages: string[] = [];
  const gapsMs: number[] = [];
  let before = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { message } = JSON.parse(Buffer.concat(parts).toString()) as {
        message: { type: string; status?: string; toolCallList?: { id: string }[] };
      };
      gapsMs.push(performance.now() - before);
      messages.push(message.status ?? message.toolCallList?.[0]?.id ?? message.type);
      response.setHeader('content-type', 'application/json');
      const results = (message.toolCallList ?? []).map(({ id }) => ({
        toolCallId: id,
        result: JSON.stringify(result),
      }));
      response.end(JSON.stringify({ results }));
      before = performance.now();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const call: SimulatedCall = {
    callId: 'call-1',
    clinicId: 'clinic-1',
    platformCallId: 'sim-call-1',
    phone: '+15005550001',
    attempt: 1,
    workflowType: 'appointment-reminder',
    serverUrl: `http://127.0.0.1:${port}`,
  };
  const callSubjects = { patient: async () => null };
  const stores = { callSubjects } as unknown as Stores;
  const { playScene } = createSimulatedCallActivities({ stores, voiceSecret: 'secret', pauseMs });
  const environment = new MockActivityEnvironment(heartbeatDetails && { heartbeatDetails }, {
    logger: new DefaultLogger('ERROR'),
  });
  let beats: unknown;
  environment.on('heartbeat', (replies: unknown) => (beats = structuredClone(replies)));
  before = performance.now();
  const failure = await environment.run(playScene, call).then(
    () => null,
    (error: Error) => error.message,
  );
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return { messages, gapsMs, failure, beats };
}

test('a caller is heard ringing, then picking up, then line by line, with a pause before each', async () => {
  // The first request of a process takes longer by itself.
  await heard({ pauseMs: 0 });

  const { messages, gapsMs, failure } = await heard();

  expect(failure).toBeNull();
  expect(messages).toEqual([
    'ringing',
    'in-progress',
    'sim-call-1-0',
    'sim-call-1-1',
    // Told as one line, in two messages.
    'ended',
    'end-of-call-report',
  ]);
  expect(Math.min(...gapsMs.slice(0, -1))).toBeGreaterThanOrEqual(PAUSE_MS - 1);
});

test('one who makes no pauses is heard at once', async () => {
  const { gapsMs } = await heard({ pauseMs: 0 });

  expect(Math.min(...gapsMs)).toBeLessThan(PAUSE_MS);
});

test('a call that goes on after its worker died says what is left of it, and does not ring again', async () => {
  const whole = await heard({ pauseMs: 0 });
  const replies = whole.beats as Reply[];

  const rest = await heard({ pauseMs: 0, heartbeatDetails: replies.slice(0, 1) });

  expect(replies.length).toBeGreaterThan(1);
  expect(rest.messages).toEqual(whole.messages.slice(3));
});

test.each(Object.values(noResult))('a tool that says %j is used once more, by the next attempt', async (error) => {
  const { failure, messages } = await heard({ pauseMs: 0, result: { success: false, error } });

  expect(failure).toBe('the tool has no result yet, and is used once more');
  expect(messages).toEqual(['ringing', 'in-progress', 'sim-call-1-0']);
});

test('a tool that refuses for another reason is talked on about', async () => {
  const { failure } = await heard({ pauseMs: 0, result: { success: false, error: 'The time is taken.' } });

  expect(failure).toBeNull();
});
