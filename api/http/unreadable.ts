import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { newId } from '@clinic/shared/crypto';

const faults: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive' },
};

/** Refuses what is not HTTP, or breaks off, in the one error shape (docs/contract.md, 1): no route ever sees it. */
export function answerUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, message } = faults[error.code ?? ''] ?? { status: 400, message: 'The request is not valid HTTP' };
  const body = JSON.stringify({ statusCode: status, message, error: STATUS_CODES[status] });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${newId()}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
