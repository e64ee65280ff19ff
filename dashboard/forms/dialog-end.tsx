import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { PlainButton } from '#parts';
import { t } from '#texts';

interface DialogEndProps {
  onClose: () => void;
  close?: string;
  before?: ReactNode;
  children?: ReactNode;
}

/** The end of a dialog: what closes it, and what it is for. */
export const DialogEnd = ({ onClose, close = t`Close`, before, children }: DialogEndProps) => (
  <Group justify="flex-end">
    {before}
    <PlainButton label={close} onClick={onClose} />
    {children}
  </Group>
);
