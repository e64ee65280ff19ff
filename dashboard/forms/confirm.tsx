import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';
import { t } from '#texts';

export interface Question {
  title: string;
  /** What follows from a yes. */
  what: ReactNode;
  yes: string;
  /** “Keep it” where it is left out. */
  no?: string;
  /** What a yes does cannot be undone, or ends something. */
  isFinal?: true;
}

/** Asks before something is done. */
export function confirm({ title, what, yes, no = t`Keep it`, isFinal, onYes }: Question & { onYes: () => void }): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{what}</Text>,
    labels: { confirm: yes, cancel: no },
    confirmProps: isFinal && { color: 'red' },
    onConfirm: onYes,
  });
}
