import { cancel, findUnsure } from './booking';
import { type Check, checks } from './checks';
import { createEhrClient } from './ehr-client';
import type { TokenSource } from './credentials';
import { CheckFailed, isOk, NotApplicable, type Subject, type Tried } from './subject';

/** A FHIR server, and what is to be tried at it. */
export interface Target extends Tried {
  /** Without a slash at its end. */
  base: string;
  token: TokenSource;
}

export interface CheckResult {
  id: string;
  area: Check['area'];
  title: string;
  verdict: 'passed' | 'failed' | 'not_applicable';
  /** What was wrong, or why it says nothing of this server. */
  why: string | null;
  /** The exchange that shows a failure. */
  shownBy: { number: number; request: string; status: number | null; said: string } | null;
}

export interface Checked {
  base: string;
  software: string | null;
  startedAt: string;
  results: CheckResult[];
  /** What was booked and could not be cancelled, as `Appointment/…`, and what may have been booked. */
  leftBehind: string[];
}

/**
 * Tries at a FHIR server what a clinic's integration counts on, one check after the other, and cancels whatever was booked, also
 * where it is stopped by `signal` on the way.
 */
export async function checkEhr(target: Target, signal?: AbortSignal): Promise<Checked> {
  const { base, token, ...about } = target;
  const startedAt = new Date().toISOString();
  const client = createEhrClient({ base, token, signal });
  const subject: Subject = { ...about, client, hasToken: (await tokenOf(token)) !== null, made: [], unsure: [] };
  const results: CheckResult[] = [];
  try {
    for (const check of checks) {
      if (signal?.aborted) break;
      results.push(await resultOf(check, subject));
    }
  } finally {
    await takeBack(subject, createEhrClient({ base, token }));
  }
  const leftBehind = [
    ...subject.made.filter(({ isOver }) => !isOver).map(({ id }) => `Appointment/${id}`),
    ...subject.unsure.map(({ start }) => `An appointment at ${start}, whose booking was not answered,`),
  ];
  if (signal?.aborted) {
    throw new Error(
      ['Stopped.', ...leftBehind.map((each) => `${each} may be left behind: look, and cancel it by hand.`)].join('\n'),
    );
  }
  const { name, version } = subject.statement?.software ?? {};
  return { base, software: [name, version].filter(Boolean).join(' ') || null, startedAt, results, leftBehind };
}

/** Without a token the first check says why. */
const tokenOf = (token: TokenSource): Promise<string | null> => token(false).catch(() => '');

async function resultOf({ id, area, title, run }: Check, subject: Subject): Promise<CheckResult> {
  const said = { id, area, title };
  const before = subject.client.last()?.number;
  try {
    await run(subject);
    return { ...said, verdict: 'passed', why: null, shownBy: null };
  } catch (error) {
    if (error instanceof NotApplicable)
      return { ...said, verdict: 'not_applicable', why: error.message, shownBy: null };
    if (!(error instanceof CheckFailed)) throw error;
    const last = subject.client.last();
    const shownBy =
      last && last.number !== before
        ? { number: last.number, request: last.request, status: last.status, said: last.said }
        : null;
    return { ...said, verdict: 'failed', why: error.message, shownBy };
  }
}

const TRIES = 3;

async function takeBack(subject: Subject, client: Subject['client']): Promise<void> {
  await findUnsure(client, subject);
  for (const booked of subject.made) {
    for (let tries = 0; tries < TRIES && !booked.isOver; tries += 1) {
      try {
        const exchange = await cancel(client, subject, booked);
        if (isOk(exchange) || exchange.status === 404 || exchange.status === 410) booked.isOver = true;
      } catch (error) {
        if (!(error instanceof NotApplicable)) throw error;
        break;
      }
    }
  }
}
