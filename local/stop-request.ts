const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StopRequest {
  /** Resolves when somebody wants this process to end. */
  made: Promise<void>;
  signal: AbortSignal;
  close: () => void;
}

/**
 * Turns Ctrl-C and the other signals that end a process into a request. A signal that comes again changes nothing: under npm
 * each Ctrl-C arrives twice, and what was started must still be stopped in order.
 */
export function stopRequest(say: (line: string) => void): StopRequest {
  const abort = new AbortController();
  let requestedAt = 0;
  const request = () => {
    if (!requestedAt) requestedAt = Date.now();
    else if (Date.now() - requestedAt > 1000) say('Still stopping; this takes a few seconds …');
    abort.abort();
  };
  for (const signal of signals) process.on(signal, request);
  const parent = watchParent(request);
  return {
    made: new Promise((resolve) => {
      abort.signal.addEventListener('abort', () => resolve(), { once: true });
    }),
    signal: abort.signal,
    close() {
      clearInterval(parent);
      for (const signal of signals) process.off(signal, request);
    },
  };
}

/** npm runs us in a shell that may end without passing a signal on; then we have another parent all at once. */
function watchParent(request: () => void): NodeJS.Timeout | undefined {
  if (!process.env.npm_lifecycle_event) return undefined;
  const first = process.ppid;
  return setInterval(() => {
    if (process.ppid !== first) request();
  }, 500).unref();
}
