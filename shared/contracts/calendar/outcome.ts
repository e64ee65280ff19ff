import { type ConflictReason, type IssueCode, type RefusalReason, refusals } from '../../domain/calendar/refusals';
import { FHIR_JSON, type OperationOutcome } from './fhir';

/** The code system of the closed list of reasons. */
const REFUSAL_SYSTEM = 'urn:clinic-workflows:refusal-reason';

interface Outcome {
  issue: IssueCode;
  reason: RefusalReason | null;
  /** For people. */
  text: string;
  /** What of the request is meant. */
  paths?: string[];
}

/** An OperationOutcome that says why in a code and in words. */
export function outcomeOf({ issue, reason, text, paths = [] }: Outcome) {
  const expression = paths.filter((path) => path !== '');
  return {
    resourceType: 'OperationOutcome',
    issue: [
      {
        severity: 'error',
        code: issue,
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
) {
  const { status, issue } = refusals[reason];
  return {
    status,
    refusal: reason,
    body: outcomeOf({ issue, reason, text, paths }),
    type: `${FHIR_JSON}; charset=utf-8`,
    headers,
  };
}

/** The contract's 409: the reason in one word. */
export function conflict(reason: ConflictReason, headers?: Record<string, string>) {
  const body: OperationOutcome = {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'error', code: 'conflict', diagnostics: reason }],
  };
  return { status: 409, refusal: reason, body, headers };
}
