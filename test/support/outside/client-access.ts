import { createPrivateKey, type JsonWebKey, randomUUID, sign } from 'node:crypto';

/** What a client of the sandbox EMR is given, and how it gets a token. */
export interface ClientAccess {
  /** Ends in /api. */
  baseUrl: string;
  clinicId: string;
  email: string;
  password: string;
  apiKey: string;
  signingSecret: string;
  /** An administrator's token, to set the sandbox up. */
  admin: string;
  /** Like a real EHR: every lenient rule is off, and tokens come from SMART Backend Services. */
  isStrict: boolean;
  smart: { clientId: string; key: Record<string, string> };
  run: {
    id: string;
    foreign: { appointmentReference: string; patientReference: string };
    clockChanges: { forward: string | null; back: string | null };
  };
}

export const tokenOf = (access: ClientAccess): Promise<string> =>
  access.isStrict ? backendToken(access) : sessionToken(access);

async function sessionToken({ baseUrl, email, password }: ClientAccess): Promise<string> {
  const response = await fetch(`${baseUrl}/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return ((await response.json()) as { token: string }).token;
}

/** SMART Backend Services: the token endpoint by discovery, and an assertion that is signed anew each time. */
async function backendToken({ baseUrl, smart: { clientId, key } }: ClientAccess): Promise<string> {
  const discovery = await fetch(`${baseUrl}/.well-known/smart-configuration`);
  const { token_endpoint: endpoint } = (await discovery.json()) as { token_endpoint: string };
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: clientId, sub: clientId, aud: endpoint, exp: now + 240, jti: randomUUID() };
  const signed = `${encoded({ alg: 'RS384', kid: key.kid, typ: 'JWT' })}.${encoded(claims)}`;
  const privateKey = createPrivateKey({ key: key as JsonWebKey, format: 'jwk' });
  const response = await fetch(endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope: 'system/Patient.r system/Appointment.cruds system/Slot.rs system/Schedule.rs system/DocumentReference.c',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `${signed}.${sign('sha384', Buffer.from(signed), privateKey).toString('base64url')}`,
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
