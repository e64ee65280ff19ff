import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { DialogButton } from '#forms';
import { IconPlayerPause } from '#icons';
import { useIsNarrow } from '#lists';
import { onDemand, PauseWords, useMay, workflowName } from '#parts';
import { t } from '#texts';
import classes from './pauses.module.css';
import type { OnePause } from './resuming';

const Resuming = onDemand(async () => (await import('./resuming')).Resuming);

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
  <DialogButton label={t`Resume`} name={t`Resume: ${titleOf(pause)}`} title={questionOf(pause)} foundBy={t`pause`}>
    {(close) => <Resuming pause={pause} others={others} onDone={close} />}
  </DialogButton>
);

const questionOf = ({ workflowType }: Pause): string =>
  workflowType === null ? t`Resume outreach?` : t`Resume “${workflowName(workflowType)}”?`;
