import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Group, Text } from '@mantine/core';
import { byCursor } from '../http/pages';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getPatientsInfiniteOptions } from '../http/client/@tanstack/react-query.gen';
import { getPatients } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
import { daysOf, FilterDay, Filters, SearchField, useFilter, useSearch } from '../parts/filters';
import { ListExport } from '../parts/list-export';
import { DayAndTime, Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { Born, nameOf } from '../parts/person';
import { type Column, RecordList } from '../parts/record-list';
import { SavedViews } from '../parts/saved-views';
import { Panel } from '../parts/section';
import { changeFilters } from '../parts/states';

type Patient = Api.ListedPatient;

export function Patients() {
  const [search, setSearch] = useSearch();
  const [from, setFrom] = useFilter('from');
  const [until, setUntil] = useFilter('until');
  const query = { search, ...daysOf(from, until) };
  const pages = useInfiniteQuery({
    ...getPatientsInfiniteOptions({ query: { ...query, total: 'true', limit: 50 } }),
    ...byCursor,
  });
  return (
    <Page
      title={t`Patients`}
      lead={t`Everybody who is registered. Who is known only from a form or a call, and not registered yet, is found by a search.`}
      actions={
        <ListExport
          name="patients"
          read={(page) => getPatients({ query: { ...query, ...page }, throwOnError: true })}
          columns={exported}
        />
      }
    >
      <Panel>
        <SavedViews list="patients" />
        <Filters>
          <SearchField
            label={t`Search`}
            placeholder={t`Name, phone, e-mail or birth date`}
            value={search}
            onChange={setSearch}
            width={310}
          />
          <FilterDay label={t`Since`} value={from} onChange={setFrom} />
          <FilterDay label={t`Until`} value={until} onChange={setUntil} />
        </Filters>
        <RecordList
          label={t`Patients`}
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          to={({ id }) => `/patients/${id}`}
          empty={
            search || from || until
              ? { title: t`No patient matches`, text: changeFilters }
              : { title: t`No patient yet`, text: t`Turning the sandbox on brings a few for testing.` }
          }
        />
      </Panel>
    </Page>
  );
}

const exported: Record<string, (row: Patient) => string | null> = {
  patient: ({ id }) => id,
  name: nameOf,
  phone: ({ phone }) => phone,
  email: ({ email }) => email,
  born: ({ dateOfBirth }) => dateOfBirth,
  registration: ({ registrationStatus }) => registrationStatus,
  'next appointment': ({ nextAppointment }) => nextAppointment && nextAppointment.startsAt,
  since: ({ createdAt }) => createdAt,
};

const columns: Column<Patient>[] = [
  {
    head: t`Name`,
    cell: (patient) =>
      patient.registrationStatus === 'COMPLETE' ? (
        nameOf(patient)
      ) : (
        <Group gap="xs" component="span">
          {nameOf(patient)}
          <Badge color="gray">
            <Trans>Known only from a form or call</Trans>
          </Badge>
        </Group>
      ),
  },
  { head: t`Phone`, cell: ({ phone }) => phone ?? '–' },
  { head: t`E-mail`, cell: ({ email }) => email ?? '–', isWideOnly: true, isLong: true },
  { head: t`Born`, cell: ({ dateOfBirth }) => (dateOfBirth ? <Born on={dateOfBirth} /> : '–') },
  {
    head: t`Next appointment`,
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
  { head: t`Since`, cell: ({ createdAt }) => <Moment at={createdAt} />, isWideOnly: true },
];
