import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { UseMutationOptions } from '@tanstack/react-query';
import {
  type ComponentType,
  createContext,
  Fragment,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { AdminOnly, type Asked, Loaded, PlainButton, useRefresh } from '#parts';
import { t } from '#texts';
import { type FilledForm, useActionForm } from './use-action-form';
import classes from './editable.module.css';
import { Changes, FormEnd, type FormEndProps, type FormState, isOther, formStateOf } from './form-end';
import { useAskBeforeLeaving } from './leaving';
import { useRefusedInFocus } from './refusal';

interface Editing {
  /** Told by the form, so that its changes are not lost to newer settings. */
  setUnsaved: (isUnsaved: boolean) => void;
  /** Told by the form: settings that are newer meanwhile are its own. */
  setSaving: (isSaving: boolean) => void;
  /** Told by the form: something was typed since what is being saved was sent. */
  setTypedSince: (isTypedSince: boolean) => void;
  /** What was sent is stored: begins again with it, and goes on where something was typed since. */
  goOn: () => void;
  /** Begins again with what is stored. */
  startAgain: () => void;
}

const EditingContext = createContext<Editing | null>(null);

function useEditing(): Editing {
  const editing = useContext(EditingContext);
  if (!editing) throw new Error('the form is not inside <Editable>');
  return editing;
}

/**
 * A form over stored settings. It begins again when they change, but never drops what somebody has typed and not saved:
 * then it says that there are newer settings.
 */
export function Editable<Data>({ stored, children }: { stored: Data; children: (stored: Data) => ReactNode }) {
  const [shown, setShown] = useState({ data: stored, version: 0 });
  const [isUnsaved, setUnsaved] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [isTypedSince, setTypedSince] = useState(false);
  const [end, setEnd] = useState<'stored' | 'undone' | null>(null);
  const isOlder = isOther(shown.data, stored);
  const goesOn = end === 'stored' && isTypedSince;
  if (end !== null || (isOlder && !isUnsaved)) {
    setShown({ data: stored, version: goesOn ? shown.version : shown.version + 1 });
    setUnsaved(goesOn);
    setEnd(null);
  }
  const area = useRef<HTMLDivElement>(null);
  const { noteChange, noteStart } = useFocusOfChange(area, shown);
  const editing = useMemo(
    () => ({
      setUnsaved,
      setSaving,
      setTypedSince,
      goOn() {
        noteStart();
        setEnd('stored');
      },
      startAgain() {
        noteStart();
        setEnd('undone');
      },
    }),
    [noteStart],
  );
  return (
    <EditingContext value={editing}>
      {isOlder && isUnsaved && !isSaving && (
        <Alert color="yellow" mb="md" title={t`Somebody else has changed these settings`} role="status">
          <Group justify="space-between" gap="xs">
            <Text size="sm">{t`What you typed is still here. Saving it replaces their change.`}</Text>
            <PlainButton label={t`Show the newer settings`} size="xs" onClick={editing.startAgain} />
          </Group>
        </Alert>
      )}
      <div ref={area} className={classes.area} onChange={noteChange} onClick={noteChange}>
        <Fragment key={shown.version}>{children(shown.data)}</Fragment>
      </div>
    </EditingContext>
  );
}

/** A form that begins again is drawn anew: Save has the focus then, or the field that was changed last, where it had it. */
function useFocusOfChange(area: RefObject<HTMLElement | null>, shown: object) {
  const changed = useRef<Element | null>(null);
  const start = useRef<number | 'save' | null>(null);
  const notes = useMemo(() => {
    // Not the buttons of its end.
    const fields = () => [
      ...(area.current?.querySelectorAll<HTMLElement>(
        'form :is(input, select, textarea, button):not([data-place] *)',
      ) ?? []),
    ];
    const save = () => area.current?.querySelector<HTMLElement>('[data-place] button');
    return {
      fields,
      save,
      noteChange() {
        changed.current = [...fields(), save()].find((field) => field === document.activeElement) ?? changed.current;
      },
      noteStart() {
        const at = fields().findIndex((field) => field === changed.current);
        start.current = changed.current === save() ? 'save' : Math.max(0, at);
      },
    };
  }, [area]);
  useLayoutEffect(() => {
    const fields = notes.fields();
    // Who has gone on elsewhere meanwhile stays there.
    if (start.current !== null && document.activeElement === document.body) {
      const next = start.current === 'save' ? notes.save() : (fields[start.current] ?? fields[0]);
      next?.focus();
    }
    start.current = null;
  }, [shown, notes]);
  return notes;
}

interface StoredSettingsProps<Data> {
  query: Asked<Data>;
  editor: ComponentType<{ stored: Data }>;
}

/** Stored settings as a query brings them, and the form over them. */
export const StoredSettings = <Data,>({ query, editor: Editor }: StoredSettingsProps<Data>) => (
  <Loaded query={query}>{(data) => <Editable stored={data}>{(stored) => <Editor stored={stored} />}</Editable>}</Loaded>
);

/** Of stored settings that are a list, its items. */
export const itemsOf = <Item,>({ items }: { items: Item[] }): Item[] => items;

/** A form of settings: what was saved is read again, and the form begins again with it. */
export function useSettingsForm<Given extends Record<string, unknown>, Data, Failure, Variables>(
  options: UseMutationOptions<Data, Failure, Variables>,
  {
    onDone,
    done = t`Saved.`,
    ...input
  }: Omit<Parameters<typeof useActionForm<Given, Data, Failure, Variables>>[1], 'keepsValues'>,
) {
  const saved = useSaved();
  return useActionForm(options, {
    ...input,
    done,
    keepsValues: true,
    async onDone(data, variables) {
      await Promise.all([saved(), onDone?.(data, variables)]);
    },
  });
}

/** The fields of a form of settings, and its end. */
export const SettingsForm = ({
  form,
  children,
}: {
  form: FilledForm<Record<string, unknown>>;
  children: ReactNode;
}) => (
  <AdminOnly>
    <form onSubmit={form.submit} noValidate>
      <Stack>
        {children}
        <FormFooter {...formStateOf(form)} />
      </Stack>
    </form>
  </AdminOnly>
);

/**
 * What a form does once its change is stored: the settings are read again, and the form begins again with them. Where something was typed
 * meanwhile it stays, and is not saved yet.
 */
export function useSaved(): () => Promise<void> {
  const refresh = useRefresh('integrations', 'providers', 'retention', 'people', 'account', 'results');
  const { goOn } = useEditing();
  return async () => {
    await refresh();
    goOn();
  };
}

interface FormFooterProps extends FormState, Pick<FormEndProps, 'place'> {
  label?: string;
  /** What else can be done with these settings. */
  children?: ReactNode;
}

/** The end of a form of settings: saves it, says what is changed and not saved yet, and asks before it is left so. */
export function FormFooter({
  label = t`Save`,
  isDirty,
  changed,
  isSaving,
  isTypedSince,
  place,
  children,
}: FormFooterProps) {
  const { setUnsaved, setSaving, setTypedSince, startAgain } = useEditing();
  useEffect(() => setUnsaved(isDirty), [isDirty, setUnsaved]);
  useEffect(() => setSaving(isSaving), [isSaving, setSaving]);
  useEffect(() => setTypedSince(isTypedSince), [isTypedSince, setTypedSince]);
  useAskBeforeLeaving({ isDirty, isSaving, isTypedSince });
  const button = useRefusedInFocus(isSaving);
  return (
    <FormEnd place={place}>
      <AdminOnly>
        <Group gap="sm">
          <Button ref={button} loading={isSaving} {...(isDirty ? toSave : nothingToSave)}>
            {label}
          </Button>
          {isDirty && (
            <Button variant="subtle" color="gray" onClick={startAgain}>
              {t`Undo changes`}
            </Button>
          )}
          <Changes isDirty={isDirty} changed={changed} />
          {children}
        </Group>
      </AdminOnly>
    </FormEnd>
  );
}

const toSave = { type: 'submit' } as const;
/** Nothing is to be saved: it keeps the focus that it has, and Tab goes past it. */
const nothingToSave = { type: 'button', tabIndex: -1, 'data-disabled': true, 'aria-disabled': true } as const;
