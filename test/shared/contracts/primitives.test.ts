import { CreateApiKey, RotateApiKey } from '@clinic/shared/contracts/accounts/api-keys';
import { NewView, ViewChange } from '@clinic/shared/contracts/accounts/saved-views';
import { BeginSingleSignOn, SingleSignOnChange } from '@clinic/shared/contracts/accounts/single-sign-on';
import { OverridingAppointment, StartInstant } from '@clinic/shared/contracts/calendar/appointments';
import { ClosedDaysChange, closedDaysIn, Hours, SpecialDaysOf } from '@clinic/shared/contracts/calendar/hours';
import { named, ProvidersChange } from '@clinic/shared/contracts/calendar/providers';
import { NewWaitlistEntry } from '@clinic/shared/contracts/calendar/waitlist';
import { ClockAdvance, NewSandboxClient, NewSandboxClock } from '@clinic/shared/contracts/sandbox/sandbox';
import { ListPatients, NewPatient } from '@clinic/shared/contracts/patients/patients';
import { ShowResults } from '@clinic/shared/contracts/operations/results';
import { FurtherEndpointSettings } from '@clinic/shared/contracts/events/outbound-endpoints';
import { OutboundSettings, SampleEvent, sampleOf } from '@clinic/shared/contracts/events/outbound-events';
import { TaskChange, TasksChange } from '@clinic/shared/contracts/tasks/tasks';
import { VoiceChange } from '@clinic/shared/contracts/voice/voice';
import {
  BirthDate,
  Count,
  CountedPage,
  DateText,
  DueBy,
  Flag,
  HttpUrl,
  isUnique,
  Line,
  orderOf,
  Phone,
  SessionId,
  Timestamp,
  TimeText,
  upTo,
  WrittenPhone,
} from '@clinic/shared/contracts/primitives';
import type { z } from 'zod';
import { read, takes } from '../../support/schemas';

test('one phone has one form, also where it came in another', () => {
  expect(['+4407911123456', ' +447911123456 '].map((text) => Phone.parse(text))).toEqual(
    Array(2).fill('+447911123456'),
  );
});

test.each<[string, z.ZodType, unknown[], unknown[]]>([
  ['a line', Line, ['a', ' a ', 'a'.repeat(200)], ['', '  ', 'a'.repeat(201), 1, null]],
  ['a date of birth', BirthDate, ['1980-03-05'], ['1980-02-30', '3/5/1980', '']],
  ['a date', DateText, ['2028-02-29'], ['2026-02-29', '2026-2-1']],
  [
    'a phone',
    Phone,
    ['+1500555', ' +15005550001 ', '+123456789012345'],
    ['+150055', '+0500555', '15005550001', '+1234567890123456'],
  ],
  ['a phone as people write it', WrittenPhone, ['(303) 555-0101'], ['', ' ', '1'.repeat(41)]],
  ['a session', SessionId, ['a', 'é b', 'a'.repeat(200)], ['', '  ', 'a'.repeat(201), 'a\u0007']],
  [
    'a web address',
    HttpUrl,
    ['http://a', 'HTTPS://a.example/b?c'],
    ['ftp://a', 'a.example', 'http://', `http://${'a'.repeat(2_000)}`],
  ],
  ['a time of day', TimeText, ['00:00', '19:59', '23:59'], ['24:00', '9:00', '09:60', '29:00']],
  ['a count', Count, [0, 2_147_483_647], [-1, 1.5, 2_147_483_648]],
  ['a flag', Flag, ['true', 'false'], ['', 'yes', true]],
])('what %s is, and what is none', (_what, schema, good, bad) => {
  expect(takes(schema, good)).toEqual(good.map(() => true));
  expect(takes(schema, bad)).toEqual(bad.map(() => false));
});

test.each([
  ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
  ['2026-11-20T10:00:00.123456789Z', '2026-11-20T10:00:00.123Z'],
  ['2026-11-20T10:00:00+01:00', '2026-11-20T09:00:00.000Z'],
  ['2026-11-20T10:00-0700', '2026-11-20T17:00:00.000Z'],
  ['2026-11-20T10:00:00+01', '2026-11-20T09:00:00.000Z'],
  ['2026-11-20 10:00:00.123456+00', '2026-11-20T10:00:00.123Z'],
  ['2026-11-20t10:00:00', '2026-11-20T10:00:00.000Z'],
  ['2026-11-20T10:00:00+24', null],
  ['2026-11-20-07', null],
  ['2026-11-20T10:00:00', '2026-11-20T10:00:00.000Z'],
  ['2026-11-20 10:00', '2026-11-20T10:00:00.000Z'],
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  [' 2026-11-20t10:00:00z ', '2026-11-20T10:00:00.000Z'],
  ['1900-01-01', '1900-01-01T00:00:00.000Z'],
  ['1899-12-31', null],
  ['2026-02-30', null],
  ['2026-02-30T10:00:00Z', null],
  ['2026-11-20T25:00:00Z', null],
  ['2026-11-20T10:00:00 UTC', null],
  ['20 November 2026', null],
  ['', null],
])('the point in time %j is %s', (text, instant) => {
  expect(Timestamp.safeParse(text).data ?? null).toBe(instant);
});

test.each([
  ['2026-11-20', '2026-11-20'],
  [' 2026-11-20 ', '2026-11-20'],
  ['2026-11-20T00:00:00Z', '2026-11-20T00:00:00.000Z'],
  ['2026-11-20T10:00:00+01:00', '2026-11-20T09:00:00.000Z'],
  ['1899-12-31', null],
  ['2026-02-30', null],
])('what is due by %j is due by %s', (text, due) => {
  expect(DueBy.safeParse(text).data ?? null).toBe(due);
});

test('how many are returned, where nobody says, where somebody asks for more, and for none', () => {
  expect([undefined, '1', '200', '201', 7].map((limit) => read(upTo(200), limit))).toEqual([50, 1, 200, 200, 7]);
  expect(takes(upTo(200), ['0', '-1', '1.5', 'many'])).toEqual([false, false, false, false]);
  expect(read(CountedPage, {})).toEqual({ limit: 50 });
  expect(read(CountedPage, { total: 'true' })).toEqual({ limit: 50, total: true });
  expect(read(CountedPage, { total: 'false' })).toEqual({ limit: 50, total: false });
  expect([undefined, 'newest', 'oldest'].map((order) => read(orderOf(['newest', 'oldest']), order))).toEqual([
    'newest',
    'newest',
    'oldest',
  ]);
});

test('results are of thirty days and compared with those before, unless somebody says otherwise', () => {
  expect(read(ShowResults, {})).toEqual({ days: 30, comparedWith: 'before' });
  for (const days of ['7', '30', '90'])
    expect(read(ShowResults, { days, comparedWith: 'year_before' })).toEqual({
      days: Number(days),
      comparedWith: 'year_before',
    });
  expect(read(ShowResults, { days: '60' })).toBe('refused: days must be 7, 30 or 90');
  expect(read(ShowResults, { from: '2026-10-32' })).toBe('refused: from must be a date as 2026-10-31');
  expect(read(ShowResults, { until: '2026-10-32' })).toBe('refused: until must be a date as 2026-10-31');
});

test('values that stand twice are not unique', () => {
  expect([[], ['a', 'b'], ['a', 'b', 'a']].map(isUnique)).toEqual([true, true, false]);
});

const pastHour = { startsAt: '2026-11-24T17:30:00Z', patientId: 'p1', providerName: 'Dr.Chen', reason: 'urgent' };

test('a start is an instant, of a whole minute where it goes against the rules', () => {
  expect(read(StartInstant, '2026-11-24T10:30:00-07:00')).toBe('2026-11-24T17:30:00.000Z');
  expect(read(StartInstant, '2026-11-24')).toBe('refused: is not an ISO 8601 timestamp');
  expect(read(StartInstant, 7)).toBe('refused: is not an ISO 8601 timestamp');
  expect(read(OverridingAppointment.shape.startsAt, pastHour.startsAt)).toBe('2026-11-24T17:30:00.000Z');
  expect(read(OverridingAppointment.shape.startsAt, '2026-11-24T17:30:30Z')).toBe('refused: must be a whole minute');
});

const morning = [{ opens: '09:00', closes: '12:00' }];
const evening = [{ opens: '18:00', closes: '09:00' }];

test('hours and special days are checked as a whole', () => {
  expect(read(Hours, { monday: morning })).toEqual({ monday: morning });
  expect(read(Hours, { monday: evening })).toBe('refused: monday closes before it opens');
  expect(read(SpecialDaysOf, { '2026-12-24': morning, '2026-12-25': [] })).toEqual({
    '2026-12-24': morning,
    '2026-12-25': [],
  });
  expect(read(SpecialDaysOf, { '2026-12-24': evening })).toBe('refused: 2026-12-24 closes before it opens');
  expect(takes(SpecialDaysOf, [{ '2026-02-30': [] }])).toEqual([false]);
  const days = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, day) => [new Date(day * 86_400_000).toISOString().slice(0, 10), []]),
    );
  expect(takes(SpecialDaysOf, [days(1_000), days(1_001)])).toEqual([true, false]);
});

test('a closed day is named once', () => {
  const day = { date: '2026-12-25', name: 'Christmas Day' };

  expect(read(ClosedDaysChange, { items: [day, day] })).toBe('refused: items must not name a date twice');
  expect(read(ClosedDaysChange, { items: [{ ...day, date: '2026-12-32' }] })).toBe(
    'refused: items.0.date must be a date as 2026-12-24',
  );
  expect(closedDaysIn({ items: [day, { date: '2026-12-24', name: 'Eve' }] })).toEqual({
    '2026-12-25': 'Christmas Day',
    '2026-12-24': 'Eve',
  });
});

const provider = { displayName: 'Dr. José Chen', workingHours: {}, visitTypes: [] };

test('providers have an id each, which a Latin name gives', () => {
  const nameless = { ...provider, displayName: '陈' };
  const twice = 'refused: items must not name a provider twice';

  expect(read(ProvidersChange, { items: [provider, { ...nameless, name: 'Chen' }] })).toMatchObject({
    items: [{}, {}],
  });
  expect(read(ProvidersChange, { items: [provider, nameless] })).toBe(
    'refused: items.1.name is needed: the display name has no Latin letter that an id could be made of',
  );
  expect(read(ProvidersChange, { items: [provider, { ...provider, displayName: 'Dr Jose Chen' }] })).toBe(twice);
  expect(read(ProvidersChange, { items: [provider, { ...nameless, name: 'Dr.Jose.Chen' }] })).toBe(twice);
  expect(named(provider).name).toBe('Dr.Jose.Chen');
  expect(named({ ...provider, name: 'Chen' }).name).toBe('Chen');
});

const entry = { patientId: 'p1', earliestOn: '2026-11-24', latestOn: '2026-11-24' };

test.each([
  ['one day', {}, null],
  ['days out of order', { latestOn: '2026-11-23' }, 'latestOn must not be before earliestOn'],
  ['a morning', { fromTime: '09:00', untilTime: '12:00' }, null],
  ['from a time on', { fromTime: '09:00' }, null],
  ['until a time', { untilTime: '09:00' }, null],
  ['no time of day', { fromTime: '09:00', untilTime: '09:00' }, 'untilTime must be after fromTime'],
  ['times out of order', { fromTime: '12:00', untilTime: '09:00' }, 'untilTime must be after fromTime'],
])('somebody waits for %s', (_what, over, refusal) => {
  const given = { ...entry, ...over };

  expect(read(NewWaitlistEntry, given)).toEqual(refusal === null ? given : `refused: ${refusal}`);
});

test.each<[string, object, string | null]>([
  ['priority', { priority: 'HIGH' }, null],
  ['state', { state: 'RESOLVED' }, null],
  ['nobody', { assigneeId: null }, null],
  ['no date', { dueOn: null }, null],
  ['nothing', {}, 'must change something: state, assigneeId, priority, dueOn, dueTime, outcome'],
  ['a version alone', { version: 1 }, 'must change something: state, assigneeId, priority, dueOn, dueTime, outcome'],
  ['a time without a date', { dueTime: '09:00' }, 'dueTime must come with dueOn'],
  ['a time of no date', { dueTime: '09:00', dueOn: null }, 'dueTime must come with dueOn'],
  ['a time of a date', { dueTime: '09:00', dueOn: '2026-11-24' }, null],
  ['no time', { dueTime: null }, null],
  ['trying later', { outcome: 'try_later', dueOn: '2026-11-24' }, null],
  ['trying later, still open', { outcome: 'try_later', dueOn: '2026-11-24', state: 'OPEN' }, null],
  ['trying later, some time', { outcome: 'try_later' }, 'dueOn must say when it is tried again'],
  [
    'trying later, and resolved',
    { outcome: 'try_later', dueOn: '2026-11-24', state: 'RESOLVED' },
    'state must not be RESOLVED where it is tried again',
  ],
  ['spoke', { outcome: 'spoke', state: 'RESOLVED' }, null],
  ['spoke, and open', { outcome: 'spoke', state: 'OPEN' }, 'state must be RESOLVED with the outcome spoke'],
  ['a machine', { outcome: 'voicemail' }, 'state must be RESOLVED with the outcome voicemail'],
])('a task is changed by %s', (_what, change, refusal) => {
  expect(read(TaskChange, change)).toEqual(refusal === null ? change : `refused: ${refusal}`);
});

test('several tasks are changed alike, each named once', () => {
  const change = { priority: 'HIGH' };

  expect(takes(TasksChange, [{ tasks: [{ id: 'a' }, { id: 'b' }], change }])).toEqual([true]);
  expect(read(TasksChange, { tasks: [{ id: 'a' }, { id: 'a' }], change })).toBe(
    'refused: tasks must not name a task twice',
  );
  expect(read(TasksChange, { tasks: [{ id: 'a' }], change: {} })).toMatch(/^refused: change must change something/);
});

const patient = { firstName: 'Ada', lastName: 'Byron', phone: '+15005550001' };

test('a patient is called in hours that are some, and what is searched for is read by time', () => {
  const asking = (preferredCallHours: object) => ({ ...patient, preferredCallHours });

  expect(read(NewPatient, asking({ from: '17:00' }))).toEqual(asking({ from: '17:00', until: null }));
  expect(read(NewPatient, asking({ until: '09:00' }))).toEqual(asking({ from: null, until: '09:00' }));
  expect(read(NewPatient, asking({}))).toBe('refused: preferredCallHours must say from when, until when, or both');
  expect(read(ListPatients, { order: 'name' })).toEqual({ limit: 50, order: 'name' });
  expect(read(ListPatients, { search: 'Ada', order: 'oldest' })).toEqual({ limit: 50, search: 'Ada', order: 'oldest' });
  expect(read(ListPatients, { search: 'Ada', order: '-name' })).toBe(
    'refused: order must be newest or oldest with search',
  );
});

test('a sandbox’s clock is set to a year that it knows, and goes on by something', () => {
  const at = (year: number) => ({ at: `${year}-06-01T00:00:00.000Z` });

  expect([1969, 1970, 2199, 2200].map((year) => NewSandboxClock.safeParse(at(year)).success)).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(read(NewSandboxClock, at(2027))).toEqual({ ...at(2027), isFrozen: true });
  for (const part of ['days', 'hours', 'minutes', 'seconds'])
    expect(read(ClockAdvance, { [part]: 1 })).toEqual({ days: 0, hours: 0, minutes: 0, seconds: 0, [part]: 1 });
  expect(read(ClockAdvance, {})).toBe('refused: must be more than nothing');
});

test('a client of the sandbox gives public keys', () => {
  const key = { kty: 'EC', kid: 'one', x: 'x' };
  const client = (...keys: object[]) => ({ name: 'CI', jwks: { keys } });

  expect(read(NewSandboxClient, client(key))).toEqual(client(key));
  expect(read(NewSandboxClient, client({ ...key, d: 'secret' }))).toBe(
    'refused: jwks.keys.0 must be a public key, without d',
  );
  expect(takes(NewSandboxClient, [client(), client({ ...key, kty: 'oct' })])).toEqual([false, false]);
});

test('a key names each scope once, and lasts as long as it says', () => {
  expect(read(CreateApiKey, { name: 'One' })).toEqual({
    name: 'One',
    scopes: ['workflows', 'patients', 'appointments'],
    expiresAt: null,
  });
  expect(read(CreateApiKey, { name: 'One', scopes: ['results', 'results'] })).toBe(
    'refused: scopes must name each only once',
  );
  expect(read(CreateApiKey, { name: 'One', scopes: [] })).toBe('refused: scopes must name one at least');
  expect(read(RotateApiKey, {})).toEqual({ oldKeyHours: 24, expiresAt: null });
  expect(
    takes(
      RotateApiKey,
      [0, 720, -1, 721].map((oldKeyHours) => ({ oldKeyHours })),
    ),
  ).toEqual([true, true, false, false]);
});

test('a view has twenty filters at most, and a change of one changes something', () => {
  const filters = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => ['a'.repeat(index + 1), 'x']));
  const view = { name: 'Mine', list: 'cases', filters: filters(20) };

  expect(read(NewView, view)).toEqual({ ...view, isShared: false });
  expect(read(NewView, { ...view, filters: filters(21) })).toBe('refused: filters must not have more than 20 filters');
  expect(
    takes(NewView, [
      { ...view, filters: { 'a-b': 'x' } },
      { ...view, filters: { a: '' } },
    ]),
  ).toEqual([false, false]);
  expect(read(ViewChange, {})).toBe('refused: must change something: name, filters, isShared');
  expect(read(ViewChange, { isShared: true })).toEqual({ isShared: true });
});

test('events are chosen once each: two of them unless somebody says otherwise', () => {
  const url = 'https://clinic.example/events';
  const usual = ['recovery_case.created', 'recovery_case.outcome'];
  const twice = ['workflow.completed', 'workflow.completed'];

  expect(read(OutboundSettings, { url })).toEqual({ url, enabled: true, events: usual });
  expect(read(OutboundSettings, { url, events: twice })).toMatchObject({ events: ['workflow.completed'] });
  expect(
    takes(OutboundSettings, [
      { url, events: ['test'] },
      { url, events: [] },
    ]),
  ).toEqual([false, true]);
  expect(read(FurtherEndpointSettings, { name: 'A', url })).toEqual({ name: 'A', url, enabled: true, events: usual });
  expect(read(FurtherEndpointSettings, { name: 'A', url, events: twice })).toMatchObject({
    events: ['workflow.completed'],
  });
  expect(read(FurtherEndpointSettings, { name: 'A', url, events: [] })).toBe(
    'refused: events choose one event at least',
  );
});

test('a sample is of a test event unless another is named, and about nobody', () => {
  expect([undefined, {}, { event: 'workflow.completed' }].map((body) => read(SampleEvent, body))).toEqual([
    { event: 'test' },
    { event: 'test' },
    { event: 'workflow.completed' },
  ]);
  expect(sampleOf('recovery_case.outcome', 's1')).toEqual({
    event: 'recovery_case.outcome',
    data: { recoveryCaseId: 's1', sessionId: 's1', recoveryStatus: 'RECOVERED' },
  });
  expect(sampleOf('workflow.completed', 's1')).toEqual({
    event: 'workflow.completed',
    data: { workflowId: 's1', workflowType: 'appointment-reminder', sessionId: 's1', outcome: 'CONFIRMED' },
  });
  expect(sampleOf('recovery_case.created', 's1')).toEqual({
    event: 'recovery_case.created',
    data: { recoveryCaseId: 's1', sessionId: 's1', patientFirstName: 'Sample', patientLastName: 'Patient' },
  });
});

test('voice settings that say nothing, and a message for a machine that nobody detects', () => {
  const voicemail = (isDetected: boolean, leavesMessage: boolean) => ({
    provider: 'vapi',
    voicemail: { isDetected, leavesMessage },
  });

  expect(read(VoiceChange, { provider: 'vapi' })).toEqual({
    provider: 'vapi',
    credentialId: null,
    phoneNumberId: null,
    assistantId: null,
    transferTo: null,
    voicemail: { isDetected: true, leavesMessage: false },
    maxCallSeconds: 600,
    recording: { isOn: false, isDisclosed: true },
    isHipaa: false,
  });
  expect(read(VoiceChange, voicemail(false, true))).toBe(
    'refused: voicemail.leavesMessage needs that voicemail is detected',
  );
  expect(takes(VoiceChange, [voicemail(true, true), voicemail(false, false)])).toEqual([true, true]);
});

test('single sign-on is for domains, as people write them', () => {
  const settings = {
    issuer: 'https://login.harbor.example',
    clientId: 'c',
    roleClaim: null,
    roleRules: [],
    defaultRole: null,
    factorAcrs: [],
  };
  const domains = (...given: string[]) => read(SingleSignOnChange, { ...settings, domains: given });

  expect(domains(' Harbor.Example ', 'a-b.co')).toMatchObject({ domains: ['harbor.example', 'a-b.co'] });
  for (const bad of ['example', '-a.example', 'a-.example', 'a..example', 'a.1', 'ana@harbor.example'])
    expect(domains(bad)).toBe('refused: domains.0 must be a domain as harbor.example');
  expect(domains()).toBe('refused: domains must name a domain');
  expect(takes(BeginSingleSignOn, [{ email: 'a@b' }, { email: ' a ' }])).toEqual([true, false]);
});
