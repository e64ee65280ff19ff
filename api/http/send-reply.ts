import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { REFUSAL_HEADER } from '@clinic/shared/domain/calendar/refusals';
import type { Reply } from './route';

/** Sends a reply, unless something was sent already or the connection is gone. */
export async function sendReply(response: Response, reply: Reply): Promise<void> {
  if (response.headersSent || response.destroyed) return;
  const { status = 200, headers, refusal, stream, body, type } = reply;
  response.statusCode = status;
  if (headers) response.set(headers);
  if (refusal) response.setHeader(REFUSAL_HEADER, refusal);
  if (stream) return sendStream(response.set('content-type', type ?? 'text/plain; charset=utf-8'), stream);
  if (body === undefined) return void response.end();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  // Without Express's `send`, which copies every body into a Buffer.
  response.setHeader('content-type', type ?? 'application/json; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(text));
  response.end(text);
}

/**
 * A client that goes away ends its stream; that is no failure. What fails on the way is thrown, once the connection has been closed
 * before the end of the last piece (RFC 9112, 8: the message is incomplete).
 */
async function sendStream(response: Response, stream: AsyncIterable<string>): Promise<void> {
  if (response.req.method === 'HEAD') return void response.end();
  // Nothing comes after a stream: its connection ends with it, so that a stop need not wait for an idle one.
  response.set('connection', 'close').flushHeaders();
  await pipeline(Readable.from(stream), response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}
