import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { ServiceButton } from '#forms';
import { IconBan } from '#icons';
import { type Column, daysOf, formatTotal, ListPage, OneLine, useFilters } from '#lists';
import { labelOf, outcomes, PlainButton, Simulated, Status, useMay, workflowName, workflowTypes } from '#parts';
import { t, Trans } from '#texts';
import { DayAndTime, Moment, Name, nameOf, OutsideLink, Small } from '#words';
import { BulkDialog } from '../../lists/bulk-dialog';
import { BulkJobs } from '../../lists/bulk-jobs';
import { endingWords } from './call-ending';
import { callRules } from './call-rules';

type Run = api.Run;

const statuses: { value: api.WorkflowStatus; label: string }[] = [
  { value: 'started', label: t`Open` },
  { value: 'completed', label: t`Completed` },
  { value: 'cancelled', label: t`Cancelled` },
  { value: 'failed', label: t`Failed` },
];

/** Runs of every workflow type: where each stands, what comes next, and why. */
export function Runs() {
  const filters = useFilters('status', 'type', 'outcome', 'from', 'until');
  const { from, until } = filters.given;
  const [isCancelling, setIsCancelling] = useState(false);
  const mayOperate = useMay()('operations');
  const status = statuses.find(({ value }) => value === filters.given.status)?.value;
  const workflowType = workflowTypes.find(({ value }) => value === filters.given.type)?.value;
  const outcome = outcomes.find((known) => known === filters.given.outcome);
  const span = daysOf(from, until);
  const countOf = useCounts(span);
  return (
    <ListPage
      title={t`Runs`}
      lead={t`Every workflow: where it stands, what it does next, and why.`}
      name="runs"
      area="runs"
      read={api.getRuns}
      query={{ status, workflowType, outcome, ...span }}
      filters={filters}
      fields={[
        {
          kind: 'select',
          name: 'status',
          label: t`Status`,
          options: withCounts(statuses, (value) => countOf({ status: value, workflowType })),
        },
        {
          kind: 'select',
          name: 'type',
          label: t`About`,
          options: withCounts(workflowTypes, (value) => countOf({ status, workflowType: value })),
        },
        { kind: 'select', name: 'outcome', label: t`Outcome`, options: outcomeOptions },
        { kind: 'day', name: 'from', label: t`From` },
        { kind: 'day', name: 'until', label: t`Until` },
      ]}
      before={() => <BulkJobs kind="cancel_runs" />}
      columns={columns}
      exported={exported}
      keyOf={({ workflowId }) => workflowId}
      to={placeOf}
      empty={{ title: t`No run yet`, text: t`An event of your platform or a start over the API opens one.` }}
      noMatch={t`No run matches`}
      actions={
        mayOperate && <PlainButton label={t`Cancel many …`} icon={IconBan} onClick={() => setIsCancelling(true)} />
      }
    >
      {isCancelling && (
        <BulkDialog
          kind="cancel_runs"
          workflowType={workflowType ?? null}
          from={from ?? null}
          until={until ?? null}
          onClose={() => setIsCancelling(false)}
        />
      )}
    </ListPage>
  );
}

const outcomeOptions = outcomes.map((value) => ({ value, label: labelOf(value) }));

const withCounts = (options: { value: string; label: string }[], countOf: (value: string) => string) =>
  options.map(({ value, label }) => ({ value, label: `${label}${countOf(value)}` }));

/** Counted again every so often, and not with every change: there may be thousands. */
function useCounts(span: { from?: string; until?: string }) {
  const { data } = useQuery({
    queryKey: ['counts of runs', span],
    queryFn: async ({ signal }) => (await api.getRunsCounts({ query: span, signal, throwOnError: true })).data,
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
  type: ({ workflowType }) => workflowType,
  patient: ({ patient }) => patient && nameOf(patient),
  status: ({ status }) => status,
  outcome: ({ outcome }) => outcome,
  attempts: ({ attempts }) => attempts,
  next: ({ next }) => next && next.step,
  'next at': ({ next }) => next && next.at,
  why: (run) => (run.next ? whyNext(run.next) : whyEnded(run)),
  started: ({ startedAt }) => startedAt,
  ended: ({ completedAt }) => completedAt,
  workflow: ({ workflowId }) => workflowId,
  session: ({ sessionId }) => sessionId,
};

const columns: Column<Run>[] = [
  { head: t`Patient`, cell: ({ patient }) => (patient ? nameOf(patient) : t`Nobody known yet`) },
  { head: t`About`, cell: ({ workflowType }) => workflowName(workflowType), width: '24%', isRest: true },
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
  { head: t`Next step, and why`, cell: (run) => <NextOrWhy run={run} />, width: '26%', isRest: true },
  { head: t`Attempts`, cell: ({ attempts }) => attempts, isWideOnly: true },
  { head: t`Started`, cell: ({ startedAt }) => <Moment at={startedAt} /> },
  { head: t`Actions`, cell: (run) => <Actions run={run} />, isActions: true },
];

const steps: Record<api.NextStep['step'], string> = {
  start: t`Starts`,
  decide: t`Decides`,
  wait: t({ message: 'Calls', context: 'what a run does next' }),
  line: t`Waits for a line`,
  call: t`In a call`,
};

const stepWords: Record<api.NextStep['step'], string> = {
  start: t`It is stored and about to start.`,
  decide: t`It is about to take its next step.`,
  wait: t`Its call is not due yet.`,
  line: t`The call is due and waits for a free line.`,
  call: t`A call is under way.`,
};

const whyNext = ({ step, rule }: api.NextStep): string => (rule ? callRules[rule] : stepWords[step]);

/** What an open run does next; of one that has ended, how it came to that. */
function NextOrWhy({ run }: { run: Run }) {
  const { next } = run;
  if (!next)
    return (
      <OneLine>
        <span title={whyEnded(run)}>{whyEnded(run)}</span>
      </OneLine>
    );
  return (
    <OneLine>
      <Name>
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
      </Name>
      <Small title={whyNext(next)}>{whyNext(next)}</Small>
    </OneLine>
  );
}

function whyEnded({ status, outcome, cancelledBy, lastDecision, lastCall }: Run): string {
  if (status === 'cancelled') return cancelledBy ? t`Cancelled by ${cancelledBy}.` : t`Cancelled.`;
  const last = lastCall && endingWords(lastCall);
  if (lastDecision?.decided === 'no_call') return callRules[lastDecision.rule];
  if (last) return t`Last call: ${last.charAt(0).toLowerCase()}${last.slice(1)}.`;
  return outcome ? t`${labelOf(outcome)}, without a call.` : '–';
}

const Actions = ({ run: { workflowId, status, temporalUrl } }: { run: Run }) => (
  <Group gap="xs" wrap="nowrap">
    {status === 'started' && (
      <ServiceButton
        size="compact-sm"
        variant="subtle"
        color="gray"
        does={api.postWorkflowsByWorkflowIdCancelMutation()}
        done={t`The run is cancelled. It ended as Follow-up required.`}
        refresh={['runs', 'cases']}
        request={{ path: { workflowId } }}
        ask={{
          title: t`Cancel this run?`,
          what: t`No further call is made. It ends as “Follow-up required”, your endpoint is told so, and a task is opened for staff. This cannot be undone.`,
          yes: t`Cancel the run`,
          no: t`Keep it running`,
          isFinal: true,
        }}
        label={t`Cancel`}
      />
    )}
    <OutsideLink href={temporalUrl}>{t`Temporal`}</OutsideLink>
  </Group>
);
