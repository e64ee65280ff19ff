import classes from './moment.module.css';
import { formatDate, isLocalDate } from './week';

/** A patient's name, or that none was given yet. */
export const nameOf = ({ firstName, lastName }: { firstName: string; lastName: string }): string =>
  `${firstName} ${lastName}`.trim() || 'Name not given';

/** A date of birth in words. */
export const Born = ({ on }: { on: string }) => (
  <time dateTime={on} className={classes.short}>
    {isLocalDate(on) ? formatDate(on, { dateStyle: 'medium' }) : on}
  </time>
);
