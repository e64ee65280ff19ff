import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import { Link } from 'react-router';
import { byCursor } from '../http/pages';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getCasesInfiniteOptions } from '../http/client/@tanstack/react-query.gen';
import { getCases } from '../http/client/sdk.gen';
import type * as Api from '../http/client/types.gen';
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
import { ListExport } from '../parts/list-export';
import { Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { formatPercent } from '../parts/percent';
import { nameOf } from '../parts/person';
import { type Column, RecordList } from '../parts/record-list';
import { useKept } from '../parts/kept';
import { capitalised } from '../parts/said-facts';
import { SavedViews } from '../parts/saved-views';
import { Panel } from '../parts/section';
import { changeFilters } from '../parts/states';
import { Simulated } from '../parts/simulated';
import { caseStates, labelOf, Status } from '../parts/status';
import { formatHour, wallClock, weekdayName } from '../parts/week';
import { useZone } from '../shell/account';

type RecoveryCase = Api.RecoveryCase;

export function Cases() {
  const [status, setStatus] = useFilter('status');
  const [show, setShow] = useFilter('show');
  const [search, setSearch] = useSearch();
  const [from, setFrom] = useFilter('from');
  const [until, setUntil] = useFilter('until');
  const [called] = useFilter('called');
  const [reached] = useFilter('reached');
  const [barrier] = useFilter('barrier');
  const [formName] = useFilter('form');
  const [weekday] = useFilter('weekday');
  const [hour] = useFilter('hour');
  const { isToday, isOfToday } = useToday();
  const query = {
    recoveryStatus: caseStates.find((known) => known === status),
    open: show === 'open' ? 'true' : show === 'ended' ? 'false' : undefined,
    search,
    ...daysOf(from, until),
    called: flagOf(called),
    reached: flagOf(reached),
    barrier,
    formName,
    weekday: numberOf(weekday, 1, 7),
    hour: numberOf(hour, 0, 23),
  } as const;
  const found = useInfiniteQuery({
    ...getCasesInfiniteOptions({ query: { ...query, total: 'true', limit: 50 } }),
    ...byCursor,
  });
  const kept: Record<string, (row: RecoveryCase) => boolean> = { today: isToday, current: isOfToday };
  const pages = useKept(found, kept[show ?? ''] ?? null, { isNewestFirst: show === 'today' });
  const isFiltered = Boolean(
    status || show || search || from || until || called || reached || barrier || formName || weekday || hour,
  );
  return (
    <Page
      title={t`Recovery cases`}
      lead={t`Patients who left a form or checkout unfinished, and what came of calling them.`}
      actions={
        <>
          <ListExport
            name="cases"
            read={(page) => getCases({ query: { ...query, ...page }, throwOnError: true })}
            keep={kept[show ?? '']}
            columns={exported}
          />
          <Button component={Link} to="/try-it" variant="default">
            <Trans>Try a scene</Trans>
          </Button>
        </>
      }
    >
      <Panel>
        <SavedViews list="cases" />
        <Filters>
          <SearchField label={t`Search`} placeholder={t`Patient or session`} value={search} onChange={setSearch} />
          <FilterSelect
            label={t`Status`}
            any={t`Any status`}
            options={caseStates.map((value) => ({ value, label: labelOf(value) }))}
            value={status}
            onChange={setStatus}
          />
          <FilterSelect
            label={t`Progress`}
            any={t`Open and ended`}
            options={[
              { value: 'open', label: t`Open` },
              { value: 'ended', label: t`Ended` },
              { value: 'today', label: t`Opened today` },
              { value: 'current', label: t`Open, or of today` },
            ]}
            value={show}
            onChange={setShow}
            width={180}
          />
          <FilterDay label={t`From`} value={from} onChange={setFrom} />
          <FilterDay label={t`Until`} value={until} onChange={setUntil} />
        </Filters>
        <ChosenElsewhere
          chosen={[
            { names: ['called'], text: called && (called === 'true' ? t`Rung` : t`Not rung`) },
            { names: ['reached'], text: reached && (reached === 'true' ? t`Reached` : t`Not reached`) },
            { names: ['barrier'], text: barrier && t`Stopped by: ${capitalised(barrier)}` },
            { names: ['weekday', 'hour'], text: hourInWords(numberOf(weekday, 1, 7), numberOf(hour, 0, 23)) },
            { names: ['form'], text: formName && t`Form: ${formName}` },
          ]}
        />
        <RecordList
          label={t`Recovery cases`}
          pages={pages}
          columns={columns}
          keyOf={({ recoveryCaseId }) => recoveryCaseId}
          to={({ recoveryCaseId }) => `/cases/${recoveryCaseId}`}
          empty={
            isFiltered
              ? { title: t`No case matches`, text: changeFilters }
              : {
                  title: t`No recovery case yet`,
                  text: t`A case opens when your platform reports an abandoned form, or when you try a scene.`,
                }
          }
        />
      </Panel>
    </Page>
  );
}

const flagOf = (text: string | undefined) => (text === 'true' || text === 'false' ? text : undefined);

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
  const day = weekday && weekdayName(weekday);
  const time = hour === undefined ? undefined : formatHour(hour * 60);
  if (day && time) return t`Opened on ${day}s at ${time}`;
  if (day) return t`Opened on ${day}s`;
  return time && t`Opened at ${time}`;
}

const exported: Record<string, (row: RecoveryCase) => string | number | null> = {
  case: ({ recoveryCaseId }) => recoveryCaseId,
  session: ({ sessionId }) => sessionId,
  patient: ({ patient }) => nameOf(patient),
  status: ({ recoveryStatus }) => recoveryStatus,
  form: ({ formName }) => formName,
  completed: ({ completionPercentage }) => completionPercentage,
  attempts: ({ attempts }) => attempts,
  opened: ({ createdAt }) => createdAt,
  ended: ({ endedAt }) => endedAt,
};

const columns: Column<RecoveryCase>[] = [
  { head: t`Patient`, cell: ({ patient }) => nameOf(patient) },
  {
    head: t`Status`,
    cell: (recoveryCase) => (
      <Group gap="xs">
        <Status state={recoveryCase.recoveryStatus} />
        <Simulated of={recoveryCase} />
      </Group>
    ),
  },
  { head: t`Form`, cell: ({ formName }) => formName ?? '–' },
  {
    head: t`Completed`,
    cell: ({ completionPercentage }) =>
      completionPercentage === null ? '–' : formatPercent(completionPercentage / 100),
    isWideOnly: true,
  },
  { head: t`Attempts`, cell: ({ attempts }) => attempts },
  { head: t`Opened`, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { head: t`Ended`, cell: ({ endedAt }) => (endedAt ? <Moment at={endedAt} /> : '–'), isWideOnly: true },
];
