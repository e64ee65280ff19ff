import { Alert } from '@mantine/core';
import { t } from '#texts';
import { useBookable } from './bookable';

/** At a clinic whose calls act on its EHR: what is done here stays here. */
export function NotInTheEhr() {
  if (!useBookable().data?.isEhrLive) return null;
  return (
    <Alert color="yellow" title={t`Your EHR does not hear of this`}>
      {t`Calls read and change the calendar of your EHR. This one is kept beside it: what is booked, moved, cancelled or marked here changes nothing there. Do it in your EHR too.`}
    </Alert>
  );
}
