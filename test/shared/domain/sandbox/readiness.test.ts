import { operationNames } from '@clinic/shared/domain/sandbox/exchange';
import { fullLeniency } from '@clinic/shared/domain/sandbox/leniency';
import { behaviours, behavioursAt, judgeRun, scoreOf } from '@clinic/shared/domain/sandbox/readiness/behaviours';
import { areas } from '@clinic/shared/domain/sandbox/readiness/judging';
import { exchangesOf, plantedContext } from '../../../support/planted-exchanges';

type Steps = Parameters<typeof exchangesOf>[0];
type Planted = NonNullable<Steps[number][1]>;
/** Verdict and number of the exchange that shows it. */
type Expected = `passed ${number}` | `failed ${number}` | 'not_seen';

function verdictOf(id: string, steps: Steps, context = plantedContext): string {
  const finding = behaviours.find((each) => each.id === id)?.judge(exchangesOf(steps), context);
  return finding?.verdict === 'not_seen' ? 'not_seen' : `${finding?.verdict} ${finding?.number}`;
}

const start = '2026-12-01T16:00:00.000Z';
const later = '2026-12-01T16:30:00.000Z';
const minutes = (instant: string) => Date.parse(instant) / 60_000;
const [patient, provider, appointment] = ['p1', 'Dr.Chen', 'a1'];
const slots = (over: Planted = {}): Steps[number] => [
  'slots',
  { provider, offered: [minutes(start), minutes(later)], total: 2, ...over },
];
const book = (over: Planted = {}): Steps[number] => ['book', { patient, provider, start, appointment, ...over }];
const move = (over: Planted = {}): Steps[number] => ['reschedule', { appointment, start: later, ...over }];
const cancel = (over: Planted = {}): Steps[number] => ['cancel', { appointment, patient, ...over }];
const match = (over: Planted = {}): Steps[number] => ['match', { patient, ...over }];
const upcoming = (over: Planted = {}): Steps[number] => ['upcoming', { patient, ...over }];
const note = (over: Planted = {}): Steps[number] => ['note', { patient, ...over }];
const event = (probe: NonNullable<Planted['probe']>, webhookId: string, over: Planted = {}): Steps[number] => [
  'event',
  { probe, webhookId, status: 204, ...over },
];
const handled = (webhookId: string): Steps[number] => ['handled', { webhookId, status: 204 }];
const loss = { status: null, key: 'k', request: 'r' };
const guarded = { status: 500, key: null, request: 'r', hasVersion: true };
const taken = { status: 409, refusal: 'slot_taken' as const };
const unavailable = { status: 409, refusal: 'slot_unavailable' as const };
const ended = { status: 409, refusal: 'appointment_cancelled' as const };
const stale: Planted = { appointments: [], failure: 'stale_read' };
const unread: Planted = { status: 502, request: 'r' };
const expired: Planted = { status: 401, request: 'r' };

const table: Record<string, [situation: string, steps: Steps, expected: Expected][]> = {
  'match-before-book': [
    ['one of several who were found', [match({ others: ['p2'] }), book({ patient: 'p2' })], 'passed 2'],
    ['somebody else than was found', [match(), book({ patient: 'p2' })], 'failed 2'],
    ['found after the booking', [book(), match()], 'failed 1'],
    ['known by a search of appointments alone', [upcoming(), book()], 'failed 2'],
    ['nobody is named', [match({ patient: undefined }), book({ patient: undefined })], 'not_seen'],
    ['nobody was found', [match({ patient: undefined, others: [patient] }), book()], 'failed 2'],
    ['the other clinic’s patient', [book({ patient: 'foreign-patient' })], 'not_seen'],
    ['refused as unknown', [book({ status: 404 })], 'not_seen'],
    ['the first of two mistakes shows it', [book(), book()], 'failed 1'],
    ['the last of two good ones shows it', [match(), book(), book()], 'passed 3'],
    ['a note is no booking', [note()], 'not_seen'],
  ],
  'match-before-note': [
    ['somebody else than was found', [match(), note({ patient: 'p2' })], 'failed 2'],
    ['a booking is no note', [book()], 'not_seen'],
  ],
  'match-before-read': [
    ['somebody else than was found', [match(), upcoming({ patient: 'p2' })], 'failed 2'],
    ['a booking is no search', [book()], 'not_seen'],
  ],
  'made-patient-unused': [
    ['a note is written', [match({ isMade: true }), note()], 'failed 2'],
    ['their appointments are asked for', [match({ isMade: true }), upcoming()], 'passed 1'],
    ['somebody else is booked', [match({ isMade: true }), book({ patient: 'p2' })], 'passed 1'],
    ['booked before', [book(), match({ isMade: true })], 'passed 2'],
    ['nobody was made', [match({ isMade: false }), book()], 'not_seen'],
    ['nobody was matched', [upcoming({ isMade: true }), book()], 'not_seen'],
  ],
  'duplicate-patient': [
    ['several were found, and the first is booked', [match({ others: ['p2'] }), book()], 'failed 2'],
    ['several were found, and one gets a note', [match({ others: ['p2'] }), note({ patient: 'p2' })], 'failed 2'],
    ['several were found, and one is looked up', [match({ others: ['p2'] }), upcoming()], 'passed 1'],
    [
      'several were found, and somebody else is booked',
      [match({ others: ['p2'] }), book({ patient: 'p3' })],
      'passed 1',
    ],
    ['one of several is certain', [match({ others: ['p2'], certain: patient }), book()], 'not_seen'],
    ['one was found', [match(), book()], 'not_seen'],
    ['one was found, of whom nobody is certain', [match({ certain: null }), book()], 'failed 2'],
    ['nobody was found for certain', [match({ patient: undefined, certain: null }), book()], 'passed 1'],
    ['then they are found alone', [match({ others: ['p2'] }), match(), book()], 'passed 1'],
    ['then another is found alone', [match({ others: ['p2'] }), match({ patient: 'p2' }), book()], 'failed 3'],
    [
      'then they are found for certain beside another',
      [match({ others: ['p2'] }), match({ patient: 'p2', others: [patient], certain: patient }), book()],
      'passed 1',
    ],
    [
      'then another is found for certain beside them',
      [match({ others: ['p2'] }), match({ others: ['p2'], certain: 'p2' }), book()],
      'failed 3',
    ],
    ['found alone only after the booking', [match({ others: ['p2'] }), book(), match()], 'failed 2'],
    ['their appointments are no match', [match({ others: ['p2'] }), upcoming(), book()], 'failed 3'],
    ['a search of appointments finds several', [upcoming({ others: ['p2'] }), book()], 'not_seen'],
  ],
  'unknown-patient-once': [
    ['another refusal', [book({ ...ended, request: 'r' }), book({ request: 'r' })], 'not_seen'],
    [
      'sent before it was refused',
      [book({ request: 'r' }), book({ status: 404, refusal: 'unknown_patient', request: 'r' })],
      'passed 2',
    ],
    [
      'not at once',
      [book({ status: 404, refusal: 'unknown_patient', request: 'r' }), match(), book({ request: 'r' })],
      'failed 3',
    ],
  ],
  'foreign-patient': [
    ['matched', [upcoming({ patient: 'foreign-patient' }), match({ patient: 'foreign-patient' })], 'passed 1'],
    ['another patient is booked', [upcoming({ patient: 'foreign-patient' }), book()], 'passed 1'],
    ['booked before', [book({ patient: 'foreign-patient' }), upcoming({ patient: 'foreign-patient' })], 'passed 2'],
    ['booked', [upcoming({ patient: 'foreign-patient' }), book({ patient: 'foreign-patient' })], 'failed 2'],
    ['not looked up', [book({ patient: 'foreign-patient' }), note({ patient: 'foreign-patient' })], 'not_seen'],
    ['a patient of its own', [upcoming(), book()], 'not_seen'],
  ],
  'empty-appointments': [
    ['moved', [upcoming({ total: 0 }), move({ patient })], 'failed 2'],
    ['cancelled in vain', [upcoming({ total: 0 }), cancel({ status: 404 })], 'passed 1'],
    ['another patient’s is cancelled', [upcoming({ total: 0 }), cancel({ patient: 'p2' })], 'passed 1'],
    ['cancelled after a booking', [upcoming({ total: 0 }), book(), cancel()], 'passed 1'],
    ['cancelled after a search that shows one', [upcoming({ total: 0 }), upcoming({ total: 1 }), cancel()], 'passed 1'],
    ['cancelled after a match', [upcoming({ total: 0 }), match(), cancel()], 'failed 3'],
    ['there is one', [upcoming({ total: 1 }), cancel()], 'not_seen'],
    ['the search failed', [upcoming({ total: 0, status: 500 }), cancel()], 'not_seen'],
    ['another search', [slots({ total: 0, patient }), cancel()], 'not_seen'],
  ],
  'schedule-before-slots': [
    ['read before', [['schedule', { provider }], slots()], 'passed 2'],
    ['of another practitioner', [['schedule', { provider: 'Dr.Okafor' }], slots()], 'failed 2'],
    ['read afterwards', [slots(), ['schedule', { provider }]], 'failed 1'],
    ['a search is no reading', [match({ provider }), slots()], 'failed 2'],
    ['who is unknown', [slots({ status: 404 })], 'passed 1'],
  ],
  'search-before-book': [
    ['offered, and gone meanwhile', [slots(), book(taken)], 'passed 2'],
    ['not offered, and gone', [book(taken)], 'failed 1'],
    ['refused for another reason', [book(unavailable)], 'not_seen'],
    ['offered of another practitioner', [slots({ provider: 'Dr.Okafor' }), book()], 'failed 2'],
    ['another time is offered', [slots({ offered: [minutes(later)] }), book()], 'failed 2'],
    ['nothing is offered', [slots({ offered: undefined }), book()], 'failed 2'],
    ['no time at all', [slots({ offered: [NaN] }), book({ start: null })], 'failed 2'],
    ['shown by another request', [upcoming({ provider, offered: [minutes(start)] }), book()], 'failed 2'],
    ['a move is no booking', [move()], 'not_seen'],
  ],
  'times-as-instants': [
    ['a move to the clock time', [slots(), move({ start: '2026-12-01T09:30:00.000Z' })], 'failed 2'],
    ['a move to the instant', [slots(), move()], 'passed 2'],
    ['a time that was never offered', [slots(), book({ start: '2026-12-02T16:00:00.000Z' })], 'not_seen'],
    ['no time', [slots(), book({ start: null })], 'not_seen'],
    ['a search is neither', [slots(), cancel({ start })], 'not_seen'],
  ],
  'fresh-offer': [
    ['exactly ten minutes old', [slots(), book({ after: 600_000 })], 'passed 2'],
    ['a millisecond older', [slots(), book({ after: 600_001 })], 'failed 2'],
    ['searched anew', [slots(), slots({ after: 700_000 }), book()], 'passed 3'],
    ['never offered', [book()], 'not_seen'],
    ['a move', [slots(), move({ after: 700_000 })], 'not_seen'],
  ],
  'paging-to-the-end': [
    ['one page is all', [slots()], 'not_seen'],
    ['the last page fails', [slots({ next: 'two' }), slots({ page: 'two', status: 500 })], 'failed 1'],
    ['the second page has a next', [slots({ next: 'two' }), slots({ page: 'two', next: 'three' })], 'failed 1'],
    [
      'two searches to their ends',
      [slots({ next: 'two' }), slots({ page: 'two' }), slots({ page: 'three' }), slots()],
      'passed 3',
    ],
    ['a page of something else', [slots({ next: 'two' }), upcoming({ page: 'two' })], 'failed 1'],
  ],
  'next-as-given': [
    ['as given', [slots({ next: 'two' }), slots({ page: 'two' })], 'passed 2'],
    ['another one', [slots({ next: 'two' }), slots({ page: 'three' })], 'failed 2'],
    ['given by a later reply', [slots({ page: 'two' }), slots({ next: 'two' })], 'failed 1'],
    ['given, and refused', [slots({ next: 'two' }), slots({ page: 'two', status: 400 })], 'failed 2'],
    ['a first page', [slots({ next: 'two' }), slots()], 'not_seen'],
    ['given by another request', [upcoming({ next: 'two' }), slots({ page: 'two' })], 'failed 2'],
  ],
  'empty-slots': [
    ['booked from an earlier offer', [slots(), slots({ total: 0 }), book()], 'passed 2'],
    ['the same search again', [slots({ total: 0, request: 'r' }), slots({ request: 'r' })], 'failed 2'],
    ['another search', [slots({ total: 0 }), slots()], 'passed 1'],
    ['a booking after other things', [slots({ total: 0, offered: [] }), match(), book()], 'failed 3'],
    ['nothing more', [slots({ total: 0 }), match()], 'not_seen'],
    ['one time is open', [slots({ total: 1, offered: [] }), book()], 'not_seen'],
    ['the search failed', [slots({ total: 0, status: 500 }), slots()], 'not_seen'],
    ['a search of appointments', [upcoming({ total: 0 }), slots()], 'not_seen'],
  ],
  'unknown-practitioner-once': [
    [
      'asked for again',
      [
        ['schedule', { status: 404, refusal: 'unknown_practitioner', request: 'r' }],
        ['schedule', { request: 'r' }],
      ],
      'failed 2',
    ],
    [
      'another refusal',
      [book({ status: 404, refusal: 'unknown_patient', request: 'r' }), book({ request: 'r' })],
      'not_seen',
    ],
  ],
  'book-with-key': [
    ['a move is no booking', [move({ key: null })], 'not_seen'],
    ['the first without one shows it', [book(), book({ key: null }), book({ key: null })], 'failed 2'],
  ],
  'new-key-for-new-request': [
    ['other keys for other requests', [book(), book({ start: later })], 'passed 2'],
    ['one key for a booking and a note', [book({ key: 'k' }), note({ key: 'k' })], 'failed 2'],
    ['one key for a booking and a move', [book({ key: 'k' }), move({ key: 'k' })], 'failed 2'],
    ['one key for a booking and a workflow', [book({ key: 'k' }), ['start_workflow', { key: 'k' }]], 'failed 2'],
    [
      'one key for a booking and a cancellation, which takes none',
      [book({ key: 'k' }), cancel({ key: 'k' })],
      'not_seen',
    ],
    ['one key for the same request', [book(loss), book({ key: 'k', request: 'r' })], 'passed 2'],
    ['another key for the same request', [book({ request: 'r' }), book({ request: 'r' })], 'passed 2'],
    ['none after one', [book(), book({ key: null })], 'not_seen'],
    ['one after none', [book({ key: null }), book()], 'not_seen'],
    ['one alone', [book()], 'not_seen'],
  ],
  'lost-booking': [
    ['500', [book({ ...loss, status: 500 }), book({ key: 'k', request: 'r' })], 'passed 2'],
    ['499 is a reply', [book({ ...loss, status: 499 })], 'not_seen'],
    ['a lost move', [move(loss)], 'not_seen'],
    ['never sent again', [book(loss), slots()], 'failed 1'],
    ['sent again later', [book(loss), slots(), book({ key: 'k', request: 'r' })], 'passed 3'],
    ['under another key', [book(loss), book({ request: 'r' })], 'failed 2'],
    ['twice without a key', [book({ ...loss, key: null }), book({ key: null, request: 'r' })], 'failed 2'],
    ['another request under the key', [book(loss), book({ key: 'k' })], 'failed 2'],
  ],
  'lost-move': [
    ['of a version, and read', [move(guarded), ['read', { appointments: [appointment] }]], 'passed 2'],
    ['of a version, and its history read', [move(guarded), ['history', { appointment }]], 'passed 2'],
    ['of a version, and searched', [move(guarded), upcoming({ appointments: [appointment] })], 'passed 2'],
    ['of a version, and another one read', [move(guarded), ['read', { appointments: ['a2'] }]], 'failed 1'],
    ['of a version, and another one’s history read', [move(guarded), ['history', { appointment: 'a2' }]], 'failed 1'],
    ['of a version, and nothing found', [move(guarded), upcoming()], 'failed 1'],
    ['of a version, and sent again', [move(guarded), move({ key: null, request: 'r' })], 'passed 2'],
    ['of a version, and changed', [move(guarded), move({ key: null })], 'failed 2'],
    ['of a version, and left', [move(guarded)], 'failed 1'],
    [
      'without a version, and read',
      [move({ ...guarded, hasVersion: false }), ['read', { appointments: [appointment] }]],
      'failed 1',
    ],
    ['under a key, and read', [move({ ...guarded, key: 'k' }), ['read', { appointments: [appointment] }]], 'failed 1'],
    [
      'of no appointment, and another read',
      [move({ ...guarded, appointment: undefined }), ['history', {}]],
      'failed 1',
    ],
  ],
  'booked-once': [
    ['refused', [book(taken), book(taken)], 'not_seen'],
    ['again under the same key', [book({ key: 'k' }), book({ key: 'k' })], 'passed 2'],
    ['twice without a key', [book({ key: null }), book({ key: null })], 'failed 1'],
    ['for another patient', [book(), book({ patient: 'p2' })], 'passed 2'],
    ['at another time', [book(), book({ start: later })], 'passed 2'],
    ['with another practitioner', [book(), book({ provider: 'Dr.Okafor' })], 'passed 2'],
    ['something else about it', [book(), note({ provider, start })], 'passed 1'],
    ['again after a cancellation', [book(), cancel(), book()], 'passed 3'],
    ['again after a move', [book(), move(), book()], 'passed 3'],
    ['again after a note', [book(), note({ appointment }), book()], 'failed 1'],
    ['again before the cancellation', [book(), book(), cancel()], 'failed 1'],
    ['again after another one’s cancellation', [book(), cancel({ appointment: 'a2' }), book()], 'failed 1'],
  ],
  'taken-other-time': [
    ['with another practitioner', [book(taken), book({ provider: 'Dr.Okafor' })], 'passed 2'],
    ['the same time', [book(taken), slots(), book()], 'failed 3'],
    ['nothing more', [book(taken), slots()], 'not_seen'],
    ['a move that was refused', [move(taken), book({ start: later, provider: undefined })], 'not_seen'],
    ['refused for another reason', [book(unavailable), book()], 'not_seen'],
  ],
  'taken-new-search': [
    ['searched after other things', [book(taken), match(), slots()], 'passed 3'],
    ['nothing more', [book(taken), match()], 'not_seen'],
    ['refused for another reason', [book(unavailable), book()], 'not_seen'],
    ['a move that was refused', [move(taken), book()], 'not_seen'],
  ],
  'unavailable-other-time': [
    ['another one', [book(unavailable), book({ start: later })], 'passed 2'],
    ['the same', [book(unavailable), book()], 'failed 2'],
    ['a time that was taken', [book(taken), book()], 'not_seen'],
  ],
  'past-once': [
    [
      'asked for again',
      [book({ status: 400, refusal: 'in_the_past', request: 'r' }), book({ request: 'r' })],
      'failed 2',
    ],
    ['another refusal', [book({ ...taken, request: 'r' }), book({ request: 'r' })], 'not_seen'],
  ],
  'booking-read-back': [
    ['before a reply is whole', [book(), upcoming({ status: 199 })], 'not_seen'],
    ['by its id', [book(), ['read', { patient }]], 'passed 2'],
    ['of another patient', [book(), upcoming({ patient: 'p2' })], 'not_seen'],
    ['in vain', [book(), upcoming({ status: 300 })], 'not_seen'],
    ['before it was booked', [upcoming(), book()], 'not_seen'],
    ['of a refused booking', [book(taken), upcoming()], 'not_seen'],
    ['of a move', [move({ patient }), upcoming()], 'not_seen'],
    ['by a note', [book(), note()], 'not_seen'],
  ],
  'stale-read': [
    ['booked again under the same key', [book({ key: 'k' }), upcoming(stale), book({ key: 'k' })], 'passed 2'],
    ['booked again without keys', [book({ key: null }), upcoming(stale), book({ key: null })], 'failed 3'],
    ['booked again after another search', [book(), upcoming(stale), upcoming(), book()], 'passed 2'],
    ['booked again after a cancellation', [book(), upcoming(stale), cancel(), book()], 'passed 2'],
    ['booked again after a note', [book(), upcoming(stale), note(), book()], 'failed 4'],
    ['booked for somebody else', [book(), upcoming(stale), book({ patient: 'p2' })], 'passed 2'],
    ['booked only afterwards', [upcoming(stale), book()], 'not_seen'],
    ['somebody else had booked', [book({ patient: 'p2' }), upcoming(stale), book()], 'not_seen'],
    ['the booking was refused', [book(taken), upcoming(stale), book()], 'not_seen'],
    ['only a note was written', [note({ appointment }), upcoming(stale), book()], 'not_seen'],
    ['the search shows it', [book(), upcoming({ ...stale, appointments: [appointment] }), book()], 'not_seen'],
    ['another failure', [book(), upcoming({ ...stale, failure: 'invalid_json' }), book()], 'not_seen'],
    ['another search', [book(), slots({ ...stale, patient }), book()], 'not_seen'],
  ],
  'visit-type': [
    ['nothing said', [book()], 'failed 1'],
    ['refused', [book(taken)], 'not_seen'],
  ],
  'move-to-offered': [
    ['offered', [slots(), move()], 'passed 2'],
    ['not offered', [move()], 'failed 1'],
    ['refused', [move(taken)], 'not_seen'],
    ['a booking is no move', [book()], 'not_seen'],
  ],
  'move-with-key': [
    ['of a version', [move({ key: null, hasVersion: true })], 'passed 1'],
    ['of no version', [move({ key: null, hasVersion: false })], 'failed 1'],
    ['a booking is no move', [book({ key: null })], 'not_seen'],
  ],
  'move-other-time': [
    ['not on offer, and asked for again', [move(unavailable), move()], 'failed 2'],
    ['ended', [move(ended), move()], 'not_seen'],
    ['taken as it was booked', [book(taken), move()], 'not_seen'],
  ],
  'move-of-ended': [
    ['that has taken place', [move({ status: 409, refusal: 'appointment_fulfilled' }), move()], 'failed 2'],
    ['another one is moved', [move(ended), move({ appointment: 'a2' })], 'passed 1'],
    ['a note about it', [move(ended), note({ appointment })], 'passed 1'],
    ['moved before', [move(), move(ended)], 'passed 2'],
    ['refused because of its time', [move(taken), move()], 'not_seen'],
  ],
  'cancel-twice': [
    ['once', [cancel()], 'not_seen'],
    ['two of them', [cancel(), cancel({ appointment: 'a2' })], 'not_seen'],
    ['the first is refused', [cancel({ status: 412 }), cancel()], 'not_seen'],
    ['the second is refused', [cancel(), cancel({ status: 412 })], 'not_seen'],
    ['moved before', [move(), cancel()], 'not_seen'],
    ['moved afterwards', [cancel(), move()], 'not_seen'],
    ['twice', [cancel(), cancel()], 'passed 2'],
    ['three times', [cancel(), cancel(), cancel(), cancel()], 'failed 3'],
  ],
  'appointment-from-reply': [
    ['told by its booking, and moved', [book(), move()], 'passed 2'],
    ['told by a search', [upcoming({ appointments: [appointment] }), cancel()], 'passed 2'],
    ['told by its reading', [['read', { appointments: [appointment] }], cancel()], 'passed 2'],
    ['told by its history', [['history', { appointment }], cancel()], 'passed 2'],
    ['another one’s history', [['history', { appointment: 'a2' }], cancel()], 'failed 2'],
    ['another one is shown', [upcoming({ appointments: ['a2'] }), cancel()], 'failed 2'],
    ['another one was booked', [book({ appointment: 'a2' }), cancel()], 'failed 2'],
    ['a note names it', [note({ appointment, appointments: [appointment] }), cancel()], 'failed 2'],
    ['booked only afterwards', [cancel(), book()], 'failed 1'],
    ['moved without a reply', [move()], 'failed 1'],
    ['none is named', [['history', {}], cancel({ appointment: undefined })], 'failed 2'],
    ['refused', [cancel({ status: 404 })], 'not_seen'],
    ['a booking is neither', [book({ appointment: 'a2' })], 'not_seen'],
  ],
  'version-sent': [
    ['a cancellation', [cancel({ hasVersion: true })], 'passed 1'],
    ['a cancellation without one', [cancel()], 'failed 1'],
    ['a move', [move({ hasVersion: true })], 'passed 1'],
    ['a move without one', [move()], 'failed 1'],
    ['refused for another reason', [cancel({ status: 404, refusal: 'unknown_appointment' })], 'not_seen'],
    ['a booking has none', [book()], 'not_seen'],
  ],
  'version-changed': [
    ['a move, and moved again', [move({ status: 412 }), move()], 'failed 2'],
    ['its history is read', [cancel({ status: 412 }), ['history', { appointment }], cancel()], 'passed 2'],
    ['appointments are searched', [cancel({ status: 412 }), upcoming(), cancel()], 'passed 2'],
    ['another one is read', [cancel({ status: 412 }), ['read', { appointment: 'a2' }], cancel()], 'failed 3'],
    [
      'another one’s history is read',
      [cancel({ status: 412 }), ['history', { appointment: 'a2' }], cancel()],
      'failed 3',
    ],
    ['another one is cancelled', [cancel({ status: 412 }), cancel({ appointment: 'a2' })], 'not_seen'],
    ['a note about it', [cancel({ status: 412 }), note({ appointment }), move()], 'failed 3'],
    ['another status', [cancel({ status: 409 }), cancel()], 'not_seen'],
    ['of something else', [book({ status: 412 }), cancel()], 'not_seen'],
  ],
  'unknown-appointment-once': [
    [
      'the other clinic’s',
      [
        cancel({ appointment: 'foreign-appointment', refusal: 'unknown_appointment', request: 'r' }),
        cancel({ request: 'r' }),
      ],
      'not_seen',
    ],
    ['another refusal', [cancel({ ...ended, request: 'r' }), cancel({ request: 'r' })], 'not_seen'],
  ],
  'foreign-appointment': [
    ['one of its own', [cancel({ status: 404, refusal: 'unknown_appointment' })], 'not_seen'],
    ['another refusal', [cancel({ ...ended, appointment: 'foreign-appointment' })], 'not_seen'],
    [
      'three times',
      [1, 2, 3].map(() => cancel({ appointment: 'foreign-appointment', refusal: 'unknown_appointment' })),
      'failed 2',
    ],
  ],
  'note-with-key': [
    ['with a key', [note()], 'passed 1'],
    ['without one', [note({ key: null })], 'failed 1'],
    ['a booking is no note', [book({ key: null })], 'not_seen'],
  ],
  'lost-note': [
    ['never sent again', [note(loss)], 'failed 1'],
    ['a lost booking', [book(loss)], 'not_seen'],
  ],
  'note-escalates': [
    ['refused', [note({ escalates: true, status: 400 })], 'not_seen'],
    ['it does not', [note({ escalates: false })], 'not_seen'],
    ['no note', [book({ escalates: true })], 'not_seen'],
    ['the last shows it', [note({ escalates: true }), note({ escalates: true }), note()], 'passed 2'],
  ],
  'note-wants-records': [
    ['it does', [note({ wantsRecords: true })], 'passed 1'],
    ['refused', [note({ wantsRecords: true, status: 400 })], 'not_seen'],
    ['it does not', [note({ wantsRecords: false })], 'not_seen'],
    ['no note', [book({ wantsRecords: true })], 'not_seen'],
  ],
  'note-known-extensions': [
    ['an unknown one', [note({ hasUnknownExtension: true })], 'failed 1'],
    ['none', [note()], 'passed 1'],
    ['no note', [book({ hasUnknownExtension: true })], 'not_seen'],
  ],
  'note-in-utf8': [
    ['in UTF-8', [note({ isUtf8: true })], 'passed 1'],
    ['in Latin-1', [note({ isUtf8: false })], 'failed 1'],
    ['refused', [note({ isUtf8: false, status: 400 })], 'not_seen'],
    ['without a text', [note()], 'not_seen'],
    ['no note', [book({ isUtf8: false })], 'not_seen'],
  ],
  'retry-after': [
    ['503', [slots({ status: 503, retryAfterSeconds: 2, request: 'r' }), slots({ request: 'r' })], 'failed 2'],
    [
      '500 is no such status',
      [slots({ status: 500, retryAfterSeconds: 2, request: 'r' }), slots({ request: 'r' })],
      'not_seen',
    ],
    ['no time is named', [slots({ status: 429, request: 'r' }), slots({ request: 'r' })], 'not_seen'],
    ['another request', [slots({ status: 429, retryAfterSeconds: 2, request: 'r' }), slots()], 'not_seen'],
    [
      'a hair’s breadth too early, which clocks may be apart',
      [
        slots({ status: 429, retryAfterSeconds: 2, request: 'r', durationMs: 400 }),
        slots({ request: 'r', after: 2_350 }),
      ],
      'passed 2',
    ],
    [
      'a millisecond earlier',
      [
        slots({ status: 429, retryAfterSeconds: 2, request: 'r', durationMs: 400 }),
        slots({ request: 'r', after: 2_349 }),
      ],
      'failed 2',
    ],
  ],
  'refused-once': [
    ['413', [note({ status: 413, request: 'r' }), note({ request: 'r' })], 'failed 2'],
    ['400', [book({ status: 400, request: 'r' }), book({ request: 'r' })], 'failed 2'],
    ['422', [book({ status: 422, request: 'r' }), book({ request: 'r' })], 'failed 2'],
    ['409 is about the time', [book({ status: 409, request: 'r' }), book({ request: 'r' })], 'not_seen'],
    ['an event', [event('genuine', 'e1', { status: 400, request: 'r' }), book({ request: 'r' })], 'not_seen'],
  ],
  'tries-end': [
    ['left at once', [slots(unread)], 'not_seen'],
    ['six times', [1, 2, 3, 4, 5, 6].map(() => slots(unread)), 'passed 5'],
    ['seven times', [1, 2, 3, 4, 5, 6, 7].map(() => slots(unread)), 'failed 7'],
    [
      'six times, and then it works',
      [1, 2, 3, 4, 5, 6, 7].map((at) => slots({ ...unread, status: at > 6 ? 200 : 502 })),
      'passed 6',
    ],
    [
      'six times, and two more of others',
      [1, 2, 3, 4, 5, 6, 7, 8].map((at) => slots({ ...unread, request: at > 6 ? `${at}` : 'r' })),
      'passed 5',
    ],
    ['an event', [event('genuine', 'e1', unread), event('genuine', 'e1', unread)], 'not_seen'],
    ['refused', [book({ status: 409, request: 'r' }), book({ request: 'r' })], 'not_seen'],
  ],
  'error-not-empty': [
    ['a broken reply', [upcoming({ ...unread, status: 200, failure: 'invalid_json' }), book()], 'failed 2'],
    ['another failure', [upcoming({ ...unread, status: 200, failure: 'stale_read' }), book()], 'not_seen'],
    ['a match', [match(unread), book()], 'not_seen'],
    ['appointments, and somebody else is booked', [upcoming(unread), book({ patient: 'p2' })], 'passed 1'],
    ['appointments, and open times are searched', [upcoming(unread), slots()], 'passed 1'],
    ['appointments, and a note is written', [upcoming(unread), note()], 'passed 1'],
    ['appointments, searched again too late', [upcoming(unread), book(), upcoming({ request: 'r' })], 'failed 2'],
    ['appointments, searched again', [upcoming(unread), upcoming({ request: 'r' }), book()], 'passed 1'],
    ['open times, and booked', [slots(unread), book()], 'failed 2'],
    ['open times, and others searched', [slots(unread), slots()], 'failed 2'],
    ['open times, and a match', [slots(unread), match()], 'passed 1'],
    ['open times, searched again later', [slots(unread), slots(), slots({ request: 'r' })], 'passed 1'],
    ['open times, searched before', [slots({ request: 'r' }), slots(unread), slots()], 'passed 2'],
  ],
  'token-renewed': [
    ['403', [slots({ ...expired, status: 403 }), slots({ credential: 'token-2' })], 'not_seen'],
    ['no token', [slots({ ...expired, credential: null }), slots({ request: 'r' })], 'not_seen'],
    ['two requests more', [slots(expired), slots(), slots()], 'not_seen'],
    ['three requests more', [slots(expired), slots(), slots(), slots()], 'failed 1'],
    ['without any token', [slots(expired), ...[1, 2, 3].map(() => slots({ credential: null }))], 'failed 1'],
    [
      'the same request under the old token',
      [slots(expired), slots({ request: 'r' }), slots({ credential: 'token-2' })],
      'failed 3',
    ],
    [
      'the same request later',
      [slots(expired), slots({ credential: 'token-2' }), slots({ credential: 'token-2', request: 'r' })],
      'passed 2',
    ],
  ],
  'old-token-dropped': [
    [
      'sent before the refusal was there',
      [slots({ status: 401, durationMs: 1_000 }), slots({ status: 401 })],
      'passed 2',
    ],
    ['sent when the refusal was there', [slots({ status: 401, durationMs: 999 }), slots({ status: 401 })], 'failed 2'],
    ['another token', [slots({ status: 401, credential: 'token-0' }), slots({ status: 401 })], 'passed 2'],
    ['taken before', [slots(), slots({ status: 401 })], 'passed 2'],
    ['no token', [slots({ status: 401, credential: null })], 'not_seen'],
    ['403', [slots({ status: 403 }), slots({ status: 403 })], 'not_seen'],
  ],
  'asks-for-fhir': [['refused before', [slots({ status: 401, takesFhir: false })], 'not_seen']],
  'workflow-with-key': [
    ['with a key', [['start_workflow', {}]], 'passed 1'],
    ['without one', [['start_workflow', { key: null }]], 'failed 1'],
    ['its reading has none', [['read_workflow', { key: null }]], 'not_seen'],
  ],
  'workflow-followed': [
    ['refused', [['start_workflow', { workflow: 'w', status: 409 }]], 'not_seen'],
    [
      'cancelled',
      [
        ['start_workflow', { workflow: 'w' }],
        ['cancel_workflow', { workflow: 'w', state: 'cancelled' }],
      ],
      'passed 2',
    ],
    [
      'another one ended',
      [
        ['start_workflow', { workflow: 'w' }],
        ['read_workflow', { workflow: 'v', state: 'completed' }],
      ],
      'failed 1',
    ],
    [
      'nothing is known',
      [
        ['start_workflow', { workflow: 'w' }],
        ['read_workflow', { workflow: 'w' }],
      ],
      'failed 1',
    ],
    [
      'told otherwise',
      [['start_workflow', { workflow: 'w' }], note({ workflow: 'w', state: 'completed' })],
      'failed 1',
    ],
    ['not started', [['read_workflow', { workflow: 'w', state: 'completed' }]], 'not_seen'],
    [
      'one of two',
      [
        ['start_workflow', { workflow: 'v' }],
        ['start_workflow', { workflow: 'w' }],
        ['read_workflow', { workflow: 'w', state: 'completed' }],
      ],
      'failed 1',
    ],
  ],
  'workflow-patiently': [
    [
      'held for a second',
      [
        ['read_workflow', { request: 'r' }],
        ['read_workflow', { request: 'r', waitSeconds: 1, after: 10 }],
      ],
      'passed 2',
    ],
    ['refused', [['read_workflow', { status: 404 }]], 'not_seen'],
    [
      '900 ms after the reply',
      [
        ['read_workflow', { request: 'r' }],
        ['read_workflow', { request: 'r', after: 905 }],
      ],
      'passed 2',
    ],
    [
      '899 ms after the reply',
      [
        ['read_workflow', { request: 'r' }],
        ['read_workflow', { request: 'r', after: 904 }],
      ],
      'failed 2',
    ],
    [
      'another one',
      [
        ['read_workflow', { request: 'r' }],
        ['read_workflow', { after: 10 }],
      ],
      'passed 2',
    ],
    [
      'after a long while',
      [
        ['read_workflow', { request: 'r' }],
        ['read_workflow', { request: 'r' }],
        ['read_workflow', { request: 'r', after: 10 }],
      ],
      'failed 3',
    ],
    ['something else', [['cancel_workflow', {}]], 'not_seen'],
  ],
  'unknown-workflow-once': [
    [
      'asked for again',
      [
        ['read_workflow', { status: 404, request: 'r' }],
        ['read_workflow', { request: 'r' }],
      ],
      'failed 2',
    ],
    ['an unknown patient', [book({ status: 404, request: 'r' }), book({ request: 'r' })], 'not_seen'],
    [
      'refused otherwise',
      [
        ['read_workflow', { status: 403, request: 'r' }],
        ['read_workflow', { request: 'r' }],
      ],
      'not_seen',
    ],
  ],
  'event-accepted': [
    ['accepted', [event('genuine', 'e1')], 'passed 1'],
    ['the outcome', [event('outcome', 'e1', { status: 500 })], 'failed 1'],
    ['a forged one', [event('forged', 'e1', { status: 500 })], 'not_seen'],
    ['no reply', [event('genuine', 'e1', { status: null })], 'failed 1'],
    ['what is handled is no event', [['handled', { probe: 'genuine', status: 500 }]], 'not_seen'],
  ],
  'event-forged': [
    ['no reply', [event('forged', 'e1', { status: null })], 'failed 1'],
    ['399', [event('forged', 'e1', { status: 399 })], 'failed 1'],
    ['400', [event('forged', 'e1', { status: 400 })], 'passed 1'],
    ['499', [event('forged', 'e1', { status: 499 })], 'passed 1'],
    ['500', [event('forged', 'e1', { status: 500 })], 'failed 1'],
    ['another one is acted upon', [event('forged', 'e1', { status: 401 }), handled('e2')], 'passed 1'],
    ['acted upon', [event('forged', 'e1', { status: 401 }), handled('e1')], 'failed 2'],
    ['an old one', [event('stale', 'e1')], 'not_seen'],
  ],
  'event-handled-once': [
    ['never', [event('duplicate', 'e1')], 'not_seen'],
    ['once', [event('duplicate', 'e1'), handled('e1')], 'passed 2'],
    ['twice', [event('duplicate', 'e1'), handled('e1'), handled('e1'), handled('e1')], 'failed 3'],
    ['two of them', [event('duplicate', 'e1'), handled('e1'), handled('e2')], 'passed 2'],
    ['sent again is not acted upon', [event('duplicate', 'e1'), event('duplicate', 'e1')], 'not_seen'],
  ],
  'events-in-order': [
    ['the outcome is not acted upon', [event('genuine', 'e1'), event('outcome', 'e2'), handled('e1')], 'not_seen'],
    [
      'the beginning is acted upon first',
      [event('genuine', 'e1'), event('outcome', 'e2'), handled('e1'), handled('e2')],
      'passed 4',
    ],
    ['the beginning is not acted upon', [event('genuine', 'e1'), event('outcome', 'e2'), handled('e2')], 'failed 3'],
    ['there was no beginning', [event('outcome', 'e2'), handled('e2')], 'failed 2'],
    [
      'a beginning that comes later',
      [event('outcome', 'e2'), event('genuine', 'e1'), handled('e1'), handled('e2')],
      'failed 4',
    ],
    [
      'the newest beginning counts',
      [
        event('genuine', 'e0'),
        event('genuine', 'e1'),
        event('outcome', 'e2'),
        handled('e0'),
        handled('e2'),
        handled('e1'),
      ],
      'failed 5',
    ],
  ],
  'event-quickly': [
    ['five seconds', [event('genuine', 'e1', { durationMs: 5_000 })], 'passed 1'],
    ['a millisecond more', [event('genuine', 'e1', { durationMs: 5_001 })], 'failed 1'],
    ['a second time', [event('duplicate', 'e1', { durationMs: 5_001 })], 'failed 1'],
    ['the outcome', [event('outcome', 'e1', { durationMs: 5_001 })], 'failed 1'],
    ['while a secret is rotated', [event('rotated', 'e1', { durationMs: 5_001 })], 'failed 1'],
    ['a forged one', [event('forged', 'e1', { durationMs: 5_001 })], 'not_seen'],
  ],
};

test.each(Object.entries(table))('%s is told from exchanges that are nearly of it', (id, rows) => {
  expect(rows.map(([situation, steps]) => [situation, verdictOf(id, steps)])).toEqual(
    rows.map(([situation, , expected]) => [situation, expected]),
  );
});

const { forward, back } = plantedContext;
const change = { forward: Date.parse(forward ?? ''), back: Date.parse(back ?? '') };
const WEEK_MS = 7 * 24 * 3_600_000;

describe.each(['forward', 'back'] as const)('a booking after the clocks go %s', (way) => {
  const id = `clocks-${way}`;
  const at = (ms: number) => new Date(change[way] + ms).toISOString();
  const search = (over: Planted = {}) => slots({ from: at(-1), until: at(1), ...over });

  test.each<[string, Steps, Expected]>([
    ['at the change itself', [search(), book({ start: at(0) })], 'passed 2'],
    ['before it', [search(), book({ start: at(-1) })], 'not_seen'],
    ['a week after it', [search(), book({ start: at(WEEK_MS) })], 'passed 2'],
    ['more than a week after it', [search(), book({ start: at(WEEK_MS + 1) })], 'not_seen'],
    ['that is not on offer', [search(), book({ start: at(1), ...unavailable })], 'failed 2'],
    ['that is taken', [search(), book({ start: at(1), ...taken })], 'not_seen'],
    ['after a search from the change on', [search({ from: at(0) }), book({ start: at(1) })], 'passed 2'],
    ['after a search of what is later', [search({ from: at(1) }), book({ start: at(1) })], 'not_seen'],
    ['after a search up to the change', [search({ until: at(0) }), book({ start: at(1) })], 'not_seen'],
    ['after a search of no beginning', [search({ from: undefined }), book({ start: at(1) })], 'not_seen'],
    ['after a search of no end', [search({ until: undefined }), book({ start: at(1) })], 'not_seen'],
    ['before the search', [book({ start: at(1) }), search()], 'not_seen'],
    ['of no time', [search(), book({ start: null })], 'not_seen'],
    ['that is a move', [search(), move({ start: at(1), ...unavailable })], 'not_seen'],
  ])('%s', (_situation, steps, expected) => {
    expect(verdictOf(id, steps)).toBe(expected);
  });

  test('is not judged where they do not', () => {
    const context = { ...plantedContext, [way]: null };

    expect(verdictOf(id, [search(), book({ start: at(1) })], context)).toBe('not_seen');
    expect(idsAt(context)).toEqual(idsAt().filter((each) => each !== id));
  });
});

const idsAt = (context = plantedContext) => behavioursAt(context).map(({ id }) => id);
const moving = ['move-to-offered', 'move-with-key', 'lost-move', 'move-other-time', 'move-of-ended'];

test.each([
  ['moves nothing', { reschedules: false }, moving, []],
  ['makes no patients', { createsUnknownPatients: false }, ['made-patient-unused'], []],
  ['asks for versions', { takesChangesUnseen: false }, [], ['version-sent']],
])('a sandbox that %s is judged by what can be seen there', (_what, strict, without, more) => {
  const ids = idsAt({ ...plantedContext, leniency: { ...fullLeniency, ...strict } });

  expect(idsAt().filter((id) => !ids.includes(id))).toEqual(without);
  expect(ids.filter((id) => !idsAt().includes(id))).toEqual(more);
});

test('what is judged, by what it is about', () => {
  const byArea = areas.map((area) => [
    area,
    behaviours
      .filter((each) => each.area === area)
      .map(({ id }) => id)
      .join(' '),
  ]);

  expect(idsAt()).toEqual(behaviours.map(({ id }) => id).filter((id) => id !== 'version-sent'));
  expect(byArea).toEqual([
    [
      'Patients',
      'match-before-book match-before-note match-before-read made-patient-unused duplicate-patient unknown-patient-once foreign-patient empty-appointments',
    ],
    [
      'Open times',
      'schedule-before-slots search-before-book times-as-instants fresh-offer paging-to-the-end next-as-given empty-slots clocks-forward clocks-back unknown-practitioner-once',
    ],
    [
      'Booking',
      'book-with-key new-key-for-new-request lost-booking booked-once taken-other-time taken-new-search unavailable-other-time past-once booking-read-back stale-read visit-type',
    ],
    [
      'Moving and cancelling',
      'move-to-offered move-with-key lost-move move-other-time move-of-ended cancel-twice appointment-from-reply version-sent version-changed unknown-appointment-once foreign-appointment',
    ],
    ['Notes', 'note-with-key lost-note note-escalates note-wants-records note-known-extensions note-in-utf8'],
    [
      'Refusals and failures',
      'retry-after refused-once tries-end error-not-empty token-renewed old-token-dropped asks-for-fhir',
    ],
    ['Workflows', 'workflow-with-key workflow-followed workflow-patiently unknown-workflow-once'],
    [
      'Events',
      'event-accepted event-forged event-stale event-rotated event-unknown event-duplicate event-handled-once events-in-order event-quickly',
    ],
  ]);
});

test.each([
  ['stale', 400, 'event-stale'],
  ['rotated', 204, 'event-rotated'],
  ['unknown_event', 204, 'event-unknown'],
  ['duplicate', 204, 'event-duplicate'],
] as const)('an event that is %s', (probe, right, id) => {
  expect(verdictOf(id, [event(probe, 'e1', { status: right })])).toBe('passed 1');
  expect(verdictOf(id, [event(probe, 'e1', { status: right === 400 ? 204 : 400 })])).toBe('failed 1');
  expect(verdictOf(id, [event('genuine', 'e1', { status: 500 })])).toBe('not_seen');
});

test.each<[string, Steps[number], string]>([
  ['a create with a start is a booking', ['create', { start, key: null }], 'book-with-key'],
  ['a change that cancels is a cancellation', ['change', { cancels: true, appointment }], 'appointment-from-reply'],
  ['any other change is a move', ['change', { start, key: null }], 'move-with-key'],
])('%s', (_what, step, id) => {
  const failed = judgeRun(exchangesOf([step]), plantedContext).filter(({ finding }) => finding.verdict === 'failed');

  expect(failed.map(({ behaviour }) => behaviour.id)).toContain(id);
  expect(verdictOf(id, [step])).toBe('not_seen');
});

test('a create without a time is no booking', () => {
  const judged = judgeRun(exchangesOf([['create', { key: null }]]), plantedContext);

  expect(judged.filter(({ finding }) => finding.verdict !== 'not_seen')).toEqual([]);
});

test('each request to the EMR says that it takes FHIR, and no other has to', () => {
  const judged = operationNames.filter(
    (name) => verdictOf('asks-for-fhir', [[name, { takesFhir: false }]]) === 'failed 1',
  );

  expect(judged).toEqual([
    'schedule',
    'slots',
    'upcoming',
    'book',
    'reschedule',
    'cancel',
    'match',
    'note',
    'read',
    'history',
  ]);
});

test('a score counts each verdict', () => {
  const verdicts = (['passed', 'failed', 'passed', 'not_seen', 'not_seen', 'not_seen'] as const).map((verdict) => ({
    verdict,
  }));

  expect(scoreOf(verdicts)).toEqual({ passed: 2, failed: 1, notSeen: 3, of: 6 });
});
