import type * as api from '#api';
import { t } from '#texts';

type Rule = api.SandboxLenientRule['rule'];

/** What each lenient rule of the sandbox is, in the words of the service, so that they have a Spanish. */
export const lenientRules: Record<Rule, Pick<api.SandboxLenientRule, 'title' | 'off' | 'client'>> = {
  createsUnknownPatients: {
    title: t`An unknown identifier makes a patient`,
    off: t`$match of an identifier that nobody has finds nothing: a searchset with total 0. Nothing is created.`,
    client: t`Says that the patient was not found and books for nobody; it registers the person elsewhere, or asks staff.`,
  },
  matchesIdentifiersOnly: {
    title: t`Patients are matched by identifier alone`,
    off: t`$match takes resource (a Patient: name, birthDate, telecom, address, identifier), count and onlyCertainMatches, and grades who may be meant: search.score and the extension match-grade.`,
    client: t`Books only for a certain match; has a person decide about probable and possible, and never takes the first entry for the right one. Twins are never certain.`,
  },
  reschedules: {
    title: t`An appointment is moved by one call`,
    off: t`$reschedule, and a PUT with another time, are 422 operation_not_supported.`,
    client: t`Books the new time first and then cancels the old appointment, so that the patient is never without one.`,
  },
  saysConflictsInOneWord: {
    title: t`A conflict is one word`,
    off: t`A 409 is as a vendor writes it: issue code business-rule, a coded reason in details, a sentence with a reference in diagnostics.`,
    client: t`Goes by the status and by details.coding, and never compares diagnostics.`,
  },
  takesAnyVisitType: {
    title: t`Every provider takes every visit type`,
    off: t`A booking for a visit type that the provider does not have is 422 visit_type_not_offered; the sentence names those that there are.`,
    client: t`Sends a visit type of the provider, in serviceType[0].text; it keeps a table of them for each provider.`,
  },
  showsNextAppointmentOnly: {
    title: t`A search shows the next appointment alone`,
    off: t`Appointments are read by id, with _history; searched by patient, practitioner, date, status, identifier and _id with paging; created by POST with If-None-Exist, and changed by PUT. They carry meta, ETag and, once cancelled, cancelationReason. Prefer: handling=strict refuses unknown search parameters.`,
    client: t`Reads status of each entry, since past and cancelled ones are among them; follows next to the end and does not rely on total.`,
  },
  takesChangesUnseen: {
    title: t`A change needs no version`,
    off: t`$reschedule, $cancel and PUT want If-Match with the version that was read: without it 428 version_required, with an older one 412 version_changed.`,
    client: t`Sends the ETag of what it last read; after 412 it reads again, decides anew, and only then sends its change.`,
  },
  cancelsWithoutReason: {
    title: t`A cancellation needs no reason`,
    off: t`$cancel wants Parameters with cancelationReason, a CodeableConcept of appointment-cancellation-reason; without one it is 422 cancel_reason_required.`,
    client: t`Sends a code: pat where the patient wishes it, prov where the practice does, or one below them.`,
  },
  takesSessionTokens: {
    title: t`The token of a session opens the FHIR routes`,
    off: t`Tokens come from SMART Backend Services alone: a client registered by POST /sandbox/clients with its key set sends a signed assertion (RS384 or ES384, five minutes at most, each jti once) to the token endpoint of /.well-known/smart-configuration. A refusal is invalid_client, with the reason in x-sandbox-token-reason; the token of a session is 401.`,
    client: t`Finds the token endpoint by discovery, signs each assertion anew, keeps a token until shortly before expires_in has passed, and gets another after a 401, once.`,
  },
  deviatesFromR4: {
    title: t`The contract's deviations from R4, and its own shape of errors`,
    off: t`An empty Bundle has no entry, a search of Schedule is a Bundle, a DocumentReference is created with 201 and Location and its extensions have absolute urls (…/StructureDefinition/escalateToClinicalTeam, a bare one is 422 extension_unknown), and every error is an OperationOutcome.`,
    client: t`Takes a Bundle without entry for an empty one, any 2xx for success, and reads errors from issue.`,
  },
};
