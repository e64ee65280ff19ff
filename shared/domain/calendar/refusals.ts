/** Issue types of FHIR R4. */
export type IssueCode =
  | 'business-rule'
  | 'conflict'
  | 'duplicate'
  | 'exception'
  | 'extension'
  | 'forbidden'
  | 'invalid'
  | 'login'
  | 'not-found'
  | 'not-supported'
  | 'required'
  | 'throttled'
  | 'too-long'
  | 'transient';

/**
 * Why the sandbox EMR refuses a request, as the header `x-refusal-reason` says it: a closed list, each with what it means and what
 * a client does about it. Bodies stay as the contract shows them.
 */
export const refusals = {
  unauthenticated: {
    status: 401,
    issue: 'login',
    means: 'The bearer token is missing, unknown, expired or signed out.',
    toDo: 'Sign in again, then send the same request once more with the new token.',
  },
  sandbox_off: {
    status: 403,
    issue: 'forbidden',
    means: 'The account has no clinic, or its sandbox EMR is switched off.',
    toDo: 'Have an administrator switch it on (PUT /abandonment-recovery/sandbox-emr/config).',
  },
  not_allowed: {
    status: 403,
    issue: 'forbidden',
    means: 'The account may not do this: its role, a second factor or a recent proof of who it is stands in the way.',
    toDo: 'Do what the message says, or ask an administrator; the same request again is refused again.',
  },
  insufficient_scope: {
    status: 403,
    issue: 'forbidden',
    means: 'The token of SMART Backend Services was not granted what this needs; `WWW-Authenticate` names the scope.',
    toDo: 'Ask for a token with that scope; tokens of sessions and of named sandboxes have none.',
  },
  admin_required: {
    status: 403,
    issue: 'forbidden',
    means: 'Where data is sent to is not for every account to say.',
    toDo: "Use an administrator's session, a client's token or that of a named sandbox.",
  },
  format_not_offered: {
    status: 406,
    issue: 'invalid',
    means: 'The response is wanted in another format than JSON.',
    toDo: 'Send Accept: application/fhir+json, or none.',
  },
  body_type: {
    status: 415,
    issue: 'invalid',
    means: 'The body is neither application/fhir+json nor application/json, or has a charset that is not read.',
    toDo: 'Send JSON in UTF-8 and say so in Content-Type.',
  },
  body_too_large: {
    status: 413,
    issue: 'too-long',
    means: 'The body is over 256 KB, or an attachment over 5 MB.',
    toDo: 'Shorten the note, or write it back in parts.',
  },
  invalid_request: {
    status: 400,
    issue: 'invalid',
    means: 'A field or parameter is missing, or not of its form; `details` names it.',
    toDo: 'Correct what `details` names. The same request again is refused again.',
  },
  in_the_past: {
    status: 400,
    issue: 'business-rule',
    means: 'The start lies in the past.',
    toDo: 'Search Slot anew and book a time of the reply.',
  },
  unknown_patient: {
    status: 404,
    issue: 'not-found',
    means: 'The clinic has no such patient; one of another clinic counts as none.',
    toDo: 'Find the patient by Patient/$match and use the id of its reply.',
  },
  unknown_practitioner: {
    status: 404,
    issue: 'not-found',
    means: 'The clinic has no such practitioner.',
    toDo: 'Correct the name; do not try the same one again.',
  },
  unknown_appointment: {
    status: 404,
    issue: 'not-found',
    means: 'The clinic has no such appointment; one of another clinic counts as none.',
    toDo: 'Use the id of the booking or of GET Appointment; do not try the same one again.',
  },
  unknown_subscription: {
    status: 404,
    issue: 'not-found',
    means: 'The sandbox has no such subscription; one of another clinic counts as none.',
    toDo: 'Use the id of the reply that made it, or search Subscription.',
  },
  not_offered: {
    status: 404,
    issue: 'not-supported',
    means:
      'A lenient rule of the sandbox that is on stands in its way, or the sandbox has no such interaction (docs/sandbox.md).',
    toDo: 'Use what GET metadata declares for the token that it is asked with.',
  },
  unknown_parameter: {
    status: 400,
    issue: 'invalid',
    means: 'A search holds a parameter that is not known, under Prefer: handling=strict.',
    toDo: 'Leave it out, or accept that it is ignored (handling=lenient).',
  },
  operation_not_supported: {
    status: 422,
    issue: 'not-supported',
    means: 'This EHR does not move appointments.',
    toDo: 'Book the new time, then cancel the old appointment.',
  },
  visit_type_not_offered: {
    status: 422,
    issue: 'business-rule',
    means: 'The practitioner does not take this visit type; the sentence names those that there are.',
    toDo: 'Book one of those.',
  },
  not_enough_to_match: {
    status: 422,
    issue: 'required',
    means: 'What is said of the patient is too little to look anybody up by.',
    toDo: 'Send a birth date, a phone, an identifier, or first and last name.',
  },
  cancel_reason_required: {
    status: 422,
    issue: 'required',
    means: 'A cancellation wants a coded reason, and this has none, or one that is not of the code system.',
    toDo: 'Send cancelationReason with a code of appointment-cancellation-reason.',
  },
  extension_unknown: {
    status: 422,
    issue: 'extension',
    means: 'An extension is named by a bare word; R4 names them by absolute urls.',
    toDo: 'Send the url that GET metadata names.',
  },
  status_not_possible: {
    status: 422,
    issue: 'business-rule',
    means: 'An appointment is not created in this status, or not changed to it.',
    toDo: 'Create it as booked or proposed; change its start, or its status to cancelled.',
  },
  subscription_not_offered: {
    status: 422,
    issue: 'not-supported',
    means:
      'A Subscription asks for a topic, channel, payload, filter or number of them that is not offered; the sentence says which.',
    toDo: 'Ask for what docs/sandbox.md and GET metadata name.',
  },
  version_required: {
    status: 428,
    issue: 'required',
    means: 'A change wants If-Match with the version that was read.',
    toDo: 'Read the appointment and send its ETag.',
  },
  version_changed: {
    status: 412,
    issue: 'conflict',
    means: 'The appointment has changed since the version of If-Match.',
    toDo: 'Read it again, decide anew, and only then send the change.',
  },
  identifier_in_use: {
    status: 409,
    issue: 'duplicate',
    means: 'Another appointment has this identifier.',
    toDo: 'Send If-None-Exist with a create that may be repeated, or another identifier.',
  },
  slot_taken: {
    status: 409,
    issue: 'conflict',
    means: 'Somebody else has this time by now.',
    toDo: 'Search Slot anew and offer the patient another time.',
  },
  slot_held: {
    status: 409,
    issue: 'conflict',
    means: 'Somebody else holds this time while they think it over, for fifteen minutes at most.',
    toDo: 'Offer the patient another time, or ask for this one again in some minutes.',
  },
  slot_unavailable: {
    status: 409,
    issue: 'conflict',
    means: 'The time is not on offer: outside the working hours, off the grid, too soon, or on a closed day.',
    toDo: 'Book a start exactly as Slot shows it.',
  },
  hold_expired: {
    status: 409,
    issue: 'conflict',
    means: 'The time was held, and is no longer: its instant has passed, or the hold was given up.',
    toDo: 'Hold or book the time anew, if it is still free.',
  },
  appointment_cancelled: {
    status: 409,
    issue: 'conflict',
    means: 'A cancelled appointment is not moved.',
    toDo: 'Book a new one.',
  },
  appointment_fulfilled: {
    status: 409,
    issue: 'conflict',
    means: 'The appointment has taken place: it is neither moved nor cancelled.',
    toDo: 'Book a new one.',
  },
  key_reused: {
    status: 422,
    issue: 'invalid',
    means: 'The Idempotency-Key was used before with another request, or so long ago that its reply is gone.',
    toDo: 'Make a new key for each new request; repeat a request under its own.',
  },
  too_many_requests: {
    status: 429,
    issue: 'throttled',
    means: 'More requests than the limit of this session.',
    toDo: 'Wait for as many seconds as Retry-After says, then go on.',
  },
} as const satisfies Record<string, { status: number; issue: IssueCode; means: string; toDo: string }>;

export type RefusalReason = keyof typeof refusals;

export const isRefusalReason = (reason: string | null): reason is RefusalReason =>
  reason !== null && Object.hasOwn(refusals, reason);

/** Those that the contract says in one word, as `diagnostics` of a 409. */
export const conflictReasons = [
  'slot_taken',
  'slot_held',
  'slot_unavailable',
  'hold_expired',
  'appointment_cancelled',
  'appointment_fulfilled',
] as const satisfies RefusalReason[];
export type ConflictReason = (typeof conflictReasons)[number];

export const isConflictReason = (reason: RefusalReason | undefined): reason is ConflictReason =>
  conflictReasons.some((each) => each === reason);

/** Name of the header. */
export const REFUSAL_HEADER = 'x-refusal-reason';

/** Beside it, where a time was refused: which rule did it, a word of `timeReasons`. */
export const RULE_HEADER = 'x-refusal-rule';

/** Beside it, where a time was refused: the nearest three of the practitioner that are on offer, within a week. */
export const NEAREST_HEADER = 'x-nearest-slots';
