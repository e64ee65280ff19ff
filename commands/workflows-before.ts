import type { Client } from '@temporalio/client';

/** Workflows of every kind that Temporal still holds and that began before an instant. */
export interface WorkflowsBefore {
  /** They go on: anyone who drops the key of their history stops them. */
  open: number;
  /** They have ended, and are kept for the namespace's retention: without the key nobody can read them. */
  kept: number;
}

/** Counts what was encrypted before a new payload key came into use. Temporal's list is some seconds late. */
export async function workflowsBefore(client: Client, since: Date): Promise<WorkflowsBefore> {
  const began = `StartTime < '${since.toISOString()}'`;
  const count = async (condition: string) => (await client.workflow.count(`${began} AND ${condition}`)).count;
  const [open, kept] = [await count("ExecutionStatus = 'Running'"), await count("ExecutionStatus != 'Running'")];
  return { open, kept };
}
