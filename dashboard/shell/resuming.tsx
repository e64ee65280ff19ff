import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { ServiceButton } from '#forms';
import { Loaded, PlainButton, workflowName } from '#parts';
import { t } from '#texts';
import { PreviewCounts } from '../pages/outreach/call-preview';

type Pause = api.OutreachPause;

export interface OnePause {
  pause: Pause;
  /** What else holds. */
  others: Pause[];
}

/** Ends a pause, after what follows from it. */
export const Resuming = ({ pause, others, onDone }: OnePause & { onDone: () => void }) => (
  <Stack>
    <WhatFollows pause={pause} others={others} />
    <Group justify="flex-end">
      <PlainButton label={t`Leave it paused`} onClick={onDone} data-autofocus />
      <ServiceButton
        variant="filled"
        does={api.deletePausesByPauseIdMutation()}
        done={t`Resumed. What waited goes on within the usual limits.`}
        onDone={onDone}
        refresh={['pauses', 'preview', 'cases']}
        request={{ path: { pauseId: pause.id } }}
        label={pause.workflowType === null ? t`Resume outreach` : t`Resume “${workflowName(pause.workflowType)}”`}
      />
    </Group>
  </Stack>
);

/** Who would be called once the pause is over, before it is. */
function WhatFollows({ pause: { id, workflowType }, others }: OnePause) {
  const query = { withoutPause: id, workflowType: workflowType ?? undefined };
  const preview = useQuery({ ...api.getCallingPolicyPreviewOptions({ query }), staleTime: 0 });
  // Of the patients that are counted, only another pause makes any wait for a pause.
  const still = new Set(
    others
      .filter((other) => other.workflowType === null || workflowType === null || other.workflowType === workflowType)
      .map(heldBy),
  );
  return (
    <>
      <Loaded query={preview} rows={2}>
        {(data) => (
          <PreviewCounts
            preview={data}
            paused={still.size > 0 ? t`Still paused: ${[...still].join(', ')}.` : undefined}
          />
        )}
      </Loaded>
      {others.length > 0 && <Text size="sm">{t`Another pause holds as well. What it is about stays paused.`}</Text>}
    </>
  );
}

const heldBy = ({ isForEveryClinic, workflowType }: Pause): string => {
  if (workflowType !== null) return workflowName(workflowType);
  return isForEveryClinic ? t`all outreach, for every clinic` : t`all outreach of the clinic`;
};
