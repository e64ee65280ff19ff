import { Alert, Group } from '@mantine/core';
import { notifications, notificationsStore } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { sentenceOf } from '#http';
import { t } from '#texts';
import { PlainButton } from './plain-button';

const closeButtonProps = { 'aria-label': t`Dismiss` };

/** Tells what an action did; spoken to screen readers as well. */
export const sayDone = (message: string) =>
  notifications.show({ message, color: 'green', autoClose: 4_000, closeButtonProps });

interface Next {
  label: string;
  onClick: () => void;
  /** It takes back what was done: `z` does so too. */
  isUndo?: true;
}

/** The same, with what can be done about it for a while. Returns how to take it away. */
export const sayDoneOr = (message: string, next: Next) => sayWith(next, { message, color: 'green' });

/** By the id of the record: what can still be undone of it. */
const undoable = new Map<string, () => void>();

/** Takes away what was told of a record: it is untrue once something else was done with it. */
export function forgetUndo(recordId: string): void {
  undoable.get(recordId)?.();
  undoable.delete(recordId);
}

/** The same, with what takes it back: what was done by a slip is undone where it was done. Of each record only the last can be. */
export function sayDoneOrUndo(message: string, recordId: string, onClick: () => void): void {
  forgetUndo(recordId);
  undoable.set(recordId, sayDoneOr(message, { label: t`Undo`, onClick, isUndo: true }));
}

/** Why something failed, with what can be done instead. */
export const sayFailedOr = (error: unknown, next: Next) =>
  sayWith(next, { message: sentenceOf(error), color: 'red', role: 'alert' });

function sayWith(next: Next, { message, ...looks }: { message: string; color: string; role?: string }): () => void {
  const id = notifications.show({
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm" data-undo={next.isUndo}>
        {message}
        <PlainButton
          label={next.label}
          size="compact-sm"
          onClick={() => {
            notifications.hide(id);
            next.onClick();
          }}
        />
      </Group>
    ),
    autoClose: 12_000,
    closeButtonProps,
    ...looks,
  });
  return () => void notifications.hide(id);
}

/** Why something was refused, where it was asked for. */
export const Refusal = ({ children }: { children: ReactNode }) => (
  <Alert color="red" role="alert">
    {children}
  </Alert>
);

export const sayFailed = (error: unknown) =>
  notifications.show({ message: sentenceOf(error), color: 'red', autoClose: 8_000, role: 'alert', closeButtonProps });

/** Takes away, later, the failures that are told now: what is begun after them and succeeds would contradict them. */
export function failuresTold(): () => void {
  const told = notificationsStore.getState().notifications.filter(({ role }) => role === 'alert');
  return () => {
    for (const { id } of told) if (id !== undefined) notifications.hide(id);
  };
}
