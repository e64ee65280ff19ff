interface Refusal {
  statusCode: number;
  code?: string;
  message: string;
  details?: { path: string; message: string }[];
}

/** A reply that is a refusal. */
export const refused = (refusal: Refusal): Response => Response.json(refusal, { status: refusal.statusCode });

/** Stands where the network is: keeps what was asked, and answers with the next reply; where none is left it refuses. A `Response` is as it is. */
export function answering(refusal: Refusal) {
  const service = {
    requests: [] as unknown[],
    replies: [] as object[],
    async fetch(request: Request): Promise<Response> {
      const body = JSON.parse((await request.text()) || 'null');
      service.requests.push([request.method, new URL(request.url).pathname, body]);
      const reply = service.replies.shift();
      if (reply instanceof Response) return reply;
      return reply ? Response.json(reply) : refused(refusal);
    },
  };
  return service;
}
