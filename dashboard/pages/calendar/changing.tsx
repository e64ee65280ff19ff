import { Group } from '@mantine/core';
import { DialogButton } from '#forms';
import { useZone, Viewers, Watched } from '#parts';
import { t } from '#texts';
import { wallClock } from '#words';
import { type Changed, FreedTime, isChangeable, useAbout } from './appointment';
import { refusalOf, useBookable, useMove } from './bookable';
import { CancelForm } from './cancelling';
import { Choosing } from './choosing';
import { TimeFields, useTimeChoice } from './time-choice';

/** Moves a booked appointment to another open time, or cancels it. */
export function ChangeAppointment({ appointment }: { appointment: Changed }) {
  const about = useAbout(appointment);
  if (!isChangeable(appointment)) return null;
  return (
    <Group gap="xs" wrap="nowrap" display="inline-flex">
      <DialogButton label={t`Move`} name={t`Move ${about}`} title={t`Move ${about}`} dialogSize="lg">
        {(close) => <MovingForm appointment={appointment} onDone={close} />}
      </DialogButton>
      <DialogButton label={t`Cancel`} name={t`Cancel ${about}`} title={t`Cancel this appointment?`}>
        {(close) => <CancelForm appointment={appointment} about={about} onDone={close} />}
      </DialogButton>
    </Group>
  );
}

/** Begins at the day and the provider that the appointment has. */
function MovingForm({ appointment, onDone }: { appointment: Changed; onDone: () => void }) {
  const { id, providerName, startsAt: from } = appointment;
  const providers = useBookable().data?.items ?? [];
  const choice = useTimeChoice({ providerName, day: wallClock(from, useZone()).date });
  const move = useMove({ onDone, onError: () => choice.choose(null) });
  return (
    <Watched recordId={id} isEdited>
      <Choosing
        chosen={choice.chosen}
        providers={providers}
        refusal={move.error && refusalOf(move.error)}
        isSaving={move.isPending}
        verb={t`Move`}
        onCancel={onDone}
        onConfirm={(slot) => move.mutate({ path: { appointmentId: id }, body: slot })}
      >
        <Viewers />
        <TimeFields choice={choice} providers={providers} />
        <FreedTime appointment={appointment} />
      </Choosing>
    </Watched>
  );
}
