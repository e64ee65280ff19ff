import { setTimeout as delay } from 'node:timers/promises';
import * as contacts from '@hubspot/api-client/lib/codegen/crm/contacts/index';
import * as properties from '@hubspot/api-client/lib/codegen/crm/properties/index';
import { plainName } from '@clinic/shared/domain/patients/plain-name';
import type { ClinicHttp } from '../http/clinic-http';
import { OutboundError, type OutboundRequest, type OutboundResponse } from '../http/safe-http';
import { type CrmContact, CrmError, type CrmGateway, isPassing } from './port';

const BASE_URL = 'https://api.hubapi.com';
/** The contact property that holds our key. It is made, as a unique one, where an account lacks it. */
const KEY_PROPERTY = 'clinic_workflows_key';
/** The category of what HubSpot says of a property that it does not take. */
const INVALID = 'VALIDATION_ERROR';
/** A property that was just made may not be known everywhere at once. */
const KEY_PROPERTY_WAITS_MS = [250, 750];

export interface HubspotOptions {
  http: ClinicHttp;
  clinicId: string;
  /** Of a private app with the scopes crm.objects.contacts.read, crm.objects.contacts.write and crm.schemas.contacts.write. */
  accessToken: string;
  baseUrl?: string;
}

/** HubSpot, over its own SDK's contact and property APIs. They call through our client, so that its guards hold here too. */
export function createHubspot(options: HubspotOptions): CrmGateway {
  return {
    upsertContact: async (contact, signal) => {
      const apis = apisOf({ ...options, signal });
      const outcome = await upsertWithKeyProperty(apis, contact, signal);
      if (outcome.kind === 'kept') return { id: outcome.id };
      if (!outcome.isTaken || contact.email === null) throw outcome.error;
      return keepBesideEmail(apis, contact, outcome.existingId);
    },
  };
}

interface Apis {
  batch: contacts.BatchApi;
  basic: contacts.BasicApi;
  core: properties.CoreApi;
}

type Upserted = { kind: 'kept'; id: string } | Fault;

interface Fault {
  kind: 'fault';
  error: CrmError;
  /** A property of the contact was refused: ours, where the account lacks it or has it as one that is not unique. */
  isInvalid: boolean;
  /** A value that only one contact may have, as its e-mail address, is another contact's. */
  isTaken: boolean;
  /** The contact that has the e-mail address, where HubSpot names it. */
  existingId: string | null;
}

/** An account that lacks our key property gets it, and is asked again until it knows it. */
async function upsertWithKeyProperty(
  { batch, core }: Apis,
  contact: CrmContact,
  signal: AbortSignal | undefined,
): Promise<Upserted> {
  const first = await upsert(batch, contact);
  if (first.kind === 'kept' || !first.isInvalid) return first;
  const isUnique = await ensureKeyProperty(core);
  for (const waitMs of KEY_PROPERTY_WAITS_MS) {
    const again = await upsert(batch, contact);
    if (again.kind === 'kept' || !again.isInvalid) return again;
    await delay(waitMs, undefined, { signal });
  }
  const last = await upsert(batch, contact);
  if (last.kind === 'kept' || !last.isInvalid || isUnique) return last;
  return { ...last, error: new CrmError('refused', `HubSpot does not take ${KEY_PROPERTY} as a unique property`) };
}

/**
 * An address belongs to one contact only at HubSpot. A contact that the clinic made itself and that names nobody else is this
 * person: it gets our key and what we know. One that has the key of another patient, or names somebody else, shares the address,
 * as families do: this patient is kept without it.
 */
async function keepBesideEmail(
  { batch, basic }: Apis,
  contact: CrmContact,
  existingId: string | null,
): Promise<{ id: string }> {
  try {
    const existing = existingId === null ? null : await basic.getById(existingId, SHOWN_PROPERTIES);
    if (existing && !existing.properties[KEY_PROPERTY] && !namesAnother(existing.properties, contact)) {
      const { id } = await basic.update(existing.id, { properties: toProperties(contact) });
      return { id };
    }
  } catch (error) {
    const fault = toFault(error);
    // This patient has a contact of their own already, under our key.
    if (!fault.isTaken) throw fault.error;
  }
  const outcome = await upsert(batch, { ...contact, email: null });
  if (outcome.kind === 'fault') throw outcome.error;
  return { id: outcome.id };
}

const SHOWN_PROPERTIES = [KEY_PROPERTY, 'firstname', 'lastname'];

/** Whether a contact has a name that is not this person's. */
const namesAnother = (
  { firstname, lastname }: Record<string, string | null>,
  { firstName, lastName }: CrmContact,
): boolean =>
  Boolean(firstname && plainName(firstname) !== plainName(firstName)) ||
  Boolean(lastname && plainName(lastname) !== plainName(lastName));

async function upsert(batch: contacts.BatchApi, contact: CrmContact): Promise<Upserted> {
  try {
    const input = { id: contact.externalKey, idProperty: KEY_PROPERTY, properties: toProperties(contact) };
    const reply = await batch.upsert({ inputs: [input] });
    const [first] = reply.results;
    if (first !== undefined) return { kind: 'kept', id: first.id };
    const errors = 'errors' in reply ? (reply.errors ?? []) : [];
    const taken = errors.find(({ category }) => category === 'CONFLICT');
    return {
      kind: 'fault',
      error: new CrmError('refused', 'HubSpot did not keep the contact'),
      isInvalid: errors.some(({ category }) => category === INVALID),
      isTaken: taken !== undefined,
      existingId: idNamedIn(JSON.stringify(taken) ?? ''),
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

/** Whether our key property, made where the account lacked it, is unique. */
async function ensureKeyProperty(core: properties.CoreApi): Promise<boolean> {
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
    return true;
  } catch (error) {
    if (!(error instanceof properties.ApiException) || error.code !== 409) throw toFault(error).error;
  }
  try {
    return (await core.getByName('contacts', KEY_PROPERTY)).hasUniqueValue ?? false;
  } catch (error) {
    throw toFault(error).error;
  }
}

// HubSpot's own errors quote the contact: only their status goes on.
function toFault(error: unknown): Fault {
  const nothingKnown = { kind: 'fault', isInvalid: false, isTaken: false, existingId: null } as const;
  if (error instanceof OutboundError) return { ...nothingKnown, error: new CrmError('unavailable', error.message) };
  if (!(error instanceof contacts.ApiException) && !(error instanceof properties.ApiException)) throw error;
  const { code } = error;
  const said = JSON.stringify(error.body) ?? '';
  return {
    kind: 'fault',
    error: new CrmError(isPassing(code) ? 'unavailable' : 'refused', `HubSpot answered http ${code}`),
    isInvalid: categoryOf(error.body) === INVALID,
    isTaken: code === 409,
    existingId: code === 409 ? idNamedIn(said) : null,
  };
}

const categoryOf = (body: unknown): unknown => (body as { category?: unknown } | null)?.category;

/** As in "Contact already exists. Existing ID: 33451". */
function idNamedIn(said: string): string | null {
  return /Existing ID:\s*(\d+)/i.exec(said)?.[1] ?? null;
}

type Call = HubspotOptions & { signal?: AbortSignal };

function apisOf({ http, clinicId, accessToken, baseUrl = BASE_URL, signal }: Call): Apis {
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
  const contactsAt = contacts.createConfiguration({
    baseServer: new contacts.ServerConfiguration(baseUrl, {}),
    httpApi: contactsHttp,
    authMethods,
  });
  return {
    batch: new contacts.BatchApi(contactsAt),
    basic: new contacts.BasicApi(contactsAt),
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
      pathTemplate: new URL(url).pathname.replace(/\/contacts\/\d+$/, '/contacts/{contactId}'),
      headers: request.getHeaders(),
      ...(typeof body === 'string' && { body }),
      // An upsert by key, a property that is made once, one contact read and written: all may be sent again.
      isIdempotent: true,
      signal,
    });
  };
}

function methodOf(method: string): OutboundRequest['method'] {
  if (method === 'POST' || method === 'GET' || method === 'PATCH') return method;
  throw new Error(`HubSpot's SDK asked for ${method}`);
}
