import { Group } from '@mantine/core';
import { DialogButton } from '#forms';
import { t } from '#texts';
import { type Changed, isChangeable, useAbout, useIsOfToday } from './appointment';
import { Attendance } from './attendance';
import { CancelForm, MovingForm } from './forms-on-demand';

/** Moves a booked appointment to another open time, or cancels it; notes of today's who has come. */
export function ChangeAppointment({ appointment }: { appointment: Changed }) {
  const about = useAbout(appointment);
  const isOfToday = useIsOfToday()(appointment);
  return (
    <Group gap="xs" display="inline-flex" justify="flex-end">
      {isOfToday && <Attendance visit={appointment} name={about} isFound />}
      {isChangeable(appointment) && <Change appointment={appointment} about={about} />}
    </Group>
  );
}

const Change = ({ appointment, about }: { appointment: Changed; about: string }) => (
  <Group gap="xs" wrap="nowrap">
    <DialogButton
      label={t`Move`}
      name={t`Move ${about}`}
      title={t`Move ${about}`}
      foundBy={t`reschedule`}
      dialogSize="lg"
    >
      {(close) => <MovingForm appointment={appointment} onDone={close} />}
    </DialogButton>
    <DialogButton label={t`Cancel`} name={t`Cancel ${about}`} title={t`Cancel ${about}?`} foundBy="">
      {(close) => <CancelForm appointment={appointment} onDone={close} />}
    </DialogButton>
  </Group>
);
