import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Autocomplete, Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  getProvidersOptions,
  postAppointmentsByAppointmentIdCancelMutation,
  postAppointmentsByAppointmentIdRescheduleMutation,
  postAppointmentsMutation,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { sentenceOf } from '../http/service';
import { IconCalendarPlus } from '../icons';
import { useZone } from '../shell/account';
import { formatDay, formatTime } from './moment';
import { nameOf } from './person';
import { useRefresh } from './refresh';
import { sayDone, sayFailed } from './say';
import { type ChosenSlot, SlotPicker } from './slot-picker';

type Appointment = Api.PatientRecord['appointments'][number];
type Provider = Api.Provider;

/** Why the service did not book, move or cancel, as somebody tells it to the patient on the phone. */
const refusals: Record<string, string> = {
  slot_taken: t`Somebody else has just booked this time. Choose another one.`,
  slot_held: t`Somebody else is just thinking this time over. Choose another one, or try again in some minutes.`,
  slot_unavailable: t`This time is not offered any more. Choose another one.`,
  'startsAt lies in the past': t`This time has passed. Choose another one.`,
  appointment_cancelled: t`The appointment was cancelled meanwhile.`,
  appointment_fulfilled: t`The appointment has taken place already.`,
};

export const refusalOf = (error: unknown): string => {
  const { message = '' } = (error ?? {}) as { message?: string };
  return refusals[message] ?? sentenceOf(error);
};

export const useBookable = () => useQuery({ ...getProvidersOptions(), staleTime: 60_000 });

/** An instant as a day and a time of the clinic. */
export function useWhen(): (startsAt: string) => string {
  const zone = useZone();
  return (startsAt) => `${formatDay(startsAt, zone, 'numeric')}, ${formatTime(startsAt, zone)}`;
}

export const displayNameOf = (providers: Provider[], name: string) =>
  providers.find((provider) => provider.name === name)?.displayName ?? name;

const useRefreshBookings = () => useRefresh('patients', 'providers', 'overview', 'slots');

/** Books a time, and says that it is booked. What is refused stands in `error`. */
export function useBook({ onDone, onError }: { onDone: () => void; onError?: () => void }) {
  const when = useWhen();
  return useMutation({
    ...postAppointmentsMutation(),
    onSuccess({ startsAt }) {
      sayDone(t`Booked: ${when(startsAt)}.`);
      onDone();
    },
    onError,
    onSettled: useRefreshBookings(),
  });
}

/** Moves an appointment to another time of its provider, likewise. */
export function useMove({ onDone, onError }: { onDone: () => void; onError?: () => void }) {
  const when = useWhen();
  return useMutation({
    ...postAppointmentsByAppointmentIdRescheduleMutation(),
    onSuccess({ startsAt }) {
      sayDone(t`Moved to ${when(startsAt)}.`);
      onDone();
    },
    onError,
    onSettled: useRefreshBookings(),
  });
}

/** Cancels an appointment, likewise. */
export function useCancel({ onDone, onError }: { onDone?: () => void; onError?: (error: unknown) => void }) {
  return useMutation({
    ...postAppointmentsByAppointmentIdCancelMutation(),
    onSuccess() {
      sayDone(t`The appointment is cancelled.`);
      onDone?.();
    },
    onError,
    onSettled: useRefreshBookings(),
  });
}

/** Books an open time for a patient. */
export function Book({ patient }: { patient: Api.PatientName }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconCalendarPlus size={16} aria-hidden />} onClick={open}>
        <Trans>Book an appointment</Trans>
      </Button>
      <Modal opened={isOpen} onClose={close} title={t`Book for ${nameOf(patient)}`} size="lg">
        <BookingForm patientId={patient.id} onDone={close} />
      </Modal>
    </>
  );
}

function BookingForm({ patientId, onDone }: { patientId: string; onDone: () => void }) {
  const providers = useBookable().data?.items ?? [];
  const [providerName, setProvider] = useState<string | null>(null);
  const [visitType, setVisitType] = useState('');
  const [chosen, choose] = useState<ChosenSlot | null>(null);
  const book = useBook({ onDone, onError: () => choose(null) });
  return (
    <Choosing
      chosen={chosen}
      providers={providers}
      refusal={book.error && refusalOf(book.error)}
      isSaving={book.isPending}
      verb={t`Book`}
      onCancel={onDone}
      onConfirm={({ startsAt, providerName: name }) =>
        book.mutate({ body: { patientId, providerName: name, startsAt, visitType: visitType.trim() || undefined } })
      }
    >
      <Group grow align="flex-start">
        <Select
          label={t`Provider`}
          data={[
            { value: '', label: t`Any provider` },
            ...providers.map(({ name, displayName }) => ({ value: name, label: displayName })),
          ]}
          value={providerName ?? ''}
          onChange={(name) => {
            setProvider(name || null);
            choose(null);
          }}
        />
        <VisitType
          providers={providers}
          providerName={chosen?.providerName ?? providerName}
          value={visitType}
          onChange={setVisitType}
        />
      </Group>
      <SlotPicker
        providerName={providerName}
        nameOf={(name) => displayNameOf(providers, name)}
        chosen={chosen}
        onChoose={(slot) => {
          book.reset();
          choose(slot);
        }}
      />
    </Choosing>
  );
}

/** What a visit is for: one of its provider's types, or words of one's own. */
export function VisitType({
  providers,
  providerName,
  value,
  onChange,
}: {
  providers: Provider[];
  /** Null while any provider will do. */
  providerName: string | null;
  value: string;
  onChange: (visitType: string) => void;
}) {
  const ofProvider = providers.find(({ name }) => name === providerName);
  return (
    <Autocomplete
      label={t`Visit`}
      placeholder={t`Follow-up consultation`}
      data={ofProvider?.visitTypes ?? [...new Set(providers.flatMap(({ visitTypes }) => visitTypes))]}
      value={value}
      maxLength={200}
      onChange={onChange}
    />
  );
}

/** Whether an appointment can still be moved or cancelled. */
export const isChangeable = ({ status, startsAt }: Pick<Appointment, 'status' | 'startsAt'>): boolean =>
  status === 'booked' && Date.parse(startsAt) >= Date.now();

/** Moves a booked appointment to another open time of its provider, or cancels it. */
export function ChangeAppointment({ appointment }: { appointment: Appointment }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const when = useWhen();
  if (!isChangeable(appointment)) return null;
  const about = t`${when(appointment.startsAt)} with ${appointment.providerDisplayName}`;
  return (
    <Group gap="xs" wrap="nowrap" display="inline-flex">
      <Button size="xs" variant="default" onClick={open} aria-label={t`Move ${about}`}>
        <Trans>Move</Trans>
      </Button>
      <CancelAppointment appointment={appointment} about={about} />
      <Modal opened={isOpen} onClose={close} title={t`Move ${about}`} size="lg">
        <MovingForm appointment={appointment} onDone={close} />
      </Modal>
    </Group>
  );
}

function MovingForm({ appointment: { id, providerName }, onDone }: { appointment: Appointment; onDone: () => void }) {
  const providers = useBookable().data?.items ?? [];
  const [chosen, choose] = useState<ChosenSlot | null>(null);
  const move = useMove({ onDone, onError: () => choose(null) });
  return (
    <Choosing
      chosen={chosen}
      providers={providers}
      refusal={move.error && refusalOf(move.error)}
      isSaving={move.isPending}
      verb={t`Move`}
      onCancel={onDone}
      onConfirm={({ startsAt }) => move.mutate({ path: { appointmentId: id }, body: { startsAt } })}
    >
      <SlotPicker
        providerName={providerName}
        nameOf={(name) => displayNameOf(providers, name)}
        chosen={chosen}
        onChoose={(slot) => {
          move.reset();
          choose(slot);
        }}
      />
    </Choosing>
  );
}

/** What a time is chosen in: the refusal of the last one, and the button that takes the one that is chosen. */
function Choosing({
  chosen,
  providers,
  refusal,
  isSaving,
  verb,
  onConfirm,
  onCancel,
  children,
}: {
  chosen: ChosenSlot | null;
  providers: Provider[];
  refusal: string | null;
  isSaving: boolean;
  verb: string;
  onConfirm: (slot: ChosenSlot) => void;
  onCancel: () => void;
  children: ReactNode;
}) {
  const when = useWhen();
  return (
    <Stack>
      {children}
      {refusal && (
        <Alert color="red" role="alert">
          {refusal}
        </Alert>
      )}
      <Group justify="space-between">
        <Text size="sm" role="status">
          {chosen
            ? t`${when(chosen.startsAt)} with ${displayNameOf(providers, chosen.providerName)}`
            : t`No time is chosen yet.`}
        </Text>
        <Group gap="xs" ml="auto">
          <Button variant="default" onClick={onCancel}>
            <Trans>Close</Trans>
          </Button>
          <Button disabled={!chosen} loading={isSaving} onClick={() => chosen && onConfirm(chosen)}>
            {verb}
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}

/** Asks whether an appointment is to be cancelled, and cancels it. */
function CancelAppointment({ appointment: { id }, about }: { appointment: Appointment; about: string }) {
  const cancel = useCancel({ onError: (error) => sayFailed({ message: refusalOf(error) }) });
  const ask = () =>
    modals.openConfirmModal({
      title: cancelWords.title,
      children: <Text size="sm">{cancelWords.what(about)}</Text>,
      labels: { confirm: cancelWords.confirm, cancel: cancelWords.keep },
      confirmProps: { color: 'red' },
      onConfirm: () => cancel.mutate({ path: { appointmentId: id } }),
    });
  return (
    <Button size="xs" variant="default" loading={cancel.isPending} onClick={ask} aria-label={t`Cancel ${about}`}>
      <Trans>Cancel</Trans>
    </Button>
  );
}

/** What is asked before an appointment is cancelled. */
export const cancelWords = {
  title: t`Cancel this appointment?`,
  what: (about: string) => t`${about}. Its time can be booked by others at once.`,
  confirm: t`Cancel the appointment`,
  keep: t`Keep it`,
};
