import { Badge, Group } from '@mantine/core';
import { byCursor } from '../http/pages';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getCallsInfiniteOptions, getPatientsByPatientIdOptions } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { callEndings, endingWords } from '../parts/call-ending';
import { ChosenElsewhere, FilterDay, Filters, FilterSelect, SearchField, useFilter, useSearch } from '../parts/filters';
import { useKept } from '../parts/kept';
import { formatDuration, Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { nameOf } from '../parts/person';
import { type Column, RecordList } from '../parts/record-list';
import { Panel } from '../parts/section';
import { Simulated } from '../parts/simulated';
import { Status } from '../parts/status';
import { isLocalDate, plusDays } from '../parts/week';
import { workflowName, workflowTypes } from '../parts/workflow-name';

type Call = Api.Call;

export function Calls() {
  const [show, setShow] = useFilter('show');
  const [search, setSearch] = useSearch();
  const [ending, setEnding] = useFilter('ending');
  const [type, setType] = useFilter('type');
  const [direction, setDirection] = useFilter('direction');
  const [patientId] = useFilter('patient');
  const [from, setFrom] = useFilter('from');
  const [until, setUntil] = useFilter('until');
  const live = show === 'live' || show === 'tests' ? 'true' : show === 'past' ? 'false' : undefined;
  const found = useInfiniteQuery({
    ...getCallsInfiniteOptions({
      query: {
        live,
        search,
        ending: callEndings.find(({ value }) => value === ending)?.value,
        workflowType: workflowTypes.find(({ value }) => value === type)?.value,
        direction: directions.find(({ value }) => value === direction)?.value,
        patientId,
        from: isLocalDate(from) ? from : undefined,
        // The address names the last day, the service what comes after it.
        until: isLocalDate(until) ? plusDays(until, 1) : undefined,
        limit: 50,
      },
    }),
    ...byCursor,
  });
  const isFiltered = Boolean(search || ending || type || direction || patientId || from || until);
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
            width={160}
          />
          <FilterSelect label="Outcome" any="Any" options={callEndings} value={ending} onChange={setEnding} />
          <FilterSelect label="About" any="Anything" options={workflowTypes} value={type} onChange={setType} />
          <FilterSelect
            label="Direction"
            any="Both"
            options={directions}
            value={direction}
            onChange={setDirection}
            width={130}
          />
          <FilterDay label="From" value={from} onChange={setFrom} />
          <FilterDay label="Until" value={until} onChange={setUntil} />
        </Filters>
        {patientId && <OfPatient patientId={patientId} />}
        <RecordList
          label="Calls"
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          to={({ id }) => `/calls/${id}`}
          empty={
            show === 'live'
              ? { title: 'No call is running', text: 'A call appears here before the phone rings.' }
              : { title: isFiltered ? 'No call matches' : 'No call yet' }
          }
        />
      </Panel>
    </Page>
  );
}

const directions = [
  { value: 'outbound' as const, label: 'Outbound' },
  { value: 'inbound' as const, label: 'Inbound' },
];

/** The patient that a link has named, by name. */
function OfPatient({ patientId }: { patientId: string }) {
  const { data } = useQuery(getPatientsByPatientIdOptions({ path: { patientId } }));
  return <ChosenElsewhere chosen={[{ names: ['patient'], text: data ? `Patient: ${nameOf(data)}` : 'One patient' }]} />;
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
