import { eventually } from './eventually';

export interface EventStream {
  status: number;
  contentType: string;
  /** Everything that came so far. */
  text(): string;
  /** The changes that came so far. */
  changes(): { table: string; id: string }[];
  /** Resolves with the first change that matches. */
  change(table: string, id?: string): Promise<{ table: string; id: string }>;
  /** Resolves when the service has ended the stream. */
  ended: Promise<void>;
  close(): void;
}

/** Reads `GET /api/stream` as a client does that can send headers. */
export async function openStream(baseUrl: string, bearer: string): Promise<EventStream> {
  const stop = new AbortController();
  const response = await fetch(`${baseUrl}/stream`, {
    headers: { authorization: `Bearer ${bearer}`, accept: 'text/event-stream' },
    signal: stop.signal,
  });
  let text = '';
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  };
  const ended = read().catch(() => undefined);
  const changes = () =>
    [...text.matchAll(/^event: change\ndata: (.*)$/gm)].map(
      ([, data = '']) => JSON.parse(data) as { table: string; id: string },
    );
  await eventually(() => text !== '' || !response.ok);
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    text: () => text,
    changes,
    change: (table, id) =>
      eventually(() => changes().find((each) => each.table === table && (id === undefined || each.id === id))),
    ended,
    close: () => stop.abort(),
  };
}
