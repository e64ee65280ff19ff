/** Carries the secret that shows a request to come from the voice platform. */
export const VOICE_SECRET = 'x-voice-secret';

/** The platform's id of the call, where the body does not name it. */
export const CALL_ID = 'x-call-id';
