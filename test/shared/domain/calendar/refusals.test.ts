import { refusals } from '@clinic/shared/domain/calendar/refusals';

/** What clients act on: the reason, its status, and the type of its issue in an OperationOutcome (FHIR R4, IssueType). */
test.each(Object.entries(refusals).map(([reason, { status, issue }]) => [reason, status, issue] as const))(
  '%s is %i, %s',
  (reason, status, issue) => {
    expect([status, issue]).toEqual(documented[reason]);
  },
);

const documented: Record<string, [status: number, issue: string]> = {
  unauthenticated: [401, 'login'],
  sandbox_off: [403, 'forbidden'],
  not_allowed: [403, 'forbidden'],
  insufficient_scope: [403, 'forbidden'],
  admin_required: [403, 'forbidden'],
  format_not_offered: [406, 'invalid'],
  body_type: [415, 'invalid'],
  body_too_large: [413, 'too-long'],
  invalid_request: [400, 'invalid'],
  in_the_past: [400, 'business-rule'],
  unknown_patient: [404, 'not-found'],
  unknown_practitioner: [404, 'not-found'],
  unknown_appointment: [404, 'not-found'],
  unknown_subscription: [404, 'not-found'],
  not_offered: [404, 'not-supported'],
  unknown_parameter: [400, 'invalid'],
  operation_not_supported: [422, 'not-supported'],
  visit_type_not_offered: [422, 'business-rule'],
  not_enough_to_match: [422, 'required'],
  cancel_reason_required: [422, 'required'],
  extension_unknown: [422, 'extension'],
  status_not_possible: [422, 'business-rule'],
  subscription_not_offered: [422, 'not-supported'],
  version_required: [428, 'required'],
  version_changed: [412, 'conflict'],
  identifier_in_use: [409, 'duplicate'],
  slot_taken: [409, 'conflict'],
  slot_held: [409, 'conflict'],
  slot_unavailable: [409, 'conflict'],
  hold_expired: [409, 'conflict'],
  appointment_cancelled: [409, 'conflict'],
  appointment_fulfilled: [409, 'conflict'],
  key_reused: [422, 'invalid'],
  too_many_requests: [429, 'throttled'],
};
