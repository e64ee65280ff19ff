import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock, CopyButton } from './copy';

export interface ShownSecret {
  title: string;
  what: string;
  secret: string;
  /** How it is used, as something to paste into a shell. */
  example?: string;
  note?: ReactNode;
}

/** A secret, shown once: closed by a button only, so that a slip of the finger does not lose it. */
export function SecretDialog({ shown, onClose }: { shown: ShownSecret | null; onClose: () => void }) {
  return (
    <Modal
      opened={shown !== null}
      onClose={onClose}
      title={shown?.title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {shown && (
        <Stack>
          <Alert color="yellow">
            <Trans>Copy it now: it is shown this once and cannot be read back.</Trans>
          </Alert>
          <CodeBlock text={shown.secret} what={shown.what} wraps />
          {shown.note && (
            <Text size="sm" component="div">
              {shown.note}
            </Text>
          )}
          {shown.example && <CodeBlock text={shown.example} what={t`the example`} />}
          <Group justify="flex-end">
            <CopyButton value={shown.secret} label={t`Copy`} />
            <Button onClick={onClose}>
              <Trans>I have stored it</Trans>
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
