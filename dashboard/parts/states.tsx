import { Alert, Center, Group, Loader, Skeleton, Stack, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { sentenceOf, statusOf } from '#http';
import { type Icon, IconAlertTriangle, IconInbox } from '#icons';
import { t } from '#texts';
import { PlainButton } from './plain-button';

/** What a query has come to: its data, or why there is none yet. */
export interface Asked<Data> {
  data: Data | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
}

interface LoadedProps<Data> {
  query: Asked<Data>;
  children: (data: Data) => ReactNode;
  rows?: number;
}

/** What a query brought, also where it could not be read again; nothing of what is gone since, as somebody who was erased. */
export const broughtBy = <Data,>({ data, error }: Pick<Asked<Data>, 'data' | 'error'>): Data | undefined =>
  statusOf(error) === 404 ? undefined : data;

/** Shows what a query brought, and says so while it is loading or when it failed. */
export function Loaded<Data>({ query, children, rows = 4 }: LoadedProps<Data>) {
  const data = broughtBy(query);
  if (data !== undefined) return children(data);
  if (query.error) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading rows={rows} />;
}

export function Loading({ rows = 4 }: { rows?: number }) {
  const { online } = useNetwork();
  if (!online) {
    return (
      <Text size="sm" c="dimmed" p="var(--inset, 0)" role="status">
        {t`There is no connection. This is read once there is one.`}
      </Text>
    );
  }
  return (
    <Stack gap="sm" p="var(--inset, 0)" role="status">
      <VisuallyHidden>{t`Loading`}</VisuallyHidden>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={18} width={`${92 - ((index * 13) % 40)}%`} />
      ))}
    </Stack>
  );
}

export const LoadingPage = () => (
  <Center mih={320} role="status">
    <Loader aria-hidden />
    <VisuallyHidden>{t`Loading`}</VisuallyHidden>
  </Center>
);

export function Problem({ title, error, onRetry }: { title?: string; error: unknown; onRetry?: () => void }) {
  const isGone = statusOf(error) === 404;
  return (
    <Alert
      m="var(--inset, 0)"
      color={isGone ? 'gray' : 'red'}
      icon={<IconAlertTriangle aria-hidden />}
      title={title ?? (isGone ? t`Not found` : t`This could not be loaded`)}
      role="alert"
    >
      <Text size="sm">{sentenceOf(error)}</Text>
      {onRetry && !isGone && (
        <Group mt="sm">
          <PlainButton label={t`Try again`} size="xs" onClick={onRetry} />
        </Group>
      )}
    </Alert>
  );
}

interface EmptyProps {
  title: string;
  children?: ReactNode;
  icon?: Icon;
}

export const Empty = ({ title, children, icon: Symbol = IconInbox }: EmptyProps) => (
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

/** Under the title of an empty list that shows a part of what there is. */
export const changeFilters = t`Change the filters or the search to see more.`;
