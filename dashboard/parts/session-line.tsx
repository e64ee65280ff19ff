import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Box, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type * as Api from '../http/client/types.gen';
import { Moment } from './moment';

/** An open session: where it is, and when a person last used it. */
export function SessionLine({ session, action }: { session: Api.AccountSession; action?: ReactNode }) {
  const { isCurrent, createdAt, usedAt, address, userAgent } = session;
  return (
    <Group justify="space-between" wrap="nowrap">
      <Box miw={0} flex={1}>
        <Group gap={6}>
          <Text size="sm" fw={500}>
            {browserOf(userAgent)}
          </Text>
          {isCurrent && (
            <Badge size="sm" variant="outline" color="gray">
              <Trans>This one</Trans>
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" component="div">
          <Trans>
            {address ?? t`address unknown`} · used <Moment at={usedAt} /> · signed in <Moment at={createdAt} />
          </Trans>
        </Text>
      </Box>
      {action}
    </Group>
  );
}

/** Enough to recognise one's own: `Chrome on Windows`. */
export function browserOf(userAgent: string | null): string {
  if (!userAgent) return t`A program`;
  const name = ['Firefox', 'Edg', 'Chrome', 'Safari'].find((each) => userAgent.includes(`${each}/`));
  const system = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'].find((each) => userAgent.includes(each));
  if (!name) return userAgent.slice(0, 60);
  const browser = name === 'Edg' ? 'Edge' : name;
  return system ? t`${browser} on ${system}` : browser;
}
