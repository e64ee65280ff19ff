import { useMutation, type UseMutationOptions, useQueryClient } from '@tanstack/react-query';
import { type Area, readAgain } from '#http';
import { failuresTold, sayDone, sayFailed } from '#parts';

export interface Follows<Data, Variables> {
  /** What is said once it is done. */
  done?: string | ((data: Data, variables: Variables) => string);
  /** What else follows then. */
  onDone?: (data: Data, variables: Variables) => unknown;
  /** Where the refusal is shown; it is told in a message where this is left out. Null: the page shows the action's `error`. */
  onRefused?: ((error: unknown, variables: Variables) => unknown) | null;
  /** What open pages read again, whatever came of it. */
  refresh?: Area[];
}

/** Something that a person has the service do, and what follows from it. It is pending until the pages show what it did. */
export function useAction<Data, Failure, Variables>(
  options: Omit<UseMutationOptions<Data, Failure, Variables>, 'onMutate' | 'onSuccess' | 'onError' | 'onSettled'>,
  { done, onDone, onRefused = sayFailed, refresh = [] }: Follows<Data, Variables> = {},
) {
  const queries = useQueryClient();
  return useMutation({
    ...options,
    onMutate: failuresTold,
    async onSuccess(data, variables, takeAwayFailures) {
      takeAwayFailures();
      if (done !== undefined) sayDone(typeof done === 'string' ? done : done(data, variables));
      await onDone?.(data, variables);
    },
    onError: (error, variables) => void onRefused?.(error, variables),
    onSettled(_data, error) {
      const isRead = readAgain(queries, refresh);
      // Who corrects what was refused does not wait for it.
      return error ? undefined : isRead;
    },
  });
}
