import { t } from '@lingui/core/macro';
import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { sentenceOf } from '../http/service';

const closeButtonProps = { 'aria-label': t`Dismiss` };

/** Tells what an action did; spoken to screen readers as well. */
export const sayDone = (message: string) =>
  notifications.show({ message, color: 'green', autoClose: 4_000, closeButtonProps });

/** The same, with a way back for a while: what was done by a slip is undone where it was done. */
export function sayDoneOr(message: string, undo: { label: string; onUndo: () => void }): void {
  const id = notifications.show({
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        {message}
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id);
            undo.onUndo();
          }}
        >
          {undo.label}
        </Button>
      </Group>
    ),
    color: 'green',
    autoClose: 12_000,
    closeButtonProps,
  });
}

export const sayFailed = (error: unknown) =>
  notifications.show({ message: sentenceOf(error), color: 'red', autoClose: 8_000, role: 'alert', closeButtonProps });
