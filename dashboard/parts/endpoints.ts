import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { getIntegrationsOutboundEndpointsOptions } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';

/** The clinic's endpoints beside its first one. */
export const useFurtherEndpoints = (): Api.FurtherEndpoint[] =>
  useQuery(getIntegrationsOutboundEndpointsOptions()).data?.items ?? [];

/** The word by which filters name the first endpoint. */
const FIRST = 'first';

export const endpointName = (endpoint: Api.Delivery['endpoint']): string => endpoint?.name ?? t`First endpoint`;

export const endpointOptions = (further: Api.FurtherEndpoint[]): { value: string; label: string }[] => [
  { value: FIRST, label: endpointName(null) },
  ...further.map(({ id, name }) => ({ value: id, label: name })),
];
