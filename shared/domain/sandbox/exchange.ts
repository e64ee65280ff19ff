import type { RefusalReason } from '../calendar/refusals';
import type { SandboxFailureCode } from './sandbox-failures';

/** What a validation run watches: requests of a clinic's client, the events sent to it, and what it says of them. */
export const operations = {
  schedule: 'GET /Schedule',
  slots: 'GET /Slot',
  upcoming: 'GET /Appointment',
  book: 'POST /Appointment/$book',
  reschedule: 'POST /Appointment/:id/$reschedule',
  cancel: 'POST /Appointment/:id/$cancel',
  match: 'POST /Patient/$match',
  note: 'POST /DocumentReference',
  create: 'POST /Appointment',
  change: 'PUT /Appointment/:id',
  read: 'GET /Appointment/:id',
  history: 'GET /Appointment/:id/_history',
  start_workflow: 'POST /workflows/start',
  read_workflow: 'GET /workflows/:workflowId',
  cancel_workflow: 'POST /workflows/:workflowId/cancel',
  /** One that the service sent to the client. */
  event: 'event to the outbound URL',
  /** The client says that it acted upon an event. */
  handled: 'POST /validation-runs/:runId/handled-events',
} as const;

export type Operation = keyof typeof operations;
export const operationNames = Object.keys(operations) as [Operation, ...Operation[]];

/** What is sent to a client on purpose, to see what it makes of it. */
export const eventProbes = ['genuine', 'duplicate', 'forged', 'stale', 'rotated', 'unknown_event', 'outcome'] as const;
export type EventProbe = (typeof eventProbes)[number];

/** Of a request and its response, what behaviours are judged by: ids, times and digests, nothing that says who a patient is. */
export interface ExchangeFacts {
  patient?: string;
  /** Further patients whom $match found. */
  others?: string[];
  /** Whom $match graded as certain; null where it graded, and was certain of nobody. */
  certain?: string | null;
  provider?: string;
  appointment?: string;
  /** Those that a search or a read showed. */
  appointments?: string[];
  /** A change that cancels. */
  cancels?: boolean;
  /** The change says which version it is of. */
  hasVersion?: boolean;
  /** The failure that was chosen for it. */
  failure?: SandboxFailureCode;
  workflow?: string;
  /** The instant asked for, in UTC; null where what was sent is none. */
  start?: string | null;
  /** What a search covers, in UTC. */
  from?: string;
  until?: string;
  /** Starts of the open times on this page, in minutes since 1970. */
  offered?: number[];
  total?: number;
  /** Digest of a search that asks for a further page; of the one that the link to the next page asks for. */
  page?: string;
  next?: string;
  /** The service made the patient because nobody had the identifier. */
  isMade?: boolean;
  hasVisitType?: boolean;
  escalates?: boolean;
  wantsRecords?: boolean;
  hasUnknownExtension?: boolean;
  isUtf8?: boolean;
  takesFhir?: boolean;
  state?: string;
  waitSeconds?: number;
  probe?: EventProbe;
  webhookId?: string;
}

/** One request and its response. */
export interface Exchange {
  /** Its place in the run, from 1. */
  number: number;
  /** When the request came, ISO 8601 in UTC. */
  at: string;
  durationMs: number;
  operation: Operation;
  /** Null where the response did not reach its receiver. */
  status: number | null;
  /** Digest of the credential. */
  credential: string | null;
  /** Digest of the Idempotency-Key, or of a create's If-None-Exist. */
  key: string | null;
  /** Digest of method, path, query and body: the same for the same request. */
  request: string;
  retryAfterSeconds: number | null;
  /** Why the sandbox EMR refused it. */
  refusal: RefusalReason | null;
  facts: ExchangeFacts;
}
