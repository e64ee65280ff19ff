import { randomBytes } from 'node:crypto';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import {
  decodeFromPayloadsAtIndex,
  decodeOptionalFailureToOptionalError,
  encodeErrorToFailure,
  encodeToPayloads,
  loadDataConverter,
} from '@temporalio/common/lib/internal-non-workflow';
import {
  createDataConverter,
  createPayloadCodec,
  decodePayloads,
  encodePayloads,
  PayloadsJson,
} from '@clinic/temporal/payload-codec';

const oldKey = { id: '2024', key: randomBytes(32) };
const newKey = { id: '2025', key: randomBytes(32) };
const patient = { name: 'MARKER-NAME', phone: '+15005550001' };

describe('the data converter', () => {
  const converter = loadDataConverter(createDataConverter([newKey, oldKey]));

  test.each([patient, 'text', 0, null, undefined, ['a', { b: 1 }], new Uint8Array([1, 2, 3])])(
    '%j comes back as it was',
    async (value) => {
      const payloads = await encodeToPayloads(converter, value);

      expect(await decodeFromPayloadsAtIndex(converter, 0, payloads)).toEqual(value);
    },
  );

  test('nothing of a value can be read in what Temporal stores; the key id can', async () => {
    const [payload] = (await encodeToPayloads(converter, patient)) ?? [];

    expect(Buffer.from(payload!.data!).toString('latin1')).not.toContain('MARKER');
    expect(Buffer.from(payload!.metadata!['encoding']!).toString()).toBe('binary/encrypted');
    expect(Buffer.from(payload!.metadata!['encryption-key-id']!).toString()).toBe('2025');
  });

  test('message and stack of a failure and of its cause are encrypted, and come back', async () => {
    const error = ApplicationFailure.create({
      message: 'no phone for MARKER-NAME',
      type: 'bad_phone',
      details: [patient],
      cause: new Error('cause MARKER-NAME'),
    });
    const failure = await encodeErrorToFailure(converter, error);

    expect(JSON.stringify(failure)).not.toContain('MARKER');
    expect(failure).toMatchObject({
      message: 'Encoded failure',
      stackTrace: '',
      cause: { message: 'Encoded failure' },
    });
    const back = await decodeOptionalFailureToOptionalError(converter, failure);
    expect(back).toMatchObject({
      message: 'no phone for MARKER-NAME',
      details: [patient],
      type: 'bad_phone',
      cause: { message: 'cause MARKER-NAME' },
    });
    expect(back?.stack).toContain('payload-codec.test');
  });
});

test('after a rotation old payloads decode and new ones use the new key; without the old key they do not', async () => {
  const stored = await createPayloadCodec([oldKey]).encode([defaultPayloadConverter.toPayload(patient)]);

  const [decoded] = await createPayloadCodec([newKey, oldKey]).decode(stored);

  expect(defaultPayloadConverter.fromPayload(decoded!)).toEqual(patient);
  await expect(createPayloadCodec([newKey]).decode(stored)).rejects.toThrow('key "2024" is not in the key ring');
});

test('a payload from before encryption passes through', async () => {
  const plain = defaultPayloadConverter.toPayload('plain');

  expect(await createPayloadCodec([newKey]).decode([plain])).toEqual([plain]);
});

describe('the codec server', () => {
  const json = PayloadsJson.parse({
    payloads: [
      {
        metadata: { encoding: Buffer.from('json/plain').toString('base64') },
        data: Buffer.from('{"a":1}').toString('base64'),
      },
    ],
  });

  test('decodes what it encoded', () => {
    const encoded = encodePayloads([newKey], json);

    expect(encoded.payloads[0]!.metadata).toHaveProperty('encryption-key-id');
    expect(decodePayloads([newKey], encoded)).toEqual(json);
  });

  test("decodes what the worker's codec wrote, in the UI's wire form", async () => {
    const [stored] = await createPayloadCodec([newKey]).encode([defaultPayloadConverter.toPayload(patient)]);
    const asked = PayloadsJson.parse({
      payloads: [
        {
          metadata: Object.fromEntries(
            Object.entries(stored!.metadata!).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
          ),
          data: Buffer.from(stored!.data!).toString('base64'),
        },
      ],
    });

    const [decoded] = decodePayloads([newKey], asked).payloads;

    expect(JSON.parse(Buffer.from(decoded!.data!, 'base64').toString())).toEqual(patient);
  });

  test('a body that is not payloads is refused by its schema', () => {
    expect(PayloadsJson.safeParse({ payloads: [{ data: '!' }] }).success).toBe(false);
    expect(PayloadsJson.safeParse({ payloads: 'x' }).success).toBe(false);
    expect(PayloadsJson.parse({ payloads: [{}] })).toEqual({ payloads: [{}] });
  });
});
