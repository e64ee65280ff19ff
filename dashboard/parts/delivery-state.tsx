import type * as Api from '../http/client/types.gen';
import { Moment } from './moment';
import { Status } from './status';

/** A delivery that failed once is waiting too, but for another reason. */
export function DeliveryState({ delivery }: { delivery: Api.Delivery }) {
  const isRetried = delivery.state === 'PENDING' && delivery.attempts.length > 0;
  const label = isRetried ? 'Retrying' : delivery.state === 'PENDING' ? 'Waiting' : undefined;
  return <Status state={delivery.state} label={label} />;
}

/** When the next attempt is made. An event whose time has come but that was never tried waits for the one before it. */
export function NextTry({ delivery: { nextAttemptAt, attempts } }: { delivery: Api.Delivery }) {
  if (nextAttemptAt === null) return <>–</>;
  if (Date.parse(nextAttemptAt) > Date.now()) return <Moment at={nextAttemptAt} />;
  return attempts.length === 0 ? <>after the event before it</> : <>due now</>;
}
