import type { ActivityOptions } from '@temporalio/common';
import { patched, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import { DELIVERY_TASK_QUEUE } from './ids';

/** Reads and writes of our own records: milliseconds. Ten seconds is also how soon a dead worker's work is taken over. */
export const records: ActivityOptions = {
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 ms', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * The same within a workflow task. What fails for longer than a minute waits in timers, so that the task ends: a database that
 * is away for an hour costs a few events of history.
 */
const recordsAtOnce = {
  startToCloseTimeout: '10 seconds',
  localRetryThreshold: '1 minute',
  retry: { initialInterval: '200 ms', backoffCoefficient: 2, maximumInterval: '30 seconds' },
} as const;

/**
 * Whether the run does the steps that read and write our own records within its workflow tasks, and sends its own events.
 * Asked before anything else: what is asked after a local activity may have another answer when it is replayed.
 */
export const isAtOnce = (): boolean => patched('records-at-once');

/** Such steps take milliseconds; several in a row are one turn of the worker. Runs from before have an activity for each. */
export const ownRecords = () =>
  isAtOnce() ? proxyLocalActivities<Activities>(recordsAtOnce) : proxyActivities<Activities>(records);

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

/** One attempt at a receiver that has 15 s to answer, in the queue of such attempts. */
export const delivering: ActivityOptions = {
  taskQueue: DELIVERY_TASK_QUEUE,
  startToCloseTimeout: '40 seconds',
  heartbeatTimeout: '6 seconds',
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** The same before a patient is called, who does not wait long for a place in that queue: others take it over. */
export const announcing: ActivityOptions = { ...delivering, scheduleToStartTimeout: '20 seconds' };

/** One question to a clinic's own system before a call. No answer is no reason to wait: what webhooks told counts then. */
export const asking: ActivityOptions = {
  startToCloseTimeout: '30 seconds',
  heartbeatTimeout: '6 seconds',
  retry: { maximumAttempts: 1 },
};

/** Telling a clinic's own system what was done. It is given a day to come back; then staff are told. */
export const telling: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '1 day',
  heartbeatTimeout: '6 seconds',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumInterval: '1 hour' },
};

/** A simulated call from the first ring to the last word. */
export const playing: ActivityOptions = {
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '6 seconds',
  retry: { initialInterval: '500 ms', backoffCoefficient: 1.5, maximumInterval: '5 seconds' },
};

/** How long a call may be silent towards us before we ask the platform about it. */
export const CALL_CHECK = '2 minutes';

/** How long after a conversation the platform's analysis of it may take. */
export const ANALYSIS_WAIT = '1 minute';

/** A run in line is told when it gets a line; it asks by itself only if that should have been lost. */
export const MAX_LINE_WAIT_MS = 6 * 3_600_000;
