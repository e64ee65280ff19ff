import type * as api from '#api';
import { DialogButton } from '#forms';
import { IconPhoneOff } from '#icons';
import { onDemand } from '#parts';
import { t } from '#texts';
import { nameOf } from '#words';

const NeverCallForm = onDemand(async () => (await import('./never-call-form')).NeverCallForm);

/** Puts a patient's phone on the list of those who are not called. Anybody of the clinic may; taking it off is for an administrator. */
export function NeverCall({ patient }: { patient: api.PatientName }) {
  const name = t`Stop calling ${nameOf(patient)}`;
  return (
    <DialogButton
      label={t`Stop calling`}
      name={name}
      icon={IconPhoneOff}
      variant="subtle"
      color="gray"
      title={t`Stop calling ${nameOf(patient)}?`}
      foundBy={t`do not call, never call, opt out`}
    >
      {(close) => <NeverCallForm patientId={patient.id} onDone={close} />}
    </DialogButton>
  );
}
