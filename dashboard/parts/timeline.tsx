import { Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Icon } from '#icons';
import { ClockTime, Moment, Small } from '#words';
import classes from './timeline.module.css';

export const Timeline = ({ label, children }: { label: string; children: ReactNode }) => (
  <ol className={classes.timeline} aria-label={label}>
    {children}
  </ol>
);

interface HappeningProps {
  at: string;
  title: ReactNode;
  icon: Icon;
  tone?: 'quiet' | 'good' | 'bad' | 'busy' | 'warn';
  aside?: ReactNode;
  /** It may be years ago: the time is shown with its date. */
  isDated?: boolean;
  children?: ReactNode;
}

/** One thing that happened, with its time on the clinic's clock. */
export const Happening = ({
  at,
  title,
  icon: Symbol,
  tone = 'quiet',
  aside,
  isDated = false,
  children,
}: HappeningProps) => (
  <li className={classes.item}>
    <span className={classes.bullet} data-tone={tone} aria-hidden>
      <Symbol size={15} strokeWidth={1.8} />
    </span>
    <div className={classes.content}>
      <div className={classes.head}>
        <div className={classes.what}>
          <Title order={3}>{title}</Title>
          {aside}
        </div>
        <Small className={classes.time}>
          {isDated ? <Moment at={at} near={false} /> : <ClockTime at={at} withSeconds />}
        </Small>
      </div>
      {children && <div className={classes.body}>{children}</div>}
    </div>
  </li>
);
