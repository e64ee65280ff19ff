/**
 * A signal that aborts with the first of these, or after so many milliseconds with a `TimeoutError`; a process may end before. What
 * `AbortSignal.any` makes of an `AbortSignal.timeout` never aborts once garbage has been collected (nodejs/node#57736), and what nobody
 * listens to may lose an abort whose source is gone (#65995).
 */
export function deadline(ms: number, ...signals: AbortSignal[]): AbortSignal {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(new DOMException('The time is over', 'TimeoutError')), ms).unref();
  const first = AbortSignal.any([...signals, end.signal]);
  first.addEventListener('abort', () => clearTimeout(timer), { once: true });
  return first;
}
