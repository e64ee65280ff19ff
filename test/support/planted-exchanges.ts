import type { Exchange, ExchangeFacts, Operation } from '@clinic/shared/domain/sandbox/exchange';
import { fullLeniency } from '@clinic/shared/domain/sandbox/leniency';
import type { RunContext } from '@clinic/shared/domain/sandbox/readiness/judging';

type Planted = Partial<Omit<Exchange, 'facts' | 'operation' | 'number'>> & ExchangeFacts & { after?: number };

const ownFields = [
  'at',
  'durationMs',
  'status',
  'credential',
  'key',
  'request',
  'retryAfterSeconds',
  'refusal',
] as const;

/** One exchange in few words: 200 within 5 ms, a second (or `after` ms) after the one before, with a key and a request of its own. */
type Step = [operation: Operation, planted?: Planted];

export function exchangesOf(steps: Step[]): Exchange[] {
  let atMs = Date.parse('2026-11-23T16:00:00.000Z');
  return steps.map(([operation, { after = 1_000, ...planted } = {}], index) => {
    atMs += after;
    const facts = Object.fromEntries(Object.entries(planted).filter(([name]) => !ownFields.includes(name as never)));
    return {
      number: index + 1,
      at: planted.at ?? new Date(atMs).toISOString(),
      durationMs: planted.durationMs ?? 5,
      operation,
      status: planted.status === undefined ? 200 : planted.status,
      credential: planted.credential === undefined ? 'token-1' : planted.credential,
      key: planted.key === undefined ? `key-${index}` : planted.key,
      request: planted.request ?? `request-${index}`,
      retryAfterSeconds: planted.retryAfterSeconds ?? null,
      refusal: planted.refusal ?? null,
      facts: { takesFhir: true, ...facts },
    };
  });
}

export const plantedContext: RunContext = {
  foreign: { appointment: 'foreign-appointment', patient: 'foreign-patient' },
  forward: '2027-03-15T06:00:00.000Z',
  back: '2027-11-08T07:00:00.000Z',
  zone: 'America/Denver',
  leniency: fullLeniency,
};

const start = '2026-12-01T16:00:00.000Z';
const later = '2026-12-01T16:30:00.000Z';
const minutes = (instant: string) => Date.parse(instant) / 60_000;
const provider = 'Dr.Chen';
const patient = 'p1';
const offered = [minutes(start), minutes(later)];
const slots: Step = ['slots', { provider, offered, total: 2 }];
const match: Step = ['match', { patient }];
const book: Step = ['book', { patient, provider, start, appointment: 'a1', hasVisitType: true }];
const taken: Step = ['book', { patient, provider, start, status: 409, refusal: 'slot_taken' }];
const unavailable: Step = ['book', { patient, provider, start, status: 409, refusal: 'slot_unavailable' }];
const bookLater: Step = ['book', { patient, provider, start: later, appointment: 'a2' }];
const move: Step = ['reschedule', { appointment: 'a1', start: later }];
const cancel: Step = ['cancel', { appointment: 'a1', patient }];
const changed: Step = ['cancel', { appointment: 'a1', status: 412 }];
const stale: Step = ['upcoming', { patient, total: 0, appointments: [], failure: 'stale_read' }];
const lost = (operation: Operation): Step => [operation, { status: null, key: 'k', request: 'r' }];
const again = (operation: Operation): Step => [operation, { key: 'k', request: 'r' }];
const refused = (operation: Operation, over: Planted): Step => [operation, { status: 404, request: 'same', ...over }];
const repeated = (operation: Operation, over: Planted): Step[] => [refused(operation, over), refused(operation, over)];
const event = (probe: ExchangeFacts['probe'], webhookId: string, over: Planted = {}): Step => [
  'event',
  { probe, webhookId, status: 204, ...over },
];
const handled = (webhookId: string): Step => ['handled', { webhookId, status: 204 }];
const change = (at: string, over: Planted = {}): Step[] => [
  ['slots', { provider, from: '2027-03-01T00:00:00.000Z', until: '2027-11-20T00:00:00.000Z', offered: [minutes(at)] }],
  ['book', { patient, provider, start: at, ...over }],
];

/** For each behaviour: what a client does that passes, and what one does that fails; null where nothing can fail it. */
export const planted: Record<string, { good: Step[]; bad: Step[] | null }> = {
  'match-before-book': { good: [match, slots, book], bad: [slots, book] },
  'match-before-note': { good: [match, ['note', { patient }]], bad: [['note', { patient }]] },
  'match-before-read': { good: [match, ['upcoming', { patient }]], bad: [['upcoming', { patient }]] },
  'made-patient-unused': {
    good: [['match', { patient, isMade: true }]],
    bad: [['match', { patient, isMade: true }], book],
  },
  'duplicate-patient': {
    good: [
      ['match', { patient, others: ['p2'] }],
      ['match', { patient: 'p2', others: [patient], certain: patient }],
      slots,
      book,
    ],
    bad: [['match', { patient: 'p2', others: [patient], certain: null }], book],
  },
  'unknown-patient-once': {
    good: [refused('book', { refusal: 'unknown_patient' }), book],
    bad: repeated('book', { refusal: 'unknown_patient' }),
  },
  'foreign-patient': {
    good: [['upcoming', { patient: 'foreign-patient', total: 0 }], match],
    bad: [
      ['upcoming', { patient: 'foreign-patient', total: 0 }],
      ['note', { patient: 'foreign-patient', status: 404 }],
    ],
  },
  'empty-appointments': {
    good: [['upcoming', { patient, total: 0 }], book],
    bad: [['upcoming', { patient, total: 0 }], cancel],
  },
  'schedule-before-slots': { good: [['schedule', { provider }], slots], bad: [slots] },
  'search-before-book': { good: [slots, book], bad: [book, slots] },
  'times-as-instants': {
    good: [slots, book],
    bad: [slots, ['book', { patient, provider, start: '2026-12-01T09:00:00.000Z', status: 409 }]],
  },
  'fresh-offer': { good: [slots, book], bad: [slots, ['book', { provider, start, after: 700_000 }]] },
  'paging-to-the-end': {
    good: [
      ['slots', { total: 3, next: 'page-2' }],
      ['slots', { total: 3, page: 'page-2' }],
    ],
    bad: [['slots', { total: 3, next: 'page-2' }], book],
  },
  'next-as-given': {
    good: [
      ['slots', { next: 'page-2' }],
      ['slots', { page: 'page-2' }],
    ],
    bad: [
      ['slots', { next: 'page-2' }],
      ['slots', { page: 'page-2-with-another-count' }],
    ],
  },
  'empty-slots': {
    good: [['slots', { provider, total: 0, offered: [] }], slots],
    bad: [['slots', { provider, total: 0, offered: [] }], book],
  },
  'clocks-forward': {
    good: change('2027-03-15T15:00:00.000Z'),
    bad: change('2027-03-15T16:00:00.000Z', { status: 409, refusal: 'slot_unavailable' }),
  },
  'clocks-back': {
    good: change('2027-11-08T16:00:00.000Z'),
    bad: change('2027-11-08T15:00:00.000Z', { status: 409, refusal: 'slot_unavailable' }),
  },
  'unknown-practitioner-once': {
    good: [refused('schedule', { refusal: 'unknown_practitioner' }), ['schedule', { provider }]],
    bad: repeated('schedule', { refusal: 'unknown_practitioner' }),
  },
  'book-with-key': { good: [book], bad: [['book', { key: null }]] },
  'new-key-for-new-request': {
    good: [book, bookLater],
    bad: [
      ['book', { key: 'k', request: 'one' }],
      ['book', { key: 'k', request: 'other', status: 422 }],
    ],
  },
  'lost-booking': { good: [lost('book'), again('book')], bad: [lost('book'), book] },
  'booked-once': { good: [book, bookLater], bad: [book, book] },
  'taken-other-time': { good: [taken, slots, bookLater], bad: [taken, slots, taken] },
  'taken-new-search': { good: [taken, slots, bookLater], bad: [slots, taken, bookLater] },
  'unavailable-other-time': { good: [unavailable, bookLater], bad: [unavailable, unavailable] },
  'past-once': {
    good: [refused('book', { status: 400, refusal: 'in_the_past' }), book],
    bad: repeated('book', { status: 400, refusal: 'in_the_past' }),
  },
  'booking-read-back': { good: [book, ['upcoming', { patient, total: 1 }]], bad: null },
  'stale-read': { good: [book, stale, ['upcoming', { patient, appointments: ['a1'] }]], bad: [book, stale, bookLater] },
  'visit-type': { good: [book], bad: [['book', { hasVisitType: false }]] },
  'move-to-offered': { good: [slots, move], bad: [move] },
  'move-with-key': { good: [move], bad: [['reschedule', { key: null }]] },
  'lost-move': { good: [lost('reschedule'), again('reschedule')], bad: [lost('reschedule')] },
  'move-other-time': {
    good: [['reschedule', { start, refusal: 'slot_taken', status: 409 }], move],
    bad: [['reschedule', { start: later, refusal: 'slot_taken', status: 409 }], move],
  },
  'move-of-ended': {
    good: [['reschedule', { appointment: 'a1', status: 409, refusal: 'appointment_cancelled' }], book],
    bad: [['reschedule', { appointment: 'a1', status: 409, refusal: 'appointment_cancelled' }], move],
  },
  'cancel-twice': { good: [cancel, cancel], bad: [cancel, cancel, cancel] },
  'appointment-from-reply': { good: [book, move, cancel], bad: [cancel] },
  'version-sent': {
    good: [['cancel', { appointment: 'a1', hasVersion: true }]],
    bad: [['cancel', { appointment: 'a1', status: 428, refusal: 'version_required' }]],
  },
  'version-changed': {
    good: [changed, ['read', { appointment: 'a1', appointments: ['a1'] }], cancel],
    bad: [changed, cancel],
  },
  'unknown-appointment-once': {
    good: [refused('cancel', { refusal: 'unknown_appointment', appointment: 'nowhere' }), book],
    bad: repeated('cancel', { refusal: 'unknown_appointment', appointment: 'nowhere' }),
  },
  'foreign-appointment': {
    good: [refused('cancel', { refusal: 'unknown_appointment', appointment: 'foreign-appointment' })],
    bad: repeated('cancel', { refusal: 'unknown_appointment', appointment: 'foreign-appointment' }),
  },
  'note-with-key': { good: [['note', {}]], bad: [['note', { key: null }]] },
  'lost-note': { good: [lost('note'), again('note')], bad: [lost('note'), ['note', { key: 'k', request: 'other' }]] },
  'note-escalates': { good: [['note', { escalates: true }]], bad: null },
  'note-wants-records': { good: [['note', { wantsRecords: true }]], bad: null },
  'note-known-extensions': {
    good: [['note', { hasUnknownExtension: false }]],
    bad: [['note', { hasUnknownExtension: true }]],
  },
  'note-in-utf8': { good: [['note', { isUtf8: true }]], bad: [['note', { isUtf8: false }]] },
  'retry-after': {
    good: [
      ['slots', { status: 429, retryAfterSeconds: 2, request: 'r' }],
      ['slots', { request: 'r', after: 2_010 }],
    ],
    bad: [
      ['slots', { status: 429, retryAfterSeconds: 2, request: 'r' }],
      ['slots', { request: 'r', after: 1_900 }],
    ],
  },
  'refused-once': {
    good: [refused('book', { status: 400 }), book],
    bad: repeated('note', { status: 413 }),
  },
  'tries-end': {
    good: [lost('slots'), again('slots')],
    bad: Array.from({ length: 8 }, () => lost('slots')),
  },
  'error-not-empty': {
    good: [lost('slots'), again('slots'), book],
    bad: [
      ['slots', { provider, status: 502, failure: 'gateway_page' }],
      ['slots', { provider: 'Dr.Okafor' }],
    ],
  },
  'token-renewed': {
    good: [
      ['upcoming', { status: 401, request: 'r' }],
      ['upcoming', { credential: 'token-2', request: 'r' }],
    ],
    bad: [
      ['upcoming', { status: 401, request: 'r' }],
      ['slots', { credential: 'token-2' }],
    ],
  },
  'old-token-dropped': {
    good: [
      ['upcoming', { status: 401 }],
      ['upcoming', { credential: 'token-2' }],
    ],
    bad: [
      ['upcoming', { status: 401 }],
      ['upcoming', { status: 401 }],
    ],
  },
  'asks-for-fhir': { good: [slots], bad: [['slots', { takesFhir: false }]] },
  'workflow-with-key': { good: [['start_workflow', {}]], bad: [['start_workflow', { key: null }]] },
  'workflow-followed': {
    good: [
      ['start_workflow', { workflow: 'w' }],
      ['read_workflow', { workflow: 'w', state: 'completed' }],
    ],
    bad: [
      ['start_workflow', { workflow: 'w' }],
      ['read_workflow', { workflow: 'w', state: 'started' }],
    ],
  },
  'workflow-patiently': {
    good: [
      ['read_workflow', { request: 'r', waitSeconds: 30 }],
      ['read_workflow', { request: 'r', waitSeconds: 30, after: 10 }],
    ],
    bad: [
      ['read_workflow', { request: 'r' }],
      ['read_workflow', { request: 'r', after: 200 }],
    ],
  },
  'unknown-workflow-once': { good: [refused('read_workflow', {})], bad: repeated('read_workflow', {}) },
  'event-accepted': { good: [event('genuine', 'e1')], bad: [event('genuine', 'e1', { status: 500 })] },
  'event-forged': {
    good: [event('forged', 'e1', { status: 401 })],
    bad: [event('forged', 'e1', { status: 401 }), handled('e1')],
  },
  'event-stale': { good: [event('stale', 'e1', { status: 400 })], bad: [event('stale', 'e1')] },
  'event-rotated': { good: [event('rotated', 'e1')], bad: [event('rotated', 'e1', { status: 401 })] },
  'event-unknown': { good: [event('unknown_event', 'e1')], bad: [event('unknown_event', 'e1', { status: 422 })] },
  'event-duplicate': { good: [event('duplicate', 'e1')], bad: [event('duplicate', 'e1', { status: 409 })] },
  'event-handled-once': {
    good: [event('genuine', 'e1'), handled('e1'), event('duplicate', 'e1')],
    bad: [event('genuine', 'e1'), handled('e1'), event('duplicate', 'e1'), handled('e1')],
  },
  'events-in-order': {
    good: [event('genuine', 'e1'), event('outcome', 'e2'), handled('e1'), handled('e2')],
    bad: [event('genuine', 'e1'), event('outcome', 'e2'), handled('e2'), handled('e1')],
  },
  'event-quickly': { good: [event('genuine', 'e1')], bad: [event('genuine', 'e1', { durationMs: 5_500 })] },
};
