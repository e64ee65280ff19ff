import { Group } from '@mantine/core';
import { DialogButton } from '#forms';
import { t } from '#texts';
import { type Changed, isChangeable, useAbout } from './appointment';
import { CancelForm, MovingForm } from './forms-on-demand';

/** Moves a booked appointment to another open time, or cancels it. */
export function ChangeAppointment({ appointment }: { appointment: Changed }) {
  const about = useAbout(appointment);
  if (!isChangeable(appointment)) return null;
  return (
    <Group gap="xs" wrap="nowrap" display="inline-flex">
      <DialogButton label={t`Move`} name={t`Move ${about}`} title={t`Move ${about}`} foundBy="" dialogSize="lg">
        {(close) => <MovingForm appointment={appointment} onDone={close} />}
      </DialogButton>
      <DialogButton label={t`Cancel`} name={t`Cancel ${about}`} title={t`Cancel this appointment?`} foundBy="">
        {(close) => <CancelForm appointment={appointment} about={about} onDone={close} />}
      </DialogButton>
    </Group>
  );
}
