import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Group } from '@mantine/core';
import { byCursor } from '../http/pages';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getCallsInfiniteOptions, getPatientsByPatientIdOptions } from '../http/client/@tanstack/react-query.gen';
import { getCalls } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
import { callEndings, endingWords } from '../parts/call-ending';
import {
  ChosenElsewhere,
  daysOf,
  FilterDay,
  Filters,
  FilterSelect,
  SearchField,
  useFilter,
  useSearch,
} from '../parts/filters';
import { useKept } from '../parts/kept';
import { ListExport } from '../parts/list-export';
import { formatDuration, Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { nameOf } from '../parts/person';
import { type Column, RecordList } from '../parts/record-list';
import { SavedViews } from '../parts/saved-views';
import { Panel } from '../parts/section';
import { changeFilters } from '../parts/states';
import { Simulated } from '../parts/simulated';
import { Status } from '../parts/status';
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
  const query = {
    live,
    search,
    ending: callEndings.find(({ value }) => value === ending)?.value,
    workflowType: workflowTypes.find(({ value }) => value === type)?.value,
    direction: directions.find(({ value }) => value === direction)?.value,
    patientId,
    ...daysOf(from, until),
  } as const;
  const found = useInfiniteQuery({
    ...getCallsInfiniteOptions({ query: { ...query, total: 'true', limit: 50 } }),
    ...byCursor,
  });
  const isFiltered = Boolean(search || ending || type || direction || patientId || from || until);
  // Test calls stay open until somebody closes them: among the running calls they would hide those of patients.
  const keep = live === 'true' ? ({ isTest }: Call) => isTest === (show === 'tests') : null;
  const pages = useKept(found, keep);
  return (
    <Page
      title={t`Calls`}
      lead={t`Calls that are running and calls that are over, with what was said to and by the tools.`}
      actions={
        <ListExport
          name="calls"
          read={(page) => getCalls({ query: { ...query, ...page }, throwOnError: true })}
          keep={keep ?? undefined}
          columns={exported}
        />
      }
    >
      <Panel>
        <SavedViews list="calls" />
        <Filters>
          <SearchField label={t`Search`} placeholder={t`Patient`} value={search} onChange={setSearch} />
          <FilterSelect
            label={t`Show`}
            any={t`Live and past`}
            options={[
              { value: 'live', label: t({ message: 'Live', context: 'calls' }) },
              { value: 'past', label: t`Past` },
              { value: 'tests', label: t`Open test calls` },
            ]}
            value={show}
            onChange={setShow}
            width={160}
          />
          <FilterSelect
            label={t`How it ended`}
            any={t`Any`}
            options={callEndings}
            value={ending}
            onChange={setEnding}
          />
          <FilterSelect label={t`About`} any={t`Anything`} options={workflowTypes} value={type} onChange={setType} />
          <FilterSelect
            label={t`Direction`}
            any={t`Both`}
            options={directions}
            value={direction}
            onChange={setDirection}
            width={130}
          />
          <FilterDay label={t`From`} value={from} onChange={setFrom} />
          <FilterDay label={t`Until`} value={until} onChange={setUntil} />
        </Filters>
        {patientId && <OfPatient patientId={patientId} />}
        <RecordList
          label={t`Calls`}
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          to={({ id }) => `/calls/${id}`}
          empty={
            show === 'live'
              ? { title: t`No call is running`, text: t`A call appears here before the phone rings.` }
              : isFiltered
                ? { title: t`No call matches`, text: changeFilters }
                : { title: t`No call yet`, text: t`A call appears here before the phone rings.` }
          }
        />
      </Panel>
    </Page>
  );
}

const directions = [
  { value: 'outbound' as const, label: t`Outbound` },
  { value: 'inbound' as const, label: t`Inbound` },
];

/** The patient that a link has named, by name. */
function OfPatient({ patientId }: { patientId: string }) {
  const { data } = useQuery(getPatientsByPatientIdOptions({ path: { patientId } }));
  return (
    <ChosenElsewhere chosen={[{ names: ['patient'], text: data ? t`Patient: ${nameOf(data)}` : t`One patient` }]} />
  );
}

const exported: Record<string, (row: Call) => string | number | boolean | null> = {
  call: ({ id }) => id,
  patient: ({ patient }) => nameOf(patient),
  phone: ({ phone }) => phone,
  about: ({ workflowType }) => workflowType,
  direction: ({ direction }) => direction,
  state: ({ state }) => state,
  ending: ({ ending }) => ending,
  attempt: ({ attempt }) => attempt,
  test: ({ isTest }) => isTest,
  simulated: ({ isSimulated }) => isSimulated,
  created: ({ createdAt }) => createdAt,
  started: ({ startedAt }) => startedAt,
  ended: ({ endedAt }) => endedAt,
};

const columns: Column<Call>[] = [
  { head: t`Patient`, cell: ({ patient }) => nameOf(patient) },
  {
    head: t`State`,
    cell: (call) => (
      <Group gap={6}>
        <Status state={call.state} />
        <Simulated of={call} />
        {call.isTest && (
          <Badge color="gray">
            <Trans>Test</Trans>
          </Badge>
        )}
      </Group>
    ),
  },
  { head: t`About`, cell: ({ workflowType }) => workflowName(workflowType) },
  {
    head: t`Direction`,
    cell: ({ direction }) => (direction === 'inbound' ? t`Inbound` : t`Outbound`),
    isWideOnly: true,
  },
  { head: t`How it ended`, cell: (call) => endingWords(call) ?? '–' },
  { head: t`Length`, cell: (call) => lengthOf(call) ?? '–', isWideOnly: true },
  { head: t`Started`, cell: ({ startedAt, createdAt }) => <Moment at={startedAt ?? createdAt} /> },
];

export function lengthOf({ startedAt, endedAt }: Pick<Call, 'startedAt' | 'endedAt'>): string | null {
  if (!startedAt || !endedAt) return null;
  const length = Date.parse(endedAt) - Date.parse(startedAt);
  return length < 1_000 ? t`under 1 s` : formatDuration(length);
}
