import { Button, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type ReactNode, useState } from 'react';
import { t } from '#texts';
import { DialogEnd } from './dialog-end';

export interface Question {
  title: string;
  /** What follows from a yes. */
  what: ReactNode;
  yes: string;
  /** “Keep it” where it is left out. */
  no?: string;
  /** What a yes does cannot be undone, or ends something. */
  isFinal?: true;
  /** What is to be typed before a yes. */
  word?: string;
}

/** Asks before something is done. */
export function confirm({
  title,
  what,
  yes,
  no = t`Keep it`,
  isFinal,
  word,
  onYes,
  onNo,
}: Question & { onYes: () => void; onNo?: () => void }) {
  if (word !== undefined) {
    const modalId = modals.open({
      title,
      children: <Typed what={what} yes={yes} word={word} onYes={onYes} onClose={() => modals.close(modalId)} />,
    });
    return;
  }
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{what}</Text>,
    labels: { confirm: yes, cancel: no },
    confirmProps: isFinal && { color: 'red' },
    onConfirm: onYes,
    onCancel: onNo,
  });
}

interface TypedProps extends Pick<Question, 'what' | 'yes'> {
  word: string;
  onYes: () => void;
  onClose: () => void;
}

function Typed({ what, yes, word, onYes, onClose }: TypedProps) {
  const [typed, setTyped] = useState('');
  const go = () => {
    onClose();
    onYes();
  };
  return (
    <Stack>
      <Text size="sm">{what}</Text>
      <TextInput
        label={t`To go on, type ${word}`}
        autoComplete="off"
        data-autofocus
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <DialogEnd onClose={onClose}>
        <Button color="red" disabled={typed.trim().toLowerCase() !== word.toLowerCase()} onClick={go}>
          {yes}
        </Button>
      </DialogEnd>
    </Stack>
  );
}
