/** What a FHIR client can ask of the sandbox EMR, by the route that answers it. */
const fhirOperations = {
  schedule: 'GET /Schedule',
  slots: 'GET /Slot',
  appointments: 'GET /Appointment',
  match: 'POST /Patient/$match',
  book: 'POST /Appointment/$book',
  reschedule: 'POST /Appointment/:id/$reschedule',
  cancel: 'POST /Appointment/:id/$cancel',
  document: 'POST /DocumentReference',
} as const;

/** What a failure can be chosen for. */
export const sandboxOperations = { ...fhirOperations, event: 'events to the endpoints of the clinic' } as const;

export type SandboxOperation = keyof typeof sandboxOperations;
export const sandboxOperationNames = Object.keys(sandboxOperations) as SandboxOperation[];

export const failureUnits = ['seconds', 'entries'] as const;
type FailureUnit = (typeof failureUnits)[number];

export interface FailureParameter {
  unit: FailureUnit;
  min: number;
  max: number;
  /** What is meant where nothing is given. */
  usual: number;
}

export interface FailureKind {
  title: string;
  /** What the sandbox does, as one sentence. */
  happens: string;
  /** What a good client does, as one sentence. */
  goodClient: string;
  operations: readonly SandboxOperation[];
  parameters: Readonly<Record<string, FailureParameter>>;
}

const all = Object.keys(fhirOperations) as (keyof typeof fhirOperations)[];
const lists = ['slots', 'appointments', 'match'] as const;
const retryAfter: FailureParameter = { unit: 'seconds', min: 1, max: 120, usual: 2 };

/** Every failure that can be chosen. `docs/sandbox.md` and the API's own list are made of this. */
export const sandboxFailures = {
  slow_answer: {
    title: 'A slow answer',
    happens: 'What was asked is done at once, and answered only after the delay.',
    goodClient:
      'Waits no longer than its own limit, and then finds out what has become of a write by sending it again under the same Idempotency-Key.',
    operations: all,
    parameters: { delaySeconds: { unit: 'seconds', min: 1, max: 20, usual: 10 } },
  },
  too_many_requests: {
    title: 'Too many requests',
    happens: '429 with `Retry-After`; nothing is done.',
    goodClient: 'Sends nothing for as long as `Retry-After` says, then goes on where it was.',
    operations: all,
    parameters: { retryAfterSeconds: retryAfter },
  },
  server_error: {
    title: 'An error of the server',
    happens: '500; nothing is done.',
    goodClient:
      'Tries again a few times, further apart each time, writes under the same Idempotency-Key; then tells a person.',
    operations: all,
    parameters: {},
  },
  unavailable: {
    title: 'Out of service',
    happens: '503 with `Retry-After`; nothing is done.',
    goodClient: 'Waits for as long as `Retry-After` says and tries again.',
    operations: all,
    parameters: { retryAfterSeconds: retryAfter },
  },
  gateway_timeout: {
    title: 'A gateway that gave up waiting',
    happens: 'What was asked is done, and the answer is 504.',
    goodClient:
      'Takes nothing for done or undone: sends a write again under the same Idempotency-Key, and takes what it gets for the answer.',
    operations: all,
    parameters: {},
  },
  gateway_page: {
    title: "A gateway's own page",
    happens: '502 with a page of HTML; nothing is done.',
    goodClient: 'Goes by status and Content-Type before it reads a body as JSON, and tries again.',
    operations: all,
    parameters: {},
  },
  reply_lost_after_write: {
    title: 'A reply that is lost after the work',
    happens: 'What was asked is done, and the connection ends without an answer.',
    goodClient:
      'Sends a write again under the same Idempotency-Key and gets the first answer; without one it looks before it books a second time.',
    operations: all,
    parameters: {},
  },
  reply_lost_before_write: {
    title: 'A connection that ends before the work',
    happens: 'Nothing is done, and the connection ends without an answer.',
    goodClient: 'Does the same as after a lost reply: it cannot know which of the two it was.',
    operations: all,
    parameters: {},
  },
  reply_cut_off: {
    title: 'A connection that ends in the middle of the answer',
    happens: 'What was asked is done; half of the body comes, then the connection ends.',
    goodClient: 'Throws away what came, and goes on as after a lost reply.',
    operations: all,
    parameters: {},
  },
  invalid_json: {
    title: 'A body that is no JSON',
    happens: 'What was asked is done; the body ends in its middle although the answer is complete.',
    goodClient: 'Treats it as a failed answer, not as an empty one, and goes on as after a lost reply.',
    operations: all,
    parameters: {},
  },
  wrong_content_type: {
    title: 'A wrong content type',
    happens: 'The right body as `text/plain`.',
    goodClient: 'Reads it if it is a resource, or says clearly what was wrong; it never takes it for nothing found.',
    operations: all,
    parameters: {},
  },
  unexpected_elements: {
    title: 'Elements that nobody announced',
    happens: 'Resources carry `meta`, a `text` and an extension that our own never do; all of it is valid R4.',
    goodClient: 'Ignores what it does not know.',
    operations: all,
    parameters: {},
  },
  token_expired: {
    title: 'An expired token',
    happens: '401 with `WWW-Authenticate: Bearer error="invalid_token"`; nothing is done. The token itself stays good.',
    goodClient:
      'Gets a token anew, once, and sends the same request again; it does not ask a person to sign in for each 401.',
    operations: all,
    parameters: {},
  },
  forbidden: {
    title: 'A scope that is missing',
    happens: '403; nothing is done.',
    goodClient: 'Does not try again: it tells a person which permission is missing.',
    operations: all,
    parameters: {},
  },
  slot_goes: {
    title: 'A slot that goes while the patient thinks',
    happens: 'Somebody else books the time a moment before; 409 `slot_taken`, and the time is really gone.',
    goodClient: 'Searches again and offers another time; it does not send the same time again.',
    operations: ['book', 'reschedule'],
    parameters: {},
  },
  cancelled_meanwhile: {
    title: 'An appointment that the front desk cancels meanwhile',
    happens: 'The appointment is cancelled a moment before; 409 `appointment_cancelled`.',
    goodClient: 'Tells the patient, and offers to book anew instead of moving.',
    operations: ['reschedule'],
    parameters: {},
  },
  precondition_failed: {
    title: 'A version that is no longer current',
    happens: '412, as of a server that has a newer version; nothing is done.',
    goodClient: 'Reads the appointment again, decides anew, and only then sends its change.',
    operations: ['reschedule', 'cancel'],
    parameters: {},
  },
  not_found_yet: {
    title: 'A record that is not found yet',
    happens: '404 for a record that exists, as of a replica that lags behind; nothing is done.',
    goodClient: 'Tries again after a moment where it has just been given the id, before it says that there is none.',
    operations: ['reschedule', 'cancel', 'document'],
    parameters: {},
  },
  stale_read: {
    title: 'A read that lags behind',
    happens: 'Shows what was booked before the lag: newer bookings are missing, newer cancellations are not known.',
    goodClient: 'Goes by the answer to its own write, not by a search right after it, and books no second time.',
    operations: ['appointments'],
    parameters: { lagSeconds: { unit: 'seconds', min: 1, max: 3_600, usual: 60 } },
  },
  duplicate_patient: {
    title: 'A duplicate in $match',
    happens: 'Two records of the same name and birth date; both stay on file.',
    goodClient: 'Chooses neither by itself: it has a person decide, or treats it as not found.',
    operations: ['match'],
    parameters: {},
  },
  empty_bundle: {
    title: 'An empty Bundle',
    happens: 'A searchset with `total` 0 and no entries.',
    goodClient: 'Says that nothing was found, without an error; after $match it books for nobody.',
    operations: lists,
    parameters: {},
  },
  outcome_entry: {
    title: 'A warning among the entries',
    happens: 'One more entry: an OperationOutcome with `search.mode` `outcome`, as R4 allows.',
    goodClient: 'Goes by `search.mode` and `resourceType`, and does not take the warning for a slot or a patient.',
    operations: lists,
    parameters: {},
  },
  large_bundle: {
    title: 'A very large Bundle',
    happens: 'As many free slots as are chosen on one page, whatever `_count` asks for.',
    goodClient:
      'Reads it all the same, or stops at a limit of its own and says so; it does not hold a call up meanwhile.',
    operations: ['slots'],
    parameters: { entries: { unit: 'entries', min: 500, max: 10_000, usual: 2_000 } },
  },
  page_changes: {
    title: 'A page that changes while it is read',
    happens:
      'After this page somebody books the first time of the next one, and the next one begins with the last entry of this one. A search of one page uses it up unseen.',
    goodClient: 'Goes by ids: shows no time twice, does not rely on `total`, and follows `next` to the end.',
    operations: ['slots'],
    parameters: {},
  },
  clock_change: {
    title: 'A day on which the clock changes',
    happens: "The search is answered as if `start` were three days before the next change of the clinic's clock.",
    goodClient:
      "Shows each time in the clinic's zone at that instant: the same hour before and after the change is another one in UTC.",
    operations: ['slots'],
    parameters: {},
  },
  event_given_up: {
    title: 'An event that nobody takes',
    happens:
      'The event is not sent, and is at once the dead letter that it would be after three days of attempts; later events go on.',
    goodClient: 'Asks for it again (`POST /deliveries/resend`, or _Send again_), and acts upon it once.',
    operations: ['event'],
    parameters: {},
  },
} as const satisfies Record<string, FailureKind>;

export type SandboxFailureCode = keyof typeof sandboxFailures;
export const sandboxFailureCodes = Object.keys(sandboxFailures) as SandboxFailureCode[];

/** A failure that waits to be played, as every request of the sandbox's FHIR routes finds it. */
export interface ChosenFailure {
  id: string;
  failure: SandboxFailureCode;
  /** Null: every operation that the failure is for. */
  operation: SandboxOperation | null;
  /** Of the one patient whom it is about; null: of any. */
  identifier: string | null;
  parameters: Readonly<Record<string, number>>;
  /** ISO 8601 instant, of real time. */
  endsAt: string;
}

/** Whether a failure may be played for an operation at a moment of real time; whom it is about is for the records to say. */
export function isForOperation(
  { failure, operation, endsAt }: Pick<ChosenFailure, 'failure' | 'operation' | 'endsAt'>,
  asked: SandboxOperation,
  realNow: string,
): boolean {
  const { operations }: FailureKind = sandboxFailures[failure];
  return endsAt > realNow && operations.includes(asked) && (operation === null || operation === asked);
}

/** The parameters with what is meant where nothing was given; as a sentence, what is wrong with them. */
export function failureParameters(
  failure: SandboxFailureCode,
  given: Readonly<Record<string, number>>,
): { values: Record<string, number> } | { problem: string } {
  const { parameters }: FailureKind = sandboxFailures[failure];
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(parameters, name));
  if (unknown !== undefined) {
    const names = Object.keys(parameters).join(', ');
    return { problem: `${failure} has no parameter ${unknown.slice(0, 40)}${names === '' ? '' : `; it has ${names}`}` };
  }
  for (const [name, { min, max, unit }] of Object.entries(parameters)) {
    const value = given[name];
    if (value !== undefined && !(Number.isInteger(value) && value >= min && value <= max)) {
      return { problem: `${name} must be a whole number of ${unit} from ${min} to ${max}` };
    }
  }
  const values = Object.entries(parameters).map(([name, { usual }]): [string, number] => [name, given[name] ?? usual]);
  return { values: Object.fromEntries(values) };
}
