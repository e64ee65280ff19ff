import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  deletePausesByPauseIdMutation,
  getCallingPolicyPreviewOptions,
  getPausesOptions,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IconPlayerPause } from '../icons';
import { PreviewCounts } from '../parts/call-preview';
import { DayAndTime, Moment } from '../parts/moment';
import { useRefresh } from '../parts/refresh';
import { sayDone, sayFailed } from '../parts/say';
import { Loaded } from '../parts/states';
import { workflowName } from '../parts/workflow-name';
import { useIsAdmin } from './account';
import classes from './pauses.module.css';

type Pause = Api.OutreachPause;

/** Above every page: what is not called now, why, who said so and until when. */
export function Pauses() {
  const pauses = useQuery({
    ...getPausesOptions(),
    // A pause may end by itself, which nobody tells.
    refetchInterval: ({ state }) => nextLookMs(state.data?.items ?? []),
  });
  const holding = pauses.data?.items ?? [];
  if (holding.length === 0) return null;
  return (
    <Stack component="section" aria-label={t`Pauses`} gap="xs" className={classes.pauses}>
      {holding.map((pause) => (
        <PauseNotice key={pause.id} pause={pause} isAlone={holding.length === 1} />
      ))}
    </Stack>
  );
}

const nextLookMs = (pauses: Pause[]): number => {
  const endsIn = pauses.flatMap(({ until }) => (until === null ? [] : [Date.parse(until) - Date.now() + 500]));
  return Math.max(1_000, Math.min(60_000, ...endsIn));
};

function PauseNotice({ pause, isAlone }: { pause: Pause; isAlone: boolean }) {
  const isAdmin = useIsAdmin();
  const { reason, pausedByName, pausedAt, until, isForEveryClinic } = pause;
  return (
    <Alert
      role="status"
      color="yellow"
      icon={<IconPlayerPause aria-hidden />}
      title={titleOf(pause)}
      classNames={{ message: classes.message }}
    >
      <Group justify="space-between" align="flex-end" gap="xs">
        <div className={classes.words}>
          <Text size="sm">{reason}</Text>
          <Text size="sm" c="dimmed">
            <Trans>
              Paused by {pausedByName ?? t`the operator of this service`}, <Moment at={pausedAt} />.
            </Trans>{' '}
            {until === null ? (
              t`Until somebody resumes it.`
            ) : (
              <Trans>
                Until <DayAndTime at={until} />.
              </Trans>
            )}
          </Text>
        </div>
        {isAdmin && !isForEveryClinic && <Resume pause={pause} isAlone={isAlone} />}
      </Group>
    </Alert>
  );
}

const titleOf = ({ isForEveryClinic, workflowType }: Pause): string => {
  if (workflowType !== null) return t`${workflowName(workflowType)} is paused: these patients are not called`;
  return isForEveryClinic
    ? t`Outreach is paused for every clinic: nobody is called`
    : t`Outreach is paused: nobody is called`;
};

function Resume({ pause, isAlone }: { pause: Pause; isAlone: boolean }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const refresh = useRefresh('pauses', 'preview', 'cases');
  const resume = useMutation({
    ...deletePausesByPauseIdMutation(),
    onSuccess() {
      close();
      sayDone(t`Resumed. What waited goes on within the usual limits.`);
    },
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={open} aria-label={t`Resume: ${titleOf(pause)}`}>
        <Trans>Resume</Trans>
      </Button>
      <Modal opened={isOpen} onClose={close} title={t`Resume outreach?`}>
        <Stack>
          <WhatFollows pause={pause} isAlone={isAlone} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              <Trans>Leave it paused</Trans>
            </Button>
            <Button loading={resume.isPending} onClick={() => resume.mutate({ path: { pauseId: pause.id } })}>
              <Trans>Resume outreach</Trans>
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/** Who would be called once the pause is over, before it is. */
function WhatFollows({ pause: { workflowType }, isAlone }: { pause: Pause; isAlone: boolean }) {
  const query = workflowType === null ? {} : { workflowType };
  const preview = useQuery({ ...getCallingPolicyPreviewOptions({ query }), staleTime: 0 });
  return (
    <>
      <Loaded query={preview} rows={2}>
        {(data) => <PreviewCounts preview={data} isResuming />}
      </Loaded>
      {!isAlone && (
        <Text size="sm">
          <Trans>Another pause holds as well. What it is about stays paused.</Trans>
        </Text>
      )}
    </>
  );
}
