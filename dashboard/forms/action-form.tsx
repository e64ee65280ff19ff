import { Button, Group, Modal, type ModalProps, Stack } from '@mantine/core';
import { useForm, type UseFormInput, type UseFormReturnType } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import type { UseMutationOptions } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import type { Icon } from '#icons';
import { buttonIcon, PlainButton } from '#parts';
import { t } from '#texts';
import { type Follows, useAction } from './action';
import { detailsOf, type Labels, showRefusal } from './refusal';

type Values = Record<string, unknown>;

interface ActionFormInput<Given extends Values, Data, Variables> extends Omit<Follows<Data, Variables>, 'onRefused'> {
  initialValues: Given;
  validate?: UseFormInput<Given>['validate'];
  /** The fields that it shows: what is refused stands beside them. */
  labels: Labels | ((values: Given) => Labels);
  /** A field of the form where the service names it by another path. */
  fieldOf?: (path: string) => string;
  /** What is asked of the service with these values. */
  request: (values: Given) => Variables;
  /** Whether the page itself shows what was refused of no field, in `error`. */
  showsRefusal?: boolean;
  /** Whether what was typed stays when it is done. */
  keepsValues?: boolean;
}

type Path<Given extends Values> = Parameters<UseFormReturnType<Given>['getInputProps']>[0];
type BoxProps = ReturnType<UseFormReturnType<Values>['getInputProps']> & { label: string };
type FieldProps = BoxProps & { value: BoxProps['value'] };

export type FilledForm<Given extends Values, Data = unknown> = UseFormReturnType<Given> & {
  /** What an input of the form is given: its label, its value and what was refused of it. */
  field: (path: Path<Given>) => FieldProps;
  /** The same for a box or a switch. */
  box: (path: Path<Given>) => BoxProps;
  submit: (event?: FormEvent<HTMLFormElement>) => void;
  isSaving: boolean;
  error: unknown;
  data: Data | undefined;
};

/** A form whose values are sent to the service; it is empty again when that is done. */
export function useActionForm<Given extends Values, Data, Failure, Variables>(
  options: UseMutationOptions<Data, Failure, Variables>,
  input: ActionFormInput<Given, Data, Variables>,
): FilledForm<Given, Data> {
  const { initialValues, validate, labels, fieldOf, request, showsRefusal, keepsValues, onDone, ...follows } = input;
  const form = useForm<Given>({ initialValues, validate });
  const labelsNow = () => (typeof labels === 'function' ? labels(form.getValues()) : labels);
  const action = useAction(options, {
    ...follows,
    onDone(data, variables) {
      if (!keepsValues) form.reset();
      return onDone?.(data, variables);
    },
    onRefused(error) {
      if (showsRefusal && detailsOf(error).length === 0) return;
      showRefusal(form, error, labelsNow(), fieldOf);
    },
  });
  return {
    ...form,
    field: (path) => ({ value: undefined, label: labelsNow()[path] ?? path, ...form.getInputProps(path) }),
    box: (path) => ({ label: labelsNow()[path] ?? path, ...form.getInputProps(path, { type: 'checkbox' }) }),
    submit: form.onSubmit((values) => action.mutate(request(values))),
    isSaving: action.isPending,
    error: action.error,
    data: action.data,
  };
}

interface ActionFormProps {
  form: { submit: (event?: FormEvent<HTMLFormElement>) => void; isSaving: boolean };
  /** What the button says that sends it. */
  action: string;
  color?: string;
  isDisabled?: boolean;
  children: ReactNode;
}

interface SubmitProps extends Omit<ActionFormProps, 'children'> {
  size?: 'xs';
  variant?: 'default';
  icon?: Icon;
}

const Submit = ({ form, action, isDisabled, icon, ...button }: SubmitProps) => (
  <Button
    type="submit"
    leftSection={buttonIcon(icon, button.size)}
    disabled={isDisabled}
    loading={form.isSaving}
    {...button}
  >
    {action}
  </Button>
);

interface DialogFormProps extends ActionFormProps {
  cancel?: string;
  onClose: () => void;
}

/** The fields of a form in a dialog, and its two buttons. */
export const DialogForm = ({ cancel = t`Not now`, onClose, children, ...submit }: DialogFormProps) => (
  <form onSubmit={submit.form.submit} noValidate>
    <Stack>
      {children}
      <DialogEnd close={cancel} onClose={onClose}>
        <Submit {...submit} />
      </DialogEnd>
    </Stack>
  </form>
);

/** A form in a dialog of its own. */
export const FormDialog = ({
  title,
  opened = true,
  ...form
}: DialogFormProps & { title: string; opened?: boolean }) => (
  <Modal opened={opened} onClose={form.onClose} title={title}>
    <DialogForm {...form} />
  </Modal>
);

/** The fields of a form on a page, and the button that sends it. */
export const PageForm = ({ gap, children, ...submit }: ActionFormProps & SubmitProps & { gap?: 'xs' | 'sm' }) => (
  <form onSubmit={submit.form.submit} noValidate>
    <Stack gap={gap}>
      {children}
      <Group>
        <Submit {...submit} />
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

interface DialogEndProps {
  onClose: () => void;
  close?: string;
  children?: ReactNode;
}

/** The end of a dialog: what closes it, and what it is for. */
export const DialogEnd = ({ onClose, close = t`Close`, children }: DialogEndProps) => (
  <Group justify="flex-end">
    <PlainButton label={close} onClick={onClose} />
    {children}
  </Group>
);

interface DialogButtonProps extends Omit<Parameters<typeof PlainButton>[0], 'onClick' | 'title'> {
  title: string;
  dialogSize?: ModalProps['size'];
  children: (close: () => void) => ReactNode;
}

/** A button that opens a dialog; what is in it begins again each time. */
export function DialogButton({ title, dialogSize, children, ...button }: DialogButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <PlainButton size="xs" {...button} onClick={open} />
      <Modal opened={isOpen} onClose={close} title={title} size={dialogSize}>
        {children(close)}
      </Modal>
    </>
  );
}
