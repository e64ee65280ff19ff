import { Box, Group, Paper, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './section.module.css';

/** A titled panel; the title names it for screen readers. */
export function Section({
  title,
  lead,
  actions,
  flush = false,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  /** The content reaches the panel's edges, as a list does. */
  flush?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <Paper component="section" aria-labelledby={id} className={classes.section}>
      <Group className={classes.head} justify="space-between" gap="xs">
        <Box maw={640}>
          <Title order={2} id={id}>
            {title}
          </Title>
          {lead && (
            <Text size="sm" c="dimmed" component="div">
              {lead}
            </Text>
          )}
        </Box>
        {actions}
      </Group>
      <div className={flush ? classes.flush : classes.body}>{children}</div>
    </Paper>
  );
}

/** A panel without a heading of its own: the page's says what it is. */
export const Panel = ({ children }: { children: ReactNode }) => (
  <Paper className={`${classes.section} ${classes.flush}`}>{children}</Paper>
);
