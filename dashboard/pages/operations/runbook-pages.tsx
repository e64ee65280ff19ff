import { Anchor, Code, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createContext, Fragment, type ReactNode, useContext, useState } from 'react';
import * as api from '#api';
import { CodeBlock, Loaded, PlainButton } from '#parts';
import { t } from '#texts';
import { Name, OutsideLink, Small } from '#words';

/** A section of a page of docs/, by the anchor that it has on the web; the whole page without one. */
interface Place {
  page: string;
  anchor?: string;
}

/** What marks inside a text need: where links lead, and whose id stands in commands. */
const Reading = createContext<{ page: string; clinicId?: string; open: (place: Place) => void }>({
  page: '',
  open() {},
});

/** The runbook from one of its sections on; its links open what they lead to here. */
export function Runbook({ at, clinicId }: { at: string; clinicId?: string }) {
  const [places, setPlaces] = useState<Place[]>([{ page: 'operate', anchor: at }]);
  const { page, anchor } = places.at(-1) ?? { page: 'operate' };
  const text = useQuery({ ...api.getOperationsRunbookOptions({ query: { page } }), staleTime: Infinity });
  const isFirst = places.length === 1;
  return (
    <Reading value={{ page, clinicId, open: (place) => setPlaces([...places, place]) }}>
      <Stack gap="sm">
        {!isFirst && (
          <div>
            <PlainButton label={t`Back`} size="xs" onClick={() => setPlaces(places.slice(0, -1))} />
          </div>
        )}
        <Loaded query={text} rows={6}>
          {(markdown) => (
            <Stack gap="sm" lang="en">
              {blocksOf(sectionOf(markdown, anchor)).map((block, index) =>
                // The dialog has the first one's name already.
                isFirst && index === 0 ? null : <Block key={`${index}`} text={block} />,
              )}
            </Stack>
          )}
        </Loaded>
      </Stack>
    </Reading>
  );
}

/** A heading and what belongs to it, smaller headings included. */
function sectionOf(markdown: string, anchor: string | undefined): string {
  const lines = markdown.split('\n');
  const from = lines.findIndex((line) => rankOf(line) > 0 && anchorOf(line) === anchor);
  if (from === -1) return markdown;
  const length = lines.slice(from + 1).findIndex((line) => rankOf(line) > 0 && rankOf(line) <= rankOf(lines[from]));
  return lines.slice(from, length === -1 ? undefined : from + 1 + length).join('\n');
}

/** How high a heading stands: 1 for the page's own; 0 for what is none. */
const rankOf = (line = '') => /^(#+) /.exec(line)?.[1]?.length ?? 0;

const anchorOf = (heading: string): string =>
  heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

/** By empty lines, but for those within a fence. */
const blocksOf = (markdown: string): string[] =>
  markdown
    .split(/^(```.*\n[^]*?\n```)$/m)
    .flatMap((part) => (part.startsWith('```') ? [part] : part.split(/\n{2,}/)))
    .filter((block) => block.trim() !== '')
    .map((block) => block.trim());

function Block({ text }: { text: string }) {
  const { clinicId } = useContext(Reading);
  if (text.startsWith('```')) {
    const code = text.split('\n').slice(1, -1).join('\n');
    return <CodeBlock text={withClinic(code, clinicId)} what={t`the command`} wraps />;
  }
  if (text.startsWith('|')) return <Rows table={text} />;
  if (rankOf(text) > 0) {
    return (
      <Title order={3} fz="md">
        <Marked text={text.replace(/^#+ /, '')} />
      </Title>
    );
  }
  const items = text.split(/^(?:- |\d+\. )/m);
  if (items[0] === '') {
    return (
      <List size="sm" type={text.startsWith('-') ? 'unordered' : 'ordered'}>
        {items.slice(1).map((item) => (
          <List.Item key={item}>
            <Marked text={item} />
          </List.Item>
        ))}
      </List>
    );
  }
  return (
    <Text size="sm">
      <Marked text={text} />
    </Text>
  );
}

/** A table, row by row: so it can be read on a phone too. */
function Rows({ table }: { table: string }) {
  const [head = [], , ...rows] = table.split('\n').map((line) =>
    line
      .replaceAll(/^\||\|$/g, '')
      .split(' | ')
      .map((cell) => cell.trim()),
  );
  return rows.map(([name = '', ...cells]) => (
    <div key={name}>
      <Name>
        <Marked text={name} />
      </Name>
      {cells.map((cell, index) => (
        <Small key={head[index + 1]}>
          {head[index + 1]}: <Marked text={cell} />
        </Small>
      ))}
    </div>
  ));
}

const mark = /`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)|\*\*([^*]+)\*\*|(?<!\w)_([^_]+)_(?!\w)/g;

/** The marks of Markdown that stand within a line: code, links, bold and italic. */
function Marked({ text }: { text: string }): ReactNode {
  const { clinicId } = useContext(Reading);
  const shown: ReactNode[] = [];
  let from = 0;
  for (const { 0: whole, 1: code, 2: label, 3: target, 4: bold, 5: italic, index } of text.matchAll(mark)) {
    shown.push(text.slice(from, index));
    if (code !== undefined) shown.push(<Code>{withClinic(code, clinicId)}</Code>);
    if (label !== undefined && target !== undefined) shown.push(<DocumentLink label={label} target={target} />);
    if (bold !== undefined) shown.push(<strong>{bold}</strong>);
    if (italic !== undefined) shown.push(<em>{italic}</em>);
    from = index + whole.length;
  }
  shown.push(text.slice(from));
  return shown.map((part, index) => <Fragment key={`${index}`}>{part}</Fragment>);
}

/** `ID` stands for the clinic's in every command of the docs. */
const withClinic = (command: string, clinicId: string | undefined): string =>
  clinicId === undefined ? command : command.replaceAll('--clinic ID', `--clinic ${clinicId}`);

function DocumentLink({ label, target }: { label: string; target: string }) {
  const { page: here, open } = useContext(Reading);
  if (/^https?:/.test(target)) {
    return (
      <OutsideLink href={target} inherit underline="always">
        {label}
      </OutsideLink>
    );
  }
  const [found, page = here, anchor] = /^(?:([a-z-]+)\.md)?(?:#(.+))?$/.exec(target) ?? [];
  // A file that no deployment has.
  if (found === undefined) return <Marked text={label} />;
  return (
    <Anchor component="button" type="button" inherit underline="always" onClick={() => open({ page, anchor })}>
      <Marked text={label} />
    </Anchor>
  );
}
