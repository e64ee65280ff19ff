import { Select, Text, TextInput } from '@mantine/core';
import * as api from '#api';
import { detailsOf, DialogForm, useActionForm } from '#forms';
import { Refusal, useZone } from '#parts';
import { t } from '#texts';
import { instantAt, optionsOf, zoneName } from '#words';
import { bookingAreas, refusalOf, useBookable, useWhen } from './bookable';
import type { ChosenSlot } from './time-choice';
import { useIsNew, useVisitType, VisitType } from './visit-type';

type Reason = api.PostAppointmentsOverrideData['body']['reason'];

const reasons: Record<Reason, string> = {
  urgent: t`It is urgent`,
  provider_agreed: t`The provider agreed`,
  patient_came: t`The patient is here`,
  correction: t`An entry is put right`,
};

const labels = { providerName: t`Provider`, startsAt: t`Date and time`, reason: t`Why` };

/** A time of any provider, and why it is booked although it is not offered. */
export function OverrideForm({
  patientId,
  time,
  onDone,
}: {
  patientId: string;
  time?: ChosenSlot;
  onDone: () => void;
}) {
  const zone = useZone();
  const when = useWhen();
  const providers = useBookable().data?.items ?? [];
  const orChoose = (value: unknown) => (value ? null : t`Choose one`);
  const form = useActionForm(api.postAppointmentsOverrideMutation(), {
    initialValues: { providerName: time?.providerName ?? '', startsAt: '', reason: '' },
    validate: { providerName: orChoose, startsAt: (at) => orChoose(time ?? at), reason: orChoose },
    labels,
    request: ({ startsAt, reason, providerName }) => ({
      body: {
        patientId,
        providerName,
        startsAt: time?.startsAt ?? instantAt(startsAt, zone),
        reason: reason as Reason,
        visitType: visit.visitType.trim(),
      },
    }),
    showsRefusal: true,
    done: ({ startsAt }) => t`Booked: ${when(startsAt)}.`,
    onDone,
    refresh: bookingAreas,
  });
  const isNew = useIsNew(patientId);
  const visit = useVisitType({ providers, providerName: form.values.providerName || null, isNew });
  const refused = form.error && detailsOf(form.error).length === 0 ? refusalOf(form.error) : null;
  return (
    <DialogForm
      form={{ ...form, isDirty: () => form.isDirty() || visit.isDirty }}
      action={t`Book it anyway`}
      cancel={t`Close`}
      isDisabled={visit.visitType === ''}
      onClose={onDone}
    >
      <Text size="sm">
        {t`Outside the hours, on a day off, too soon or off the grid. A time that somebody has or holds stays theirs.`}
      </Text>
      {!time && (
        <>
          <Select
            placeholder={t`Choose one`}
            data={providers.map(({ name, displayName }) => ({ value: name, label: displayName }))}
            allowDeselect={false}
            {...form.field('providerName')}
          />
          <TextInput
            type="datetime-local"
            label={`${labels.startsAt} (${zoneName(zone)})`}
            {...form.getInputProps('startsAt')}
          />
        </>
      )}
      <VisitType of={visit} />
      <Select
        description={t`Kept in the audit with your name`}
        placeholder={t`Choose one`}
        data={optionsOf(reasons)}
        allowDeselect={false}
        {...form.field('reason')}
      />
      {refused && <Refusal>{refused}</Refusal>}
    </DialogForm>
  );
}
