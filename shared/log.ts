import { destination, pino } from 'pino';

/**
 * What may stand in a log line. Everything else is dropped, so that no careless call writes a patient's name, phone or
 * note: ids, codes, counts and times only.
 */
const fields = [
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
  'works',
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
  'reason',
  'duty',
  'closed',
  // A page that a browser could not show: what of it may name a patient is not taken (`DashboardFault`).
  'faultId',
  'page',
  'kind',
  'frames',
  // A failure that the sandbox was asked for.
  'chosenFailure',
] as const;
const allowed = new Set<string>(fields);

type Fields = Partial<Record<(typeof fields)[number], unknown>>;
type Write = (about: Fields, message: string) => void;

/** Writes lines; a field of another name does not compile. */
export interface Logger extends Record<'debug' | 'info' | 'warn' | 'error' | 'fatal', Write> {
  isLevelEnabled(level: string): boolean;
  child(about: Fields): Logger;
}

/** A structured logger, one JSON object a line on standard output; on standard error for commands, whose output others read. */
export function createLog({
  process: processName,
  level,
  output = 'stdout',
}: {
  process: string;
  level: string;
  output?: 'stdout' | 'stderr';
}): Logger {
  const options = {
    level,
    base: { process: processName },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (about: object) => Object.fromEntries(Object.entries(about).filter(([key]) => allowed.has(key))),
    },
  };
  return output === 'stderr' ? pino(options, destination({ dest: 2, sync: true })) : pino(options);
}

/** What of an unexpected error may be logged: its class, its code and where it was thrown, but not its message. */
export function describeError(error: unknown): { name: string; code?: string; stack?: string } {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, code, stack: frames?.slice(0, 12).join('\n') };
}
