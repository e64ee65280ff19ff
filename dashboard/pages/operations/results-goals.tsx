import { Group } from '@mantine/core';
import type * as api from '#api';
import { useMay } from '#parts';
import { t } from '#texts';
import { formatPercent, PageLink, Quiet } from '#words';
import { percent, recoveriesDue } from './results-measures';

/** What was reached of what the clinic wants to reach, and where that is set. */
export function Goals({ results }: { results: api.Results }) {
  const may = useMay();
  const { current, targets } = results;
  const due = recoveriesDue(results);
  const isSet = due !== null || targets.recoveryRate !== null;
  return (
    <Group gap="sm">
      {targets.recoveryRate !== null && (
        <Quiet>{t`Recovery rate: ${percent(current.recoveryRate)}, goal ${formatPercent(targets.recoveryRate)}`}</Quiet>
      )}
      {due !== null && (
        <Quiet>
          {due === targets.recoveries
            ? t`Recovered: ${current.recovered} of ${due}`
            : t`Recovered: ${current.recovered} of ${due} (${targets.recoveries ?? 0} a month)`}
        </Quiet>
      )}
      {may('settings') && (
        <PageLink to="/clinic/results" size="sm">
          {isSet ? t`Change the goal` : t`Set a goal`}
        </PageLink>
      )}
    </Group>
  );
}
