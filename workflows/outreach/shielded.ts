import { CancellationScope } from '@temporalio/workflow';

/** Runs a message's handler to its end, whatever is cancelled meanwhile. */
export function shielded<Args extends unknown[], Result>(handle: (...args: Args) => Promise<Result>) {
  return (...args: Args): Promise<Result> => CancellationScope.nonCancellable(() => handle(...args));
}
