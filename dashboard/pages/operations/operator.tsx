import { Alert, Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import * as api from '#api';
import { sentenceOf } from '#http';
import { LoadedList, PlainList } from '#lists';
import { IconAlertTriangle } from '#icons';
import { CopyLine, Empty, Line, Loaded, Mark, Page, PauseWords, Section, useZone, workflowName } from '#parts';
import { plural, t, Trans } from '#texts';
import { ClockTime, formatDuration, Moment, OutsideLink, Quiet, Small, zoneName } from '#words';
import { outboundError } from '../events/outbound-errors';
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
            {isAnyPartBad(data) && <Service state={data} />}
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
            {!isAnyPartBad(data) && <Service state={data} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

const Service = ({ state }: { state: State }) => (
  <Section title={t`The service`}>
    <Parts state={state} />
  </Section>
);

/** Whether anybody has to look at all, where, why, and how old that is. */
const Verdict = ({ state }: { state: State }) => {
  const { at, clinics, needALook, items } = state;
  const zone = zoneName(useZone());
  const bad = badParts(state).join(', ');
  const named = items.filter(({ needsALook }) => needsALook).slice(0, NAMED_CLINICS);
  const isWell = bad === '' && needALook === 0 && !state.isEveryClinicPaused;
  return (
    <div>
      <Text fw={600} c={isWell ? undefined : 'red'}>
        {state.isEveryClinicPaused && <AllPaused pauses={state.pauses} />}
        {bad !== '' && `${t`The service itself needs a look: ${bad}.`} `}
        {needALook > 0 && toLookAt(needALook, clinics)}
        {isWell && t`Nothing needs a look.`}
      </Text>
      {named.length > 0 && (
        <PlainList label={t`What needs a look`} isInset>
          {named.map((clinic) => (
            <Causes key={clinic.clinicId} clinic={clinic} />
          ))}
          {needALook > named.length && <Quiet>{t`And ${needALook - named.length} more.`}</Quiet>}
        </PlainList>
      )}
      <Small>
        <Trans>
          Read at <ClockTime at={at} withSeconds />. Times are yours: {zone}.
        </Trans>
      </Small>
    </div>
  );
};

const AllPaused = ({ pauses }: Pick<State, 'pauses'>) => {
  const since = pauses.findLast(({ clinicId }) => clinicId === null)?.pausedAt;
  if (since === undefined) return `${t`The calls of all clinics are paused.`} `;
  return (
    <>
      <Trans>
        The calls of all clinics are paused since <Moment at={since} near={false} />.
      </Trans>{' '}
    </>
  );
};

/** So many are named at the top; all of them stand below. */
const NAMED_CLINICS = 5;

const Causes = ({ clinic }: { clinic: Clinic }) => (
  <Text size="sm">
    <Anchor href={`#${clinic.clinicId}`} inherit underline="always">
      {clinic.name}
    </Anchor>
    {': '}
    {shownOf(clinic)
      .filter((figure) => figures[figure].isBad)
      .map((figure, index) => (
        <Fragment key={figure}>
          {index > 0 && '; '}
          {clinic[figure]} {figures[figure].label(clinic[figure] ?? 0)}
          {isDated(figure) && <Since figure={figure} clinic={clinic} />}
        </Fragment>
      ))}
  </Text>
);

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

/** What is at fault in the service itself, by name. */
const badParts = (state: State): string[] => [
  ...(state.isTemporalReachable ? [] : [t`Temporal`]),
  ...state.duties.filter(({ isLate }) => isLate).map(({ name }) => dutyNames[name] ?? name),
  ...oldest.filter((part) => isOld(state, part)).map(({ label }) => label),
];

const isAnyPartBad = (state: State) => state.isEveryClinicPaused || badParts(state).length > 0;

const Parts = ({ state }: { state: State }) => (
  <Stack gap="sm">
    {state.isEveryClinicPaused && (
      <Part label={t`Calls of all clinics`} word={t`paused`} isBad>
        <PausesOf clinicId={null} pauses={state.pauses} />
        <RunbookButton at="pausing-calls" label={t`Runbook: pausing calls`} />
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

const isDated = (figure: Figure): figure is keyof Clinic['since'] => figure !== 'stuckRuns' && figure !== 'pauses';

interface FigureWords {
  label: (count: number) => string;
  todo: string;
  isBad?: true;
  /** Somebody of the clinic has to be told or asked. */
  isToBeTold?: true;
}

/** In the order in which an operator looks at them. */
const figures: Record<Figure, FigureWords> = {
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
    isToBeTold: true,
  },
  setupFaults: {
    label: (count) => plural(count, { one: 'setting that must be changed', other: 'settings that must be changed' }),
    todo: t`Nothing is tried again before an administrator of the clinic has mended them.`,
    isBad: true,
    isToBeTold: true,
  },
  alarms: {
    label: (count) => plural(count, { one: 'open alarm', other: 'open alarms' }),
    todo: t`The clinic’s administrators were told; ask them whether it was meant.`,
    isBad: true,
    isToBeTold: true,
  },
  failingEndpoints: {
    label: (count) => plural(count, { one: 'endpoint fails', other: 'endpoints fail' }),
    todo: t`Tell the clinic: its receiver does not take our events, which are tried again for three days.`,
    isBad: true,
    isToBeTold: true,
  },
  deadDeliveries: {
    label: (count) =>
      plural(count, { one: 'delivery given up in the last 7 days', other: 'deliveries given up in the last 7 days' }),
    todo: t`Tell the clinic, whose page of deliveries has the older ones too. It can send them again there, and you by a command.`,
    isBad: true,
    isToBeTold: true,
  },
  waitingErasures: {
    label: (count) => plural(count, { one: 'erasure that waits', other: 'erasures that wait' }),
    todo: t`Those of over a day wait for a call or a workflow: look in Temporal.`,
  },
  pauses: {
    label: (count) => plural(count, { one: 'pause in force', other: 'pauses in force' }),
    todo: t`These patients are not called.`,
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
        , since <Moment at={at} near={false} />
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
        <CopyLine value={`npm run pause -- off --id ${id}`} what={t`the command that ends this pause`} />
      </div>
    ));

const Failing = ({ clinic: { failing } }: { clinic: Clinic }) =>
  failing.map(({ endpointId, endpointName, since, error }) => (
    <Text key={endpointId} size="sm" style={{ overflowWrap: 'anywhere' }}>
      {nameOf(endpointName)} ({endpointId}){error !== null && `: ${outboundError(error)}`}
      {since !== null && (
        <Trans>
          , since <Moment at={since} near={false} />
        </Trans>
      )}
    </Text>
  ));

/** Each with its own time: of two of a kind the first may be known. */
const Alarms = ({ clinic: { alarms, newestAlarms } }: { clinic: Clinic }) => (
  <>
    {newestAlarms.map(({ kind, at }, index) => (
      <Text key={`${kind} ${at} ${index}`} size="sm">
        {taskTitle(kind)}, <Moment at={at} />
      </Text>
    ))}
    {alarms > newestAlarms.length && <Quiet>{t`And ${alarms - newestAlarms.length} more.`}</Quiet>}
  </>
);

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

const shownOf = (clinic: Clinic): Figure[] =>
  (Object.keys(figures) as Figure[]).filter((figure) => (clinic[figure] ?? 0) > 0);

function ClinicLine({ clinic, pauses }: { clinic: Clinic; pauses: Pause[] }) {
  const shown = shownOf(clinic);
  const { clinicId, name, temporalUrls } = clinic;
  return (
    <Stack gap={6} id={clinicId} tabIndex={-1} style={{ scrollMarginTop: 80 }}>
      <Line
        name={name}
        marks={clinic.needsALook ? <Mark color="red">{t`needs a look`}</Mark> : null}
        actions={
          <OutsideLink href={clinic.temporalUrl} aria-label={t`${name} in Temporal`} py={4}>
            {t`Temporal`}
          </OutsideLink>
        }
      >
        {clinicId} · {plural(clinic.openRuns, { one: '# open run', other: '# open runs' })}
        {clinic.stuckRuns === null && ` · ${t`Temporal could not be asked`}`}
      </Line>
      {shown.length === 0 && <Quiet>{t`Nothing to do.`}</Quiet>}
      {shown.map((key) => (
        <Group key={key} gap="sm" wrap="nowrap" align="flex-start">
          <Text size="sm" fw={600} miw={36} ta="right" c={figures[key].isBad ? 'red' : undefined}>
            {clinic[key]}
          </Text>
          <div>
            <Text size="sm">
              {figures[key].label(clinic[key] ?? 0)}
              {isDated(key) && <Since figure={key} clinic={clinic} />}
            </Text>
            <Small>
              {figures[key].todo}
              {key in temporalUrls && (
                <>
                  {' '}
                  <OutsideLink href={temporalUrls[key as keyof typeof temporalUrls]} size="xs" underline="always">
                    {t`Show them in Temporal`}
                  </OutsideLink>
                </>
              )}
            </Small>
            {key === 'alarms' && (
              <>
                <Alarms clinic={clinic} />
                <RunbookButton at="alarms" clinicId={clinicId} label={t`Runbook: alarms`} />
              </>
            )}
            {key === 'failingEndpoints' && (
              <>
                <Failing clinic={clinic} />
                <RunbookButton at="endpoints-that-fail" clinicId={clinicId} label={t`Runbook: endpoints that fail`} />
              </>
            )}
            {key === 'deadDeliveries' && <GivenUp clinic={clinic} />}
            {key === 'pauses' && (
              <>
                <PausesOf clinicId={clinicId} pauses={pauses} />
                <RunbookButton at="pausing-calls" clinicId={clinicId} label={t`Runbook: pausing calls`} />
              </>
            )}
          </div>
        </Group>
      ))}
      {shown.some((key) => figures[key].isToBeTold) && (
        <div>
          <Small>{t`Whom to tell: the clinic’s accounts with their e-mails are listed by`}</Small>
          <CopyLine
            value={`npm run clinic -- account list --clinic ${clinicId}`}
            what={t`the command that lists its accounts`}
          />
        </div>
      )}
    </Stack>
  );
}
