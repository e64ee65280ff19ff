import { Center, Group, Paper, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import classes from './layout.module.css';

export const Brand = () => (
  <Group gap={10} wrap="nowrap">
    <img src="/favicon.svg" alt="" width={28} height={28} />
    <Text fw={600} fz={17} lh={1.2} className={classes.name}>
      Clinic workflows
    </Text>
  </Group>
);

/** A page for who is not signed in: the brand, and a sheet below it. */
export function Front({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = [title, 'Clinic workflows'].join(' · ');
  }, [title]);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={400} gap="lg">
        <Brand />
        <Paper p="lg" radius="lg" bg="var(--surface)">
          {children}
        </Paper>
      </Stack>
    </Center>
  );
}
