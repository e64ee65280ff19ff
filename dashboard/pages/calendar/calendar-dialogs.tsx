import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type * as api from '#api';
import { DialogEnd } from '#forms';
import { codeOf } from '#http';
import { Facts, PlainButton, Refusal, Status } from '#parts';
import { t, Trans } from '#texts';
import { PageLink } from '#words';
import { PatientSelect } from '../patients/patient-select';
import { cancelWords, isChangeable, refusalOf, useBook, useCancel, useMove, useWhen, VisitType } from './booking';
import { OverrideBooking } from './override';

type Booked = api.CalendarEntry;

/** A time of a provider. */
export interface Time {
  providerName: string;
  startsAt: string;
}

/** Books a free block of the calendar for a patient who is found here. */
export function BookBlock({ time, providers, onDone }: { time: Time; providers: api.Provider[]; onDone: () => void }) {
  const [patient, setPatient] = useState<Parameters<typeof PatientSelect>[0]['value']>(null);
  const [visitType, setVisitType] = useState('');
  const book = useBook({ onDone });
  const submit = () => {
    const body = { patientId: patient?.id ?? '', ...time, visitType: visitType.trim() || undefined };
    if (patient) book.mutate({ body });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        <PatientSelect label={t`Patient`} value={patient} onChange={setPatient} autoFocus />
        <VisitType providers={providers} providerName={time.providerName} value={visitType} onChange={setVisitType} />
        <Refused error={book.error} />
        {patient && isNotOffered(book.error) && <OverrideBooking patientId={patient.id} time={time} />}
        <DialogEnd onClose={onDone}>
          <Button type="submit" disabled={!patient} loading={book.isPending}>
            {t`Book`}
          </Button>
        </DialogEnd>
      </Stack>
    </form>
  );
}

const isNotOffered = (error: unknown): boolean => codeOf(error) === 'slot_unavailable';

interface AppointmentBlockProps {
  appointment: Booked;
  onMove: () => void;
  onCancel: () => void;
  onClose: () => void;
}

/** An appointment of the calendar: whose it is, and what can be done about it. */
export function AppointmentBlock({ appointment, onMove, onCancel, onClose }: AppointmentBlockProps) {
  const about = useAbout(appointment);
  const { patientId, patientName, status, visitType } = appointment;
  return (
    <Stack>
      <Facts
        facts={[
          [t`Patient`, <PageLink to={`/patients/${patientId}`}>{patientName || t`Name not given`}</PageLink>, 'long'],
          [t`Time`, about, 'long'],
          [t`Visit`, visitType, 'long'],
          [t`State`, <Status state={status} />],
        ]}
      />
      <DialogEnd onClose={onClose}>
        {isChangeable(appointment) && (
          <>
            <PlainButton label={t`Cancel`} onClick={onCancel} name={t`Cancel ${about}`} />
            <Button data-autofocus onClick={onMove} aria-label={t`Move ${about}`}>
              {t`Move`}
            </Button>
          </>
        )}
      </DialogEnd>
    </Stack>
  );
}

/** When an appointment is, and with whom. */
function useAbout({ startsAt, providerDisplayName }: Booked): string {
  const when = useWhen();
  return t`${when(startsAt)} with ${providerDisplayName}`;
}

/** Asks whether an appointment is to be cancelled. */
export function CancelBlock({ appointment, onDone }: { appointment: Booked; onDone: () => void }) {
  const about = useAbout(appointment);
  const cancel = useCancel({ onDone });
  return (
    <Stack>
      <Text size="sm">{cancelWords.what(`${appointment.patientName || t`Name not given`}, ${about}`)}</Text>
      <Refused error={cancel.error} />
      <Group gap="xs" justify="flex-end">
        <Button variant="default" autoFocus onClick={onDone}>
          {cancelWords.keep}
        </Button>
        <Button
          color="red"
          loading={cancel.isPending}
          onClick={() => cancel.mutate({ path: { appointmentId: appointment.id } })}
        >
          {cancelWords.confirm}
        </Button>
      </Group>
    </Stack>
  );
}

interface MoveBlockProps {
  appointment: Booked;
  time: Time;
  onClose: () => void;
  onDone: () => void;
}

/** Asks whether an appointment is to be moved to a time that was chosen or that it was dropped at. The service decides whether it can be. */
export function MoveBlock({ appointment, time, onClose, onDone }: MoveBlockProps) {
  const when = useWhen();
  const move = useMove({ onDone });
  const { id, providerDisplayName, startsAt, patientName } = appointment;
  return (
    <Stack>
      <Facts
        facts={[
          [t`Patient`, patientName || t`Name not given`, 'long'],
          [t`From`, when(startsAt), 'long'],
          [t`To`, when(time.startsAt), 'long'],
          [t`With`, providerDisplayName, 'long'],
        ]}
      />
      <Refused error={move.error} />
      <DialogEnd onClose={onClose}>
        <Button
          data-autofocus
          loading={move.isPending}
          onClick={() => move.mutate({ path: { appointmentId: id }, body: { startsAt: time.startsAt } })}
        >
          {t`Move`}
        </Button>
      </DialogEnd>
    </Stack>
  );
}

/** An appointment stays with its provider: why it is not moved to the block of another one. */
export const OtherProvider = ({ name, onDone }: { name: string; onDone: () => void }) => (
  <Stack>
    <Text size="sm">
      <Trans>
        An appointment is moved within the calendar of its provider. For another provider, book a new one and cancel
        this one of {name}.
      </Trans>
    </Text>
    <DialogEnd onClose={onDone} />
  </Stack>
);

const Refused = ({ error }: { error: unknown }) => (error ? <Refusal>{refusalOf(error)}</Refusal> : null);
