import type * as api from '#api';
import { Status } from '#parts';
import { t } from '#texts';
import { Moment } from '#words';

/** A delivery that failed once is waiting too, but for another reason. */
export function DeliveryState({ delivery }: { delivery: api.Delivery }) {
  const isRetried = delivery.state === 'PENDING' && delivery.attempts.length > 0;
  const label = isRetried ? t`Retrying` : delivery.state === 'PENDING' ? t`Waiting` : undefined;
  return <Status state={delivery.state} label={label} />;
}

/** When the next attempt is made. An event whose time has come but that was never tried waits for the one before it. */
export function NextTry({ delivery: { nextAttemptAt, attempts } }: { delivery: api.Delivery }) {
  if (nextAttemptAt === null) return <>–</>;
  if (Date.parse(nextAttemptAt) > Date.now()) return <Moment at={nextAttemptAt} />;
  return attempts.length === 0 ? t`after the event before it` : t`due now`;
}
