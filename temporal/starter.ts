import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { KeyRing } from '@clinic/shared/config';
import type { Signal } from '@clinic/shared/contracts/signals';
import type { DeliveryOwner } from '@clinic/shared/domain/outbound-endpoint';
import type { SimulatedCalls } from '@clinic/shared/voice/simulated-call';
import { deliveryWorkflowId, simulatedCallWorkflowId, TASK_QUEUE } from '@clinic/workflows/ids';
import type { deliverEvents } from '@clinic/workflows/deliver-events';
import { deliveriesChanged } from '@clinic/workflows/messages';
import type { simulatedCall } from '@clinic/workflows/simulated-call';
import { priorityOf, type RunToStart, startOptions } from './start-options';

/** A message for a running workflow, as it was stored. */
export type StoredMessage = { workflowId: string } & Signal;

/** Everything the service asks of Temporal besides running workflows. Each call is safe to repeat. */
export interface WorkflowStarter {
  startRun(run: RunToStart): Promise<void>;
  /** Signals a workflow; one that is over has no use for the message, which counts as sent. */
  tell(message: StoredMessage): Promise<void>;
  wakeDeliveries(owner: DeliveryOwner): Promise<void>;
  simulatedCalls: SimulatedCalls;
}

/** `payloadKeys` hash the sessions by which operators find workflows. */
export function createWorkflowStarter(client: Client, payloadKeys: KeyRing): WorkflowStarter {
  return {
    async startRun(run) {
      const { type, options } = startOptions(run, payloadKeys);
      await client.workflow.start(type, { ...options, args: [...options.args] }).catch(ignoreStarted);
    },

    async tell({ workflowId, signal, payload }) {
      try {
        await client.workflow.getHandle(workflowId).signal(signal, payload);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },

    async wakeDeliveries({ clinicId, subject, endpointId }) {
      await client.workflow.signalWithStart<typeof deliverEvents>('deliverEvents', {
        workflowId: deliveryWorkflowId(subject, endpointId),
        taskQueue: TASK_QUEUE,
        args: [endpointId ? { clinicId, subject, endpointId } : { clinicId, subject }],
        signal: deliveriesChanged,
        priority: priorityOf('deliveries', clinicId),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      });
    },

    simulatedCalls: {
      async start(call) {
        await client.workflow
          .start<typeof simulatedCall>('simulatedCall', {
            workflowId: simulatedCallWorkflowId(call.callId),
            taskQueue: TASK_QUEUE,
            args: [call],
            priority: priorityOf('live'),
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
          })
          .catch(ignoreStarted);
      },
      async describe(callId) {
        try {
          const { status } = await client.workflow.getHandle(simulatedCallWorkflowId(callId)).describe();
          return status.name === 'RUNNING' ? 'running' : 'over';
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return null;
          throw error;
        }
      },
    },
  };
}

function ignoreStarted(error: unknown): void {
  if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
}
