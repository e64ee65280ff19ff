import { writeFileSync } from 'node:fs';
import { createClinicHttp } from '@clinic/gateways/http/clinic-http';
import { createClinicSystems } from '@clinic/gateways/clinic-systems';
import { createSafeHttp, type SafeHttp } from '@clinic/gateways/http/safe-http';
import { type App, startApp } from '../../support/app';
import { at, BIRTH_DATE, type LiveCallOf, type LiveClinic, openLiveClinic } from '../../support/live-ehr';
import { outcome } from '../../support/outside/fhir-server';

/**
 * An EHR whose answers are not as expected, times everything that a call does there: what the agent says, what is stored, which
 * task staff have. `EHR_FAULTS=FILE` writes the table as Markdown.
 */

let app: App;
let http: SafeHttp;
const table: string[][] = [];

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  http = createSafeHttp({ allowPrivateTargets: true });
}, 240_000);
afterAll(async () => {
  if (process.env.EHR_FAULTS) writeFileSync(process.env.EHR_FAULTS, asMarkdown());
  await http.close();
  await app.stop();
});

type Reply = ReturnType<NonNullable<LiveClinic['ehr']['instead']>>;

const operations = ['read', 'book', 'move', 'cancel', 'note', 'match'] as const;
type Operation = (typeof operations)[number];

const HTML = '<!doctype html><html><title>Sign in</title></html>';
const html: Reply = { status: 200, text: HTML, headers: { 'content-type': 'text/html' } };
const bundle = (...resources: object[]) => ({
  status: 200,
  body: {
    resourceType: 'Bundle',
    type: 'searchset',
    total: resources.length,
    entry: resources.map((resource) => ({ resource })),
  },
});

/** On the wire, in the place of every answer. Nothing of it may be read as "there is nothing". */
const wireFaults: Record<string, Reply> = {
  'HTML with 200': html,
  'cut-off JSON': { status: 200, text: '{"resourceType":"Bundle","type":"searchset","entry":[{"resour' },
  'an empty 200': { status: 200, text: '' },
  'another resource': { status: 200, body: { resourceType: 'Basic', id: '1' } },
  'a Bundle of others': bundle({ resourceType: 'Basic', id: '1' }),
  'a Bundle that shows nothing of 3': { status: 200, body: { resourceType: 'Bundle', type: 'searchset', total: 3 } },
  'a search that was cut short': bundle({
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'error', code: 'incomplete' }],
  }),
  'OperationOutcome with 200': outcome(200, 'processing', 'no'),
  '401': outcome(401, 'login', 'no'),
  '403': outcome(403, 'forbidden', 'no'),
  '408': { status: 408, text: '' },
  '422': outcome(422, 'invariant', 'no'),
  '425': { status: 425, text: '' },
  '429': outcome(429, 'throttled', 'later'),
  '500': outcome(500, 'exception', 'no'),
  '502 with HTML': { status: 502, text: HTML },
  '503': outcome(503, 'transient', 'later'),
  '504': { status: 504, text: '' },
};

/** What the server has, or does, in a way that a naive client takes for something else. */
const recordFaults: Record<string, (clinic: LiveClinic) => void> = {
  'an inactive Patient': ({ ehr }) => void (ehr.all('Patient')[0]!['active'] = false),
  'a merged Patient': ({ ehr }) =>
    void (ehr.all('Patient')[0]!['link'] = [{ type: 'replaced-by', other: { reference: 'Patient/0' } }]),
  'two such Patients': ({ annThere }) => void annThere(),
  'entered-in-error': ({ ehr }) => void (ehr.all('Appointment')[0]!.status = 'entered-in-error'),
  noshow: ({ ehr }) => void (ehr.all('Appointment')[0]!.status = 'noshow'),
  'cancelled by the clinic': ({ ehr }) => void (ehr.all('Appointment')[0]!.status = 'cancelled'),
  'proposed, not booked': ({ ehr }) => void (ehr.all('Appointment')[0]!.status = 'proposed'),
  'busy slots although free were asked for': ({ ehr }) => {
    for (const slot of ehr.all('Slot')) slot.status = 'busy';
    const ignored = /([?&])status=free/;
    ehr.ignores = ignored;
  },
  'a search that ignores identifiers': ({ ehr, appointmentThere }) => {
    appointmentThere('0', '08:00', { status: 'booked' });
    ehr.ignores = /([?&])identifier=[^&]*/;
  },
  'a search that ignores patients': ({ ehr, appointmentThere }) => {
    appointmentThere('0', '08:00');
    ehr.ignores = /([?&])patient=[^&]*/;
  },
  'a booking kept as pending': ({ ehr }) => void (ehr.booksAs = 'pending'),
};

type Answer = Awaited<ReturnType<App['tool']>>;

interface Seen {
  answer: Answer;
  /** As `Appointment 1 booked 11:00`. */
  stored: string[];
  patients: number;
  tasks: string[];
}

/** A clinic whose patient Ann has a visit at 11:00, and times at 15:00 and 16:00; then the fault, then the operation. */
async function play(operation: Operation, spoil: (clinic: LiveClinic) => void): Promise<Seen> {
  const clinic = await openLiveClinic(app);
  try {
    const patientId = await clinic.aPatient({ birthDate: BIRTH_DATE });
    clinic.appointmentThere(clinic.annThere().id, '11:00');
    clinic.slots('15:00', '16:00');
    const workflowType = operation === 'book' ? 'new-patient-journey' : 'reschedule-follow-up';
    const call = await clinic.aCall({ workflowType, patientId });
    await call.verify();
    spoil(clinic);
    const answer = await operate(operation, { clinic, call, patientId });
    clinic.ehr.instead = null;
    const stored = clinic.ehr.all('Appointment').map(({ status, start }) => `${status} ${String(start).slice(11, 16)}`);
    const tasks = (await call.tasks()).map(({ reason }) => reason);
    return { answer, stored, patients: clinic.ehr.all('Patient').length, tasks };
  } finally {
    await clinic.close();
  }
}

async function operate(
  operation: Operation,
  { clinic, call, patientId }: { clinic: LiveClinic; call: LiveCallOf; patientId: string },
): Promise<Answer> {
  const patient = {
    patientId,
    externalId: null,
    firstName: 'Ann',
    lastName: 'Lee',
    phone: null,
    email: null,
    dateOfBirth: BIRTH_DATE,
    address: null,
    preferredLocation: null,
  };
  const systems = createClinicSystems({
    http: createClinicHttp({ http, audit: () => undefined, adjustWait: () => 0 }),
    settings: app.stores.settings,
    clientKeys: app.stores.clientKeys,
    ehrTimes: app.stores.ehrTimes,
    publicUrl: app.baseUrl,
  });
  switch (operation) {
    case 'read':
      return call.ask('get_upcoming_appointment');
    case 'book':
      return call.ask('book_appointment', { providerName: 'Dr.Vega', visitType: 'Visit', scheduledAt: at('15:00') });
    case 'move':
      return call.ask('reschedule_appointment', { newDateTime: at('15:00') });
    case 'cancel':
      return call.ask('cancel_appointment');
    case 'note': {
      const createdAt = '2035-03-05T08:00:00.000Z';
      const body = {
        documentId: 'd',
        text: 'A note',
        escalateToClinicalTeam: false,
        requestExternalRecords: false,
        createdAt,
      };
      return (await systems.approvedApi(clinic.clinicId))!.call('document.write', { body, patient });
    }
    case 'match':
      return (await systems.approvedApi(clinic.clinicId))!.call('patient.upsert', { body: patient });
  }
}

const CALL_BACK = expect.stringContaining('call them back');
const BEFORE = ['booked 11:00'];

describe.each(Object.entries(wireFaults))('%s in the place of every answer', (fault, reply) => {
  test.each(operations)('%s: nothing is invented, and staff have it', async (operation) => {
    const seen = await play(operation, ({ ehr }) => void (ehr.instead = () => reply));
    note(fault, operation, seen);

    if (operation === 'note' || operation === 'match') {
      // Told again for a day, or left to staff as `clinic_system_not_told`.
      expect(['unavailable', 'refused']).toContain(seen.answer.kind);
    } else {
      const none = operation === 'read' ? { found: false } : {};
      expect(seen.answer).toEqual({ ...none, success: false, error: CALL_BACK });
      expect(seen.tasks).toEqual(['booking_to_check']);
    }
    expect([seen.stored, seen.patients]).toEqual([BEFORE, 1]);
  });
});

describe('a page of a gateway in the place of the answer to the write alone', () => {
  test.each([
    ['book', 'POST', '/fhir/Appointment'],
    ['move', 'PUT', '/fhir/Appointment/'],
    ['cancel', 'PUT', '/fhir/Appointment/'],
  ] as const)('%s promises nothing: nobody knows what came of it', async (operation, method, path) => {
    const seen = await play(operation, ({ ehr }) => {
      ehr.instead = (request) => (request.method === method && request.path.startsWith(path) ? html : null);
    });
    note('HTML with 200 to the write alone', operation, seen);

    expect(seen).toMatchObject({
      answer: { success: false, error: CALL_BACK },
      stored: BEFORE,
      tasks: ['booking_to_check'],
    });
  });
});

/** What the agent hears and what stands at the EHR. `left` is left to staff. */
const left = { answer: { success: false, error: CALL_BACK }, tasks: ['booking_to_check'] };
const none = { answer: { success: false, error: 'no appointment on file' }, tasks: [] };
const moved = { answer: { success: true }, stored: ['booked 15:00'], tasks: [] };
const expected: Record<keyof typeof recordFaults, { [operation in Operation]?: object }> = {
  'an inactive Patient': { read: left, book: left, move: left, cancel: left, match: { answer: { kind: 'refused' } } },
  'a merged Patient': { read: left, book: left, move: left, cancel: left, match: { answer: { kind: 'refused' } } },
  'two such Patients': { read: left, book: left, move: left, cancel: left, match: { answer: { kind: 'refused' } } },
  'entered-in-error': { read: { answer: { found: false }, tasks: [] }, move: none, cancel: none },
  noshow: { read: { answer: { found: false }, tasks: [] }, move: none, cancel: none },
  'cancelled by the clinic': { read: { answer: { found: false }, tasks: [] }, move: none, cancel: none },
  'proposed, not booked': { read: { answer: { found: false }, tasks: [] }, move: none, cancel: none },
  'busy slots although free were asked for': {
    book: { answer: { success: false, reason: 'slot_taken' }, stored: BEFORE },
    move: { answer: { success: false, reason: 'slot_taken' }, stored: BEFORE },
  },
  'a search that ignores identifiers': {
    book: {
      answer: { success: true, scheduledAt: at('15:00') },
      stored: ['booked 11:00', 'booked 08:00', 'booked 15:00'],
    },
  },
  'a search that ignores patients': {
    read: { answer: { found: true, scheduledAt: at('11:00') }, tasks: [] },
    move: { answer: { success: true }, stored: ['booked 15:00', 'booked 08:00'], tasks: [] },
    cancel: { answer: { success: true }, stored: ['cancelled 11:00', 'booked 08:00'], tasks: [] },
  },
  'a booking kept as pending': { book: left, move: moved },
};

describe.each(Object.entries(recordFaults))('%s', (fault, spoil) => {
  test.each(operations)('%s', async (operation) => {
    const seen = await play(operation, spoil);
    note(fault, operation, seen);

    expect(seen).toMatchObject(expected[fault]?.[operation] ?? {});
    expect(seen.patients).toBe(fault === 'two such Patients' ? 2 : 1);
    const told = seen.answer.error === undefined ? '' : String(seen.answer.error);
    expect(told.includes('call them back')).toBe(seen.tasks.length > 0);
  });
});

test('a visit that the clinic called off while it was being moved is not brought back', async () => {
  for (const status of ['cancelled', 'noshow', 'entered-in-error']) {
    const seen = await play('move', ({ ehr }) => {
      const [visit] = ehr.all('Appointment');
      const meta = { ...visit!.meta, versionId: '2' };
      const work = () => void ehr.records.set(`Appointment/${visit!.id}`, { ...visit!, status, meta });
      ehr.meanwhile = { when: 'GET Slot', work };
    });

    expect(seen).toMatchObject({ stored: [`${status} 11:00`], answer: { success: false } });
  }
});

function note(fault: string, operation: Operation, { answer, stored, tasks }: Seen): void {
  const said = answer.kind
    ? answer.kind
    : answer.error?.includes('call them back')
      ? 'staff call back'
      : answer.success === false
        ? (answer.reason ?? answer.error)
        : answer.found === false
          ? 'none on file'
          : answer.found
            ? `tells ${String(answer.scheduledAt).slice(11, 16)}`
            : 'done';
  const asBefore = JSON.stringify(stored) === JSON.stringify(BEFORE);
  const cell = [said, asBefore ? '' : stored.join(', '), tasks.join(', ')].filter(Boolean).join('; ');
  const row = table.find(([name]) => name === fault) ?? [fault, ...operations.map(() => '')];
  if (!table.includes(row)) table.push(row);
  row[operations.indexOf(operation) + 1] = cell;
}

function asMarkdown(): string {
  const lines = [['Fault', ...operations], ['', ...operations].map(() => '---'), ...table];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}
