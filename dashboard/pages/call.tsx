import { Anchor, Badge, Button, Grid, Group, Stack, Text } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  deleteVoiceTestCallsByCallIdMutation,
  getCallsByCallIdOptions,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IdLine } from '../parts/copy';
import { endingWords } from '../parts/call-ending';
import { Facts } from '../parts/facts';
import { formatDuration, Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { nameOf } from '../parts/person';
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
  const found = useQuery(getCallsByCallIdOptions({ path: { callId } }));
  return (
    <Page
      title={found.data ? titleOf(found.data) : 'Call'}
      lead={
        found.data && (
          <Group gap={6}>
            <Status state={found.data.state} />
            <Simulated of={found.data} />
            {found.data.isTest && <Badge color="gray">Test</Badge>}
          </Group>
        )
      }
      back={{ to: '/calls', label: 'Calls' }}
      actions={found.data && isOpenTest(found.data) && <CloseTest callId={found.data.id} />}
    >
      <Loaded query={found}>
        {(call) => (
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 8 }}>
              <Stack gap="lg">
                <Section title="Summary">
                  {call.summary ? (
                    <Text size="sm">{call.summary}</Text>
                  ) : (
                    <Nothing>
                      {call.state === 'ENDED' ? 'The platform sent none.' : 'It is written when the call is over.'}
                    </Nothing>
                  )}
                </Section>
                {call.evidence && <Evidence of={call.evidence} />}
                {call.whyNow.length > 0 && (
                  <Section
                    title={wasDialled(call) ? 'Why it was called then' : 'Why it was not called'}
                    lead="What decided, and what it was decided by."
                  >
                    <WhyCalled decisions={call.whyNow} />
                  </Section>
                )}
                <Section title="Tools">
                  {call.tools.length > 0 ? <Tools tools={call.tools} /> : <Nothing>The agent has used none.</Nothing>}
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
    onSuccess: () => sayDone('The test call is closed.'),
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <Button variant="default" loading={close.isPending} onClick={() => close.mutate({ path: { callId } })}>
      Close the test call
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
    <Section title="What was said" lead="As the voice platform handed it over. It is deleted after some time.">
      <Stack gap="sm">
        <Facts
          facts={[
            ['Talked for', durationSeconds !== null && formatDuration(durationSeconds * 1000)],
            ['Cost', costUsd !== null && `${costUsd.toFixed(2)} USD`],
            ["The platform's verdict", success && (verdicts[success] ?? success)],
            [
              'Recording',
              recordingUrl && (
                <Anchor href={recordingUrl} target="_blank" rel="noreferrer" size="sm" underline="always">
                  Listen at the platform
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

const verdicts: Partial<Record<string, string>> = { true: 'Did what it was for', false: 'Did not do what it was for' };

const wasDialled = ({ whyNow }: CallDetail) => whyNow.every(({ decided }) => decided !== 'withdrawn');

const titleOf = ({ patient }: CallDetail) =>
  patient.firstName || patient.lastName ? `Call with ${nameOf(patient)}` : 'Call with an unknown patient';

function About({ call }: { call: CallDetail }) {
  return (
    <Stack gap="lg">
      <Section title="About">
        <Facts
          facts={[
            [
              'Patient',
              <Anchor component={Link} to={`/patients/${call.patient.id}`} size="sm">
                {nameOf(call.patient)}
              </Anchor>,
            ],
            [
              'Recovery case',
              call.recoveryCaseId && (
                <Anchor component={Link} to={`/cases/${call.recoveryCaseId}`} size="sm">
                  Show the case
                </Anchor>
              ),
            ],
            ['Workflow', workflowName(call.workflowType)],
            ['Direction', call.direction === 'inbound' ? 'Inbound' : 'Outbound'],
            ['Phone', call.phone],
            ['Attempt', call.attempt > 0 && call.attempt],
            ['Created', <Moment at={call.createdAt} near={false} />],
            ['Answered', call.startedAt && <Moment at={call.startedAt} near={false} />],
            ['Ended', call.endedAt && <Moment at={call.endedAt} near={false} />],
            ['Length', lengthOf(call)],
            ['How it ended', endingWords(call)],
          ]}
        />
      </Section>
      <Section title="For engineers">
        <Stack gap="xs">
          <IdLine name="Call" value={call.id} />
          {call.platformCallId && <IdLine name="Platform call" value={call.platformCallId} />}
          {call.workflowId && <IdLine name="Workflow" value={call.workflowId} />}
          {call.endedReason && <IdLine name="Ended reason" value={call.endedReason} />}
        </Stack>
      </Section>
    </Stack>
  );
}
