import { appendFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { connect as connectSecurely } from 'node:tls';
import type { WorkerConfig } from '@clinic/shared/config';
import type { AuditHead } from '@clinic/prisma/stores/operations/audit-chain';

/** Takes heads, which are ids, numbers and keyed hashes that say nothing of anybody, to where the service cannot reach them any more. Throws where it could not: they are sent again. */
export type KeepHeads = (heads: readonly AuditHead[]) => Promise<void>;

const TIMEOUT_MS = 10_000;
/** RFC 5424: log audit, informational. */
const PRIORITY = 13 * 8 + 6;

/** A file, a syslog server or an HTTPS receiver of the operator, by the scheme of `AUDIT_HEADS_URL`. Null where there is none. */
export function headKeeper({
  AUDIT_HEADS_URL,
  AUDIT_HEADS_AUTHORIZATION,
}: Pick<WorkerConfig, 'AUDIT_HEADS_URL' | 'AUDIT_HEADS_AUTHORIZATION'>): KeepHeads | null {
  if (AUDIT_HEADS_URL === undefined) return null;
  const url = new URL(AUDIT_HEADS_URL);
  if (url.protocol === 'file:') return (heads) => appendFile(fileURLToPath(url), linesOf(heads), { mode: 0o600 });
  if (url.protocol.startsWith('syslog')) return (heads) => toSyslog(url, heads);
  return (heads) => toReceiver(url, AUDIT_HEADS_AUTHORIZATION, heads);
}

/** As `audit verify --heads-file` reads them. */
const lineOf = ({ clinicId, position, hash }: AuditHead): string =>
  JSON.stringify({ clinicId, position, hash, at: new Date().toISOString() });

const linesOf = (heads: readonly AuditHead[]): string => heads.map((head) => `${lineOf(head)}\n`).join('');

async function toReceiver(url: URL, authorization: string | undefined, heads: readonly AuditHead[]): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-ndjson',
      ...(authorization !== undefined && { authorization }),
    },
    body: linesOf(heads),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the receiver of audit heads answered ${response.status}`);
}

/** Over TCP, each message with its length before it (RFC 6587), so that none is cut. */
function toSyslog(url: URL, heads: readonly AuditHead[]): Promise<void> {
  const isSecure = url.protocol === 'syslog+tls:';
  const to = { host: url.hostname, port: Number(url.port === '' ? (isSecure ? 6514 : 601) : url.port) };
  const messages = heads.map((head) => {
    const text = `<${PRIORITY}>1 ${new Date().toISOString()} ${hostname()} clinic-workflows ${process.pid} audit-head - ${lineOf(head)}`;
    return `${Buffer.byteLength(text)} ${text}`;
  });
  return new Promise((resolve, reject) => {
    const socket = isSecure ? connectSecurely({ ...to, servername: url.hostname }) : connect(to);
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('the syslog server takes too long')));
    socket.once('error', reject);
    socket.once('close', () => resolve());
    socket.once(isSecure ? 'secureConnect' : 'connect', () => socket.end(messages.join('')));
    socket.resume();
  });
}
