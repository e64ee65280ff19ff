import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { t } from '#texts';

/** The clinic's endpoints beside its first one. */
export const useFurtherEndpoints = (): api.FurtherEndpoint[] =>
  useQuery(api.getIntegrationsOutboundEndpointsOptions()).data?.items ?? [];

/** The word by which filters name the first endpoint. */
const FIRST = 'first';

export function endpointName(endpoint: Pick<NonNullable<api.Delivery['endpoint']>, 'name' | 'kind'> | null): string {
  if (endpoint === null) return t`Main endpoint`;
  const { name, kind } = endpoint;
  return kind === 'subscription' ? t`FHIR subscription: ${name}` : name;
}

export const endpointOptions = (further: api.FurtherEndpoint[]): { value: string; label: string }[] => [
  { value: FIRST, label: endpointName(null) },
  ...further.map(({ id, name }) => ({ value: id, label: name })),
];
