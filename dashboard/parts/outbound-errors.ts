import { sentence } from './status';

/** Why an outgoing request had no usable answer. */
const words: Record<string, string> = {
  network: 'The host could not be connected to',
  timeout: 'No answer in time',
  tls: 'The host’s certificate is not trusted',
  private_target: 'Addresses inside a private network are refused',
  bad_url: 'The address cannot be used',
  bad_request: 'The request could not be made',
  too_large: 'The answer was too large',
  circuit_open: 'Not tried: the host has failed too often',
  unauthorized: 'The host gave no token for the credentials',
};

export const outboundError = (code: string): string =>
  words[code] ?? (code.startsWith('http_') ? `Status ${code.slice(5)}` : sentence(code));
