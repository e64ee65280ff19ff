import { Badge, Group, List, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import * as api from '#api';
import { ServiceButton } from '#forms';
import {
  callSubject,
  CallLink,
  Facts,
  sayFailedOr,
  Section,
  sentence,
  Simulated,
  Status,
  useAccount,
  useMay,
} from '#parts';
import { plural, t, Trans } from '#texts';
import { DayAndTime, Name, nameOf, PageLink, Quiet, Small, Telephone, TimeSince } from '#words';
import classes from './live-calls.module.css';
import { saidFacts } from './said-facts';

type Call = api.CallUnderWay;

/** A card for each call, with the way to make it one's own. */
export function LiveCalls({ items }: { items: Call[] }) {
  return (
    <Section
      title={plural(items.length, { one: 'On the phone now', other: 'On the phone now (#)' })}
      lead={t`A voice agent talks with them.`}
    >
      <SimpleGrid component="ul" className={classes.calls} cols={{ base: 1, sm: items.length > 1 ? 2 : 1 }}>
        {items.map((call) => (
          <Stack key={call.id} component="li" gap={6} className={classes.call}>
            <Who call={call} />
            <Wish call={call} />
            <Done call={call} />
            <TakeOver call={call} />
          </Stack>
        ))}
      </SimpleGrid>
    </Section>
  );
}

const Who = ({ call }: { call: Call }) => (
  <Group justify="space-between" gap={6}>
    <Group gap={8}>
      <Name>
        <PageLink to={`/patients/${call.patient.id}`}>{nameOf(call.patient)}</PageLink>
      </Name>
      {call.phone ? <Telephone number={call.phone} /> : <Small>{t`Number withheld`}</Small>}
      {!call.isKnown && <Badge color="yellow">{t`Not on file yet`}</Badge>}
      <Simulated of={call} />
    </Group>
    <Text size="sm" component="div">
      {call.state === 'RINGING' ? <Status state={call.state} /> : <TimeSince at={call.startedAt ?? call.createdAt} />}
    </Text>
  </Group>
);

/** What the call is about, by its workflow and by what the patient has said. */
const Wish = ({ call }: { call: Call }) => {
  const said = [
    ...(call.reasonForVisit ? [[t`Reason for visit`, call.reasonForVisit] as [string, string]] : []),
    ...saidFacts(call.barrier),
  ];
  return (
    <Text size="sm" component="div">
      {call.direction === 'inbound' ? t`They called` : t`We called`}: {callSubject(call.workflowType, call.formName)}
      {call.appointmentStartsAt && (
        <>
          {' · '}
          <Trans>
            visit on <DayAndTime at={call.appointmentStartsAt} />
          </Trans>
        </>
      )}
      {said.length > 0 && <Facts facts={said} />}
    </Text>
  );
};

const Done = ({ call: { did, lastTool } }: { call: Call }) =>
  did.length > 0 ? (
    <List size="sm" aria-label={t`Done in this call`}>
      {did.map(({ fact, at, startsAt }) => (
        <List.Item key={`${fact}-${at}`}>{changes[fact](startsAt)}</List.Item>
      ))}
    </List>
  ) : (
    <Quiet>{lastTool ? t`Nothing is settled yet. Last: ${sentence(lastTool)}.` : t`Nothing is settled yet.`}</Quiet>
  );

/** With the time of the visit, where it is one. */
const changes: Record<api.ToolFact, (startsAt: string | null) => ReactNode> = {
  booked: (at) =>
    at ? (
      <Trans>
        Booked: <DayAndTime at={at} />
      </Trans>
    ) : (
      t`Booked a visit`
    ),
  rescheduled: (at) =>
    at ? (
      <Trans>
        Moved to <DayAndTime at={at} />
      </Trans>
    ) : (
      t`Moved the visit`
    ),
  cancelled: () => t`Cancelled the visit`,
  documented: () => t`Wrote a note`,
  escalated: () => t`Left a question for the care team`,
  billing_escalated: () => t`Left a question for billing`,
  self_pay: () => t`The patient pays without insurance`,
  insurance_updated: () => t`Checked the insurance: it is valid`,
  registered: () => t`Took all that registration needs`,
  declined: () => t`The patient declined`,
};

function TakeOver({ call: { id: callId, takenOver } }: { call: Call }) {
  const { accountId } = useAccount();
  const mayTake = useMay()('tasks');
  const navigate = useNavigate();
  // Its card is gone when the call is over: what came of it is on its page.
  const toTheCall = { label: t`Show the call`, onClick: () => void navigate(`/calls/${callId}`) };
  return (
    <Group gap="md" mt={4}>
      {takenOver === null
        ? mayTake && (
            <ServiceButton
              size="xs"
              does={api.postCallsByCallIdTakeOverMutation()}
              request={{ path: { callId } }}
              label={t`Take over`}
              ask={{
                title: t`Take this call over?`,
                what: t`The follow-up becomes your task, and the service calls nobody about it any more. The agent finishes this call: it cannot be handed over from here.`,
              }}
              done={t`The follow-up is your task.`}
              onRefused={(error) => sayFailedOr(error, toTheCall)}
              refresh={['calls', 'tasks', 'cases', 'runs', 'overview']}
            />
          )
        : taskLink(takenOver, takenOver.by.id === accountId)}
      <CallLink id={callId} size="sm" />
    </Group>
  );
}

const taskLink = ({ taskId, by }: NonNullable<Call['takenOver']>, isMine: boolean) => (
  <PageLink to={`/tasks?task=${taskId}`} size="sm">
    {isMine ? t`Your task` : t`Taken over by ${by.name}`}
  </PageLink>
);
