import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type * as Api from '../http/client/types.gen';
import { Moment } from './moment';
import { Status } from './status';

/** A delivery that failed once is waiting too, but for another reason. */
export function DeliveryState({ delivery }: { delivery: Api.Delivery }) {
  const isRetried = delivery.state === 'PENDING' && delivery.attempts.length > 0;
  const label = isRetried ? t`Retrying` : delivery.state === 'PENDING' ? t`Waiting` : undefined;
  return <Status state={delivery.state} label={label} />;
}

/** When the next attempt is made. An event whose time has come but that was never tried waits for the one before it. */
export function NextTry({ delivery: { nextAttemptAt, attempts } }: { delivery: Api.Delivery }) {
  if (nextAttemptAt === null) return <>–</>;
  if (Date.parse(nextAttemptAt) > Date.now()) return <Moment at={nextAttemptAt} />;
  return attempts.length === 0 ? <Trans>after the event before it</Trans> : <Trans>due now</Trans>;
}
