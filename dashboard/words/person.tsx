import { Anchor } from '@mantine/core';
import { t } from '#texts';
import classes from './moment.module.css';
import { formatDate, isLocalDate } from './week';

/** A patient's name, or that none was given yet. */
export const nameOf = ({ firstName, lastName }: { firstName: string; lastName: string }): string =>
  `${firstName} ${lastName}`.trim() || t`Name not given`;

/** A phone that can be called from here. */
export const Telephone = ({ number }: { number: string }) => (
  <Anchor href={`tel:${number}`} size="sm" className={classes.short}>
    {number}
  </Anchor>
);

/** A date of birth in words. */
export const Born = ({ on }: { on: string }) => (
  <time dateTime={on} className={classes.short}>
    {isLocalDate(on) ? formatDate(on, { dateStyle: 'medium' }) : on}
  </time>
);
