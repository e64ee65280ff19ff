import { Children, type ReactNode } from 'react';
import classes from './plain-list.module.css';

/** Rows with a line between them, as a list. */
export const PlainList = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={classes.list} aria-label={label}>
    {Children.map(children, (child) => (
      <li className={classes.row}>{child}</li>
    ))}
  </ul>
);
