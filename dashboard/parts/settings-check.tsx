import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { AdminOnly } from './admin';
import { Section } from './section';

interface Finding {
  path: string;
  message: string;
}

/** Has another system asked about settings as they are saved, and shows what came of it. */
export function SettingsCheck({
  lead,
  isSaved,
  isPending,
  onCheck,
  children,
}: {
  lead: string;
  isSaved: boolean;
  isPending: boolean;
  onCheck: () => void;
  children: ReactNode;
}) {
  return (
    <Section title={t`Check`} lead={lead}>
      <Stack gap="sm">
        <AdminOnly>
          <Button variant="default" loading={isPending} disabled={!isSaved} onClick={onCheck}>
            <Trans>Check</Trans>
          </Button>
        </AdminOnly>
        {!isSaved && (
          <Text size="sm" c="dimmed">
            <Trans>Save to check.</Trans>
          </Text>
        )}
        <div role="status">{isSaved && children}</div>
      </Stack>
    </Section>
  );
}

/** What was found, a line each; `say` puts a finding into words where its message alone does not. */
export function Findings<Found extends Finding>({
  title,
  color,
  findings,
  say = ({ message }) => message,
}: {
  title: string;
  color: string;
  findings: Found[];
  say?: (finding: Found) => string;
}) {
  return (
    <Alert color={color} title={title}>
      <List size="sm">
        {findings.map((finding) => (
          <List.Item key={`${finding.path} ${finding.message}`} style={{ overflowWrap: 'anywhere' }}>
            {say(finding)}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
