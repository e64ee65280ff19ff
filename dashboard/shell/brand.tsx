import { Group, Text } from '@mantine/core';
import classes from './layout.module.css';

export function Brand() {
  return (
    <Group gap={10} wrap="nowrap">
      <img src="/favicon.svg" alt="" width={28} height={28} />
      <Text fw={600} fz={17} lh={1.2} className={classes.name}>
        Clinic workflows
      </Text>
    </Group>
  );
}
