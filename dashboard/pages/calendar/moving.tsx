import { useZone, Viewers, Watched } from '#parts';
import { t } from '#texts';
import { wallClock } from '#words';
import { type Changed, FreedTime } from './appointment';
import { refusalOf, useBookable, useMove } from './bookable';
import { Choosing } from './choosing';
import { TimeFields, useTimeChoice } from './time-choice';

/** Moves an appointment to another open time. Begins at the day and the provider that the appointment has. */
export function MovingForm({ appointment, onDone }: { appointment: Changed; onDone: () => void }) {
  const { id, providerName, startsAt: from } = appointment;
  const providers = useBookable().data?.items ?? [];
  const choice = useTimeChoice({ providerName, day: wallClock(from, useZone()).date });
  const move = useMove({ appointment, onDone, onError: () => choice.choose(null) });
  return (
    <Watched recordId={id} isEdited>
      <Choosing
        chosen={choice.chosen}
        taken={choice.taken}
        providers={providers}
        refusal={move.error && refusalOf(move.error)}
        isDirty={choice.isDirty}
        isSaving={move.isPending}
        verb={t`Move`}
        onCancel={onDone}
        onConfirm={(slot) => move.mutate({ path: { appointmentId: id }, body: slot })}
      >
        <Viewers />
        <TimeFields choice={choice} providers={providers} autoFocus />
        <FreedTime appointment={appointment} />
      </Choosing>
    </Watched>
  );
}
