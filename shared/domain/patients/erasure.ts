/** Why a patient is erased. A fixed list: the reason stays, and free text could name somebody. */
export const erasureReasons = ['patient_request', 'retention_over', 'entered_by_mistake', 'court_order'] as const;
export type ErasureReason = (typeof erasureReasons)[number];

/** REQUESTED: what is open is ended; ERASED: the records are gone, Temporal's histories go; DONE: nothing is left. */
export const erasureStates = ['REQUESTED', 'ERASED', 'DONE'] as const;
export type ErasureState = (typeof erasureStates)[number];

/** How long an erasure waits for what the clinic's own systems are still to be told. */
export const OWED_WAIT_MS = 10 * 60_000;
