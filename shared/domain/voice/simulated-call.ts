/** What a simulated call needs to play; all of it stands in the request to the platform. */
export interface SimulatedCall {
  /** Our own id of the call. */
  callId: string;
  clinicId: string;
  /** The simulator's id of it. */
  platformCallId: string;
  /** E.164; it chooses the scene. */
  phone: string;
  attempt: number;
  workflowType: string;
  /** Where the caller reaches this service, without `/api`. */
  serverUrl: string;
}

/** The simulator's calls are workflows of their own: starting one, and asking what became of it. */
export interface SimulatedCalls {
  /** Starts the call, once per id. */
  start: (call: SimulatedCall) => Promise<void>;
  /** Null when there never was such a call. */
  describe: (callId: string) => Promise<'running' | 'over' | null>;
}
