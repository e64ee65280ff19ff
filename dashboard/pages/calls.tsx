import { Badge, Group } from '@mantine/core';
import { byCursor } from '../http/pages';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getCallsInfiniteOptions } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { endingWords } from '../parts/call-ending';
import { Filters, FilterSelect, SearchField, useFilter, useSearch } from '../parts/filters';
import { useKept } from '../parts/kept';
import { formatDuration, Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { nameOf } from '../parts/person';
import { type Column, RecordList } from '../parts/record-list';
import { Panel } from '../parts/section';
import { Simulated } from '../parts/simulated';
import { Status } from '../parts/status';
import { workflowName } from '../parts/workflow-name';

type Call = Api.Call;

export function Calls() {
  const [show, setShow] = useFilter('show');
  const [search, setSearch] = useSearch();
  const live = show === 'live' || show === 'tests' ? 'true' : show === 'past' ? 'false' : undefined;
  const found = useInfiniteQuery({ ...getCallsInfiniteOptions({ query: { live, search, limit: 50 } }), ...byCursor });
  // Test calls stay open until somebody closes them: among the running calls they would hide those of patients.
  const keep = live === 'true' ? ({ isTest }: Call) => isTest === (show === 'tests') : null;
  const pages = useKept(found, keep);
  return (
    <Page title="Calls" lead="Calls that are running and calls that are over, with what was said to and by the tools.">
      <Panel>
        <Filters>
          <SearchField label="Search" placeholder="Patient" value={search} onChange={setSearch} />
          <FilterSelect
            label="Show"
            any="Live and past"
            options={[
              { value: 'live', label: 'Live' },
              { value: 'past', label: 'Past' },
              { value: 'tests', label: 'Open test calls' },
            ]}
            value={show}
            onChange={setShow}
          />
        </Filters>
        <RecordList
          label="Calls"
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          to={({ id }) => `/calls/${id}`}
          empty={
            show === 'live'
              ? { title: 'No call is running', text: 'A call appears here before the phone rings.' }
              : { title: search ? 'No call matches' : 'No call yet' }
          }
        />
      </Panel>
    </Page>
  );
}

const columns: Column<Call>[] = [
  { head: 'Patient', cell: ({ patient }) => nameOf(patient) },
  {
    head: 'State',
    cell: (call) => (
      <Group gap={6}>
        <Status state={call.state} />
        <Simulated of={call} />
        {call.isTest && <Badge color="gray">Test</Badge>}
      </Group>
    ),
  },
  { head: 'About', cell: ({ workflowType }) => workflowName(workflowType) },
  { head: 'Direction', cell: ({ direction }) => (direction === 'inbound' ? 'Inbound' : 'Outbound'), isWideOnly: true },
  { head: 'Ended', cell: (call) => endingWords(call) ?? '–' },
  { head: 'Length', cell: (call) => lengthOf(call) ?? '–', isWideOnly: true },
  { head: 'Started', cell: ({ startedAt, createdAt }) => <Moment at={startedAt ?? createdAt} /> },
];

export function lengthOf({ startedAt, endedAt }: Pick<Call, 'startedAt' | 'endedAt'>): string | null {
  if (!startedAt || !endedAt) return null;
  const length = Date.parse(endedAt) - Date.parse(startedAt);
  return length < 1_000 ? 'under 1 s' : formatDuration(length);
}
