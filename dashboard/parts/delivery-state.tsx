import type { Schemas } from '../http/service';
import { Status } from './status';

/** A delivery that failed once is waiting too, but for another reason. */
export function DeliveryState({ delivery }: { delivery: Schemas['Delivery'] }) {
  const isRetried = delivery.state === 'PENDING' && delivery.attempts.length > 0;
  const label = isRetried ? 'Retrying' : delivery.state === 'PENDING' ? 'Waiting' : undefined;
  return <Status state={delivery.state} label={label} />;
}
