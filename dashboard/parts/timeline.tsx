import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Icon } from '../icons';
import { ClockTime } from './moment';
import classes from './timeline.module.css';

export const Timeline = ({ label, children }: { label: string; children: ReactNode }) => (
  <ol className={classes.timeline} aria-label={label}>
    {children}
  </ol>
);

/** One thing that happened, with its time on the clinic's clock. */
export function Happening({
  at,
  title,
  icon: Symbol,
  tone = 'quiet',
  aside,
  children,
}: {
  at: string;
  title: ReactNode;
  icon: Icon;
  tone?: 'quiet' | 'good' | 'bad' | 'busy' | 'warn';
  aside?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <li className={classes.item}>
      <span className={classes.bullet} data-tone={tone} aria-hidden>
        <Symbol size={15} stroke={1.8} />
      </span>
      <div className={classes.content}>
        <div className={classes.head}>
          <div className={classes.what}>
            <Title order={3}>{title}</Title>
            {aside}
          </div>
          <Text size="xs" c="dimmed" className={classes.time}>
            <ClockTime at={at} withSeconds />
          </Text>
        </div>
        {children && <div className={classes.body}>{children}</div>}
      </div>
    </li>
  );
}
