import type * as api from '#api';
import { DialogButton } from '#forms';
import { IconPhone } from '#icons';
import { onDemand } from '#parts';
import { t } from '#texts';
import { nameOf } from '#words';

const AllowCallsForm = onDemand(async () => (await import('./allow-calls-form')).AllowCallsForm);

/** Takes a patient's phone off the list of those who are not called. Anybody of the clinic may; the audit keeps why. */
export function AllowCalls({ patient }: { patient: api.PatientName }) {
  const name = t`Allow again: ${nameOf(patient)}`;
  return (
    <DialogButton
      label={t`Allow again`}
      name={name}
      icon={IconPhone}
      title={t`Allow calls to ${nameOf(patient)} again?`}
      foundBy={t`call again, allow calls, never call, opt out`}
    >
      {(close) => <AllowCallsForm patientId={patient.id} onDone={close} />}
    </DialogButton>
  );
}
