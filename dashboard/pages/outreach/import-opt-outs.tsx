import { Box, Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import * as api from '#api';
import { offered, useAction } from '#forms';
import { sentenceOf } from '#http';
import { IconUpload } from '#icons';
import { Section } from '#parts';
import { plural, t } from '#texts';
import { Small } from '#words';

interface Chosen {
  name: string;
  text: string;
}

/** So many refused lines are shown; the rest are counted. */
const MAX_SHOWN = 50;

/** A list of phones as CSV: what would become of each line is shown before anything is saved. */
export function ImportOptOuts() {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const forget = useRef<() => void>(null);
  const preview = useAction(api.postIntegrationsOptOutsImportMutation(), { onRefused: null });
  const take = useAction(api.postIntegrationsOptOutsImportMutation(), {
    done: ({ added, widened }) =>
      `${[
        (added > 0 || widened === 0) && plural(added, { one: '# number was added', other: '# numbers were added' }),
        widened > 0 &&
          plural(widened, {
            one: '# number that was on the list is now called about nothing at all',
            other: '# numbers that were on the list are now called about nothing at all',
          }),
      ]
        .filter(Boolean)
        .join('; ')}.`,
    onDone: () => setChosen(null),
    refresh: ['integrations'],
  });
  const read = async (file: File | null) => {
    if (!file) return;
    // The same file may be chosen again once it was corrected: a browser says nothing of what is chosen already.
    forget.current?.();
    const text = await file.text();
    setChosen({ name: file.name, text });
    preview.mutate({ body: text, query: { preview: 'true' } });
  };
  return (
    <Section
      title={t`Import a list`}
      lead={t`A CSV file whose first line names its columns: phone, and where you have them scope (all or recovery_and_reminders; without one, all) and createdAt (since when, as 2026-12-01T16:00:00Z). Nothing is saved before you have seen what would be.`}
    >
      <Stack gap="md">
        <Group>
          <FileButton accept=".csv,text/csv" resetRef={forget} onChange={(file) => void read(file)}>
            {(props) => (
              <Button
                {...props}
                {...offered(t`import, CSV`, t`Choose a CSV file`)}
                variant="default"
                leftSection={<IconUpload size={16} />}
                loading={preview.isPending}
              >
                {t`Choose a CSV file`}
              </Button>
            )}
          </FileButton>
          {chosen && <Text size="sm">{chosen.name}</Text>}
        </Group>
        <div role="status">
          {chosen && preview.error && <Text c="red">{sentenceOf(preview.error)}</Text>}
          {chosen && preview.data && (
            <Preview
              chosen={chosen}
              found={preview.data}
              isTaking={take.isPending}
              onTake={() => take.mutate({ body: chosen.text })}
              onCancel={() => setChosen(null)}
            />
          )}
        </div>
      </Stack>
    </Section>
  );
}

function Preview({
  chosen,
  found: { rows, added, widened, refused },
  isTaking,
  onTake,
  onCancel,
}: {
  chosen: Chosen;
  found: api.ImportedOptOuts;
  isTaking: boolean;
  onTake: () => void;
  onCancel: () => void;
}) {
  const lines = chosen.text.split(/\r?\n/);
  const known = rows - refused.length - added - widened;
  const changes = added + widened;
  const parts = [
    added > 0 && plural(added, { one: '# new number', other: '# new numbers' }),
    widened > 0 && t`${widened} to be called about nothing at all`,
    known > 0 && t`${known} without a change`,
    refused.length > 0 && t`${refused.length} that cannot be read`,
  ].filter((part) => part !== false);
  return (
    <Stack gap="sm">
      <Text>
        {plural(rows, { one: '# line', other: '# lines' })}
        {parts.length > 0 && `: ${parts.join(', ')}`}.
      </Text>
      {refused.length > 0 && (
        <Stack component="ul" gap="xs" m={0} pl={0} aria-label={t`Lines that cannot be read`}>
          {refused.slice(0, MAX_SHOWN).map(({ line, message }) => (
            <Box component="li" key={line} style={{ listStyle: 'none', overflowWrap: 'anywhere' }}>
              {t`Line ${line}`}: <code>{lines[line - 1]}</code>
              <Small>{message}</Small>
            </Box>
          ))}
        </Stack>
      )}
      {refused.length > MAX_SHOWN && <Text size="sm">{t`And ${refused.length - MAX_SHOWN} more.`}</Text>}
      <Group gap="sm">
        <Button onClick={onTake} loading={isTaking} disabled={changes === 0}>
          {refused.length > 0 ? t`Import ${changes} and leave the rest out` : t`Import ${changes}`}
        </Button>
        <Button variant="default" onClick={onCancel}>
          {t`Cancel`}
        </Button>
      </Group>
    </Stack>
  );
}
