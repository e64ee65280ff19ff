import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import type * as Api from '../http/client/types.gen';
import { cancelWords, isChangeable, refusalOf, useBook, useCancel, useMove, useWhen, VisitType } from './booking';
import { Facts } from './facts';
import { OverrideBooking } from './override';
import { PatientSelect } from './patient-select';
import { Status } from './status';

type Booked = Api.CalendarEntry;
type Provider = Api.Provider;

/** A time of a provider. */
export interface Time {
  providerName: string;
  startsAt: string;
}

/** Books a free block of the calendar for a patient who is found here. */
export function BookBlock({ time, providers, onDone }: { time: Time; providers: Provider[]; onDone: () => void }) {
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
        <Refusal error={book.error} />
        {patient && isNotOffered(book.error) && <OverrideBooking patientId={patient.id} time={time} />}
        <Buttons onClose={onDone}>
          <Button type="submit" disabled={!patient} loading={book.isPending}>
            <Trans>Book</Trans>
          </Button>
        </Buttons>
      </Stack>
    </form>
  );
}

const isNotOffered = (error: unknown): boolean =>
  (error as { message?: string } | null)?.message === 'slot_unavailable';

/** An appointment of the calendar: whose it is, and what can be done about it. */
export function AppointmentBlock({
  appointment,
  onMove,
  onCancel,
  onClose,
}: {
  appointment: Booked;
  onMove: () => void;
  onCancel: () => void;
  onClose: () => void;
}) {
  const about = useAbout(appointment);
  const { patientId, patientName, status, visitType } = appointment;
  return (
    <Stack>
      <Facts
        facts={[
          [
            t`Patient`,
            <Anchor component={Link} to={`/patients/${patientId}`} size="sm">
              {patientName || t`Name not given`}
            </Anchor>,
            'long',
          ],
          [t`Time`, about, 'long'],
          [t`Visit`, visitType, 'long'],
          [t`State`, <Status state={status} />],
        ]}
      />
      <Buttons onClose={onClose}>
        {isChangeable(appointment) && (
          <>
            <Button variant="default" onClick={onCancel} aria-label={t`Cancel ${about}`}>
              <Trans>Cancel</Trans>
            </Button>
            <Button data-autofocus onClick={onMove} aria-label={t`Move ${about}`}>
              <Trans>Move</Trans>
            </Button>
          </>
        )}
      </Buttons>
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
      <Refusal error={cancel.error} />
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

/** Asks whether an appointment is to be moved to a time that was chosen or that it was dropped at. The service decides whether it can be. */
export function MoveBlock({
  appointment,
  time,
  onClose,
  onDone,
}: {
  appointment: Booked;
  time: Time;
  onClose: () => void;
  onDone: () => void;
}) {
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
      <Refusal error={move.error} />
      <Buttons onClose={onClose}>
        <Button
          data-autofocus
          loading={move.isPending}
          onClick={() => move.mutate({ path: { appointmentId: id }, body: { startsAt: time.startsAt } })}
        >
          <Trans>Move</Trans>
        </Button>
      </Buttons>
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
    <Buttons onClose={onDone} />
  </Stack>
);

const Refusal = ({ error }: { error: unknown }) =>
  error ? (
    <Alert color="red" role="alert">
      {refusalOf(error)}
    </Alert>
  ) : null;

const Buttons = ({ onClose, children }: { onClose: () => void; children?: ReactNode }) => (
  <Group gap="xs" justify="flex-end">
    <Button variant="default" onClick={onClose}>
      <Trans>Close</Trans>
    </Button>
    {children}
  </Group>
);
