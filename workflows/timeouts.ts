import type { ActivityOptions } from '@temporalio/common';
import { DELIVERY_TASK_QUEUE, LONG_WORK_TASK_QUEUE } from './ids';

/** Reads and writes of our own records: milliseconds. Ten seconds is also how soon a dead worker's work is taken over. */
export const records: ActivityOptions = {
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 ms', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * The same within a workflow task: several in a row are one turn of the worker. What fails for longer than a minute waits in
 * timers, so that the task ends: a database that is away for an hour costs a few events of history.
 */
export const recordsAtOnce = {
  startToCloseTimeout: '10 seconds',
  localRetryThreshold: '1 minute',
  retry: { initialInterval: '200 ms', backoffCoefficient: 2, maximumInterval: '30 seconds' },
} as const;

/** The same, inside an update that somebody on the phone waits for. */
export const recordsInUpdate = {
  startToCloseTimeout: '5 seconds',
  retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '5 seconds' },
} as const;

/** One request to the voice platform (10 s there), with a look-up before a second one. */
export const dialling: ActivityOptions = {
  startToCloseTimeout: '45 seconds',
  heartbeatTimeout: '6 seconds',
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** One question to the voice platform (10 s there) about a call, which is asked again until there is an answer. */
export const lookingUp: ActivityOptions = { ...dialling, startToCloseTimeout: '20 seconds' };

/** One attempt at a receiver that has 15 s to answer, in the queue of such attempts. */
export const delivering: ActivityOptions = {
  taskQueue: DELIVERY_TASK_QUEUE,
  startToCloseTimeout: '40 seconds',
  heartbeatTimeout: '6 seconds',
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** One question to a clinic's own system before a call. No answer is no reason to wait: what webhooks told counts then. */
export const asking: ActivityOptions = {
  startToCloseTimeout: '30 seconds',
  heartbeatTimeout: '6 seconds',
  retry: { maximumAttempts: 1 },
};

/** Telling a clinic's own system what was done, once: one notice that is not taken holds up no other. */
export const telling: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '6 seconds',
  retry: { maximumAttempts: 1 },
};

/** A clinic's own system is given so long to come back, for all that a run has to tell; then staff are told. */
export const TELLING_MS = 24 * 3_600_000;

/** A simulated call from the first ring to the last word. */
export const playing: ActivityOptions = {
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '6 seconds',
  retry: { initialInterval: '500 ms', backoffCoefficient: 1.5, maximumInterval: '5 seconds' },
};

/** A step of long work that reads and writes our own records, in the queue of such steps. */
export const workRecords: ActivityOptions = { ...records, taskQueue: LONG_WORK_TASK_QUEUE };

/** A step of long work that asks a workflow (7 s) or wakes senders. */
export const workStep: ActivityOptions = {
  ...workRecords,
  startToCloseTimeout: '30 seconds',
  heartbeatTimeout: '6 seconds',
};

/** A step of long work that deletes much: a patient's records in one transaction, or histories one after the other. */
export const workDeletion: ActivityOptions = {
  ...workRecords,
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '6 seconds',
  retry: { initialInterval: '500 ms', backoffCoefficient: 1.5, maximumInterval: '5 seconds' },
};

/** How long a call may be silent towards us before we ask the platform about it. */
export const CALL_CHECK = '2 minutes';

/** How long after a conversation the platform's analysis of it may take. */
export const ANALYSIS_WAIT_MS = 60_000;

/** A run in line is told when it gets a line; it asks by itself only if that should have been lost. */
export const MAX_LINE_WAIT_MS = 6 * 3_600_000;
