import { patientBundle } from '@clinic/shared/domain/patients/patient-bundle';
import { stricterConsent, undoUntil } from '@clinic/shared/domain/patients/patient-merge';

const exportedAt = '2026-11-23T17:00:00.000Z';
const bundleOf = (records: Parameters<typeof patientBundle>[0]['records']) =>
  patientBundle({ clinicId: 'c1', patientId: 'p1', exportedAt, records }, 'https://clinic.example/api');
const resourcesOf = (records: Parameters<typeof bundleOf>[0]) =>
  bundleOf(records).entry.map(({ resource }) => resource);

test('a patient with all that is on file', () => {
  const row = {
    id: 'p1',
    first_name: ' Ada ',
    last_name: ' Byron ',
    phone: '+15005550001',
    email: 'ada@example.org',
    identifier: 'MRN-1',
    external_id: 'ext-1',
    birth_date: '1980-03-05',
    address: ' 12 Maple Street ',
    preferred_language: 'es',
    replaced_by: null,
  };

  expect(bundleOf({ patients: [row] })).toEqual({
    resourceType: 'Bundle',
    type: 'collection',
    timestamp: exportedAt,
    entry: [
      {
        fullUrl: 'https://clinic.example/api/Patient/p1',
        resource: {
          resourceType: 'Patient',
          id: 'p1',
          identifier: [{ value: 'MRN-1' }, { value: 'ext-1' }],
          name: [{ family: 'Byron', given: ['Ada'] }],
          telecom: [
            { system: 'phone', value: '+15005550001' },
            { system: 'email', value: 'ada@example.org' },
          ],
          birthDate: '1980-03-05',
          address: [{ text: '12 Maple Street' }],
          communication: [expect.objectContaining({ preferred: true })],
        },
      },
    ],
  });
});

test.each([
  ['nothing', {}, {}],
  ['blanks', { first_name: ' ', last_name: '', phone: '', email: '', address: '  ', preferred_language: '' }, {}],
  ['a first name', { first_name: 'Ada' }, { name: [{ given: ['Ada'] }] }],
  ['a last name', { last_name: 'Byron' }, { name: [{ family: 'Byron' }] }],
  ['a phone', { phone: '+15005550001' }, { telecom: [{ system: 'phone', value: '+15005550001' }] }],
  ['an e-mail address', { email: 'a@b.co' }, { telecom: [{ system: 'email', value: 'a@b.co' }] }],
  ['the id of another system', { external_id: 'ext-1' }, { identifier: [{ value: 'ext-1' }] }],
])('of a patient with %s nothing else is said', (_what, row, said) => {
  expect(resourcesOf({ patients: [{ id: 'p1', ...row }] })).toEqual([{ resourceType: 'Patient', id: 'p1', ...said }]);
});

test('of two records that were merged each refers to the other', () => {
  const kept = { id: 'p1', replaced_by: null };
  const replaced = { id: 'p2', replaced_by: 'p1' };

  expect(resourcesOf({ patients: [kept, replaced] })).toEqual([
    { resourceType: 'Patient', id: 'p1', link: [{ other: { reference: 'Patient/p2' }, type: 'replaces' }] },
    {
      resourceType: 'Patient',
      id: 'p2',
      active: false,
      link: [{ other: { reference: 'Patient/p1' }, type: 'replaced-by' }],
    },
  ]);
});

test('appointments, notes and tasks in the words of FHIR, in this order', () => {
  const resources = resourcesOf({
    staff_tasks: [
      { id: 't1', state: 'RESOLVED', reason: 'bad_number', created_at: '2026-11-20T10:00:00+00:00' },
      { id: 't2', state: 'OPEN', reason: 'call_lost', created_at: null },
    ],
    documents: [
      {
        id: 'd1',
        patient_id: 'p1',
        created_at: '2026-11-20T10:00:00+00:00',
        content: [{ contentType: 'text/plain', data: 'SGk=' }, { data: 'SGk=' }],
      },
      { id: 'd2', patient_id: 'p1', created_at: '', content: null },
    ],
    appointments: [
      {
        id: 'a1',
        patient_id: 'p1',
        provider_id: 'Dr.Chen',
        status: 'booked',
        starts_at: '2026-11-24T10:00:00-07:00',
        ends_at: '2026-11-24T10:30:00-07:00',
        visit_type: 'Follow-up',
      },
    ],
  });

  expect(resources).toEqual([
    {
      resourceType: 'Appointment',
      id: 'a1',
      status: 'booked',
      start: '2026-11-24T17:00:00.000Z',
      end: '2026-11-24T17:30:00.000Z',
      serviceType: [{ text: 'Follow-up' }],
      participant: [
        { actor: { reference: 'Patient/p1' }, status: 'accepted' },
        { actor: { reference: 'Practitioner/Dr.Chen' }, status: 'accepted' },
      ],
    },
    {
      resourceType: 'DocumentReference',
      id: 'd1',
      status: 'current',
      subject: { reference: 'Patient/p1' },
      date: '2026-11-20T10:00:00.000Z',
      content: [{ attachment: { contentType: 'text/plain', data: 'SGk=' } }, { attachment: { data: 'SGk=' } }],
    },
    {
      resourceType: 'DocumentReference',
      id: 'd2',
      status: 'current',
      subject: { reference: 'Patient/p1' },
      date: null,
      content: [],
    },
    {
      resourceType: 'Task',
      id: 't1',
      status: 'completed',
      intent: 'order',
      code: { text: 'bad_number' },
      for: { reference: 'Patient/p1' },
      authoredOn: '2026-11-20T10:00:00.000Z',
    },
    {
      resourceType: 'Task',
      id: 't2',
      status: 'requested',
      intent: 'order',
      code: { text: 'call_lost' },
      for: { reference: 'Patient/p1' },
      authoredOn: null,
    },
  ]);
});

const call = {
  id: 'k1',
  patient_id: 'p1',
  state: 'ENDED',
  started_at: '2026-11-20T10:00:00Z',
  ended_at: '2026-11-20T10:05:00Z',
};
const times = { sent: '2026-11-20T10:00:00.000Z', received: '2026-11-20T10:05:00.000Z' };

test.each([
  ['that ended', {}, { status: 'completed', ...times }],
  ['with a summary', { summary: 'Agreed' }, { status: 'completed', ...times, payload: [{ contentString: 'Agreed' }] }],
  ['with a blank summary', { summary: '  ' }, { status: 'completed', ...times }],
  ['that nobody took', { started_at: null }, { status: 'not-done' }],
  ['that waits', { state: 'QUEUED', started_at: null, ended_at: null }, { status: 'preparation' }],
  ['that rings', { state: 'RINGING', ended_at: null }, { status: 'in-progress', sent: times.sent }],
  ['under way', { state: 'IN_PROGRESS', ended_at: null }, { status: 'in-progress', sent: times.sent }],
  ['of a state to come', { state: 'PARKED', ended_at: null }, { status: 'unknown', sent: times.sent }],
])('a call %s is told as a Communication', (_what, over, said) => {
  expect(resourcesOf({ calls: [{ ...call, ...over }] })).toEqual([
    {
      resourceType: 'Communication',
      id: 'k1',
      subject: { reference: 'Patient/p1' },
      medium: [{ text: 'telephone' }],
      ...said,
    },
  ]);
});

test('a call has its own transcript behind its summary', () => {
  const evidence = [
    { call_id: 'k0', transcript: 'Of another call' },
    { call_id: 'k1', transcript: 'Hello' },
  ];

  expect(resourcesOf({ calls: [{ ...call, summary: 'Agreed' }], call_evidence: evidence })).toMatchObject([
    { payload: [{ contentString: 'Agreed' }, { contentString: 'Hello' }] },
  ]);
});

const given = { isGiven: true };
const refused = { isGiven: false };

test.each([
  ['given by both', given, given, {}],
  ['refused by the replaced one', given, refused, { consent: refused }],
  ['refused by the replaced one alone', null, refused, { consent: refused }],
  ['refused by the kept one', refused, given, {}],
  ['refused by both', refused, refused, {}],
  ['known of nobody', null, null, {}],
  ['given by the replaced one', null, given, {}],
])('of two consents the stricter holds: %s', (_what, kept, replaced, taken) => {
  expect(stricterConsent({ consent: kept, commsConsent: null }, { consent: replaced, commsConsent: null })).toEqual(
    taken,
  );
});

test.each([
  [true, true, {}],
  [true, false, { commsConsent: false }],
  [null, false, { commsConsent: false }],
  [false, false, {}],
  [false, true, {}],
  [null, true, {}],
  [true, null, {}],
])('messages are allowed by one, %s, and by the other, %s', (kept, replaced, taken) => {
  expect(stricterConsent({ consent: null, commsConsent: kept }, { consent: null, commsConsent: replaced })).toEqual(
    taken,
  );
});

test('a merge can be undone for a day', () => {
  expect(undoUntil(new Date('2026-11-23T17:00:00.000Z'))).toEqual(new Date('2026-11-24T17:00:00.000Z'));
});
