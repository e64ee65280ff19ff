import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { byCursor } from '../http/pages';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getDeliveriesInfiniteOptions } from '../http/client/@tanstack/react-query.gen';
import { getDeliveries } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
import { IconRefresh } from '../icons';
import { BulkDialog } from '../parts/bulk-dialog';
import { BulkJobs } from '../parts/bulk-jobs';
import { DeliveryState, NextTry } from '../parts/delivery-state';
import { endpointName, endpointOptions, useFurtherEndpoints } from '../parts/endpoints';
import { eventName, eventOptions, isOutboundEvent } from '../parts/event-names';
import { daysOf, FilterDay, Filters, FilterSelect, useFilter } from '../parts/filters';
import { useKept } from '../parts/kept';
import { ListExport } from '../parts/list-export';
import { Moment } from '../parts/moment';
import { outboundError } from '../parts/outbound-errors';
import { Page } from '../parts/page';
import { nameOf } from '../parts/person';
import { ReceiverHealth } from '../parts/receiver-health';
import { type Column, RecordList } from '../parts/record-list';
import { SavedViews } from '../parts/saved-views';
import { Panel } from '../parts/section';
import { changeFilters } from '../parts/states';
import { isStatusWord, labelOf } from '../parts/status';
import { workflowName } from '../parts/workflow-name';
import { useIsAdmin } from '../shell/account';

type Delivery = Api.Delivery;

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

const storedState = (state: string | undefined): Api.DeliveryState | undefined =>
  state === 'RETRYING' ? 'PENDING' : (['PENDING', 'DELIVERED', 'DEAD'] as const).find((known) => known === state);

export function Deliveries() {
  const [state, setState] = useFilter('state');
  const [event, setEvent] = useFilter('event');
  const [endpoint, setEndpoint] = useFilter('endpoint');
  const further = useFurtherEndpoints();
  const [from, setFrom] = useFilter('from');
  const [until, setUntil] = useFilter('until');
  const [isResending, setIsResending] = useState(false);
  const isAdmin = useIsAdmin();
  const query = {
    state: storedState(state),
    event: isOutboundEvent(event) ? event : undefined,
    endpointId: endpoint,
    ...daysOf(from, until),
  };
  const found = useInfiniteQuery({
    ...getDeliveriesInfiniteOptions({ query: { ...query, total: 'true', limit: 50 } }),
    ...byCursor,
  });
  const isFiltered = Boolean(state || event || endpoint || from || until);
  const pages = useKept(found, keepOf[state ?? ''] ?? null);
  return (
    <Page
      title={t`Deliveries`}
      lead={t`Every event sent to your outbound URL, every attempt at it, and when the next one is made.`}
      actions={
        <>
          <ListExport
            name="deliveries"
            read={(page) => getDeliveries({ query: { ...query, ...page }, throwOnError: true })}
            keep={keepOf[state ?? '']}
            columns={exported}
          />
          {isAdmin && (
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} aria-hidden />}
              onClick={() => setIsResending(true)}
            >
              <Trans>Send failed ones again …</Trans>
            </Button>
          )}
        </>
      }
    >
      <BulkJobs kind="resend_deliveries" />
      <ReceiverHealth of={further.find(({ id }) => id === endpoint)} />
      <Panel>
        <SavedViews list="deliveries" />
        <Filters>
          <FilterSelect label={t`State`} any={t`Any state`} options={states} value={state} onChange={setState} />
          <FilterSelect label={t`Event`} any={t`Any event`} options={eventOptions} value={event} onChange={setEvent} />
          {(further.length > 0 || endpoint) && (
            <FilterSelect
              label={t`Endpoint`}
              any={t`Any endpoint`}
              options={endpointOptions(further)}
              value={endpoint}
              onChange={setEndpoint}
            />
          )}
          <FilterDay label={t`From`} value={from} onChange={setFrom} />
          <FilterDay label={t`Until`} value={until} onChange={setUntil} />
        </Filters>
        <RecordList
          label={t`Deliveries`}
          pages={pages}
          columns={further.length > 0 || endpoint ? withEndpoint : columns}
          keyOf={({ id }) => id}
          to={({ id }) => `/deliveries/${id}`}
          empty={{
            title: isFiltered ? t`No delivery matches` : t`Nothing has been sent yet`,
            text: isFiltered ? changeFilters : t`An event is sent to your outbound URL when a case opens or ends.`,
          }}
        />
      </Panel>
      {isResending && (
        <BulkDialog
          kind="resend_deliveries"
          endpointId={endpoint}
          from={from ?? null}
          until={until ?? null}
          onClose={() => setIsResending(false)}
        />
      )}
    </Page>
  );
}

const exported: Record<string, (row: Delivery) => string | number | null> = {
  'webhook-id': ({ eventId }) => eventId,
  endpoint: ({ endpoint }) => endpointName(endpoint),
  event: ({ event }) => event,
  case: ({ about }) => about && about.recoveryCaseId,
  workflow: ({ about }) => about && about.workflowId,
  patient: ({ about }) => (about?.patient ? nameOf(about.patient) : null),
  state: ({ state }) => state,
  attempts: ({ attempts }) => attempts.length,
  'last answer': lastAnswer,
  created: ({ createdAt }) => createdAt,
  delivered: ({ deliveredAt }) => deliveredAt,
};

const columns: Column<Delivery>[] = [
  { head: t`Event`, cell: ({ event }) => eventName(event) },
  {
    head: t`Patient`,
    cell: ({ about, isSample }) => (about?.patient ? nameOf(about.patient) : isSample ? t`A sample` : '–'),
  },
  { head: t`Tells`, cell: ({ data }) => tells(data) },
  { head: t`State`, cell: (delivery) => <DeliveryState delivery={delivery} /> },
  { head: t`Last answer`, cell: lastAnswer },
  { head: t`Attempts`, cell: ({ attempts }) => attempts.length, isWideOnly: true },
  {
    head: t`Next try`,
    cell: (delivery) => (delivery.state === 'PENDING' ? <NextTry delivery={delivery} /> : '–'),
  },
  { head: t`Created`, cell: ({ createdAt }) => <Moment at={createdAt} /> },
];

/** For those who have several. */
const withEndpoint: Column<Delivery>[] = columns.flatMap((column) =>
  column.head === t`State` ? [{ head: t`Endpoint`, cell: ({ endpoint }) => endpointName(endpoint) }, column] : [column],
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
