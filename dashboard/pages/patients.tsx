import { Badge, Group, Text } from '@mantine/core';
import { byCursor } from '../http/pages';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getPatientsInfiniteOptions } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { Filters, SearchField, useSearch } from '../parts/filters';
import { DayAndTime, Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { Born, nameOf } from '../parts/person';
import { type Column, RecordList } from '../parts/record-list';
import { Panel } from '../parts/section';

type Patient = Api.ListedPatient;

export function Patients() {
  const [search, setSearch] = useSearch();
  const pages = useInfiniteQuery({ ...getPatientsInfiniteOptions({ query: { search, limit: 50 } }), ...byCursor });
  return (
    <Page
      title="Patients"
      lead="Everybody who is registered. Who is known only from a form or a call, and not registered yet, is found by a search."
    >
      <Panel>
        <Filters>
          <SearchField
            label="Search"
            placeholder="Name, phone, e-mail or birth date"
            value={search}
            onChange={setSearch}
          />
        </Filters>
        <RecordList
          label="Patients"
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          to={({ id }) => `/patients/${id}`}
          empty={
            search
              ? { title: 'No patient matches' }
              : { title: 'No patient yet', text: 'Turning the sandbox on brings a few for testing.' }
          }
        />
      </Panel>
    </Page>
  );
}

const columns: Column<Patient>[] = [
  {
    head: 'Name',
    cell: (patient) =>
      patient.registrationStatus === 'COMPLETE' ? (
        nameOf(patient)
      ) : (
        <Group gap="xs" component="span">
          {nameOf(patient)}
          <Badge color="gray">Known only from a form or call</Badge>
        </Group>
      ),
  },
  { head: 'Phone', cell: ({ phone }) => phone ?? '–' },
  { head: 'E-mail', cell: ({ email }) => email ?? '–', isWideOnly: true },
  { head: 'Born', cell: ({ dateOfBirth }) => (dateOfBirth ? <Born on={dateOfBirth} /> : '–') },
  {
    head: 'Next appointment',
    cell: ({ nextAppointment }) =>
      nextAppointment ? (
        <>
          <DayAndTime at={nextAppointment.startsAt} />
          <Text size="xs" c="dimmed">
            {nextAppointment.providerDisplayName}
          </Text>
        </>
      ) : (
        '–'
      ),
  },
  { head: 'Since', cell: ({ createdAt }) => <Moment at={createdAt} />, isWideOnly: true },
];
