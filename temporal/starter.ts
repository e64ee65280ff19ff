import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { KeyRing } from '@clinic/shared/config';
import type { Signal } from '@clinic/shared/contracts/outreach/signals';
import type { ToReceiver } from '@clinic/shared/domain/events/delivery-owner';
import type { SimulatedCalls } from '@clinic/shared/domain/voice/simulated-call';
import type { LongWork } from '@clinic/shared/domain/operations/long-work';
import { deliveryWorkflowId, longWorkflowId, simulatedCallWorkflowId, TASK_QUEUE } from '@clinic/workflows/ids';
import type { deliverEvents } from '@clinic/workflows/deliver-events';
import { deliveriesChanged } from '@clinic/workflows/messages';
import type { simulatedCall } from '@clinic/workflows/simulated-call';
import { longWorkflowOf } from './registry';
import { ofClinic, priorityOf, type RunToStart, startOptions } from './start-options';

/** A message for a running workflow, as it was stored. */
export type StoredMessage = { workflowId: string } & Signal;

/** Everything the service asks of Temporal besides running workflows. Each call is safe to repeat. */
export interface WorkflowStarter {
  startRun(run: RunToStart): Promise<void>;
  /** Starts a bulk job or an erasure, or leaves it as it is where it goes on. One that has ended before is begun again, from where its row says. */
  startWork(work: LongWork): Promise<void>;
  /** Signals a workflow; one that is over has no use for the message, which counts as sent. */
  tell(message: StoredMessage): Promise<void>;
  /** Makes sure that a sender is at work, and has it look again. */
  wakeDeliveries(owner: ToReceiver): Promise<void>;
  simulatedCalls: SimulatedCalls;
}

/** `payloadKeys` hash the sessions by which operators find workflows. */
export function createWorkflowStarter(client: Client, payloadKeys: KeyRing): WorkflowStarter {
  return {
    async startRun(run) {
      const { type, options } = startOptions(run, payloadKeys);
      await client.workflow.start(type, { ...options, args: [...options.args] }).catch(ignoreStarted);
    },

    async startWork(work) {
      const { kind, clinicId, id } = work;
      await client.workflow.start(longWorkflowOf(kind), {
        workflowId: longWorkflowId(work),
        taskQueue: TASK_QUEUE,
        args: [{ clinicId, id }],
        staticSummary: kind.replaceAll('_', ' '),
        priority: priorityOf('longWork', clinicId),
        typedSearchAttributes: [ofClinic(clinicId)],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
    },

    async tell({ workflowId, signal, payload }) {
      try {
        await client.workflow.getHandle(workflowId).signal(signal, payload);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },

    async wakeDeliveries({ clinicId, subject, receiverId }) {
      await client.workflow.signalWithStart<typeof deliverEvents>('deliverEvents', {
        workflowId: deliveryWorkflowId(subject, receiverId),
        taskQueue: TASK_QUEUE,
        args: [{ clinicId, subject, receiverId }],
        signal: deliveriesChanged,
        priority: priorityOf('deliveries', clinicId),
        typedSearchAttributes: [ofClinic(clinicId)],
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
