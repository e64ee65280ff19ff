import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import type { ServiceConfig } from '@clinic/shared/config';
import { createDataConverter } from './payload-codec';

type ConnectionConfig = Pick<
  ServiceConfig,
  'TEMPORAL_ADDRESS' | 'TEMPORAL_TLS' | 'TEMPORAL_TLS_CA' | 'TEMPORAL_API_KEY'
>;
type TemporalConfig = ConnectionConfig & Pick<ServiceConfig, 'TEMPORAL_NAMESPACE' | 'PAYLOAD_KEYS'>;

/** Where Temporal is and how we prove who we are, for every connection of the service. */
export function connectionOptions({ TEMPORAL_TLS_CA: ca, ...config }: ConnectionConfig) {
  const tls = ca === undefined ? true : { serverRootCACertificate: Buffer.from(ca) };
  return {
    address: config.TEMPORAL_ADDRESS,
    tls: config.TEMPORAL_TLS ? tls : undefined,
    apiKey: config.TEMPORAL_API_KEY,
  };
}

/** A request that names no deadline of its own fails after this. */
const DEADLINE_MS = 10_000;

/** A connection that does not reply is found dead in 17 s. Temporal refuses to be asked more often than every 10 s. */
const keepAlive = {
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.keepalive_time_ms': 12_000,
  'grpc.keepalive_timeout_ms': 5_000,
};

const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions());
const retryInTime: NonNullable<ConnectionOptions['interceptors']>[number] = (options, nextCall) =>
  retry({ ...options, deadline: options.deadline ?? Date.now() + DEADLINE_MS }, nextCall);

/** Connects at the first request, not now: the API accepts events while Temporal is down. */
export const connectLazily = (config: ConnectionConfig): Connection =>
  Connection.lazy({ ...connectionOptions(config), channelArgs: keepAlive, interceptors: [retryInTime] });

/** A client in our namespace that encrypts what it sends. */
export function createClient(connection: Client['connection'], config: TemporalConfig): Client {
  return new Client({
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    dataConverter: createDataConverter(config.PAYLOAD_KEYS),
  });
}

/** Whether Temporal replies within two seconds. */
export async function isReachable(client: Client): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + 2_000, () => client.connection.workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
  }
}
