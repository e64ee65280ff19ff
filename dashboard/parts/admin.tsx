import type { ReactNode } from 'react';
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
