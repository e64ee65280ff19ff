import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { PlainButton } from '#parts';
import { t } from '#texts';
import { Brand } from '../../shell/brand';
import { Passkeys } from './passkeys';
import { SecondFactor } from './second-factor';

interface SetUpSecondFactorProps {
  clinic: string;
  signOut: () => void;
  onSet: () => void;
}

/** All that an account without a second factor sees where its clinic requires one. */
export function SetUpSecondFactor({ clinic, signOut, onSet }: SetUpSecondFactorProps): ReactNode {
  useEffect(() => {
    document.title = t`Set up a second factor · Clinic workflows`;
  }, []);
  return (
    <Stack component="main" maw={760} mx="auto" p={{ base: 'md', sm: 'xl' }} gap="lg">
      <Group justify="space-between">
        <Brand />
        <PlainButton label={t`Sign out`} onClick={signOut} />
      </Group>
      <div>
        <Title order={1}>{t`Set up a second factor`}</Title>
        <Text c="dimmed" mt={4}>
          {t`${clinic} requires one of everybody who signs in. Choose one of the two; your work goes on then.`}
        </Text>
      </div>
      <SecondFactor onSet={onSet} />
      <Passkeys onSet={onSet} />
    </Stack>
  );
}
