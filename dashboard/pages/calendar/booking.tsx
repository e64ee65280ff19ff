import { Autocomplete, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import * as api from '#api';
import { ActionButton, DialogButton, useAction } from '#forms';
import { type Area, codeOf, sentenceOf } from '#http';
import { IconCalendarPlus } from '#icons';
import { PlainButton, Refusal, sayFailed, useZone } from '#parts';
import { t } from '#texts';
import { formatDay, formatTime, nameOf } from '#words';
import { type ChosenSlot, SlotPicker } from './slot-picker';

type Appointment = api.PatientRecord['appointments'][number];

/** Why the service did not book, move or cancel, as somebody tells it to the patient on the phone. */
const refusals: Partial<Record<NonNullable<api.Error['code']>, string>> = {
  slot_taken: t`Somebody else has just booked this time. Choose another one.`,
  slot_held: t`Somebody else is just thinking this time over. Choose another one, or try again in some minutes.`,
  slot_unavailable: t`This time is not offered any more. Choose another one.`,
  in_the_past: t`This time has passed. Choose another one.`,
  appointment_cancelled: t`The appointment was cancelled meanwhile.`,
  appointment_fulfilled: t`The appointment has taken place already.`,
};

export const refusalOf = (error: unknown): string => {
  const code = codeOf(error);
  return (code && refusals[code]) ?? sentenceOf(error);
};

export const useBookable = () => useQuery({ ...api.getProvidersOptions(), staleTime: 60_000 });

/** An instant as a day and a time of the clinic. */
export function useWhen(): (startsAt: string) => string {
  const zone = useZone();
  return (startsAt) => `${formatDay(startsAt, zone, 'numeric')}, ${formatTime(startsAt, zone)}`;
}

export const displayNameOf = (providers: api.Provider[], name: string) =>
  providers.find((provider) => provider.name === name)?.displayName ?? name;

const bookingAreas: Area[] = ['patients', 'providers', 'overview', 'slots'];

/** Books a time, and says that it is booked. What is refused stands in `error`. */
export function useBook({ onDone, onError }: { onDone: () => void; onError?: () => void }) {
  const when = useWhen();
  return useAction(api.postAppointmentsMutation(), {
    done: ({ startsAt }) => t`Booked: ${when(startsAt)}.`,
    onDone,
    onRefused: onError ?? null,
    refresh: bookingAreas,
  });
}

/** Moves an appointment to another time of its provider, likewise. */
export function useMove({ onDone, onError }: { onDone: () => void; onError?: () => void }) {
  const when = useWhen();
  return useAction(api.postAppointmentsByAppointmentIdRescheduleMutation(), {
    done: ({ startsAt }) => t`Moved to ${when(startsAt)}.`,
    onDone,
    onRefused: onError ?? null,
    refresh: bookingAreas,
  });
}

/** Cancels an appointment, likewise. */
export const useCancel = ({ onDone, onError }: { onDone?: () => void; onError?: (error: unknown) => void }) =>
  useAction(api.postAppointmentsByAppointmentIdCancelMutation(), {
    done: t`The appointment is cancelled.`,
    onDone,
    onRefused: onError ?? null,
    refresh: bookingAreas,
  });

/** Books an open time for a patient. */
export const Book = ({ patient }: { patient: api.PatientName }) => (
  <DialogButton
    label={t`Book an appointment`}
    size="sm"
    variant="filled"
    icon={IconCalendarPlus}
    title={t`Book for ${nameOf(patient)}`}
    dialogSize="lg"
  >
    {(close) => <BookingForm patientId={patient.id} onDone={close} />}
  </DialogButton>
);

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

interface VisitTypeProps {
  providers: api.Provider[];
  /** Null while any provider will do. */
  providerName: string | null;
  value: string;
  onChange: (visitType: string) => void;
  label?: string;
}

/** What a visit is for: one of its provider's types, or words of one's own. */
export function VisitType({ providers, providerName, value, onChange }: VisitTypeProps) {
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
  const when = useWhen();
  if (!isChangeable(appointment)) return null;
  const about = t`${when(appointment.startsAt)} with ${appointment.providerDisplayName}`;
  return (
    <Group gap="xs" wrap="nowrap" display="inline-flex">
      <DialogButton label={t`Move`} name={t`Move ${about}`} title={t`Move ${about}`} dialogSize="lg">
        {(close) => <MovingForm appointment={appointment} onDone={close} />}
      </DialogButton>
      <CancelAppointment appointment={appointment} about={about} />
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

interface ChoosingProps {
  chosen: ChosenSlot | null;
  providers: api.Provider[];
  refusal: string | null;
  isSaving: boolean;
  verb: string;
  onConfirm: (slot: ChosenSlot) => void;
  onCancel: () => void;
  children: ReactNode;
}

/** What a time is chosen in: the refusal of the last one, and the button that takes the one that is chosen. */
function Choosing({ chosen, providers, refusal, isSaving, verb, onConfirm, onCancel, children }: ChoosingProps) {
  const when = useWhen();
  return (
    <Stack>
      {children}
      {refusal && <Refusal>{refusal}</Refusal>}
      <Group justify="space-between">
        <Text size="sm" role="status">
          {chosen
            ? t`${when(chosen.startsAt)} with ${displayNameOf(providers, chosen.providerName)}`
            : t`No time is chosen yet.`}
        </Text>
        <Group gap="xs" ml="auto">
          <PlainButton label={t`Close`} onClick={onCancel} />
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
  return (
    <ActionButton
      size="xs"
      action={cancel}
      request={{ path: { appointmentId: id } }}
      ask={{
        title: cancelWords.title,
        what: cancelWords.what(about),
        yes: cancelWords.confirm,
        no: cancelWords.keep,
        isFinal: true,
      }}
      name={t`Cancel ${about}`}
      label={t`Cancel`}
    />
  );
}

/** What is asked before an appointment is cancelled. */
export const cancelWords = {
  title: t`Cancel this appointment?`,
  what: (about: string) => t`${about}. Its time can be booked by others at once.`,
  confirm: t`Cancel the appointment`,
  keep: t`Keep it`,
};
