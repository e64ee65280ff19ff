import { request as httpRequest } from 'node:http';

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** One request over a connection of its own. Rejects when there is no complete answer in time. */
export function ask({
  method = 'GET',
  url,
  headers = {},
  body,
  timeoutMs,
}: {
  method?: string;
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
  timeoutMs: number;
}): Promise<HttpAnswer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method,
      agent: false,
      headers: {
        ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...headers,
      },
    });
    const tooLate = setTimeout(() => request.destroy(new Error('no answer in time')), timeoutMs);
    const fail = (error: Error) => {
      clearTimeout(tooLate);
      reject(error);
    };
    request.on('error', fail);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('aborted', () => fail(new Error('the answer was cut off')));
      response.on('end', () => {
        clearTimeout(tooLate);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        });
      });
    });
    request.end(text);
  });
}

/** Whether it answers 200, soon. */
export const isOk = (url: string, timeoutMs = 1_500): Promise<boolean> =>
  ask({ url, timeoutMs }).then(
    ({ status }) => status === 200,
    () => false,
  );
