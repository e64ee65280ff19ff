/** What is promised of the dialer and too large to be tried in full by `npm test`, which runs some of the same tests in a small size. */
export interface Proof {
  name: string;
  /** What is tried, and how often. */
  size: string;
  file: string;
  /** The tests of the file that prove it, as a regular expression. */
  tests: string;
  environment: Record<string, string>;
}

const dialling = 'test/proofs/faults/dialling.proof.ts';

export const proofs: readonly Proof[] = [
  {
    name: 'area-codes',
    size: 'all area codes of the US and Canada against another implementation',
    file: 'test/shared/domain/outreach/number-zones.test.ts',
    tests: 'every area code',
    environment: {},
  },
  {
    name: 'windows',
    size: '1,000,000 decisions against a second implementation',
    file: 'test/shared/domain/outreach/calling-windows.test.ts',
    tests: 'of any number at any instant|whatever the age',
    environment: { CALLING_DECISIONS: '1000000' },
  },
  {
    name: 'stop-at-the-store',
    size: '10,000 stops while dials and intents begin',
    file: 'test/prisma/stores/outreach/calling-rules.test.ts',
    tests: 'anyone who has been told|a stop that comes while',
    environment: { STOP_RACES: '10000' },
  },
  {
    name: 'stop-end-to-end',
    size: '200 stops over REST while dials begin',
    file: dialling,
    tests: 'stops over REST',
    environment: { STOPS_END_TO_END: '200' },
  },
  {
    name: 'pause-under-kills',
    size: '500 cases due, 4 workers, 20 kills, as many pauses',
    file: dialling,
    tests: 'while processes are killed',
    environment: { CASES_PAUSED: '500', PAUSE_KILLS: '20', DIALLING_WORKERS: '4' },
  },
  {
    name: 'waitlist-at-the-store',
    size: '1,000 cancellations at once, two processes that offer',
    file: 'test/prisma/stores/calendar/appointments.test.ts',
    tests: 'no time is offered twice',
    environment: { WAITLIST_CANCELLATIONS: '1000' },
  },
  {
    name: 'waitlist-under-kills',
    size: '1,000 cancellations, 2 workers, 20 kills',
    file: dialling,
    tests: 'cancellations while',
    environment: { CANCELLATIONS_KILLED: '1000', CANCELLATION_KILLS: '20' },
  },
  {
    name: 'waitlist-at-once',
    size: '20 cancellations, one after the other',
    file: dialling,
    tests: 'how soon each time is offered',
    environment: {},
  },
  {
    name: 'queue-at-the-store',
    size: '1,000 calls due, 1 line and 10',
    file: 'test/prisma/stores/outreach/lines.test.ts',
    tests: 'calls are due at once',
    environment: { QUEUE_LENGTH: '1000' },
  },
  {
    name: 'queue-one-line',
    size: '1,000 cases due in one clinic, 1 line',
    file: dialling,
    tests: 'with 1 lines',
    environment: { CASES_DUE: '1000' },
  },
  {
    name: 'queue-ten-lines',
    size: '1,000 cases due in one clinic, 10 lines',
    file: dialling,
    tests: 'with 10 lines',
    environment: { CASES_DUE: '1000' },
  },
];
