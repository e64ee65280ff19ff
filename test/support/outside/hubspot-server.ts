import { startHttpReceiver, type HttpReceiver, type ReceivedRequest } from './http-receiver';

export interface HubspotServer {
  url: string;
  /** Contacts by the value of the unique property. */
  contacts: Map<string, { id: string; properties: Record<string, string> }>;
  /** Custom properties that the account has. */
  properties: Set<string>;
  requests: ReceivedRequest[];
  receiver: HttpReceiver;
  close(): Promise<void>;
}

interface Upsert {
  inputs: { id: string; idProperty: string; properties: Record<string, string> }[];
}

/** HubSpot's contact upsert and property creation on the wire, with its rules on keys and e-mail addresses. */
export async function startHubspotServer(accessToken: string): Promise<HubspotServer> {
  const receiver = await startHttpReceiver((request, response) => {
    const [status, body] = answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const server: HubspotServer = {
    url: receiver.url,
    contacts: new Map(),
    properties: new Set(),
    requests: receiver.received,
    receiver,
    close: () => receiver.close(),
  };

  const answer = (request: ReceivedRequest): [number, unknown] => {
    if (request.headers.authorization !== `Bearer ${accessToken}`) return problem(401, 'INVALID_AUTHENTICATION', 'no');
    if (request.method === 'POST' && request.path === '/crm/v3/properties/contacts') {
      const { name } = JSON.parse(request.body);
      if (server.properties.has(name)) return problem(409, 'OBJECT_ALREADY_EXISTS', `${name} exists`);
      server.properties.add(name);
      return [201, { ...JSON.parse(request.body), options: [] }];
    }
    if (request.method === 'POST' && request.path === '/crm/v3/objects/contacts/batch/upsert') {
      return upsert(JSON.parse(request.body));
    }
    return problem(404, 'NOT_FOUND', 'no such path');
  };

  const upsert = ({ inputs: [input] }: Upsert): [number, unknown] => {
    const { id: key, idProperty, properties } = input!;
    if (!server.properties.has(idProperty)) {
      return problem(400, 'VALIDATION_ERROR', `Property "${idProperty}" does not exist`);
    }
    const known = server.contacts.get(key);
    const isTaken = [...server.contacts].some(
      ([other, contact]) => other !== key && properties['email'] && contact.properties['email'] === properties['email'],
    );
    if (isTaken) return problem(409, 'CONFLICT', `A contact with the email '${properties['email']}' already exists.`);
    const contact = {
      id: known?.id ?? `hs-${server.contacts.size + 1}`,
      properties: { ...known?.properties, ...properties },
    };
    server.contacts.set(key, contact);
    const at = new Date().toISOString();
    const result = { ...contact, new: known === undefined, archived: false, createdAt: at, updatedAt: at };
    return [200, { status: 'COMPLETE', startedAt: at, completedAt: at, results: [result] }];
  };

  return server;
}

function problem(status: number, category: string, message: string): [number, unknown] {
  return [status, { status: 'error', category, message, correlationId: '5a1e0e5c-0000-4000-8000-000000000000' }];
}
