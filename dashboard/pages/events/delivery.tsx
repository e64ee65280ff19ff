import { Alert, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import * as api from '#api';
import { ServiceButton } from '#forms';
import { IconRefresh } from '#icons';
import { type Column, Records } from '#lists';
import {
  CaseLink,
  CodeBlock,
  CopyLine,
  Empty,
  Facts,
  PatientLink,
  RecordPage,
  Section,
  useAccount,
  workflowName,
} from '#parts';
import { t } from '#texts';
import { ClockTime, formatDuration, Moment, Name, Small } from '#words';
import { DeliveryState, NextTry } from './delivery-state';
import { endpointName } from './endpoint-names';
import { eventName } from './event-names';
import { outboundError } from './outbound-errors';

type Delivery = api.Delivery;

export function Delivery() {
  const { deliveryId = '' } = useParams();
  return (
    <RecordPage
      query={useQuery(api.getDeliveriesByDeliveryIdOptions({ path: { deliveryId } }))}
      kind={t`Delivery`}
      title={({ event }) => eventName(event)}
      back={{ to: '/deliveries', label: t`Deliveries` }}
      actions={(delivery) => <SendAgain delivery={delivery} />}
    >
      {(delivery) => (
        <>
          <About delivery={delivery} />
          <Attempts delivery={delivery} />
          <Body delivery={delivery} />
        </>
      )}
    </RecordPage>
  );
}

const SendAgain = ({ delivery }: { delivery: Delivery }) => (
  <ServiceButton
    does={api.postDeliveriesByDeliveryIdResendMutation()}
    done={t`The event is being sent again.`}
    refresh={['deliveries']}
    request={{ path: { deliveryId: delivery.id } }}
    icon={IconRefresh}
    label={t`Send again`}
  />
);

function About({ delivery }: { delivery: Delivery }) {
  const { about, isSample } = delivery;
  return (
    <Section title={t`About`}>
      <Facts
        facts={[
          [t`Status`, <DeliveryState delivery={delivery} />],
          [t`Created`, <Moment at={delivery.createdAt} near={false} />],
          [t`Delivered`, delivery.deliveredAt && <Moment at={delivery.deliveredAt} near={false} />],
          [t`Next try`, delivery.state === 'PENDING' && <NextTry delivery={delivery} />],
          [t`Patient`, about?.patient && <PatientLink of={about.patient} />, 'long'],
          [t`Workflow`, about && workflowName(about.workflowType)],
          [t`Recovery case`, about?.recoveryCaseId && <CaseLink id={about.recoveryCaseId} />],
          [t`Sample`, isSample && t`Sent on request; it is about no real patient`],
          [t`Endpoint`, endpointName(delivery.endpoint)],
          [t`Event`, <code>{delivery.event}</code>, 'long'],
          ['webhook-id', <CopyLine value={delivery.eventId} what={t`the webhook id`} />, 'long'],
        ]}
      />
      {delivery.state === 'DEAD' && (
        <Alert color="red" mt="md">
          {t`The endpoint never accepted this event. It is not tried any more unless you send it again.`}
        </Alert>
      )}
    </Section>
  );
}

const Attempts = ({ delivery: { attempts } }: { delivery: Delivery }) => (
  <Section title={t`Attempts`} flush>
    {attempts.length === 0 ? (
      <Empty title={t`No attempt has been made yet`} />
    ) : (
      <Records label={t`Attempts`} rows={attempts.toReversed()} columns={attemptColumns} keyOf={({ at }) => at} />
    )}
  </Section>
);

const attemptColumns: Column<Delivery['attempts'][number]>[] = [
  { head: t`Time`, cell: ({ at }) => <ClockTime at={at} withSeconds /> },
  { head: t`Response`, cell: (attempt) => <Answer attempt={attempt} /> },
  { head: t`Duration`, cell: ({ durationMs }) => formatDuration(durationMs) },
  {
    head: t`Sent to`,
    cell: ({ url }) => (
      <Text size="sm" component="code">
        {url || '–'}
      </Text>
    ),
    isLong: true,
  },
];

function Answer({ attempt: { status, error, response } }: { attempt: Delivery['attempts'][number] }) {
  const words = status === null ? outboundError(error ?? 'network') : response;
  return (
    <>
      <Name>{status ?? t`No answer`}</Name>
      {words && <Small lineClamp={3}>{words}</Small>}
    </>
  );
}

/** The request as it went out; the signature is made again for each attempt. */
function Body({ delivery }: { delivery: Delivery }) {
  const { clinic } = useAccount();
  const body = { event: delivery.event, clinicId: clinic.id, sentAt: delivery.createdAt, data: delivery.data };
  const last = delivery.attempts.at(-1);
  return (
    <Section title={t`Request and response`} gap="sm">
      <Title order={3}>{t`Request`}</Title>
      <CodeBlock
        what={t`the request`}
        text={[
          t`POST ${last?.url ?? t`(main endpoint)`}`,
          'content-type: application/json',
          'user-agent: clinic-workflows/1',
          `webhook-id: ${delivery.eventId}`,
          t`webhook-timestamp: (seconds, at each attempt)`,
          t`webhook-signature: v1,(of id, timestamp and body)`,
          ...(delivery.isSample || delivery.about?.isSimulated ? ['x-clinic-simulated: true'] : []),
          '',
          JSON.stringify(body, null, 2),
        ].join('\n')}
      />
      {last && (
        <>
          <Title order={3}>{t`Response`}</Title>
          <CodeBlock
            what={t`the response`}
            text={
              last.status === null
                ? outboundError(last.error ?? 'network')
                : `${last.status}\n\n${indented(last.response) ?? t`(the body was not kept)`}`
            }
          />
        </>
      )}
    </Section>
  );
}

/** A body that is JSON is easier to read on several lines. */
function indented(body: string | null): string | null {
  try {
    return body && JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
