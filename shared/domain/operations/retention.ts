/**
 * What is purged once it is old: contents. That something has been there stays for ever, so that a duplicate of it is known as one.
 * The days are what a clinic keeps that has chosen nothing.
 */
export const retentionDefaults = {
  /** The bodies of events that platforms pushed to us. */
  inbound_payloads: 90,
  /** What a voice agent gave to a tool, and what it was answered. */
  tool_contents: 90,
  /** The bodies of events that we sent, and what receivers answered. Nothing that is still to be sent. */
  event_bodies: 90,
  /** What workflows were told, once they took it. */
  sent_messages: 30,
  /** Answers that are given again under the same Idempotency-Key. */
  stored_answers: 30,
  /** Transcripts, links to recordings and verdicts of calls. What a call cost stays with it. */
  call_evidence: 365,
  /** Why a phone rang or did not. */
  call_decisions: 2190,
  /** What a client did in a validation run; what was found stays. */
  observed_exchanges: 30,
} as const;

export type RetentionKind = keyof typeof retentionDefaults;
export const retentionKinds = Object.keys(retentionDefaults) as [RetentionKind, ...RetentionKind[]];

export const isRetentionKind = (kind: string): kind is RetentionKind => Object.hasOwn(retentionDefaults, kind);

/** Shorter, and what is retried or looked into may be gone; longer than this nobody needs it. */
const limits = { minDays: 7, maxDays: 3_653 };

/** Why a phone rang is documentation that has to be there for six years (45 CFR 164.316). */
const floors: Partial<RetentionDays> = { call_decisions: 2190 };

/** How few and how many days a kind may be kept. */
export const retentionLimits = (kind: RetentionKind) => ({ ...limits, minDays: floors[kind] ?? limits.minDays });

/** For how many days each kind is kept. */
export type RetentionDays = Record<RetentionKind, number>;
