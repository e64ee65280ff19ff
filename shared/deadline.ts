/**
 * A signal that aborts after so many milliseconds, with a `TimeoutError`, and lets the process end before. To be combined: what
 * `AbortSignal.any` makes of an `AbortSignal.timeout` never aborts once garbage has been collected (nodejs/node#57736).
 */
export function deadline(ms: number): AbortSignal {
  const end = new AbortController();
  setTimeout(() => end.abort(new DOMException('The time is over', 'TimeoutError')), ms).unref();
  return end.signal;
}
