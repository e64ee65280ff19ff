import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Badge, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import {
  getValidationRunsByRunIdOptions,
  postValidationRunsByRunIdEndMutation,
  postValidationRunsByRunIdEventsMutation,
} from '../http/client/@tanstack/react-query.gen';
import { getValidationRunsByRunIdJunit, getValidationRunsByRunIdTestReport } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
import { type Icon, IconCheck, IconMinus, IconPrinter, IconSend, IconX } from '../icons';
import { CopyLine } from '../parts/copy';
import { ExportButton } from '../parts/export-button';
import { Facts } from '../parts/facts';
import { DayAndTime, formatDay } from '../parts/moment';
import { Page } from '../parts/page';
import { useRefresh } from '../parts/refresh';
import { sayDone, sayFailed } from '../parts/say';
import { Section } from '../parts/section';
import { Loaded } from '../parts/states';
import { useAccount, useZone } from '../shell/account';
import classes from './readiness-run.module.css';

/** One run: what was passed, failed and not seen, as it is found. */
export function ReadinessRun() {
  const { runId = '' } = useParams();
  const found = useQuery(getValidationRunsByRunIdOptions({ path: { runId } }));
  return (
    <Page
      title={found.data?.label ?? t`Validation run`}
      lead={found.data && <Lead run={found.data} />}
      back={{ to: '/readiness', label: t`Readiness` }}
      actions={found.data && <Actions run={found.data} />}
    >
      <Loaded query={found} rows={8}>
        {(run) => (
          <Stack gap="lg">
            <Score run={run} />
            {run.state === 'running' && <ToTry run={run} />}
            {areasOf(run).map(([area, behaviours]) => (
              <Section
                key={area}
                title={area}
                actions={
                  <Text size="sm" c="dimmed">
                    <Trans>
                      {behaviours.filter(({ verdict }) => verdict === 'passed').length} of {behaviours.length}
                    </Trans>
                  </Text>
                }
              >
                <ul className={classes.list}>
                  {behaviours.map((behaviour) => (
                    <Behaviour key={behaviour.id} behaviour={behaviour} />
                  ))}
                </ul>
              </Section>
            ))}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Lead({ run: { state, startedAt, endedAt, exchanges } }: { run: Api.ValidationRun }) {
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

function Actions({ run: { id: runId, state } }: { run: Api.ValidationRun }) {
  const refresh = useRefresh('validation');
  const end = useMutation({
    ...postValidationRunsByRunIdEndMutation(),
    onSuccess: () => sayDone(t`The run has ended.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const events = useMutation({
    ...postValidationRunsByRunIdEventsMutation(),
    onSuccess: ({ sent }) => sayDone(t`${sent.length} events were sent.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const junit = async () => {
    const { data } = await getValidationRunsByRunIdJunit({ path: { runId }, throwOnError: true, parseAs: 'blob' });
    return { name: 'readiness.xml', text: await data.text(), type: 'application/xml' };
  };
  const testReport = async () => {
    const { data } = await getValidationRunsByRunIdTestReport({ path: { runId }, throwOnError: true, parseAs: 'json' });
    return { name: 'test-report.json', text: JSON.stringify(data, null, 2), type: 'application/fhir+json' };
  };
  return (
    <Group gap="xs" className={classes.screen}>
      <Button variant="default" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
        <Trans>Print or save as PDF</Trans>
      </Button>
      <ExportButton label="JUnit" file={junit} />
      <ExportButton label="TestReport" file={testReport} />
      {state === 'running' && (
        <>
          <Button
            variant="default"
            leftSection={<IconSend size={16} aria-hidden />}
            loading={events.isPending}
            onClick={() => events.mutate({ path: { runId } })}
          >
            <Trans>Send events</Trans>
          </Button>
          <Button loading={end.isPending} onClick={() => end.mutate({ path: { runId } })}>
            <Trans>End the run</Trans>
          </Button>
        </>
      )}
    </Group>
  );
}

function Score({ run: { score, isFull, state } }: { run: Api.ValidationRun }) {
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
          <Text size="sm">
            <Trans>{passed} passed</Trans>
          </Text>
          <Text size="sm">
            <Trans>{failed} failed</Trans>
          </Text>
          <Text size="sm">
            <Trans>{notSeen} not seen</Trans>
          </Text>
        </Group>
        {isFull && (
          <Alert color="yellow">
            <Trans>As many requests as are kept were watched. What came after them was not: start another run.</Trans>
          </Alert>
        )}
      </Stack>
    </Section>
  );
}

function ToTry({ run: { foreign, clockChanges } }: { run: Api.ValidationRun }) {
  return (
    <div className={classes.screen}>
      <Section
        title={t`To try`}
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
}

/** The day that ends at this midnight of the clinic. */
function DayBefore({ midnight }: { midnight: string }) {
  return formatDay(new Date(Date.parse(midnight) - 1).toISOString(), useZone(), 'numeric');
}

const verdicts: Record<Api.Verdict, { label: string; color: string; icon: Icon }> = {
  passed: { label: t`Passed`, color: 'green', icon: IconCheck },
  failed: { label: t`Failed`, color: 'red', icon: IconX },
  not_seen: { label: t`Not seen`, color: 'gray', icon: IconMinus },
};

function Behaviour({ behaviour }: { behaviour: Api.JudgedBehaviour }) {
  const { verdict, title, why, shownBy, howToCause } = behaviour;
  const { label, color, icon: Symbol } = verdicts[verdict];
  return (
    <li className={classes.behaviour} data-verdict={verdict}>
      <Symbol size={18} aria-hidden />
      <Text size="sm" fw={500}>
        <WithCode text={title} />
      </Text>
      <Badge color={color}>{label}</Badge>
      <div className={classes.words}>
        {why && <Text size="sm">{why}.</Text>}
        {shownBy && (
          <Text size="sm" c="dimmed">
            <Trans>
              Request {shownBy.number}: {shownBy.request}, {shownBy.status ?? t`no reply`}
            </Trans>
          </Text>
        )}
        {verdict !== 'passed' && (
          <Text size="sm" c="dimmed">
            <WithCode text={howToCause} />
          </Text>
        )}
      </div>
    </li>
  );
}

/** A text of the service; what it has in backticks is code. */
const WithCode = ({ text }: { text: string }) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part + String(index)}>{part}</code> : part));

function areasOf({ behaviours }: Api.ValidationRun): [string, Api.JudgedBehaviour[]][] {
  const areas = [...new Set(behaviours.map(({ area }) => area))];
  return areas.map((area) => [area, behaviours.filter((each) => each.area === area)]);
}
