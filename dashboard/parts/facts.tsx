import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** A text that would stand in a column of more than four lines. */
const LONG = 100;

/** Names and values, as a description list; what is not known is left out. A long value takes the whole line. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode, size?: 'long'][] }) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false);
  return (
    <dl className={classes.facts}>
      {known.map(([name, value, size]) => (
        <div
          key={name}
          className={classes.fact}
          data-size={size ?? (typeof value === 'string' && value.length > LONG ? 'long' : undefined)}
        >
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
