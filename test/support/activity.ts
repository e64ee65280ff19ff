import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

/** Runs work as an activity runs: with a context that takes heartbeats and can be cancelled. */
export function inActivity<T>(work: () => Promise<T>): Promise<T> {
  return new MockActivityEnvironment(undefined, { logger: new DefaultLogger('ERROR') }).run(work) as Promise<T>;
}
