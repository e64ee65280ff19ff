import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import type * as api from '#api';
import {
  IconCheckupList,
  IconClipboardText,
  IconFlag,
  IconForms,
  IconMessageCircleQuestion,
  IconPhone,
  IconSend,
  IconWebhook,
} from '#icons';
import { Facts, Happening, labelOf, Status, Timeline } from '#parts';
import { plural, t, Trans } from '#texts';
import { ClockTime, DayAndTime, formatDuration, Moment, PageLink, Quiet, Small, TextLink } from '#words';
import { DeliveryState, NextTry } from '../events/delivery-state';
import { eventName } from '../events/event-names';
import { outboundError } from '../events/outbound-errors';
import { ResolveTask } from '../tasks/task-outcomes';
import { taskTitle, taskWhy } from '../tasks/task-reasons';
import { endingWords } from './call-ending';
import classes from './case-timeline.module.css';
import { saidFacts } from './said-facts';
import { Tools } from './tools';
import { countedWaits, EarlierWaits, foldWaits } from './waits';
import { Why } from './why-called';

type Entry = api.TimelineEntry;
type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

/** What happened to a patient, oldest first, and what the case waits for now; folded below it, what the clinic's system was told. */
export function CaseTimeline({ recoveryCase }: { recoveryCase: api.RecoveryCaseDetail }) {
  const told = recoveryCase.timeline.filter((entry) => entry.kind === 'delivery');
  const story = storyOf(recoveryCase.timeline);
  return (
    <Stack gap="md">
      <Timeline label={t`What happened`}>
        {story.map((line) => (
          <EntryView key={keyOf(line.entry)} {...line} whyNoCall={whyNoCall(recoveryCase)} />
        ))}
      </Timeline>
      {recoveryCase.endedAt === null && (
        <Quiet role="status">
          <Now recoveryCase={recoveryCase} /> {t`This page updates by itself.`}
        </Quiet>
      )}
      {told.length > 0 && (
        <details className={classes.folded}>
          <summary>{toldInWords(told)}</summary>
          <Timeline label={t`What your system was told`}>
            {told.map((entry) => (
              <DeliveryEntry key={keyOf(entry)} entry={entry} />
            ))}
          </Timeline>
        </details>
      )}
    </Stack>
  );
}

function Now({ recoveryCase: { recoveryStatus, nextCall, queuedAt } }: { recoveryCase: api.RecoveryCaseDetail }) {
  if (recoveryStatus === 'CALLING') return t`A call is under way.`;
  if (nextCall?.reason === 'paused') return t`The call is due. Outreach is paused: it is placed once that is resumed.`;
  if (queuedAt) {
    return (
      <Trans>
        The call is due and waits for a free line, since <Moment at={queuedAt} />:{' '}
        <TextLink to="/queue">the queue</TextLink>.
      </Trans>
    );
  }
  if (!nextCall) return t`The case is about to take its next step.`;
  return (
    <Trans>
      The next call is due <DayAndTime at={nextCall.at} />: {waitWords[nextCall.reason]}.
    </Trans>
  );
}

const waitWords: Record<NonNullable<api.RecoveryCaseDetail['nextCall']>['reason'], string> = {
  first_call_delay: t`your calling policy gives patients this long to finish by themselves`,
  between_attempts: t`your calling policy leaves this long between two attempts`,
  patient_called: t`the patient has called meanwhile`,
  patient_limits: t`the patient has had as many calls as your calling policy allows`,
  clinic_limit: t`your clinic has called as many different numbers today as it may`,
  calling_hours: t`your calling hours open then`,
  patient_hours: t`it is then between 8:00 and 20:00 where the patient may be`,
  preferred_hours: t`the patient asked to be called from then on`,
  paused: t`outreach is paused`,
};

function keyOf(entry: Entry): string {
  if (entry.kind === 'call') return entry.call.id;
  if (entry.kind === 'task') return `task-${entry.task.id}`;
  if (entry.kind === 'delivery') return `delivery-${entry.delivery.id}`;
  if (entry.kind === 'decision') return `decision-${entry.at}-${entry.decision.rule}`;
  return `${entry.kind}-${entry.at}`;
}

/** An entry of the story; a call with those that came to nothing before it in the same attempt, a wait with those right before it. */
interface Told {
  entry: Entry;
  earlierTries: EntryOf<'call'>[];
  earlierWaits: api.CallDecision[];
}

/** Without deliveries. A dial that the voice platform refused, and the one that was made instead, are tries of one attempt. */
function storyOf(timeline: Entry[]): Told[] {
  const isTryOf =
    ({ call }: EntryOf<'call'>) =>
    (other: Entry): other is EntryOf<'call'> =>
      other.kind === 'call' && !other.call.isTest && !call.isTest && other.call.attempt === call.attempt;
  const isWait = (entry: Entry) => entry.kind === 'decision' && entry.decision.decided === 'wait';
  const lines = foldWaits(
    timeline.filter((entry) => entry.kind !== 'delivery'),
    (entry) => (isWait(entry) ? entry.kind : null),
  );
  return lines.flatMap((line): Told[] => {
    const entry = line.at(-1);
    if (!entry) return [];
    const earlierWaits = line.slice(0, -1).flatMap((wait) => (wait.kind === 'decision' ? [wait.decision] : []));
    const tries = entry.kind === 'call' ? timeline.filter(isTryOf(entry)) : [];
    if (tries.length > 1 && tries.at(-1) !== entry) return [];
    return [{ entry, earlierTries: tries.slice(0, -1), earlierWaits }];
  });
}

function toldInWords(told: EntryOf<'delivery'>[]): string {
  const dead = told.filter(({ delivery }) => delivery.state === 'DEAD').length;
  const waiting = told.filter(({ delivery }) => delivery.state === 'PENDING').length;
  const events = [
    plural(told.length, { one: 'one event', other: '# events' }),
    dead > 0 && t`${dead} given up`,
    waiting > 0 && t`${waiting} still to be delivered`,
  ].filter(Boolean);
  return t`What your system was told: ${events.join(', ')}`;
}

/** Why a case ended without a call; what the calling rules decided has entries of its own. */
function whyNoCall({ recoveryStatus, form, createdAt, timeline }: api.RecoveryCaseDetail): string | null {
  const wasCalled = timeline.some((entry) => entry.kind === 'call' && !entry.call.isTest);
  if (wasCalled || recoveryStatus !== 'ALREADY_COMPLETED') return null;
  const laterMs = Date.parse(form.completedAt ?? createdAt) - Date.parse(form.abandonedAt ?? createdAt);
  return laterMs > 0
    ? t`Not called: the form was completed ${formatDuration(laterMs)} after it was left.`
    : t`Not called: the form had been completed.`;
}

function EntryView({ entry, earlierTries, earlierWaits, whyNoCall: why }: Told & { whyNoCall: string | null }) {
  switch (entry.kind) {
    case 'event':
      return <Happening at={entry.at} icon={IconWebhook} title={inboundTitles[entry.event]} />;
    case 'created':
      return <Happening at={entry.at} icon={IconForms} title={t`Case opened`} />;
    case 'call':
      return <CallEntry entry={entry} earlierTries={earlierTries} />;
    case 'decision':
      return (
        <Happening
          at={entry.at}
          icon={IconPhone}
          title={countedWaits(decisionTitles[entry.decision.decided], earlierWaits.length + 1)}
        >
          <Quiet>
            <Why decision={entry.decision} />
          </Quiet>
          <EarlierWaits decisions={earlierWaits} />
        </Happening>
      );
    case 'barrier':
      return (
        <Happening at={entry.at} icon={IconMessageCircleQuestion} title={t`Barrier understood`} tone="busy">
          <Facts facts={saidFacts(entry.barrier)} />
        </Happening>
      );
    case 'outcome':
      return (
        <Happening
          at={entry.at}
          icon={IconFlag}
          title={t`Outcome: ${labelOf(entry.recoveryStatus)}`}
          tone={entry.recoveryStatus === 'RECOVERED' || entry.recoveryStatus === 'ALREADY_COMPLETED' ? 'good' : 'warn'}
        >
          {why && <Quiet>{why}</Quiet>}
          <Facts facts={[[t`Cancelled by`, entry.cancelledBy], ...saidFacts(entry.resolution)]} />
        </Happening>
      );
    case 'task':
      return (
        <Happening
          at={entry.at}
          icon={IconCheckupList}
          title={t`Task: ${taskTitle(entry.task.reason)}`}
          tone={entry.task.state === 'OPEN' ? 'warn' : 'quiet'}
          aside={<Status state={entry.task.state} />}
        >
          {taskWhy(entry.task.reason)} {entry.task.assignee ? t`Assigned to ${entry.task.assignee.name}.` : ''}
          <Group gap="sm" mt={6}>
            {entry.task.state === 'OPEN' && <ResolveTask task={entry.task} />}
            <PageLink to={`/tasks?show=all&task=${entry.task.id}`}>{t`Open the task`}</PageLink>
          </Group>
        </Happening>
      );
    case 'delivery':
      return null;
  }
}

const decisionTitles: Record<api.CallDecision['decided'], string> = {
  call: t`Call decided`,
  begun: t`Call dialled`,
  wait: t`Not called yet`,
  no_call: t`Not called any more`,
  withdrawn: t`Call withdrawn`,
};

const inboundTitles: Record<EntryOf<'event'>['event'], string> = {
  'forms.abandoned': t`Form abandoned`,
  'forms.completed': t`Form completed`,
};

function CallEntry({ entry: { at, call }, earlierTries }: { entry: EntryOf<'call'>; earlierTries: EntryOf<'call'>[] }) {
  const isOver = call.state === 'ENDED';
  const why = call.whyNow.at(-1);
  const title = call.isTest ? t`Test call` : t`Call, attempt ${call.attempt}`;
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
          <Quiet>
            {endingWords(call)}
            {call.startedAt &&
              call.endedAt &&
              t`, after ${formatDuration(Date.parse(call.endedAt) - Date.parse(call.startedAt))}`}
          </Quiet>
        )}
        {why && (
          <Small>
            <Why decision={why} />
          </Small>
        )}
        {earlierTries.length > 0 && (
          <details className={classes.folded}>
            <summary>{plural(earlierTries.length, { one: 'One try before it', other: '# tries before it' })}</summary>
            <Stack component="ul" gap={2} m={0} pl="md">
              {earlierTries.map((earlier) => (
                <Text component="li" size="sm" key={earlier.call.id}>
                  <Anchor component={Link} to={`/calls/${earlier.call.id}`} inherit>
                    <ClockTime at={earlier.at} withSeconds />
                  </Anchor>
                  : {endingWords(earlier.call) ?? t`under way`}
                </Text>
              ))}
            </Stack>
          </details>
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
          {t`Event: ${eventName(delivery.event)}`}
          {delivery.endpoint && ` · ${delivery.endpoint.name}`}
        </Anchor>
      }
      tone={delivery.state === 'DEAD' ? 'bad' : 'quiet'}
      aside={<DeliveryState delivery={delivery} />}
    >
      {last && (
        <Quiet>
          {last.status ? t`Your endpoint answered ${last.status}` : outboundError(last.error ?? 'network')}
          {delivery.attempts.length > 1 && t`, ${delivery.attempts.length} attempts`}
          {delivery.state === 'PENDING' && (
            <Trans>
              , next try <NextTry delivery={delivery} />
            </Trans>
          )}
        </Quiet>
      )}
    </Happening>
  );
}
