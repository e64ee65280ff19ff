import { byCursor } from '../http/pages';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getDeliveriesInfiniteOptions } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { DeliveryState, NextTry } from '../parts/delivery-state';
import { eventName, eventOptions, isOutboundEvent } from '../parts/event-names';
import { Filters, FilterSelect, useFilter } from '../parts/filters';
import { useKept } from '../parts/kept';
import { Moment } from '../parts/moment';
import { outboundError } from '../parts/outbound-errors';
import { Page } from '../parts/page';
import { type Column, RecordList } from '../parts/record-list';
import { Panel } from '../parts/section';
import { isStatusWord, labelOf } from '../parts/status';
import { workflowName } from '../parts/workflow-name';

type Delivery = Api.Delivery;

const states = [
  { value: 'PENDING', label: 'Waiting' },
  { value: 'RETRYING', label: 'Retrying' },
  { value: 'DELIVERED', label: 'Delivered' },
  { value: 'DEAD', label: 'Failed' },
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
  const found = useInfiniteQuery({
    ...getDeliveriesInfiniteOptions({
      query: { state: storedState(state), event: isOutboundEvent(event) ? event : undefined, limit: 50 },
    }),
    ...byCursor,
  });
  const pages = useKept(found, keepOf[state ?? ''] ?? null);
  return (
    <Page
      title="Deliveries"
      lead="Every event sent to your outbound URL, every attempt at it, and when the next one is made."
    >
      <Panel>
        <Filters>
          <FilterSelect label="State" any="Any state" options={states} value={state} onChange={setState} />
          <FilterSelect label="Event" any="Any event" options={eventOptions} value={event} onChange={setEvent} />
        </Filters>
        <RecordList
          label="Deliveries"
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          to={({ id }) => `/deliveries/${id}`}
          empty={{
            title: state || event ? 'No delivery matches' : 'Nothing has been sent yet',
            text: 'Events are sent once an outbound URL is registered on the integrations page.',
          }}
        />
      </Panel>
    </Page>
  );
}

const columns: Column<Delivery>[] = [
  { head: 'Event', cell: ({ event }) => eventName(event) },
  { head: 'Tells', cell: ({ data }) => tells(data) },
  { head: 'State', cell: (delivery) => <DeliveryState delivery={delivery} /> },
  { head: 'Last answer', cell: lastAnswer },
  { head: 'Attempts', cell: ({ attempts }) => attempts.length, isWideOnly: true },
  {
    head: 'Next try',
    cell: (delivery) => (delivery.state === 'PENDING' ? <NextTry delivery={delivery} /> : '–'),
  },
  { head: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} /> },
];

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
