import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser';
import * as api from '#api';
import { t } from '#texts';

/** Browsers have passkeys for addresses with a name, over TLS or on this machine. */
export const canUsePasskeys = (): boolean =>
  browserSupportsWebAuthn() && window.isSecureContext && !/^[\d.]+$|:/.test(window.location.hostname);

/** Signs in by a passkey that the person chooses. Returns the token. Rejects with a refusal, or with what the browser says in words. */
export async function signInByPasskey(): Promise<string> {
  const body = { response: await signedChallenge() };
  return (await api.postAuthSignInPasskey({ body, throwOnError: true })).data.token;
}

/** Proves by a passkey who has the session. Rejects as above. */
export async function stepUpByPasskey(): Promise<void> {
  await api.postAuthStepUp({ body: { passkey: await signedChallenge() }, throwOnError: true });
}

async function signedChallenge() {
  const { data } = await api.postAuthSignInPasskeyOptions({ throwOnError: true });
  const optionsJSON = data.options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const { id, rawId, response } = await startAuthentication({ optionsJSON }).catch(inWords);
  return { id, rawId, type: 'public-key' as const, response };
}

/** Makes a passkey on a device of the person and keeps it at the service. Rejects as above. */
export async function addPasskey({ name, password }: { name: string; password: string }): Promise<void> {
  const { data } = await api.postAuthPasskeysOptions({ body: { password }, throwOnError: true });
  const optionsJSON = data.options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const { id, rawId, response } = await startRegistration({ optionsJSON }).catch(inWords);
  const { clientDataJSON, attestationObject, transports } = response;
  const made = { clientDataJSON, attestationObject, transports };
  await api.postAuthPasskeys({
    body: { name, response: { id, rawId, type: 'public-key', response: made } },
    throwOnError: true,
  });
}

/** The browser's own sentences are for programmers. */
function inWords(error: unknown): never {
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') {
    throw { message: t`This device has a passkey for your account already.` };
  }
  if (error instanceof Error && error.name === 'NotAllowedError') {
    throw { message: t`No passkey was used: it was cancelled, or took too long.` };
  }
  throw { message: t`This browser could not use a passkey here.` };
}
