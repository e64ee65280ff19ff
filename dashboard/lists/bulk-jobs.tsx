import { Alert, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { ServiceButton } from '#forms';
import { useMay } from '#parts';
import { t, Trans } from '#texts';
import { Moment } from '#words';
import { locale } from '../language';
import { useFurtherEndpoints } from '../pages/events/endpoint-names';

type Job = api.BulkJob;

/** What has ended is shown for so long. */
const SHOWN_MS = 60 * 60_000;

/** The jobs of a kind that go on, or have just ended: how far each is, and what it waits for. */
export function BulkJobs({ kind }: { kind: Job['kind'] }) {
  const jobs = useQuery({ ...api.getBulkJobsOptions({ query: { limit: 5 } }), staleTime: 2_000 });
  const isShown = ({ endedAt, ...job }: Job) =>
    job.kind === kind && (endedAt === null || Date.parse(endedAt) > Date.now() - SHOWN_MS);
  const [newest] = jobs.data?.items.filter(isShown) ?? [];
  return newest ? <Handle job={newest} /> : null;
}

function Handle({ job }: { job: Job }) {
  const mayOperate = useMay()('operations');
  const { state, total, done, skipped, failed } = job;
  const endpoint = useFurtherEndpoints().find(({ id }) => id === job.endpointId);
  const over = done + skipped + failed;
  const isRunning = state === 'RUNNING';
  return (
    <Alert
      role="status"
      color={isRunning ? (job.waitsFor ? 'yellow' : 'pine') : failed > 0 ? 'yellow' : 'gray'}
      title={titleOf(job, endpoint?.name)}
    >
      <Stack gap="xs">
        <Progress value={total === 0 ? 100 : (100 * over) / total} size="md" aria-label={t`Progress`} />
        <Group justify="space-between" align="flex-start" gap="xs">
          <Text size="sm">
            <Trans>
              {over.toLocaleString(locale)} of {total.toLocaleString(locale)}
              {skipped > 0 && t`, ${skipped.toLocaleString(locale)} of them did not need it any more`}
              {failed > 0 && t`, ${failed.toLocaleString(locale)} could not be done`}. Asked for by {job.requestedBy},{' '}
              <Moment at={job.createdAt} />
            </Trans>
            {job.endedAt && (
              <Trans>
                , ended <Moment at={job.endedAt} />
              </Trans>
            )}
            .{isRunning && job.waitsFor && ` ${waits[job.waitsFor]}`}
            {isRunning && !job.waitsFor && job.kind === 'resend_deliveries' && t` Now up to ${job.pace} a second.`}
          </Text>
          {isRunning && mayOperate && (
            <ServiceButton
              size="xs"
              does={api.postBulkJobsByJobIdStopMutation()}
              done={t`Stopped. What was done stays.`}
              refresh={['bulk']}
              request={{ path: { jobId: job.id } }}
              label={t`Stop`}
            />
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

const titles: Record<Job['kind'], Record<Job['state'], string>> = {
  cancel_runs: {
    RUNNING: t`Runs are being cancelled`,
    DONE: t`Runs were cancelled`,
    STOPPED: t`Cancelling was stopped`,
  },
  resend_deliveries: {
    RUNNING: t`Failed events are being sent again`,
    DONE: t`Failed events were sent again`,
    STOPPED: t`Sending again was stopped`,
  },
};

const replayTitles: Record<Job['state'], string> = {
  RUNNING: t`Events are being sent again`,
  DONE: t`Events were sent again`,
  STOPPED: t`Sending again was stopped`,
};

function titleOf({ kind, state, isReplay }: Job, endpoint: string | undefined): string {
  const title = (isReplay ? replayTitles : titles[kind])[state];
  return endpoint === undefined ? title : `${title} (${endpoint})`;
}

const waits: Record<NonNullable<Job['waitsFor']>, string> = {
  receiver: t`Your endpoint fails: one at a time is tried until it answers.`,
  endpoint: t`It waits until an endpoint is registered and switched on.`,
  workflows: t`Some did not answer yet and are asked again.`,
};
