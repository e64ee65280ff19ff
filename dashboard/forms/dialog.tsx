import { Modal, type ModalProps, ModalStackContext } from '@mantine/core';
import { useFocusReturn } from '@mantine/hooks';
import { createContext, type RefObject, use, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { Boundary, focusSoon } from '#parts';
import { t } from '#texts';
import { confirm } from './confirm';

/** Whether something is typed in the dialog around that would be lost with it. */
const Unsaved = createContext<RefObject<IsDirty | undefined> | null>(null);

type IsDirty = () => boolean;

/** Has people asked before they close the tab while something in it is not saved. */
export function useAskBeforeTabCloses(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isUnsaved]);
}

/**
 * Has the dialog around ask before Escape, the browser's Back or a click beside it takes away what was typed or chosen, and the browser
 * before the tab does. For whatever can be filled in in a dialog; a dialog that holds it itself says so in `isDirty`.
 */
export function useUnsaved(isDirty: IsDirty | undefined): void {
  const unsaved = use(Unsaved);
  // What leads to another page from within a dialog is chosen there: it is not asked for that.
  useAskBeforeTabCloses(isDirty?.() ?? false);
  // Known to whatever closes the dialog as an effect of the same change.
  useLayoutEffect(() => {
    if (!unsaved) return undefined;
    unsaved.current = isDirty;
    return () => {
      unsaved.current = undefined;
    };
  });
}

/** A dialog. Of several that are open the last is shown alone and takes the keys; the others wait beneath it as they are. */
export function Dialog({ onClose, isDirty, children, ...props }: ModalProps & { isDirty?: IsDirty }) {
  const id = useId();
  const remove = use(ModalStackContext)?.removeModal;
  const unsaved = useRef<IsDirty | undefined>(undefined);
  useAskBeforeTabCloses(isDirty?.() ?? false);
  // The library itself takes away one that is closed, and not one that is no longer drawn; nor does it give back the focus of one among others.
  useEffect(() => () => remove?.(id), [id]);
  useFocusReturn({ opened: props.opened });
  const close = () => {
    if (!(isDirty ?? unsaved.current)?.()) return onClose();
    const typing = document.activeElement;
    confirm({
      title: t`Close without saving?`,
      what: t`What you have typed here is lost then.`,
      yes: t`Close without saving`,
      no: t`Go on typing`,
      isFinal: true,
      onYes: onClose,
      // The question has to be gone, and the dialog to be in sight, which takes longer where a device is slow.
      onNo: () => setTimeout(() => typing instanceof HTMLElement && focusSoon(() => typing), 100),
    });
  };
  // The form of a dialog is no part of the form that it was opened from.
  return (
    <Unsaved value={unsaved}>
      <Modal stackId={id} onSubmit={(event) => event.stopPropagation()} onClose={close} {...props}>
        <Boundary>{children}</Boundary>
      </Modal>
    </Unsaved>
  );
}
