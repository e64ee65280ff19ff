import { Group, SegmentedControl, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { DialogButton, DialogForm, ServiceButton, useActionForm } from '#forms';
import { type Column, ListPage, StackedList, useFilter } from '#lists';
import { Line, Section, useZone } from '#parts';
import { t, Trans } from '#texts';
import { formatDate, formatWallTime, Moment, nameOf, PageLink, plusDays, Quiet, wallClock } from '#words';
import { PatientSelect } from '../patients/patient-select';
import { displayNameOf, useBookable, useWhen, VisitType } from './bookable';

/** What the patient waits for, and a way to be called when it becomes free. */
export const PatientWaitlist = ({ patient }: { patient: api.PatientName }) => (
  <Section title={t`Waitlist`} actions={<Wait patient={patient} />}>
    <StackedList
      query={useQuery(api.getWaitlistOptions({ query: { patientId: patient.id, open: 'true', limit: 20 } }))}
      rows={1}
      gap="sm"
      none={t`Not on the waitlist.`}
      keyOf={({ id }) => id}
    >
      {(entry) => <Entry entry={entry} />}
    </StackedList>
  </Section>
);

/** Who waits for what, whom was offered what, and with what answer. */
export function Waitlist() {
  const [shown, show] = useFilter('show');
  const columns = useColumns();
  const isAll = shown === 'all';
  return (
    <ListPage<api.WaitlistEntry, api.GetWaitlistData['query'] & object, api.GetWaitlistResponse>
      title={t`Waitlist`}
      lead={t`Whoever waits longest is offered a time that becomes free: it is held for a quarter of an hour, and they are called.`}
      area="waitlist"
      read={api.getWaitlist}
      query={isAll ? {} : { open: 'true' }}
      isCounted={false}
      columns={columns}
      keyOf={({ id }) => id}
      empty={{ title: isAll ? t`Nobody has waited yet` : t`Nobody is waiting` }}
      actions={
        <DialogButton label={t`Put on the waitlist`} size="sm" variant="filled" title={t`Put on the waitlist`}>
          {(close) => <WaitForm onDone={close} />}
        </DialogButton>
      }
      aboveRows={() => (
        <Group px="md" py="xs">
          <SegmentedControl
            size="xs"
            aria-label={t`Show`}
            data={[
              { value: 'open', label: t`Waiting now` },
              { value: 'all', label: t`Everybody` },
            ]}
            value={isAll ? 'all' : 'open'}
            onChange={(next) => show(next === 'all' ? next : null)}
          />
        </Group>
      )}
    />
  );
}

const statuses: Record<api.WaitlistEntryStatus, string> = {
  waiting: t`Waiting`,
  offered: t`Being called`,
  booked: t`Booked`,
  removed: t`Removed`,
  expired: t`Waited in vain`,
};
const answers: Record<api.WaitlistOfferStatus, string> = {
  open: t`being called`,
  accepted: t`accepted`,
  declined: t`declined`,
  lapsed: t`no answer in time`,
  postponed: t`could not be called in time`,
  withdrawn: t`taken off the list`,
};

function useColumns(): Column<api.WaitlistEntry>[] {
  const providers = useBookable().data?.items ?? [];
  const when = useWhen();
  return [
    {
      head: t`Patient`,
      cell: ({ patientId, patientName }) => (
        <PageLink to={`/patients/${patientId}`}>{patientName || t`Name not given`}</PageLink>
      ),
    },
    { head: t`Visit`, cell: ({ visitType }) => visitType },
    {
      head: t`With`,
      cell: ({ providerName }) => (providerName === null ? t`Any provider` : displayNameOf(providers, providerName)),
    },
    { head: t`When`, cell: (entry) => daysInWords(entry) },
    { head: t`Since`, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      head: t`Offered`,
      cell: ({ status, offers }) => (
        <>
          {offers.length === 0 && <Quiet>{statuses[status]}</Quiet>}
          {offers.map((offer) => (
            <Text key={offer.offeredAt} size="sm">
              {t`${when(offer.startsAt)} with ${offer.providerDisplayName}: ${answers[offer.status]}`}
            </Text>
          ))}
        </>
      ),
      isLong: true,
    },
    { head: t`Change`, cell: (entry) => <Remove entry={entry} />, width: 110, isActions: true },
  ];
}

const Remove = ({ entry: { id, visitType, status } }: { entry: api.WaitlistEntry }) =>
  (status === 'waiting' || status === 'offered') && (
    <ServiceButton
      size="xs"
      does={api.deleteWaitlistByEntryIdMutation()}
      done={t`Off the waitlist.`}
      refresh={['waitlist', 'slots', 'providers']}
      request={{ path: { entryId: id } }}
      name={t`Remove ${visitType} from the waitlist`}
      label={t`Remove`}
    />
  );

function Entry({ entry }: { entry: api.WaitlistEntry }) {
  const { visitType, providerName, offeredAt } = entry;
  const providers = useBookable().data?.items ?? [];
  const when = useWhen();
  const whose = providerName === null ? t`any provider` : displayNameOf(providers, providerName);
  return (
    <Line
      name={
        <>
          {visitType}, {whose}
        </>
      }
      align="flex-start"
      more={
        <>{offeredAt && <Text size="xs">{t`${when(offeredAt)} is held for them, and they are being called.`}</Text>}</>
      }
      actions={<Remove entry={entry} />}
    >
      {daysInWords(entry)}
    </Line>
  );
}

function daysInWords({ earliestOn, latestOn, fromTime, untilTime }: api.WaitlistEntry): string {
  const hours = hoursInWords(fromTime, untilTime);
  const days = t`${dayInWords(earliestOn)} to ${dayInWords(latestOn)}`;
  return hours ? `${days}, ${hours}` : days;
}

const dayInWords = (date: string) => formatDate(date, { day: 'numeric', month: 'short', year: 'numeric' });

function hoursInWords(fromTime: string | null, untilTime: string | null): string {
  const [from, until] = [fromTime && formatWallTime(fromTime), untilTime && formatWallTime(untilTime)];
  if (from && until) return t`from ${from} and before ${until}`;
  if (from) return t`from ${from}`;
  return until ? t`before ${until}` : '';
}

const Wait = ({ patient }: { patient: api.PatientName }) => (
  <DialogButton label={t`Put on the waitlist`} title={t`Waitlist: ${nameOf(patient)}`}>
    {(close) => <WaitForm patientId={patient.id} onDone={close} />}
  </DialogButton>
);

const labels = {
  providerName: t`Provider`,
  visitType: t`Visit`,
  earliestOn: t`First day`,
  latestOn: t`Last day`,
  fromTime: t`Begins at or after`,
  untilTime: t`Begins before`,
};

/** So long somebody waits unless another day is chosen. */
const usualDays = 28;

function WaitForm({ patientId: given, onDone }: { patientId?: string; onDone: () => void }) {
  const today = wallClock(new Date().toISOString(), useZone()).date;
  const [patient, setPatient] = useState<Parameters<typeof PatientSelect>[0]['value']>(null);
  const patientId = given ?? patient?.id ?? '';
  const providers = useBookable().data?.items ?? [];
  const form = useActionForm(api.postWaitlistMutation(), {
    initialValues: {
      providerName: '',
      visitType: '',
      earliestOn: today,
      latestOn: plusDays(today, usualDays),
      fromTime: '',
      untilTime: '',
    },
    labels,
    request: ({ providerName, visitType, fromTime, untilTime, ...days }) => ({
      body: {
        patientId,
        ...days,
        providerName: providerName || undefined,
        visitType: visitType.trim() || undefined,
        fromTime: fromTime || undefined,
        untilTime: untilTime || undefined,
      },
    }),
    done: t`On the waitlist: they are called when such a time becomes free.`,
    onDone,
    refresh: ['waitlist'],
  });
  return (
    <DialogForm
      form={form}
      action={t`Put on the waitlist`}
      cancel={t`Close`}
      isDisabled={patientId === ''}
      onClose={onDone}
    >
      {given === undefined && <PatientSelect label={t`Patient`} value={patient} onChange={setPatient} autoFocus />}
      <Text size="sm">
        <Trans>
          When somebody cancels or moves, the time is held for a quarter of an hour for the person who has waited
          longest, and they are called.
        </Trans>
      </Text>
      <Select
        data={[
          { value: '', label: t`Any provider` },
          ...providers.map(({ name, displayName }) => ({ value: name, label: displayName })),
        ]}
        allowDeselect={false}
        {...form.field('providerName')}
      />
      <VisitType providers={providers} providerName={form.values.providerName || null} {...form.field('visitType')} />
      <SimpleGrid cols={2}>
        <TextInput type="date" {...form.field('earliestOn')} />
        <TextInput type="date" {...form.field('latestOn')} />
        <TextInput type="time" {...form.field('fromTime')} />
        <TextInput type="time" {...form.field('untilTime')} />
      </SimpleGrid>
    </DialogForm>
  );
}
