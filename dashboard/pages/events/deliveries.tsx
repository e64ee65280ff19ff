import { useState } from 'react';
import * as api from '#api';
import { IconRefresh } from '#icons';
import { byTime, type Column, daysOf, ListPage, useFilters, useOrder } from '#lists';
import { isStatusWord, labelOf, PlainButton, useMay, workflowName } from '#parts';
import { t } from '#texts';
import { Moment, nameOf } from '#words';
import { BulkDialog } from '../../lists/bulk-dialog';
import { BulkJobs } from '../../lists/bulk-jobs';
import { DeliveryState, NextTry } from './delivery-state';
import { endpointName, endpointOptions, useFurtherEndpoints } from './endpoint-names';
import { deliveredOptions, eventName, isDeliveredEvent } from './event-names';
import { outboundError } from './outbound-errors';
import { ReceiverHealth } from './receiver-health';

type Delivery = api.Delivery;

const states = [
  { value: 'PENDING', label: t`Waiting` },
  { value: 'RETRYING', label: t`Retrying` },
  { value: 'DELIVERED', label: t`Delivered` },
  { value: 'DEAD', label: t`Failed` },
];

/** A delivery that failed and is tried again is pending too, for the service. */
const keepOf: Record<string, (row: Delivery) => boolean> = {
  PENDING: ({ attempts }) => attempts.length === 0,
  RETRYING: ({ attempts }) => attempts.length > 0,
};

const storedState = (state: string | undefined): api.DeliveryState | undefined =>
  state === 'RETRYING' ? 'PENDING' : (['PENDING', 'DELIVERED', 'DEAD'] as const).find((known) => known === state);

export function Deliveries() {
  const filters = useFilters('state', 'event', 'endpoint', 'from', 'until');
  const { state, event, endpoint, from, until } = filters.given;
  const further = useFurtherEndpoints();
  const [isResending, setIsResending] = useState(false);
  const mayOperate = useMay()('operations');
  const hasSeveral = further.length > 0 || endpoint !== undefined;
  const ofEndpoint = {
    kind: 'select',
    name: 'endpoint',
    label: t`Endpoint`,
    options: endpointOptions(further),
  } as const;
  return (
    <ListPage
      title={t`Deliveries`}
      lead={t`Every event sent to your endpoint, every attempt at it, and when the next one is made.`}
      name="deliveries"
      area="deliveries"
      read={api.getDeliveries}
      query={{
        state: storedState(state),
        event: isDeliveredEvent(event) ? event : undefined,
        endpointId: endpoint,
        ...daysOf(from, until),
        order: useOrder(['newest', 'oldest']),
      }}
      keep={keepOf[state ?? '']}
      filters={filters}
      fields={[
        { kind: 'select', name: 'state', label: t`Status`, options: states },
        { kind: 'select', name: 'event', label: t`Event`, options: deliveredOptions },
        ...(hasSeveral ? [ofEndpoint] : []),
        { kind: 'day', name: 'from', label: t`From` },
        { kind: 'day', name: 'until', label: t`Until` },
      ]}
      before={() => (
        <>
          <BulkJobs kind="resend_deliveries" />
          <ReceiverHealth of={further.find(({ id }) => id === endpoint)} />
        </>
      )}
      columns={hasSeveral ? withEndpoint : columns}
      exported={exported}
      keyOf={({ id }) => id}
      to={({ id }) => `/deliveries/${id}`}
      empty={{
        title: t`Nothing has been sent yet`,
        text: t`An event is sent to your endpoint when a case opens or ends.`,
      }}
      noMatch={t`No delivery matches`}
      actions={
        mayOperate && (
          <PlainButton label={t`Send events again …`} icon={IconRefresh} onClick={() => setIsResending(true)} />
        )
      }
    >
      {isResending && (
        <BulkDialog
          kind="resend_deliveries"
          endpointId={endpoint}
          from={from ?? null}
          until={until ?? null}
          onClose={() => setIsResending(false)}
        />
      )}
    </ListPage>
  );
}

const exported: Record<string, (row: Delivery) => string | number | null> = {
  endpoint: ({ endpoint }) => endpointName(endpoint),
  event: ({ event }) => event,
  patient: ({ about }) => (about?.patient ? nameOf(about.patient) : null),
  state: ({ state }) => state,
  attempts: ({ attempts }) => attempts.length,
  'last answer': lastAnswer,
  created: ({ createdAt }) => createdAt,
  delivered: ({ deliveredAt }) => deliveredAt,
  'webhook-id': ({ eventId }) => eventId,
  case: ({ about }) => about && about.recoveryCaseId,
  workflow: ({ about }) => about && about.workflowId,
};

const columns: Column<Delivery>[] = [
  { head: t`Event`, cell: ({ event }) => eventName(event) },
  {
    head: t`Patient`,
    cell: ({ about, isSample }) => (about?.patient ? nameOf(about.patient) : isSample ? t`A sample` : '–'),
    width: '18%',
    isRest: true,
  },
  { head: t`Content`, cell: ({ data }) => tells(data) },
  { head: t`Status`, cell: (delivery) => <DeliveryState delivery={delivery} /> },
  {
    head: t`Last response`,
    cell: (delivery) => {
      const { length } = delivery.attempts;
      return length > 1 ? t`${lastAnswer(delivery)}, after ${length} attempts` : lastAnswer(delivery);
    },
  },
  {
    head: t`Next try`,
    cell: (delivery) => (delivery.state === 'PENDING' ? <NextTry delivery={delivery} /> : '–'),
  },
  { head: t`Created`, cell: ({ createdAt }) => <Moment at={createdAt} />, sorted: byTime },
];

/** For those who have several. */
const withEndpoint: Column<Delivery>[] = columns.flatMap((column) =>
  column.head === t`Status`
    ? [{ head: t`Endpoint`, cell: ({ endpoint }) => endpointName(endpoint) }, column]
    : [column],
);

/** What the event says, in a word: an outcome, or the workflow that ended. */
function tells({ recoveryStatus, workflowType, outcome }: Delivery['data']): string {
  if (isStatusWord(recoveryStatus)) return labelOf(recoveryStatus);
  const ended = isStatusWord(outcome) ? `: ${labelOf(outcome).toLowerCase()}` : '';
  return typeof workflowType === 'string' ? `${workflowName(workflowType)}${ended}` : '–';
}

function lastAnswer({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  return last ? String(last.status ?? outboundError(last.error ?? 'network')) : '–';
}
