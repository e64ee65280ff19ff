import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { postAppointmentsOverrideMutation } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { useIsAdmin, useZone } from '../shell/account';
import { refusalOf, useBookable, useWhen, VisitType } from './booking';
import { useRefresh } from './refresh';
import { detailsOf, showRefusal } from './refusal';
import { sayDone } from './say';
import { instantAt } from './week';

/** A time of a provider that was refused. */
interface Time {
  providerName: string;
  startsAt: string;
}

type Reason = Api.PostAppointmentsOverrideData['body']['reason'];

const reasons: Record<Reason, string> = {
  urgent: t`It is urgent`,
  provider_agreed: t`The provider agreed`,
  patient_came: t`The patient is here`,
  correction: t`An entry is put right`,
};

const labels = { providerName: t`Provider`, startsAt: t`Date and time`, reason: t`Why`, visitType: t`Visit` };

/** Books a time that is not on offer; for administrators alone, with a reason that stays in the audit. */
export function OverrideBooking({ patientId, time }: { patientId: string; time?: Time }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  if (!useIsAdmin()) return null;
  return (
    <>
      <Button variant="subtle" size="xs" onClick={open}>
        {time ? t`Book it all the same` : t`Book a time that is not offered`}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t`Book a time that is not offered`}>
        <OverrideForm patientId={patientId} time={time} onDone={close} />
      </Modal>
    </>
  );
}

function OverrideForm({ patientId, time, onDone }: { patientId: string; time?: Time; onDone: () => void }) {
  const zone = useZone();
  const when = useWhen();
  const providers = useBookable().data?.items ?? [];
  const form = useForm({
    initialValues: { providerName: time?.providerName ?? '', startsAt: '', reason: '', visitType: '' },
  });
  const book = useMutation({
    ...postAppointmentsOverrideMutation(),
    onSuccess({ startsAt }) {
      sayDone(t`Booked: ${when(startsAt)}.`);
      onDone();
    },
    onError(error) {
      if (detailsOf(error).length > 0) showRefusal(form, error, labels);
    },
    onSettled: useRefresh('patients', 'providers', 'overview', 'slots'),
  });
  const send = ({ startsAt, reason, visitType, providerName }: typeof form.values) => {
    const missing = Object.entries({ providerName, startsAt: time?.startsAt ?? startsAt, reason }).filter(
      ([, value]) => !value,
    );
    if (missing.length > 0) return form.setErrors(Object.fromEntries(missing.map(([name]) => [name, t`Choose one`])));
    book.mutate({
      body: {
        patientId,
        providerName,
        startsAt: time?.startsAt ?? instantAt(startsAt, zone),
        reason: reason as Reason,
        visitType: visitType.trim() || undefined,
      },
    });
  };
  const refused = book.error && detailsOf(book.error).length === 0 ? refusalOf(book.error) : null;
  return (
    <form noValidate onSubmit={form.onSubmit(send)}>
      <Stack>
        <Text size="sm">
          <Trans>
            Outside the hours, on a day off, too soon or off the grid. A time that somebody has or holds stays theirs.
          </Trans>
        </Text>
        {!time && (
          <>
            <Select
              label={labels.providerName}
              placeholder={t`Choose one`}
              data={providers.map(({ name, displayName }) => ({ value: name, label: displayName }))}
              allowDeselect={false}
              {...form.getInputProps('providerName')}
            />
            <TextInput
              type="datetime-local"
              label={`${labels.startsAt} (${zone.replaceAll('_', ' ')})`}
              {...form.getInputProps('startsAt')}
            />
          </>
        )}
        <VisitType
          providers={providers}
          providerName={form.values.providerName || null}
          value={form.values.visitType}
          onChange={(visitType) => form.setFieldValue('visitType', visitType)}
        />
        <Select
          label={labels.reason}
          description={t`Kept in the audit with your name`}
          placeholder={t`Choose one`}
          data={Object.entries(reasons).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          {...form.getInputProps('reason')}
        />
        {refused && (
          <Alert color="red" role="alert">
            {refused}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            <Trans>Close</Trans>
          </Button>
          <Button type="submit" loading={book.isPending}>
            <Trans>Book it all the same</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
