import { Badge, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import * as api from '#api';
import { session, statusOf, useIsLookedAt } from '#http';
import { t } from '#texts';

/** One who has said nothing for a minute does not count any more. */
const everyMs = 20_000;

interface Watch {
  others: api.Viewer[];
  /** Begins to edit; what it returns ends it. */
  edit: () => () => void;
  /** There is nothing to look at any more. */
  stop: () => void;
}

const WatchContext = createContext<Watch | null>(null);

interface WatchedProps {
  /** Of a patient, task, case or appointment; undefined until it is there. */
  recordId: string | undefined;
  /** It is open for nothing but to be changed. */
  isEdited?: boolean;
  children: ReactNode;
}

/** Tells the clinic's other people who looks at a record, or edits it, while somebody does; and asks who else does. */
export function Watched({ recordId, isEdited = false, children }: WatchedProps) {
  const [forms, setForms] = useState(0);
  const [gone, setGone] = useState<string>();
  const isTold = useRef(false);
  const telling = useRef<Promise<unknown>>(Promise.resolve());
  const isHere = useIsLookedAt() && recordId !== undefined && recordId !== gone;
  const isEditing = isEdited || forms > 0;
  const path = { recordId: recordId ?? '' };

  const viewers = useQuery({
    queryKey: [{ _id: 'putRecordsByRecordIdViewers' }, recordId, isEditing],
    async queryFn() {
      isTold.current = true;
      // Not to be cut off: the service may have it already, and would hear of the end before.
      const asked = api.putRecordsByRecordIdViewers({ path, body: { isEditing } });
      telling.current = asked;
      const said = await asked;
      if (said.data) return said.data.items;
      isTold.current = false;
      throw said.error;
    },
    enabled: isHere,
    refetchInterval: ({ state }) => statusOf(state.error) !== 404 && everyMs,
    staleTime: 0,
    gcTime: 0,
    placeholderData: (before, asked) => (asked?.queryKey[1] === recordId ? before : undefined),
  });

  useEffect(() => {
    if (!isHere) return;
    const leave = (after?: Promise<unknown>) => {
      if (!isTold.current || session.token() === null) return;
      isTold.current = false;
      const end = () => void api.deleteRecordsByRecordIdViewers({ path: { recordId }, keepalive: true });
      if (after) after.then(end, end);
      else end();
    };
    const hide = () => leave();
    window.addEventListener('pagehide', hide);
    return () => {
      window.removeEventListener('pagehide', hide);
      leave(telling.current);
    };
  }, [isHere, recordId]);

  const others = isHere && !viewers.isError ? viewers.data : undefined;
  const watch = useMemo<Watch>(
    () => ({
      others: others ?? [],
      edit() {
        setForms((count) => count + 1);
        return () => setForms((count) => count - 1);
      },
      stop() {
        isTold.current = false;
        setGone(recordId);
      },
    }),
    [others, recordId],
  );
  return <WatchContext value={watch}>{children}</WatchContext>;
}

/** While it is there, the record around it is being edited. */
export function useEdits(isEditing = true): void {
  const edit = useContext(WatchContext)?.edit;
  useEffect(() => (isEditing ? edit?.() : undefined), [edit, isEditing]);
}

/** For what removes the record around it. */
export function useStopWatching(): () => void {
  const watch = useContext(WatchContext);
  return () => watch?.stop();
}

/** Who else looks at the record around it, or edits it; nothing where nobody does. */
export function Viewers() {
  const others = useContext(WatchContext)?.others ?? [];
  if (others.length === 0) return null;
  return (
    <Group gap={6} role="status">
      {others.map((viewer) => (
        <Badge key={viewer.accountId} color={viewer.isEditing ? 'yellow' : 'gray'}>
          {doing(viewer)}
        </Badge>
      ))}
    </Group>
  );
}

function doing({ name, isEditing, isEmergency }: api.Viewer): string {
  const who = isEmergency ? t`${name} (emergency access)` : name;
  return isEditing ? t`${who} is editing this` : t`${who} is looking at this`;
}
