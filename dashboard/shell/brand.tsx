import { Group, Text } from '@mantine/core';

export function Brand() {
  return (
    <Group gap={10} wrap="nowrap">
      <img src="/favicon.svg" alt="" width={28} height={28} />
      <Text fw={600} fz={17} lh={1.2}>
        Clinic workflows
      </Text>
    </Group>
  );
}
