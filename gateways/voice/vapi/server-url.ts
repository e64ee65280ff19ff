/** Where Vapi's messages arrive, below `/api`. */
export const MESSAGES_PATH = '/voice/events';

/** Where they belong, as Vapi is told. */
export const serverUrlOf = (publicUrl: string): string => `${publicUrl}/api${MESSAGES_PATH}`;
