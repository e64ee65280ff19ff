import { ActionIcon, Group, Kbd, Table, TextInput, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import * as api from '#api';
import { IconChevronLeft, IconChevronRight, IconPrinter } from '#icons';
import { useFilter } from '#lists';
import { Empty, Loaded, Page, Panel, PlainButton, Status, useAccount, useMay, useZone } from '#parts';
import { plural, t, Trans } from '#texts';
import {
  Born,
  formatDate,
  formatTime,
  isLocalDate,
  type LocalDate,
  PageLink,
  plusDays,
  Quiet,
  Telephone,
  useMinute,
  useToday,
} from '#words';
import { capitalised } from '../../language';
import { Attendance } from './attendance';
import classes from './day-list.module.css';
import { NotInTheEhr } from './ehr';

type Entry = api.DayListEntry;
/** The visits of a day of all providers, for the screen and on one sheet of paper; who came, who did not and who left is noted by a key each. */
export function DayList() {
  const today = useToday();
  const [given, setDay] = useFilter('day');
  const date = isLocalDate(given) ? given : today;
  const query = useQuery({
    ...api.getDayListOptions({ query: { date } }),
    refetchInterval: 30_000,
  });
  return (
    <Page
      title={t`Day list`}
      lead={capitalised(formatDate(date, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }))}
      actions={<Actions date={date} today={today} onDay={setDay} />}
    >
      <NotInTheEhr />
      <Panel>
        <Loaded query={query}>
          {({ items }) =>
            items.length === 0 ? <Empty title={t`No visit on this day`} /> : <Visits key={date} items={items} />
          }
        </Loaded>
      </Panel>
    </Page>
  );
}

function Actions({ date, today, onDay }: { date: LocalDate; today: LocalDate; onDay: (day: string | null) => void }) {
  return (
    <>
      <ActionIcon variant="default" size={36} aria-label={t`Previous day`} onClick={() => onDay(plusDays(date, -1))}>
        <IconChevronLeft size={18} />
      </ActionIcon>
      <PlainButton label={t`Today`} disabled={date === today} onClick={() => onDay(null)} />
      <TextInput
        data-screen
        type="date"
        aria-label={t`Another day`}
        value={date}
        onChange={({ currentTarget: { value } }) => isLocalDate(value) && onDay(value)}
      />
      <ActionIcon variant="default" size={36} aria-label={t`Next day`} onClick={() => onDay(plusDays(date, 1))}>
        <IconChevronRight size={18} />
      </ActionIcon>
      <PlainButton label={t`Print`} icon={IconPrinter} onClick={() => window.print()} />
    </>
  );
}

function Visits({ items }: { items: Entry[] }) {
  const zone = useZone();
  const { clinic } = useAccount();
  const mayNote = useMay()('appointments');
  const arrived = items.filter(({ status }) => status === 'arrived').length;
  const now = useMinute();
  const next = items.find(({ endsAt }) => endsAt > now);
  const nextRow = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    // Who comes back to the page finds it as it was left.
    if (window.scrollY === 0) nextRow.current?.scrollIntoView({ block: 'center' });
  }, []);
  return (
    <>
      <Group justify="space-between" px="md" py="xs" className={classes.head}>
        <Quiet>
          {plural(items.length, { one: '# visit', other: '# visits' })}
          {arrived > 0 && `, ${plural(arrived, { one: '# here now', other: '# here now' })}`}
        </Quiet>
        <Quiet className={classes.paper}>{clinic.name}</Quiet>
        {mayNote && (
          <Quiet className={classes.keys}>
            <Trans>
              <Kbd size="xs">j</Kbd> next, <Kbd size="xs">k</Kbd> previous, <Kbd size="xs">a</Kbd> arrived,{' '}
              <Kbd size="xs">n</Kbd> no-show, <Kbd size="xs">l</Kbd> left, <Kbd size="xs">u</Kbd> take back
            </Trans>
          </Quiet>
        )}
      </Group>
      <Table.ScrollContainer minWidth={0}>
        <Table className={classes.table} aria-label={t`Visits`}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t`Time`}</Table.Th>
              <Table.Th>{t`Patient`}</Table.Th>
              <Table.Th>{t`Phone`}</Table.Th>
              <Table.Th>{t`Visit`}</Table.Th>
              <Table.Th>{t`Provider`}</Table.Th>
              <Table.Th>{t`Status`}</Table.Th>
              {mayNote && (
                <Table.Th className={classes.keys}>
                  <VisuallyHidden>{t`Note`}</VisuallyHidden>
                </Table.Th>
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map((entry) => (
              <Table.Tr
                key={entry.id}
                ref={entry === next ? nextRow : undefined}
                data-row
                className={classes.row}
                data-status={entry.status}
                data-now={entry === next || undefined}
                aria-label={`${formatTime(entry.startsAt, zone)} ${entry.patientName}`}
              >
                <Table.Td className={classes.time}>{formatTime(entry.startsAt, zone)}</Table.Td>
                <Table.Td>
                  <PageLink to={`/patients/${entry.patientId}`}>{entry.patientName || t`Name not given`}</PageLink>
                  {entry.dateOfBirth && (
                    <span className={classes.paper}>
                      , <Born on={entry.dateOfBirth} />
                    </span>
                  )}
                </Table.Td>
                <Table.Td>{entry.phone ? <Telephone number={entry.phone} /> : <Quiet>{t`No phone`}</Quiet>}</Table.Td>
                <Table.Td>{entry.visitType}</Table.Td>
                <Table.Td className={classes.provider}>{entry.providerDisplayName}</Table.Td>
                <Table.Td>
                  <Status state={entry.status} />
                </Table.Td>
                {mayNote && (
                  <Table.Td className={classes.keys}>
                    <Attendance visit={entry} name={entry.patientName} />
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}
