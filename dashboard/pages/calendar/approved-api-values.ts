import type * as api from '#api';
import type { Labels } from '#forms';
import { t } from '#texts';

type Settings = api.ApprovedApiSettings;
type Change = api.PutIntegrationsApprovedApiData['body'];
export type Action = api.PostIntegrationsApprovedApiTryData['body']['action'];
type Fhir = NonNullable<Settings['fhir']>;
type Permitted = NonNullable<Settings['actions'][Action]>;

/** What the service may do at the clinic's API, in its words and in ours. */
export const actions: { name: Action; what: string }[] = [
  { name: 'form.progress', what: t`Read how far a patient has come with a form` },
  { name: 'patient.upsert', what: t`Create or update a patient` },
  { name: 'insurance.verify', what: t`Verify an insurance` },
  { name: 'appointment.book', what: t`Book an appointment` },
  { name: 'appointment.cancel', what: t`Cancel an appointment` },
  { name: 'document.write', what: t`Write the note of a conversation` },
];

/** What may be permitted at a FHIR server; how far a form has come is not among it. */
export const fhirActions = actions.flatMap(({ name, what }) => (name === 'form.progress' ? [] : [{ name, what }]));

export const methods: { value: Settings['auth']['method']; label: string }[] = [
  { value: 'none', label: t`None` },
  { value: 'bearer', label: t`Bearer token` },
  { value: 'basic', label: t`User name and password` },
  { value: 'api-key-header', label: t`API key in a header` },
  { value: 'oauth2-client-credentials', label: t`OAuth 2 client credentials` },
  { value: 'smart-backend', label: t`SMART Backend Services (key pair)` },
];

/** The settings as the form holds them: every field there, empty where it does not apply. */
export interface Values extends Record<string, unknown> {
  kind: Settings['kind'];
  baseUrl: string;
  auth: Record<
    | 'token'
    | 'username'
    | 'password'
    | 'header'
    | 'value'
    | 'tokenUrl'
    | 'clientId'
    | 'clientSecret'
    | 'scope'
    | 'audience',
    string
  > & {
    method: Settings['auth']['method'];
    clientAuthentication: 'client_secret_basic' | 'client_secret_post';
  };
  headers: { name: string; value: string }[];
  /** PEM texts; both empty keep what is stored. */
  clientCertificate: { isUsed: boolean; certificate: string; privateKey: string };
  fhir: Omit<Fhir, 'permitted' | 'visitTypes' | 'testPatient'> & {
    testPatient: string;
    /** In the order of `fhirActions`. */
    permitted: boolean[];
    visitTypes: { name: string; system: string; code: string }[];
  };
  actions: { isPermitted: boolean; method: Permitted['method']; path: string }[];
}

/** The fields of each authentication, in their order. */
export const authLabels: Record<Values['auth']['method'], Partial<Record<keyof Values['auth'], string>>> = {
  none: {},
  bearer: { token: t`Token` },
  basic: { username: t`User name`, password: t`Password` },
  'api-key-header': { header: t`Header`, value: t`Value` },
  'oauth2-client-credentials': {
    tokenUrl: t`Token URL`,
    clientId: t`Client id`,
    clientSecret: t`Client secret`,
    scope: t`Scope`,
    audience: t`Audience`,
  },
  'smart-backend': { clientId: t`Client id`, scope: t`Scope`, tokenUrl: t`Token URL`, audience: t`Audience` },
};

/** The lists of the form, each with the labels of its fields. */
export const listLabels = {
  headers: { name: t`Header`, value: t`Value` },
  'fhir.providers': { name: t`Provider`, reference: t`Reference in the EHR` },
  'fhir.visitTypes': { name: t`Visit type`, system: t`Code system`, code: t`Code in the EHR` },
  'fhir.locations': { name: t`Location`, reference: t`Reference in the EHR` },
} as const;

const certificateLabels = [
  ['clientCertificate.certificate', t`Certificate`],
  ['clientCertificate.privateKey', t`Private key`],
];

/** The fields that the form shows with these values. */
export function labelsOf({ kind, auth, actions: rows, headers, fhir }: Values): Labels {
  const { providers, visitTypes, locations } = fhir;
  const lists = { headers, 'fhir.providers': providers, 'fhir.visitTypes': visitTypes, 'fhir.locations': locations };
  const shownRows = Object.entries(lists).flatMap(([list, items]) =>
    kind === 'json' && list !== 'headers'
      ? []
      : items.flatMap((_, index) =>
          Object.entries(listLabels[list as keyof typeof listLabels]).map(([field, label]) => [
            `${list}.${index}.${field}`,
            label,
          ]),
        ),
  );
  const shownAuth = Object.entries(authLabels[auth.method]).map(([name, label]) => [`auth.${name}`, label]);
  const shownActions = rows.flatMap(({ isPermitted }, index) => {
    const name = actions[index]?.name ?? '';
    return kind === 'json' && isPermitted
      ? [
          [`actions.${index}.method`, t`Method of ${name}`],
          [`actions.${index}.path`, t`Path of ${name}`],
        ]
      : [];
  });
  return Object.fromEntries([
    ['baseUrl', t`Base URL`],
    ...(kind === 'json'
      ? []
      : [
          ['fhir.isLive', t`Calls act on its appointments`],
          ['fhir.testPatient', t`Test patient`],
        ]),
    ...certificateLabels,
    ...shownAuth,
    ...shownActions,
    ...shownRows,
  ]) as Labels;
}

/** The service names an action by its name, the form by its place in the list. */
export function fieldOf(path: string): string {
  const index = actions.findIndex(({ name }) => path === `actions.${name}` || path.startsWith(`actions.${name}.`));
  const name = actions[index]?.name;
  if (name === undefined) return path;
  const field = path.slice(`actions.${name}.`.length) || 'path';
  return `actions.${index}.${field}`;
}

export function toValues(settings: Settings): Values {
  const { kind, baseUrl, auth, headers, fhir, certificateEndsAt, actions: permitted } = settings;
  return {
    kind,
    clientCertificate: { isUsed: certificateEndsAt !== null, certificate: '', privateKey: '' },
    headers: headers.map(({ name }) => ({ name, value: '' })),
    fhir: {
      isOn: fhir?.isOn ?? false,
      isLive: fhir?.isLive ?? false,
      permitted: fhirActions.map(({ name }) => fhir?.permitted.includes(name) ?? false),
      rescheduling: fhir?.rescheduling ?? 'update',
      providers: fhir?.providers ?? [],
      visitTypes: (fhir?.visitTypes ?? []).map(({ name, system = '', code }) => ({ name, system, code })),
      locations: fhir?.locations ?? [],
      testPatient: fhir?.testPatient ?? '',
    },
    baseUrl: baseUrl ?? '',
    auth: {
      method: auth.method,
      username: auth.username ?? '',
      header: auth.header ?? '',
      tokenUrl: auth.tokenUrl ?? '',
      clientId: auth.clientId ?? '',
      scope: auth.scope ?? '',
      audience: auth.audience ?? '',
      clientAuthentication: auth.clientAuthentication ?? 'client_secret_basic',
      // Secrets are never read back.
      token: '',
      password: '',
      value: '',
      clientSecret: '',
    },
    actions: actions.map(({ name }) => {
      const found = permitted[name];
      return { isPermitted: found !== undefined, method: found?.method ?? 'POST', path: found?.path ?? '' };
    }),
  };
}

export function toChange(values: Values): Change {
  const { kind, auth, headers: given, fhir, actions: rows } = values;
  const baseUrl = values.baseUrl.trim();
  const { isUsed, ...pair } = values.clientCertificate;
  const clientCertificate = isUsed ? (pair.certificate || pair.privateKey ? pair : undefined) : null;
  const headers = given.map(({ name, value }) => ({ name, value: value || undefined }));
  if (kind === 'fhir-r4') {
    const named = fhirActions.flatMap(({ name }, index) => (fhir.permitted[index] ? [name] : []));
    const visitTypes = fhir.visitTypes.map(({ name, system, code }) => ({ name, system: system || undefined, code }));
    return {
      kind,
      baseUrl,
      auth: toAuth(auth),
      headers,
      clientCertificate,
      fhir: { ...fhir, permitted: named, visitTypes, testPatient: fhir.testPatient || undefined },
    };
  }
  const permitted = rows.flatMap(({ isPermitted, method, path }, index) => {
    const name = actions[index]?.name;
    return isPermitted && name ? [[name, { method, path }] as const] : [];
  });
  return { kind, baseUrl, auth: toAuth(auth), headers, clientCertificate, actions: Object.fromEntries(permitted) };
}

/** A secret that is left empty is left out, and so stays as it is. */
function toAuth({ method, ...given }: Values['auth']): Change['auth'] {
  const orKept = (secret: string) => secret || undefined;
  switch (method) {
    case 'none':
      return { method };
    case 'bearer':
      return { method, token: orKept(given.token) };
    case 'basic':
      return { method, username: given.username, password: orKept(given.password) };
    case 'api-key-header':
      return { method, header: given.header, value: orKept(given.value) };
    case 'oauth2-client-credentials': {
      const { tokenUrl, clientId, clientSecret, clientAuthentication, scope, audience } = given;
      return {
        method,
        tokenUrl: tokenUrl.trim(),
        clientId,
        clientSecret: orKept(clientSecret),
        clientAuthentication,
        scope: scope || undefined,
        audience: audience || undefined,
      };
    }
    case 'smart-backend': {
      const { tokenUrl, clientId, scope, audience } = given;
      return {
        method,
        clientId,
        tokenUrl: tokenUrl.trim() || undefined,
        scope: scope || undefined,
        audience: audience || undefined,
      };
    }
  }
}
