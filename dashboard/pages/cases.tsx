import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { byCursor } from '../http/pages';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getCasesInfiniteOptions } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { Filters, FilterSelect, SearchField, useFilter } from '../parts/filters';
import { Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { nameOf } from '../parts/person';
import { type Column, RecordList } from '../parts/record-list';
import { Panel } from '../parts/section';
import { labelOf, Status } from '../parts/status';

type RecoveryCase = Api.RecoveryCase;
type CaseStatus = RecoveryCase['recoveryStatus'];

const statuses: CaseStatus[] = [
  'PENDING',
  'CALLING',
  'RECOVERED',
  'FOLLOW_UP_REQUIRED',
  'PRICING_ESCALATION',
  'CLINICAL_ESCALATION',
  'PATIENT_NOT_INTERESTED',
  'PATIENT_NOT_REACHED',
  'ALREADY_COMPLETED',
];

export function Cases() {
  const [status, setStatus] = useFilter('status');
  const [show, setShow] = useFilter('show');
  const [search, setSearch] = useFilter('search');
  const pages = useInfiniteQuery({
    ...getCasesInfiniteOptions({
      query: {
        recoveryStatus: statuses.find((known) => known === status),
        open: show === 'open' ? 'true' : show === 'ended' ? 'false' : undefined,
        search,
        limit: 50,
      },
    }),
    ...byCursor,
  });
  const isFiltered = Boolean(status || show || search);
  return (
    <Page
      title="Recovery cases"
      lead="Patients who left a form or checkout unfinished, and what came of calling them."
      actions={
        <Button component={Link} to="/try-it" variant="default">
          Try a scene
        </Button>
      }
    >
      <Panel>
        <Filters>
          <SearchField label="Search" placeholder="Patient or session" value={search} onChange={setSearch} />
          <FilterSelect
            label="Status"
            any="Any status"
            options={statuses.map((value) => ({ value, label: labelOf(value) }))}
            value={status}
            onChange={setStatus}
          />
          <FilterSelect
            label="Progress"
            any="Open and ended"
            options={[
              { value: 'open', label: 'Open' },
              { value: 'ended', label: 'Ended' },
            ]}
            value={show}
            onChange={setShow}
            width={160}
          />
        </Filters>
        <RecordList
          label="Recovery cases"
          pages={pages}
          columns={columns}
          keyOf={({ recoveryCaseId }) => recoveryCaseId}
          to={({ recoveryCaseId }) => `/cases/${recoveryCaseId}`}
          empty={
            isFiltered
              ? { title: 'No case matches', text: 'Change the filters or the search to see more.' }
              : {
                  title: 'No recovery case yet',
                  text: 'A case opens when your platform reports an abandoned form, or when you try a scene.',
                }
          }
        />
      </Panel>
    </Page>
  );
}

const columns: Column<RecoveryCase>[] = [
  { head: 'Patient', cell: ({ patient }) => nameOf(patient) },
  { head: 'Status', cell: ({ recoveryStatus }) => <Status state={recoveryStatus} /> },
  { head: 'Form', cell: ({ formName }) => formName ?? '–' },
  {
    head: 'Completed',
    cell: ({ completionPercentage }) => (completionPercentage === null ? '–' : `${Math.round(completionPercentage)} %`),
    isWideOnly: true,
  },
  { head: 'Attempts', cell: ({ attempts }) => attempts },
  { head: 'Opened', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { head: 'Ended', cell: ({ endedAt }) => (endedAt ? <Moment at={endedAt} /> : '–'), isWideOnly: true },
];
