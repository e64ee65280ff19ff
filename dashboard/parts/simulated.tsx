import { Badge } from '@mantine/core';
import { plural, t } from '#texts';

/** What is said of simulated cases that are not counted. */
export const leftOut = (simulated: number): string =>
  plural(simulated, { one: '# simulated case is left out.', other: '# simulated cases are left out.' });

/** On whatever the simulator played, so that nobody takes it for a patient's word. */
export function Simulated({ of: { isSimulated } }: { of: { isSimulated: boolean } }) {
  if (!isSimulated) return null;
  return (
    <Badge
      color="gray"
      variant="outline"
      flex="none"
      miw="max-content"
      title={t`The simulator played the patient: no real person was reached`}
    >
      {t`Simulated`}
    </Badge>
  );
}
