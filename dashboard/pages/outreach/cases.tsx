import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import * as api from '#api';
import { byTime, type Column, daysOf, ListPage, useFilters, useOrder } from '#lists';
import { caseStates, labelOf, Simulated, Status, useAccount, useMay, useZone } from '#parts';
import { t } from '#texts';
import { formatHour, isLocalDate, Moment, nameOf, Quiet, sortableTime, useToday, wallClock, weekdayName } from '#words';
import { capitalised } from '../../language';
import { noteInWords } from '../operations/result-notes';
import { moneyIn } from '../operations/results-money';

type RecoveryCase = api.RecoveryCase;

export function Cases() {
  const filters = useFilters(...filterNames);
  const { given } = filters;
  const [weekday, hour] = [numberOf(given.weekday, 1, 7), numberOf(given.hour, 0, 23)];
  const zone = useZone();
  const today = useToday();
  const dateOf = (at: string) => wallClock(at, zone).date;
  const isOfToday = ({ createdAt, endedAt }: RecoveryCase) =>
    endedAt === null || dateOf(createdAt) === today || dateOf(endedAt) === today;
  const query = {
    recoveryStatus: caseStates.find((known) => known === given.status),
    open: given.show === 'open' ? 'true' : given.show === 'ended' ? 'false' : undefined,
    search: given.search,
    ...daysOf(given.show === 'today' ? today : given.from, given.until),
    order: useOrder(['newest', 'oldest']),
    called: flagOf(given.called),
    reached: flagOf(given.reached),
    barrier: given.barrier,
    formName: given.form,
    weekday,
    hour,
    lost: flagOf(given.lost),
    simulated: flagOf(given.simulated),
    providerName: given.provider,
    visitType: given.visitType,
    hourReached: numberOf(given.hourReached, 0, 23),
  } as const;
  const { called, reached, barrier, form, lost, simulated, provider, visitType } = given;
  const { currency } = useAccount().clinic;
  const notes = useNotesOf(given);
  const providerName = useDisplayName(provider) ?? '';
  const mayTry = useMay()('sandbox');
  return (
    <ListPage
      title={t`Recovery cases`}
      lead={t`Patients who left a form or checkout unfinished, and how the calls to them ended.`}
      name="cases"
      area="cases"
      read={api.getCases}
      query={query}
      keep={given.show === 'current' ? isOfToday : undefined}
      filters={filters}
      fields={[
        { kind: 'search', name: 'search', label: t`Search`, placeholder: t`Patient or session` },
        { kind: 'select', name: 'status', label: t`Status`, options: statuses },
        { kind: 'select', name: 'show', label: t`Progress`, options: shows },
        { kind: 'day', name: 'from', label: t`From` },
        { kind: 'day', name: 'until', label: t`Until` },
      ]}
      elsewhere={[
        { names: ['called'], text: called && (called === 'true' ? t`Called` : t`Not called`) },
        { names: ['reached'], text: reached && (reached === 'true' ? t`Reached` : t`Not reached`) },
        { names: ['barrier'], text: barrier && t`Stopped by: ${capitalised(barrier)}` },
        { names: ['weekday', 'hour'], text: hourInWords(weekday, hour) },
        { names: ['form'], text: form && t`Form: ${form}` },
        {
          names: ['lost'],
          text: lost && (lost === 'true' ? t`Not recovered` : t`Not lost`),
        },
        {
          names: ['simulated'],
          text: simulated && (simulated === 'true' ? t`Simulated` : t`Without simulated cases`),
        },
        {
          names: ['provider'],
          text: provider && (provider === 'none' ? t`No visit booked` : t`Visit with ${providerName}`),
        },
        {
          names: ['visitType'],
          text: visitType && (visitType === 'none' ? t`No visit booked` : t`Visit: ${visitType}`),
        },
        {
          names: ['hourReached'],
          text: query.hourReached === undefined ? undefined : t`Reached at ${formatHour(query.hourReached * 60)}`,
        },
      ]}
      columns={columnsIn(currency)}
      exported={exportedIn(zone, currency)}
      aboveRows={() => notes.length > 0 && <NotesOfDay notes={notes} />}
      keyOf={({ recoveryCaseId }) => recoveryCaseId}
      to={({ recoveryCaseId }) => `/cases/${recoveryCaseId}`}
      empty={{
        title: t`No recovery case yet`,
        text: t`A case opens when your platform reports an abandoned form, or when you try a scene.`,
      }}
      noMatch={t`No case matches`}
      actions={
        mayTry && (
          <Button component={Link} to="/try-it" variant="default">
            {t`Try a scene`}
          </Button>
        )
      }
    />
  );
}

/** Those from `called` on are set by links from the results. */
const filterNames = [
  'search',
  'status',
  'show',
  'from',
  'until',
  'called',
  'reached',
  'barrier',
  'form',
  'weekday',
  'hour',
  'lost',
  'simulated',
  'provider',
  'visitType',
  'hourReached',
] as const;

const statuses = caseStates.map((value) => ({ value, label: labelOf(value) }));
const shows = [
  { value: 'open', label: t`Open` },
  { value: 'ended', label: t`Ended` },
  { value: 'today', label: t`Opened today` },
  { value: 'current', label: t`Open or today’s` },
];

const flagOf = (text: string | undefined) => (text === 'true' || text === 'false' ? text : undefined);

/** Why fewer patients were called on the one day that a list is of, as the results say it. */
function useNotesOf({ from, until }: { from?: string | undefined; until?: string | undefined }): string[] {
  const isOneDay = isLocalDate(from) && from === until;
  const results = useQuery({
    ...api.getResultsOptions({ query: { from, until } }),
    enabled: useMay()('results') && isOneDay,
    staleTime: 60_000,
  });
  return isOneDay ? (results.data?.notes ?? []).map((note) => noteInWords(note)) : [];
}

/** What a provider is called, whose name in the calendar is another one. */
function useDisplayName(name: string | undefined): string | undefined {
  const isOne = name !== undefined && name !== 'none';
  const providers = useQuery({
    ...api.getProvidersOptions(),
    enabled: useMay()('appointments.read') && isOne,
    staleTime: 60_000,
  });
  return providers.data?.items.find((each) => each.name === name)?.displayName ?? name;
}

const NotesOfDay = ({ notes }: { notes: string[] }) => (
  <Quiet role="note" px="md" pb="xs">
    {t`On this day: ${notes.join(', ')}`}
  </Quiet>
);

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

/** What a spreadsheet is given: words in place of codes, and times by the clinic's clock. */
function exportedIn(zone: string, currency: string): Record<string, (row: RecoveryCase) => string | number | null> {
  const local = (at: string | null) => at && sortableTime(at, zone);
  return {
    [t`Patient`]: ({ patient }) => nameOf(patient),
    [t`Phone`]: ({ patient: { phone } }) => phone,
    [t`Status`]: ({ recoveryStatus }) => labelOf(recoveryStatus),
    [t`Form`]: ({ formName }) => formName,
    [t`Completed in percent`]: ({ completionPercentage }) => completionPercentage,
    [t`Value (${currency})`]: ({ value }) => value && value.toFixed(2),
    [t`Barrier`]: ({ barrier }) => barrier && capitalised(barrier),
    [t`Attempts`]: ({ attempts }) => attempts,
    [t`Simulated`]: ({ isSimulated }) => (isSimulated ? t`yes` : t`no`),
    [t`Opened`]: ({ createdAt }) => local(createdAt),
    [t`Ended`]: ({ endedAt }) => local(endedAt),
    [t`Case`]: ({ recoveryCaseId }) => recoveryCaseId,
    [t`Session`]: ({ sessionId }) => sessionId,
  };
}

const columnsIn = (currency: string): Column<RecoveryCase>[] => [
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
  { head: t`Barrier`, cell: ({ barrier }) => (barrier ? capitalised(barrier) : '–') },
  { head: t`Value`, cell: ({ value }) => (value === null ? '–' : moneyIn(currency)(value)) },
  { head: t`Attempts`, cell: ({ attempts }) => attempts },
  { head: t`Opened`, cell: ({ createdAt }) => <Moment at={createdAt} />, sorted: byTime },
  { head: t`Ended`, cell: ({ endedAt }) => (endedAt ? <Moment at={endedAt} /> : '–'), isWideOnly: true },
];
