import * as api from '#api';
import { useAction } from '#forms';
import { sayDone, sayFailed, useZone } from '#parts';
import { t } from '#texts';
import { formatDay, formatTime } from '#words';
import { TaskLink } from './task-link';

/** Books the time that an unverified caller asked for; where it is gone, says which times are open. */
export function ConfirmBooking({ task }: { task: api.Task }) {
  const zone = useZone();
  const confirm = useAction(api.postTasksByTaskIdConfirmMutation(), {
    onDone: ({ isDone, reason, alternatives }) =>
      isDone
        ? sayDone(t`The time is booked. Tell the patient.`)
        : sayFailed({ message: notBooked(reason ?? 'left_to_staff', alternatives, zone) }),
    refresh: ['tasks', 'overview', 'providers', 'slots'],
  });
  return <TaskLink taskId={task.id} does={confirm} label={t`Book this time`} />;
}

function notBooked(
  reason: api.ConfirmationFailure,
  alternatives: api.TaskConfirmation['alternatives'],
  zone: string,
): string {
  const words: Record<api.ConfirmationFailure, string> = {
    slot_taken: t`Not booked: somebody else has that time`,
    slot_unavailable: t`Not booked: that time is not on offer any more`,
    in_the_past: t`Not booked: that time is over`,
    unknown_provider: t`Not booked: there is no such provider any more`,
    unknown_patient: t`Not booked: the patient is no longer on file`,
    patient_not_identified: t`Not booked: your own system cannot tell who the patient is`,
    booked_before: t`Not booked: another time of that call is booked already`,
    left_to_staff: t`Nobody knows whether it is booked: look at your own system`,
    call_unknown: t`Not booked: the call is not on record any more`,
  };
  const why = words[reason];
  const times = alternatives
    .map(({ startsAt }) => `${formatDay(startsAt, zone)}, ${formatTime(startsAt, zone)}`)
    .join('; ');
  return times ? t`${why}. Open: ${times}` : why;
}
