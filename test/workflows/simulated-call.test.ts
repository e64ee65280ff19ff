import type { SimulatedCall } from '@clinic/shared/domain/voice/simulated-call';
import { simulatedCallWorkflowId } from '@clinic/workflows/ids';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import { recordHistory } from '../support/histories';
import { openBench, type WorkflowBench } from '../support/workflow-bench';
import { testPayloadKeys } from '../support/histories';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

test('a call is played once, however often it is started, and goes on after a scene broke off', async () => {
  const call: SimulatedCall = {
    callId: 'call-1',
    clinicId: 'clinic-1',
    platformCallId: 'sim-call-1',
    phone: '+15005550001',
    attempt: 1,
    workflowType: 'abandonment-recovery',
    serverUrl: 'http://127.0.0.1:1',
  };
  const played: SimulatedCall[] = [];
  bench.fake(simulatedCallWorkflowId(call.callId), {
    async playScene(scene) {
      played.push(scene);
      if (played.length === 1) throw new Error('the service did not answer');
    },
  });
  const { simulatedCalls } = createWorkflowStarter(bench.client, testPayloadKeys);

  expect(await simulatedCalls.describe(call.callId)).toBeNull();
  await simulatedCalls.start(call);
  await simulatedCalls.start(call);
  const workflow = bench.client.workflow.getHandle(simulatedCallWorkflowId(call.callId));
  await bench.result(workflow);
  await simulatedCalls.start(call);

  expect(played).toEqual([call, call]);
  expect(await simulatedCalls.describe(call.callId)).toBe('over');
  await recordHistory(workflow, 'simulated-call/played');
});
