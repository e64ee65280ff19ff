import { sqlState } from './sql';

/** Codes of sockets and of the generated client that say: the database is not there, or did not reply. */
const downCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
  'P2034',
  'P2037',
]);

/**
 * SQLSTATEs that say the same, or that the same request may well succeed a moment later: connection lost, resources
 * used up, server starting or stopping, statement cancelled after its time, conflict with another transaction.
 */
const downStates = /^(08|53|57|25P0[234]|40001|40P01|55P03)/;

/** What the driver says without any code. */
const lostMessages =
  /Connection terminated|timeout exceeded when trying to connect|Can't reach database|connection error and is not queryable|Client was closed/;

/**
 * The code of an error that only says that the database is down, overloaded or lost on the way, so that the caller may
 * try again; null for every other error. Reads the driver's own error inside the generated client's, and its causes.
 */
export function whyDatabaseFailed(error: unknown): string | null {
  let current = error;
  for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth += 1) {
    const code = codeOf(current);
    if (code !== null) return code;
    current = inner(current);
  }
  return null;
}

interface DriverError {
  code?: unknown;
  originalCode?: unknown;
  kind?: unknown;
}

function codeOf(error: object): string | null {
  const { code, originalCode, kind } = error as DriverError;
  for (const one of [originalCode, code]) {
    if (typeof one === 'string' && downCodes.has(one)) return one;
    if (downStates.test(sqlState({ code: one }) ?? '')) return one as string;
  }
  if (typeof kind === 'string' && kind in downKinds) return downKinds[kind as keyof typeof downKinds];
  return error instanceof Error && lostMessages.test(error.message) ? 'connection_lost' : null;
}

/** What the generated client's adapter makes of a socket's error. */
const downKinds = {
  DatabaseNotReachable: 'ECONNREFUSED',
  ConnectionClosed: 'ECONNRESET',
  SocketTimeout: 'ETIMEDOUT',
  TooManyConnections: '53300',
  TransactionWriteConflict: '40001',
} as const;

/** The error inside this one: the cause, or what the adapter hands over in `meta`. */
function inner(error: object): unknown {
  const { cause, meta } = error as { cause?: unknown; meta?: { driverAdapterError?: unknown } | null };
  return cause ?? meta?.driverAdapterError;
}
