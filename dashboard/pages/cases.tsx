import { Button, Group } from '@mantine/core';
import { Link } from 'react-router';
import { byCursor } from '../http/pages';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getCasesInfiniteOptions } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { ChosenElsewhere, Filters, FilterSelect, SearchField, useFilter, useSearch } from '../parts/filters';
import { Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { nameOf } from '../parts/person';
import { type Column, RecordList } from '../parts/record-list';
import { useKept } from '../parts/kept';
import { Panel } from '../parts/section';
import { Simulated } from '../parts/simulated';
import { caseStates, labelOf, Status } from '../parts/status';
import { formatDate, formatHour, isLocalDate, plusDays, wallClock, weekdayName } from '../parts/week';
import { useZone } from '../shell/account';

type RecoveryCase = Api.RecoveryCase;

export function Cases() {
  const [status, setStatus] = useFilter('status');
  const [show, setShow] = useFilter('show');
  const [search, setSearch] = useSearch();
  const [from] = useFilter('from');
  const [until] = useFilter('until');
  const [called] = useFilter('called');
  const [reached] = useFilter('reached');
  const [barrier] = useFilter('barrier');
  const [formName] = useFilter('form');
  const [weekday] = useFilter('weekday');
  const [hour] = useFilter('hour');
  const { isToday, isOfToday } = useToday();
  const found = useInfiniteQuery({
    ...getCasesInfiniteOptions({
      query: {
        recoveryStatus: caseStates.find((known) => known === status),
        open: show === 'open' ? 'true' : show === 'ended' ? 'false' : undefined,
        search,
        from: isLocalDate(from) ? from : undefined,
        // The address names the last day, the service what comes after it.
        until: isLocalDate(until) ? plusDays(until, 1) : undefined,
        called: flagOf(called),
        reached: flagOf(reached),
        barrier,
        formName,
        weekday: numberOf(weekday, 1, 7),
        hour: numberOf(hour, 0, 23),
        limit: 50,
      },
    }),
    ...byCursor,
  });
  const kept: Record<string, (row: RecoveryCase) => boolean> = { today: isToday, current: isOfToday };
  const pages = useKept(found, kept[show ?? ''] ?? null, { isNewestFirst: show === 'today' });
  const isFiltered = Boolean(
    status || show || search || from || until || called || reached || barrier || formName || weekday || hour,
  );
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
            options={caseStates.map((value) => ({ value, label: labelOf(value) }))}
            value={status}
            onChange={setStatus}
          />
          <FilterSelect
            label="Progress"
            any="Open and ended"
            options={[
              { value: 'open', label: 'Open' },
              { value: 'ended', label: 'Ended' },
              { value: 'today', label: 'Opened today' },
              { value: 'current', label: 'Open, or of today' },
            ]}
            value={show}
            onChange={setShow}
            width={180}
          />
        </Filters>
        <ChosenElsewhere
          chosen={[
            { names: ['from', 'until'], text: from && until && daysInWords(from, until) },
            { names: ['called'], text: called && (called === 'true' ? 'Rung' : 'Not rung') },
            { names: ['reached'], text: reached && (reached === 'true' ? 'Reached' : 'Not reached') },
            { names: ['barrier'], text: barrier && `Stopped by: ${barrier}` },
            { names: ['weekday', 'hour'], text: hourInWords(numberOf(weekday, 1, 7), numberOf(hour, 0, 23)) },
            { names: ['form'], text: formName && `Form: ${formName}` },
          ]}
        />
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

const flagOf = (text: string | undefined) => (text === 'true' || text === 'false' ? text : undefined);

function daysInWords(from: string, until: string): string | undefined {
  if (!isLocalDate(from) || !isLocalDate(until)) return undefined;
  const [first, last] = [from, until].map((date) =>
    formatDate(date, { day: 'numeric', month: 'short', year: 'numeric' }),
  );
  return first === last ? `Opened ${first}` : `Opened ${first} to ${last}`;
}

/** What happened on the clinic's day that it is now. */
function useToday() {
  const zone = useZone();
  const dateOf = (at: string) => wallClock(at, zone).date;
  const today = dateOf(new Date().toISOString());
  const isToday = ({ createdAt }: RecoveryCase) => dateOf(createdAt) === today;
  const isOfToday = (row: RecoveryCase) => row.endedAt === null || isToday(row) || dateOf(row.endedAt) === today;
  return { isToday, isOfToday };
}

/** A whole number of the address, where it is one of these. */
function numberOf(text: string | undefined, least: number, most: number): number | undefined {
  const number = Number(text);
  return text && Number.isInteger(number) && number >= least && number <= most ? number : undefined;
}

/** `Opened on Mondays at 9 AM`, or what is known of it. */
function hourInWords(weekday: number | undefined, hour: number | undefined): string | undefined {
  const day = weekday === undefined ? '' : ` on ${weekdayName(weekday)}s`;
  const time = hour === undefined ? '' : ` at ${formatHour(hour * 60)}`;
  return day || time ? `Opened${day}${time}` : undefined;
}

const columns: Column<RecoveryCase>[] = [
  { head: 'Patient', cell: ({ patient }) => nameOf(patient) },
  {
    head: 'Status',
    cell: (recoveryCase) => (
      <Group gap="xs">
        <Status state={recoveryCase.recoveryStatus} />
        <Simulated of={recoveryCase} />
      </Group>
    ),
  },
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
