import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { createContext, Fragment, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { useBlocker } from 'react-router';
import { AdminOnly } from './admin';
import { useRefresh } from './refresh';

interface Editing {
  /** Told by the form, so that its changes are not lost to newer settings. */
  setUnsaved: (isUnsaved: boolean) => void;
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
  const [isOver, setOver] = useState(false);
  const isOlder = JSON.stringify(shown.data) !== JSON.stringify(stored);
  if (isOver || (isOlder && !isUnsaved)) {
    setShown({ data: stored, version: shown.version + 1 });
    setUnsaved(false);
    setOver(false);
  }
  const editing = useMemo(() => ({ setUnsaved, startAgain: () => setOver(true) }), []);
  return (
    <EditingContext value={editing}>
      {isOlder && isUnsaved && (
        <Alert color="yellow" mb="md" title={t`Somebody else has changed these settings`} role="status">
          <Group justify="space-between" gap="xs">
            <Text size="sm">
              <Trans>What you typed is still here. Saving it replaces their change.</Trans>
            </Text>
            <Button size="xs" variant="default" onClick={editing.startAgain}>
              <Trans>Show the newer settings</Trans>
            </Button>
          </Group>
        </Alert>
      )}
      <Fragment key={shown.version}>{children(shown.data)}</Fragment>
    </EditingContext>
  );
}

/** What a form does once its change is stored: the settings are read again, and the form begins again with them. */
export function useSaved(): () => Promise<void> {
  const refresh = useRefresh('integrations', 'providers');
  const { startAgain } = useEditing();
  return async () => {
    await refresh();
    startAgain();
  };
}

/** The end of a form of settings: saves it, says that something is not saved yet, and asks before it is left so. */
export function FormFooter({
  label = t`Save`,
  isDirty,
  isSaving,
  children,
}: {
  label?: string;
  isDirty: boolean;
  isSaving: boolean;
  /** What else can be done with these settings. */
  children?: ReactNode;
}) {
  const { setUnsaved, startAgain } = useEditing();
  useEffect(() => setUnsaved(isDirty), [isDirty, setUnsaved]);
  return (
    <AdminOnly>
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Button type="submit" loading={isSaving}>
            {label}
          </Button>
          {isDirty && (
            <>
              <Button variant="subtle" color="gray" onClick={startAgain}>
                <Trans>Undo changes</Trans>
              </Button>
              <Text size="sm" c="dimmed" role="status">
                <Trans>Not saved yet</Trans>
              </Text>
            </>
          )}
        </Group>
        {children}
      </Group>
      <AskBeforeLeaving isDirty={isDirty && !isSaving} />
    </AdminOnly>
  );
}

function AskBeforeLeaving({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isDirty && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isDirty]);
  const stay = () => blocker.reset?.();
  return (
    <Modal opened={blocker.state === 'blocked'} onClose={stay} title={t`Leave without saving?`}>
      <Stack>
        <Text size="sm">
          <Trans>What you have changed here is not saved.</Trans>
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={stay} data-autofocus>
            <Trans>Stay here</Trans>
          </Button>
          <Button color="red" onClick={() => blocker.proceed?.()}>
            <Trans>Leave without saving</Trans>
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
