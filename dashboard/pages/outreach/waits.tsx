import { Stack, Text } from '@mantine/core';
import type * as api from '#api';
import { plural, t } from '#texts';
import { Moment } from '#words';
import classes from './case-timeline.module.css';
import { Why } from './why-called';

/** Entries that stand next to each other and are waits of one workflow are one line; any other is a line of its own. */
export function foldWaits<Entry>(entries: Entry[], workflowOf: (entry: Entry) => string | null): Entry[][] {
  const lines: Entry[][] = [];
  for (const entry of entries) {
    const [before] = lines.at(-1) ?? [];
    const workflow = workflowOf(entry);
    if (before !== undefined && workflow !== null && workflow === workflowOf(before)) lines.at(-1)?.push(entry);
    else lines.push([entry]);
  }
  return lines;
}

/** The title of a line of waits: how many there were. */
export const countedWaits = (title: string, count: number): string =>
  count === 1 ? title : t`${title}, ${count} times`;

/** The waits before the one that is shown, unfolded one by one. */
export const EarlierWaits = ({ decisions }: { decisions: api.CallDecision[] }) =>
  decisions.length > 0 && (
    <details className={classes.folded}>
      <summary>{plural(decisions.length, { one: 'One wait before it', other: '# waits before it' })}</summary>
      <Stack component="ul" gap={2} m={0} pl="md">
        {decisions.map((decision) => (
          <Text component="li" size="sm" key={`${decision.at}-${decision.rule}`}>
            <Moment at={decision.at} near={false} />: <Why decision={decision} />
          </Text>
        ))}
      </Stack>
    </details>
  );
