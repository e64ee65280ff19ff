import { z } from 'zod';

/** FHIR's words for what went wrong (R4, issue-type), in a sentence's end. */
const issueWords: Record<string, string> = {
  invalid: 'the content is not valid',
  structure: 'the content is built wrongly',
  required: 'something that it needs is missing',
  value: 'a value is not allowed there',
  invariant: 'a rule of its profile is not met',
  security: 'its security rules do not permit it',
  login: 'it wants us to sign in',
  unknown: 'it does not know the account',
  expired: 'the access has ended',
  forbidden: 'the access that was granted does not permit it',
  suppressed: 'it may not show everything',
  processing: 'it could not process it',
  'not-supported': 'it does not support this',
  duplicate: 'it has such a record already',
  'multiple-matches': 'several records match',
  'not-found': 'what was referred to is not there',
  deleted: 'what was referred to was deleted',
  'too-long': 'something is too long',
  'code-invalid': 'it does not know a code',
  extension: 'it does not take an extension',
  'too-costly': 'the request is too much for it',
  'business-rule': 'a rule of the clinic forbids it',
  conflict: 'it contradicts what is on record there',
  transient: 'a passing fault',
  'lock-error': 'the record is being edited',
  'no-store': 'it cannot store anything now',
  exception: 'a fault of its own',
  timeout: 'it took too long',
  incomplete: 'it knows only a part',
  throttled: 'it was asked too often',
};

/** What may be over when it is asked again. */
const passing = ['transient', 'lock-error', 'no-store', 'timeout', 'throttled'];

const OperationOutcome = z.object({
  resourceType: z.literal('OperationOutcome'),
  issue: z.array(
    z.object({
      severity: z.string(),
      // One of FHIR's codes; anything else may quote a patient.
      code: z
        .string()
        .regex(/^[a-z][a-z-]{0,39}$/)
        .catch('an unknown kind'),
      expression: z.array(z.string()).optional().catch(undefined),
    }),
  ),
});

/** A place in a resource, as `Patient.name[0].family`: names of fields, never what they hold. */
const place = /^[A-Z][A-Za-z]{1,40}(?:\.[a-z][A-Za-z]{0,40}(?:\[\d{1,3}\])?){0,8}$/;

export interface OutcomeFault {
  /** As `invariant`. */
  code: string;
  /** As `invariant: a rule of its profile is not met, at Appointment.slot`. */
  words: string;
  isPassing: boolean;
}

/**
 * The failure that an answer tells of, whatever its status says; null for an answer that tells of none. Of the server's own
 * text nothing is taken over: it may quote a patient.
 */
export function faultIn(answer: unknown): OutcomeFault | null {
  const issues = OperationOutcome.safeParse(answer).data?.issue ?? [];
  const issue = issues.find(({ severity }) => ['fatal', 'error'].includes(severity));
  if (!issue) return null;
  const { code, expression = [] } = issue;
  const places = expression.filter((each) => place.test(each)).slice(0, 3);
  const known = issueWords[code];
  const words = `${code}${known ? `: ${known}` : ''}${places.length > 0 ? `, at ${places.join(', ')}` : ''}`;
  return { code, words, isPassing: passing.includes(code) };
}
