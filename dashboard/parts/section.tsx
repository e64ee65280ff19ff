import { Box, Group, Paper, Stack, type StackProps, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Quiet } from '#words';
import { AdminOnly } from './admin';
import classes from './section.module.css';

interface SectionProps {
  title: string;
  /** Of the title, where a link of the page leads there. */
  id?: string;
  lead?: ReactNode;
  actions?: ReactNode;
  /** The content reaches the panel's edges, as a list does. */
  flush?: boolean;
  /** The content stands one below the other, so far apart. */
  gap?: StackProps['gap'];
  /** Others see the content, and cannot use it. */
  isForAdmins?: boolean;
  children: ReactNode;
}

/** A titled panel; the title names it for screen readers. */
export function Section({
  title,
  id: ownId,
  lead,
  actions,
  flush = false,
  gap,
  isForAdmins = false,
  children,
}: SectionProps) {
  const anyId = useId();
  const id = ownId ?? anyId;
  const body = gap ? <Stack gap={gap}>{children}</Stack> : children;
  return (
    <Paper component="section" aria-labelledby={id} className={classes.section}>
      <Group className={classes.head} justify="space-between" gap="xs">
        <Box maw={640}>
          <Title order={2} id={id} tabIndex={ownId === undefined ? undefined : -1}>
            {title}
          </Title>
          {lead && <Quiet>{lead}</Quiet>}
        </Box>
        {actions}
      </Group>
      <div className={flush ? classes.flush : classes.body}>{isForAdmins ? <AdminOnly>{body}</AdminOnly> : body}</div>
    </Paper>
  );
}

/** A panel without a heading of its own: the page's says what it is. */
export const Panel = ({ children }: { children: ReactNode }) => (
  <Paper className={`${classes.section} ${classes.flush}`}>{children}</Paper>
);
