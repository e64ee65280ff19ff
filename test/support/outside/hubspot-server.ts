import { startHttpReceiver, type HttpReceiver, type ReceivedRequest } from './http-receiver';

export interface HubspotServer {
  url: string;
  /** Contacts by the value of the unique property, or by their id where they have none. */
  contacts: Map<string, { id: string; properties: Record<string, string> }>;
  /** Custom properties that the account has. */
  properties: Set<string>;
  /** How it says that the account lacks the property by which it is to upsert. */
  missingProperty: (name: string) => string;
  /** How many requests pass before a property that was made is known. */
  propertyDelay: number;
  /** A contact that the clinic's people made. */
  addContact(properties: Record<string, string>): { id: string };
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
    missingProperty: (name) => `Property "${name}" does not exist`,
    propertyDelay: 0,
    addContact(given) {
      const id = newId();
      server.contacts.set(id, { id, properties: given });
      return { id };
    },
    requests: receiver.received,
    receiver,
    close: () => receiver.close(),
  };

  const newId = () => String(101 + server.contacts.size);

  const answer = (request: ReceivedRequest): [number, unknown] => {
    if (request.headers.authorization !== `Bearer ${accessToken}`) return problem(401, 'INVALID_AUTHENTICATION', 'no');
    if (request.method === 'POST' && request.path === '/crm/v3/properties/contacts') {
      const { name } = JSON.parse(request.body);
      if (server.properties.has(name)) return problem(409, 'OBJECT_ALREADY_EXISTS', `${name} exists`);
      server.properties.add(name);
      return [201, { ...JSON.parse(request.body), options: [] }];
    }
    const [, property] = /^\/crm\/v3\/properties\/contacts\/(\w+)(?:\?|$)/.exec(request.path) ?? [];
    if (property !== undefined && server.properties.has(property)) {
      return [200, { name: property, options: [], hasUniqueValue: server.propertyDelay === 0 }];
    }
    if (request.method === 'POST' && request.path === '/crm/v3/objects/contacts/batch/upsert') {
      return upsert(JSON.parse(request.body));
    }
    const [, id] = /^\/crm\/v3\/objects\/contacts\/(\d+)(?:\?|$)/.exec(request.path) ?? [];
    const found = [...server.contacts].find(([, contact]) => contact.id === id);
    if (!found) return problem(404, 'NOT_FOUND', 'no such path');
    const [key, { properties }] = found;
    const at = new Date().toISOString();
    const changed = request.method === 'PATCH' ? { ...properties, ...JSON.parse(request.body).properties } : properties;
    const ourKey = changed['clinic_workflows_key'];
    if (ourKey !== key && server.contacts.has(ourKey)) return problem(409, 'CONFLICT', 'a unique value is taken');
    server.contacts.delete(key);
    server.contacts.set(ourKey ?? key, { id: id!, properties: changed });
    // Of a contact that is read those properties alone that are asked for.
    const asked = new URLSearchParams(request.path.split('?')[1]).getAll('properties');
    const isShown = ([name]: [string, unknown]) => request.method === 'PATCH' || asked.includes(name);
    const shown = Object.fromEntries(Object.entries(changed).filter(isShown));
    return [200, { id, properties: shown, archived: false, createdAt: at, updatedAt: at }];
  };

  const upsert = ({ inputs: [input] }: Upsert): [number, unknown] => {
    const { id: key, idProperty, properties } = input!;
    if (server.properties.has(idProperty) && server.propertyDelay > 0) server.propertyDelay -= 1;
    else if (server.properties.has(idProperty)) return upsertKnown({ key, properties });
    return problem(400, 'VALIDATION_ERROR', server.missingProperty(idProperty));
  };

  const upsertKnown = ({ key, properties }: { key: string; properties: Record<string, string> }): [number, unknown] => {
    const known = server.contacts.get(key);
    const taken = [...server.contacts].find(
      ([other, contact]) => other !== key && properties['email'] && contact.properties['email'] === properties['email'],
    );
    if (taken) return problem(409, 'CONFLICT', `Contact already exists. Existing ID: ${taken[1].id}`);
    const contact = {
      id: known?.id ?? newId(),
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
