import { Anchor, Box, Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import { IconArrowLeft } from '#icons';
import { Quiet } from '#words';
import classes from './page.module.css';
import { lastAddressOf, rememberList } from './visited';

interface PageProps {
  title: string;
  /** What part of the page is shown, for the window's title. */
  detail?: string;
  /** Beside the title. */
  beside?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  back?: { to: string; label: string };
  children: ReactNode;
}

/** A page: its heading takes the focus when the page is opened, so that a screen reader begins there. */
export function Page({ title, detail, beside, lead, actions, back, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname, search, key } = useLocation();
  const isFirst = useRef(key === 'default');
  useEffect(() => {
    document.title = [detail, title, 'Clinic workflows'].filter(Boolean).join(' · ');
  }, [title, detail]);
  useEffect(() => {
    // Not on the first page of a visit: there the browser's own start is right. Filters change the address but not the
    // page, and anyone who types into one keeps the focus, as does who opened the finder while the page was on its way.
    const isInDialog = document.activeElement?.closest('[role=dialog]');
    if (!isFirst.current && !isInDialog) heading.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [pathname]);
  useEffect(() => rememberList(pathname, search), [pathname, search]);

  return (
    <Stack gap="lg">
      <Box>
        {back && (
          <Anchor component={Link} to={lastAddressOf(back.to)} size="sm" py={4} display="inline-block">
            <Group gap={4} component="span">
              <IconArrowLeft size={15} aria-hidden />
              {back.label}
            </Group>
          </Anchor>
        )}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Box maw={720}>
            <Group gap="xs">
              <Title order={1} ref={heading} tabIndex={-1} className={classes.title}>
                {title}
              </Title>
              {beside}
            </Group>
            {lead && <Quiet mt={4}>{lead}</Quiet>}
          </Box>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
      </Box>
      {children}
    </Stack>
  );
}
