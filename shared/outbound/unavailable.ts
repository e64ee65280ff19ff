import type { ClinicApiResult } from './clinic-api';
import type { OutboundError } from './safe-http';

/** Why no token was given is known in words; what else goes wrong by its code. */
export function unavailable({ code, message }: OutboundError): ClinicApiResult {
  return { kind: 'unavailable', error: code, ...(code === 'unauthorized' && { said: message }) };
}
