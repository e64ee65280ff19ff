import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  randomUUID,
  timingSafeEqual,
} from 'node:crypto';
import type { KeyRing } from './config';

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts with the ring's first key. `context` (as `clinicId/kind`) is authenticated with it: a value copied
 * to another clinic or another column does not decrypt there.
 */
export function encrypt(ring: KeyRing, plaintext: string | Buffer, context: string): string {
  const { id, key } = newestKey(ring);
  const sealed = seal(key, typeof plaintext === 'string' ? Buffer.from(plaintext, 'utf8') : plaintext, context);
  return `${VERSION}:${id}:${sealed.toString('base64url')}`;
}

/** The text that `encrypt` was given. Throws when the key is gone, the context differs or a bit was changed. */
export function decrypt(ring: KeyRing, value: string, context: string): string {
  const [version, keyId, sealed, ...rest] = value.split(':');
  if (version !== VERSION || keyId === undefined || sealed === undefined || rest.length > 0) {
    throw new Error('not an encrypted value');
  }
  return open(keyById(ring, keyId), Buffer.from(sealed, 'base64url'), context).toString('utf8');
}

/** AES-256-GCM as `iv | ciphertext | tag`, under a fresh random iv. */
export function seal(key: Buffer, plaintext: Uint8Array, context = ''): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(context, 'utf8'));
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** The plaintext of `seal`; throws when it was not sealed with this key and context. */
export function open(key: Buffer, sealed: Uint8Array, context = ''): Buffer {
  if (sealed.length < IV_BYTES + TAG_BYTES) throw new Error('encrypted value is too short');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, sealed.length - TAG_BYTES)), decipher.final()]);
}

/** The key new values are encrypted with. */
export function newestKey(ring: KeyRing): KeyRing[number] {
  const [newest] = ring;
  if (newest === undefined) throw new Error('the key ring is empty');
  return newest;
}

/** The key of that id; throws when it has left the ring. */
export function keyById(ring: KeyRing, id: string): Buffer {
  const found = ring.find((entry) => entry.id === id);
  if (found === undefined) throw new Error(`key ${JSON.stringify(id)} is not in the key ring`);
  return found.key;
}

export function sha256Hex(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * HMAC-SHA256 of `parts` under a key that is derived from each of the ring, the newest first, as `keyId:hex`. `purpose` keeps
 * digests of different uses apart. Who has no key cannot find what was hashed by trying, however few possibilities there are.
 */
export function keyedDigests(ring: KeyRing, purpose: string, parts: string[]): string[] {
  const text = JSON.stringify(parts);
  return ring.map(({ id, key }) => {
    const derived = createHmac('sha256', key).update(purpose).digest();
    return `${id}:${createHmac('sha256', derived).update(text).digest('hex')}`;
  });
}

/** Compares digests, so that neither the content nor the length of a secret shows in the time it takes. */
export function constantTimeEqual(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

/** A secret for URLs and headers: base64url, 43 characters for the default 256 bits. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

/** The namespace of ids that are derived from what they name. It never changes: the same fact has the same id for ever. */
const FACTS = Buffer.from('5f0d3a4c6c1e4b0f9a2d7e8b1c3f5a60', 'hex');

/** The id of what `parts` name (UUID version 5, RFC 9562): the same for the same parts, always. */
export function derivedId(...parts: [string, ...string[]]): string {
  const bytes = createHash('sha1').update(FACTS).update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const base32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** A new opaque id of twelve characters behind `prefix-`, 60 random bits: for what stands in nearly every row and index. */
export function newShortId(prefix: string): string {
  return `${prefix}-${Array.from(randomBytes(12), (byte) => base32[byte % 32]).join('')}`;
}

let latest = { ms: 0, place: 0 };

/**
 * A new opaque id, valid as FHIR id and in a URL; `prefix-` in front where given. UUID version 7: ordered by time, and 4,096 of
 * one process in one millisecond by a counter (RFC 9562, 6.2, method 1).
 */
export function newId(prefix?: string): string {
  const ms = Date.now();
  latest = { ms, place: ms === latest.ms ? (latest.place + 1) % 4_096 : 0 };
  const time = ms.toString(16).padStart(12, '0');
  const place = latest.place.toString(16).padStart(3, '0');
  // Node keeps a stock of random version 4 ids; the second half of one is taken over.
  const uuid = `${time.slice(0, 8)}-${time.slice(8)}-7${place}${randomUUID().slice(18)}`;
  return prefix === undefined ? uuid : `${prefix}-${uuid}`;
}
