import type { UseMutationOptions } from '@tanstack/react-query';
import { PlainButton } from '#parts';
import { type Follows, useAction } from './action';
import { confirm, type Question } from './confirm';

interface ActionButtonProps<Variables> extends Omit<Parameters<typeof PlainButton>[0], 'onClick'> {
  action: { mutate: (request: Variables) => void; isPending: boolean };
  request: NoInfer<Variables>;
  /** What is asked first; the answer that starts it is the label where no other is given. */
  ask?: Omit<Question, 'yes'> & { yes?: string };
}

/** A button that starts an action of its page, after a question where one is given. */
export function ActionButton<Variables>({ action, request, ask, ...button }: ActionButtonProps<Variables>) {
  const start = () => action.mutate(request);
  const onClick = ask ? () => confirm({ yes: button.label, ...ask, onYes: start }) : start;
  return <PlainButton loading={action.isPending} onClick={onClick} {...button} />;
}

interface ServiceButtonProps<Data, Failure, Variables>
  extends Follows<Data, Variables>, Omit<ActionButtonProps<Variables>, 'action'> {
  does: UseMutationOptions<Data, Failure, Variables>;
}

/** The same with an action of its own. */
export function ServiceButton<Data, Failure, Variables>(props: ServiceButtonProps<Data, Failure, Variables>) {
  const { does, done, onDone, onRefused, refresh, ...button } = props;
  const { mutate, isPending } = useAction(does, { done, onDone, onRefused, refresh });
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the compiler does not resolve the library's rest parameters
  const start = mutate as (request: Variables) => void;
  return <ActionButton action={{ mutate: start, isPending }} {...button} />;
}
