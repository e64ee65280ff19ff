import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconLock } from '#icons';
import { t } from '#texts';
import { useIsAdmin } from './account';
import classes from './admin.module.css';

/** Controls that only an administrator may use: others see them, disabled. */
export function AdminOnly({ children }: { children: ReactNode }) {
  const isAdmin = useIsAdmin();
  return (
    <fieldset className={classes.plain} disabled={!isAdmin}>
      {children}
    </fieldset>
  );
}

/** Says why the controls of a page are disabled. */
export function AdminNote() {
  if (useIsAdmin()) return null;
  return (
    <Alert color="gray" icon={<IconLock aria-hidden />} mb="lg">
      {t`You can look at these settings. Only an administrator of your clinic can change them.`}
    </Alert>
  );
}
