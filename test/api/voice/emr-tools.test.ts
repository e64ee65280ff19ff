import { randomUUID } from 'node:crypto';
import { findTool } from '@clinic/api/tools/registry';
import type { ToolContext } from '@clinic/api/tools/tool';
import { createFhirCalendar } from '@clinic/gateways/calendar/fhir/calendar';
import { createClinicHttp } from '@clinic/gateways/http/clinic-http';
import { createClinicSystems } from '@clinic/gateways/clinic-systems';
import { createSafeHttp } from '@clinic/gateways/http/safe-http';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { type App, startApp } from '../../support/app';
import { anEnvelope } from '../../support/builders';
import { aCall, aClinicIn, aPatient, patientOf, setSandbox, tasksOf } from '../../support/calls';
import { eventually } from '../../support/eventually';
import { answeredOncePatientIsWritten } from '../../support/locks';
import { type FhirServer, outcome, startFhirServer } from '../../support/outside/fhir-server';

const NOT_AVAILABLE = { success: false, error: 'tool not available for this call' };
const NOTHING_UPCOMING = { success: false, error: 'no appointment on file' };

let app: App;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  await setSandbox(app, true);
}, 240_000);

afterAll(() => app.stop());

/** A test call that may use everything, about a patient of its own. */
const aTestCall = async (patientId?: string) =>
  app.openTestCall({ patientId: patientId ?? (await aPatient(app, { birthDate: '1980-03-05' })) });

const ask = (tool: string, callId: string, args: Record<string, unknown> = {}, id?: string) =>
  app.tool(`emr-tools/${tool}`, callId, args, id);

interface Slot {
  slotId: string;
  providerName: string;
  startsAt: string;
  startsAtSpoken: string;
}

let daysAhead = 7;
/** Open times of a day that no other test has touched. */
async function openTimes(callId: string, providerName = 'Dr.Chen'): Promise<Slot[]> {
  daysAhead += 7;
  const aroundDate = new Date(Date.now() + daysAhead * 86_400_000).toISOString().slice(0, 10);
  return (await ask('check_availability', callId, { providerName, aroundDate })).slots;
}

const spoken = (instant: string, timeZone: string) => {
  const parts = { weekday: 'long', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
  return new Intl.DateTimeFormat('en-US', { ...parts, timeZone, hour12: true }).formatToParts(new Date(instant));
};
const part = (parts: Intl.DateTimeFormatPart[], type: string) => parts.find((each) => each.type === type)?.value ?? '';

describe('which calls may use which tools', () => {
  const registering = {
    'patient-journey': [
      'resolve_patient_identity',
      'update_registration_field',
      'submit_insurance_info',
      'record_self_pay_decision',
      'escalate_billing',
    ],
    'patient-intake': ['validate_intake_field', 'submit_intake'],
    'emr-tools': ['check_availability', 'book_appointment'],
  };
  const followingUp = {
    'emr-tools': [
      'verify_patient',
      'get_upcoming_appointment',
      'check_availability',
      'reschedule_appointment',
      'cancel_appointment',
      'document_and_escalate',
    ],
  };
  // A type that is not here has no tools.
  const table: { [type in WorkflowType]?: Record<string, string[]> } = {
    'abandonment-recovery': {
      'abandonment-recovery-tools': [
        'record_abandonment_barrier',
        'resolve_recovery_outcome',
        'check_recovery_session_status',
        'send_resume_link',
      ],
    },
    'new-patient-journey': registering,
    'cancellation-follow-up': followingUp,
    'reschedule-follow-up': followingUp,
    'care-gap-follow-up': followingUp,
    'appointment-confirmation': followingUp,
    'appointment-reminder': followingUp,
    'payment-recovery': {
      'patient-journey': ['escalate_billing', 'record_self_pay_decision', 'submit_insurance_info'],
    },
    'prescription-follow-up': { 'emr-tools': ['verify_patient', 'document_and_escalate'] },
    'waitlist-offer': { 'emr-tools': ['verify_patient', 'document_and_escalate'] },
  };
  const every = [
    ...Object.entries({ ...registering, ...table['abandonment-recovery'] }),
    ['emr-tools', [...followingUp['emr-tools'], 'book_appointment']] as [string, string[]],
  ].flatMap(([family, names]) => names.map((name) => `${family}/${name}`));
  const tools = [...new Set(every)].toSorted();
  const emr = tools.filter((tool) => tool.startsWith('emr-tools/'));
  const of = (type: WorkflowType) =>
    Object.entries(table[type] ?? {}).flatMap(([family, names]) => names.map((name) => `${family}/${name}`));

  /** What answers anything but that it is not available. */
  const usableBy = async (pointer: string) => {
    const usable: string[] = [];
    for (const tool of tools) {
      const result = await app.tool(tool, pointer, {});
      if (result.error !== NOT_AVAILABLE.error) usable.push(tool);
    }
    return usable;
  };

  test('there are eighteen tools', () => expect(tools).toHaveLength(18));

  test.each(workflowTypeNames)('%s', async (workflowType) => {
    const patientId = await aPatient(app);
    const { pointer } = await aCall(app, { workflowType, patientId });

    expect(await usableBy(pointer)).toEqual(of(workflowType).toSorted());
  });

  test('a test call has what its type has and every emr-tool; without a type, everything', async () => {
    const typed = await app.openTestCall({ workflowType: 'payment-recovery' });
    const untyped = await app.openTestCall();

    expect(await usableBy(typed)).toEqual([...emr, ...of('payment-recovery')].toSorted());
    expect(await usableBy(untyped)).toEqual(tools);
  });

  test('while the sandbox is off nobody has an emr-tool', async () => {
    const patientId = await aPatient(app);
    const { pointer } = await aCall(app, { workflowType: 'new-patient-journey', patientId });
    const untyped = await app.openTestCall();
    await setSandbox(app, false);
    try {
      const inCall = await usableBy(pointer);
      const inTestCall = await usableBy(untyped);

      expect(inCall).toEqual(
        of('new-patient-journey')
          .filter((tool) => !emr.includes(tool))
          .toSorted(),
      );
      expect(inTestCall).toEqual(tools.filter((tool) => !emr.includes(tool)));
    } finally {
      await setSandbox(app, true);
    }
  });
});

describe('verify_patient', () => {
  test.each(['1980-03-05', 'March 5, 1980', '3/5/1980'])(
    'knows the date of birth on file as %s',
    async (dateOfBirth) => {
      expect(await ask('verify_patient', await aTestCall(), { dateOfBirth })).toEqual({ verified: true });
    },
  );

  test('says no to another one, and asks again for what is no date', async () => {
    const callId = await aTestCall();

    expect(await ask('verify_patient', callId, { dateOfBirth: '1980-03-06' })).toEqual({ verified: false });
    expect(await ask('verify_patient', callId, { dateOfBirth: 'last century' })).toEqual({
      verified: false,
      success: false,
      error: 'dateOfBirth is not a date. Ask for the year, the month and the day.',
    });
  });

  test('takes a patient without a date of birth on file as verified', async () => {
    const callId = await aTestCall(await aPatient(app));

    expect(await ask('verify_patient', callId, { dateOfBirth: '1901-01-01' })).toEqual({ verified: true });
  });
});

describe('hold_time', () => {
  const hold = (callId: string, args: Record<string, unknown>) => app.tool('calling-tools/hold_time', callId, args);
  const allow = async (minutes: number, bearer?: string) =>
    app.request('PUT', '/sandbox/call-holds', { body: { minutes }, bearer: bearer ?? (await app.signIn(app.clinic)) });
  const isDefined = async () => {
    const { body } = await app.request('GET', '/voice/tools?assistant=new-patient-journey', {
      bearer: await app.staff(),
    });
    return body.tools.some(({ function: { name } }: { function: { name: string } }) => name === 'hold_time');
  };

  test('is there for clinics that have chosen it', async () => {
    const callId = await aTestCall();
    const [slot] = await openTimes(callId);
    const { startsAt, providerName } = slot!;

    expect(await hold(callId, { startsAt, providerName })).toEqual(NOT_AVAILABLE);
    expect(await isDefined()).toBe(false);
    expect([(await allow(5, await app.staff())).status, (await allow(16)).status]).toEqual([403, 400]);
    expect((await allow(5)).body).toEqual({ minutes: 5 });
    expect(await isDefined()).toBe(true);
    const { body } = await app.request('GET', '/sandbox', { bearer: await app.staff() });
    expect(body.callHoldMinutes).toBe(5);
  });

  test('keeps a time for the caller, who books it or moves there; to others it is taken', async () => {
    await allow(5);
    const [callId, other] = [await aTestCall(), await aTestCall()];
    const [first, second] = await openTimes(callId);
    const { providerName, startsAt } = first!;
    const aVisit = { providerName, visitType: 'Check-up' };

    const held = await hold(callId, { startsAt, providerName });
    const around = await ask('check_availability', other, { providerName, aroundDate: startsAt });
    const refused = await ask('book_appointment', other, { ...aVisit, scheduledAt: startsAt });
    const heldToo = await hold(other, { startsAt, providerName });
    const booked = await ask('book_appointment', callId, { ...aVisit, scheduledAt: startsAt });
    const next = await hold(callId, { startsAt: second!.startsAt });
    const moved = await ask('reschedule_appointment', callId, { newDateTime: second!.startsAt });

    expect(held).toEqual({
      success: true,
      scheduledAt: startsAt,
      scheduledAtSpoken: first!.startsAtSpoken,
      heldUntil: expect.stringMatching(/Z$/),
    });
    expect(Math.abs(Date.parse(held.heldUntil) - Date.now() - 300_000)).toBeLessThan(60_000);
    expect(around.slots[0].startsAt).toBe(second!.startsAt);
    expect([refused, heldToo]).toEqual([
      { success: false, reason: 'slot_taken' },
      { success: false, reason: 'slot_taken' },
    ]);
    expect(booked).toMatchObject({ success: true, scheduledAt: startsAt });
    expect(next).toMatchObject({ success: true, scheduledAt: second!.startsAt });
    expect(moved).toMatchObject({ success: true, scheduledAt: second!.startsAt });
    expect(await hold(other, { startsAt: second!.startsAt })).toMatchObject({
      success: false,
      error: expect.stringMatching(/^Say providerName/),
    });
    await allow(0);
  });
});

describe('the waitlist', () => {
  const days = { earliestOn: '2020-01-01', latestOn: '2099-12-31' };

  test('is kept over REST, over FHIR as Appointments of their own status, and by calls where they may hold times', async () => {
    const admin = await app.admin();
    const patientId = await aPatient(app);
    const add = (about: object) =>
      app.request('POST', '/waitlist', { body: { patientId, ...days, ...about }, bearer: admin });
    const waits = async (query: string) =>
      (await app.request('GET', `/waitlist?patientId=${patientId}&${query}`, { bearer: admin })).body;
    const listed = async () => (await waits('open=true')).items;

    const { body: entry } = await add({ providerName: 'Dr.Chen', fromTime: '09:00', untilTime: '12:00' });
    const { body: again } = await add({ providerName: 'Dr.Chen', fromTime: '09:00', untilTime: '12:00' });
    expect(entry).toMatchObject({
      patientId,
      providerName: 'Dr.Chen',
      status: 'waiting',
      fromTime: '09:00',
      endedAt: null,
    });
    expect(again).toEqual(entry);
    const refused = [{ latestOn: '2019-12-31' }, { latestOn: '2021-01-01' }, { fromTime: '12:00', untilTime: '09:00' }];
    for (const about of refused) expect((await add(about)).status).toBe(400);

    const participant = [{ actor: { reference: `Patient/${patientId}` }, status: 'accepted' }];
    const wish = {
      resourceType: 'Appointment',
      status: 'waitlist',
      serviceType: [{ text: 'Check-up' }],
      requestedPeriod: [{ start: '2030-01-01', end: '2099-12-31' }],
      participant,
    };
    const created = await app.request('POST', '/Appointment', { body: wish, bearer: admin });
    const { body: bundle } = await app.request('GET', `/Appointment?patient=Patient/${patientId}&status=waitlist`, {
      bearer: admin,
    });
    const { body: none } = await app.request('GET', `/Appointment?patient=Patient/${patientId}`, { bearer: admin });
    expect([created.status, created.body]).toEqual([201, { ...wish, id: expect.any(String) }]);
    expect([bundle.total, none.total]).toEqual([2, 0]);
    expect(bundle.entry[0].resource).toMatchObject({
      id: entry.id,
      status: 'waitlist',
      extension: [{ valueTime: '09:00:00' }, { valueTime: '12:00:00' }],
      participant: [{}, { actor: { reference: 'Practitioner/Dr.Chen' } }],
    });
    // Who waits comes first where they came first; of all the newest is first, page by page.
    const ids = [entry.id, created.body.id];
    expect((await listed()).map(({ id }: { id: string }) => id)).toEqual(ids);
    const newest = await waits('limit=1');
    const next = await waits(`limit=1&cursor=${newest.nextCursor}`);
    expect([newest, next].map(({ items }) => items[0].id)).toEqual(ids.toReversed());
    expect([newest.items[0].phone, next.nextCursor]).toEqual([expect.stringMatching(/^\+/), null]);
    const given = await app.request('POST', `/Appointment/${created.body.id}/$cancel`, { bearer: admin });
    expect([given.status, given.body.status]).toEqual([200, 'cancelled']);

    const callId = await app.openTestCall({ patientId });
    expect(await app.tool('calling-tools/join_waitlist', callId, {})).toEqual(NOT_AVAILABLE);
    await app.request('PUT', '/sandbox/call-holds', { body: { minutes: 5 }, bearer: admin });
    const joined = await app.tool('calling-tools/join_waitlist', callId, { visitType: 'By phone', untilTime: '10:00' });
    await app.request('PUT', '/sandbox/call-holds', { body: { minutes: 0 }, bearer: admin });
    expect(joined).toEqual({ success: true });
    expect(await listed()).toMatchObject([{ id: entry.id }, { visitType: 'By phone', untilTime: '10:00' }]);
    expect(await app.tool('calling-tools/get_waitlist_offer', callId, {})).toEqual({ found: false });
    expect(await app.tool('calling-tools/accept_waitlist_offer', callId, {})).toMatchObject({ success: false });
    for (const { id } of await listed()) {
      const { status, body } = await app.request('DELETE', `/waitlist/${id}`, { bearer: admin });
      expect([status, body.status]).toEqual([200, 'removed']);
    }
    expect(await listed()).toEqual([]);
    expect((await app.request('DELETE', `/waitlist/${randomUUID()}`, { bearer: admin })).status).toBe(404);
  });

  const full = 'The patient waits for as many times as possible already';
  test.each<[string, { patientId?: string; providerName?: string; waits?: number }, unknown[], unknown[]]>([
    [
      'an unknown patient',
      { patientId: 'nobody' },
      [404, 'not_found', 'Patient nobody not found'],
      [404, 'unknown_patient', 'Patient nobody not found'],
    ],
    [
      'an unknown provider',
      { providerName: 'Dr.Nobody' },
      [404, 'not_found', 'Provider Dr.Nobody not found'],
      [404, 'unknown_practitioner', 'Practitioner Dr.Nobody not found'],
    ],
    ['a patient who waits for ten times', { waits: 10 }, [409, 'waitlist_full', full], [409, null, full]],
  ])('takes no place for %s, over REST and over FHIR', async (_whose, given, overRest, overFhir) => {
    const bearer = await app.admin();
    const { patientId = await aPatient(app), providerName = 'Dr.Chen', waits = 0 } = given;
    const add = (body: object) => app.request('POST', '/waitlist', { body, bearer });
    for (let day = 1; day <= waits; day += 1) {
      await add({ patientId, ...days, earliestOn: `2031-01-${String(day).padStart(2, '0')}` });
    }

    const rest = await add({ patientId, providerName, ...days });
    const reference = [`Patient/${patientId}`, `Practitioner/${providerName}`];
    const wish = {
      resourceType: 'Appointment',
      status: 'waitlist',
      requestedPeriod: [{ start: '2030-01-01', end: '2099-12-31' }],
      participant: reference.map((each) => ({ actor: { reference: each }, status: 'accepted' })),
    };
    const fhir = await app.request('POST', '/Appointment', { body: wish, bearer });

    expect([rest.status, rest.body.code, rest.body.message]).toEqual(overRest);
    expect([fhir.status, fhir.headers.get('x-refusal-reason'), fhir.body.message]).toEqual(overFhir);
    const { body } = await app.request('GET', `/waitlist?patientId=${patientId}`, { bearer });
    expect(body.items).toHaveLength(waits);
  });
});

describe('check_availability', () => {
  test('offers what the Slot search offers, in order, spoken as on the wall clock', async () => {
    const callId = await aTestCall();
    const bearer = await app.admin();

    const { slots }: { slots: Slot[] } = await ask('check_availability', callId, { providerName: 'Dr.Chen' });
    const { body } = await app.request('GET', '/Slot?schedule=Schedule/Dr.Chen', { bearer });

    expect(slots.length).toBeGreaterThan(5);
    const searched = body.entry.map(({ resource }: { resource: { id: string; start: string } }) => resource);
    expect(slots.map(({ slotId, startsAt }) => ({ id: slotId, start: startsAt }))).toEqual(
      searched.slice(0, slots.length).map(({ id, start }: { id: string; start: string }) => ({ id, start })),
    );
    for (const { startsAt, startsAtSpoken, ...slot } of slots) {
      const parts = spoken(startsAt, app.clinic.timezone);
      expect(Object.keys(slot).toSorted()).toEqual(['providerName', 'slotId']);
      expect(startsAtSpoken).toContain(`${part(parts, 'weekday')}, ${part(parts, 'month')} ${part(parts, 'day')}`);
      expect(startsAtSpoken).not.toMatch(/\d{4}-\d{2}|T\d{2}:|Z$|UTC|Mon,|Tue,|Nov |Dr\./);
    }
  });

  test('of any provider offers each time once, and everybody in turn', async () => {
    const { slots }: { slots: Slot[] } = await ask('check_availability', await aTestCall());

    const times = slots.map(({ startsAt }) => startsAt);
    expect(times).toEqual([...new Set(times)].toSorted());
    expect(new Set(slots.map(({ providerName }) => providerName)).size).toBeGreaterThan(1);
  });

  test.each(['Dr.Chen', 'Dr. Maya Chen', 'doctor maya chen', 'dr chen'])(
    'knows a provider as %s',
    async (providerName) => {
      const { slots } = await ask('check_availability', await aTestCall(), { providerName });

      expect(new Set(slots.map((slot: Slot) => slot.providerName))).toEqual(new Set(['Dr.Chen']));
    },
  );

  test('begins at a time of day that is given, and today for a day that has passed', async () => {
    const callId = await aTestCall();
    const [first, second] = await openTimes(callId);

    const later = await ask('check_availability', callId, { providerName: 'Dr.Chen', aroundDate: second!.startsAt });
    const past = await ask('check_availability', callId, { providerName: 'Dr.Chen', aroundDate: '2001-01-01' });
    const now = await ask('check_availability', callId, { providerName: 'Dr.Chen' });

    expect(first!.startsAt < second!.startsAt).toBe(true);
    expect(later.slots[0]).toEqual(second);
    expect(past).toEqual(now);
  });

  test('says what a day or a provider should have been', async () => {
    const callId = await aTestCall();

    expect(await ask('check_availability', callId, { aroundDate: 'whenever' })).toEqual({
      slots: [],
      success: false,
      error: 'aroundDate must be a date, as 2026-11-24',
    });
    expect(await ask('check_availability', callId, { providerName: 'Dr.Who' })).toEqual({
      slots: [],
      success: false,
      error: 'There is no such provider here. The providers are Dr. Maya Chen, Dr. Samuel Okafor, Dr. Anita Patel.',
    });
  });

  test('looks fourteen days ahead', async () => {
    const { callId } = await aClinicIn(app, 'America/Denver', { sunday: [{ opens: '09:00', closes: '09:30' }] });

    const { slots }: { slots: Slot[] } = await ask('check_availability', callId, { aroundDate: '2031-06-01' });

    expect(slots.map(({ startsAt }) => startsAt.slice(0, 10))).toEqual(['2031-06-01', '2031-06-08']);
  });

  const allDay = [{ opens: '00:00', closes: '24:00' }];
  test.each([
    ['America/Denver', '2031-03-09', 'the clock skips an hour', 46],
    ['America/Denver', '2031-11-02', 'the clock repeats an hour', 50],
    ['Europe/London', '2031-03-30', 'the clock skips an hour', 46],
    ['Australia/Lord_Howe', '2031-10-05', 'the clock skips half an hour', 47],
    ['Asia/Kathmandu', '2031-06-01', 'the clock does nothing', 48],
  ])('in %s on %s, when %s, speaks the wall clock', async (zone, aroundDate, _when, slotsOfDay) => {
    const { callId } = await aClinicIn(app, zone, { sunday: allDay });
    const offered: Slot[] = [];
    for (let from = aroundDate, more = true; more;) {
      const { slots }: { slots: Slot[] } = await ask('check_availability', callId, { aroundDate: from });
      const fresh = slots.filter(
        ({ startsAt, startsAtSpoken }) =>
          startsAt > (offered.at(-1)?.startsAt ?? '') &&
          startsAtSpoken.includes(offered[0]?.startsAtSpoken.slice(0, 18) ?? ''),
      );
      offered.push(...fresh);
      more = fresh.length > 0;
      from = offered.at(-1)!.startsAt;
    }

    expect(offered).toHaveLength(slotsOfDay);
    for (const { startsAt, startsAtSpoken } of offered) {
      const parts = spoken(startsAt, zone);
      const clock = `${part(parts, 'hour')}:${part(parts, 'minute')} ${part(parts, 'dayPeriod')}`;
      const said = clock === '12:00 AM' ? 'midnight' : clock === '12:00 PM' ? 'noon' : clock;
      const day = `${part(parts, 'weekday')}, ${part(parts, 'month')} ${part(parts, 'day')}, 2031`;
      expect(startsAtSpoken).toBe(`${day} at ${said}`);
    }
  });
});

describe('book_appointment', () => {
  test('books for the patient of the call, on the record that FHIR shows', async () => {
    const patientId = await aPatient(app);
    const callId = await aTestCall(patientId);
    const [slot] = await openTimes(callId);
    const { providerName, startsAt: scheduledAt, startsAtSpoken: scheduledAtSpoken } = slot!;

    const booked = await ask('book_appointment', callId, { providerName, visitType: 'Annual physical', scheduledAt });
    const { body } = await app.request('GET', `/Appointment?patient=Patient/${patientId}`, {
      bearer: await app.admin(),
    });

    expect(booked).toEqual({
      success: true,
      appointmentId: expect.any(String),
      scheduledAt,
      scheduledAtSpoken,
      status: 'booked',
    });
    expect(body.entry[0].resource).toMatchObject({
      id: booked.appointmentId,
      status: 'booked',
      start: scheduledAt,
      serviceType: [{ text: 'Annual physical' }],
    });
  });

  test('reads a time without an offset as on the wall clock', async () => {
    const callId = await aTestCall();
    const [slot] = await openTimes(callId);
    const wall = new Date(slot!.startsAt).toLocaleString('sv-SE', { timeZone: app.clinic.timezone }).replace(' ', 'T');

    const booked = await ask('book_appointment', callId, {
      providerName: 'Dr. Maya Chen',
      visitType: 'Follow-up',
      scheduledAt: wall,
    });

    expect(booked).toMatchObject({ success: true, scheduledAt: slot!.startsAt });
  });

  test('refuses a time that is taken, not on offer, or past, with the word alone', async () => {
    const callId = await aTestCall();
    const [slot] = await openTimes(callId);
    const at = (scheduledAt: string) =>
      ask('book_appointment', callId, { providerName: 'Dr.Chen', visitType: 'Follow-up', scheduledAt });
    await ask('book_appointment', await aTestCall(), {
      providerName: 'Dr.Chen',
      visitType: 'Follow-up',
      scheduledAt: slot!.startsAt,
    });

    expect(await at(slot!.startsAt)).toEqual({ success: false, reason: 'slot_taken' });
    expect(await at(slot!.startsAt.replace(':00.000Z', ':07.000Z'))).toEqual({
      success: false,
      reason: 'slot_unavailable',
    });
    expect(await at('2001-01-02T10:00:00Z')).toEqual({ success: false, reason: 'in_the_past' });
  });

  test.each([
    [{ visitType: 'x', scheduledAt: '2031-01-01T10:00' }, /^providerName is required\.$/],
    [{ providerName: 'Dr.Chen', scheduledAt: '2031-01-01T10:00' }, /^visitType is required\.$/],
    [{ providerName: 'Dr.Chen', visitType: 'x' }, /^scheduledAt is required\.$/],
    [{}, /providerName is required\. visitType is required\. scheduledAt is required\./],
    [{ providerName: 'Dr.Chen', visitType: 'x', scheduledAt: 'soon' }, /^scheduledAt must be a date and time, as /],
    [{ providerName: 'Dr.Chen', visitType: 'x', scheduledAt: 5 }, /^scheduledAt /],
    [{ providerName: 'Dr.Chen', visitType: ' ', scheduledAt: '2031-01-01T10:00' }, /^visitType must not be empty/],
    [{ providerName: 'Dr.Who', visitType: 'x', scheduledAt: '2031-01-01T10:00' }, /There is no such provider here/],
  ])('with %j says what is wrong', async (args, sentence) => {
    expect(await ask('book_appointment', await aTestCall(), args)).toEqual({
      success: false,
      error: expect.stringMatching(sentence),
    });
  });
});

describe('an upcoming appointment', () => {
  /** A call of a patient with an appointment, and the other times of that day. */
  async function aBookedCall() {
    const patientId = await aPatient(app);
    const callId = await aTestCall(patientId);
    const [slot, ...others] = await openTimes(callId);
    const booked = await ask('book_appointment', callId, {
      providerName: 'Dr.Chen',
      visitType: 'Follow-up',
      scheduledAt: slot!.startsAt,
    });
    return { patientId, callId, slot: slot!, others, appointmentId: booked.appointmentId as string };
  }

  test('is told, and nothing where there is none', async () => {
    const { callId, slot, appointmentId } = await aBookedCall();

    expect(await ask('get_upcoming_appointment', callId)).toEqual({
      found: true,
      appointmentId,
      providerName: 'Dr.Chen',
      status: 'booked',
      scheduledAt: slot.startsAt,
      scheduledAtSpoken: slot.startsAtSpoken,
    });
    expect(await ask('get_upcoming_appointment', await aTestCall())).toEqual({ found: false });
  });

  test('is moved, and moved again', async () => {
    const { callId, others, appointmentId, slot } = await aBookedCall();
    const moveTo = (newDateTime: string) => ask('reschedule_appointment', callId, { newDateTime });

    const moved = await moveTo(others[0]!.startsAt);
    const again = await moveTo(others[1]!.startsAt);
    const back = await moveTo(others[0]!.startsAt);
    const free = await ask('check_availability', callId, { providerName: 'Dr.Chen', aroundDate: slot.startsAt });

    expect(moved).toEqual({ success: true, appointmentId, scheduledAt: others[0]!.startsAt, status: 'booked' });
    expect([again, back].map(({ scheduledAt }) => scheduledAt)).toEqual([others[1]!.startsAt, others[0]!.startsAt]);
    expect(free.slots[0]).toEqual(slot);
  });

  test('is not moved to a time that is taken, not on offer, or past', async () => {
    const [one, other] = [await aBookedCall(), await aBookedCall()];
    const moveTo = (newDateTime: string) => ask('reschedule_appointment', one.callId, { newDateTime });

    expect(await moveTo(other.slot.startsAt)).toEqual({ success: false, reason: 'slot_taken' });
    expect(await moveTo('2031-01-05T03:00:00')).toEqual({ success: false, reason: 'slot_unavailable' });
    expect(await moveTo('2001-01-02T10:00:00Z')).toEqual({ success: false, reason: 'in_the_past' });
    expect(await ask('reschedule_appointment', one.callId, { newDateTime: 'later' })).toEqual({
      success: false,
      error: expect.stringMatching(/^newDateTime must be a date and time/),
    });
    expect(await ask('get_upcoming_appointment', one.callId)).toMatchObject({ scheduledAt: one.slot.startsAt });
  });

  test('is cancelled, and its time is free again', async () => {
    const { callId, slot } = await aBookedCall();

    expect(await ask('cancel_appointment', callId)).toEqual({ success: true, status: 'cancelled' });

    expect(await ask('get_upcoming_appointment', callId)).toEqual({ found: false });
    const free = await ask('check_availability', callId, { providerName: 'Dr.Chen', aroundDate: slot.startsAt });
    expect(free.slots[0]).toEqual(slot);
  });

  test('is neither moved nor cancelled where there is none', async () => {
    const callId = await aTestCall();

    expect(await ask('reschedule_appointment', callId, { newDateTime: '2031-01-06T10:00' })).toEqual(NOTHING_UPCOMING);
    expect(await ask('cancel_appointment', callId)).toEqual(NOTHING_UPCOMING);
  });

  test('may be booked, cancelled and booked again within a minute', async () => {
    const { callId, slot } = await aBookedCall();
    const book = () =>
      ask('book_appointment', callId, { providerName: 'Dr.Chen', visitType: 'Follow-up', scheduledAt: slot.startsAt });

    const first = await book();
    await ask('cancel_appointment', callId);
    const second = await book();
    const cancelled = await ask('cancel_appointment', callId);

    expect(second).toMatchObject({ success: true, scheduledAt: slot.startsAt });
    expect(second.appointmentId).not.toBe(first.appointmentId);
    expect(cancelled).toEqual({ success: true, status: 'cancelled' });
    expect(await ask('get_upcoming_appointment', callId)).toEqual({ found: false });
  });

  test('asked for in other words is still the one that this call has booked', async () => {
    const { callId, slot, appointmentId } = await aBookedCall();

    const again = await ask('book_appointment', callId, {
      providerName: 'Doctor Maya Chen',
      visitType: 'A check',
      scheduledAt: slot.startsAt,
    });

    expect(again).toMatchObject({ success: true, appointmentId });
  });
});

describe('document_and_escalate', () => {
  test('writes a note that FHIR would write, and opens the tasks it asks for', async () => {
    const patientId = await aPatient(app);
    const callId = await aTestCall(patientId);

    const result = await ask('document_and_escalate', callId, {
      labOrderNote: 'Wants a lipid panel',
      medicationNote: 'Stopped in May',
      escalationReason: 'Chest pain',
      escalateToClinicalTeam: true,
      requestExternalRecords: true,
    });

    expect(result).toEqual({ success: true });
    const [document, ...more] = await app.stores.documents.ofPatient(app.clinic.clinicId, patientId, 10);
    expect(more).toEqual([]);
    expect(Buffer.from(document!.content[0]!.data, 'base64').toString()).toBe(
      'Lab order: Wants a lipid panel\nMedication: Stopped in May\nEscalation: Chest pain',
    );
    const tasks = await tasksOf(app, { callId });
    expect(tasks.map(({ reason, state, assigneeId }) => ({ reason, state, assigneeId }))).toEqual([
      { reason: 'clinical_escalation', state: 'OPEN', assigneeId: null },
      { reason: 'external_records_request', state: 'OPEN', assigneeId: null },
    ]);
  });

  test('takes a reason as an escalation, a note as a note, and nothing as nothing', async () => {
    const [reason, note, nothing] = await Promise.all([aTestCall(), aTestCall(), aTestCall()]);

    await ask('document_and_escalate', reason, { escalationReason: 'Wants a nurse' });
    await ask('document_and_escalate', note, { referralNote: 'To cardiology' });
    expect(await ask('document_and_escalate', nothing)).toEqual({ success: true });

    expect(await tasksOf(app, { callId: reason })).toMatchObject([{ reason: 'clinical_escalation' }]);
    expect(await tasksOf(app, { callId: note })).toEqual([]);
    expect(await app.database.prisma.document.count({ where: { callId: nothing } })).toBe(0);
  });

  test('without words writes down what is known', async () => {
    const patientId = await aPatient(app);

    await ask('document_and_escalate', await aTestCall(patientId), {
      escalateToClinicalTeam: true,
      requestExternalRecords: true,
    });

    const [document] = await app.stores.documents.ofPatient(app.clinic.clinicId, patientId, 1);
    expect(Buffer.from(document!.content[0]!.data, 'base64').toString()).toBe(
      'The care team should look at it.\nExternal records are to be requested.',
    );
  });

  test('with a flag that is no boolean says so', async () => {
    const result = await ask('document_and_escalate', await aTestCall(), { escalateToClinicalTeam: 'yes' });

    expect(result).toEqual({ success: false, error: expect.stringMatching(/^escalateToClinicalTeam/) });
  });
});

describe('at the clinic’s own server', () => {
  let ehr: FhirServer;
  let clinicId: string;
  let patientId: string;
  const confirm = { success: false, error: expect.stringContaining('someone from the clinic will call them back') };
  const at = (time: string) => `2035-03-05T${time}:00.000Z`;
  const slotsOf = (...times: string[]) =>
    times.map((time) =>
      ehr.add({
        resourceType: 'Slot',
        status: 'free',
        schedule: { reference: 'Schedule/s7' },
        start: at(time),
        end: at(time.replace(/0$/, '5')),
      }),
    );
  beforeEach(async () => {
    ehr = await startFhirServer();
    ehr.add({ resourceType: 'Practitioner', id: '7' });
    ehr.add({ resourceType: 'Schedule', id: 's7', actor: [{ reference: 'Practitioner/7' }] });
    slotsOf('09:00', '09:20', '15:00');
    // A clinic for each test: a circuit that one has opened keeps the next from nothing.
    clinicId = (await aClinicIn(app, 'Europe/London', { monday: [{ opens: '12:00', closes: '13:00' }] })).clinicId;
    await app.database.sql`update clinics set voice_provider = 'vapi', sandbox_enabled = false where id = ${clinicId}`;
    await app.stores.settings.setApprovedApi(clinicId, {
      kind: 'fhir-r4',
      baseUrl: ehr.url,
      auth: { method: 'none' },
      fhir: {
        isOn: true,
        isLive: true,
        permitted: ['patient.upsert', 'appointment.book', 'appointment.cancel'],
        providers: [{ name: 'Dr.Vega', reference: 'Practitioner/7' }],
      },
      capabilities: { canBook: false, canHold: false, hasSlots: true, findsAppointments: true },
    });
    patientId = await aPatient(app, { clinicId, birthDate: '1980-03-05' });
  });
  afterEach(() => ehr.close());

  const aLiveCall = async (workflowType: WorkflowType = 'new-patient-journey') => {
    const { callId, pointer } = await aCall(app, { workflowType, patientId, clinicId });
    // The caller has stated the right date of birth.
    const stated = { tool: 'verify_patient' as const, stated: '1980-03-05' };
    await app.stores.verifications.check({ id: randomUUID(), clinicId, callId, patientId, ...stated });
    return {
      callId,
      ask: (tool: string, args: Record<string, unknown> = {}) => ask(tool, pointer, args),
      tasks: () => tasksOf(app, { callId }),
    };
  };
  const booking = (time: string) => ({ providerName: 'Dr. Luz Vega', visitType: 'Visit', scheduledAt: at(time) });
  /** An appointment that somebody else has made there for the patient. */
  const appointmentThere = (time: string) => {
    const patient = ehr.add({
      resourceType: 'Patient',
      name: [{ family: 'Lee', given: ['Ann'] }],
      birthDate: '1980-03-05',
    });
    const [slot] = slotsOf(time);
    slot!.status = 'busy';
    return ehr.add({
      resourceType: 'Appointment',
      status: 'booked',
      start: at(time),
      slot: [{ reference: `Slot/${slot!.id}` }],
      participant: [{ actor: { reference: `Patient/${patient.id}` } }, { actor: { reference: 'Practitioner/7' } }],
    });
  };
  const booked = () => ehr.all('Appointment').filter(({ status }) => status === 'booked');

  test('free times are those of the server, less what is too soon or a day off here', async () => {
    const { ask: use } = await aLiveCall();
    const around = { aroundDate: '2035-03-05' };

    const { slots } = await use('check_availability', around);
    await app.stores.clinics.setClosedDays(clinicId, { '2035-03-05': 'Founding day' });
    // The notification comes by itself; anyone who asks meanwhile gets what held before.
    const isClosed = await eventually(async () => (await use('check_availability', around)).slots.length === 0);

    expect(slots.map(({ startsAt, providerName }: Slot) => [providerName, startsAt])).toEqual([
      ['Dr.Vega', at('09:00')],
      ['Dr.Vega', at('09:20')],
      ['Dr.Vega', at('15:00')],
    ]);
    expect(slots[1].startsAtSpoken).toContain('9:20');
    const booking15 = await use('book_appointment', booking('15:00'));
    expect([isClosed, booking15]).toEqual([true, { success: false, reason: 'slot_unavailable' }]);
    const onRecord = await app.database.prisma.patient.count({ where: { clinicId } });
    expect(onRecord).toBe(2);
  });

  test('free times of one who is named are theirs alone; of anybody, each time once', async () => {
    const hours = { monday: [{ opens: '12:00', closes: '13:00' }] };
    const names = ['Dr.Vega', 'Dr.Okafor', 'Dr.New'];
    await app.stores.providers.replace(
      clinicId,
      names.map((name) => ({ name, displayName: name.replace('.', '. Luz '), workingHours: hours, visitTypes: [] })),
    );
    const { approvedApi } = app.stores.settings;
    const kept = await approvedApi(clinicId);
    await app.stores.settings.setApprovedApi(clinicId, {
      ...kept!,
      fhir: {
        ...kept!.fhir!,
        providers: [...kept!.fhir!.providers, { name: 'Dr.Okafor', reference: 'Practitioner/8' }],
      },
    });
    ehr.add({ resourceType: 'Practitioner', id: '8' });
    ehr.add({ resourceType: 'Schedule', id: 's8', actor: [{ reference: 'Practitioner/8' }] });
    // The last is later than the days that are looked through first.
    for (const start of [at('09:00'), at('16:00'), '2035-03-08T10:00:00.000Z'])
      ehr.add({ resourceType: 'Slot', status: 'free', schedule: { reference: 'Schedule/s8' }, start });
    const { ask: use } = await aLiveCall();
    await eventually(async () => (await app.stores.providers.list(clinicId)).length === 3);
    const timesOf = async (providerName?: string) => {
      const { slots } = await use('check_availability', {
        aroundDate: '2035-03-05',
        ...(providerName && { providerName }),
      });
      return slots.map((slot: Slot) => [slot.providerName, slot.startsAt.slice(8, 16)]);
    };

    const vega = ['05T09:00', '05T09:20', '05T15:00'].map((time) => ['Dr.Vega', time]);
    expect([await timesOf('Dr.Vega'), await timesOf('dr vega'), await timesOf('Dr. Luz Vega')]).toEqual([
      vega,
      vega,
      vega,
    ]);
    expect(await timesOf('Dr.Okafor')).toEqual(['05T09:00', '05T16:00', '08T10:00'].map((time) => ['Dr.Okafor', time]));
    expect((await timesOf()).map(([, time]: string[]) => time)).toEqual([
      '05T09:00',
      '05T09:20',
      '05T15:00',
      '05T16:00',
      '08T10:00',
    ]);
    expect(await timesOf('Dr.New')).toEqual([]);
    expect(await use('check_availability', { providerName: 'Dr.Who' })).toMatchObject({
      slots: [],
      error: expect.stringMatching(/^There is no such provider here\. The providers are .*Dr\. Luz New/),
    });
  });

  test('a booking is made there, once, and the patient is known by the id that it has there', async () => {
    const { ask: use, tasks, callId } = await aLiveCall();

    const { before, answer: made } = await answeredOncePatientIsWritten(app.database, patientId, () =>
      use('book_appointment', booking('09:20')),
    );
    const again = await use('book_appointment', { ...booking('09:20'), visitType: 'First visit' });

    // The caller hears of it once that id is kept.
    expect(before).toBe(false);
    const [appointment] = booked();
    expect(made).toMatchObject({ success: true, appointmentId: appointment!.id, scheduledAt: at('09:20') });
    expect(again).toMatchObject({ success: true, appointmentId: appointment!.id });
    expect(appointment).toMatchObject({ start: at('09:20'), end: at('09:25') });
    expect(booked()).toHaveLength(1);
    expect((await patientOf(app, patientId)).externalId).toBe(ehr.all('Patient')[0]!.id);
    expect(await tasks()).toEqual([]);
    const [{ changes } = { changes: [] }] = [await app.stores.calls.review(clinicId, callId)].flatMap(
      (one) => one ?? [],
    );
    expect(changes).toEqual([{ fact: 'booked', detail: { appointmentId: appointment!.id, startsAt: at('09:20') } }]);
    // Nothing of ours says the same a second time.
    expect(await app.database.prisma.appointment.count({ where: { clinicId } })).toBe(0);
  });

  test('a time that somebody else has is taken, and one that is none is not offered', async () => {
    const { ask: use, tasks } = await aLiveCall();
    const other = await aLiveCall();
    await other.ask('book_appointment', booking('09:00'));
    ehr.instead = ({ method, path }) =>
      method === 'POST' && path === '/fhir/Appointment' ? outcome(409, 'conflict', 'busy') : null;

    const taken = [await use('book_appointment', booking('09:00')), await use('book_appointment', booking('09:20'))];

    expect(taken).toEqual([
      { success: false, reason: 'slot_taken' },
      { success: false, reason: 'slot_taken' },
    ]);
    expect(await use('book_appointment', { ...booking('09:20'), scheduledAt: '2020-03-05T09:20:00Z' })).toEqual({
      success: false,
      reason: 'in_the_past',
    });
    expect([await tasks(), booked().length]).toEqual([[], 1]);
  });

  test('a booking whose answer was lost is found again and not made twice', async () => {
    const { ask: use, tasks } = await aLiveCall();
    ehr.losesAnswerTo = 'POST Appointment';

    const lost = await use('book_appointment', booking('09:00'));
    const [task] = await tasks();
    const again = await use('book_appointment', booking('09:00'));

    expect(lost).toEqual(confirm);
    expect(task).toMatchObject({ reason: 'booking_to_check', state: 'OPEN', patientId });
    expect(again).toMatchObject({ success: true, appointmentId: booked()[0]!.id });
    expect([booked().length, await tasks()]).toEqual([1, []]);
  });

  test('a server that is slow is not waited for: the caller hears in time that somebody will call back', async () => {
    const { ask: use, callId } = await aLiveCall();
    const { pointer } = await app.database.prisma.call
      .findUniqueOrThrow({ where: { id: callId } })
      .then(({ platformCallId }) => ({ pointer: platformCallId ?? '' }));
    const call = await app.stores.calls.live(pointer);
    const http = createSafeHttp({ allowPrivateTargets: true });
    const systems = createClinicSystems({
      http: createClinicHttp({ http, audit: () => undefined }),
      settings: app.stores.settings,
      clientKeys: app.stores.clientKeys,
      ehrTimes: app.stores.ehrTimes,
      publicUrl: app.baseUrl,
    });
    ehr.hangsOn = 'POST Appointment';
    const startedAt = Date.now();
    // Other requests of the same tool call have taken most of its time.
    const { stores } = app;
    const calendar = createFhirCalendar(call!, { stores, systems }, startedAt - 6_400);
    const context = { call: call!, calendar, standing: 'verified', stores, systems, now: new Date(startedAt) };

    const answer = await findTool('emr-tools', 'book_appointment')?.handle(booking('09:00'), context as ToolContext);
    ehr.hangsOn = null;

    expect(answer?.result).toEqual(confirm);
    expect(Date.now() - startedAt).toBeLessThan(4_000);
    expect(await use('book_appointment', booking('09:00'))).toMatchObject({ appointmentId: booked()[0]!.id });
    expect(booked()).toHaveLength(1);
    await http.close();
  });

  test('while nobody knows what came of a booking, no other one is made, until the server has it', async () => {
    const { ask: use, tasks } = await aLiveCall();
    const isBooking = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && path === '/fhir/Appointment';
    ehr.instead = (request) => (isBooking(request) ? outcome(500, 'exception', 'later') : null);
    const failed = await use('book_appointment', booking('09:00'));
    ehr.instead = null;

    expect([
      failed,
      await use('book_appointment', booking('09:00')),
      await use('book_appointment', booking('15:00')),
    ]).toEqual([confirm, confirm, confirm]);
    expect([booked().length, (await tasks()).length]).toEqual([0, 1]);

    // The server did it late.
    const [{ detail } = { detail: null }] = await tasks();
    const { key } = (detail as { intent: { key: string } }).intent;
    const value = `${key}.${Date.parse(at('09:00')) / 60_000}`;
    const identifier = [{ system: 'urn:clinic-workflows:appointment', value }];
    ehr.add({ resourceType: 'Appointment', status: 'booked', start: at('09:00'), identifier, participant: [{}] });
    expect(await use('book_appointment', booking('15:00'))).toEqual({
      success: false,
      error: expect.stringContaining('is booked after all'),
    });
    expect([booked().length, await tasks()]).toEqual([1, []]);
  });

  test.each([
    [401, 'security'],
    [412, 'multiple-matches'],
    [422, 'invalid'],
    [429, 'throttled'],
    [503, 'transient'],
  ])('a server that answers %i promises nothing: staff call back', async (status, code) => {
    const { ask: use, tasks } = await aLiveCall();
    ehr.instead = ({ method, path }) =>
      method === 'POST' && path === '/fhir/Appointment' ? outcome(status, code, 'no') : null;

    expect(await use('book_appointment', booking('09:00'))).toEqual(confirm);
    expect(await tasks()).toMatchObject([
      { reason: 'booking_to_check', detail: { why: expect.stringMatching(/^Your own system/), action: 'book' } },
    ]);
    expect(booked()).toEqual([]);
  });

  test('a server that is down, and then is left alone: nothing is offered, said or promised', async () => {
    const { ask: use, tasks } = await aLiveCall('cancellation-follow-up');
    ehr.instead = () => outcome(503, 'transient', 'down');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(await use('check_availability')).toEqual({ slots: [], ...confirm });
    }
    const before = ehr.receiver.received.length;

    expect(await use('get_upcoming_appointment')).toEqual({ found: false, ...confirm });
    expect(await use('cancel_appointment')).toEqual(confirm);

    expect(ehr.receiver.received.length).toBe(before);
    expect(await tasks()).toMatchObject([{ reason: 'booking_to_check', detail: { why: expect.any(String) } }]);
  });

  test('the next appointment is looked up, moved and cancelled there', async () => {
    const there = appointmentThere('11:00');
    const { ask: use, tasks, callId } = await aLiveCall('reschedule-follow-up');

    const found = await use('get_upcoming_appointment');
    const taken = await use('reschedule_appointment', { newDateTime: at('10:00') });
    const moved = await use('reschedule_appointment', { newDateTime: at('15:00') });
    const now = await use('get_upcoming_appointment');
    const cancelled = await use('cancel_appointment');

    expect(found).toMatchObject({
      found: true,
      appointmentId: there.id,
      providerName: 'Dr.Vega',
      scheduledAt: at('11:00'),
    });
    expect(taken).toEqual({ success: false, reason: 'slot_taken' });
    expect(moved).toMatchObject({ success: true, appointmentId: there.id, scheduledAt: at('15:00') });
    expect(now).toMatchObject({ scheduledAt: at('15:00') });
    expect(cancelled).toEqual({ success: true, status: 'cancelled' });
    expect(ehr.records.get(`Appointment/${there.id}`)).toMatchObject({ status: 'cancelled', start: at('15:00') });
    expect(await use('get_upcoming_appointment')).toEqual({ found: false });
    const other = await aLiveCall('cancellation-follow-up');
    expect(await other.ask('cancel_appointment')).toEqual(NOTHING_UPCOMING);
    const review = await app.stores.calls.review(clinicId, callId);
    expect(review?.changes.map(({ fact }) => fact)).toEqual(['rescheduled', 'cancelled']);
    expect(await tasks()).toEqual([]);
  });

  test.each(['PUT Appointment/{id}', 'POST Appointment'])(
    'a move whose answer to %s was lost is finished',
    async (request) => {
      const rescheduling = request.startsWith('PUT') ? 'update' : 'cancel-and-rebook';
      const settings = await app.stores.settings.approvedApi(clinicId);
      await app.stores.settings.setApprovedApi(clinicId, { ...settings!, fhir: { ...settings!.fhir!, rescheduling } });
      const there = appointmentThere('11:00');
      const { ask: use, tasks } = await aLiveCall('reschedule-follow-up');
      ehr.losesAnswerTo = request;
      // A PUT may be sent again by itself, and finds the newer version.
      const first = await use('reschedule_appointment', { newDateTime: at('15:00') });
      const second = await use('reschedule_appointment', { newDateTime: at('15:00') });

      expect([first.success, second.success]).toEqual([request.startsWith('PUT'), true]);
      expect(booked()).toMatchObject([{ start: at('15:00') }]);
      expect(ehr.records.get(`Appointment/${there.id}`)?.status).toBe(
        rescheduling === 'update' ? 'booked' : 'cancelled',
      );
      expect(await tasks()).toEqual([]);
    },
  );

  test('is not for test calls, for simulated ones, or for a clinic that has not chosen it', async () => {
    const { ask: use } = await aLiveCall();
    const isLive = async (pointer: string) => (await app.stores.calls.live(pointer))?.isLiveEhr;
    const { pointer } = await aCall(app, { workflowType: 'new-patient-journey', patientId, clinicId });
    const trial = await aCall(app, { workflowType: 'new-patient-journey', patientId, clinicId });
    await app.database.sql`update calls set is_test = true where id = ${trial.callId}`;

    expect([await isLive(pointer), await isLive(trial.pointer)]).toEqual([true, false]);
    await app.database
      .sql`update clinics set voice_provider = 'simulator', simulator_asked_at = now() where id = ${clinicId}`;
    expect(await isLive(pointer)).toBe(false);
    expect(await use('check_availability')).toEqual(NOT_AVAILABLE);
    await app.database
      .sql`update clinics set voice_provider = 'vapi', simulator_asked_at = null where id = ${clinicId}`;
    await app.database.sql`update approved_apis set fhir = fhir || '{"isLive": false}' where clinic_id = ${clinicId}`;
    expect(await isLive(pointer)).toBe(false);
    expect(ehr.receiver.received).toEqual([]);
  });
});

test('an appointment of another clinic does not exist here', async () => {
  const { clinicId } = await aClinicIn(app, 'Europe/London', { monday: [{ opens: '09:00', closes: '17:00' }] });
  const patientId = await aPatient(app, { clinicId });
  await app.stores.appointments.book({
    clinicId,
    patientId,
    provider: 'Dr.Vega',
    visitType: 'x',
    startsAt: '2031-01-06T10:00:00.000Z',
    now: new Date(),
  });
  const callId = await aTestCall();

  const envelope = anEnvelope(callId, [{ id: randomUUID(), arguments: { patientId, clinicId } }]);
  const { body } = await app.asVoice('/emr-tools/get_upcoming_appointment', envelope);

  expect(JSON.parse(body.results[0].result)).toEqual({ found: false });
});
