import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Modal, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  deleteWaitlistByEntryIdMutation,
  getWaitlistOptions,
  postWaitlistMutation,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { displayNameOf, useBookable, useWhen, VisitType } from './booking';
import { nameOf } from './person';
import { useRefresh } from './refresh';
import { showRefusal } from './refusal';
import { sayDone, sayFailed } from './say';
import { Section } from './section';
import { Loaded, Nothing } from './states';
import { formatDate, formatWallTime } from './week';

/** What the patient waits for, and a way to be called when it becomes free. */
export function PatientWaitlist({ patient }: { patient: Api.PatientName }) {
  const waiting = useQuery(getWaitlistOptions({ query: { patientId: patient.id, open: 'true', limit: 20 } }));
  return (
    <Section title={t`Waitlist`} actions={<Wait patient={patient} />}>
      <Loaded query={waiting} rows={1}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing>
              <Trans>Waits for nothing.</Trans>
            </Nothing>
          ) : (
            <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
              {items.map((entry) => (
                <li key={entry.id}>
                  <Entry entry={entry} />
                </li>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  );
}

function Entry({ entry }: { entry: Api.WaitlistEntry }) {
  const { id, visitType, earliestOn, latestOn, fromTime, untilTime, providerName, offeredAt } = entry;
  const providers = useBookable().data?.items ?? [];
  const when = useWhen();
  const refresh = useRefresh('waitlist', 'slots', 'providers');
  const remove = useMutation({
    ...deleteWaitlistByEntryIdMutation(),
    onSuccess: () => sayDone(t`Off the waitlist.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const whose = providerName === null ? t`any provider` : displayNameOf(providers, providerName);
  const hours = hoursInWords(fromTime, untilTime);
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap">
      <div>
        <Text size="sm" fw={500}>
          {visitType}, {whose}
        </Text>
        <Text size="xs" c="dimmed">
          <Trans>
            {dayInWords(earliestOn)} to {dayInWords(latestOn)}
          </Trans>
          {hours && `, ${hours}`}
        </Text>
        {offeredAt && (
          <Text size="xs">
            <Trans>{when(offeredAt)} is held for them, and they are being called.</Trans>
          </Text>
        )}
      </div>
      <Button
        size="xs"
        variant="default"
        loading={remove.isPending}
        onClick={() => remove.mutate({ path: { entryId: id } })}
        aria-label={t`Remove ${visitType} from the waitlist`}
      >
        <Trans>Remove</Trans>
      </Button>
    </Group>
  );
}

const dayInWords = (date: string) => formatDate(date, { day: 'numeric', month: 'short', year: 'numeric' });

function hoursInWords(fromTime: string | null, untilTime: string | null): string {
  const [from, until] = [fromTime && formatWallTime(fromTime), untilTime && formatWallTime(untilTime)];
  if (from && until) return t`from ${from} and before ${until}`;
  if (from) return t`from ${from}`;
  return until ? t`before ${until}` : '';
}

function Wait({ patient }: { patient: Api.PatientName }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        <Trans>Put on the waitlist</Trans>
      </Button>
      <Modal opened={isOpen} onClose={close} title={t`Waitlist: ${nameOf(patient)}`}>
        <WaitForm patientId={patient.id} onDone={close} />
      </Modal>
    </>
  );
}

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
  const refresh = useRefresh('waitlist');
  const form = useForm({
    initialValues: { providerName: '', visitType: '', earliestOn: '', latestOn: '', fromTime: '', untilTime: '' },
  });
  const add = useMutation({
    ...postWaitlistMutation(),
    onSuccess() {
      sayDone(t`On the waitlist: they are called when such a time becomes free.`);
      onDone();
    },
    onError: (error) => showRefusal(form, error, labels),
    onSettled: refresh,
  });
  const send = ({ providerName, visitType, fromTime, untilTime, ...days }: typeof form.values) =>
    add.mutate({
      body: {
        patientId,
        ...days,
        providerName: providerName || undefined,
        visitType: visitType.trim() || undefined,
        fromTime: fromTime || undefined,
        untilTime: untilTime || undefined,
      },
    });
  return (
    <form noValidate onSubmit={form.onSubmit(send)}>
      <Stack>
        <Text size="sm">
          <Trans>
            When somebody cancels or moves, the time is held for a quarter of an hour for whoever has waited longest,
            and they are called.
          </Trans>
        </Text>
        <Select
          label={labels.providerName}
          data={[
            { value: '', label: t`Any provider` },
            ...providers.map(({ name, displayName }) => ({ value: name, label: displayName })),
          ]}
          allowDeselect={false}
          {...form.getInputProps('providerName')}
        />
        <VisitType
          providers={providers}
          providerName={form.values.providerName || null}
          value={form.values.visitType}
          onChange={(visitType) => form.setFieldValue('visitType', visitType)}
        />
        <SimpleGrid cols={2}>
          <TextInput type="date" label={labels.earliestOn} {...form.getInputProps('earliestOn')} />
          <TextInput type="date" label={labels.latestOn} {...form.getInputProps('latestOn')} />
          <TextInput type="time" label={labels.fromTime} {...form.getInputProps('fromTime')} />
          <TextInput type="time" label={labels.untilTime} {...form.getInputProps('untilTime')} />
        </SimpleGrid>
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            <Trans>Close</Trans>
          </Button>
          <Button type="submit" loading={add.isPending}>
            <Trans>Put on the waitlist</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
