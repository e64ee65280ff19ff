import { Badge } from '@mantine/core';
import { t } from '#texts';

/** On whatever the simulator played, so that nobody takes it for a patient's word. */
export function Simulated({ of: { isSimulated } }: { of: { isSimulated: boolean } }) {
  if (!isSimulated) return null;
  return (
    <Badge
      color="gray"
      variant="outline"
      flex="none"
      miw="max-content"
      title={t`The simulator played the patient: nobody was reached`}
    >
      {t`Simulated`}
    </Badge>
  );
}
