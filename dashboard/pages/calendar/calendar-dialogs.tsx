import { Button, Stack } from '@mantine/core';
import type * as api from '#api';
import { DialogEnd } from '#forms';
import { Facts, PlainButton, Refusal, Status, Viewers, Watched } from '#parts';
import { t } from '#texts';
import { PageLink } from '#words';
import { FreedTime, isChangeable, useAbout } from './appointment';
import { displayNameOf, refusalOf, useBookable, useMove, useWhen } from './bookable';
import { NotInTheEhr } from './ehr';

type Booked = api.CalendarEntry;

/** A time of a provider. */
export interface Time {
  providerName: string;
  startsAt: string;
}

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
    <Watched recordId={appointment.id}>
      <Stack>
        <Viewers />
        <Facts
          facts={[
            [t`Patient`, <PageLink to={`/patients/${patientId}`}>{patientName || t`Name not given`}</PageLink>, 'long'],
            [t`Time`, about, 'long'],
            [t`Visit`, visitType, 'long'],
            [t`Status`, <Status state={status} />],
          ]}
        />
        <DialogEnd onClose={onClose}>
          {isChangeable(appointment) && (
            <>
              <PlainButton
                label={t`Cancel the appointment`}
                onClick={onCancel}
                name={t`Cancel the appointment: ${about}`}
              />
              <Button data-autofocus onClick={onMove} aria-label={t`Move ${about}`}>
                {t`Move`}
              </Button>
            </>
          )}
        </DialogEnd>
      </Stack>
    </Watched>
  );
}

interface MoveBlockProps {
  appointment: Booked;
  time: Time;
  onClose: () => void;
  onDone: () => void;
}

/** Asks whether an appointment is to be moved to a time that was chosen or that it was dropped at, of any provider. The service decides whether it can be. */
export function MoveBlock({ appointment, time, onClose, onDone }: MoveBlockProps) {
  const when = useWhen();
  const move = useMove({ appointment, onDone });
  const providers = useBookable().data?.items ?? [];
  const { id, providerName, providerDisplayName, startsAt, patientName } = appointment;
  const isOther = time.providerName !== providerName;
  return (
    <Stack>
      <NotInTheEhr />
      <Facts
        facts={[
          [t`Patient`, patientName || t`Name not given`, 'long'],
          [t`From`, isOther ? t`${when(startsAt)} with ${providerDisplayName}` : when(startsAt), 'long'],
          [t`To`, when(time.startsAt), 'long'],
          [t`With`, displayNameOf(providers, time.providerName), 'long'],
        ]}
      />
      <FreedTime appointment={appointment} />
      <Refused error={move.error} />
      <DialogEnd onClose={onClose}>
        <Button
          data-autofocus
          loading={move.isPending}
          onClick={() => move.mutate({ path: { appointmentId: id }, body: time })}
        >
          {t`Move`}
        </Button>
      </DialogEnd>
    </Stack>
  );
}

const Refused = ({ error }: { error: unknown }) => (error ? <Refusal>{refusalOf(error)}</Refusal> : null);
