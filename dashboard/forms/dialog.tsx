import { Modal, type ModalProps, ModalStackContext } from '@mantine/core';
import { useFocusReturn } from '@mantine/hooks';
import { use, useEffect, useId } from 'react';

/** A dialog. Of several that are open the last is shown alone and takes the keys; the others wait beneath it as they are. */
export function Dialog(props: ModalProps) {
  const id = useId();
  const remove = use(ModalStackContext)?.removeModal;
  // The library itself takes away one that is closed, and not one that is no longer drawn; nor does it give back the focus of one among others.
  useEffect(() => () => remove?.(id), [id]);
  useFocusReturn({ opened: props.opened });
  // The form of a dialog is no part of the form that it was opened from.
  return <Modal stackId={id} onSubmit={(event) => event.stopPropagation()} {...props} />;
}
