/** The longest that a clinic can allow a call to last. */
export const MAX_CALL_SECONDS = 3_600;

/** A call is over after this long since it was answered, else asked for, a minute of ringing included, whether or not its platform can be asked, and whatever it says. */
export const MAX_CALL_MS = (MAX_CALL_SECONDS + 60) * 1_000;
