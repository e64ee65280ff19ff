import { useForm, type UseFormInput, type UseFormReturnType } from '@mantine/form';
import type { UseMutationOptions } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { focusRefused } from '#parts';
import { type Follows, useAction } from './action';
import { confirm, type Question } from './confirm';
import { isOther } from './form-end';
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
  /** What is asked before these values are sent; null where nothing is. */
  ask?: (values: Given) => Promise<Question | null>;
  /** Whether the page itself shows what was refused of no field, in `error`. */
  showsRefusal?: boolean;
  /** Whether what was typed stays when it is done; what is typed while it is being done stays in any case. */
  keepsValues?: boolean;
  /** What ends a form that keeps its values: not before what was typed meanwhile is sent too. */
  onAllSent?: () => void;
}

type Path<Given extends Values> = Parameters<UseFormReturnType<Given>['getInputProps']>[0];
type BoxProps = ReturnType<UseFormReturnType<Values>['getInputProps']> & { label: string };
type FieldProps = BoxProps & { value: BoxProps['value'] };

export type FilledForm<Given extends Values, Data = unknown> = UseFormReturnType<Given> & {
  /** What an input of the form is given: its label, its value and what was refused of it. */
  field: (path: Path<Given>) => FieldProps;
  /** The same for a box or a switch. */
  box: (path: Path<Given>) => BoxProps;
  /** The labels of the fields that are no longer as the form began. */
  changed: string[];
  submit: (event?: FormEvent<HTMLFormElement>) => void;
  isSaving: boolean;
  /** Something was typed since what is being saved was sent. */
  isTypedSince: boolean;
  error: unknown;
  data: Data | undefined;
};

/** A form whose values are sent to the service; it is empty again when that is done, but for what was typed meanwhile. */
export function useActionForm<Given extends Values, Data, Failure, Variables>(
  options: UseMutationOptions<Data, Failure, Variables>,
  input: ActionFormInput<Given, Data, Variables>,
): FilledForm<Given, Data> {
  const {
    initialValues,
    validate,
    labels,
    fieldOf,
    request,
    ask,
    showsRefusal,
    keepsValues,
    onDone,
    onAllSent,
    ...follows
  } = input;
  const form = useForm<Given>({ initialValues, validate });
  const sent = useRef(initialValues);
  const typedSince = () =>
    Object.entries(form.getValues()).filter(([name, value]) => isOther(value, sent.current[name]));
  const labelsNow = () => (typeof labels === 'function' ? labels(form.getValues()) : labels);
  const action = useAction(options, {
    ...follows,
    async onDone(data, variables) {
      if (!keepsValues) {
        const typed = typedSince();
        form.reset();
        if (typed.length > 0) form.setValues(Object.fromEntries(typed) as Partial<Given>);
      }
      await onDone?.(data, variables);
      if (!keepsValues) return;
      form.resetDirty(sent.current);
      if (typedSince().length === 0) onAllSent?.();
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
    changed: changedLabels(form, labelsNow()),
    submit: form.onSubmit(
      async (values) => {
        const question = await ask?.(values);
        const send = () => {
          sent.current = values;
          action.mutate(request(values));
        };
        if (question) confirm({ ...question, onYes: send });
        else send();
      },
      (_errors, _values, event) => focusRefused(event?.currentTarget),
    ),
    isSaving: action.isPending,
    isTypedSince: action.isPending && typedSince().length > 0,
    error: action.error,
    data: action.data,
  };
}

const changedLabels = (form: { isDirty: (path: string) => boolean }, labels: Labels): string[] => [
  ...new Set(
    Object.entries(labels)
      .filter(([path]) => form.isDirty(path))
      .map(([, label]) => label),
  ),
];
