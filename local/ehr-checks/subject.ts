import { nextPageOf } from '@clinic/shared/contracts/calendar/fhir-reading';
import { type CapabilityStatement, declaredOf } from '@clinic/gateways/calendar/fhir/statement';
import { z } from 'zod';
import type { EhrClient, Exchange } from './ehr-client';

/** What is to be tried at a FHIR server. */
export interface Tried {
  /** A Patient resource: whom the server is asked about, and for whom is booked. */
  person: Person;
  /** As `Practitioner/…`; the first Schedule's where it is left out. */
  practitioner?: string;
  /** As `Schedule/…`. */
  schedule?: string;
  visitType: string;
  /** Where the clinic is: whose clock changes are looked at. */
  zone: string;
  /** Whether a note may be written that cannot be taken back. */
  mayLeaveNote: boolean;
}

/** A FHIR server under check, what it declares, and what the checks have found there so far. */
export interface Subject extends Tried {
  client: EhrClient;
  /** Whether a token is sent at all. */
  hasToken: boolean;
  statement?: CapabilityStatement;
  /** As `Patient/…`, once it was found. */
  patient?: string;
  slots?: SlotFound[];
  booked?: Booked;
  /** Everything that was booked. */
  made: Booked[];
  /** Bookings whose reply was lost: nobody knows what became of them. */
  unsure: { start: string; identifier: string }[];
}

export const Person = z.looseObject({
  resourceType: z.literal('Patient'),
  identifier: z.array(z.looseObject({ system: z.string().optional(), value: z.string() })).optional(),
  name: z.array(z.looseObject({ family: z.string().optional(), given: z.array(z.string()).optional() })).optional(),
  birthDate: z.string().optional(),
});
export type Person = z.infer<typeof Person>;

export const SlotFound = z.looseObject({
  resourceType: z.literal('Slot'),
  id: z.string(),
  status: z.string(),
  schedule: z.looseObject({ reference: z.string() }),
  start: z.string(),
  end: z.string(),
});
export type SlotFound = z.infer<typeof SlotFound>;

export interface Booked {
  id: string;
  start: string;
  /** Of the newest version that was seen. */
  etag: string | null;
  isOver: boolean;
}

/** What a check found wrong. */
export class CheckFailed extends Error {}
/** Why a check says nothing of this server. */
export class NotApplicable extends Error {}

export const fail = (why: string): never => {
  throw new CheckFailed(why);
};
export const skip = (why: string): never => {
  throw new NotApplicable(why);
};

/** What its CapabilityStatement declares of a type of resource. */
function declared({ statement }: Subject, type: string) {
  return statement ? declaredOf(statement, type) : skip('the server has no CapabilityStatement');
}

export const can = (subject: Subject, type: string, code: string): boolean => declared(subject, type).can(code);

export const hasOperation = (subject: Subject, type: string, name: string): boolean =>
  declared(subject, type).hasOperation(name);

export const createsOnCondition = (subject: Subject, type: string): boolean =>
  declared(subject, type).createsOnCondition;

export function needs(subject: Subject, type: string, code: string): void {
  if (!can(subject, type, code)) skip(`its CapabilityStatement declares no ${code} of ${type}`);
}

export const patientOf = ({ patient }: Subject): string => patient ?? skip('the patient was not found');
export const bookedOf = ({ booked }: Subject): Booked => booked ?? skip('nothing could be booked');

/** A time on offer that no check has booked yet. */
export function freeSlot({ slots, made }: Subject): SlotFound {
  const free = slots?.find(({ start }) => !made.some((each) => sameTime(each.start, start)));
  return free ?? skip('no time is on offer');
}

export const sameTime = (one: string, other: string): boolean => Date.parse(one) === Date.parse(other);

export const isOk = ({ status }: Exchange): boolean => status !== null && status >= 200 && status < 300;

export function expectOk(exchange: Exchange): Exchange {
  return isOk(exchange)
    ? exchange
    : fail(`${exchange.status ?? 'no reply'} where success was expected: ${exchange.said}`);
}

/** A refusal: a 4xx, and in the words of FHIR. */
export function expectRefused(exchange: Exchange, statuses: readonly number[]): void {
  const { status, body, said } = exchange;
  if (status === null || !statuses.includes(status)) {
    fail(`${status ?? 'no reply'} where ${statuses.join(' or ')} was expected: ${said}`);
  }
  if (body?.resourceType !== 'OperationOutcome') fail(`the refusal (${status}) is no OperationOutcome: ${said}`);
}

export interface Bundle {
  resourceType: 'Bundle';
  entry?: {
    resource?: unknown;
    search?: { mode?: string; score?: number; extension?: { url: string; valueCode?: string }[] };
  }[];
  link?: { relation: string; url: string }[];
}

/** A searchset, or the failure to be one. */
export function bundleIn(exchange: Exchange): Bundle {
  const { body } = expectOk(exchange);
  if (body?.resourceType !== 'Bundle' || body.type !== 'searchset') {
    return fail(`the reply is ${body?.resourceType ?? exchange.said}, not a Bundle of type searchset`);
  }
  return body as Bundle;
}

/** The resources of a type that matched; warnings and what was included besides are left out. */
export const matchesIn = <Shape extends z.ZodType>({ entry = [] }: Bundle, shape: Shape): z.output<Shape>[] =>
  entry.flatMap(({ resource, search }) => {
    const read = search?.mode === 'outcome' || search?.mode === 'include' ? null : shape.safeParse(resource);
    return read?.success ? [read.data] : [];
  });

export const nextOf = (bundle: Bundle): string | undefined => nextPageOf(bundle)?.url;
