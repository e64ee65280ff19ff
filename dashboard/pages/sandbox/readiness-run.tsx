import { Alert, Badge, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import * as api from '#api';
import { ServiceButton } from '#forms';
import { type Icon, IconCheck, IconMinus, IconPrinter, IconSend, IconX } from '#icons';
import { ExportButton } from '#lists';
import { CopyLine, Facts, PlainButton, RecordPage, Section, useAccount, useZone } from '#parts';
import { plural, t, Trans } from '#texts';
import { DayAndTime, formatDay, Name, Quiet } from '#words';
import classes from './readiness-run.module.css';

/** One run: what was passed, failed and not seen, as it is found. */
export function ReadinessRun() {
  const { runId = '' } = useParams();
  return (
    <RecordPage
      query={useQuery(api.getValidationRunsByRunIdOptions({ path: { runId } }))}
      kind={t`Validation run`}
      title={({ label }) => label ?? t`Validation run`}
      back={{ to: '/readiness', label: t`Readiness` }}
      lead={(run) => <Lead run={run} />}
      actions={(run) => <Actions run={run} />}
    >
      {(run) => (
        <>
          <Score run={run} />
          {run.state === 'running' && <ToTry run={run} />}
          {areasOf(run).map(([area, behaviours]) => (
            <Area key={area} title={area} behaviours={behaviours} />
          ))}
        </>
      )}
    </RecordPage>
  );
}

function Area({ title, behaviours }: { title: string; behaviours: api.JudgedBehaviour[] }) {
  const passed = behaviours.filter(({ verdict }) => verdict === 'passed');
  return (
    <Section title={title} actions={<Quiet>{t`${passed.length} of ${behaviours.length}`}</Quiet>}>
      <ul className={classes.list}>
        {behaviours.map((behaviour) => (
          <Behaviour key={behaviour.id} behaviour={behaviour} />
        ))}
      </ul>
    </Section>
  );
}

function Lead({ run: { state, startedAt, endedAt, exchanges } }: { run: api.ValidationRun }) {
  const { clinic } = useAccount();
  return (
    <Group gap={8}>
      <Badge color={state === 'running' ? 'pine' : 'gray'}>{state === 'running' ? t`Running` : t`Ended`}</Badge>
      <span>
        {clinic.name}, <DayAndTime at={startedAt} />
        {endedAt && (
          <>
            {' '}
            <Trans>
              to <DayAndTime at={endedAt} />
            </Trans>
          </>
        )}
        , {plural(exchanges, { one: '# request', other: '# requests' })}
      </span>
    </Group>
  );
}

function Actions({ run: { id: runId, state } }: { run: api.ValidationRun }) {
  const junit = async () => {
    const { data } = await api.getValidationRunsByRunIdJunit({ path: { runId }, throwOnError: true, parseAs: 'blob' });
    return { name: 'readiness.xml', text: await data.text(), type: 'application/xml' };
  };
  const testReport = async () => {
    const { data } = await api.getValidationRunsByRunIdTestReport({
      path: { runId },
      throwOnError: true,
      parseAs: 'json',
    });
    return { name: 'test-report.json', text: JSON.stringify(data, null, 2), type: 'application/fhir+json' };
  };
  return (
    <Group gap="xs" className={classes.screen}>
      <PlainButton label={t`Print or save as PDF`} icon={IconPrinter} onClick={() => window.print()} />
      <ExportButton label="JUnit" file={junit} />
      <ExportButton label="TestReport" file={testReport} />
      {state === 'running' && (
        <>
          <ServiceButton
            does={api.postValidationRunsByRunIdEventsMutation()}
            done={({ sent }) => t`${sent.length} events were sent.`}
            refresh={['validation']}
            request={{ path: { runId } }}
            icon={IconSend}
            label={t`Send events`}
          />
          <ServiceButton
            variant="filled"
            does={api.postValidationRunsByRunIdEndMutation()}
            done={t`The run has ended.`}
            refresh={['validation']}
            request={{ path: { runId } }}
            label={t`End the run`}
          />
        </>
      )}
    </Group>
  );
}

function Score({ run: { score, isFull, state } }: { run: api.ValidationRun }) {
  const { passed, failed, notSeen, of } = score;
  const share = (count: number) => (count / Math.max(of, 1)) * 100;
  return (
    <Section
      title={t`${passed} of ${of} passed`}
      lead={state === 'running' ? t`It fills while your client works.` : undefined}
    >
      <Stack gap="sm" role="status">
        <Progress.Root size={10} aria-hidden>
          <Progress.Section value={share(passed)} color="green.7" />
          <Progress.Section value={share(failed)} color="red.7" />
        </Progress.Root>
        <Group gap="lg">
          <Text size="sm">{t`${passed} passed`}</Text>
          <Text size="sm">{t`${failed} failed`}</Text>
          <Text size="sm">{t`${notSeen} not seen`}</Text>
        </Group>
        {isFull && (
          <Alert color="yellow">
            {t`This run has watched as many requests as it keeps. Later ones were not watched: start another run.`}
          </Alert>
        )}
      </Stack>
    </Section>
  );
}

const ToTry = ({ run: { foreign, clockChanges } }: { run: api.ValidationRun }) => (
  <div className={classes.screen}>
    <Section
      title={t`For your tests`}
      lead={t`Your clinic has no such patient and no such appointment, as if they were another clinic’s.`}
    >
      <Facts
        facts={[
          [t`Patient`, <CopyLine key="patient" value={foreign.patientReference} what={t`the patient`} />, 'long'],
          [
            t`Appointment`,
            <CopyLine key="appointment" value={foreign.appointmentReference} what={t`the appointment`} />,
            'long',
          ],
          [t`Clocks go forward`, clockChanges.forward && <DayBefore midnight={clockChanges.forward} />, 'long'],
          [t`Clocks go back`, clockChanges.back && <DayBefore midnight={clockChanges.back} />, 'long'],
        ]}
      />
    </Section>
  </div>
);

/** The day that ends at this midnight of the clinic. */
const DayBefore = ({ midnight }: { midnight: string }) =>
  formatDay(new Date(Date.parse(midnight) - 1).toISOString(), useZone(), 'numeric');

const verdicts: Record<api.Verdict, { label: string; color: string; icon: Icon }> = {
  passed: { label: t`Passed`, color: 'green', icon: IconCheck },
  failed: { label: t`Failed`, color: 'red', icon: IconX },
  not_seen: { label: t`Not seen`, color: 'gray', icon: IconMinus },
};

function Behaviour({ behaviour }: { behaviour: api.JudgedBehaviour }) {
  const { verdict, title, why, shownBy, howToCause } = behaviour;
  const { label, color, icon: Symbol } = verdicts[verdict];
  return (
    <li className={classes.behaviour} data-verdict={verdict}>
      <Symbol size={18} aria-hidden />
      <Name>
        <WithCode text={title} />
      </Name>
      <Badge color={color}>{label}</Badge>
      <div className={classes.words}>
        {why && <Text size="sm">{why}.</Text>}
        {shownBy && (
          <Quiet>
            <Trans>
              Request {shownBy.number}: {shownBy.request}, {shownBy.status ?? t`no reply`}
            </Trans>
          </Quiet>
        )}
        {verdict !== 'passed' && (
          <Quiet>
            <WithCode text={howToCause} />
          </Quiet>
        )}
      </div>
    </li>
  );
}

/** A text of the service; what it has in backticks is code. */
const WithCode = ({ text }: { text: string }) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part + String(index)}>{part}</code> : part));

function areasOf({ behaviours }: api.ValidationRun): [string, api.JudgedBehaviour[]][] {
  const areas = [...new Set(behaviours.map(({ area }) => area))];
  return areas.map((area) => [area, behaviours.filter((each) => each.area === area)]);
}
