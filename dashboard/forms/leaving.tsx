import { Button, Group, ModalStackContext, Stack, Text } from '@mantine/core';
import { use, useEffect, useRef } from 'react';
import { type Location, NavigationType, useBlocker } from 'react-router';
import { PlainButton } from '#parts';
import { t } from '#texts';
import { Dialog, useAskBeforeTabCloses } from './dialog';
import type { FormState } from './form-end';

/** How many forms of the open page hold what is not saved. They count together: the router asks one component alone. */
let unsaved = 0;

/** Has people asked before they leave the page of a form, or its tab, while something in it is neither saved nor on its way. */
export function useAskBeforeLeaving({ isDirty, isSaving, isTypedSince }: Omit<FormState, 'changed'>): void {
  const isUnsaved = isDirty && (!isSaving || isTypedSince);
  useAskBeforeTabCloses(isUnsaved);
  useEffect(() => {
    if (!isUnsaved) return undefined;
    unsaved += 1;
    return () => {
      unsaved -= 1;
    };
  }, [isUnsaved]);
}

/**
 * Asks before a page is left where something in it is not saved. Where a dialog is open the browser's Back does what Escape does: it leaves
 * the dialog, which asks for what was typed in it, and not the page. It stands once, around all pages.
 */
export function AskBeforeLeaving() {
  const dialogs = use(ModalStackContext)?.stack ?? [];
  const isDialogLeft = useRef(false);
  const blocker = useBlocker(({ currentLocation, nextLocation, historyAction }) => {
    isDialogLeft.current = historyAction === NavigationType.Pop && dialogs.length > 0;
    return isDialogLeft.current || (unsaved > 0 && placeOf(currentLocation) !== placeOf(nextLocation));
  });
  const stay = () => blocker.reset?.();
  useEffect(() => {
    if (blocker.state !== 'blocked' || !isDialogLeft.current) return;
    blocker.reset();
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  }, [blocker]);
  return (
    <Dialog
      opened={blocker.state === 'blocked' && !isDialogLeft.current}
      onClose={stay}
      title={t`Leave without saving?`}
    >
      <Stack>
        <Text size="sm">{t`What you have changed here is not saved.`}</Text>
        <Group justify="flex-end">
          <PlainButton label={t`Stay here`} onClick={stay} data-autofocus />
          <Button color="red" onClick={() => blocker.proceed?.()}>
            {t`Leave without saving`}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** A page, with the task that is open beside its list; filters lead nowhere else. */
const placeOf = ({ pathname, search }: Location): string =>
  `${pathname} ${new URLSearchParams(search).get('task') ?? ''}`;
