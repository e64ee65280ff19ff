import type * as Api from '../../http/client/types.gen';
import type { Labels } from '../../parts/refusal';

type Settings = Api.ApprovedApiSettings;
type Change = Api.PutIntegrationsApprovedApiData['body'];
export type Action = Api.PostIntegrationsApprovedApiTryData['body']['action'];
type Permitted = NonNullable<Settings['actions'][Action]>;

/** What the service may do at the clinic's API, in its words and in ours. */
export const actions: { name: Action; what: string }[] = [
  { name: 'form.progress', what: 'Read how far a patient has come with a form' },
  { name: 'patient.upsert', what: 'Create or update a patient' },
  { name: 'insurance.verify', what: 'Verify an insurance' },
  { name: 'appointment.book', what: 'Book an appointment' },
  { name: 'appointment.cancel', what: 'Cancel an appointment' },
  { name: 'document.write', what: 'Write the note of a conversation' },
];

export const methods: { value: Settings['auth']['method']; label: string }[] = [
  { value: 'none', label: 'None' },
  { value: 'bearer', label: 'Bearer token' },
  { value: 'basic', label: 'User name and password' },
  { value: 'api-key-header', label: 'API key in a header' },
  { value: 'oauth2-client-credentials', label: 'OAuth 2 client credentials' },
];

/** The settings as the form holds them: every field there, empty where it does not apply. */
export interface Values extends Record<string, unknown> {
  baseUrl: string;
  auth: Record<
    'token' | 'username' | 'password' | 'header' | 'value' | 'tokenUrl' | 'clientId' | 'clientSecret' | 'scope',
    string
  > & { method: Settings['auth']['method'] };
  actions: { isPermitted: boolean; method: Permitted['method']; path: string }[];
}

const authLabels: Record<Values['auth']['method'], Partial<Record<keyof Values['auth'], string>>> = {
  none: {},
  bearer: { token: 'Token' },
  basic: { username: 'User name', password: 'Password' },
  'api-key-header': { header: 'Header', value: 'Value' },
  'oauth2-client-credentials': {
    tokenUrl: 'Token URL',
    clientId: 'Client id',
    clientSecret: 'Client secret',
    scope: 'Scope',
  },
};

/** The fields that the form shows with these values. */
export function labelsOf({ auth, actions: rows }: Values): Labels {
  const shownAuth = Object.entries(authLabels[auth.method]).map(([name, label]) => [`auth.${name}`, label]);
  const shownActions = rows.flatMap(({ isPermitted }, index) => {
    const name = actions[index]?.name ?? '';
    return isPermitted
      ? [
          [`actions.${index}.method`, `Method of ${name}`],
          [`actions.${index}.path`, `Path of ${name}`],
        ]
      : [];
  });
  return Object.fromEntries([['baseUrl', 'Base URL'], ...shownAuth, ...shownActions]) as Labels;
}

/** The service names an action by its name, the form by its place in the list. */
export function fieldOf(path: string): string {
  const index = actions.findIndex(({ name }) => path === `actions.${name}` || path.startsWith(`actions.${name}.`));
  const name = actions[index]?.name;
  if (name === undefined) return path;
  const field = path.slice(`actions.${name}.`.length) || 'path';
  return `actions.${index}.${field}`;
}

export function toValues({ baseUrl, auth, actions: permitted }: Settings): Values {
  return {
    baseUrl: baseUrl ?? '',
    auth: {
      method: auth.method,
      username: auth.username ?? '',
      header: auth.header ?? '',
      tokenUrl: auth.tokenUrl ?? '',
      clientId: auth.clientId ?? '',
      scope: auth.scope ?? '',
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

export function toChange({ baseUrl, auth, actions: rows }: Values): Change {
  const permitted = rows.flatMap(({ isPermitted, method, path }, index) => {
    const name = actions[index]?.name;
    return isPermitted && name ? [[name, { method, path }] as const] : [];
  });
  return { baseUrl, auth: toAuth(auth), actions: Object.fromEntries(permitted) };
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
      const { tokenUrl, clientId, clientSecret, scope } = given;
      return { method, tokenUrl, clientId, clientSecret: orKept(clientSecret), scope: scope || undefined };
    }
  }
}
