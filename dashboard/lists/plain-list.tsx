import { Children, type ReactNode } from 'react';
import classes from './plain-list.module.css';

interface PlainListProps {
  label: string;
  /** Stands beneath other things of a section, and begins where they do. */
  isInset?: true;
  children: ReactNode;
}

/** Rows with a line between them, as a list. */
export const PlainList = ({ label, isInset, children }: PlainListProps) => (
  <ul className={classes.list} data-inset={isInset} aria-label={label}>
    {Children.toArray(children).map((child, index) => (
      <li key={index} className={classes.row}>
        {child}
      </li>
    ))}
  </ul>
);
