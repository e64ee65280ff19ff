import { Alert, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import * as api from '#api';
import { Dialog, useAction } from '#forms';
import { CodeBlock } from '#parts';
import { t, Trans } from '#texts';
import { outboundError } from '../events/outbound-errors';
import type { Action } from './approved-api-values';

interface TryActionProps {
  action: Action;
  permitted: { method: string; path: string };
  onClose: () => void;
}

const empty = '{}';

/** Calls a permitted action once, as a workflow would, and shows what was answered. */
export function TryAction({ action, permitted, onClose }: TryActionProps) {
  const names = [...new Set([...permitted.path.matchAll(/\{([A-Za-z]+)\}/g)].map(([, name = '']) => name))];
  const hasBody = permitted.method !== 'GET' && permitted.method !== 'DELETE';
  const [params, setParams] = useState<Record<string, string>>({});
  const [body, setBody] = useState(empty);
  const [problem, setProblem] = useState<string | null>(null);
  const isDirty = () => body !== empty || Object.values(params).some((value) => value !== '');
  const run = useAction(api.postIntegrationsApprovedApiTryMutation());
  const start = () => {
    const parsed = hasBody ? parseObject(body) : undefined;
    setProblem(parsed === null ? t`This is not a JSON object` : null);
    if (parsed !== null) run.mutate({ body: { action, params, body: parsed } });
  };
  return (
    <Dialog opened onClose={onClose} title={t`Try ${action}`} size="lg" isDirty={isDirty}>
      <Stack>
        <Text size="sm">
          <Trans>
            <code>
              {permitted.method} {permitted.path}
            </code>{' '}
            is called once, for real, with the settings that are saved.
          </Trans>
        </Text>
        {names.map((name) => (
          <TextInput
            key={name}
            label={name}
            value={params[name] ?? ''}
            onChange={({ currentTarget }) => setParams({ ...params, [name]: currentTarget.value })}
          />
        ))}
        {hasBody && (
          <Textarea
            label={t`Body, as JSON`}
            autosize
            minRows={3}
            maxRows={12}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            value={body}
            error={problem}
            onChange={({ currentTarget }) => setBody(currentTarget.value)}
          />
        )}
        <Group justify="flex-end">
          <Button onClick={start} loading={run.isPending}>
            {t`Send the request`}
          </Button>
        </Group>
        {run.data && <Result tried={run.data} />}
      </Stack>
    </Dialog>
  );
}

function Result({ tried }: { tried: api.TriedAction }) {
  const words: Record<typeof tried.result, string> = {
    answered: t`It answered ${tried.status ?? ''}.`,
    refused: t`It refused: ${tried.said ?? ''}.`,
    unavailable: tried.said ?? `${outboundError(tried.error ?? 'network')}.`,
    unusable: t`The path cannot be filled in: ${tried.error ?? t`unknown`}.`,
  };
  return (
    <Stack gap="xs" role="status">
      <Alert color={tried.result === 'answered' ? 'green' : 'red'}>{words[tried.result]}</Alert>
      {tried.body !== null && tried.body !== undefined && (
        <CodeBlock what={t`the response`} text={JSON.stringify(tried.body, null, 2)} />
      )}
    </Stack>
  );
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
