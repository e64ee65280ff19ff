import { startHttpReceiver, type HttpReceiver, type ReceivedRequest } from './http-receiver';

export interface ClinicApiServer {
  url: string;
  /** Requests to the API itself, not to the token endpoint. */
  requests: ReceivedRequest[];
  /** How many tokens were given. */
  tokensGiven: number;
  tokenLifeSeconds: number;
  /** Makes every token given so far worthless. */
  revokeTokens(): void;
  receiver: HttpReceiver;
  close(): Promise<void>;
}

/** A clinic's own API behind OAuth2: `POST /oauth/token` for client credentials, everything else with that token. */
export async function startClinicApiServer({
  clientId,
  clientSecret,
}: {
  clientId: string;
  clientSecret: string;
}): Promise<ClinicApiServer> {
  const valid = new Map<string, number>();
  const basic = `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`;

  const receiver = await startHttpReceiver((request, response) => {
    const reply = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

    if (request.path === '/oauth/token') {
      const isAsked = new URLSearchParams(request.body).get('grant_type') === 'client_credentials';
      if (!isAsked || request.headers.authorization !== basic) return reply(401, { error: 'invalid_client' });
      server.tokensGiven += 1;
      const token = `token-${server.tokensGiven}`;
      valid.set(`Bearer ${token}`, Date.now() + server.tokenLifeSeconds * 1000);
      return reply(200, { access_token: token, token_type: 'Bearer', expires_in: server.tokenLifeSeconds });
    }
    server.requests.push(request);
    const until = valid.get(request.headers.authorization ?? '') ?? 0;
    return until > Date.now() ? reply(200, { status: 'in_progress' }) : reply(401, { error: 'invalid_token' });
  });

  const server: ClinicApiServer = {
    url: receiver.url,
    requests: [],
    tokensGiven: 0,
    tokenLifeSeconds: 3600,
    revokeTokens: () => valid.clear(),
    receiver,
    close: () => receiver.close(),
  };
  return server;
}
