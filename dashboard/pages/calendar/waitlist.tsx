import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { DialogButton, DialogForm, ServiceButton, useActionForm } from '#forms';
import { StackedList } from '#lists';
import { Line, Section } from '#parts';
import { t, Trans } from '#texts';
import { formatDate, formatWallTime, nameOf } from '#words';
import { displayNameOf, useBookable, useWhen, VisitType } from './bookable';

/** What the patient waits for, and a way to be called when it becomes free. */
export const PatientWaitlist = ({ patient }: { patient: api.PatientName }) => (
  <Section title={t`Waitlist`} actions={<Wait patient={patient} />}>
    <StackedList
      query={useQuery(api.getWaitlistOptions({ query: { patientId: patient.id, open: 'true', limit: 20 } }))}
      rows={1}
      gap="sm"
      none={t`Waits for nothing.`}
      keyOf={({ id }) => id}
    >
      {(entry) => <Entry entry={entry} />}
    </StackedList>
  </Section>
);

function Entry({ entry }: { entry: api.WaitlistEntry }) {
  const { id, visitType, earliestOn, latestOn, fromTime, untilTime, providerName, offeredAt } = entry;
  const providers = useBookable().data?.items ?? [];
  const when = useWhen();
  const whose = providerName === null ? t`any provider` : displayNameOf(providers, providerName);
  const hours = hoursInWords(fromTime, untilTime);
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
      actions={
        <ServiceButton
          size="xs"
          does={api.deleteWaitlistByEntryIdMutation()}
          done={t`Off the waitlist.`}
          refresh={['waitlist', 'slots', 'providers']}
          request={{ path: { entryId: id } }}
          name={t`Remove ${visitType} from the waitlist`}
          label={t`Remove`}
        />
      }
    >
      {t`${dayInWords(earliestOn)} to ${dayInWords(latestOn)}`}
      {hours && `, ${hours}`}
    </Line>
  );
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

function WaitForm({ patientId, onDone }: { patientId: string; onDone: () => void }) {
  const providers = useBookable().data?.items ?? [];
  const form = useActionForm(api.postWaitlistMutation(), {
    initialValues: { providerName: '', visitType: '', earliestOn: '', latestOn: '', fromTime: '', untilTime: '' },
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
    <DialogForm form={form} action={t`Put on the waitlist`} cancel={t`Close`} onClose={onDone}>
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
