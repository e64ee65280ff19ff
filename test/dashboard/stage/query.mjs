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
  const mutate = async (given, { onSuccess, onError } = {}) => {
    const [{ status: end, value, reason }] = await Promise.allSettled([action.mutateAsync(given)]);
    if (end === 'fulfilled') onSuccess?.(value, given);
    else onError?.(reason, given);
  };
  return { ...action, mutate: (...given) => void mutate(...given), ...is, data, error, variables, reset };
}
