import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { IconRefresh } from '../icons';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import {
  getDeliveriesByDeliveryIdOptions,
  postDeliveriesByDeliveryIdResendMutation,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { CodeBlock, CopyLine } from '../parts/copy';
import { DeliveryState, NextTry } from '../parts/delivery-state';
import { endpointName } from '../parts/endpoints';
import { eventName } from '../parts/event-names';
import { Facts } from '../parts/facts';
import { ClockTime, formatDuration, Moment } from '../parts/moment';
import { outboundError } from '../parts/outbound-errors';
import { Page } from '../parts/page';
import { nameOf } from '../parts/person';
import { type Column, Records } from '../parts/record-list';
import { useRefresh } from '../parts/refresh';
import { sayDone, sayFailed } from '../parts/say';
import { Section } from '../parts/section';
import { Empty, Loaded } from '../parts/states';
import { workflowName } from '../parts/workflow-name';
import { useAccount } from '../shell/account';

type Delivery = Api.Delivery;

export function Delivery() {
  const { deliveryId = '' } = useParams();
  const delivery = useQuery(getDeliveriesByDeliveryIdOptions({ path: { deliveryId } }));
  return (
    <Page
      title={delivery.data ? eventName(delivery.data.event) : t`Delivery`}
      back={{ to: '/deliveries', label: t`Deliveries` }}
      actions={delivery.data && <SendAgain delivery={delivery.data} />}
    >
      <Loaded query={delivery}>
        {(data) => (
          <Stack gap="lg">
            <About delivery={data} />
            <Attempts delivery={data} />
            <Body delivery={data} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function SendAgain({ delivery, size }: { delivery: Delivery; size?: string }) {
  const refresh = useRefresh('deliveries');
  const resend = useMutation({
    ...postDeliveriesByDeliveryIdResendMutation(),
    onSuccess: () => sayDone(t`The event is being sent again.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  return (
    <Button
      variant="default"
      size={size}
      leftSection={<IconRefresh size={16} aria-hidden />}
      loading={resend.isPending}
      onClick={() => resend.mutate({ path: { deliveryId: delivery.id } })}
    >
      <Trans>Send again</Trans>
    </Button>
  );
}

function About({ delivery }: { delivery: Delivery }) {
  const { about, isSample } = delivery;
  return (
    <Section title={t`About`}>
      <Facts
        facts={[
          [t`State`, <DeliveryState delivery={delivery} />],
          [t`Created`, <Moment at={delivery.createdAt} near={false} />],
          [t`Delivered`, delivery.deliveredAt && <Moment at={delivery.deliveredAt} near={false} />],
          [t`Next try`, delivery.state === 'PENDING' && <NextTry delivery={delivery} />],
          [
            t`Patient`,
            about?.patient && (
              <Anchor component={Link} to={`/patients/${about.patient.id}`} size="sm">
                {nameOf(about.patient)}
              </Anchor>
            ),
            'long',
          ],
          [t`Workflow`, about && workflowName(about.workflowType)],
          [
            t`Recovery case`,
            about?.recoveryCaseId && (
              <Anchor component={Link} to={`/cases/${about.recoveryCaseId}`} size="sm">
                <Trans>Show the case</Trans>
              </Anchor>
            ),
          ],
          [t`Sample`, isSample && t`Somebody asked for it; it tells of nobody`],
          [t`Endpoint`, endpointName(delivery.endpoint)],
          [t`Event`, <code>{delivery.event}</code>, 'long'],
          ['webhook-id', <CopyLine value={delivery.eventId} what={t`the webhook id`} />, 'long'],
        ]}
      />
      {delivery.state === 'DEAD' && (
        <Alert color="red" mt="md">
          <Trans>Nobody has taken this event. It is not tried any more unless it is sent again.</Trans>
        </Alert>
      )}
    </Section>
  );
}

function Attempts({ delivery: { attempts } }: { delivery: Delivery }) {
  return (
    <Section title={t`Attempts`} flush>
      {attempts.length === 0 ? (
        <Empty title={t`No attempt has been made yet`} />
      ) : (
        <Records label={t`Attempts`} rows={attempts.toReversed()} columns={attemptColumns} keyOf={({ at }) => at} />
      )}
    </Section>
  );
}

const attemptColumns: Column<Delivery['attempts'][number]>[] = [
  { head: t`Time`, cell: ({ at }) => <ClockTime at={at} withSeconds /> },
  { head: t`Answer`, cell: (attempt) => <Answer attempt={attempt} /> },
  { head: t`Took`, cell: ({ durationMs }) => formatDuration(durationMs) },
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
      <Text size="sm" fw={500}>
        {status ?? t`No answer`}
      </Text>
      {words && (
        <Text size="xs" c="dimmed" lineClamp={3}>
          {words}
        </Text>
      )}
    </>
  );
}

/** The request as it went out; the signature is made anew for each attempt. */
function Body({ delivery }: { delivery: Delivery }) {
  const { clinic } = useAccount();
  const body = { event: delivery.event, clinicId: clinic.id, sentAt: delivery.createdAt, data: delivery.data };
  const last = delivery.attempts.at(-1);
  return (
    <Section title={t`Request and response`}>
      <Stack gap="sm">
        <Title order={3}>
          <Trans>Request</Trans>
        </Title>
        <CodeBlock
          what={t`the request`}
          text={[
            t`POST ${last?.url ?? t`(your outbound URL)`}`,
            'content-type: application/json',
            `webhook-id: ${delivery.eventId}`,
            t`webhook-timestamp: (seconds, at each attempt)`,
            t`webhook-signature: v1,(of id, timestamp and body)`,
            '',
            JSON.stringify(body, null, 2),
          ].join('\n')}
        />
        {last && (
          <>
            <Title order={3}>
              <Trans>Response</Trans>
            </Title>
            <CodeBlock
              what={t`the response`}
              text={
                last.status === null
                  ? outboundError(last.error ?? 'network')
                  : `${last.status}\n\n${indented(last.response) ?? t`(nothing was kept of the body)`}`
              }
            />
          </>
        )}
      </Stack>
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
