import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import type { RefusalReason } from '@clinic/shared/domain/calendar/refusals';
import type { Logger } from '@clinic/shared/log';
import { accountOf, type AccountRole } from '@clinic/shared/domain/accounts/accounts';
import type { Right, Scope } from '@clinic/shared/domain/accounts/rights';
import type { NewSecret } from '@clinic/prisma/stores/accounts/keys';
import type { Agenda } from '@clinic/prisma/stores/calendar/agendas';
import type { Actor } from '@clinic/prisma/stores/operations/audit';
import type { z } from 'zod';
import type { Tag } from './tags';

/** What routes work with besides a request; `route-deps.ts` says what that is. */
export interface RouteDeps {}

/** Some of it, by name. */
export type Deps<Name extends keyof RouteDeps> = Pick<RouteDeps, Name>;

/** Who is calling with a token: an account, or a client in place of one. */
export interface SessionCaller {
  kind: 'session';
  sessionId: string;
  accountId: string;
  clinicId: string | null;
  role: AccountRole;
  /** Of emergency access, which changes no account. */
  isEmergency: boolean;
  /** Until when the person counts as having proved who they are just now, in ms since 1970. */
  freshUntil: number;
  token: string;
  /** The client's, as far as the proxies in front are trusted to tell it. */
  address: string;
  /** A client that has proved who it is by its key, in place of an account. */
  clientId?: string;
  /** The clinic's calendar, as it was when the caller was admitted; known to FHIR routes alone. */
  agenda?: Agenda;
}

/** Who is calling, as its credential proved. */
export type Caller =
  | { kind: 'nobody' }
  | SessionCaller
  | { kind: 'api-key'; keyId: string; clinicId: string; scopes: readonly Scope[]; address: string }
  /** `clinicId`: whose secret it was; null for the operator's, which speaks for every clinic. */
  | { kind: 'voice'; clinicId: string | null }
  | { kind: 'inbound'; clinicId: string; event: string };

/**
 * By which credential a route is reached. `session`: also one of an account without a clinic, which the route itself refuses where it
 * needs one; `clinic`: a session of an account with a clinic; `fhir`: the same while its sandbox is enabled; `operator`: a session of
 * an operator, who belongs to no clinic.
 */
export type Access =
  | 'public'
  | 'session'
  | 'clinic'
  | 'fhir'
  | 'operator'
  | 'api-key'
  | 'api-key-or-clinic'
  | 'voice'
  | 'inbound';

export type CallerOf<A extends Access> = A extends 'public'
  ? { kind: 'nobody' }
  : A extends 'session' | 'operator'
    ? SessionCaller
    : A extends 'fhir'
      ? SessionCaller & { clinicId: string; agenda: Agenda }
      : A extends 'clinic'
        ? SessionCaller & { clinicId: string }
        : A extends 'api-key'
          ? Extract<Caller, { kind: 'api-key' }>
          : A extends 'api-key-or-clinic'
            ? Extract<Caller, { kind: 'api-key' }> | (SessionCaller & { clinicId: string })
            : A extends 'voice'
              ? Extract<Caller, { kind: 'voice' }>
              : Extract<Caller, { kind: 'inbound' | 'api-key' }>;

/** What of its caller's rights a route asks for; none where the credential alone says what it opens. */
export type RightFor<A extends Access> = A extends 'public' | 'voice' | 'operator'
  ? null
  : A extends 'session' | 'inbound'
    ? Right | null
    : Right;

/** How an entry of the audit names who did it. */
export const actorOf = (
  caller: ({ accountId: string; clientId?: string } | { keyId: string }) & { address: string },
  requestId: string,
): Required<Actor> => ({
  actor: 'keyId' in caller ? `api-key:${caller.keyId}` : accountOf(caller),
  requestId,
  address: caller.address,
});

/** A response. `body` is sent as JSON; a string body is sent as it is, with the `type` given. */
export interface Reply {
  status?: number;
  body?: unknown;
  type?: string;
  headers?: Record<string, string>;
  /** Instead of a body: sent piece by piece as it comes, until it or the client ends. */
  stream?: AsyncIterable<string>;
  /** Why a FHIR route refuses: sent as `x-refusal-reason`. */
  refusal?: RefusalReason;
  /** Ids of the patients whose data it holds, or of what else names them; for the audit (`patientData`). */
  subjects?: readonly (string | null)[];
  /** What was changed, for the audit: ids, codes and names of fields. */
  detail?: Readonly<Record<string, string | readonly string[]>>;
  /** It was given before under the same `Idempotency-Key`: what it changed was changed then. */
  isRepeated?: boolean;
  /** What stands neither in the request nor in the body, for those who observe it. */
  facts?: Readonly<Record<string, string | boolean>>;
}

/**
 * What a route does with data of patients, for the audit. `none`: its replies hold nothing of any one patient. Otherwise an
 * entry with this action is stored before the reply is sent: one of a list is `.search` where words were searched for.
 */
export type PatientData =
  | 'none'
  | {
      action: string;
      isChange?: true;
      /**
       * Whose data a read is, where the request itself names them: it is then noted while it is read, and also where there is
       * nothing to be read. Without it, or where it returns nothing, the reply says so.
       */
      asksFor?: (request: { params: never; query: never }) => readonly string[] | undefined;
    };

export interface RouteRequest<A extends Access, Params, Query, Body> {
  caller: CallerOf<A>;
  /** Who asks, as entries of the audit name it; of callers with a session or a key. */
  by: Required<Actor>;
  params: Params;
  query: Query;
  body: Body;
  headers: IncomingHttpHeaders;
  ip: string;
  requestId: string;
  /** What is done under its `Idempotency-Key` is noted with this, so that a repeat finds it; undefined without a key. */
  repeatId: string | undefined;
  /** The id for what the request makes: the same again for a request repeated under its `Idempotency-Key`. */
  idOfNew: string;
  /** What the secret that the request makes is derived from, with its id, where it has an `Idempotency-Key`. */
  newSecret: NewSecret | null;
  log: Logger;
  /** Aborted when the client goes away. */
  signal: AbortSignal;
}

export interface Documented {
  description: string;
  schema?: z.ZodType;
  type?: string;
  /** What it holds in other media types in which it may come. */
  also?: Record<string, { schema: z.ZodType; example?: unknown }>;
  /** What OpenAPI shows of it where its schema, whose own examples are taken otherwise, does not say enough. */
  example?: unknown;
}

/** One route: what it asks for, what it takes, what it may return, and what it does. OpenAPI is generated from it. */
export interface Route<
  A extends Access = Access,
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/api`, in Express syntax, as `/workflows/:workflowId`. */
  path: string;
  access: A;
  /** What the caller's role, or a scope of its key, must have. */
  right: RightFor<A>;
  summary: string;
  /** What a client's engineer must know besides: what it changes, what repeating it does, what a refusal means. As Markdown. */
  description: string;
  tag: Tag;
  /** Where more is known of what the path names than that it is a text. */
  params?: Params;
  query?: Query;
  /** Query parameters that may be given more than once; any other repeated one is a 400. */
  repeatable?: string[];
  body?: Body;
  /** Whether the body is read for this caller; left out where it always is. Otherwise whatever is sent is ignored. */
  takesBody?: (caller: Caller) => boolean;
  /** What OpenAPI shows of the body where `body` is read more leniently than it is written. */
  documentedBody?: z.ZodType;
  /** What OpenAPI shows of bodies and their replies, by name, where one route takes bodies of several kinds. */
  examples?: Record<string, { body: unknown; reply: unknown }>;
  /** Request headers that mean something here, with their meaning. */
  documentedHeaders?: Record<string, string>;
  /** A platform's own body, of which the route checks what it takes; anything else in it is neither kept nor judged. */
  readsBodyItself?: boolean;
  /** Largest body; `256kb` unless said otherwise. */
  limit?: string;
  /** Whether a body over `256kb` may be what such a body is for here, by its bytes: it is asked before they are parsed. */
  mayBeLarge?: (body: Buffer) => boolean;
  /** Accepted media types of the body; `application/json` unless said otherwise. OpenAPI shows the first. */
  consumes?: string[];
  /** Documented responses by status, beyond those that every route of its access can return. */
  responses: Record<number, Documented>;
  /** Whether it comes from outside once and counts, as an event: it waits up to a second where other requests are refused. */
  countsOnce?: boolean;
  /** Whether this request is held open on purpose: one caller may have only so many of them, and no deadline ends it. */
  isHeld?: (query: z.output<Query>) => boolean;
  /** Whether clients ask for it without a person's doing: it gives a session no more time. */
  isBackground?: boolean;
  /** Whether an account may use it whose clinic requires a second factor before it has one: what it sets one up with, and its way out. */
  isOpenWithoutSecondFactor?: boolean;
  /**
   * What a session that may be stolen does not open by itself: the person must have proved who they are within five minutes, by
   * the sign-in or `POST /auth/step-up`. `records`: it gives many records away, or destroys them. `access`: it decides who gets in
   * and where data is sent, which emergency access never does. Keys are not asked,
   * nor are tokens of sandboxes.
   */
  stepUp?: 'records' | 'access';
  /** Whether the token of a named sandbox opens it, for that sandbox; it opens FHIR routes always. */
  isOpenToSandboxTokens?: boolean;
  /** Every GET says it, and whatever else shows or changes data of patients without an entry of its own in the audit. */
  patientData?: PatientData;
  /** Keeps the first response under its `Idempotency-Key` and returns it again. */
  isIdempotent?: boolean;
  /** Its reply holds a secret, which is kept nowhere: under the same `Idempotency-Key` it is made again, by `newSecret`. */
  showsSecret?: boolean;
  /** What stands around its answers to a caller; null, or left out, where nothing does. */
  around?: (caller: Caller) => Around | null;
  /** Whether its errors are OperationOutcomes for this caller. */
  sendsOutcomes?: (caller: Caller) => boolean;
  handle(
    request: RouteRequest<A, z.output<Params>, z.output<Query>, z.output<Body>>,
    deps: RouteDeps,
  ): Promise<Reply> | Reply;
}

/** A request of a FHIR route, as far as it is the same for all of them. */
export type FhirRequest = RouteRequest<'fhir', Record<string, string>, Record<string, unknown>, unknown>;

/**
 * Answers a request in place of its route, which `answer` asks: once, as without it. What `change` makes of a reply that shows
 * patients is noted in the audit in place of the reply.
 */
export type Around = (
  exchange: { readonly response: Response; holdOpen(): void },
  asked: FhirRequest,
  answer: (change?: (reply: Reply) => Promise<Reply>) => Promise<Reply>,
  deps: RouteDeps,
) => Promise<Reply>;

/** What a path names, as `taskId` in `/tasks/:taskId`: a text each. */
export type ParamsOf<Path extends string> = Record<NamesIn<Path>, string>;
type NamesIn<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? NamesIn<First> | NamesIn<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never;

/** Of a route below `/patients/:patientId`. */
export const ofPatientPath = ({ params: { patientId } }: { params: { patientId: string } }): string[] => [patientId];
