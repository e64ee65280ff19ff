import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { DialogButton, ServiceButton } from '#forms';
import { IconPlayerPause } from '#icons';
import { useIsNarrow } from '#lists';
import { Loaded, PauseWords, PlainButton, useMay, workflowName } from '#parts';
import { t } from '#texts';
import { PreviewCounts } from '../pages/outreach/call-preview';
import classes from './pauses.module.css';

type Pause = api.OutreachPause;

/** Above every page: what is not called now, why, who said so and until when. */
export function Pauses() {
  const pauses = useQuery({
    ...api.getPausesOptions(),
    // A pause may end by itself, which nobody tells.
    refetchInterval: ({ state }) => nextLookMs(state.data?.items ?? []),
  });
  const holding = pauses.data?.items ?? [];
  if (holding.length === 0) return null;
  return (
    <Stack component="section" aria-label={t`Pauses`} gap="xs" className={classes.pauses} data-screen>
      {holding.map((pause) => (
        <PauseNotice key={pause.id} pause={pause} others={holding.filter(({ id }) => id !== pause.id)} />
      ))}
    </Stack>
  );
}

const nextLookMs = (pauses: Pause[]): number => {
  const endsIn = pauses.flatMap(({ until }) => (until === null ? [] : [Date.parse(until) - Date.now() + 500]));
  return Math.max(1_000, Math.min(60_000, ...endsIn));
};

interface OnePause {
  pause: Pause;
  /** What else holds. */
  others: Pause[];
}

function PauseNotice({ pause, others }: OnePause) {
  const mayOperate = useMay()('operations');
  const isNarrow = useIsNarrow();
  const { reason, pausedByName, pausedAt, until, isForEveryClinic } = pause;
  const words = (
    <Group justify="space-between" align="flex-end" gap="xs">
      <Group className={classes.words} gap={0}>
        <Text size="sm">{reason}</Text>
        <PauseWords by={pausedByName ?? t`the operator of this service`} pausedAt={pausedAt} until={until} />
      </Group>
      {mayOperate && !isForEveryClinic && <Resume pause={pause} others={others} />}
    </Group>
  );
  return (
    <Alert
      role="status"
      color="yellow"
      icon={<IconPlayerPause aria-hidden />}
      title={titleOf(pause)}
      py="xs"
      classNames={{ body: classes.body, message: classes.message }}
    >
      {isNarrow ? (
        <details>
          <summary>{t`Why and since when`}</summary>
          {words}
        </details>
      ) : (
        words
      )}
    </Alert>
  );
}

const titleOf = ({ isForEveryClinic, workflowType }: Pause): string => {
  if (workflowType !== null) return t`${workflowName(workflowType)} is paused: these patients are not called`;
  return isForEveryClinic
    ? t`Outreach is paused for every clinic: nobody is called`
    : t`Outreach is paused: nobody is called`;
};

const Resume = ({ pause, others }: OnePause) => (
  <DialogButton label={t`Resume`} name={t`Resume: ${titleOf(pause)}`} title={questionOf(pause)}>
    {(close) => <Resuming pause={pause} others={others} onDone={close} />}
  </DialogButton>
);

const questionOf = ({ workflowType }: Pause): string =>
  workflowType === null ? t`Resume outreach?` : t`Resume “${workflowName(workflowType)}”?`;

const Resuming = ({ pause, others, onDone }: OnePause & { onDone: () => void }) => (
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
