import { join } from 'node:path';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { z } from 'zod';
import type { KeyRing } from '@clinic/shared/config';
import { keyById, newestKey, open, seal } from '@clinic/shared/crypto';
import { isBase64 } from '@clinic/shared/domain/base64';

const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const PayloadMessage = temporal.api.common.v1.Payload;

const Bytes = z.string().refine((text) => text === '' || isBase64(text), 'must be base64');
const PayloadJson = z.object({ metadata: z.record(z.string(), Bytes).nullish(), data: Bytes.nullish() });

/** What the Temporal UI and CLI post to a codec server, and expect back: payloads as protobuf JSON. */
export const PayloadsJson = z.object({ payloads: z.array(PayloadJson).default([]) });
export type PayloadsJson = z.infer<typeof PayloadsJson>;

/** What Temporal's client, worker and bundler load by its path, from the sources and from dist/. */
export const failureConverterPath = join(__dirname, '..', 'temporal', 'failure-converter.cjs');

/** How client, worker and replayer alike turn values into what Temporal stores: all of it encrypted, failures included. */
export function createDataConverter(keys: KeyRing): DataConverter {
  return {
    payloadCodecs: [createPayloadCodec(keys)],
    failureConverterPath,
  };
}

/**
 * Encrypts payloads with AES-256-GCM under the ring's first key and decrypts them under any. What is not encrypted
 * passes through. The layout is that of Temporal's own samples.
 */
export function createPayloadCodec(keys: KeyRing): PayloadCodec {
  return {
    encode: async (payloads) => payloads.map((payload) => encodePayload(keys, payload)),
    decode: async (payloads) => payloads.map((payload) => decodePayload(keys, payload)),
  };
}

/** `POST /encode` of a codec server. */
export function encodePayloads(keys: KeyRing, { payloads }: PayloadsJson): PayloadsJson {
  return { payloads: payloads.map((payload) => toJson(encodePayload(keys, fromJson(payload)))) };
}

/** `POST /decode` of a codec server. Throws when a payload's key is not in the ring. */
export function decodePayloads(keys: KeyRing, { payloads }: PayloadsJson): PayloadsJson {
  return { payloads: payloads.map((payload) => toJson(decodePayload(keys, fromJson(payload)))) };
}

// The synchronous cipher is several times faster than WebCrypto at the size of a payload.
function encodePayload(keys: KeyRing, payload: Payload): Payload {
  const { id, key } = newestKey(keys);
  return {
    metadata: { encoding: Buffer.from(ENCODING), [KEY_ID]: Buffer.from(id) },
    data: seal(key, PayloadMessage.encode(payload).finish()),
  };
}

function decodePayload(keys: KeyRing, payload: Payload): Payload {
  if (textOf(payload.metadata?.encoding) !== ENCODING) return payload;
  const key = keyById(keys, textOf(payload.metadata?.[KEY_ID]));
  return PayloadMessage.decode(open(key, payload.data ?? new Uint8Array()));
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return bytes ? Buffer.from(bytes).toString('utf8') : '';
}

function fromJson({ metadata, data }: z.infer<typeof PayloadJson>): Payload {
  return {
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
    ),
    data: Buffer.from(data ?? '', 'base64'),
  };
}

function toJson({ metadata, data }: Payload): z.infer<typeof PayloadJson> {
  return {
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
    ),
    data: Buffer.from(data ?? new Uint8Array()).toString('base64'),
  };
}
