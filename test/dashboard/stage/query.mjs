// React Query for `dashboard.ts`: what came of an action is there when its component is shown again.
import { useMutation as use, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';

export * from '@tanstack/react-query';

export function useMutation(options) {
  const mutationKey = [useId()];
  const actions = useQueryClient().getMutationCache();
  const action = use({ ...options, mutationKey });
  const all = () => actions.findAll({ mutationKey });
  const reset = () => all().forEach((each) => actions.remove(each));
  const { status = 'idle', data, error = null, variables } = all().at(-1)?.state ?? {};
  const is = { isPending: status === 'pending', isError: status === 'error', isSuccess: status === 'success' };
  // The library does what follows for whoever asked only while a browser shows it.
  const mutate = (given, { onSuccess } = {}) =>
    void action.mutateAsync(given).then(
      (done) => onSuccess?.(done, given),
      () => undefined,
    );
  return { ...action, mutate, ...is, data, error, variables, reset };
}
