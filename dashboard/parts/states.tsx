import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Center, Group, Loader, Skeleton, Stack, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle, IconInbox, type Icon } from '../icons';
import type { ReactNode } from 'react';
import { sentenceOf, statusOf } from '../http/service';

/** What a query has come to: its data, or why there is none yet. */
interface Asked<Data> {
  data: Data | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
}

/** Shows what a query brought, and says so while it is loading or when it failed. Older data stays while it is read again. */
export function Loaded<Data>({
  query,
  children,
  rows = 4,
}: {
  query: Asked<Data>;
  children: (data: Data) => ReactNode;
  rows?: number;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading rows={rows} />;
}

export function Loading({ rows = 4 }: { rows?: number }) {
  return (
    <Stack gap="sm" p="var(--inset, 0)" role="status">
      <VisuallyHidden>
        <Trans>Loading</Trans>
      </VisuallyHidden>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={18} width={`${92 - ((index * 13) % 40)}%`} />
      ))}
    </Stack>
  );
}

export const LoadingPage = () => (
  <Center mih={320} role="status">
    <Loader aria-hidden />
    <VisuallyHidden>
      <Trans>Loading</Trans>
    </VisuallyHidden>
  </Center>
);

export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const isGone = statusOf(error) === 404;
  return (
    <Alert
      m="var(--inset, 0)"
      color={isGone ? 'gray' : 'red'}
      icon={<IconAlertTriangle aria-hidden />}
      title={isGone ? t`Not found` : t`This could not be loaded`}
      role="alert"
    >
      <Text size="sm">{sentenceOf(error)}</Text>
      {onRetry && !isGone && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={onRetry}>
            <Trans>Try again</Trans>
          </Button>
        </Group>
      )}
    </Alert>
  );
}

export function Empty({
  title,
  children,
  icon: Symbol = IconInbox,
}: {
  title: string;
  children?: ReactNode;
  icon?: Icon;
}) {
  return (
    <Center py="xl" px="md">
      <Stack align="center" gap={6} maw={440}>
        <ThemeIcon variant="light" color="gray" size={44} radius="xl">
          <Symbol size={22} aria-hidden />
        </ThemeIcon>
        <Text fw={600}>{title}</Text>
        {children && (
          <Text size="sm" c="dimmed" ta="center" component="div">
            {children}
          </Text>
        )}
      </Stack>
    </Center>
  );
}

/** Under the title of an empty list that shows a part of what there is. */
export const changeFilters = t`Change the filters or the search to see more.`;

/** Says in one line that there is nothing, inside a panel that says of what. */
export const Nothing = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
);
