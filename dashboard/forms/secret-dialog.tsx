import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';
import { CodeBlock, CopyButton } from '#parts';
import { t } from '#texts';

interface ShownSecret {
  title: string;
  what: string;
  secret: string;
  /** How it is used, as something to paste into a shell. */
  example?: string;
  note?: ReactNode;
}

/** Shows a secret once: closed by a button only, so that a slip of the finger does not lose it. */
export function showSecret({ title, what, secret, example, note }: ShownSecret): void {
  const id = modals.open({
    title,
    size: 'lg',
    closeOnClickOutside: false,
    closeOnEscape: false,
    // Within the stack of dialogs the library lets Escape close the uppermost, whatever it says itself.
    stackId: undefined,
    withCloseButton: false,
    children: (
      <Stack>
        <Alert color="yellow">{t`Copy it now: it is shown this once and cannot be read back.`}</Alert>
        <CodeBlock text={secret} what={what} wraps />
        {note && (
          <Text size="sm" component="div">
            {note}
          </Text>
        )}
        {example && <CodeBlock text={example} what={t`the example`} />}
        <Group justify="flex-end">
          <CopyButton value={secret} label={t`Copy`} />
          <Button onClick={() => modals.close(id)}>{t`I have stored it`}</Button>
        </Group>
      </Stack>
    ),
  });
}
