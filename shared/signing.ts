import { createHmac, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export interface SignedMessage {
  /** The event's id, the same at every retry: `webhook-id`. */
  id: string;
  /** Seconds since 1970, of this attempt: `webhook-timestamp`. */
  timestamp: number;
  /** Exactly the bytes that are sent. */
  body: string;
  /** Every live secret; two while one replaces the other. */
  secrets: string[];
}

/** A new signing secret in the form of Standard Webhooks: `whsec_` and the base64 of its bytes. */
export function newSigningSecret(bytes: Buffer = randomBytes(SECRET_BYTES)): string {
  return `${SECRET_PREFIX}${bytes.toString('base64')}`;
}

/** The `webhook-signature` header of Standard Webhooks v1: one `v1,…` for each live secret, separated by spaces. */
export function sign({ id, timestamp, body, secrets }: SignedMessage): string {
  if (secrets.length === 0) throw new Error('a message is signed with at least one secret');
  return secrets.map((secret) => `v1,${hmac(secret, `${id}.${timestamp}.${body}`)}`).join(' ');
}

function hmac(secret: string, content: string): string {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  const key = Buffer.from(encoded, 'base64');
  if (key.length === 0) throw new Error('a signing secret is base64');
  return createHmac('sha256', key).update(content, 'utf8').digest('base64');
}
