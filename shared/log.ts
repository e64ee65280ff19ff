import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/**
 * What may stand in a log line. Everything else is dropped, so that no careless call writes a patient's name, phone or
 * note: ids, codes, counts and times only.
 */
const allowed = new Set([
  'requestId',
  'method',
  'route',
  'status',
  'durationMs',
  'clinicId',
  'workflowId',
  'workflowType',
  'recoveryCaseId',
  'callId',
  'tool',
  'outcome',
  'event',
  'eventId',
  'deliveryId',
  'subject',
  'code',
  'name',
  'stack',
  'count',
  'runs',
  'messages',
  'deliveries',
  'attempt',
  'port',
  'address',
  'accountId',
  'signal',
  'url',
  'host',
  'system',
  'action',
  'activity',
  'taskQueue',
  'process',
  // What the voice platform says of our settings; its gateway takes out what it quotes of a patient.
  'sentence',
  'settings',
]);

/** A structured logger, one JSON object a line on standard output. */
export function createLog({ process: processName, level }: { process: string; level: string }): Logger {
  return pino({
    level,
    base: { process: processName },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label) => ({ level: label }),
      log: (fields) => Object.fromEntries(Object.entries(fields).filter(([key]) => allowed.has(key))),
    },
  });
}

/** What of an unexpected error may be logged: its class, its code and where it was thrown, but not its message. */
export function describeError(error: unknown): { name: string; code?: string; stack?: string } {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, code, stack: frames?.slice(0, 12).join('\n') };
}
