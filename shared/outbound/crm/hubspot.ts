import * as contacts from '@hubspot/api-client/lib/codegen/crm/contacts/index';
import * as properties from '@hubspot/api-client/lib/codegen/crm/properties/index';
import type { ClinicHttp } from '../clinic-http';
import { OutboundError, type OutboundRequest, type OutboundResponse } from '../safe-http';
import { type CrmContact, CrmError, type CrmGateway, isPassing } from './port';

const BASE_URL = 'https://api.hubapi.com';
/** The contact property that holds our key. It is made, as a unique one, where an account lacks it. */
const KEY_PROPERTY = 'clinic_workflows_key';

export interface HubspotOptions {
  http: ClinicHttp;
  clinicId: string;
  /** Of a private app with the scopes crm.objects.contacts.write and crm.schemas.contacts.write. */
  accessToken: string;
  baseUrl?: string;
}

/** HubSpot, over its own SDK's contact and property APIs. They call through our client, so that its guards hold here too. */
export function createHubspot(options: HubspotOptions): CrmGateway {
  return {
    upsertContact: async (contact, signal) => {
      const { batch, core } = apisOf({ ...options, signal });
      let wanted = contact;
      let outcome = await upsert(batch, wanted);
      if (outcome.kind === 'fault' && outcome.isKeyPropertyMissing) {
        await createKeyProperty(core);
        outcome = await upsert(batch, wanted);
      }
      // An address belongs to one contact only at HubSpot, but families share theirs.
      if (outcome.kind === 'fault' && outcome.isEmailTaken && contact.email !== null) {
        wanted = { ...contact, email: null };
        outcome = await upsert(batch, wanted);
      }
      if (outcome.kind === 'fault') throw outcome.error;
      return { id: outcome.id };
    },
  };
}

type Upserted = { kind: 'kept'; id: string } | Fault;

interface Fault {
  kind: 'fault';
  error: CrmError;
  isKeyPropertyMissing: boolean;
  isEmailTaken: boolean;
}

async function upsert(batch: contacts.BatchApi, contact: CrmContact): Promise<Upserted> {
  try {
    const input = { id: contact.externalKey, idProperty: KEY_PROPERTY, properties: toProperties(contact) };
    const reply = await batch.upsert({ inputs: [input] });
    const [first] = reply.results;
    if (first !== undefined) return { kind: 'kept', id: first.id };
    const errors = 'errors' in reply ? (reply.errors ?? []) : [];
    return {
      kind: 'fault',
      error: new CrmError('refused', 'HubSpot did not keep the contact'),
      isKeyPropertyMissing: false,
      isEmailTaken: errors.some(({ category }) => category === 'CONFLICT'),
    };
  } catch (error) {
    return toFault(error);
  }
}

function toProperties({ externalKey, firstName, lastName, email, phone, address, reasonForVisit }: CrmContact) {
  const known = {
    [KEY_PROPERTY]: externalKey,
    firstname: firstName,
    lastname: lastName,
    email,
    phone,
    address,
    message: reasonForVisit,
  };
  return Object.fromEntries(Object.entries(known).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

async function createKeyProperty(core: properties.CoreApi): Promise<void> {
  try {
    await core.create('contacts', {
      name: KEY_PROPERTY,
      label: 'Clinic workflows key',
      description: 'Identifies the person at the clinic workflow service.',
      groupName: 'contactinformation',
      type: properties.PropertyCreateTypeEnum.String,
      fieldType: properties.PropertyCreateFieldTypeEnum.Text,
      hasUniqueValue: true,
    });
  } catch (error) {
    if (error instanceof properties.ApiException && error.code === 409) return;
    throw toFault(error).error;
  }
}

// HubSpot's own errors quote the contact: only their status goes on.
function toFault(error: unknown): Fault {
  const nothingKnown = { kind: 'fault', isKeyPropertyMissing: false, isEmailTaken: false } as const;
  if (error instanceof OutboundError) return { ...nothingKnown, error: new CrmError('unavailable', error.message) };
  if (!(error instanceof contacts.ApiException) && !(error instanceof properties.ApiException)) throw error;
  const { code } = error;
  const said = JSON.stringify(error.body) ?? '';
  return {
    kind: 'fault',
    error: new CrmError(isPassing(code) ? 'unavailable' : 'refused', `HubSpot answered http ${code}`),
    isKeyPropertyMissing: code === 400 && said.includes(KEY_PROPERTY) && /DOESNT_EXIST|does not exist/i.test(said),
    isEmailTaken: code === 409,
  };
}

type Call = HubspotOptions & { signal?: AbortSignal };

function apisOf({ http, clinicId, accessToken, baseUrl = BASE_URL, signal }: Call) {
  const send = sendThrough({ http, clinicId, baseUrl, signal });
  const authMethods = { oauth2: { accessToken } };
  const contactsHttp = contacts.wrapHttpLibrary({
    send: async (request) => {
      const { status, headers, body } = await send(request);
      return new contacts.ResponseContext(status, headers, {
        text: async () => body,
        binary: async () => Buffer.from(body),
      });
    },
  });
  const propertiesHttp = properties.wrapHttpLibrary({
    send: async (request) => {
      const { status, headers, body } = await send(request);
      return new properties.ResponseContext(status, headers, {
        text: async () => body,
        binary: async () => Buffer.from(body),
      });
    },
  });
  return {
    batch: new contacts.BatchApi(
      contacts.createConfiguration({
        baseServer: new contacts.ServerConfiguration(baseUrl, {}),
        httpApi: contactsHttp,
        authMethods,
      }),
    ),
    core: new properties.CoreApi(
      properties.createConfiguration({
        baseServer: new properties.ServerConfiguration(baseUrl, {}),
        httpApi: propertiesHttp,
        authMethods,
      }),
    ),
  };
}

/** What both of the SDK's request classes have. */
interface SdkRequest {
  getUrl(): string;
  getHttpMethod(): string;
  getHeaders(): Record<string, string>;
  getBody(): unknown;
}

function sendThrough({ http, clinicId, baseUrl, signal }: Omit<Call, 'accessToken'> & { baseUrl: string }) {
  return (request: SdkRequest): Promise<OutboundResponse> => {
    const url = request.getUrl();
    const body = request.getBody();
    return http.call({
      clinicId,
      system: 'hubspot',
      action: 'contact.upsert',
      method: methodOf(request.getHttpMethod()),
      url,
      baseUrl,
      pathTemplate: new URL(url).pathname,
      headers: request.getHeaders(),
      ...(typeof body === 'string' && { body }),
      // An upsert by key, and a property that is made once: both may be sent again.
      isIdempotent: true,
      signal,
    });
  };
}

function methodOf(method: string): OutboundRequest['method'] {
  if (method === 'POST' || method === 'GET') return method;
  throw new Error(`HubSpot's SDK asked for ${method}`);
}
