/** Everything that the checker looks at: the ledgers, the records of the service, and what Temporal knows. */
export interface Evidence {
  requests: RequestEntry[];
  bodies: SinkEntry[];
  faults: FaultEntry[];
  runs: RunRow[];
  cases: CaseRow[];
  events: EventRow[];
  deliveries: DeliveryRow[];
  calls: CallRow[];
  appointments: AppointmentRow[];
  executions: Execution[];
  rings: Ring[];
  /** Processes that ended although nobody had asked them to. */
  ownEndings: OwnEnding[];
  /** Records that were final, and later were something else. */
  reversals: Reversal[];
  recoveries: Recovery[];
}

/** One request of a client, written when its answer or its failure is known. */
export interface RequestEntry {
  at: string;
  /** What the client wants done, however often it has to ask. */
  operation: string;
  kind: 'form' | 'complete' | 'start' | 'booking' | 'read';
  clinicId: string;
  sessionId: string | null;
  /** `refused` is a definite no; `unknown` is no answer, or one that asks to come back. */
  result: 'ok' | 'refused' | 'unknown';
  status: number | null;
  error: string | null;
  hasRetryAfter: boolean;
  ms: number;
  workflowId: string | null;
  recoveryCaseId: string | null;
  appointmentId: string | null;
  /** How a case may end, as far as the client's part of the story decides it. */
  expected: string[] | null;
  slot: { providerName: string; startsAt: string } | null;
}

/** A body that the sink received; it is on disk before the sink answers. */
export interface SinkEntry {
  at: string;
  /** Whose URL it came to. */
  clinicId: string;
  eventId: string;
  text: string;
  isGenuine: boolean;
  /** What the sink answered; null where it never did. */
  status: number | null;
}

export interface FaultEntry {
  at: string;
  fault: string;
  target: string;
  pid: number | null;
  /** Looked up just before the fault. */
  wasAlive: boolean;
}

export interface OwnEnding {
  at: string;
  process: string;
  how: string;
  lastLine: string;
}

export interface Reversal {
  record: string;
  id: string;
  from: string;
  to: string;
}

export interface Recovery {
  what: string;
  seconds: number;
  withinSeconds: number;
}

/** A phone that rang, by the voice platform's account. */
export interface Ring {
  /** Our id of the call. */
  callId: string;
  /** What the platform knows of it, without our records; null where it knows no more. */
  phone: string | null;
  attempt: number | null;
}

export interface RunRow {
  id: string;
  clinicId: string;
  sessionId: string;
  workflowType: string;
  status: string;
  outcome: string | null;
  isDispatched: boolean;
}

export interface CaseRow {
  id: string;
  clinicId: string;
  sessionId: string;
  workflowId: string;
  status: string;
  isEnded: boolean;
}

export interface EventRow {
  id: string;
  clinicId: string;
  event: string;
  subject: string;
  recoveryStatus: string | null;
}

export interface DeliveryRow {
  id: string;
  clinicId: string;
  eventId: string;
  state: string;
}

export interface CallRow {
  id: string;
  clinicId: string;
  workflowId: string;
  attempt: number;
  state: string;
  endedReason: string | null;
}

export interface AppointmentRow {
  id: string;
  clinicId: string;
  providerName: string;
  startsAt: string;
  endsAt: string;
  status: string;
}

/** A workflow execution by Temporal's own list. */
export interface Execution {
  workflowId: string;
  type: string;
  status: string;
}
