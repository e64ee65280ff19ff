const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The text that was written in base32 (RFC 4648), as an authenticator reads a secret that is typed into it. */
export function fromBase32(text: string): string {
  const bits = Array.from(text, (each) => letters.indexOf(each).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2))).toString('utf8');
}
