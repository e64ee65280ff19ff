import { DialogButton } from '#forms';
import { useMay } from '#parts';
import { t } from '#texts';
import { OverrideForm } from './forms-on-demand';
import type { ChosenSlot } from './time-choice';

/** Books a time that is not on offer; for administrators alone, with a reason that stays in the audit. */
export function OverrideBooking({ patientId, time }: { patientId: string; time?: ChosenSlot }) {
  if (!useMay()('operations')) return null;
  return (
    <DialogButton
      label={time ? t`Book it anyway` : t`Book a time that is not offered`}
      variant="subtle"
      title={t`Book a time that is not offered`}
    >
      {(close) => <OverrideForm patientId={patientId} time={time} onDone={close} />}
    </DialogButton>
  );
}
