import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
    document.title = t`Set up a second factor · Clinic workflows`;
  }, []);
  return (
    <Stack component="main" maw={760} mx="auto" p={{ base: 'md', sm: 'xl' }} gap="lg">
      <Group justify="space-between">
        <Brand />
        <Button variant="default" onClick={signOut}>
          <Trans>Sign out</Trans>
        </Button>
      </Group>
      <div>
        <Title order={1}>
          <Trans>Set up a second factor</Trans>
        </Title>
        <Text c="dimmed" mt={4}>
          <Trans>{clinic} requires one of everybody who signs in. Choose one of the two; your work goes on then.</Trans>
        </Text>
      </div>
      <SecondFactor onSet={onSet} />
      <Passkeys onSet={onSet} />
    </Stack>
  );
}
