import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import type * as Api from '../http/client/types.gen';
import {
  IconCheckupList,
  IconClipboardText,
  IconFlag,
  IconForms,
  IconMessageCircleQuestion,
  IconPhone,
  IconSend,
  IconWebhook,
} from '../icons';
import { DeliveryState, NextTry } from './delivery-state';
import { endingWords } from './call-ending';
import { eventName } from './event-names';
import { Facts } from './facts';
import { DayAndTime, formatDuration, Moment } from './moment';
import { outboundError } from './outbound-errors';
import { saidFacts } from './said-facts';
import { labelOf, Status } from './status';
import { taskTitle, taskWhy } from './task-reasons';
import { Happening, Timeline } from './timeline';
import { Tools } from './tools';
import { Why } from './why-called';

type Entry = Api.TimelineEntry;
type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

/** What happened to a case, oldest first, and what it waits for now. */
export function CaseTimeline({ recoveryCase }: { recoveryCase: Api.RecoveryCaseDetail }) {
  return (
    <Stack gap="md">
      <Timeline label="What happened">
        {recoveryCase.timeline.map((entry) => (
          <EntryView key={keyOf(entry)} entry={entry} />
        ))}
      </Timeline>
      {recoveryCase.endedAt === null && (
        <Text size="sm" c="dimmed" role="status">
          <Now recoveryCase={recoveryCase} /> This page follows by itself.
        </Text>
      )}
    </Stack>
  );
}

function Now({ recoveryCase: { recoveryStatus, nextCall, queuedAt } }: { recoveryCase: Api.RecoveryCaseDetail }) {
  if (recoveryStatus === 'CALLING') return 'A call is under way.';
  if (nextCall?.reason === 'paused') return 'The call is due and is made when outreach goes on: it is paused.';
  if (queuedAt) {
    return (
      <>
        The call is due and waits for a free line, since <Moment at={queuedAt} />:{' '}
        <Anchor component={Link} to="/queue" inherit underline="always">
          the queue
        </Anchor>
        .
      </>
    );
  }
  if (!nextCall) return 'The case is about to take its next step.';
  return (
    <>
      The next call is due <DayAndTime at={nextCall.at} />: {waitWords[nextCall.reason]}.
    </>
  );
}

const waitWords: Record<NonNullable<Api.RecoveryCaseDetail['nextCall']>['reason'], string> = {
  first_call_delay: 'your calling policy gives patients this long to finish by themselves',
  between_attempts: 'your calling policy leaves this long between two attempts',
  patient_limits: 'the patient has had as many calls as your calling policy allows',
  clinic_limit: 'your clinic has called as many different numbers today as it may',
  calling_hours: 'your calling hours open then',
  patient_hours: 'it is then between 8:00 and 20:00 where the patient may be',
  paused: 'outreach is paused',
};

function keyOf(entry: Entry): string {
  if (entry.kind === 'call') return entry.call.id;
  if (entry.kind === 'task') return `task-${entry.task.id}`;
  if (entry.kind === 'delivery') return `delivery-${entry.delivery.id}`;
  if (entry.kind === 'decision') return `decision-${entry.at}-${entry.decision.rule}`;
  return `${entry.kind}-${entry.at}`;
}

function EntryView({ entry }: { entry: Entry }) {
  switch (entry.kind) {
    case 'event':
      return <Happening at={entry.at} icon={IconWebhook} title={inboundTitles[entry.event]} />;
    case 'created':
      return <Happening at={entry.at} icon={IconForms} title="Case opened" />;
    case 'call':
      return <CallEntry entry={entry} />;
    case 'decision':
      return (
        <Happening at={entry.at} icon={IconPhone} title={decisionTitles[entry.decision.decided]}>
          <Text size="sm" c="dimmed">
            <Why decision={entry.decision} />
          </Text>
        </Happening>
      );
    case 'barrier':
      return (
        <Happening at={entry.at} icon={IconMessageCircleQuestion} title="Barrier understood" tone="busy">
          <Facts facts={saidFacts(entry.barrier)} />
        </Happening>
      );
    case 'outcome':
      return (
        <Happening
          at={entry.at}
          icon={IconFlag}
          title={`Outcome: ${labelOf(entry.recoveryStatus)}`}
          tone={entry.recoveryStatus === 'RECOVERED' || entry.recoveryStatus === 'ALREADY_COMPLETED' ? 'good' : 'warn'}
        >
          <Facts facts={[['Cancelled by', entry.cancelledBy], ...saidFacts(entry.resolution)]} />
        </Happening>
      );
    case 'task':
      return (
        <Happening
          at={entry.at}
          icon={IconCheckupList}
          title={`Task: ${taskTitle(entry.task.reason)}`}
          tone={entry.task.state === 'OPEN' ? 'warn' : 'quiet'}
          aside={<Status state={entry.task.state} />}
        >
          {taskWhy(entry.task.reason)} {entry.task.assignee ? `Assigned to ${entry.task.assignee.name}.` : ''}
        </Happening>
      );
    case 'delivery':
      return <DeliveryEntry entry={entry} />;
  }
}

const decisionTitles: Record<Api.CallDecision['decided'], string> = {
  call: 'Call decided',
  begun: 'Call dialled',
  wait: 'Not called yet',
  no_call: 'Not called any more',
  withdrawn: 'Call withdrawn',
};

const inboundTitles: Record<EntryOf<'event'>['event'], string> = {
  'forms.abandoned': 'Form abandoned',
  'forms.completed': 'Form completed',
};

function CallEntry({ entry: { at, call } }: { entry: EntryOf<'call'> }) {
  const isOver = call.state === 'ENDED';
  const why = call.whyNow.at(-1);
  const title = call.isTest ? 'Test call' : `Call, attempt ${call.attempt}`;
  return (
    <Happening
      at={at}
      icon={IconPhone}
      title={
        <Anchor component={Link} to={`/calls/${call.id}`} inherit>
          {title}
        </Anchor>
      }
      tone={isOver ? 'quiet' : 'busy'}
      aside={isOver ? undefined : <Status state={call.state} />}
    >
      <Stack gap={6}>
        {isOver && (
          <Text size="sm" c="dimmed">
            {endingWords(call)}
            {call.startedAt &&
              call.endedAt &&
              `, after ${formatDuration(Date.parse(call.endedAt) - Date.parse(call.startedAt))}`}
          </Text>
        )}
        {why && (
          <Text size="xs" c="dimmed">
            <Why decision={why} />
          </Text>
        )}
        {call.summary && <Text size="sm">{call.summary}</Text>}
        {call.tools.length > 0 && <Tools tools={call.tools} />}
      </Stack>
    </Happening>
  );
}

function DeliveryEntry({ entry: { at, delivery } }: { entry: EntryOf<'delivery'> }) {
  const last = delivery.attempts.at(-1);
  return (
    <Happening
      at={at}
      icon={delivery.event === 'recovery_case.outcome' ? IconSend : IconClipboardText}
      title={
        <Anchor component={Link} to={`/deliveries/${delivery.id}`} inherit>
          Event: {eventName(delivery.event)}
        </Anchor>
      }
      tone={delivery.state === 'DEAD' ? 'bad' : 'quiet'}
      aside={<DeliveryState delivery={delivery} />}
    >
      {last && (
        <Text size="sm" c="dimmed">
          {last.status ? `Your endpoint answered ${last.status}` : outboundError(last.error ?? 'network')}
          {delivery.attempts.length > 1 && `, ${delivery.attempts.length} attempts`}
          {delivery.state === 'PENDING' && (
            <>
              , next try <NextTry delivery={delivery} />
            </>
          )}
        </Text>
      )}
    </Happening>
  );
}
