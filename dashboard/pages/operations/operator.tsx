import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as api from '#api';
import { sentenceOf } from '#http';
import { LoadedList } from '#lists';
import { IconAlertTriangle } from '#icons';
import { Empty, Line, Loaded, Mark, Page, Section } from '#parts';
import { plural, t, Trans } from '#texts';
import { formatDuration, Moment, OutsideLink, Quiet, Small } from '#words';

type State = api.OperatedClinics;
type Clinic = State['items'][number];

/** How every clinic does, for those who run the service: it names no patient. */
export function Operator() {
  const state = useQuery({ ...api.getOperationsClinicsOptions(), refetchInterval: 15_000 });
  return (
    <Page
      title={t`All clinics`}
      lead={t`How the work goes, read again every 15 seconds. What each figure means and what to do stands in docs/operate.md, “The operator’s page”.`}
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
                {(clinic) => <ClinicLine clinic={clinic} />}
              </LoadedList>
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

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
  { key: 'callSeconds', label: t`Call that has waited longest for a line`, lateSeconds: 3_600 },
  { key: 'deliverySeconds', label: t`Delivery that has been due longest`, lateSeconds: 120 },
];

const Parts = ({ state }: { state: State }) => (
  <Stack gap="sm">
    {state.isEveryClinicPaused && (
      <Part label={t`Calls of all clinics`} word={t`paused`} isBad>{t`npm run pause -- list says by whom.`}</Part>
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
    {oldest.map(({ key, label, lateSeconds }) => (
      <Part
        key={key}
        label={label}
        word={state.oldest[key] === 0 ? t`none` : formatDuration(state.oldest[key] * 1_000)}
        isBad={state.oldest[key] > lateSeconds}
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

type Figure = Exclude<keyof Clinic, 'clinicId' | 'name' | 'temporalUrl' | 'openRuns' | 'failingSince'>;

/** In the order in which an operator looks at them. */
const figures: Record<Figure, { label: string; todo: string; isBad?: true }> = {
  stuckRuns: {
    label: t`Runs whose workflow keeps failing`,
    todo: t`The reconciler has each begin anew once an hour; look at why in Temporal.`,
    isBad: true,
  },
  unstartedRuns: {
    label: t`Runs that Temporal has not taken`,
    todo: t`See the relay and Temporal above; nothing is lost.`,
    isBad: true,
  },
  runFaults: {
    label: t`Runs that failed or have gaps`,
    todo: t`Staff have a task for each; look for the cause in Temporal.`,
    isBad: true,
  },
  voiceFaults: {
    label: t`Faults of the voice platform`,
    todo: t`See the platform’s own status; staff have a task for each call.`,
    isBad: true,
  },
  systemFaults: {
    label: t`Faults of the EHR, API or CRM`,
    todo: t`Tell the clinic: its system did not take what we did.`,
    isBad: true,
  },
  setupFaults: {
    label: t`Settings that must be changed`,
    todo: t`Nothing is tried again before an administrator of the clinic has mended them.`,
    isBad: true,
  },
  alarms: {
    label: t`Open alarms`,
    todo: t`The clinic’s administrators were told; ask them whether it was meant.`,
    isBad: true,
  },
  failingEndpoints: {
    label: t`Endpoints that fail`,
    todo: t`Tell the clinic: its receiver does not take our events, which are tried again for three days.`,
    isBad: true,
  },
  deadDeliveries: {
    label: t`Deliveries given up in the last 7 days`,
    todo: t`Tell the clinic; it can send them again on its page of deliveries, which has the older ones too.`,
    isBad: true,
  },
  waitingErasures: {
    label: t`Erasures that wait`,
    todo: t`Those of over a day wait for a call or a workflow: look in Temporal.`,
  },
  pauses: { label: t`Pauses in force`, todo: t`Somebody of the clinic, or an operator, has paused calls.` },
  waitingDeliveries: {
    label: t`Deliveries that wait`,
    todo: t`They are tried again by themselves for three days.`,
  },
};

function ClinicLine({ clinic }: { clinic: Clinic }) {
  const shown = (Object.keys(figures) as Figure[]).filter((key) => (clinic[key] ?? 0) > 0);
  const isBad = shown.some((key) => figures[key].isBad);
  return (
    <Stack gap={6}>
      <Line
        name={clinic.name}
        marks={isBad ? <Mark color="red">{t`needs a look`}</Mark> : null}
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
                {figures[key].label}
                {key === 'failingEndpoints' && clinic.failingSince && (
                  <Trans>
                    , since <Moment at={clinic.failingSince} />
                  </Trans>
                )}
              </Text>
              <Small>{figures[key].todo}</Small>
            </div>
          </Group>
        ))
      )}
    </Stack>
  );
}
