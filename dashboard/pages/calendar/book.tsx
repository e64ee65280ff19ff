import type * as api from '#api';
import { DialogButton } from '#forms';
import { IconCalendarPlus } from '#icons';
import { t } from '#texts';
import { nameOf } from '#words';
import { BookingForm } from './forms-on-demand';

/** Books an open time for a patient. */
export const Book = ({ patient }: { patient: api.PatientName }) => (
  <DialogButton
    label={t`Book an appointment`}
    size="sm"
    variant="filled"
    icon={IconCalendarPlus}
    title={t`Book for ${nameOf(patient)}`}
    foundBy=""
    dialogSize="lg"
  >
    {(close) => <BookingForm patient={patient} onDone={() => close()} />}
  </DialogButton>
);
