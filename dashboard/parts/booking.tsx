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
  slot_taken: 'Somebody else has just booked this time. Choose another one.',
  slot_unavailable: 'This time is not offered any more. Choose another one.',
  'startsAt lies in the past': 'This time has passed. Choose another one.',
  appointment_cancelled: 'The appointment was cancelled meanwhile.',
  appointment_fulfilled: 'The appointment has taken place already.',
};

const refusalOf = (error: unknown): string => {
  const { message = '' } = (error ?? {}) as { message?: string };
  return refusals[message] ?? sentenceOf(error);
};

const useBookable = () => useQuery({ ...getProvidersOptions(), staleTime: 60_000 });

function useWhen(): (startsAt: string) => string {
  const zone = useZone();
  return (startsAt) => `${formatDay(startsAt, zone, 'numeric')}, ${formatTime(startsAt, zone)}`;
}

const displayNameOf = (providers: Provider[], name: string) =>
  providers.find((provider) => provider.name === name)?.displayName ?? name;

/** Books an open time for a patient. */
export function Book({ patient }: { patient: Api.PatientName }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconCalendarPlus size={16} aria-hidden />} onClick={open}>
        Book an appointment
      </Button>
      <Modal opened={isOpen} onClose={close} title={`Book for ${nameOf(patient)}`} size="lg">
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
  const when = useWhen();
  const refresh = useRefresh('patients', 'providers', 'overview', 'slots');
  const book = useMutation({
    ...postAppointmentsMutation(),
    onSuccess({ startsAt }) {
      sayDone(`Booked: ${when(startsAt)}.`);
      onDone();
    },
    onError: () => choose(null),
    onSettled: refresh,
  });
  const ofProvider = providers.find(({ name }) => name === (chosen?.providerName ?? providerName));
  const visitTypes = ofProvider?.visitTypes ?? [...new Set(providers.flatMap((provider) => provider.visitTypes))];
  return (
    <Choosing
      chosen={chosen}
      providers={providers}
      refusal={book.error && refusalOf(book.error)}
      isSaving={book.isPending}
      verb="Book"
      onCancel={onDone}
      onConfirm={({ startsAt, providerName: name }) =>
        book.mutate({ body: { patientId, providerName: name, startsAt, visitType: visitType.trim() || undefined } })
      }
    >
      <Group grow align="flex-start">
        <Select
          label="Provider"
          data={[
            { value: '', label: 'Any provider' },
            ...providers.map(({ name, displayName }) => ({ value: name, label: displayName })),
          ]}
          value={providerName ?? ''}
          onChange={(name) => {
            setProvider(name || null);
            choose(null);
          }}
        />
        <Autocomplete
          label="Visit"
          placeholder="Follow-up consultation"
          data={visitTypes}
          value={visitType}
          maxLength={200}
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

/** Moves a booked appointment to another open time of its provider, or cancels it. */
export function ChangeAppointment({ appointment }: { appointment: Appointment }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const when = useWhen();
  if (appointment.status !== 'booked' || Date.parse(appointment.startsAt) < Date.now()) return null;
  const about = `${when(appointment.startsAt)} with ${appointment.providerDisplayName}`;
  return (
    <Group gap="xs" wrap="nowrap" display="inline-flex">
      <Button size="xs" variant="default" onClick={open} aria-label={`Move ${about}`}>
        Move
      </Button>
      <CancelAppointment appointment={appointment} about={about} />
      <Modal opened={isOpen} onClose={close} title={`Move ${about}`} size="lg">
        <MovingForm appointment={appointment} onDone={close} />
      </Modal>
    </Group>
  );
}

function MovingForm({ appointment: { id, providerName }, onDone }: { appointment: Appointment; onDone: () => void }) {
  const providers = useBookable().data?.items ?? [];
  const [chosen, choose] = useState<ChosenSlot | null>(null);
  const when = useWhen();
  const refresh = useRefresh('patients', 'providers', 'overview', 'slots');
  const move = useMutation({
    ...postAppointmentsByAppointmentIdRescheduleMutation(),
    onSuccess({ startsAt }) {
      sayDone(`Moved to ${when(startsAt)}.`);
      onDone();
    },
    onError: () => choose(null),
    onSettled: refresh,
  });
  return (
    <Choosing
      chosen={chosen}
      providers={providers}
      refusal={move.error && refusalOf(move.error)}
      isSaving={move.isPending}
      verb="Move"
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
            ? `${when(chosen.startsAt)} with ${displayNameOf(providers, chosen.providerName)}`
            : 'No time is chosen yet.'}
        </Text>
        <Group gap="xs" ml="auto">
          <Button variant="default" onClick={onCancel}>
            Close
          </Button>
          <Button disabled={!chosen} loading={isSaving} onClick={() => chosen && onConfirm(chosen)}>
            {verb}
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}

function CancelAppointment({ appointment: { id }, about }: { appointment: Appointment; about: string }) {
  const refresh = useRefresh('patients', 'providers', 'overview', 'slots');
  const cancel = useMutation({
    ...postAppointmentsByAppointmentIdCancelMutation(),
    onSuccess: () => sayDone('The appointment is cancelled.'),
    onError: (error) => sayFailed({ message: refusalOf(error) }),
    onSettled: refresh,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: 'Cancel this appointment?',
      children: <Text size="sm">{about}. Its time can be booked by others at once.</Text>,
      labels: { confirm: 'Cancel the appointment', cancel: 'Keep it' },
      confirmProps: { color: 'red' },
      onConfirm: () => cancel.mutate({ path: { appointmentId: id } }),
    });
  return (
    <Button size="xs" variant="default" loading={cancel.isPending} onClick={ask} aria-label={`Cancel ${about}`}>
      Cancel
    </Button>
  );
}
