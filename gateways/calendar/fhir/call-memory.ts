import type { Resource } from '@clinic/shared/contracts/calendar/fhir-reading';

export interface PatientThere {
  id: string;
  /** YYYY-MM-DD; null where none, or a part of one, is on file there. */
  birthDate: string | null;
  /** False for a record that the clinic has set aside, or merged into another one. */
  isInUse: boolean;
}

export interface AppointmentAtServer {
  resource: Resource;
  version: string | null;
}

/** What a server has said during one call and need not be asked again: each request is a second of silence at a slow one. */
export interface CallMemory {
  /** By what is known of the patient here. */
  patients: Map<string, PatientThere>;
  /** Schedules as `Schedule/12`, by whose they are. */
  schedules: Map<string, string[]>;
  /** Under whom the visits of a practitioner may be filed. */
  filedUnder: Map<string, string[]>;
  /** The appointment that was looked up last, for the change that follows at once. */
  lookedUp: { id: string; appointment: AppointmentAtServer; at: number } | null;
}

export const emptyMemory = (): CallMemory => ({
  patients: new Map(),
  schedules: new Map(),
  filedUnder: new Map(),
  lookedUp: null,
});

const MAX_CALLS = 1_000;
const MAX_CALL_MS = 30 * 60_000;
/** Whatever was read so long ago is read again before it is changed. */
const FRESH_MS = 10_000;

/** The memories of the calls of this process: only an optimisation, as another process asks again. */
export function createCallMemories(): (callId: string) => CallMemory {
  const calls = new Map<string, { memory: CallMemory; since: number }>();
  return (callId) => {
    const known = calls.get(callId);
    if (known && Date.now() - known.since < MAX_CALL_MS) return known.memory;
    const memory = emptyMemory();
    calls.delete(callId);
    calls.set(callId, { memory, since: Date.now() });
    const [oldest] = calls.keys();
    if (calls.size > MAX_CALLS && oldest !== undefined) calls.delete(oldest);
    return memory;
  };
}

/** The appointment as it was looked up a moment ago; null where it must be read. Taken once. */
export function takeLookedUp(memory: CallMemory, id: string): AppointmentAtServer | null {
  const { lookedUp } = memory;
  memory.lookedUp = null;
  return lookedUp?.id === id && Date.now() - lookedUp.at < FRESH_MS ? lookedUp.appointment : null;
}
