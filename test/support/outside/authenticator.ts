import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What a security key and the browser in front of it send, at an address. */
export interface Authenticator {
  create(options: { challenge: string; user?: unknown }, how?: How): Made;
  get(options: { challenge: string }, how?: How): Asserted;
}

interface How {
  /** Where the page says it is. */
  origin?: string;
  /** Whether it has asked for a finger or a PIN. */
  isUserVerified?: boolean;
  /** What it says how often it was used; a copy of it says what it has said before. */
  counter?: number;
}

interface Credential {
  id: string;
  rawId: string;
  type: 'public-key';
}
type Made = Credential & { response: { clientDataJSON: string; attestationObject: string; transports: string[] } };
type Asserted = Credential & {
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string };
};

/** An authenticator with a P-256 key, which says nothing of its maker, as WebAuthn Level 3 describes it. */
export function anAuthenticator(at: string): Authenticator {
  const { origin: home, hostname } = new URL(at);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(16);
  let userHandle: string | undefined;
  let used = 0;

  const credential = (): Credential => ({
    id: credentialId.toString('base64url'),
    rawId: credentialId.toString('base64url'),
    type: 'public-key',
  });
  const clientData = (type: 'webauthn.create' | 'webauthn.get', challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authenticatorData = (isUserVerified: boolean, counter: number, attested?: Buffer) => {
    const flags = 0x01 | (isUserVerified ? 0x04 : 0) | (attested ? 0x40 : 0);
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(counter);
    return Buffer.concat([sha256(hostname), Buffer.from([flags]), counted, attested ?? Buffer.alloc(0)]);
  };

  return {
    create({ challenge, user }, { origin = home, isUserVerified = true, counter = used } = {}) {
      userHandle = (user as { id: string }).id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      // EC2, ES256, P-256 (RFC 9053).
      const key = cbor(
        new Map<number, number | Buffer>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.from(x, 'base64url')],
          [-3, Buffer.from(y, 'base64url')],
        ]),
      );
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, key]);
      const authData = authenticatorData(isUserVerified, counter, attested);
      const attestation = new Map<string, string | Buffer | Map<string, string>>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]);
      return {
        ...credential(),
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
          attestationObject: cbor(attestation).toString('base64url'),
          transports: ['usb'],
        },
      };
    },
    get({ challenge }, { origin = home, isUserVerified = true, counter = (used += 1) } = {}) {
      const data = clientData('webauthn.get', challenge, origin);
      const authData = authenticatorData(isUserVerified, counter);
      return {
        ...credential(),
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: sign('sha256', Buffer.concat([authData, sha256(data)]), privateKey).toString('base64url'),
          userHandle,
        },
      };
    },
  };
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

type Cbor = string | number | Buffer | Map<string | number, unknown>;

/** What of RFC 8949 the two structures above need. */
function cbor(value: Cbor): Buffer {
  const head = (major: number, length: number) =>
    length < 24
      ? Buffer.from([(major << 5) | length])
      : length < 256
        ? Buffer.from([(major << 5) | 24, length])
        : Buffer.from([(major << 5) | 25, length >> 8, length & 0xff]);
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const pairs = [...value].flatMap(([name, each]) => [cbor(name), cbor(each as Cbor)]);
  return Buffer.concat([head(5, value.size), ...pairs]);
}
