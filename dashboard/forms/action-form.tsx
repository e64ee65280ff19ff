import { Button, Group, type ModalProps, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { session } from '#http';
import type { Icon } from '#icons';
import { buttonIcon, PlainButton, sayFailed } from '#parts';
import { t } from '#texts';
import { Dialog, useUnsaved } from './dialog';
import { DialogEnd } from './dialog-end';
import { Changes, FormEnd } from './form-end';
import { useRefusedInFocus } from './refusal';

interface ActionFormProps {
  form: {
    submit: (event?: FormEvent<HTMLFormElement>) => void;
    isSaving: boolean;
    isDirty?: () => boolean;
    changed?: string[];
  };
  /** What the button says that sends it. */
  action: string;
  color?: string;
  isDisabled?: boolean;
  /** It edits what is stored: it says what that changes, and is sent only where something does. */
  isEdit?: boolean;
  children: ReactNode;
}

interface SubmitProps extends Omit<ActionFormProps, 'children'> {
  size?: 'xs';
  variant?: 'default';
  icon?: Icon;
}

const Submit = ({ form, action, isDisabled, isEdit, icon, ...button }: SubmitProps) => (
  <Button
    ref={useRefusedInFocus(form.isSaving)}
    type="submit"
    leftSection={buttonIcon(icon, button.size)}
    disabled={isDisabled || (isEdit && !form.isDirty?.())}
    loading={form.isSaving}
    {...button}
  >
    {action}
  </Button>
);

const Changed = ({ form, isEdit }: Pick<SubmitProps, 'form' | 'isEdit'>) =>
  isEdit && <Changes isDirty={form.isDirty?.() ?? false} changed={form.changed} />;

interface DialogFormProps extends ActionFormProps {
  cancel?: string;
  onClose: () => void;
}

/** The fields of a form in a dialog, and its two buttons. */
export function DialogForm({ cancel = t`Not now`, onClose, children, ...submit }: DialogFormProps) {
  useUnsaved(submit.form.isDirty);
  return (
    <form onSubmit={submit.form.submit} noValidate>
      <Stack>
        {children}
        <FormEnd>
          <DialogEnd close={cancel} onClose={onClose} before={<Changed {...submit} />}>
            <Submit {...submit} />
          </DialogEnd>
        </FormEnd>
      </Stack>
    </form>
  );
}

/** A form in a dialog of its own. */
export const FormDialog = ({
  title,
  opened = true,
  ...form
}: DialogFormProps & { title: string; opened?: boolean }) => (
  <Dialog opened={opened} onClose={form.onClose} title={title}>
    <DialogForm {...form} />
  </Dialog>
);

/** The fields of a form on a page, and the button that sends it. */
export const PageForm = ({ gap, children, ...submit }: ActionFormProps & SubmitProps & { gap?: 'xs' | 'sm' }) => (
  <form onSubmit={submit.form.submit} noValidate>
    <Stack gap={gap}>
      {children}
      <Group>
        <Submit {...submit} />
        <Changed {...submit} />
      </Group>
    </Stack>
  </form>
);

/** A form of one or two fields, and the button that sends it beside them. */
export const LineForm = ({ children, ...submit }: ActionFormProps) => (
  <form onSubmit={submit.form.submit} noValidate>
    <Group align="end">
      {children}
      <Submit variant="default" {...submit} />
    </Group>
  </form>
);

/** Has ⌘K offer an element of the open page under this name; choosing it gives it the focus and presses it. */
export const offered = (foundBy: string | undefined, does: string, about = '') =>
  foundBy === undefined ? {} : { 'data-does': does, 'data-about': about, 'data-found-by': foundBy };

interface DialogButtonProps extends Omit<Parameters<typeof PlainButton>[0], 'onClick' | 'title'> {
  title: string;
  dialogSize?: ModalProps['size'];
  /** Has ⌘K offer it while its page is open: by its label, and by these words, with commas between. */
  foundBy?: string;
  children: (close: () => void) => ReactNode;
}

/**
 * A button that opens a dialog, once what it holds is there; that begins again each time. Where the button goes away meanwhile, as with
 * the row of what somebody else has cancelled, whoever was in the dialog is told.
 */
export function DialogButton({ title, dialogSize, foundBy, children, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const opened = useRef<Opened | null>(null);
  const close = () => {
    opened.current = null;
    setOpen(false);
  };
  useEffect(() => () => sayGone(opened.current), []);
  return (
    <>
      <PlainButton
        size="xs"
        {...offered(foundBy, button.label, title)}
        {...button}
        onClick={() => {
          opened.current = { at: location.pathname, title };
          setOpen(true);
        }}
      />
      <Suspense fallback={null}>
        <Dialog opened={isOpen} onClose={close} title={title} size={dialogSize}>
          {children(close)}
        </Dialog>
      </Suspense>
    </>
  );
}

interface Opened {
  /** On which page. */
  at: string;
  title: string;
}

/** Not of one that was left for another page, or with the session. */
function sayGone(opened: Opened | null): void {
  if (opened?.at !== location.pathname || session.token() === null) return;
  sayFailed({ message: t`“${opened.title}” was closed: what it was about has changed meanwhile.` });
}
