import type { OutboundRequest, SafeHttp } from './safe-http';

const METHODS: readonly OutboundRequest['method'][] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const WITHOUT_BODY = [204, 205, 304];

/** The guarded client in the form that vendors' SDKs take: `fetch`, without redirects, bounded in time and size. */
export function createSafeFetch(
  http: Pick<SafeHttp, 'request'>,
  bounds: Pick<OutboundRequest, 'timeoutMs' | 'maxBytes' | 'sendBefore'>,
): typeof fetch {
  return async (input, init) => {
    const asked = new Request(input, init);
    const method = METHODS.find((known) => known === asked.method);
    if (method === undefined) throw new TypeError(`method ${asked.method} is not supported`);
    const body = await asked.text();
    const {
      status,
      headers,
      body: answer,
    } = await http.request({
      method,
      url: asked.url,
      headers: Object.fromEntries(asked.headers),
      ...(body !== '' && { body }),
      signal: asked.signal,
      ...bounds,
    });
    return new Response(WITHOUT_BODY.includes(status) ? null : answer, { status, headers });
  };
}
