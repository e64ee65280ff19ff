import { Badge, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { byTime, type Column, daysOf, ListPage, useFilters, useOrder } from '#lists';
import { callSubject, Simulated, Status, workflowTypes } from '#parts';
import { t } from '#texts';
import { formatDuration, Moment, nameOf } from '#words';
import { callEndings, endingWords } from './call-ending';

export function Calls() {
  const filters = useFilters('search', 'show', 'ending', 'type', 'direction', 'patient', 'from', 'until');
  const { show, search, ending, type, direction, patient, from, until } = filters.given;
  const live = show === 'live' || show === 'tests' ? 'true' : show === 'past' ? 'false' : undefined;
  const query = {
    live,
    search,
    ending: callEndings.find(({ value }) => value === ending)?.value,
    workflowType: workflowTypes.find(({ value }) => value === type)?.value,
    direction: directions.find(({ value }) => value === direction)?.value,
    patientId: patient,
    ...daysOf(from, until),
    order: useOrder(['newest', 'oldest']),
  } as const;
  const patientName = useNamedPatient(patient);
  const beforeItRings = t`A call appears here before the phone rings.`;
  return (
    <ListPage
      title={t`Calls`}
      lead={t`Current and past calls, with what was said and which tools were used.`}
      name="calls"
      area="calls"
      read={api.getCalls}
      query={query}
      // Test calls stay open until somebody closes them: among the running calls they would hide those of patients.
      keep={live === 'true' ? ({ isTest }) => isTest === (show === 'tests') : undefined}
      filters={filters}
      fields={[
        { kind: 'search', name: 'search', label: t`Search`, placeholder: t`Patient` },
        { kind: 'select', name: 'show', label: t`Show`, options: shows },
        { kind: 'select', name: 'ending', label: t`How it ended`, options: callEndings },
        { kind: 'select', name: 'type', label: t`About`, options: workflowTypes },
        { kind: 'select', name: 'direction', label: t`Direction`, options: directions },
        { kind: 'day', name: 'from', label: t`From` },
        { kind: 'day', name: 'until', label: t`Until` },
      ]}
      elsewhere={[{ names: ['patient'], text: patientName }]}
      columns={columns}
      exported={exported}
      keyOf={({ id }) => id}
      to={({ id }) => `/calls/${id}`}
      empty={{ title: t`No call yet`, text: beforeItRings }}
      noMatch={show === 'live' ? { title: t`No call is running`, text: beforeItRings } : t`No call matches`}
    />
  );
}

const shows = [
  { value: 'live', label: t({ message: 'Live', context: 'calls' }) },
  { value: 'past', label: t`Past` },
  { value: 'tests', label: t`Open test calls` },
];

const directions = [
  { value: 'outbound' as const, label: t`Outbound` },
  { value: 'inbound' as const, label: t`Inbound` },
];

/** The patient that a link has named, by name. */
function useNamedPatient(patientId: string | undefined): string | undefined {
  const path = { patientId: patientId ?? '' };
  const { data } = useQuery({ ...api.getPatientsByPatientIdOptions({ path }), enabled: patientId !== undefined });
  return patientId && (data ? t`Patient: ${nameOf(data)}` : t`One patient`);
}

const exported: Record<string, (row: api.Call) => string | number | boolean | null> = {
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
  call: ({ id }) => id,
};

const columns: Column<api.Call>[] = [
  { head: t`Patient`, cell: ({ patient }) => nameOf(patient) },
  {
    head: t`Status`,
    cell: (call) => (
      <Group gap={6}>
        <Status state={call.state} />
        <Simulated of={call} />
        {call.isTest && <Badge color="gray">{t`Test`}</Badge>}
      </Group>
    ),
  },
  { head: t`About`, cell: ({ workflowType, formName }) => callSubject(workflowType, formName) },
  {
    head: t`Direction`,
    cell: ({ direction }) => (direction === 'inbound' ? t`Inbound` : t`Outbound`),
    isWideOnly: true,
  },
  { head: t`How it ended`, cell: (call) => endingWords(call) ?? '–' },
  { head: t`Duration`, cell: (call) => lengthOf(call) ?? '–', isWideOnly: true },
  { head: t`Started`, cell: ({ startedAt, createdAt }) => <Moment at={startedAt ?? createdAt} />, sorted: byTime },
];

export function lengthOf({ startedAt, endedAt }: Pick<api.Call, 'startedAt' | 'endedAt'>): string | null {
  if (!startedAt || !endedAt) return null;
  const length = Date.parse(endedAt) - Date.parse(startedAt);
  return length < 1_000 ? t`under 1 s` : formatDuration(length);
}
