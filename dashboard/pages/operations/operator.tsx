import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as api from '#api';
import { sentenceOf } from '#http';
import { LoadedList } from '#lists';
import { IconAlertTriangle } from '#icons';
import { CopyLine, Empty, Line, Loaded, Mark, Page, PauseWords, Section, useZone, workflowName } from '#parts';
import { plural, t, Trans } from '#texts';
import { ClockTime, formatDuration, Moment, OutsideLink, Quiet, Small, zoneName } from '#words';
import { taskTitle } from '../tasks/task-reasons';
import { RunbookButton } from './runbook';

type State = api.OperatedClinics;
type Clinic = State['items'][number];
type Pause = State['pauses'][number];

/** How every clinic does, for those who run the service: it names no patient. */
export function Operator() {
  const state = useQuery({ ...api.getOperationsClinicsOptions(), refetchInterval: 15_000 });
  return (
    <Page
      title={t`All clinics`}
      lead={t`How the work goes, read again every 15 seconds. The runbook says what each figure means and what to do.`}
      actions={<RunbookButton at="the-operators-page" label={t`Runbook`} />}
    >
      {state.data && state.isError && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          role="status"
          title={
            <Trans>
              This is out of date: it could not be refreshed since <Moment at={state.data.at} />.
            </Trans>
          }
        >
          {sentenceOf(state.error)}
        </Alert>
      )}
      <Loaded query={state} rows={12}>
        {(data) => (
          <>
            <Verdict state={data} />
            <Section title={t`The service`}>
              <Parts state={data} />
            </Section>
            <Section title={t`Clinics`} lead={data.clinics > 0 && <Shown state={data} />} flush>
              <LoadedList
                query={state}
                label={t`Clinics`}
                keyOf={({ clinicId }) => clinicId}
                empty={<Empty title={t`There is no clinic yet`}>{t`npm run clinic -- create makes one.`}</Empty>}
              >
                {(clinic) => <ClinicLine clinic={clinic} pauses={data.pauses} />}
              </LoadedList>
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Whether anybody has to look at all, and how old that is. */
const Verdict = ({ state }: { state: State }) => {
  const { at, clinics, needALook } = state;
  const zone = zoneName(useZone());
  const isServiceBad = isAnyPartBad(state);
  return (
    <div>
      <Text fw={600} c={isServiceBad || needALook > 0 ? 'red' : undefined}>
        {isServiceBad && `${t`The service itself needs a look.`} `}
        {needALook > 0 && toLookAt(needALook, clinics)}
        {!isServiceBad && needALook === 0 && t`Nothing needs a look.`}
      </Text>
      <Small>
        <Trans>
          Read at <ClockTime at={at} withSeconds />. Times are yours: {zone}.
        </Trans>
      </Small>
    </div>
  );
};

const toLookAt = (needALook: number, clinics: number) =>
  clinics === 1
    ? t`The only clinic needs a look.`
    : plural(needALook, {
        one: `# of ${clinics} clinics needs a look.`,
        other: `# of ${clinics} clinics need a look.`,
      });

const Shown = ({ state: { clinics, items } }: { state: State }) =>
  items.length < clinics
    ? t`The ${items.length} worst of ${clinics}, the worst first.`
    : plural(clinics, { one: '# clinic', other: '# clinics, the worst first' });

const dutyNames: Record<string, string> = {
  relay: t`Relay: starts and tells what was stored`,
  reconcile: t`Reconciler: mends what Temporal lost`,
  fulfil: t`Appointments that are over`,
  mail: t`Mails about tasks`,
};

const oldest: { key: keyof State['oldest']; label: string; lateSeconds: number }[] = [
  { key: 'startSeconds', label: t`Oldest run that Temporal has not taken`, lateSeconds: 60 },
  { key: 'messageSeconds', label: t`Oldest message that its workflow has not taken`, lateSeconds: 60 },
  {
    key: 'callSeconds',
    label: t`Call that has waited longest for a line, without those that a pause holds`,
    lateSeconds: 3_600,
  },
  { key: 'deliverySeconds', label: t`Delivery that has been due longest`, lateSeconds: 120 },
];

const isOld = (state: State, { key, lateSeconds }: (typeof oldest)[number]) => state.oldest[key] > lateSeconds;

const isAnyPartBad = (state: State) =>
  state.isEveryClinicPaused ||
  !state.isTemporalReachable ||
  state.duties.some(({ isLate }) => isLate) ||
  oldest.some((part) => isOld(state, part));

const Parts = ({ state }: { state: State }) => (
  <Stack gap="sm">
    {state.isEveryClinicPaused && (
      <Part label={t`Calls of all clinics`} word={t`paused`} isBad>
        {t`npm run pause -- off ends it.`}
        <PausesOf clinicId={null} pauses={state.pauses} />
      </Part>
    )}
    <Part
      label={t`Temporal`}
      word={state.isTemporalReachable ? t`reachable` : t`unreachable`}
      isBad={!state.isTemporalReachable}
    >
      {state.isTemporalReachable ? null : t`Events are stored, and the relay catches up; bring it back.`}
    </Part>
    {state.duties.map(({ name, isHeld, passedAt, isLate }) => (
      <Part key={name} label={dutyNames[name] ?? name} word={isLate ? t`late` : t`at work`} isBad={isLate}>
        {passedAt === null ? t`No pass yet.` : <Passed at={passedAt} />}
        {isHeld ? null : ` ${t`No worker has it: start one.`}`}
      </Part>
    ))}
    {oldest.map((part) => (
      <Part
        key={part.key}
        label={part.label}
        word={state.oldest[part.key] === 0 ? t`none` : formatDuration(state.oldest[part.key] * 1_000)}
        isBad={isOld(state, part)}
      />
    ))}
  </Stack>
);

const Passed = ({ at }: { at: string }) => (
  <Trans>
    Last pass <Moment at={at} />.
  </Trans>
);

interface PartProps {
  label: string;
  word: string;
  isBad: boolean;
  children?: ReactNode;
}

const Part = ({ label, word, isBad, children }: PartProps) => (
  <Line name={label} actions={<Mark color={isBad ? 'red' : 'gray'}>{word}</Mark>}>
    {children}
  </Line>
);

type Figure = 'stuckRuns' | 'pauses' | keyof Clinic['since'];

/** In the order in which an operator looks at them. */
const figures: Record<Figure, { label: (count: number) => string; todo: string; isBad?: true }> = {
  stuckRuns: {
    label: (count) =>
      plural(count, { one: 'run whose workflow keeps failing', other: 'runs whose workflow keeps failing' }),
    todo: t`The reconciler has each begin anew once an hour; look at why in Temporal.`,
    isBad: true,
  },
  unstartedRuns: {
    label: (count) =>
      plural(count, { one: 'run that Temporal has not taken', other: 'runs that Temporal has not taken' }),
    todo: t`See the relay and Temporal above; nothing is lost.`,
    isBad: true,
  },
  runFaults: {
    label: (count) => plural(count, { one: 'run that failed or has gaps', other: 'runs that failed or have gaps' }),
    todo: t`Staff have a task for each; look for the cause in Temporal.`,
    isBad: true,
  },
  voiceFaults: {
    label: (count) => plural(count, { one: 'fault of the voice platform', other: 'faults of the voice platform' }),
    todo: t`See the platform’s own status; staff have a task for each call.`,
    isBad: true,
  },
  systemFaults: {
    label: (count) => plural(count, { one: 'fault of the EHR, API or CRM', other: 'faults of the EHR, API or CRM' }),
    todo: t`Tell the clinic: its system did not take what we did.`,
    isBad: true,
  },
  setupFaults: {
    label: (count) => plural(count, { one: 'setting that must be changed', other: 'settings that must be changed' }),
    todo: t`Nothing is tried again before an administrator of the clinic has mended them.`,
    isBad: true,
  },
  alarms: {
    label: (count) => plural(count, { one: 'open alarm', other: 'open alarms' }),
    todo: t`The clinic’s administrators were told; ask them whether it was meant.`,
    isBad: true,
  },
  failingEndpoints: {
    label: (count) => plural(count, { one: 'endpoint fails', other: 'endpoints fail' }),
    todo: t`Tell the clinic: its receiver does not take our events, which are tried again for three days.`,
    isBad: true,
  },
  deadDeliveries: {
    label: (count) =>
      plural(count, { one: 'delivery given up in the last 7 days', other: 'deliveries given up in the last 7 days' }),
    todo: t`Tell the clinic, whose page of deliveries has the older ones too. It can send them again there, and you by a command.`,
    isBad: true,
  },
  waitingErasures: {
    label: (count) => plural(count, { one: 'erasure that waits', other: 'erasures that wait' }),
    todo: t`Those of over a day wait for a call or a workflow: look in Temporal.`,
  },
  pauses: {
    label: (count) => plural(count, { one: 'pause in force', other: 'pauses in force' }),
    todo: t`Nobody is called whom it is about.`,
  },
  waitingDeliveries: {
    label: (count) => plural(count, { one: 'delivery that waits', other: 'deliveries that wait' }),
    todo: t`They are tried again by themselves for three days.`,
  },
};

/** When what a figure counts came about. */
function Since({ figure, clinic: { since, ...counts } }: { figure: keyof Clinic['since']; clinic: Clinic }) {
  const at = since[figure];
  if (at === null) return null;
  if (counts[figure] === 1 && figure !== 'failingEndpoints') {
    return (
      <>
        , <Moment at={at} />
      </>
    );
  }
  if (figure === 'failingEndpoints') {
    return (
      <Trans>
        , since <Moment at={at} />
      </Trans>
    );
  }
  return figure === 'deadDeliveries' ? (
    <Trans>
      , the last <Moment at={at} />
    </Trans>
  ) : (
    <Trans>
      , the oldest <Moment at={at} />
    </Trans>
  );
}

const PausesOf = ({ clinicId, pauses }: { clinicId: string | null; pauses: Pause[] }) =>
  pauses
    .filter((pause) => pause.clinicId === clinicId)
    .map(({ id, reason, workflowType, isByOperator, pausedAt, until }) => (
      <div key={id}>
        <Text size="sm">
          {workflowType === null ? t`All calls: ${reason}` : t`${workflowName(workflowType)}: ${reason}`}
        </Text>
        <PauseWords
          by={isByOperator ? t`the operator of this service` : t`the clinic`}
          pausedAt={pausedAt}
          until={until}
        />
      </div>
    ));

const nameOf = (endpointName: string | null) => endpointName ?? t`the outbound URL`;

/** The newest of them, and for each of their endpoints the command that counts what the figure counts. */
const GivenUp = ({ clinic: { clinicId, newestDead, deadEndpoints } }: { clinic: Clinic }) => (
  <>
    {newestDead.map(({ deliveryId, event, endpointName, at }) => (
      <Text key={deliveryId} size="sm" style={{ overflowWrap: 'anywhere' }}>
        <Trans>
          {event} to {nameOf(endpointName)}, <Moment at={at} />: {deliveryId}
        </Trans>
      </Text>
    ))}
    <Small>{t`The command counts them first, and prints the one that sends them. Without --days both take older ones too.`}</Small>
    {deadEndpoints.map(({ endpointId, endpointName }) => {
      const command = `npm run clinic -- resend-dead --clinic ${clinicId} --endpoint ${endpointId} --days 7`;
      return <CopyLine key={endpointId} value={command} what={t`the command for ${nameOf(endpointName)}`} />;
    })}
  </>
);

function ClinicLine({ clinic, pauses }: { clinic: Clinic; pauses: Pause[] }) {
  const shown = (Object.keys(figures) as Figure[]).filter((key) => (clinic[key] ?? 0) > 0);
  return (
    <Stack gap={6}>
      <Line
        name={clinic.name}
        marks={clinic.needsALook ? <Mark color="red">{t`needs a look`}</Mark> : null}
        actions={
          <OutsideLink href={clinic.temporalUrl} aria-label={t`${clinic.name} in Temporal`} py={4}>
            {t`Temporal`}
          </OutsideLink>
        }
      >
        {clinic.clinicId} · {plural(clinic.openRuns, { one: '# open run', other: '# open runs' })}
        {clinic.stuckRuns === null && ` · ${t`Temporal could not be asked`}`}
      </Line>
      {shown.length === 0 ? (
        <Quiet>{t`Nothing to do.`}</Quiet>
      ) : (
        shown.map((key) => (
          <Group key={key} gap="sm" wrap="nowrap" align="flex-start">
            <Text size="sm" fw={600} miw={36} ta="right" c={figures[key].isBad ? 'red' : undefined}>
              {clinic[key]}
            </Text>
            <div>
              <Text size="sm">
                {figures[key].label(clinic[key] ?? 0)}
                {key !== 'stuckRuns' && key !== 'pauses' && <Since figure={key} clinic={clinic} />}
              </Text>
              <Small>
                {figures[key].todo}
                {(key === 'stuckRuns' || key === 'waitingErasures') && (
                  <>
                    {' '}
                    <OutsideLink href={clinic.temporalUrls[key]} size="xs" underline="always">
                      {t`Show them in Temporal`}
                    </OutsideLink>
                  </>
                )}
              </Small>
              {key === 'alarms' && (
                <>
                  <Text size="sm">{clinic.alarmKinds.map(taskTitle).join(', ')}</Text>
                  <RunbookButton at="alarms" label={t`Runbook: alarms`} />
                </>
              )}
              {key === 'deadDeliveries' && <GivenUp clinic={clinic} />}
              {key === 'pauses' && (
                <>
                  <PausesOf clinicId={clinic.clinicId} pauses={pauses} />
                  <RunbookButton at="pausing-calls" label={t`Runbook: pausing calls`} />
                </>
              )}
            </div>
          </Group>
        ))
      )}
    </Stack>
  );
}
