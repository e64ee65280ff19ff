import { Badge, type BadgeProps, Box, Group, type GroupProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Name, Small } from '#words';

interface LineProps extends Pick<GroupProps, 'align' | 'wrap'> {
  name: ReactNode;
  /** Beside the name: what it is. */
  marks?: ReactNode;
  /** What can be done with it. */
  actions?: ReactNode;
  /** Below all that. */
  more?: ReactNode;
  /** Below its name, small. */
  children?: ReactNode;
}

/** One thing of a list: what it is called, what is known of it, and what can be done with it. */
export const Line = ({ name, marks, actions, more, wrap = 'nowrap', align, children }: LineProps) => (
  <Group justify="space-between" gap="xs" wrap={wrap} align={align}>
    <Box miw={0} flex={1} style={{ overflowWrap: 'anywhere' }}>
      <Group gap={6}>
        <Name>{name}</Name>
        {marks}
      </Group>
      {children && <Small>{children}</Small>}
      {more}
    </Box>
    {actions}
  </Group>
);

/** Beside a name, in a word: what it is, or how it stands. */
export const Mark = (props: BadgeProps & { children: ReactNode }) => (
  <Badge size="sm" color="gray" h="auto" styles={{ label: { whiteSpace: 'normal' } }} {...props} />
);
