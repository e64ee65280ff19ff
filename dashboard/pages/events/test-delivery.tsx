import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { Loaded } from '#parts';
import { t } from '#texts';
import { PageLink } from '#words';
import { DeliveryState } from './delivery-state';
import { outboundError } from './outbound-errors';

/** What became of a test event or a sample, as it happens. */
export function TestDelivery({ deliveryId }: { deliveryId: string }) {
  const delivery = useQuery(api.getDeliveriesByDeliveryIdOptions({ path: { deliveryId } }));
  return (
    <Loaded query={delivery} rows={1}>
      {(data) => (
        <Group gap="xs" role="status">
          <DeliveryState delivery={data} />
          <Text size="sm">{wordsOf(data.attempts.at(-1))}</Text>
          <PageLink to={`/deliveries/${data.id}`}>{t`Show the delivery`}</PageLink>
        </Group>
      )}
    </Loaded>
  );
}

const wordsOf = (last: api.Delivery['attempts'][number] | undefined) =>
  !last
    ? t`On its way`
    : last.status
      ? t`Your endpoint answered ${last.status}`
      : outboundError(last.error ?? 'network');
