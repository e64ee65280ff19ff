import type { CalendarAppointment } from '@clinic/gateways/calendar/port';
import type { ClinicCalendar } from '@clinic/gateways/calendar/clinic-calendar';
import { STAFF_CALL_BACK, toBooked, toRefusal, unknownProvider } from '@clinic/api/tools/appointment-answers';
import { contradictions } from '@clinic/api/tools/contradictions';
import { offeredTools } from '@clinic/api/tools/definitions';
import { executeTool, meaningOf, parseArguments, timeFor } from '@clinic/api/tools/execute-tool';
import { verifyInsurance } from '@clinic/api/tools/insurance';
import { findTool, tools } from '@clinic/api/tools/registry';
import type { Tool, ToolContext } from '@clinic/api/tools/tool';
import { refusedCaller } from '@clinic/api/tools/verify-caller';
import type { LiveCall } from '@clinic/prisma/stores/outreach/live-calls';

const call: LiveCall = {
  callId: 'call',
  clinicId: 'clinic',
  clinicZone: 'America/Denver',
  clinicCountry: 'US',
  isSandboxEnabled: true,
  isOwnCalendarOn: true,
  booksFollowUps: false,
  confirmsBookings: false,
  isLiveEhr: false,
  isDemo: true,
  voiceProvider: 'simulator',
  patientId: 'patient',
  phone: '+13035550101',
  isMatchedByNumber: false,
  workflowType: 'new-patient-journey',
  workflowId: 'workflow',
  caseId: 'case',
  isTest: false,
  state: 'IN_PROGRESS',
};
const real: LiveCall = { ...call, isDemo: false, voiceProvider: 'vapi' };

/** What a tool works with, as far as a test says. */
const aContext = (about: object = {}) =>
  ({
    call,
    toolCallId: 'tool-call',
    standing: 'unasked',
    now: new Date('2026-11-24T16:00:00Z'),
    ...about,
  }) as unknown as ToolContext;

const toolNamed = (family: string, name: string): Tool => {
  const found = findTool(family, name);
  if (!found) throw new Error(`${name} is no tool`);
  return found;
};

describe('where a request says something else than the record of its call', () => {
  const ids = (fields: unknown) => [{ place: 'metadata', of: 'ids' as const, fields }];

  test.each([
    ['clinicId', 'other', ['metadata.clinicId']],
    ['patientId', 'other', ['metadata.patientId']],
    ['callId', 'other', ['metadata.callId']],
    ['workflowId', 'other', ['metadata.workflowId']],
    ['recoveryCaseId', 'other', ['metadata.recoveryCaseId']],
    ['clinicId', 'clinic', []],
    ['recoveryCaseId', 'case', []],
    ['clinicId', '', []],
    ['clinicId', null, []],
    ['clinicId', undefined, []],
    ['clinicId', 7, ['metadata.clinicId']],
    ['colour', 'red', []],
  ])('%s as %p', (name, value, found) => {
    expect(contradictions(ids({ [name]: value }), call)).toEqual(found);
  });

  test('a place that holds no fields says nothing, and each contradiction is told once', () => {
    const twice = [...ids({ clinicId: 'other', callId: 'other' }), ...ids({ clinicId: 'another' })];

    expect(contradictions(['text', 7, null, undefined].flatMap(ids), call)).toEqual([]);
    expect(contradictions(twice, call)).toEqual(['metadata.clinicId', 'metadata.callId']);
  });

  test('a number is compared with the number that rang, and with none in a test call', () => {
    const claims = [
      { place: 'customer', of: 'number' as const, fields: { number: '+13035559999', clinicId: 'other' } },
    ];

    expect(contradictions(claims, call)).toEqual(['customer.number']);
    expect(contradictions(claims, { ...call, phone: '+13035559999' })).toEqual([]);
    expect(contradictions(claims, { ...call, phone: null })).toEqual([]);
  });
});

describe('which tools assistants are given', () => {
  const emr = tools.filter(({ family }) => family === 'emr-tools').map(({ name }) => name);
  const waiting = ['get_waitlist_offer', 'accept_waitlist_offer', 'decline_waitlist_offer'];
  const holding = ['hold_time', 'join_waitlist'];
  const names = (calendar: ClinicCalendar) => offeredTools(null, calendar).map(({ name }) => name);
  const without = (...missing: string[]) => tools.map(({ name }) => name).filter((name) => !missing.includes(name));

  test.each([
    ['its own calendar where times are held', { kind: 'own', holdsTimes: true }, []],
    ['its own calendar', { kind: 'own', holdsTimes: false }, holding],
    ['an EHR', { kind: 'ehr', holdsTimes: false }, [...holding, ...waiting]],
    ['no calendar', { kind: 'none', holdsTimes: false }, [...holding, ...waiting, ...emr]],
  ] as const)('of a clinic with %s', (_name, calendar, missing) => {
    expect(names({ ...calendar, booksFollowUps: false })).toEqual(without(...missing));
  });

  test('each says what it takes', () => {
    const [book] = offeredTools('new-patient-journey', {
      kind: 'own',
      holdsTimes: false,
      booksFollowUps: false,
    }).filter(({ name }) => name === 'book_appointment');

    expect(book).toMatchObject({
      family: 'emr-tools',
      description: expect.stringMatching(/.{10}/),
      parameters: { type: 'object', required: ['providerName', 'visitType', 'scheduledAt'] },
    });
  });
});

describe('what of a calendar the agent hears', () => {
  const providers = (...names: string[]) => ({
    stores: { providers: { list: async () => names.map((displayName) => ({ displayName })) } },
  });
  const appointment = {
    id: 'visit',
    providerName: 'Dr.Chen',
    startsAt: '2026-12-01T16:00:00.000Z',
    status: 'booked',
  } as CalendarAppointment;
  const spoken = 'Tuesday, December 1 at 9:00 AM';

  test.each([
    [{ kind: 'time_refused', reason: 'slot_taken' }, { reason: 'slot_taken' }],
    [{ kind: 'unknown_provider' }, { error: 'There is no such provider here. The providers are Dr. A, Dr. B.' }],
    [{ kind: 'unknown_patient' }, { error: 'The patient of this call is no longer on file.' }],
    [{ kind: 'nothing_upcoming' }, { error: 'no appointment on file' }],
    [{ kind: 'left_to_staff' }, { error: STAFF_CALL_BACK }],
    [{ kind: 'patient_not_identified' }, { error: expect.stringContaining('Ask for first and last name') }],
  ] as const)('of %p', async (answer, result) => {
    const told = await toRefusal(answer, aContext(providers('Dr. A', 'Dr. B')));

    expect(told).toEqual({ result: { success: false, ...result } });
  });

  test('of a booking, and of one that was made before after all', async () => {
    const booked = toBooked(appointment, aContext());
    const before = await toRefusal({ kind: 'booked_before', appointment } as never, aContext());

    const fact = { fact: 'booked', detail: { appointmentId: 'visit', startsAt: appointment.startsAt } };
    expect(booked).toEqual({
      ...fact,
      result: {
        success: true,
        appointmentId: 'visit',
        scheduledAt: appointment.startsAt,
        scheduledAtSpoken: spoken,
        status: 'booked',
      },
    });
    expect(before).toEqual({ ...fact, result: { success: false, error: expect.stringContaining(spoken) } });
  });

  test('of a clinic without providers', async () => {
    expect(await unknownProvider(aContext(providers()))).toBe('No provider takes appointments here.');
  });
});

describe('a caller who is not verified', () => {
  const book = toolNamed('emr-tools', 'book_appointment');
  const look = toolNamed('emr-tools', 'get_upcoming_appointment');
  const search = toolNamed('emr-tools', 'check_availability');
  const followUp: LiveCall = { ...real, workflowType: 'care-gap-follow-up' };
  const onFile = (isOnFile: boolean, there: object = { kind: 'found', birthDate: null }) => ({
    stores: { verifications: { isOnFile: async () => isOnFile } },
    calendar: { birthDate: async () => there },
  });
  const nobody = onFile(false);

  const refused = { success: false, reason: 'not_verified' };
  const [verifyFirst, stateBirthDate] = [/Use verify_patient/, /call resolve_patient_identity/];

  test.each([
    ['nothing in a tool that shows nothing', search, { call: real, standing: 'failed' }, null],
    ['nothing once they are verified', look, { call: real, standing: 'verified' }, null],
    ['nothing in the sandbox', look, { call }, null],
    [
      'a wrong date in the sandbox',
      look,
      { call, standing: 'failed' },
      { found: false, success: false, error: verifyFirst },
    ],
    ['what is on file', look, { call: real }, { ...refused, found: false, error: verifyFirst }],
    [
      'what is on file after a wrong date',
      look,
      { call: real, standing: 'failed' },
      { ...refused, found: false, error: verifyFirst },
    ],
    ['nothing in a test call', look, { call: { ...real, isTest: true } }, null],
    [
      'the EHR in a test call',
      look,
      { call: { ...real, isTest: true, isLiveEhr: true } },
      { ...refused, found: false, error: verifyFirst },
    ],
    ['nothing of somebody new', book, { call: real, ...nobody }, null],
    [
      'somebody new after a wrong date',
      book,
      { call: real, standing: 'failed', ...nobody },
      { ...refused, error: stateBirthDate },
    ],
    ['a date that we have', book, { call: real, ...onFile(true) }, { ...refused, error: stateBirthDate }],
    [
      'a date that the EHR has',
      book,
      { call: real, ...onFile(false, { kind: 'found', birthDate: '1980-01-01' }) },
      { ...refused, error: stateBirthDate },
    ],
    [
      'an EHR that cannot say',
      book,
      { call: real, ...onFile(false, { kind: 'left_to_staff' }) },
      { success: false, error: /call them back/ },
    ],
    [
      'a follow-up, whose patient is nobody new',
      book,
      { call: followUp, ...nobody },
      { ...refused, error: verifyFirst },
    ],
    ['a call of no type', book, { call: { ...real, workflowType: null }, ...nobody }, null],
  ] as const)('is refused for %s', async (_name, tool, about, result) => {
    const answer = await refusedCaller(tool, aContext(about));

    const error = result && 'error' in result ? { error: expect.stringMatching(result.error) } : {};
    expect(answer).toEqual(result === null ? null : { result: { ...result, ...error } });
  });
});

describe('a tool call', () => {
  const asked = (args: Record<string, unknown>, isUnreadable = false) => ({
    id: 'one',
    name: 'any',
    arguments: args,
    isUnreadable,
  });
  const run = (tool: Tool | null, args: Record<string, unknown>, about: object = {}, isUnreadable = false) => {
    const request = asked(args, isUnreadable);
    const context = aContext({ calendar: { isOn: true, holdMinutes: async () => 5 }, ...about });
    return executeTool(tool, { request, parsed: parseArguments(tool, request) }, context);
  };
  const errorOf = async (...args: Parameters<typeof run>) => (await run(...args)).result.error;
  const validate = toolNamed('patient-intake', 'validate_intake_field');
  const submit = toolNamed('patient-intake', 'submit_intake');
  const cancel = toolNamed('emr-tools', 'cancel_appointment');
  const hold = toolNamed('calling-tools', 'hold_time');
  const NOT_AVAILABLE = 'tool not available for this call';

  test('of no tool, with arguments that cannot be read, or with wrong ones, is answered in words', async () => {
    expect(await errorOf(null, {})).toBe('unknown tool');
    expect(await errorOf(validate, {}, {}, true)).toBe('The arguments could not be read; please send them again.');
    expect(await errorOf(submit, { firstName: null })).toBe(
      'firstName is required. lastName is required. dateOfBirth is required.',
    );
    expect((await run(validate, { fieldName: 'colour', value: 'red', more: null })).result).toEqual({ valid: true });
  });

  test.each([
    ['of its type', validate, {}, true],
    ['of another type', validate, { call: { ...call, workflowType: 'payment-recovery' } }, false],
    ['without a type', validate, { call: { ...call, workflowType: null } }, false],
    ['without a type, in a test', validate, { call: { ...call, workflowType: null, isTest: true } }, true],
    [
      'of another type, in a test',
      validate,
      { call: { ...call, workflowType: 'payment-recovery', isTest: true } },
      false,
    ],
  ] as const)('is for a call %s', async (_name, tool, about, isAvailable) => {
    expect((await errorOf(tool, {}, about)) !== NOT_AVAILABLE).toBe(isAvailable);
  });

  test.each([
    ['is on', cancel, { call: { ...call, workflowType: null, isTest: true } }, { isOn: true }, true],
    ['is off', cancel, { call: { ...call, workflowType: null, isTest: true } }, { isOn: false }, false],
    ['is on, of another type, in a test', cancel, { call: { ...call, isTest: true } }, { isOn: true }, true],
    ['is on, of another type', cancel, {}, { isOn: true }, false],
    ['is on and holds times', hold, {}, { isOn: true }, true],
    ['is on and holds none', hold, {}, { isOn: true, holdMinutes: async () => 0 }, false],
  ] as const)('that needs a calendar which %s', async (_name, tool, about, calendar, isAvailable) => {
    const cancelled = async () => ({ kind: 'nothing_upcoming' });
    const given = { holdMinutes: async () => 5, cancel: cancelled, ...calendar };

    expect((await errorOf(tool, {}, { ...about, calendar: given })) !== NOT_AVAILABLE).toBe(isAvailable);
  });

  test('goes by the clock of the calendar where it acts on one', async () => {
    const calendar = { now: async () => new Date('2027-01-01T00:00:00Z') } as ToolContext['calendar'];
    const at = async (tool: Tool | null) => (await timeFor(tool, { calendar })).getFullYear() === 2027;

    expect([await at(cancel), await at(hold), await at(null)]).toEqual([
      true,
      new Date().getFullYear() === 2027,
      new Date().getFullYear() === 2027,
    ]);
  });

  test('means the same as one for the same time of the same provider, however it is put', () => {
    const book = toolNamed('emr-tools', 'book_appointment');
    const move = toolNamed('emr-tools', 'reschedule_appointment');
    const meaning = (tool: Tool, args: Record<string, unknown>) => {
      const request = asked(args);
      return meaningOf(tool, { request, parsed: parseArguments(tool, request) }, call);
    };
    const visit = { providerName: 'DR.Chen', visitType: 'Check-up', scheduledAt: '2026-12-01T09:00' };

    expect(meaning(book, visit)).toEqual(['dr.chen', '2026-12-01T16:00:00.000Z']);
    expect(meaning(book, { ...visit, visitType: 'Other', scheduledAt: '2026-12-01T16:00:00Z' })).toEqual(
      meaning(book, visit),
    );
    expect(meaning(book, { ...visit, scheduledAt: 'at nine' })).toEqual(['dr.chen', 'at nine']);
    expect(meaning(move, { newDateTime: '2026-12-01T09:00' })).toBe('2026-12-01T16:00:00.000Z');
    expect(meaning(move, { newDateTime: 'at nine' })).toBe('at nine');
    expect(meaning(move, { when: 'at nine' })).toEqual({ when: 'at nine' });
    expect(meaning(validate, { fieldName: 'phone', value: 'x', more: 1 })).toEqual({ fieldName: 'phone', value: 'x' });
  });
});

describe('the word of a clinic on an insurance', () => {
  const policy = { payerName: 'Blue Example', memberId: 'BX-100' };
  const verdictOn = async (answer: object | null, rehearsedVerdict?: () => object) => {
    const opened: { reason: string; cause: string; detail: { why: string } }[] = [];
    const sent: unknown[] = [];
    const api = answer && {
      kind: 'json',
      call: async (_action: string, { params, body, idempotencyKey }: Record<string, unknown>) => {
        sent.push(params, body, idempotencyKey);
        return answer;
      },
    };
    const verdict = await verifyInsurance(
      policy,
      aContext({
        rehearsedVerdict,
        systems: { approvedApi: async () => api },
        stores: {
          tasks: {
            open: async (task: (typeof opened)[number]) => {
              await new Promise(setImmediate);
              opened.push(task);
            },
          },
        },
      }),
    );
    return { verdict, opened, sent };
  };
  const said = (body: unknown) => verdictOn({ kind: 'answered', status: 200, body });
  const WRONG = 'The insurance could not be verified with these details.';

  test.each([
    [{ status: 'VERIFIED' }, { status: 'VERIFIED' }],
    [
      { status: ' verified ', copayCents: 2_500 },
      { status: 'VERIFIED', copayCents: 2_500 },
    ],
    [{ verified: true, errorMessage: 'Hello' }, { status: 'VERIFIED' }],
    [{ verified: true, copayCents: -1 }, { status: 'VERIFIED' }],
    [{ verified: false }, { status: 'FAILED', errorMessage: WRONG }],
    [
      { verified: true, status: 'INACTIVE' },
      { status: 'INACTIVE', errorMessage: WRONG },
    ],
    [{ errorMessage: 'Ended in May.' }, { status: 'FAILED', errorMessage: 'Ended in May.' }],
    [
      { status: 'INACTIVE', errorMessage: '', copayCents: 0 },
      { status: 'INACTIVE', errorMessage: WRONG, copayCents: 0 },
    ],
  ])('%j', async (body, verdict) => {
    const told = await said(body);

    expect(told.verdict).toEqual({ source: 'clinic_api', copayCents: null, errorMessage: null, ...verdict });
    expect(told.opened).toEqual([]);
    expect(told.sent).toEqual([
      { patientId: 'patient', ...policy },
      { patientId: 'patient', ...policy },
      'call-tool-call',
    ]);
  });

  test.each([
    [null, 'nobody', 'The clinic has no API that checks insurance.'],
    [{ kind: 'not_permitted' }, 'nobody', 'The clinic has no API that checks insurance.'],
    [{ kind: 'answered', status: 200, body: {} }, 'clinic_api', "The clinic's API answered without a verdict."],
    [{ kind: 'answered', status: 200, body: 'yes' }, 'clinic_api', "The clinic's API answered without a verdict."],
    [{ kind: 'answered', status: 200, body: { status: '', errorMessage: '' } }, 'clinic_api', 'without a verdict'],
    [
      { kind: 'refused', status: 404, fault: 'http 404', body: {} },
      'clinic_api',
      "The clinic's API answered http 404.",
    ],
    [{ kind: 'unusable', reason: 'no id' }, 'clinic_api', "The clinic's API could not be asked: no id."],
    [{ kind: 'unavailable', error: 'timeout' }, 'clinic_api', "The clinic's API did not answer: timeout."],
    [{ kind: 'unavailable', error: 'unauthorized', said: 'No token' }, 'clinic_api', 'did not answer: No token.'],
  ] as const)('that is none, as %j, is left to staff', async (answer, source, why) => {
    const { verdict, opened } = await verdictOn(answer);

    expect(verdict).toEqual({
      source,
      status: 'NOT_CHECKED',
      copayCents: null,
      errorMessage: 'The insurance could not be checked just now. The team will check it and call back.',
    });
    expect(opened).toMatchObject([
      {
        reason: 'insurance_unchecked',
        cause: 'insurance_unchecked:call',
        clinicId: 'clinic',
        patientId: 'patient',
        callId: 'call',
        detail: { ...policy, why: expect.stringContaining(why) },
      },
    ]);
  });

  test('is made up where the clinic rehearses and may ask nobody, and only there', async () => {
    const rehearsed = () => ({ source: 'sandbox', status: 'VERIFIED', copayCents: 1, errorMessage: null });

    expect((await verdictOn(null, rehearsed)).verdict).toEqual(rehearsed());
    expect((await verdictOn({ kind: 'unavailable', error: 'timeout' }, rehearsed)).verdict.source).toBe('clinic_api');
  });
});

describe('a time that is offered to who waits', () => {
  const offered = { providerName: 'Dr.Chen', visitType: 'Check-up', startsAt: new Date('2026-12-01T16:00:00Z') };
  const scheduledAt = '2026-12-01T16:00:00.000Z';
  const scheduledAtSpoken = 'Tuesday, December 1 at 9:00 AM';
  const NOTHING = { success: false, error: expect.stringContaining('No time is held for this caller any more') };
  const use = (
    name: string,
    waitlistOffers: object,
    { args = {}, workflowId = 'workflow' }: { args?: object; workflowId?: string | null } = {},
  ) =>
    toolNamed('calling-tools', name).handle(
      args,
      aContext({
        call: { ...call, workflowId },
        stores: { waitlistOffers, agendas: { now: async () => new Date('2026-11-24T16:00:00Z') } },
      }),
    );

  test('is told while it is held, for as long as it is talked about', async () => {
    const asked: unknown[] = [];
    const offers = (isHeld: boolean, offer: object | null) => ({
      prolong: async (...about: unknown[]) => (asked.push(about), isHeld),
      ofRun: async () => offer,
    });
    const told = await use('get_waitlist_offer', offers(true, offered));
    const none = [
      await use('get_waitlist_offer', offers(false, offered)),
      await use('get_waitlist_offer', offers(true, null)),
      await use('get_waitlist_offer', offers(true, offered), { workflowId: null }),
    ];

    expect(told.result).toEqual({
      found: true,
      providerName: 'Dr.Chen',
      visitType: 'Check-up',
      scheduledAt,
      scheduledAtSpoken,
    });
    expect(none.map(({ result }) => result)).toEqual([1, 2, 3].map(() => ({ found: false })));
    expect(asked).toEqual([1, 2, 3].map(() => ['clinic', 'workflow']));
  });

  test('is booked where it is still held', async () => {
    const accepted = { kind: 'booked', offer: { appointmentId: 'visit', startsAt: offered.startsAt } };
    const booked = await use('accept_waitlist_offer', { accept: async () => accepted });
    const none = [
      await use('accept_waitlist_offer', { accept: async () => ({ ...accepted, kind: 'lapsed' }) }),
      await use('accept_waitlist_offer', { accept: async () => accepted }, { workflowId: null }),
    ];

    expect(booked).toEqual({
      result: { success: true, appointmentId: 'visit', scheduledAt, scheduledAtSpoken, status: 'booked' },
      fact: 'booked',
      detail: { appointmentId: 'visit', startsAt: scheduledAt },
    });
    expect(none).toEqual([{ result: NOTHING }, { result: NOTHING }]);
  });

  test('is given up once, however often that is said', async () => {
    const asked: unknown[] = [];
    const offers = (isDeclined: boolean, status: string | null) => ({
      decline: async (about: unknown) => (asked.push(about), isDeclined),
      ofRun: async () => status && { status },
    });
    const decline = (given: [boolean, string | null], about?: Parameters<typeof use>[2]) =>
      use('decline_waitlist_offer', offers(...given), about);
    const declined = { result: { success: true }, fact: 'declined' };

    expect(await decline([true, 'lapsed'])).toEqual(declined);
    expect(await decline([false, 'declined'], { args: { leavesList: true } })).toEqual(declined);
    expect(await decline([false, 'lapsed'])).toEqual({ result: NOTHING });
    expect(await decline([false, null])).toEqual({ result: NOTHING });
    expect(await decline([true, 'declined'], { workflowId: null })).toEqual({ result: NOTHING });
    const about = { clinicId: 'clinic', workflowId: 'workflow' };
    expect(asked).toEqual([false, true, false, false].map((leavesList) => ({ ...about, leavesList })));
  });
});

describe('joining the waitlist', () => {
  const join = async (args: object, added: object = { kind: 'added' }) => {
    const entries: object[] = [];
    const context = aContext({
      recordId: 'entry',
      stores: {
        agendas: { now: async () => new Date('2026-11-25T06:59:00Z') },
        waitlist: { add: async (entry: object, by: string) => (entries.push({ ...entry, by }), added) },
        providers: { list: async () => [{ displayName: 'Dr. Maya Chen' }] },
      },
    });
    const { result } = await toolNamed('calling-tools', 'join_waitlist').handle(args, context);
    return { result, entries };
  };
  const usual = {
    clinicId: 'clinic',
    entryId: 'entry',
    patientId: 'patient',
    provider: null,
    visitType: 'Follow-up consultation',
    earliestOn: '2026-11-24',
    latestOn: '2026-12-24',
    fromTime: null,
    untilTime: null,
    by: 'call:call',
  };

  test.each([
    [{}, {}],
    [
      { providerName: 'Dr.Chen', visitType: 'Check-up' },
      { provider: 'Dr.Chen', visitType: 'Check-up' },
    ],
    [{ earliestOn: '2026-12-01' }, { earliestOn: '2026-12-01', latestOn: '2026-12-31' }],
    [{ latestOn: '2026-11-24' }, { latestOn: '2026-11-24' }],
    [
      { earliestOn: '2026-11-01', latestOn: '2026-11-30' },
      { earliestOn: '2026-11-01', latestOn: '2026-11-30' },
    ],
    [
      { fromTime: '09:00', untilTime: '09:01' },
      { fromTime: '09:00', untilTime: '09:01' },
    ],
    [{ fromTime: '09:00' }, { fromTime: '09:00' }],
    [{ untilTime: '09:00' }, { untilTime: '09:00' }],
  ])('with %j waits so', async (args, about) => {
    expect(await join(args)).toEqual({ result: { success: true }, entries: [{ ...usual, ...about }] });
  });

  test.each([
    [{ latestOn: '2026-11-23' }, /^latestOn must be a day to come/],
    [{ earliestOn: '2026-11-01', latestOn: '2026-11-23' }, /^latestOn/],
    [{ earliestOn: '2026-12-02', latestOn: '2026-12-01' }, /^latestOn/],
    [{ fromTime: '09:00', untilTime: '09:00' }, /^untilTime must be after/],
  ])('with %j is refused', async (args, error) => {
    expect(await join(args)).toEqual({
      result: { success: false, error: expect.stringMatching(error) },
      entries: [],
    });
  });

  test.each([
    ['unknown_provider', /The providers are Dr. Maya Chen/],
    ['unknown_patient', /no longer on file/],
    ['too_many', /as many times as possible/],
  ])('says what %s means', async (kind, error) => {
    expect((await join({}, { kind })).result).toEqual({ success: false, error: expect.stringMatching(error) });
  });
});

describe('holding a time', () => {
  const heldUntil = new Date('2026-11-24T16:05:00Z');
  const hold = async (args: object, holding: object = { kind: 'held', heldUntil }) => {
    const asked: unknown[] = [];
    const calendar = {
      holdMinutes: async () => 5,
      now: async () => new Date('2026-11-24T16:00:00Z'),
      hold: async (wanted: unknown) => (asked.push(wanted), holding),
    };
    const { result } = await toolNamed('calling-tools', 'hold_time').handle(args, aContext({ calendar }));
    return { result, asked };
  };
  const startsAt = '2026-12-01T09:00';

  test.each([
    [{ startsAt, providerName: 'Dr.Chen' }, 'Dr.Chen'],
    [{ startsAt }, null],
  ])('as %j says until when', async (args, provider) => {
    expect(await hold(args)).toEqual({
      result: {
        success: true,
        scheduledAt: '2026-12-01T16:00:00.000Z',
        scheduledAtSpoken: 'Tuesday, December 1 at 9:00 AM',
        heldUntil: heldUntil.toISOString(),
      },
      asked: [{ provider, startsAt: '2026-12-01T16:00:00.000Z', minutes: 5 }],
    });
  });

  test('says why none is held', async () => {
    expect(await hold({ startsAt: 'soon' })).toEqual({
      result: { success: false, error: expect.stringMatching(/^startsAt must be a date and time/) },
      asked: [],
    });
    expect((await hold({ startsAt }, { kind: 'nothing_upcoming' })).result.error).toMatch(/^Say providerName/);
    expect((await hold({ startsAt }, { kind: 'time_refused', reason: 'slot_taken' })).result).toEqual({
      success: false,
      reason: 'slot_taken',
    });
  });
});
