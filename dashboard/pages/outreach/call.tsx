import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import * as api from '#api';
import { ServiceButton } from '#forms';
import { useIsNarrow } from '#lists';
import {
  CaseLink,
  Facts,
  IdLine,
  PatientLink,
  RecordPage,
  Section,
  sentence,
  Simulated,
  Status,
  workflowName,
} from '#parts';
import { t } from '#texts';
import { formatDuration, Moment, nameOf, OutsideLink, PageLink, Quiet, Telephone } from '#words';
import { locale } from '../../language';
import { endingWords } from './call-ending';
import { lengthOf } from './calls';
import { Tools } from './tools';
import { WhyCalled } from './why-called';

type CallDetail = api.CallWithEvidence;

export function Call() {
  const { callId = '' } = useParams();
  return (
    <RecordPage
      query={useQuery(api.getCallsByCallIdOptions({ path: { callId } }))}
      kind={t`Call`}
      title={titleOf}
      back={{ to: '/calls', label: t`Calls` }}
      lead={(call) => <Lead call={call} />}
      actions={(call) => isOpenTest(call) && <CloseTest callId={call.id} />}
      side={(call) => <About call={call} />}
    >
      {(call) => <Course call={call} />}
    </RecordPage>
  );
}

/** On a narrow screen the panel with both links comes after what was said. */
function Lead({ call }: { call: CallDetail }) {
  const isNarrow = useIsNarrow();
  return (
    <Group gap="xs">
      <Status state={call.state} />
      <Simulated of={call} />
      {call.isTest && <Badge color="gray">{t`Test`}</Badge>}
      {isNarrow && <PageLink py={4} to={`/patients/${call.patient.id}`}>{t`Show the patient`}</PageLink>}
      {isNarrow && call.recoveryCaseId && <CaseLink py={4} id={call.recoveryCaseId} />}
    </Group>
  );
}

const Course = ({ call }: { call: CallDetail }) => (
  <>
    <Section title={t`Summary`}>
      {call.summary ? (
        <Text size="sm">{call.summary}</Text>
      ) : (
        <Quiet>{call.state === 'ENDED' ? t`The platform sent none.` : t`It is written when the call is over.`}</Quiet>
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
      {call.tools.length > 0 ? <Tools tools={call.tools} /> : <Quiet>{t`The agent has used none.`}</Quiet>}
    </Section>
    {call.ehrRequests.length > 0 && <EhrRequests of={call} />}
  </>
);

/** Step by step what the clinic's own system was asked, each step under the tool that asked it. */
const EhrRequests = ({ of: { ehrRequests, tools } }: { of: CallDetail }) => (
  <Section
    title={t`What your EHR was asked`}
    lead={t`Each request in order, with its status and how long it took. No data of the patient is kept of it.`}
    flush
  >
    <Table.ScrollContainer minWidth={0}>
      <Table aria-label={t`Requests to your EHR`}>
        <Table.Tbody>
          {ehrRequests.map(({ at, method, path, status, milliseconds }, index) => (
            <Table.Tr key={index}>
              <Table.Td>{sentence(toolAt(tools, at))}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <code>
                  {method} {path}
                </code>
              </Table.Td>
              <Table.Td>{status ?? t`no answer`}</Table.Td>
              <Table.Td>{t`${milliseconds} ms`}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  </Section>
);

/** The last tool that had begun by then. */
const toolAt = (tools: CallDetail['tools'], at: string): string =>
  tools.findLast(({ startedAt }) => startedAt <= at)?.tool ?? '';

/** A test call without a phone is open until somebody closes it; one that rang ends as its call does. */
const isOpenTest = ({ isTest, direction, state }: CallDetail) => isTest && direction === 'inbound' && state !== 'ENDED';

const CloseTest = ({ callId }: { callId: string }) => (
  <ServiceButton
    does={api.deleteVoiceTestCallsByCallIdMutation()}
    done={t`The test call is closed.`}
    refresh={['calls', 'cases']}
    request={{ path: { callId } }}
    label={t`Close the test call`}
    isForAdmins
  />
);

/** What the platform handed over: everything that was said, so it stands behind nothing else. */
const Evidence = ({
  of: { transcript, recordingUrl, costUsd, durationSeconds, success },
}: {
  of: NonNullable<CallDetail['evidence']>;
}) => (
  <Section
    title={t`What was said`}
    lead={t`As the voice platform handed it over. It is deleted after some time.`}
    gap="sm"
  >
    <Facts
      facts={[
        [t`Talked for`, durationSeconds !== null && formatDuration(durationSeconds * 1000)],
        [t`Cost`, costUsd !== null && formatUsd(costUsd)],
        [t`The platform’s evaluation`, success && (verdicts[success] ?? success)],
        [
          t`Recording`,
          recordingUrl && (
            <OutsideLink href={recordingUrl} underline="always">
              {t`Listen at the platform`}
            </OutsideLink>
          ),
        ],
      ]}
    />
    {transcript && (
      <Text size="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
        {transcript}
      </Text>
    )}
  </Section>
);

const formatUsd = (amount: number) =>
  new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' }).format(amount);

const verdicts: Partial<Record<string, string>> = {
  true: t`Goal met`,
  false: t`Goal not met`,
};

const wasDialled = ({ whyNow }: CallDetail) => whyNow.every(({ decided }) => decided !== 'withdrawn');

const titleOf = ({ patient }: CallDetail) =>
  patient.firstName || patient.lastName ? t`Call with ${nameOf(patient)}` : t`Call with an unknown patient`;

const About = ({ call }: { call: CallDetail }) => (
  <Stack gap="lg">
    <Section title={t`About`}>
      <Facts
        facts={[
          [t`Patient`, <PatientLink of={call.patient} />, 'long'],
          [t`Recovery case`, call.recoveryCaseId && <CaseLink id={call.recoveryCaseId} />],
          [t`Workflow`, workflowName(call.workflowType)],
          [t`Form`, call.formName, 'long'],
          [t`Direction`, call.direction === 'inbound' ? t`Inbound` : t`Outbound`],
          [t`Phone`, call.phone && <Telephone number={call.phone} />],
          [t`Attempt`, call.attempt > 0 && call.attempt],
          [t`Created`, <Moment at={call.createdAt} near={false} />],
          [t`Answered`, call.startedAt && <Moment at={call.startedAt} near={false} />],
          [t`Ended`, call.endedAt && <Moment at={call.endedAt} near={false} />],
          [t`Duration`, lengthOf(call)],
          [t`How it ended`, endingWords(call)],
        ]}
      />
    </Section>
    <Section title={t`Technical details`} gap="xs">
      <IdLine name={t`Call`} value={call.id} />
      {call.platformCallId && <IdLine name={t`Platform call`} value={call.platformCallId} />}
      {call.workflowId && <IdLine name={t`Workflow`} value={call.workflowId} />}
      {call.endedReason && <IdLine name={t`Ended reason`} value={call.endedReason} />}
    </Section>
  </Stack>
);
