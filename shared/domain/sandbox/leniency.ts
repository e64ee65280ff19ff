/**
 * What the sandbox EMR makes easier than a real EHR does, one lenient rule at a time: with all of them on, the contract's behaviour holds
 * to the letter. A closed list, each with what happens once it is off and what a client has to do then.
 */
export const lenientRules = {
  createsUnknownPatients: {
    title: 'An unknown identifier makes a patient',
    off: '`$match` of an identifier that nobody has finds nothing: a searchset with `total` 0. Nothing is created.',
    client:
      'Says that the patient was not found and books for nobody; it registers the person elsewhere, or asks staff.',
  },
  matchesIdentifiersOnly: {
    title: 'Patients are matched by identifier alone',
    off: '`$match` takes `resource` (a Patient: name, birthDate, telecom, address, identifier), `count` and `onlyCertainMatches`, and grades who may be meant: `search.score` and the extension match-grade.',
    client:
      'Books only for a `certain` match; has a person decide about `probable` and `possible`, and never takes the first entry for the right one. Twins are never `certain`.',
  },
  reschedules: {
    title: 'An appointment is moved by one call',
    off: '`$reschedule`, and a PUT with another time, are 422 `operation_not_supported`.',
    client: 'Books the new time first and then cancels the old appointment, so that the patient is never without one.',
  },
  saysConflictsInOneWord: {
    title: 'A conflict is one word',
    off: 'A 409 is as a vendor writes it: issue code `business-rule`, a coded reason in `details`, a sentence with a reference in `diagnostics`.',
    client: 'Goes by the status and by `details.coding`, and never compares `diagnostics`.',
  },
  takesAnyVisitType: {
    title: 'Every provider takes every visit type',
    off: 'A booking for a visit type that the provider does not have is 422 `visit_type_not_offered`; the sentence names those that there are.',
    client: 'Sends a visit type of the provider, in `serviceType[0].text`; it keeps a table of them for each provider.',
  },
  showsNextAppointmentOnly: {
    title: 'A search shows the next appointment alone',
    off: 'Appointments are read by id, with `_history`; searched by patient, practitioner, date, status, identifier and `_id` with paging; created by POST with `If-None-Exist`, and changed by PUT. They carry `meta`, `ETag` and, once cancelled, `cancelationReason`. `Prefer: handling=strict` refuses unknown search parameters.',
    client:
      'Reads `status` of each entry, since past and cancelled ones are among them; follows `next` to the end and does not rely on `total`.',
  },
  takesChangesUnseen: {
    title: 'A change needs no version',
    off: '`$reschedule`, `$cancel` and PUT want `If-Match` with the version that was read: without it 428 `version_required`, with an older one 412 `version_changed`.',
    client:
      'Sends the `ETag` of what it last read; after 412 it reads again, decides anew, and only then sends its change.',
  },
  cancelsWithoutReason: {
    title: 'A cancellation needs no reason',
    off: '`$cancel` wants Parameters with `cancelationReason`, a CodeableConcept of appointment-cancellation-reason; without one it is 422 `cancel_reason_required`.',
    client: 'Sends a code: `pat` where the patient wishes it, `prov` where the practice does, or one below them.',
  },
  takesSessionTokens: {
    title: 'The token of a session opens the FHIR routes',
    off: 'Tokens come from SMART Backend Services alone: a client registered by `POST /sandbox/clients` with its key set sends a signed assertion (RS384 or ES384, five minutes at most, each `jti` once) to the token endpoint of `/.well-known/smart-configuration`. A refusal is `invalid_client`, with the reason in `x-sandbox-token-reason`; the token of a session is 401.',
    client:
      'Finds the token endpoint by discovery, signs each assertion anew, keeps a token until shortly before `expires_in` has passed, and gets another after a 401, once.',
  },
  deviatesFromR4: {
    title: "The contract's deviations from R4, and its own shape of errors",
    off: 'An empty Bundle has no `entry`, a search of Schedule is a Bundle, a DocumentReference is created with 201 and `Location` and its extensions have absolute urls (`…/StructureDefinition/escalateToClinicalTeam`, a bare one is 422 `extension_unknown`), and every error is an OperationOutcome.',
    client: 'Takes a Bundle without `entry` for an empty one, any 2xx for success, and reads errors from `issue`.',
  },
} as const satisfies Record<string, { title: string; off: string; client: string }>;

export type LenientRule = keyof typeof lenientRules;
export const lenientRuleNames = Object.keys(lenientRules) as [LenientRule, ...LenientRule[]];

/** How far ahead a time may be booked besides what each provider says. */
export interface NoticePeriod {
  /** A time must lie at least so far ahead; 0 is none. */
  minimumNoticeMinutes: number;
  /** A time may lie at most so many days ahead; null is any. */
  maximumNoticeDays: number | null;
}

/** How kind a clinic's sandbox is. */
export type Leniency = Readonly<Record<LenientRule, boolean> & NoticePeriod>;

/** What is stored: only what was set to something else than it begins with. */
export type StoredLeniency = Partial<Leniency>;

/** The contract's behaviour. */
export const fullLeniency: Leniency = Object.freeze({
  ...(Object.fromEntries(lenientRuleNames.map((name) => [name, true])) as Record<LenientRule, true>),
  minimumNoticeMinutes: 0,
  maximumNoticeDays: null,
});

/** What a clinic's sandbox does by what is stored; `fullLeniency` itself where nothing was changed. */
export function leniencyOf(stored: StoredLeniency): Leniency {
  const changed = changesIn(stored);
  return Object.keys(changed).length === 0 ? fullLeniency : Object.freeze({ ...fullLeniency, ...changed });
}

/** Of some settings, those that are not what the sandbox begins with. */
export function changesIn(settings: StoredLeniency): StoredLeniency {
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) => Object.hasOwn(fullLeniency, name) && value !== fullLeniency[name as keyof Leniency],
    ),
  );
}
