import { Button, type ButtonProps } from '@mantine/core';
import type { Icon } from '#icons';
import { useIsAdmin } from './account';

interface PlainButtonProps extends Omit<ButtonProps, 'children' | 'leftSection'> {
  label: string;
  onClick: (() => void) | undefined;
  /** For those who only hear the button, where its label is not enough. */
  name?: string;
  icon?: Icon;
  /** Others see it, and cannot use it. */
  isForAdmins?: boolean;
  'data-autofocus'?: true;
}

/** A button that is not what its page is for: it closes something, or opens it. */
export function PlainButton({ label, name, icon, isForAdmins, disabled, ...button }: PlainButtonProps) {
  const isAdmin = useIsAdmin();
  return (
    <Button
      variant="default"
      aria-label={name}
      leftSection={buttonIcon(icon, button.size)}
      disabled={disabled || (isForAdmins && !isAdmin)}
      {...button}
    >
      {label}
    </Button>
  );
}

/** The symbol before the words of a button, if it has one. */
export const buttonIcon = (Symbol: Icon | undefined, size: ButtonProps['size']) =>
  Symbol && <Symbol size={size === 'xs' ? 14 : 16} aria-hidden />;
