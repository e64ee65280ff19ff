import { randomBytes } from 'node:crypto';
import { constantTimeEqual, decrypt, derivedId, encrypt, newId, randomToken, sha256Hex } from '@clinic/shared/crypto';

const oldKey = { id: '2024', key: randomBytes(32) };
const newKey = { id: '2025', key: randomBytes(32) };

describe('encrypt and decrypt', () => {
  test.each(['', 'whsec_abc', 'Zoë – 東京 🩺', 'x'.repeat(100_000)])('a value comes back as it was', (plaintext) => {
    const value = encrypt([newKey], plaintext, 'clinic-1/outbound-secret');

    expect(decrypt([newKey], value, 'clinic-1/outbound-secret')).toBe(plaintext);
  });

  test('the same text never encrypts to the same value', () => {
    const values = Array.from({ length: 100 }, () => encrypt([newKey], 'same', 'c/k'));

    expect(new Set(values).size).toBe(100);
  });

  test('a value does not decrypt in another context', () => {
    const value = encrypt([newKey], 'secret', 'clinic-1/api');

    expect(() => decrypt([newKey], value, 'clinic-2/api')).toThrow('unable to authenticate data');
  });

  test('a changed character is noticed', () => {
    const value = encrypt([newKey], 'secret', 'c/k');
    const at = value.length - 10;
    const changed = value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1);

    expect(() => decrypt([newKey], changed, 'c/k')).toThrow('unable to authenticate data');
  });

  test('after a rotation the first key encrypts and the old values still decrypt', () => {
    const before = encrypt([oldKey], 'secret', 'c/k');
    const ring = [newKey, oldKey];

    expect(encrypt(ring, 'secret', 'c/k')).toMatch(/^v1:2025:/);
    expect(decrypt(ring, before, 'c/k')).toBe('secret');
  });

  test('a key that left the ring is named, and the value is not', () => {
    const value = encrypt([oldKey], 'secret', 'c/k');

    expect(() => decrypt([newKey], value, 'c/k')).toThrow('key "2024" is not in the key ring');
  });

  test.each(['', 'plain', 'v1:2025:', 'v1:2025:AAAA', 'v2:2025:AAAA', 'v1:2025:A:B'])('%j is refused', (value) => {
    expect(() => decrypt([newKey], value, 'c/k')).toThrow(/encrypted value/);
  });
});

test('constantTimeEqual accepts equal strings only, whatever their lengths', () => {
  expect(constantTimeEqual('secret', 'secret')).toBe(true);
  expect(constantTimeEqual('secret', 'Secret')).toBe(false);
  expect(constantTimeEqual('secret', 'secret ')).toBe(false);
  expect(constantTimeEqual('', 'secret')).toBe(false);
});

test('sha256Hex is SHA-256', () => {
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('randomToken is base64url of as many bytes as asked', () => {
  expect(randomToken()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(Buffer.from(randomToken(16), 'base64url')).toHaveLength(16);
});

describe('newId', () => {
  test('an id is a UUID of version 7, valid as FHIR id and in a URL', () => {
    expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(newId('case')).toMatch(/^case-[0-9a-f-]{36}$/);
    expect(newId('case')).toMatch(/^[A-Za-z0-9\-.]{1,64}$/);
  });

  test('ids of one process sort as they were made, 4,096 within a millisecond, and begin anew in another', () => {
    jest.useFakeTimers({ now: new Date('2026-03-01T09:00:00Z') });
    const ids = Array.from({ length: 4_096 }, () => newId());
    jest.setSystemTime(new Date('2026-03-01T09:00:00.001Z'));
    ids.push(newId(), newId());
    jest.useRealTimers();

    const placeOf = (id?: string) => id?.slice(0, 18);
    expect([ids[0], ids[1], ids[4_095], ids[4_096], ids[4_097]].map(placeOf)).toEqual([
      '019ca8a0-3e80-7000',
      '019ca8a0-3e80-7001',
      '019ca8a0-3e80-7fff',
      '019ca8a0-3e81-7000',
      '019ca8a0-3e81-7001',
    ]);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids.map((id) => id.slice(19))).size).toBe(4_098);
  });
});

describe('derivedId', () => {
  test('is a UUID of version 5 that the same parts always give', () => {
    expect(derivedId('outbound-event', 'clinic-1', 'recovery_case.outcome', 'case-1')).toBe(
      'b199750a-c777-576c-aac2-b1630f95e9fc',
    );
  });

  test('differs where a part differs, or where parts are cut elsewhere', () => {
    const ids = [
      derivedId('a', 'b'),
      derivedId('a', 'c'),
      derivedId('ab'),
      derivedId('a', 'b', ''),
      derivedId('b', 'a'),
    ];

    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
