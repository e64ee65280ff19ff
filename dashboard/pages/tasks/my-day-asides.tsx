import { Group } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { PlainList } from '#lists';
import { Loaded, Section, Status, useMay, useZone, workflowName } from '#parts';
import { plural, t } from '#texts';
import { formatTime, type LocalDate, Moment, Name, nameOf, PageLink, plusDays, Quiet, Small, useMinute } from '#words';
import classes from './my-day.module.css';

/** Who is still to come today, in order of time; who has been there is folded. */
export function TodaysVisits({ today }: { today: LocalDate }) {
  const providers = useQuery({ ...api.getProvidersOptions(), enabled: useMay()('appointments.read') });
  const calendars = useQueries({
    queries: (providers.data?.items ?? []).map(({ name }) => ({
      ...api.getProvidersByNameCalendarOptions({ path: { name }, query: { from: today, until: plusDays(today, 1) } }),
      refetchInterval: 60_000,
    })),
  });
  const missing = providers.data ? calendars.find(({ data }) => data === undefined) : providers;
  const visits = calendars
    .flatMap(({ data }) => data?.appointments ?? [])
    .toSorted((one, other) => one.startsAt.localeCompare(other.startsAt));
  const now = useMinute();
  const isOver = ({ endsAt, status }: api.CalendarEntry) =>
    endsAt <= now || status === 'noshow' || status === 'fulfilled';
  const over = visits.filter(isOver);
  const toCome = visits.filter((visit) => !isOver(visit));
  return (
    <Section
      title={t`Today’s visits`}
      flush
      lead={visits.length > 0 && t`${toCome.length} of ${visits.length} to come`}
      actions={
        <PageLink to="/calendar?provider=*" py={4}>
          {t`Calendar`}
        </PageLink>
      }
    >
      {missing ? (
        <Loaded query={missing} rows={3}>
          {() => null}
        </Loaded>
      ) : visits.length === 0 ? (
        <Quiet px="md" py="sm">{t`Nobody is booked today.`}</Quiet>
      ) : (
        <>
          <PlainList label={t`Today’s visits`}>
            {toCome.map((visit) => (
              <Visit key={visit.id} visit={visit} />
            ))}
          </PlainList>
          {over.length > 0 && (
            <details className={classes.over}>
              <summary>{plural(over.length, { one: '# visit is over', other: '# visits are over' })}</summary>
              <PlainList label={t`Visits that are over`}>
                {over.map((visit) => (
                  <Visit key={visit.id} visit={visit} />
                ))}
              </PlainList>
            </details>
          )}
        </>
      )}
    </Section>
  );
}

function Visit({
  visit: { patientId, patientName, startsAt, visitType, providerDisplayName, status },
}: {
  visit: api.CalendarEntry;
}) {
  const zone = useZone();
  return (
    <div className={classes.visit}>
      <time dateTime={startsAt}>{formatTime(startsAt, zone)}</time>
      <Group gap="xs" wrap="nowrap">
        <PageLink to={`/patients/${patientId}`} truncate>
          {patientName}
        </PageLink>
        {status !== 'booked' && <Status state={status} />}
      </Group>
      <span />
      <Small truncate>
        {visitType}, {providerDisplayName}
      </Small>
    </div>
  );
}

/** Whom the service calls next. */
export function NextCalls() {
  const may = useMay()('workflows');
  // Who gets in line changes no record that the stream tells of.
  const queue = useQuery({
    ...api.getCallingQueueOptions({ query: { limit: 5 } }),
    enabled: may,
    refetchInterval: 10_000,
  });
  const pauses = useQuery(api.getPausesOptions()).data?.items ?? [];
  const isPaused = (type: api.QueuedCall['workflowType']) =>
    pauses.some(({ workflowType }) => workflowType === null || workflowType === type);
  if (!may) return null;
  return (
    <Section
      title={t`Next calls`}
      flush
      actions={
        <PageLink to="/calls" py={4}>
          {t`All calls`}
        </PageLink>
      }
    >
      <Loaded query={queue} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Quiet px="md" py="sm">{t`No call is due.`}</Quiet>
          ) : (
            <PlainList label={t`Next calls`}>
              {items.map(({ workflowId, patient, recoveryCaseId, workflowType, dueAt }) => (
                <Group key={workflowId} justify="space-between" wrap="nowrap">
                  <Who
                    to={recoveryCaseId ? `/cases/${recoveryCaseId}` : `/patients/${patient.id}`}
                    name={nameOf(patient)}
                    note={workflowName(workflowType)}
                  />
                  {isPaused(workflowType) ? (
                    <Small>{t`waits: calls are paused`}</Small>
                  ) : (
                    <Small>
                      {t`due`} <Moment at={dueAt} />
                    </Small>
                  )}
                </Group>
              ))}
            </PlainList>
          )
        }
      </Loaded>
    </Section>
  );
}

const Who = ({ to, name, note }: { to: string; name: string; note: string }) => (
  <div style={{ minWidth: 0 }}>
    <Name truncate>
      <PageLink to={to}>{name}</PageLink>
    </Name>
    <Small truncate>{note}</Small>
  </div>
);
