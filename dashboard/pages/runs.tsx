import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  getRunsInfiniteOptions,
  postWorkflowsByWorkflowIdCancelMutation,
} from '../http/client/@tanstack/react-query.gen';
import { getRuns, getRunsCounts } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
import { byCursor } from '../http/pages';
import { IconBan } from '../icons';
import { BulkDialog } from '../parts/bulk-dialog';
import { BulkJobs } from '../parts/bulk-jobs';
import { endingWords } from '../parts/call-ending';
import { servicesSentence } from '../parts/code-words';
import { daysOf, FilterDay, Filters, FilterSelect, useFilter } from '../parts/filters';
import { ListExport } from '../parts/list-export';
import { DayAndTime, Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { nameOf } from '../parts/person';
import { type Column, RecordList } from '../parts/record-list';
import { useRefresh } from '../parts/refresh';
import { sayDone, sayFailed } from '../parts/say';
import { SavedViews } from '../parts/saved-views';
import { Panel } from '../parts/section';
import { changeFilters } from '../parts/states';
import { Simulated } from '../parts/simulated';
import { labelOf, outcomes, Status } from '../parts/status';
import { formatTotal } from '../parts/total';
import { workflowName, workflowTypes } from '../parts/workflow-name';
import { useIsAdmin } from '../shell/account';

type Run = Api.Run;

const statuses: { value: Api.WorkflowStatus; label: string }[] = [
  { value: 'started', label: t`Open` },
  { value: 'completed', label: t`Completed` },
  { value: 'cancelled', label: t`Cancelled` },
  { value: 'failed', label: t`Failed` },
];

/** Runs of every workflow type: where each stands, what comes next, and why. */
export function Runs() {
  const [given, setStatus] = useFilter('status');
  const [about, setType] = useFilter('type');
  const [ended, setOutcome] = useFilter('outcome');
  const [from, setFrom] = useFilter('from');
  const [until, setUntil] = useFilter('until');
  const [isCancelling, setIsCancelling] = useState(false);
  const isAdmin = useIsAdmin();
  const status = statuses.find(({ value }) => value === given)?.value;
  const workflowType = workflowTypes.find(({ value }) => value === about)?.value;
  const outcome = outcomes.find((known) => known === ended);
  const span = daysOf(from, until);
  const query = { status, workflowType, outcome, ...span };
  const pages = useInfiniteQuery({
    ...getRunsInfiniteOptions({ query: { ...query, total: 'true', limit: 50 } }),
    ...byCursor,
  });
  const countOf = useCounts(span);
  return (
    <Page
      title={t`Runs`}
      lead={t`Every workflow of every type: where it stands, what it does next, and why.`}
      actions={
        <>
          <ListExport
            name="runs"
            read={(page) => getRuns({ query: { ...query, ...page }, throwOnError: true })}
            columns={exported}
          />
          {isAdmin && (
            <Button
              variant="default"
              leftSection={<IconBan size={16} aria-hidden />}
              onClick={() => setIsCancelling(true)}
            >
              <Trans>Cancel many …</Trans>
            </Button>
          )}
        </>
      }
    >
      <BulkJobs kind="cancel_runs" />
      <Panel>
        <SavedViews list="runs" />
        <Filters>
          <FilterSelect
            label={t`Status`}
            any={t`Any${countOf({ workflowType })}`}
            options={statuses.map(({ value, label }) => ({
              value,
              label: `${label}${countOf({ status: value, workflowType })}`,
            }))}
            value={status}
            onChange={setStatus}
            width={180}
          />
          <FilterSelect
            label={t`About`}
            any={t`Anything${countOf({ status })}`}
            options={workflowTypes.map(({ value, label }) => ({
              value,
              label: `${label}${countOf({ status, workflowType: value })}`,
            }))}
            value={workflowType}
            onChange={setType}
            width={260}
          />
          <FilterSelect
            label={t`Outcome`}
            any={t`Any`}
            options={outcomes.map((value) => ({ value, label: labelOf(value) }))}
            value={outcome}
            onChange={setOutcome}
          />
          <FilterDay label={t`From`} value={from} onChange={setFrom} />
          <FilterDay label={t`Until`} value={until} onChange={setUntil} />
        </Filters>
        <RecordList
          label={t`Runs`}
          pages={pages}
          columns={columns}
          keyOf={({ workflowId }) => workflowId}
          to={placeOf}
          empty={
            status || workflowType || outcome || from || until
              ? { title: t`No run matches`, text: changeFilters }
              : { title: t`No run yet`, text: t`An event of your platform or a start over the API opens one.` }
          }
        />
      </Panel>
      {isCancelling && (
        <BulkDialog
          kind="cancel_runs"
          workflowType={workflowType ?? null}
          from={from ?? null}
          until={until ?? null}
          onClose={() => setIsCancelling(false)}
        />
      )}
    </Page>
  );
}

/** Counted again every so often, and not with every change: there may be thousands. */
function useCounts(span: { from?: string; until?: string }) {
  const { data } = useQuery({
    queryKey: ['counts of runs', span],
    queryFn: async ({ signal }) => (await getRunsCounts({ query: span, signal, throwOnError: true })).data,
    refetchInterval: 15_000,
  });
  return ({ status, workflowType }: { status?: string; workflowType?: string }): string => {
    if (!data) return '';
    const counted = data.counts.filter(
      (each) =>
        (status === undefined || each.status === status) &&
        (workflowType === undefined || each.workflowType === workflowType),
    );
    const count = counted.reduce((sum, each) => sum + each.count, 0);
    const isCut = data.cut.some((each) => status === undefined || each === status);
    return ` (${formatTotal({ count, isMore: isCut })})`;
  };
}

/** Its case where it has one; else its patient. */
const placeOf = ({ recoveryCaseId, patient }: Run): string =>
  recoveryCaseId ? `/cases/${recoveryCaseId}` : patient ? `/patients/${patient.id}` : '/runs';

const exported: Record<string, (row: Run) => string | number | null> = {
  workflow: ({ workflowId }) => workflowId,
  type: ({ workflowType }) => workflowType,
  session: ({ sessionId }) => sessionId,
  patient: ({ patient }) => patient && nameOf(patient),
  status: ({ status }) => status,
  outcome: ({ outcome }) => outcome,
  attempts: ({ attempts }) => attempts,
  next: ({ next }) => next && next.step,
  'next at': ({ next }) => next && next.at,
  why: (run) => run.next?.why ?? whyEnded(run),
  started: ({ startedAt }) => startedAt,
  ended: ({ completedAt }) => completedAt,
};

const columns: Column<Run>[] = [
  { head: t`Patient`, cell: ({ patient }) => (patient ? nameOf(patient) : t`Nobody known yet`) },
  { head: t`About`, cell: ({ workflowType }) => workflowName(workflowType) },
  {
    head: t`Status`,
    cell: (run) => (
      <Group gap={6}>
        {run.outcome && run.status === 'completed' ? (
          <Status state={run.outcome} />
        ) : (
          <Status state={run.status} label={run.status === 'started' ? t`Open` : undefined} />
        )}
        <Simulated of={run} />
      </Group>
    ),
  },
  { head: t`Next step, and why`, cell: (run) => <NextOrWhy run={run} />, isLong: true },
  { head: t`Attempts`, cell: ({ attempts }) => attempts, isWideOnly: true },
  { head: t`Started`, cell: ({ startedAt }) => <Moment at={startedAt} /> },
  { head: t`Actions`, cell: (run) => <Actions run={run} />, isActions: true },
];

const steps: Record<Api.NextStep['step'], string> = {
  start: t`Starts`,
  decide: t`Decides`,
  wait: t({ message: 'Calls', context: 'what a run does next' }),
  line: t`Waits for a line`,
  call: t`In a call`,
};

/** What an open run does next; of one that has ended, how it came to that. */
function NextOrWhy({ run }: { run: Run }) {
  const { next } = run;
  if (!next) return <Text size="sm">{whyEnded(run)}</Text>;
  return (
    <div>
      <Text size="sm" fw={500}>
        {steps[next.step]}
        {next.at && next.step === 'wait' && (
          <>
            {' '}
            <DayAndTime at={next.at} />
          </>
        )}
        {next.at && next.step === 'line' && (
          <Trans>
            , due <Moment at={next.at} />
          </Trans>
        )}
      </Text>
      <Text size="xs" c="dimmed">
        {next.why && servicesSentence(next.why)}
      </Text>
    </div>
  );
}

function whyEnded({ status, outcome, cancelledBy, lastDecision, lastCall }: Run): string {
  if (status === 'cancelled') return cancelledBy ? t`Cancelled by ${cancelledBy}.` : t`Cancelled.`;
  const last = lastCall && endingWords(lastCall);
  if (lastDecision?.decided === 'no_call') return servicesSentence(lastDecision.why);
  if (last) return t`Last call: ${last.charAt(0).toLowerCase()}${last.slice(1)}.`;
  return outcome ? t`${labelOf(outcome)}, without a call.` : '–';
}

function Actions({ run: { workflowId, status, temporalUrl } }: { run: Run }) {
  const refresh = useRefresh('runs', 'cases');
  const cancel = useMutation({
    ...postWorkflowsByWorkflowIdCancelMutation(),
    onSuccess: () => sayDone(t`The run is cancelled. It ended as Follow-up required.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: t`Cancel this run?`,
      children: (
        <Text size="sm">
          <Trans>
            No further call is made. It ends as “Follow-up required”, your outbound URL is told so, and a task is opened
            for staff. This cannot be undone.
          </Trans>
        </Text>
      ),
      labels: { confirm: t`Cancel the run`, cancel: t`Keep it going` },
      confirmProps: { color: 'red' },
      onConfirm: () => cancel.mutate({ path: { workflowId } }),
    });
  return (
    <Group gap="xs" wrap="nowrap">
      {status === 'started' && (
        <Button size="compact-sm" variant="default" loading={cancel.isPending} onClick={ask}>
          <Trans>Cancel</Trans>
        </Button>
      )}
      <Anchor href={temporalUrl} target="_blank" rel="noreferrer" size="sm">
        <Trans>Temporal</Trans>
      </Anchor>
    </Group>
  );
}
