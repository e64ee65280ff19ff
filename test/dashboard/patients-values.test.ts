import {
  type Acting,
  type Computed,
  dashboardModules,
  emptyDocument,
  type Given,
  linksIn,
  type Stage,
} from './stage/dashboard';
import { doing, wordsIn } from './stage/doing';
import { answering, refused } from './stage/service';

/** What is done with the record of a patient: what the service is sent, what is told of it, and what can be taken back, without a browser. */
type Option = (given?: object) => { queryKey: unknown };
interface Modules {
  api: Record<
    | 'getPatientsByPatientIdOptions'
    | 'getPatientsByPatientIdErasureOptions'
    | 'getPatientsByPatientIdMergeOptions'
    | 'getPatientsByPatientIdLegalHoldOptions'
    | 'getPatientsByPatientIdDuplicatesOptions'
    | 'getPatientsDuplicatesOptions'
    | 'getPatientsOptions'
    | 'getCasesOptions'
    | 'getCallsOptions'
    | 'getTasksOptions'
    | 'getDeliveriesOptions'
    | 'getIntegrationsOptOutsOptions'
    | 'getPatientsByPatientIdCallDecisionsOptions',
    Option
  >;
  data: { PatientData: unknown };
  editing: { EditForm: unknown };
  erasing: { Question: unknown };
  holding: { HoldForm: unknown };
  list: { Patients: unknown };
  merging: { Comparison: unknown };
  merges: Record<'PossibleDuplicates' | 'Merged', unknown>;
  noting: { AddNote: unknown };
  proposal: { Proposal: unknown };
  registering: { RegisterPatientDialog: unknown };
  page: { Patient: unknown };
  select: { PatientSelect: unknown };
  timeline: { PatientTimeline: unknown };
}

const service = answering({ statusCode: 409, code: 'conflict', message: 'was refused' });

/** Stands for a box of the page, which may have the focus. */
const Box = EventTarget;
/** What a file is saved by. */
const link = { download: '', click: () => undefined };
const document = { ...emptyDocument(), createElement: () => link };
const addresses: string[] = [];
const fetch = async (request: Request) => {
  addresses.push(request.url);
  return await service.fetch(request);
};

let patients: Modules & Stage;
let begin: ReturnType<typeof doing>;

beforeAll(async () => {
  const files = {
    api: require.resolve('../../dashboard/http/api.ts'),
    data: require.resolve('../../dashboard/pages/patients/patient-data.tsx'),
    editing: require.resolve('../../dashboard/pages/patients/edit-patient.tsx'),
    erasing: require.resolve('../../dashboard/pages/patients/erase-patient.tsx'),
    holding: require.resolve('../../dashboard/pages/patients/hold-form.tsx'),
    list: require.resolve('../../dashboard/pages/patients/patients.tsx'),
    merging: require.resolve('../../dashboard/pages/patients/merge-patients.tsx'),
    merges: require.resolve('../../dashboard/pages/patients/merges.tsx'),
    noting: require.resolve('../../dashboard/pages/patients/add-note.tsx'),
    proposal: require.resolve('../../dashboard/pages/patients/proposal.tsx'),
    registering: require.resolve('../../dashboard/pages/patients/register-patient.tsx'),
    page: require.resolve('../../dashboard/pages/patients/patient.tsx'),
    select: require.resolve('../../dashboard/pages/patients/patient-select.tsx'),
    timeline: require.resolve('../../dashboard/pages/patients/patient-timeline.tsx'),
  };
  patients = await dashboardModules<Modules>(files, { fetch, document, HTMLInputElement: Box });
  begin = doing(patients, service);
});

/** It is 9:30 on a Wednesday in New York. */
beforeEach(() =>
  jest.useFakeTimers({
    now: Date.parse('2026-11-25T14:30:00Z'),
    doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout'],
  }),
);
afterEach(() => jest.useRealTimers());

const path = '/api/patients/patient-1';
const unknown = [
  'address',
  'dateOfBirth',
  'email',
  'identifier',
  'insurance',
  'reasonForVisit',
  'replacedBy',
  'selfPay',
];
const wendy = {
  ...Object.fromEntries(unknown.map((name) => [name, null])),
  id: 'patient-1',
  firstName: 'Wendy',
  lastName: 'Ivanov',
  phone: '+13035550142',
  preferredCallHours: null,
  preferredLanguage: null,
  createdAt: '2026-11-20T14:00:00Z',
  merges: [],
  registration: { preferredLocation: null, medicareStatus: null, healthPlanName: null, referralSource: null },
};
const isThere = (acting: Acting, is: (given: Given) => unknown): boolean => {
  try {
    return Boolean(acting.given(is));
  } catch {
    return false;
  }
};
const button = (name: string) => (given: Given) => given.children === name || given.label === name;

describe('what is on file of a patient', () => {
  const full = {
    ...wendy,
    email: 'wendy@example.com',
    dateOfBirth: '1980-02-29',
    address: '1 Main Street',
    preferredCallHours: { from: '09:00', until: '17:00' },
    preferredLanguage: 'es',
  };
  const editing = (patient: object = full, replies: object[] = []) => {
    const done: string[] = [];
    const acting = begin(patients.editing.EditForm, { patient, onDone: () => done.push('done') }, { replies });
    return { ...acting, done };
  };

  test.each<[label: string, text: string, sent: object]>([
    ['First name', ' Wanda ', { firstName: 'Wanda' }],
    ['First name', ' ', { firstName: '' }],
    ['Last name', '', { lastName: '' }],
    ['Phone', '303 555 0143', { phone: '303 555 0143' }],
    ['Phone', '', { phone: '' }],
    ['E-mail', '', { email: null }],
    ['Date of birth', '1980-03-01', { dateOfBirth: '1980-03-01' }],
    ['Date of birth', '', { dateOfBirth: null }],
    ['Address', '2 Main Street', { address: '2 Main Street' }],
    ['Address', '', { address: null }],
    ['Language', 'en', { preferredLanguage: 'en' }],
    ['Language', '', { preferredLanguage: null }],
    ['Call from', '10:00', { preferredCallHours: { from: '10:00', until: '17:00' } }],
    ['Call until', '', { preferredCallHours: { from: '09:00', until: null } }],
  ])('%s is changed to “%s”', async (label, text, sent) => {
    const { field, submit, again, texts, requests, refreshed, done, given } = editing(full, [{ ...full, ...sent }]);
    const isDisabled = () => given(button('Save'))['disabled'];
    expect(isDisabled()).toBe(true);
    field(label).onChange?.(text);
    expect(wordsIn(again())).toContain(`Changed: ${label}`);
    expect(isDisabled()).toBe(false);
    submit();

    expect(await texts()).toEqual(['green: Saved.']);
    expect(requests).toEqual([['PATCH', path, sent]]);
    expect(refreshed()).toEqual(['getCases', 'getCalls', 'getTasks', 'getPatients']);
    expect(done).toEqual(['done']);
  });

  test('is what the fields begin with, the phone as people write it, and the first of them has the focus', () => {
    const { field, given } = editing();
    const labels = ['First name', 'Last name', 'Phone', 'E-mail', 'Date of birth', 'Address', 'Call from', 'Language'];

    expect(labels.map((label) => field(label).value)).toEqual([
      'Wendy',
      'Ivanov',
      '(303) 555-0142',
      'wendy@example.com',
      '1980-02-29',
      '1 Main Street',
      '09:00',
      'es',
    ]);
    expect(given(({ 'data-autofocus': focus, label }) => focus && label)['label']).toBe('First name');
    const nothing = editing({ ...wendy, phone: null });
    expect(labels.slice(2).map((label) => nothing.field(label).value)).toEqual(['', '', '', '', '', '']);
  });

  test('hours that are both taken out are any time', async () => {
    const { field, submit, settled, requests } = editing(full, [full]);
    field('Call from').onChange?.('');
    field('Call until').onChange?.('');
    submit();
    await settled();
    expect(requests).toEqual([['PATCH', path, { preferredCallHours: null }]]);
  });

  test.each<[at: string, label: string]>([
    ['phone', 'Phone'],
    ['preferredLanguage', 'Language'],
    ['preferredCallHours.from', 'Call from'],
    ['preferredCallHours', 'Call from'],
    ['preferredCallHours.until', 'Call until'],
  ])('what is refused at %s stands at “%s”, and the form stays', async (at, label) => {
    const details = [{ path: at, message: 'cannot be read' }];
    const { field, submit, settled, again, done } = editing(full, [
      refused({ statusCode: 400, message: 'is wrong', details }),
    ]);
    field('First name').onChange?.('Wanda');
    submit();
    await settled();
    again();
    expect(field(label)['error']).toBe('This cannot be read');
    expect([field('First name').value, done]).toEqual(['Wanda', []]);
  });

  test('what somebody else saves meanwhile is told, and stays unless it is changed here', async () => {
    let patient: object = full;
    const Page = () => (patients.editing.EditForm as Computed)({ patient, onDone: () => undefined });
    const { again, field, submit, settled, requests } = begin(Page, {}, { replies: [full] });
    const yellow = 'Changed by somebody else since you opened this';
    expect(wordsIn(again())).not.toContain(yellow);
    field('Address').onChange?.('3 Main Street');
    patient = { ...full, phone: '+13035550143', email: null };
    expect(wordsIn(again())).toContain(
      `${yellow} Phone: (303) 555-0143; E-mail: –. It stays so unless you change it here.`,
    );
    submit();
    await settled();
    expect(requests).toEqual([['PATCH', path, { address: '3 Main Street' }]]);
  });
});

describe('who is registered', () => {
  const registering = (typed: string, { replies = [], found }: { replies?: object[]; found?: object[] } = {}) => {
    const came: unknown[] = [];
    const props = {
      opened: true,
      typed,
      onRegistered: (patient: { id: string }) => came.push(['registered', patient.id]),
      onExisting: (patient: { id: string }) => came.push(['existing', patient.id]),
      onClose: () => came.push('closed'),
    };
    const query = { firstName: 'Wendy', lastName: 'Ivanov' };
    const acting = begin(patients.registering.RegisterPatientDialog, props, {
      replies,
      answers: found ? [[patients.api.getPatientsDuplicatesOptions({ query }), { items: found }]] : [],
    });
    return { ...acting, came };
  };
  const like = {
    ...wendy,
    id: 'patient-2',
    alike: ['name'],
    similar: [],
    registrationStatus: 'COMPLETE',
  };

  test.each<[typed: string, values: string[], focus: string]>([
    ['', ['', '', '', '', ''], 'First name'],
    ['wendy', ['Wendy', '', '', '', ''], 'Last name'],
    ['wendy ivanov', ['Wendy', 'Ivanov', '', '', ''], 'Phone'],
    ['wendy ivanov 303 555 0142', ['Wendy', 'Ivanov', '303 555 0142', '', ''], 'Date of birth'],
    ['303 555 0142', ['', '', '303 555 0142', '', ''], 'First name'],
    ['wendy ivanov 303 555 0142 1980-02-29', ['Wendy', 'Ivanov', '303 555 0142', '1980-02-29', ''], 'E-mail'],
  ])('what was typed, %j, stands in the fields, and the first that is empty has the focus', (typed, values, focus) => {
    const { field, given } = registering(typed);
    const labels = ['First name', 'Last name', 'Phone', 'Date of birth', 'E-mail'];

    expect(labels.map((label) => field(label).value)).toEqual(values);
    expect(given(({ 'data-autofocus': is, label }) => is && label)['label']).toBe(focus);
  });

  test.each<[typed: string, asked: object | null]>([
    ['wendy', null],
    ['wendy ivanov', { firstName: 'Wendy', lastName: 'Ivanov' }],
    ['303 555', { phone: '303 555' }],
    ['wendy 1980-02-29', { firstName: 'Wendy', dateOfBirth: '1980-02-29' }],
  ])('before %j is registered it is looked whether somebody is on file: %j', async (typed, asked) => {
    const { submit, texts, requests, came } = registering(typed, {
      replies: asked ? [{ items: [] }, wendy] : [wendy],
    });
    submit();

    expect(await texts()).toEqual(['green: Wendy Ivanov is registered.']);
    expect(requests.map((each) => (each as unknown[]).slice(0, 2))).toEqual([
      ...(asked ? [['GET', '/api/patients/duplicates']] : []),
      ['POST', '/api/patients'],
    ]);
    expect(came).toEqual([['registered', 'patient-1']]);
  });

  test.each<[typed: Record<string, string>, sent: object]>([
    [{}, {}],
    [{ 'E-mail': ' wendy@example.com ' }, { email: 'wendy@example.com' }],
    [{ 'Date of birth': '1980-02-29' }, { dateOfBirth: '1980-02-29' }],
    [{ Language: 'es' }, { preferredLanguage: 'es' }],
    [{ 'Call from': '09:00' }, { preferredCallHours: { from: '09:00', until: null } }],
    [{ 'Call until': '17:00' }, { preferredCallHours: { from: null, until: '17:00' } }],
    [{ Language: 'fr' }, { preferredLanguage: null }],
  ])('with %j is sent %j', async (typed, sent) => {
    const { field, submit, settled, again, requests, refreshed } = registering('wendy 303 555 01', {
      replies: [wendy],
    });
    for (const [label, text] of Object.entries({ Phone: '123456', 'First name': ' Wendy', ...typed }))
      field(label).onChange?.(text);
    again();
    if ('dateOfBirth' in sent) service.replies.unshift({ items: [] });
    submit();
    await settled();

    expect(requests.at(-1)).toEqual([
      'POST',
      '/api/patients',
      { firstName: ' Wendy', lastName: '', phone: '123456', ...sent },
    ]);
    expect(refreshed()).toEqual(['getPatients']);
  });

  test('nobody is registered while somebody like them was found and not shown', async () => {
    const { submit, settled, requests, came, again, given } = registering('wendy ivanov', {
      replies: [{ items: [like] }],
    });
    expect(isThere({ given } as Acting, button('Register anyway'))).toBe(false);
    submit();
    await settled();

    expect(requests).toEqual([['GET', '/api/patients/duplicates', null]]);
    expect(came).toEqual([]);
    expect(wordsIn(again())).toContain('Somebody like this is on file Wendy Ivanov');
  });

  test('who was shown is opened, or somebody else is registered', async () => {
    const { submit, settled, requests, came, click } = registering('wendy ivanov', { found: [like], replies: [wendy] });
    click('Open this one instead: Wendy Ivanov');
    expect(came).toEqual([['existing', 'patient-2']]);
    submit();
    await settled();
    expect(requests).toEqual([['POST', '/api/patients', expect.anything()]]);
  });

  test('Enter in a field leads to who was shown, and registers nobody', async () => {
    const { submit, settled, requests } = registering('wendy ivanov', { found: [like], replies: [wendy] });
    document.activeElement = new Box();
    submit();
    document.activeElement = null;
    await settled();
    expect(requests).toEqual([]);
  });

  test('what the button says, by whether somebody like them is on file', () => {
    expect(isThere(registering('wendy ivanov', { found: [like] }), ({ action }) => action === 'Register anyway')).toBe(
      true,
    );
    expect(isThere(registering('wendy ivanov', { found: [] }), ({ action }) => action === 'Register')).toBe(true);
    expect(isThere(registering('wendy', { found: [like] }), ({ action }) => action === 'Register')).toBe(true);
  });

  test('where it cannot be looked, that is told, and they are registered all the same', async () => {
    const { submit, settled, requests, again, came } = registering('wendy ivanov', {
      replies: [refused({ statusCode: 503, message: 'Busy' }), wendy],
    });
    submit();
    await settled();
    expect(came).toEqual([]);
    expect(wordsIn(again())).toMatch(/Whether somebody like this is on file is not known Busy.* Register anyway$/);
    submit();
    await settled();
    expect(requests.map((each) => (each as unknown[])[0])).toEqual(['GET', 'POST']);
    expect(came).toEqual([['registered', 'patient-1']]);
  });
});

describe('a note', () => {
  test('is added to the record', async () => {
    const { field, submit, texts, requests, refreshed } = begin(
      patients.noting.AddNote,
      { patientId: 'patient-1' },
      { replies: [{}] },
    );
    field('New note').onChange?.('Prefers mornings');
    submit();

    expect(await texts()).toEqual(['green: The note is in the record.']);
    expect(requests).toEqual([['POST', `${path}/notes`, { note: 'Prefers mornings' }]]);
    expect(refreshed()).toEqual(['getPatients']);
  });
});

describe('what a caller said who was not verified', () => {
  test.each<[label: string, decision: string, state: string | null, told: string]>([
    ['Write it to the record', 'accept', 'ACCEPTED', 'green: Written to the patient’s record.'],
    ['Leave the record', 'dismiss', 'DISMISSED', 'green: The record stays as it is.'],
    ['Write it to the record', 'accept', null, 'red: was refused.'],
  ])('“%s” sends %s: %s', async (label, decision, state, told) => {
    const { click, texts, requests, refreshed } = begin(
      patients.proposal.Proposal,
      { proposalId: 'proposal-1' },
      { replies: state ? [{ state }] : [] },
    );
    click(label);

    expect(await texts()).toEqual([told]);
    expect(requests).toEqual([['POST', '/api/proposals/proposal-1', { decision }]]);
    expect(refreshed()).toEqual(['getOverview', 'getTasks', 'getPatients']);
  });

  test('is decided once, until that is answered', async () => {
    const { click, again, given, settled } = begin(patients.proposal.Proposal, { proposalId: 'proposal-1' });
    const waits = () => [
      given(button('Write it to the record'))['loading'],
      given(button('Leave the record'))['disabled'],
    ];
    expect(waits()).toEqual([false, false]);
    click('Leave the record');
    again();
    expect(waits()).toEqual([true, true]);
    await settled();
  });
});

describe('an erasure', () => {
  const preview = { isHeld: false, openWorkflows: 0, openCalls: 0, goes: [] };
  const asking = (given: object = {}, patient: object = wendy, replies: object[] = []) => {
    const came: unknown[] = [];
    const props = { patient, onRequested: (id: string) => came.push(id), onClose: () => came.push('closed') };
    const option = patients.api.getPatientsByPatientIdErasureOptions({ path: { patientId: 'patient-1' } });
    const acting = begin(patients.erasing.Question, props, { answers: [[option, { ...preview, ...given }]], replies });
    return { ...acting, came, words: wordsIn(acting.again()) };
  };

  test.each<[given: object, words: string]>([
    [{}, 'What goes name, contact, registration and insurance what the workflow engine holds of it What stays'],
    [
      { goes: [{ records: 'calls', count: 2 }], openWorkflows: 2, openCalls: 1 },
      'registration and insurance, 2 calls what the workflow engine holds of it 2 open workflows are cancelled first calls that go on are waited for What stays',
    ],
    [{}, 'To go on, type Ivanov'],
    [{ isHeld: true }, 'A legal hold refuses it Lift the hold on the page of the patient first. Close'],
  ])('of %j says “%s”', (given, words) => {
    const asked = asking(given);
    expect(asked.words).toContain(words);
    expect(isThere(asked, button('Erase for good'))).toBe(!('isHeld' in given));
  });

  test.each<[lastName: string, typed: string, isReady: boolean]>([
    ['Ivanov', '', false],
    ['Ivanov', 'Ivano', false],
    ['Ivanov', ' ivanov ', true],
    [' De Luca ', 'de luca', true],
    [' ', '', false],
    [' ', 'ERASE', true],
  ])('of “%s” is ready with “%s”: %s', (lastName, typed, isReady) => {
    const { type, again, given } = asking({}, { ...wendy, lastName });
    type(`To go on, type ${lastName.trim() || 'erase'}`, typed);
    again();
    expect(given(button('Erase for good'))['disabled']).toBe(!isReady);
  });

  test.each<[chosen: string | null, reason: string]>([
    ['retention_over', 'retention_over'],
    ['entered_by_mistake', 'entered_by_mistake'],
    ['court_order', 'court_order'],
    [null, 'patient_request'],
  ])('for the reason %j is sent with %s, and leads on', async (chosen, reason) => {
    const { field, again, click, settled, requests, came } = asking({}, wendy, [{ id: 'erasure-1' }]);
    expect(field('Reason').value).toBe('patient_request');
    field('Reason').onChange?.(chosen);
    again();
    expect(field('Reason').value).toBe(reason);
    click('Erase for good');
    await settled();
    expect(requests).toEqual([['POST', `${path}/erasure`, { reason, confirm: 'patient-1' }]]);
    expect(came).toEqual(['erasure-1']);
  });

  test('what is refused of the word stands at it', async () => {
    const details = [{ path: 'confirm', message: 'must be the id' }];
    const { click, again, field, settled, came } = asking({}, wendy, [
      refused({ statusCode: 400, message: 'is wrong', details }),
    ]);
    expect(field('To go on, type Ivanov')['error']).toBeNull();
    click('Erase for good');
    await settled();
    again();
    expect(field('To go on, type Ivanov')['error']).toBe('This must be the id');
    expect(came).toEqual([]);
  });
});

describe('all that is stored about a patient', () => {
  const hold = {
    patientId: 'patient-1',
    reason: 'A lawsuit',
    placedBy: 'account:2',
    placedByName: 'Ana',
    placedAt: '2026-11-20T14:00:00Z',
  };
  const shown = (rights: string[], held: object | null, replies: object[] = []) => {
    const option = patients.api.getPatientsByPatientIdLegalHoldOptions({ path: { patientId: 'patient-1' } });
    const acting = begin(
      patients.data.PatientData,
      { patient: wendy },
      { answers: [[option, { hold: held }]], as: { rights }, at: '/patients/patient-1', replies },
    );
    return { ...acting, words: wordsIn(acting.again()), links: linksIn(acting.again()) };
  };
  const offered =
    /Legal hold: these records must stay|Lift|Export as JSON|Export as FHIR|Place a legal hold|Erase …|Only a manager|Who opened this record/g;

  test.each<[rights: string[], held: object | null, words: string[]]>([
    [[], null, ['Only a manager']],
    [[], hold, ['Legal hold: these records must stay', 'Only a manager']],
    [['exports'], null, ['Export as JSON', 'Export as FHIR']],
    [['exports', 'privacy'], null, ['Export as JSON', 'Export as FHIR', 'Place a legal hold', 'Erase …']],
    [
      ['exports', 'privacy', 'audit'],
      hold,
      [
        'Legal hold: these records must stay',
        'Lift',
        'Export as JSON',
        'Export as FHIR',
        'Erase …',
        'Who opened this record',
      ],
    ],
    [['privacy'], hold, ['Legal hold: these records must stay', 'Lift', 'Only a manager']],
    [['audit'], null, ['Only a manager', 'Who opened this record']],
  ])('is offered to who has %j, held: %j, as %j', (rights, held, words) => {
    expect(shown(rights, held).words.match(offered)).toEqual(words);
  });

  test('says who holds it, and why, and leads to who opened it', () => {
    const { words, links } = shown(['audit'], hold);
    expect(words).toContain('A lawsuit Ana, Nov 20, 9:00 AM');
    expect(shown([], { ...hold, placedByName: null }).words).toContain('A lawsuit account:2, Nov 20');
    expect(links).toEqual([['Who opened this record', '/audit?show=opened&subject=patient-1']]);
  });

  test.each([
    ['Export as JSON', 'json'],
    ['Export as FHIR', 'fhir'],
  ])('%s asks for %s, and saves it', async (label, format) => {
    const { click, settled, requests } = shown(['exports'], null, [{ a: 1 }]);
    click(label);
    await settled();
    expect(requests).toEqual([['GET', `${path}/export`, null]]);
    expect(addresses.at(-1)).toContain(`?format=${format}`);
    expect(link.download).toBe(format === 'json' ? 'patient-patient-1.json' : 'patient-patient-1-fhir.json');
  });

  test('is asked for to be erased in a dialog, which leads to the erasure', async () => {
    const { click, again, given, address, refreshed, settled } = shown(['exports', 'privacy'], null);
    const dialog = () => given(({ title, opened }) => opened !== undefined && title === 'Erase Wendy Ivanov?');
    expect(dialog()['opened']).toBe(false);
    click('Erase …');
    again();
    expect(dialog()['opened']).toBe(true);
    const question = () => given(({ onRequested }) => onRequested);
    (question()['onRequested'] as (id: string) => void)('erasure-1');
    expect(await address()).toBe('/erasures/erasure-1');
    await settled();
    expect(refreshed()).toEqual(['getCases', 'getCalls', 'getTasks', 'getPatients']);
    (question()['onClose'] as () => void)();
    again();
    expect(dialog()['opened']).toBe(false);
  });

  test('is held for a reason', async () => {
    const done: string[] = [];
    const { field, submit, texts, requests, refreshed } = begin(
      patients.holding.HoldForm,
      { patientId: 'patient-1', onDone: () => done.push('done') },
      { replies: [{}] },
    );
    field('Why the records must stay').onChange?.('A lawsuit');
    submit();
    expect(await texts()).toEqual(['green: The records stay until the hold is lifted.']);
    expect(requests).toEqual([['PUT', `${path}/legal-hold`, { reason: 'A lawsuit' }]]);
    expect([done, refreshed()]).toEqual([['done'], ['getPatients']]);
  });

  test('is held no longer', async () => {
    const { given } = shown(['privacy'], hold);
    const { does, done, refresh, request, ask } = given(({ label, does: of }) => of && label === 'Lift');
    void does;
    expect([done, refresh, request]).toEqual([
      'The hold is lifted.',
      ['patients'],
      { path: { patientId: 'patient-1' } },
    ]);
    expect(ask).toMatchObject({ title: 'Lift the legal hold?' });
  });
});

describe('two records that may be of one person', () => {
  const registration = { preferredLocation: null, medicareStatus: null, healthPlanName: null, referralSource: null };
  const other = { ...wendy, id: 'patient-2', registration };
  const comparing = (
    own: object,
    others: object,
    { moves = {}, replies = [] }: { moves?: object; replies?: object[] } = {},
  ) => {
    const closed: string[] = [];
    const [patient, second] = [
      { ...wendy, registration, ...own },
      { ...other, ...others },
    ];
    const found = { moves: [], openWorkflows: 0, ...moves };
    const previews = [
      [patient, second],
      [second, patient],
    ].map(([kept, replaced]): [{ queryKey: unknown }, unknown] => [
      patients.api.getPatientsByPatientIdMergeOptions({
        path: { patientId: kept?.id },
        query: { replaced: replaced?.id },
      }),
      found,
    ]);
    const acting = begin(
      patients.merging.Comparison,
      { patient, otherId: 'patient-2', onClose: () => closed.push('closed') },
      {
        answers: [
          [patients.api.getPatientsByPatientIdOptions({ path: { patientId: 'patient-2' } }), second],
          ...previews,
        ],
        at: '/patients/patient-1',
        replies,
      },
    );
    return { ...acting, closed };
  };
  const kept = 'Which record is kept?';

  test.each<[own: object, others: object, keptId: string]>([
    [{}, {}, 'patient-1'],
    [{ identifier: 'A' }, {}, 'patient-1'],
    [{ identifier: 'A' }, { identifier: 'B' }, 'patient-1'],
    [{}, { identifier: 'B' }, 'patient-2'],
  ])('of %j and %j that of %s is kept unless the other is chosen', (own, others, keptId) => {
    const { field, again } = comparing(own, others);
    expect(field(kept).value).toBe(keptId);
    const chosen = keptId === 'patient-1' ? 'patient-2' : 'patient-1';
    field(kept).onChange?.(chosen);
    again();
    expect(field(kept).value).toBe(chosen);
  });

  const choices: [field: string, label: string, own: object, others: object, shown: [own: string, others: string]][] = [
    ['name', 'Name', { lastName: 'Ivanova' }, {}, ['Wendy Ivanova', 'Wendy Ivanov']],
    [
      'dateOfBirth',
      'Date of birth',
      { dateOfBirth: '1980-02-28' },
      { dateOfBirth: '1980-02-29' },
      ['Feb 28, 1980', 'Feb 29, 1980'],
    ],
    ['phone', 'Phone', {}, { phone: '+13035550143' }, ['(303) 555-0142', '(303) 555-0143']],
    ['email', 'E-mail', { email: 'a@example.com' }, { email: 'b@example.com' }, ['a@example.com', 'b@example.com']],
    ['address', 'Address', { address: 'One' }, { address: 'Two' }, ['One', 'Two']],
    ['reasonForVisit', 'Reason for visit', { reasonForVisit: 'One' }, { reasonForVisit: 'Two' }, ['One', 'Two']],
    ...(
      [
        ['preferredLocation', 'Preferred location'],
        ['medicareStatus', 'Medicare status'],
        ['healthPlanName', 'Health plan'],
        ['referralSource', 'Referral source'],
      ] as const
    ).map(([name, label]): [string, string, object, object, [string, string]] => [
      name,
      label,
      { registration: { ...registration, [name]: 'One' } },
      { registration: { ...registration, [name]: 'Two' } },
      ['One', 'Two'],
    ]),
    [
      'insurance',
      'Insurance',
      { insurance: { planName: 'Aetna', isActive: true, copay: 20 } },
      { insurance: { planName: 'Cigna' } },
      ['Aetna, 20', 'Cigna'],
    ],
    ['selfPay', 'Self-pay', { selfPay: { priceCents: 100 } }, { selfPay: { priceCents: 200 } }, ['100', '200']],
  ];

  test.each(choices)('of the %s one is taken', async (field, label, own, others, [first, second]) => {
    const acting = comparing(own, others, { replies: [{ id: 'merge-1' }] });
    expect(await acting.now()).toContain(
      `${label} ${first} The record that is kept ${second} The record that is not kept`,
    );
    expect(acting.field(label).value).toBe('kept');
    acting.field(label).onChange?.('other');
    acting.again();
    expect(acting.field(label).value).toBe('other');
    acting.field(label).onChange?.('kept');
    acting.again();
    expect(acting.field(label).value).toBe('kept');
    acting.field(label).onChange?.('other');
    acting.again();
    acting.click('Merge');
    await acting.settled();
    expect(acting.requests).toEqual([['POST', `${path}/merge`, { replaced: 'patient-2', take: [field] }]]);
  });

  test('what only the other has is taken unless it is not, and what it lacks is not asked about', () => {
    const { field, again } = comparing({ email: 'a@example.com' }, { address: 'Two' });
    expect(field('Address').value).toBe('other');
    expect(wordsIn(again())).toContain(
      'Address nothing on file The record that is kept Two The record that is not kept',
    );
    expect(wordsIn(again())).not.toContain('E-mail');
    field(kept).onChange?.('patient-2');
    expect(wordsIn(again())).toContain('E-mail nothing on file The record that is kept a@example.com');
    expect(comparing({ firstName: '', lastName: '' }, {}).field('Name').value).toBe('other');
  });

  test.each<[moves: object, words: string]>([
    [{}, 'moves to the record that is kept nothing: there is nothing on the record that is not kept “Do not call”'],
    [
      {
        moves: [
          { records: 'calls', count: 1 },
          { records: 'documents', count: 2 },
        ],
        openWorkflows: 1,
      },
      'moves to the record that is kept 1 call, 2 notes 1 workflow goes on for it “Do not call”',
    ],
    [{ openWorkflows: 2 }, '2 workflows go on for it'],
  ])('what moves of %j is told', (moves, words) => {
    expect(wordsIn(comparing({}, {}, { moves }).again())).toContain(words);
  });

  test('are one then, which leads to the one that is kept, and can be undone', async () => {
    const { click, told, requests, refreshed, address, closed, settled } = comparing(
      {},
      { identifier: 'B' },
      { replies: [{ id: 'merge-1' }, {}] },
    );
    click('Merge');
    const [first] = await told();
    expect([first?.text, first?.label]).toEqual([
      'green: The two records are one now. It can be undone for a day.',
      'Undo',
    ]);
    expect([await address(), closed]).toEqual(['/patients/patient-2', ['closed']]);
    expect(refreshed()).toEqual(['getOverview', 'getCases', 'getCalls', 'getTasks', 'getPatients']);
    first?.onClick?.();
    await settled();
    expect(requests).toEqual([
      ['POST', '/api/patients/patient-2/merge', { replaced: 'patient-1', take: [] }],
      ['POST', '/api/patient-merges/merge-1/undo', null],
    ]);
    expect(patients.said().map(({ message }) => message)).toEqual(['The two records are separate again.']);
  });

  test.each<[rights: string[], own: object, count: number, title: string | null]>([
    [['patients'], {}, 1, 'Possible duplicate'],
    [['patients'], {}, 2, 'Possible duplicates (2)'],
    [['patients'], {}, 0, null],
  ])('who has %j and looks at %j with %i others is told “%s”, and compares them', (rights, own, count, title) => {
    const items = Array.from({ length: count }, (_, index) => ({
      ...other,
      id: `patient-${index + 2}`,
      alike: ['name'],
      similar: [],
    }));
    const acting = begin(
      patients.merges.PossibleDuplicates,
      { patient: { ...wendy, ...own } },
      {
        answers: [
          [patients.api.getPatientsByPatientIdDuplicatesOptions({ path: { patientId: 'patient-1' } }), { items }],
        ],
        as: { rights },
      },
    );
    const dialog = () => acting.given(({ opened, title: of }) => opened !== undefined && of)['opened'];
    expect(dialog()).toBe(false);
    if (title === null) return;
    expect(wordsIn(acting.again())).toContain(title);
    acting.click('Compare: Wendy Ivanov');
    acting.again();
    expect(dialog()).toBe(true);
    const comparison = acting.given(({ otherId }) => otherId);
    expect(comparison['otherId']).toBe('patient-2');
    (comparison['onClose'] as () => void)();
    acting.again();
    expect(dialog()).toBe(false);
  });
});

describe('a patient who is looked for', () => {
  const roy = { ...wendy, id: 'patient-2', firstName: 'Roy', lastName: 'Chen', phone: null, dateOfBirth: '1980-02-29' };
  const looking = (
    value: object | null,
    {
      props = {},
      found = [],
      rights = ['patients'],
      text = 'roy',
    }: { props?: object; found?: object[] | null; rights?: string[]; text?: string } = {},
  ) => {
    const chosen: unknown[] = [];
    const option = patients.api.getPatientsOptions({ query: { search: text, limit: 8 } });
    const acting = begin(
      patients.select.PatientSelect,
      {
        label: 'Patient',
        value,
        onChange: (patient: { id: string } | null) => chosen.push(patient?.id ?? null),
        ...props,
      },
      { answers: found ? [[option, { items: found, searchedFor: 'Roy' }]] : [], as: { rights } },
    );
    const select = () => acting.given(({ searchable }) => searchable);
    const look = () => {
      (select()['onSearchChange'] as (text: string) => void)(text);
      acting.again();
      return select();
    };
    return { ...acting, chosen, select, look };
  };

  test.each<[props: object, labels: unknown[]]>([
    [{}, ['Patient', undefined, 'Name, phone or birth date', undefined]],
    [{ autoFocus: true }, ['Patient', undefined, 'Name, phone or birth date', true]],
    [{ isFilter: true }, [undefined, 'Patient', 'Patient: name or phone', undefined]],
  ])('in a field %j', (props, labels) => {
    const { label, placeholder, ...select } = looking(null, { props }).select();
    expect([label, select['aria-label'], placeholder, select['data-autofocus']]).toEqual(labels);
  });

  test('who is chosen stands in it, and is offered', () => {
    const select = looking(roy).select();
    expect([select.value, select['searchValue'], select['openOnFocus']]).toEqual(['patient-2', 'Roy Chen', false]);
    expect(select['data']).toEqual([{ value: 'patient-2', label: 'Roy Chen' }]);
    const all = [{ value: 'any' }];
    expect((select['filter'] as Computed)({ options: all })).toBe(all);
    const none = looking(null).select();
    expect([none.value, none['searchValue'], none['data'], none['openOnFocus']]).toEqual([null, '', [], false]);
    expect(none['nothingFoundMessage']).toBeUndefined();
  });

  test.each<[id: string | null, chosen: (string | null)[]]>([
    ['patient-2', ['patient-2']],
    [null, [null]],
    ['patient-9', [null]],
  ])('the option %j chooses %j', (id, chosen) => {
    const acting = looking(roy);
    acting.select().onChange?.(id);
    expect(acting.chosen).toEqual(chosen);
  });

  test('is shown with phone and birth date', () => {
    const render = (patient: object) =>
      wordsIn(
        patients.show(() =>
          (looking(patient).select()['renderOption'] as Computed)({ option: { value: 'patient-2' } }),
        ),
      );
    expect(render(roy)).toBe('Roy Chen No phone · Feb 29, 1980');
    expect(render({ ...roy, phone: wendy.phone, dateOfBirth: null })).toBe('Roy Chen (303) 555-0142');
    expect((looking(roy).select()['renderOption'] as Computed)({ option: { value: 'new', label: 'Register' } })).toBe(
      'Register',
    );
  });

  const found = { value: 'patient-2', label: 'Roy Chen' };
  const register = (label: string) => ({ value: 'new', label });

  test.each<
    [hits: object[] | null, props: object, rights: string[], offered: object[], words: string, takesFirst: boolean]
  >([
    [null, {}, ['patients'], [], 'Searching …', false],
    [[], {}, ['patients'], [register('No patient matches: register “roy”')], 'No patient matches', true],
    [[roy], {}, ['patients'], [found, register('Register “roy”')], 'No patient matches', true],
    [[roy], {}, [], [found], 'No patient matches', true],
    [[roy], { isFilter: true }, ['patients'], [found], 'No patient matches', true],
  ])(
    'of whom %j were found, in a field %j, by who has %j, is offered %j',
    (hits, props, rights, offered, words, takesFirst) => {
      const select = looking(null, { found: hits, props, rights }).look();
      expect([select['data'], select['nothingFoundMessage'], select['selectFirstOptionOnChange']]).toEqual([
        offered,
        words,
        takesFirst,
      ]);
      expect([select['searchValue'], select['openOnFocus']]).toEqual(['roy', true]);
      const options = [found, { value: 'patient-9', label: 'Chosen before' }, register('Register'), { group: 'none' }];
      expect((select['filter'] as Computed)({ options })).toEqual([
        ...(hits?.length ? [found] : []),
        register('Register'),
      ]);
    },
  );

  test('who is registered instead is chosen then', () => {
    const acting = looking(null, { found: [] });
    acting.look().onChange?.('new');
    acting.again();
    expect(acting.select()['onSearchChange']).toBeUndefined();
    const { typed, choose, onRegistered } = acting.given(({ typed: is }) => is !== undefined);
    expect([typed, choose, acting.chosen]).toEqual(['Roy', 'Choose this one instead', []]);
    (onRegistered as (patient: object) => void)(roy);
    acting.again();
    expect(acting.chosen).toEqual(['patient-2']);
    expect(isThere(acting, ({ typed: is }) => is !== undefined)).toBe(false);
  });
});

describe('what happened with a patient', () => {
  const at = '2026-11-24T14:00:00Z';
  const visit = {
    id: 'visit-1',
    startsAt: at,
    endsAt: at,
    providerName: 'Dr.Chen',
    providerDisplayName: 'Dr. Chen',
    visitType: 'Control',
    status: 'fulfilled',
    cancellationReason: null,
  };
  const decision = {
    at,
    decided: 'no_call',
    rule: 'too_late',
    stage: 'plan',
    until: null,
    inputs: {},
    workflowId: 'workflow-1',
    workflowType: 'waitlist-offer',
    callId: null,
  };
  const change = {
    id: '1',
    at,
    action: 'patient.change',
    actorName: 'Ana',
    actor: 'account:2',
    detail: {},
    visit: null,
    movedFrom: null,
  };
  interface Happened {
    cases?: object[];
    calls?: object[];
    tasks?: object[];
    decisions?: object[];
    deliveries?: object[] | null;
    patient?: object;
  }
  const shown = (
    { cases = [], calls = [], tasks = [], decisions = [], deliveries = [], patient = {} }: Happened,
    kind?: string,
  ) => {
    const { api } = patients;
    const query = { patientId: 'patient-1', limit: 20 };
    const ofDecisions = { path: { patientId: 'patient-1' }, query: { called: 'false', limit: 20 } };
    const acting = begin(
      patients.timeline.PatientTimeline,
      { patient: { ...wendy, appointments: [], documents: [], changes: [], ...patient } },
      {
        answers: [
          [api.getCasesOptions({ query }), { items: cases }],
          [api.getCallsOptions({ query }), { items: calls }],
          [api.getTasksOptions({ query }), { items: tasks }],
          [api.getPatientsByPatientIdCallDecisionsOptions(ofDecisions), { items: decisions }],
          ...(deliveries
            ? [
                [api.getDeliveriesOptions({ query: { subject: 'case-1', limit: 20 } }), { items: deliveries }] as [
                  { queryKey: unknown },
                  unknown,
                ],
              ]
            : []),
        ],
      },
    );
    if (kind !== undefined) acting.field('What is shown').onChange?.({ currentTarget: { value: kind } });
    const markup = acting.again();
    // Each stands with the time of its happening.
    const words = wordsIn(markup).replaceAll('Nov 24, 9:00 AM ', '');
    return {
      words: words.slice(words.indexOf('Add the note') + 'Add the note '.length),
      links: linksIn(markup),
      markup,
    };
  };
  const recovery = {
    recoveryCaseId: 'case-1',
    workflowId: 'workflow-9',
    formName: 'Intake',
    createdAt: at,
    recoveryStatus: 'PENDING',
  };
  const call = {
    id: 'call-1',
    createdAt: at,
    state: 'ENDED',
    ending: 'not_reached',
    summary: null,
    workflowType: 'waitlist-offer',
    workflowId: null,
    formName: null,
    isSimulated: false,
  };
  const task = {
    id: 'task-1',
    version: 1,
    createdAt: at,
    reason: 'bad_number',
    state: 'OPEN',
    patient: null,
    barrier: null,
    detail: {},
    outcome: null,
    assignee: null,
  };
  const delivery = { id: '7', createdAt: at, event: 'recovery_case.outcome', state: 'DEAD', attempts: [] };
  const written = {
    id: 'note-1',
    createdAt: at,
    callId: null,
    note: 'Rang',
    escalateToClinicalTeam: false,
    requestExternalRecords: false,
  };

  test.each<[kind: string, happened: Happened, words: string, to: string | null]>([
    ['form', { cases: [recovery] }, 'Form: Intake', '/cases/case-1'],
    ['form', { cases: [{ ...recovery, formName: null }] }, 'Started over the API', '/cases/case-1'],
    ['call', { calls: [call] }, 'Call: Waitlist offer Not reached', '/calls/call-1'],
    [
      'call',
      { calls: [{ ...call, ending: null, state: 'IN_PROGRESS' }] },
      'Call: Waitlist offer In progress',
      '/calls/call-1',
    ],
    ['call', { calls: [{ ...call, summary: 'Was away' }] }, 'Not reached Was away', '/calls/call-1'],
    ['decision', { decisions: [decision] }, 'Not called: Waitlist offer', null],
    ['visit', { patient: { appointments: [visit] } }, 'Control, Dr. Chen Over', null],
    ['visit', { patient: { appointments: [{ ...visit, visitType: null }] } }, 'Visit, Dr. Chen Over', null],
    ['note', { patient: { documents: [written] } }, 'Note Rang', null],
    ['note', { patient: { documents: [{ ...written, note: '' }] } }, 'Note Without a text.', null],
    ['note', { patient: { documents: [{ ...written, callId: 'call-1' }] } }, 'Note of a call Rang', '/calls/call-1'],
    [
      'note',
      { patient: { documents: [{ ...written, escalateToClinicalTeam: true }] } },
      'Note For the clinical team Rang',
      null,
    ],
    [
      'note',
      { patient: { documents: [{ ...written, requestExternalRecords: true }] } },
      'Note External records wanted Rang',
      null,
    ],
    [
      'note',
      { patient: { documents: [written], changes: [{ ...change, detail: { documentId: 'note-1' } }] } },
      'Note by Ana Rang',
      null,
    ],
    ['note', {}, 'First on record', null],
    ['task', { tasks: [task] }, 'Correct the phone number Open Unassigned', null],
    [
      'task',
      { tasks: [{ ...task, state: 'RESOLVED', outcome: 'spoke' }] },
      'Correct the phone number Spoke with them',
      null,
    ],
    [
      'task',
      { tasks: [{ ...task, assignee: { id: 'a', name: 'Ana' }, detail: { why: 'No answer' } }] },
      'Open Why: No answer Ana',
      null,
    ],
    ['staff', { patient: { changes: [change] } }, '…', null],
    ['delivery', { cases: [recovery], deliveries: [delivery] }, 'Event:', '/deliveries/7'],
  ])('of the kind %s, %j is told as “%s”', (kind, happened, words, to) => {
    const all = shown(happened);
    expect(all.words).toContain(words);
    expect(all.words).toContain('First on record');
    if (to !== null) expect(all.links.map(([, each]) => each)).toContain(to);
    const own = shown(happened, kind);
    expect(own.words).toContain(words);
    expect(own.words.includes('First on record')).toBe(kind === 'note');
    expect(shown(happened, kind === 'call' ? 'form' : 'call').words).not.toContain(words);
  });

  test.each<[kind: string, happened: Happened, words: string]>([
    ['decision', { decisions: [{ ...decision, rule: 'first_call_delay' }] }, 'Not called'],
    ['delivery', { cases: [recovery], deliveries: [{ ...delivery, state: 'DELIVERED' }] }, 'Event:'],
    ['staff', { patient: { changes: [{ ...change, action: 'task.change' }] } }, '…'],
  ])('what is nothing for a person is shown where %s is asked for: %j', (kind, happened, words) => {
    expect(shown(happened).words).not.toContain(words);
    expect(shown(happened, kind).words).toContain(words);
  });

  test.each<[detail: object, isShown: boolean]>([
    [{ state: 'RESOLVED' }, true],
    [{ outcome: 'try_later' }, true],
    [{ assigneeId: 'a' }, false],
  ])('a task that was changed with %j is shown by itself: %s', (detail, isShown) => {
    const changes = [{ ...change, action: 'task.change', detail }];
    expect(shown({ patient: { changes } }).words.includes('…')).toBe(isShown);
  });

  test('is told newest first, once all of it is read', () => {
    const late = { ...call, id: 'call-2', createdAt: '2026-11-25T14:00:00Z' };
    const { links, words } = shown({
      cases: [recovery],
      calls: [{ ...call, createdAt: '2026-11-23T14:00:00Z' }, late],
    });
    expect(links.map(([, to]) => to)).toEqual(['/calls/call-2', '/cases/case-1', '/calls/call-1']);
    expect(words).toMatch(/First on record/);
    expect(shown({ cases: [recovery], deliveries: null }).words).not.toContain('First on record');
    expect(shown({}, 'call').words).toContain('Nothing yet.');
  });

  test('a visit is told where it was, or where somebody cancelled it', () => {
    const cancelled = { ...visit, status: 'cancelled' };
    const cancelling = { ...change, action: 'appointment.cancel', detail: { appointmentId: 'visit-1' } };
    const told = (appointments: object[], changes: object[]) =>
      shown({ patient: { appointments, changes } }).words.includes('Control, Dr. Chen');
    expect(told([cancelled], [])).toBe(true);
    expect(told([cancelled], [cancelling])).toBe(false);
    expect(told([cancelled], [{ ...cancelling, detail: { appointmentId: 'visit-2' } }])).toBe(true);
    expect(told([cancelled], [{ ...cancelling, action: 'appointment.book' }])).toBe(true);
    expect(told([visit], [cancelling])).toBe(true);
    expect(told([{ ...visit, status: 'booked', startsAt: '2026-11-26T14:00:00Z' }], [])).toBe(false);
  });
});

describe('the page of a patient', () => {
  const whole = {
    ...wendy,
    appointments: [],
    changes: [],
    documents: [],
    consent: null,
    crmSyncedAt: null,
    registration: { ...wendy.registration, status: 'COMPLETE', missingFields: [], commsConsent: null },
  };
  const optOuts = (items: object[]): [{ queryKey: unknown }, unknown] => [
    patients.api.getIntegrationsOptOutsOptions({ query: { phone: wendy.phone, limit: 1 } }),
    { items },
  ];
  const shown = (given: object = {}, rights: string[] = ['patients']) => {
    const option = patients.api.getPatientsByPatientIdOptions({ path: { patientId: 'patient-1' } });
    return wordsIn(
      begin(
        patients.page.Patient,
        {},
        {
          at: '/patients/patient-1',
          path: '/patients/:patientId',
          answers: [[option, { ...whole, ...given }], optOuts([])],
          as: { rights },
        },
      ).again(),
    );
  };
  const consent = { isGiven: true, basis: 'Form of 2026', source: 'Front desk', at: '2026-11-20T14:00:00Z' };

  test.each<[given: object, there: string | null, missing: RegExp | null]>([
    [{}, 'Edit', /Reason for visit|Synced to the CRM|Agreed to Form|Identifier|born|next visit/],
    [{ reasonForVisit: 'Cough' }, 'Reason for visit Cough', null],
    [{ crmSyncedAt: '2026-11-20T14:00:00Z' }, 'Synced to the CRM', null],
    [{ address: '1 Main Street' }, 'Address 1 Main Street', null],
    [{ email: 'w@example.com' }, 'E-mail w@example.com', null],
    [{ identifier: 'MRN-7' }, 'Identifier', null],
    [{ dateOfBirth: '1980-02-29' }, 'born Feb 29, 1980', null],
    [{ phone: null }, 'No phone', /Stop calling/],
    [{ preferredLanguage: 'es' }, '(303) 555-0142 Spanish', null],
    [{ consent }, 'Agreed to Form of 2026 Given to Front desk On Nov 20', /Refused/],
    [{ consent: { ...consent, isGiven: false } }, 'Refused Form of 2026', /Agreed to Form/],
    [{}, 'Book an appointment', null],
    [{ replacedBy: 'patient-2' }, null, /Edit|Book an appointment/],
    [{}, 'Nobody has asked to stop these calls.', null],
    [{}, 'Nothing is booked.', null],
    [{ changes: [{ action: 'opt-out.remove', detail: {} }] }, null, /Nobody has asked to stop/],
    [
      {
        changes: [
          { action: 'opt-out.add', detail: {} },
          { action: 'opt-out.remove', detail: {} },
        ],
      },
      'Nobody has asked to stop these calls.',
      null,
    ],
  ])('of %j says “%s”, and not %s', (given, there, missing) => {
    const words = shown(given);
    if (there !== null) expect(words).toContain(there);
    if (missing !== null) expect(words).not.toMatch(missing);
  });

  test('the next visit is the first that is to come, and all of them are listed by time', () => {
    const visit = (id: string, startsAt: string) => ({
      id,
      startsAt,
      endsAt: startsAt,
      providerName: 'Dr.Chen',
      providerDisplayName: 'Dr. Chen',
      visitType: `Visit ${id}`,
      status: 'booked',
    });
    const words = shown({
      appointments: [
        visit('3', '2026-12-07T15:00:00Z'),
        visit('2', '2026-11-30T15:00:00Z'),
        visit('1', '2026-11-25T14:00:00Z'),
        visit('0', '2026-11-24T14:00:00Z'),
      ],
    });
    expect(words).toContain('next visit Mon, Nov 30, 2026, 10:00 AM');
    expect(words.match(/Dr\. Chen Visit \d/g)).toEqual(['1', '2', '3'].map((id) => `Dr. Chen Visit ${id}`));
  });
});
