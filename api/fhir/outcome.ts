import { FHIR_JSON } from '@clinic/shared/contracts/fhir';
import { REFUSAL_HEADER, refusals, type RefusalReason } from '@clinic/shared/domain/refusals';
import type { Reply } from '../http/route';

/** The code system of the closed list of reasons. */
export const REFUSAL_SYSTEM = 'urn:clinic-workflows:refusal-reason';

interface Outcome {
  status: number;
  reason: RefusalReason | null;
  /** For people. */
  text: string;
  /** What of the request is meant. */
  paths?: string[];
}

/** An OperationOutcome that says why in a code and in words. */
export function outcomeOf({ status, reason, text, paths = [] }: Outcome) {
  const expression = paths.filter((path) => path !== '');
  return {
    resourceType: 'OperationOutcome',
    issue: [
      {
        severity: 'error',
        code: issueCodes[reason ?? ''] ?? codeOfStatus(status),
        details: { ...(reason && { coding: [{ system: REFUSAL_SYSTEM, code: reason }] }), text },
        diagnostics: text,
        ...(expression.length > 0 && { expression }),
      },
    ],
  };
}

/** A refusal as a reply, for what the contract has no body for. */
export function refuse(
  reason: RefusalReason,
  text: string,
  { headers, paths }: { headers?: Record<string, string>; paths?: string[] } = {},
): Reply {
  const { status } = refusals[reason];
  return {
    status,
    body: outcomeOf({ status, reason, text, paths }),
    type: `${FHIR_JSON}; charset=utf-8`,
    headers: { ...headers, [REFUSAL_HEADER]: reason },
  };
}

/** Issue types of R4. */
const issueCodes: Record<string, string> = {
  operation_not_supported: 'not-supported',
  not_offered: 'not-supported',
  visit_type_not_offered: 'business-rule',
  subscription_not_offered: 'not-supported',
  not_enough_to_match: 'required',
  cancel_reason_required: 'required',
  extension_unknown: 'extension',
  status_not_possible: 'business-rule',
  version_required: 'required',
  version_changed: 'conflict',
  identifier_in_use: 'duplicate',
  unauthenticated: 'login',
  body_too_large: 'too-long',
  too_many_requests: 'throttled',
  in_the_past: 'business-rule',
};

function codeOfStatus(status: number): string {
  if (status === 404) return 'not-found';
  if (status === 403) return 'forbidden';
  if (status === 409) return 'conflict';
  if (status === 503) return 'transient';
  return status >= 500 ? 'exception' : 'invalid';
}
