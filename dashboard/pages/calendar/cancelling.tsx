import { Button, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import * as api from '#api';
import { DialogEnd, useAction, useUnsaved } from '#forms';
import { Refusal, sayDoneOrUndo, Viewers, Watched } from '#parts';
import { t } from '#texts';
import { optionsOf } from '#words';
import { type Changed, FreedTime } from './appointment';
import { bookingAreas, refusalOf, takingBack } from './bookable';
import { cancellationReasons } from './cancellation-reasons';
import { NotInTheEhr } from './ehr';
import { Choices } from './time-choice';

type Reason = api.CancellationReason;

const commonReasons = [
  'pat',
  'pat-fb',
  'pat-lt',
  'pat-mv',
  'pat-ucp',
  'prov',
  'oth-weath',
  'oth-err',
  'other',
] as const;
const isCommon = ({ value }: { value: Reason }) => commonReasons.some((each) => each === value);
const all = optionsOf(cancellationReasons);

interface CancelFormProps {
  appointment: Changed;
  /** Whose it is, and when, where nothing else says so. */
  about?: string;
  onDone: () => void;
}

/** Cancels an appointment with a reason; for a while it can be undone. */
export function CancelForm({ appointment, about, onDone }: CancelFormProps) {
  const [reason, setReason] = useState<Reason | null>(null);
  useUnsaved(() => reason !== null);
  const path = { appointmentId: appointment.id };
  const restore = useAction(
    api.postAppointmentsByAppointmentIdRestoreMutation(),
    takingBack(t`The appointment is booked again.`),
  );
  const cancel = useAction(api.postAppointmentsByAppointmentIdCancelMutation(), {
    onDone() {
      onDone();
      sayDoneOrUndo(t`The appointment is cancelled.`, appointment.id, () => restore.mutate({ path }));
    },
    onRefused: null,
    refresh: bookingAreas,
  });
  return (
    <Watched recordId={appointment.id} isEdited>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (reason) cancel.mutate({ path, body: { reason } });
        }}
      >
        <Stack>
          <NotInTheEhr />
          <Viewers />
          {about !== undefined && (
            <Text size="sm" fw={500}>
              {about}
            </Text>
          )}
          <Choices
            label={t`Why`}
            options={all.filter(isCommon)}
            value={reason}
            onChange={(each) => setReason(each as Reason)}
            autoFocus
          />
          <Select
            aria-label={t`More reasons`}
            placeholder={t`More reasons …`}
            size="xs"
            searchable
            data={all.filter((each) => !isCommon(each))}
            value={reason}
            onChange={(each) => setReason(each)}
          />
          <FreedTime appointment={appointment} />
          {cancel.error && <Refusal>{refusalOf(cancel.error)}</Refusal>}
          <DialogEnd close={t`Keep it`} onClose={onDone}>
            <Button type="submit" color="red" disabled={!reason} loading={cancel.isPending}>
              {t`Cancel the appointment`}
            </Button>
          </DialogEnd>
        </Stack>
      </form>
    </Watched>
  );
}
