/** What the operations of the OpenAPI document are grouped by, in the order of the document, and what a client's engineer finds there. */
export const tags = {
  FHIR: 'The sandbox EMR: FHIR R4 resources and operations as a real EHR has them, with the token of a dashboard session, of a named sandbox, or of SMART Backend Services. Bodies are `application/fhir+json`; `application/json` is read too. Why a request is refused stands in the header `x-refusal-reason`. A 409 is an OperationOutcome, and so is what the sandbox does not offer (404 `not_offered`) or asks for beyond the contract, as its settings have it (400 `unknown_parameter`, 403 `insufficient_scope`, 412, 428, each 422 but `key_reused`). Every other error is `Error`, as `application/json`, until the lenient rule `deviatesFromR4` is off: then all but those about who is calling (401, 403) are OperationOutcomes.',
  'Sandbox configuration':
    'What makes the sandbox EMR a proving ground: switching it on, its clock, fixtures and snapshots, lenient rules, chosen failures, its own OAuth clients, and named sandboxes for tests that run side by side.',
  'Validation runs':
    'A run watches what your client asks of the sandbox EMR and says which behaviours of a safe client it has seen, which failed, and which it has not seen yet.',
  'Inbound webhooks':
    'Events that your platform sends; each URL has a secret of its own in `x-automation-secret`. An event is stored before it is answered and starts at most one workflow, however often it is sent.',
  Workflows: 'Start a patient workflow, poll or await its outcome, and end it early, with an API key of the clinic.',
  'Outbound events': 'What the service posts to the URLs that a clinic registered, signed as Standard Webhooks has it.',
  Deliveries: 'Each outbound event on its way to a URL, with its attempts; those that failed can be sent again.',
  'Live-call tools':
    'What a voice agent calls in the middle of a phone call. A request holds one or more tool calls, the reply one result for each, as a JSON string; failures stand in the result, not in the status. Clinic and patient come from the record of the call, never from the body.',
  'Voice platform':
    'What the voice platform reports of its calls, the definitions of its tools, and internal test calls.',
  'Recovery cases': 'One case for each form or checkout that was abandoned, with all that happened in it.',
  Runs: 'Workflows of every type as the dashboard lists them, with what comes next and why; many can be cancelled at once.',
  Calls: 'Phone calls with their tool calls and summaries, and the decisions to call or not to call.',
  Tasks: 'What a person of the clinic must do, with its reason.',
  Patients: 'Records of patients, opt-outs, export, erasure and legal holds.',
  Appointments: 'Open times and bookings of the clinic’s calendar in plain JSON.',
  Waitlist: 'Who waits for a time that becomes free.',
  Providers: 'Who can be booked, and their calendars.',
  Overview: 'What happened today, what is set up, what an id names, and a stream of changes.',
  Results: 'How recovery went, by days.',
  'Bulk jobs': 'Long work on many records that a request asked for: how far it is, and a way to stop it.',
  Audit: 'Who read and changed what.',
  Accounts: 'Signing in and out, second factors, and one’s own account.',
  'Accounts of the clinic': 'Whom a clinic lets in, with which role; for administrators.',
  'Saved views': 'Filters of a list under a name.',
  'Integrations: API keys': 'Keys by which the clinic’s systems call this API.',
  'Integrations: inbound events': 'The URLs that platforms send events to, and their secrets.',
  'Integrations: outbound events':
    'The URLs that events are sent to, which events, and the secrets they are signed with.',
  'Integrations: approved API':
    'The clinic’s own API, which workflows and live calls may use, and the keys we sign in with there.',
  'Integrations: CRM': 'The CRM that patients are synced to.',
  'Integrations: voice': 'By which voice platform and how calls are placed.',
  'Integrations: calling': 'When and how often people are called, from which numbers, who is never called, and pauses.',
  'Integrations: providers': 'Who takes bookings, when, and the days on which nobody does.',
  'Integrations: retention': 'For how long contents are kept.',
  'Try it': 'Scenes in which the simulator plays the patient.',
  Operations: 'How the service goes for all clinics, with the session of an operator.',
  Dashboard: 'What the dashboard reports of itself.',
  Documentation: 'This document, as JSON and as a page.',
} as const;

export type Tag = keyof typeof tags;
