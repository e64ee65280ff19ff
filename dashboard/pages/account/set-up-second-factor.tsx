import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Brand } from '../../shell/brand';
import { Passkeys } from './passkeys';
import { SecondFactor } from './second-factor';

/** All that an account without a second factor sees where its clinic requires one. */
export function SetUpSecondFactor({
  clinic,
  signOut,
  onSet,
}: {
  clinic: string;
  signOut: () => void;
  onSet: () => void;
}): ReactNode {
  useEffect(() => {
    document.title = 'Set up a second factor · Clinic workflows';
  }, []);
  return (
    <Stack component="main" maw={760} mx="auto" p={{ base: 'md', sm: 'xl' }} gap="lg">
      <Group justify="space-between">
        <Brand />
        <Button variant="default" onClick={signOut}>
          Sign out
        </Button>
      </Group>
      <div>
        <Title order={1}>Set up a second factor</Title>
        <Text c="dimmed" mt={4}>
          {clinic} requires one of everybody who signs in. Choose one of the two; your work goes on then.
        </Text>
      </div>
      <SecondFactor onSet={onSet} />
      <Passkeys onSet={onSet} />
    </Stack>
  );
}
