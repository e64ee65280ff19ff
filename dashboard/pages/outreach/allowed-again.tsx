import type * as api from '#api';
import { Facts } from '#parts';
import { t } from '#texts';
import { Moment } from '#words';
import { allowReasons } from './allow-reasons';

/** Since when a patient may be called again, by whom and why. */
export function AllowedAgain({ by: { at, actorName, detail } }: { by: api.PatientRecord['changes'][number] }) {
  const [, reason] = Object.entries(allowReasons).find(([code]) => code === detail['reason']) ?? [];
  return (
    <Facts
      facts={[
        [t`May be called again since`, <Moment at={at} near={false} />],
        [t`Who said so`, actorName ?? t`Your system, over the API`, 'long'],
        [t`Why`, reason, 'long'],
      ]}
    />
  );
}
