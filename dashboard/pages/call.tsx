import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Badge, Button, Grid, Group, Stack, Text } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  deleteVoiceTestCallsByCallIdMutation,
  getCallsByCallIdOptions,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { locale } from '../language';
import { IdLine } from '../parts/copy';
import { endingWords } from '../parts/call-ending';
import { Facts } from '../parts/facts';
import { formatDuration, Moment } from '../parts/moment';
import { useIsNarrow } from '../parts/narrow';
import { Page } from '../parts/page';
import { nameOf, Telephone } from '../parts/person';
import { useRefresh } from '../parts/refresh';
import { sayDone, sayFailed } from '../parts/say';
import { Section } from '../parts/section';
import { Loaded, Nothing } from '../parts/states';
import { Simulated } from '../parts/simulated';
import { Status } from '../parts/status';
import { Tools } from '../parts/tools';
import { WhyCalled } from '../parts/why-called';
import { workflowName } from '../parts/workflow-name';
import { lengthOf } from './calls';

type CallDetail = Api.CallWithEvidence;

export function Call() {
  const { callId = '' } = useParams();
  // There the panel with both comes after what was said.
  const isNarrow = useIsNarrow();
  const found = useQuery(getCallsByCallIdOptions({ path: { callId } }));
  return (
    <Page
      title={found.data ? titleOf(found.data) : t`Call`}
      lead={
        found.data && (
          <Group gap="xs">
            <Status state={found.data.state} />
            <Simulated of={found.data} />
            {found.data.isTest && (
              <Badge color="gray">
                <Trans>Test</Trans>
              </Badge>
            )}
            {isNarrow && (
              <Anchor component={Link} to={`/patients/${found.data.patient.id}`} size="sm" py={4}>
                <Trans>Show the patient</Trans>
              </Anchor>
            )}
            {isNarrow && found.data.recoveryCaseId && (
              <Anchor component={Link} to={`/cases/${found.data.recoveryCaseId}`} size="sm" py={4}>
                <Trans>Show the case</Trans>
              </Anchor>
            )}
          </Group>
        )
      }
      back={{ to: '/calls', label: t`Calls` }}
      actions={found.data && isOpenTest(found.data) && <CloseTest callId={found.data.id} />}
    >
      <Loaded query={found}>
        {(call) => (
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 8 }}>
              <Stack gap="lg">
                <Section title={t`Summary`}>
                  {call.summary ? (
                    <Text size="sm">{call.summary}</Text>
                  ) : (
                    <Nothing>
                      {call.state === 'ENDED' ? t`The platform sent none.` : t`It is written when the call is over.`}
                    </Nothing>
                  )}
                </Section>
                {call.evidence && <Evidence of={call.evidence} />}
                {call.whyNow.length > 0 && (
                  <Section
                    title={wasDialled(call) ? t`Why it was called then` : t`Why it was not called`}
                    lead={t`What decided, and what it was decided by.`}
                  >
                    <WhyCalled decisions={call.whyNow} />
                  </Section>
                )}
                <Section title={t`Tools`}>
                  {call.tools.length > 0 ? (
                    <Tools tools={call.tools} />
                  ) : (
                    <Nothing>
                      <Trans>The agent has used none.</Trans>
                    </Nothing>
                  )}
                </Section>
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <About call={call} />
            </Grid.Col>
          </Grid>
        )}
      </Loaded>
    </Page>
  );
}

/** A test call without a phone is open until somebody closes it; one that rang ends as its call does. */
const isOpenTest = ({ isTest, direction, state }: CallDetail) => isTest && direction === 'inbound' && state !== 'ENDED';

function CloseTest({ callId }: { callId: string }) {
  const refresh = useRefresh('calls', 'cases');
  const close = useMutation({
    ...deleteVoiceTestCallsByCallIdMutation(),
    onSuccess: () => sayDone(t`The test call is closed.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <Button variant="default" loading={close.isPending} onClick={() => close.mutate({ path: { callId } })}>
      <Trans>Close the test call</Trans>
    </Button>
  );
}

/** What the platform handed over: everything that was said, so it stands behind nothing else. */
function Evidence({
  of: { transcript, recordingUrl, costUsd, durationSeconds, success },
}: {
  of: NonNullable<CallDetail['evidence']>;
}) {
  return (
    <Section title={t`What was said`} lead={t`As the voice platform handed it over. It is deleted after some time.`}>
      <Stack gap="sm">
        <Facts
          facts={[
            [t`Talked for`, durationSeconds !== null && formatDuration(durationSeconds * 1000)],
            [t`Cost`, costUsd !== null && formatUsd(costUsd)],
            [t`The platform's verdict`, success && (verdicts[success] ?? success)],
            [
              t`Recording`,
              recordingUrl && (
                <Anchor href={recordingUrl} target="_blank" rel="noreferrer" size="sm" underline="always">
                  <Trans>Listen at the platform</Trans>
                </Anchor>
              ),
            ],
          ]}
        />
        {transcript && (
          <Text size="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
            {transcript}
          </Text>
        )}
      </Stack>
    </Section>
  );
}

const formatUsd = (amount: number) =>
  new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' }).format(amount);

const verdicts: Partial<Record<string, string>> = {
  true: t`Did what it was for`,
  false: t`Did not do what it was for`,
};

const wasDialled = ({ whyNow }: CallDetail) => whyNow.every(({ decided }) => decided !== 'withdrawn');

const titleOf = ({ patient }: CallDetail) =>
  patient.firstName || patient.lastName ? t`Call with ${nameOf(patient)}` : t`Call with an unknown patient`;

function About({ call }: { call: CallDetail }) {
  return (
    <Stack gap="lg">
      <Section title={t`About`}>
        <Facts
          facts={[
            [
              t`Patient`,
              <Anchor component={Link} to={`/patients/${call.patient.id}`} size="sm">
                {nameOf(call.patient)}
              </Anchor>,
              'long',
            ],
            [
              t`Recovery case`,
              call.recoveryCaseId && (
                <Anchor component={Link} to={`/cases/${call.recoveryCaseId}`} size="sm">
                  <Trans>Show the case</Trans>
                </Anchor>
              ),
            ],
            [t`Workflow`, workflowName(call.workflowType)],
            [t`Direction`, call.direction === 'inbound' ? t`Inbound` : t`Outbound`],
            [t`Phone`, call.phone && <Telephone number={call.phone} />],
            [t`Attempt`, call.attempt > 0 && call.attempt],
            [t`Created`, <Moment at={call.createdAt} near={false} />],
            [t`Answered`, call.startedAt && <Moment at={call.startedAt} near={false} />],
            [t`Ended`, call.endedAt && <Moment at={call.endedAt} near={false} />],
            [t`Length`, lengthOf(call)],
            [t`How it ended`, endingWords(call)],
          ]}
        />
      </Section>
      <Section title={t`For engineers`}>
        <Stack gap="xs">
          <IdLine name={t`Call`} value={call.id} />
          {call.platformCallId && <IdLine name={t`Platform call`} value={call.platformCallId} />}
          {call.workflowId && <IdLine name={t`Workflow`} value={call.workflowId} />}
          {call.endedReason && <IdLine name={t`Ended reason`} value={call.endedReason} />}
        </Stack>
      </Section>
    </Stack>
  );
}
