import { Badge, Group, Text } from '@mantine/core';
import { useNavigate } from 'react-router';
import * as api from '#api';
import { IconPlus } from '#icons';
import { byTime, type Column, daysOf, type Listed, ListPage, useFilters, useOrder } from '#lists';
import { PlainButton, useMay } from '#parts';
import { t } from '#texts';
import { DayAndTime, Moment, nameOf, Quiet } from '#words';
import { detailColumns, exportedDetails } from './details';
import { useRegistering } from './registering';

export function Patients() {
  const filters = useFilters('search', 'from', 'until');
  const { search, from, until } = filters.given;
  const order = useOrder(search ? timeOnly : [...timeOnly, 'name', '-name']);
  const may = useMay();
  return (
    <ListPage
      title={t`Patients`}
      lead={t`Everyone who is registered. People known only from a form or a call are found by searching.`}
      name="patients"
      area="patients"
      read={api.getPatients}
      query={{ search, ...daysOf(from, until), order }}
      filters={filters}
      fields={[
        {
          kind: 'search',
          name: 'search',
          label: t`Search`,
          placeholder: t`Name, phone, e-mail or birth date`,
          width: 310,
        },
        { kind: 'day', name: 'from', label: t`Since` },
        { kind: 'day', name: 'until', label: t`Until` },
      ]}
      columns={search ? columns.map(withoutName) : columns}
      exported={exported}
      keyOf={({ id }) => id}
      to={({ id }) => `/patients/${id}`}
      aboveRows={({ rows = [] }) =>
        rows.length > 0 &&
        rows.every(({ isSimilar }) => isSimilar) && (
          <Quiet px="md" pb="xs">
            {t`Similar names`}
          </Quiet>
        )
      }
      empty={{ title: t`No patient yet`, text: t`Turning the sandbox on brings a few for testing.` }}
      noMatch={t`No patient matches`}
      actions={({ first }: Listed<api.ListedPatient, api.GetPatientsResponse>) =>
        may('patients') && <Register typed={first?.searchedFor ?? search} />
      }
    />
  );
}

/** What was searched for is in its fields already, as the service has read it. */
function Register({ typed }: { typed: string | undefined }) {
  const navigate = useNavigate();
  const { register, dialog } = useRegistering({ onPatient: ({ id }) => void navigate(`/patients/${id}`) });
  return (
    <>
      <PlainButton
        label={t`Register a patient`}
        icon={IconPlus}
        variant="filled"
        onClick={() => register(typed ?? '')}
      />
      {dialog}
    </>
  );
}

const exported: Record<string, (row: api.ListedPatient) => string | null> = {
  name: nameOf,
  ...exportedDetails,
  registration: ({ registrationStatus }) => registrationStatus,
  'next appointment': ({ nextAppointment }) => nextAppointment && nextAppointment.startsAt,
  since: ({ createdAt }) => createdAt,
  patient: ({ id }) => id,
};

/** What is searched for is read by time alone. */
const timeOnly = ['newest', 'oldest'] as const;
const byName = { ascending: 'name', descending: '-name' };
const withoutName = (column: Column<api.ListedPatient>) =>
  column.sorted === byName ? { ...column, sorted: undefined } : column;

const columns: Column<api.ListedPatient>[] = [
  {
    head: t`Name`,
    sorted: byName,
    cell: (patient) =>
      patient.registrationStatus === 'COMPLETE' && !patient.isSimilar ? (
        nameOf(patient)
      ) : (
        <Group gap="xs" component="span">
          {nameOf(patient)}
          {patient.registrationStatus !== 'COMPLETE' && <Badge color="gray">{t`Known only from a form or call`}</Badge>}
          {patient.isSimilar && <Badge color="blue">{t`Similar name`}</Badge>}
        </Group>
      ),
  },
  ...detailColumns,
  {
    head: t`Next appointment`,
    isLong: true,
    cell: ({ nextAppointment }) =>
      nextAppointment ? (
        <>
          <DayAndTime at={nextAppointment.startsAt} />{' '}
          <Text span size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            {nextAppointment.providerDisplayName}
          </Text>
        </>
      ) : (
        '–'
      ),
  },
  { head: t`Since`, cell: ({ createdAt }) => <Moment at={createdAt} />, isWideOnly: true, sorted: byTime },
];
