import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { DialogButton } from '#forms';
import { Loaded } from '#parts';
import { Name, Small } from '#words';

/** Opens a section of docs/operate.md, which is English in every language, by the anchor that it has on the web. */
export const RunbookButton = ({ at, label }: { at: string; label: string }) => (
  <DialogButton label={label} title={label} dialogSize="xl">
    {() => <Runbook at={at} />}
  </DialogButton>
);

const Runbook = ({ at }: { at: string }) => (
  <Loaded query={useQuery({ ...api.getOperationsRunbookOptions(), staleTime: Infinity })} rows={6}>
    {(text) => (
      <Stack gap="sm" lang="en">
        {blocksOf(text, at).map((block) =>
          block.startsWith('|') ? (
            <Rows key={block} table={block} />
          ) : (
            <Text key={block} size="sm">
              {plain(block)}
            </Text>
          ),
        )}
      </Stack>
    )}
  </Loaded>
);

/** A table, row by row: so it can be read on a phone too. */
function Rows({ table }: { table: string }) {
  const [head = [], , ...rows] = table.split('\n').map((line) =>
    plain(line)
      .split(' | ')
      .map((cell) => cell.replaceAll('|', '').trim()),
  );
  return rows.map(([name = '', ...cells]) => (
    <div key={name}>
      <Name>{name}</Name>
      {cells.map((cell, index) => (
        <Small key={head[index + 1]}>
          {head[index + 1]}: {cell}
        </Small>
      ))}
    </div>
  ));
}

/** What stands between a heading and the next of its rank, by empty lines. */
function blocksOf(text: string, anchor: string): string[] {
  const parts = text.split(/^(#{2,3} .*)$/m);
  const at = parts.findIndex((part) => part.startsWith('#') && anchorOf(part) === anchor);
  return (parts[at + 1] ?? text).trim().split(/\n{2,}/);
}

const anchorOf = (heading: string): string =>
  heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(/[^a-z -]/g, '')
    .replaceAll(' ', '-');

/** Without the marks of Markdown. */
const plain = (markdown: string): string => markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '');
