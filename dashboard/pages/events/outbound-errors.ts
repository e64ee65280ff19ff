import { sentence } from '#parts';
import { t } from '#texts';

/** Why an outgoing request had no usable answer. */
const words: Record<string, string> = {
  network: t`The host could not be connected to`,
  timeout: t`No answer in time`,
  tls: t`The host’s certificate is not trusted`,
  private_target: t`Addresses inside a private network are refused unless the operator lists them`,
  bad_url: t`The address cannot be used`,
  bad_request: t`The request could not be made`,
  too_large: t`The response was too large`,
  circuit_open: t`Not tried: the host has failed too often`,
  chosen_failure: t`Not sent: the failure that was chosen in the sandbox`,
  unauthorized: t`The host gave no token for the credentials`,
};

export const outboundError = (code: string): string =>
  words[code] ?? (code.startsWith('http_') ? t`Status ${code.slice(5)}` : sentence(code));
