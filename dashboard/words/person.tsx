import { Anchor } from '@mantine/core';
import { t } from '#texts';
import classes from './moment.module.css';
import { usePhone } from './phone';
import { formatDate, isLocalDate } from './week';

/** A patient's name, or that none was given yet. */
export const nameOf = ({ firstName, lastName }: { firstName: string; lastName: string }): string =>
  `${firstName} ${lastName}`.trim() || t`Name not given`;

/** A phone that can be called from here. */
export function Telephone({ number }: { number: string }) {
  const written = usePhone();
  return (
    <Anchor href={`tel:${number}`} size="sm" className={classes.short}>
      {written(number)}
    </Anchor>
  );
}

/** A phone as people write it. */
export function Phone({ number }: { number: string }) {
  const written = usePhone();
  return <span className={classes.short}>{written(number)}</span>;
}

/** A date of birth in words. */
export const bornOn = (on: string): string => (isLocalDate(on) ? formatDate(on, { dateStyle: 'medium' }) : on);

export const Born = ({ on }: { on: string }) => (
  <time dateTime={on} className={classes.short}>
    {bornOn(on)}
  </time>
);
