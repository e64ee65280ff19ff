/** Stands where the network is: keeps what was asked, and answers with the next reply; where none is left it refuses. A `Response` is as it is. */
export function answering(refusal: { statusCode: number; code?: string; message: string }) {
  const service = {
    requests: [] as unknown[],
    replies: [] as object[],
    async fetch(request: Request): Promise<Response> {
      const body = JSON.parse((await request.text()) || 'null');
      service.requests.push([request.method, new URL(request.url).pathname, body]);
      const reply = service.replies.shift();
      if (reply instanceof Response) return reply;
      return reply ? Response.json(reply) : Response.json(refusal, { status: refusal.statusCode });
    },
  };
  return service;
}
