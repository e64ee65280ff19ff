import { type App, startApp } from '../../support/app';
import { at, type LiveCallOf, type LiveClinic, openLiveClinic } from '../../support/live-ehr';
import { outcome } from '../../support/outside/fhir-server';

/** A plain FHIR server leaves slots as they are: no practitioner gets two visits at one time all the same. */

let app: App;
let clinic: LiveClinic;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
}, 240_000);
beforeEach(async () => {
  clinic = await openLiveClinic(app);
  clinic.ehr.keepsSlots = false;
});
afterEach(() => clinic.close());
afterAll(() => app.stop());

const booking = (time: string) => ({ providerName: 'Dr.Vega', visitType: 'Visit', scheduledAt: at(time) });
const TAKEN = { success: false, reason: 'slot_taken' };
const booked = () => clinic.ehr.all('Appointment').filter(({ status }) => status === 'booked');
const somebodyElse = () => clinic.ehr.add({ resourceType: 'Patient', name: [{ family: 'Other', given: ['Ola'] }] });

/** Tasks that say that something went wrong: that nobody has verified a new caller who books is told besides. */
const toMend = async (call: LiveCallOf) => (await call.tasks()).filter(({ reason }) => reason !== 'unverified_caller');

async function aNewCaller(firstName: string): Promise<LiveCallOf> {
  const patientId = await clinic.aPatient({ firstName, lastName: 'New' });
  return clinic.aCall({ workflowType: 'new-patient-journey', patientId });
}
/** Ann, verified, with a visit at 11:00. */
async function ann() {
  const patientId = await clinic.aPatient({ birthDate: '1990-02-03' });
  const visit = clinic.appointmentThere(clinic.annThere().id, '11:00');
  const call = await clinic.aCall({ workflowType: 'reschedule-follow-up', patientId });
  await call.verify();
  return { call, visit };
}

test('of seven who want one time, one after the other and at once, one gets it', async () => {
  clinic.slots('16:00', '16:30');
  const callers = await Promise.all(['Ann', 'Ben', 'Cat', 'Dan', 'Eve', 'Fay', 'Gil'].map(aNewCaller));

  const first = await callers[0]!.ask('book_appointment', booking('16:00'));
  const second = await callers[1]!.ask('book_appointment', booking('16:00'));
  const rest = await Promise.all(callers.slice(2).map((caller) => caller.ask('book_appointment', booking('16:30'))));

  expect([first, second]).toMatchObject([{ success: true }, TAKEN]);
  expect(rest.filter(({ success }) => success)).toHaveLength(1);
  expect(rest.filter(({ success }) => !success)).toEqual(Array.from({ length: 4 }, () => TAKEN));
  expect(booked().map(({ start }) => start)).toEqual([at('16:00'), at('16:30')]);
  const tasks = await Promise.all(callers.map(toMend));
  expect(tasks.flat()).toEqual([]);
});

test.each([
  ['began before and goes on', { start: at('08:45'), end: at('09:15') }],
  ['began half a day before and goes on', { start: '2035-03-04T21:00:00.000Z', end: at('09:15') }],
  ['begins before the end', { start: at('09:15'), end: at('09:45') }],
  ['is not accepted yet', { start: at('09:00'), status: 'pending' }],
  ['has begun', { start: at('09:00'), status: 'checked-in' }],
])('a visit of the practitioner that %s is in the way', async (_what, changed) => {
  clinic.slots('09:00');
  clinic.appointmentThere(somebodyElse().id, '09:00', changed);
  const caller = await aNewCaller('Ann');

  expect(await caller.ask('book_appointment', booking('09:00'))).toEqual(TAKEN);
  // Seen before anything is written: no appointment was made there, not even for a moment.
  expect(clinic.ehr.all('Appointment')).toHaveLength(1);
});

test.each([
  ['was cancelled', { status: 'cancelled' }],
  ['was made in error', { status: 'entered-in-error' }],
  ['nobody came to', { status: 'noshow' }],
  ['began longer ago than any visit lasts', { start: '2035-03-04T20:59:59.000Z', end: at('09:15') }],
  ['begins when it ends', { start: at('09:30'), end: at('10:00') }],
  ['ends when it begins', { start: at('08:30'), end: at('09:00') }],
  ['is another practitioner’s', { participant: [{ actor: { reference: 'Practitioner/8' } }] }],
])('a visit that %s is not', async (_what, changed) => {
  clinic.ehr.add({ resourceType: 'Practitioner', id: '8' });
  clinic.slots('09:00');
  clinic.appointmentThere(somebodyElse().id, '09:00', changed);
  const caller = await aNewCaller('Ann');

  expect(await caller.ask('book_appointment', booking('09:00'))).toMatchObject({ success: true });
});

/** Dr. Vega, who has two roles there, and a colleague with one. */
async function mappedTo(mapped: string) {
  const { ehr } = clinic;
  await clinic.change({ providers: [{ name: 'Dr.Vega', reference: mapped }] });
  ehr.add({ resourceType: 'Practitioner', id: '9' });
  for (const [id, whose] of [
    ['r7', '7'],
    ['r8', '7'],
    ['r9', '9'],
  ] as const) {
    const practitioner = { reference: `${ehr.url}/Practitioner/${whose}` };
    ehr.add({ resourceType: 'PractitionerRole', id, practitioner });
  }
  ehr.records.get('Schedule/s7')!.actor = [{ reference: mapped }];
  return ehr;
}

test.each([
  ['PractitionerRole/r7', 'PractitionerRole/r7', true],
  ['PractitionerRole/r7', 'Practitioner/7', true],
  ['PractitionerRole/r7', 'PractitionerRole/r8', true],
  ['PractitionerRole/r7', 'PractitionerRole/r9', false],
  ['Practitioner/7', 'PractitionerRole/r7', true],
  ['Practitioner/7', 'PractitionerRole/r9', false],
])(
  'in the way of a provider who is mapped to %s a visit that is filed under %s is: %s',
  async (mapped, reference, isSeen) => {
    await mappedTo(mapped);
    clinic.slots('09:00', '10:00');
    clinic.appointmentThere(somebodyElse().id, '09:00', { participant: [{ actor: { reference } }] });
    const caller = await aNewCaller('Ann');

    const answer = await caller.ask('book_appointment', booking('09:00'));

    expect(answer).toMatchObject(isSeen ? TAKEN : { success: true });
    expect(booked()).toHaveLength(isSeen ? 1 : 2);
  },
);

test.each([
  ['PractitionerRole/r7', 'Practitioner/7', 'Dr.Vega'],
  ['PractitionerRole/r7', 'PractitionerRole/r8', 'Dr.Vega'],
  ['Practitioner/7', 'PractitionerRole/r8', 'Dr.Vega'],
  ['Practitioner/7', 'PractitionerRole/r9', undefined],
])(
  'where a provider is mapped to %s a caller hears of a visit that is filed under %s that it is with %s',
  async (mapped, reference, providerName) => {
    const ehr = await mappedTo(mapped);
    const { call, visit } = await ann();
    const [patient] = ehr.records.get(`Appointment/${visit.id}`)!.participant ?? [];
    ehr.records.get(`Appointment/${visit.id}`)!.participant = [patient, { actor: { reference } }];

    const told = await call.ask('get_upcoming_appointment');

    expect([told.found, told.providerName]).toEqual([true, providerName]);
  },
);

test('a visit is moved to a time of the schedule that is mapped, or of its own role where that is another one', async () => {
  const ehr = await mappedTo('PractitionerRole/r7');
  const { call, visit } = await ann();
  clinic.slots('15:00');
  ehr.add({ resourceType: 'Schedule', id: 's8', actor: [{ reference: 'PractitionerRole/r8' }] });
  const schedule = { reference: 'Schedule/s8' };
  ehr.add({ resourceType: 'Slot', status: 'free', schedule, start: at('16:00'), end: at('16:30') });
  const move = async (reference: string, time: string) => {
    const there = ehr.records.get(`Appointment/${visit.id}`)!;
    there.participant = [there.participant?.[0], { actor: { reference } }];
    return call.ask('reschedule_appointment', { newDateTime: at(time) });
  };

  const answers = [
    await move('Practitioner/7', '16:00'),
    await move('Practitioner/7', '15:00'),
    await move('PractitionerRole/r8', '16:00'),
  ];

  expect(answers).toMatchObject([TAKEN, { success: true }, { success: true }]);
});

test('a server that cannot search roles, or shows those of everybody, is asked once and books', async () => {
  const ehr = await mappedTo('Practitioner/7');
  clinic.slots('09:00', '10:00');
  const everybody = {
    status: 200,
    body: { resourceType: 'Bundle', entry: ehr.all('PractitionerRole').map((resource) => ({ resource })) },
  };
  const answers = [];
  for (const [time, said] of [
    ['09:00', { status: 405 }],
    [
      '10:00',
      {
        ...everybody,
        body: { ...everybody.body, link: [{ relation: 'next', url: `${ehr.url}/PractitionerRole?page=2` }] },
      },
    ],
  ] as const) {
    ehr.instead = ({ path }) => (path.includes('/PractitionerRole') ? said : null);
    answers.push(await (await aNewCaller('Ann')).ask('book_appointment', booking(time)));
  }

  expect(answers).toMatchObject([{ success: true }, { success: true }]);
  expect(ehr.asked().filter((request) => request === 'GET PractitionerRole')).toHaveLength(2);
});

test('a server that does not show roles is asked for what is filed under them alone', async () => {
  const { ehr } = clinic;
  await clinic.change({ providers: [{ name: 'Dr.Vega', reference: 'PractitionerRole/r7' }] });
  ehr.add({ resourceType: 'PractitionerRole', id: 'r7' });
  ehr.records.get('Schedule/s7')!.actor = [{ reference: 'PractitionerRole/r7' }];
  clinic.slots('09:00', '10:00');
  ehr.instead = ({ path }) => (path.includes('/PractitionerRole/') ? { status: 403 } : null);
  const caller = await aNewCaller('Ann');

  expect(await caller.ask('book_appointment', booking('09:00'))).toMatchObject({ success: true });
  // A call asks whose role it is once.
  expect(ehr.asked().filter((request) => request === 'GET PractitionerRole/{id}')).toHaveLength(1);
});

test('somebody who books between the look and the booking keeps the time: ours is undone, and another is offered', async () => {
  clinic.slots('09:00', '10:00');
  const caller = await aNewCaller('Ann');
  const other = somebodyElse();
  clinic.ehr.meanwhile = { when: 'POST Appointment', work: () => void clinic.appointmentThere(other.id, '09:00') };

  const refused = await caller.ask('book_appointment', booking('09:00'));
  const again = await caller.ask('book_appointment', booking('10:00'));

  expect([refused, again]).toMatchObject([TAKEN, { success: true }]);
  const [theirs, ours] = booked();
  expect([booked().length, theirs?.participant, ours?.start]).toEqual([
    2,
    expect.arrayContaining([{ actor: { reference: `Patient/${other.id}` } }]),
    at('10:00'),
  ]);
  expect(clinic.ehr.all('Appointment').filter(({ status }) => status === 'cancelled')).toMatchObject([
    { cancelationReason: { text: 'Somebody else was there first' } },
  ]);
  expect(await toMend(caller)).toEqual([]);
});

test.each([
  ['of ours', 'urn:clinic-workflows:appointment', true],
  ['of somebody else', 'urn:another-service:appointment', false],
  ['without a name that we know', 'urn:clinic-workflows:document', false],
])('an appointment %s (%s) that is made after ours leaves ours: %s', async (_whose, system, stays) => {
  clinic.slots('09:00');
  const caller = await aNewCaller('Ann');
  const identifier = [{ system, value: 'another' }];
  const comesAfter = () => void clinic.appointmentThere(somebodyElse().id, '09:00', { identifier });
  const { ehr } = clinic;
  ehr.meanwhile = {
    when: 'POST Appointment',
    work: () => void (ehr.meanwhile = { when: 'GET Appointment', work: comesAfter }),
  };

  const answer = await caller.ask('book_appointment', booking('09:00'));

  expect(answer).toMatchObject(stays ? { success: true } : TAKEN);
  const ofOurs = ehr.all('Appointment').filter((each) => each.identifier?.[0]?.value !== 'another');
  expect(ofOurs.map(({ status }) => status)).toEqual([stays ? 'booked' : 'cancelled']);
  expect(ehr.meanwhile).toBeNull();
  expect(await toMend(caller)).toEqual([]);
});

describe('at a server whose searches show a booking too late', () => {
  /** The searches of the practitioner's time that find nobody, from now on. */
  beforeEach(() => {
    const nobody = { status: 200, body: { resourceType: 'Bundle', type: 'searchset', total: 0 } };
    clinic.ehr.instead = ({ path }) => (/Appointment\?actor=/.test(path) ? nobody : null);
  });
  /** As if minutes had gone by. */
  const timesExpire = () => app.database.sql`
    update ehr_times set expires_at = now() - interval '1 second' where clinic_id = ${clinic.clinicId}`;

  test('of five callers at once, and another one at once after, one gets the time', async () => {
    clinic.slots('09:00');
    const [late, ...callers] = await Promise.all(['Ann', 'Ben', 'Cat', 'Dan', 'Eve', 'Fay'].map(aNewCaller));

    const answers = await Promise.all(callers.map((caller) => caller.ask('book_appointment', booking('09:00'))));
    const after = await late!.ask('book_appointment', booking('09:00'));

    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect([...answers.filter(({ success }) => !success), after]).toEqual(Array.from({ length: 5 }, () => TAKEN));
    expect(clinic.ehr.all('Appointment')).toHaveLength(1);
    expect((await Promise.all([late!, ...callers].map(toMend))).flat()).toEqual([]);
  });

  test.each(['update', 'cancel-and-rebook'] as const)(
    'of a caller who books a time and one who moves there (%s) one gets it',
    async (rescheduling) => {
      await clinic.change({ rescheduling });
      clinic.slots('15:00');
      const [caller, { call }] = [await aNewCaller('Ben'), await ann()];

      const answers = await Promise.all([
        caller.ask('book_appointment', booking('15:00')),
        call.ask('reschedule_appointment', { newDateTime: at('15:00') }),
      ]);

      expect(answers.filter(({ success }) => success)).toHaveLength(1);
      expect(answers).toContainEqual(TAKEN);
      expect(booked().filter(({ start }) => start === at('15:00'))).toHaveLength(1);
    },
  );

  test('the same practitioner is one, whether as such or as a role', async () => {
    const { ehr } = clinic;
    ehr.add({ resourceType: 'PractitionerRole', id: 'r7', practitioner: { reference: 'Practitioner/7' } });
    ehr.add({ resourceType: 'Schedule', id: 'sr7', actor: [{ reference: 'PractitionerRole/r7' }] });
    clinic.slots('09:00');
    const schedule = { reference: 'Schedule/sr7' };
    ehr.add({ resourceType: 'Slot', status: 'free', schedule, start: at('09:00'), end: at('09:30') });
    const [one, other] = [await aNewCaller('Ann'), await aNewCaller('Ben')];

    const first = await one.ask('book_appointment', booking('09:00'));
    await clinic.change({ providers: [{ name: 'Dr.Vega', reference: 'PractitionerRole/r7' }] });
    const second = await other.ask('book_appointment', booking('09:00'));

    expect([first, second]).toMatchObject([{ success: true }, TAKEN]);
  });

  test('who moves away and back in one call is not in their own way, nor in that of others where they are no more', async () => {
    clinic.slots('09:00', '10:00');
    const [{ call }, other] = [await ann(), await aNewCaller('Ben')];
    const move = (time: string) => call.ask('reschedule_appointment', { newDateTime: at(time) });

    const answers = [
      await move('09:00'),
      await move('10:00'),
      await move('09:00'),
      await move('10:00'),
      await other.ask('book_appointment', booking('09:00')),
    ];

    expect(answers.map(({ success }) => success)).toEqual([true, true, true, true, true]);
  });

  test('a time that was called off, or that the server did not take, is to be had at once', async () => {
    clinic.slots('09:00', '10:00');
    const [{ call }, caller, other] = [await ann(), await aVerifiedCaller(), await aNewCaller('Ben')];
    const moved = await call.ask('reschedule_appointment', { newDateTime: at('09:00') });
    const cancelled = await call.ask('cancel_appointment');
    const stale = clinic.ehr.instead;
    clinic.ehr.instead = ({ method, path }) =>
      method === 'POST' && path === '/fhir/Appointment' ? outcome(422, 'invariant', 'x') : null;
    const refused = await caller.ask('book_appointment', booking('10:00'));
    clinic.ehr.instead = stale;

    const answers = [
      await other.ask('book_appointment', booking('09:00')),
      await (await aNewCaller('Cat')).ask('book_appointment', booking('10:00')),
    ];

    expect([moved.success, cancelled.success, refused.success]).toEqual([true, true, false]);
    expect(answers).toMatchObject([{ success: true }, { success: true }]);
  });

  test('each of two bookings of one call keeps its time', async () => {
    clinic.slots('09:00', '10:00', '11:00');
    const [caller, other] = [await aVerifiedCaller(), await aVerifiedCaller()];
    await caller.ask('book_appointment', booking('09:00'));
    await caller.ask('book_appointment', booking('10:00'));

    const answers = [
      await other.ask('book_appointment', booking('09:00')),
      await other.ask('book_appointment', booking('10:00')),
    ];

    expect(answers).toEqual([TAKEN, TAKEN]);
    expect(booked().map(({ start }) => start)).toEqual([at('09:00'), at('10:00')]);
  });

  test('a booking whose answer was lost keeps its time', async () => {
    clinic.slots('09:00');
    const [caller, other] = [await aVerifiedCaller(), await aNewCaller('Ben')];
    clinic.ehr.losesAnswerTo = 'POST Appointment';
    await caller.ask('book_appointment', booking('09:00'));

    expect(await other.ask('book_appointment', booking('09:00'))).toEqual(TAKEN);
    expect(booked()).toHaveLength(1);
  });

  test('a booking that was held up for minutes on its way is undone where another was made meanwhile', async () => {
    clinic.slots('09:00');
    const [frozen, other] = [await aNewCaller('Ann'), await aNewCaller('Ben')];
    const { ehr } = clinic;
    const meanwhile: Promise<unknown>[] = [];
    const booksToo = async () => {
      await timesExpire();
      return other.ask('book_appointment', booking('09:00'));
    };
    ehr.slowOn = { when: 'POST Appointment', ms: 1_500 };
    ehr.meanwhile = {
      when: 'POST Appointment',
      work: () => {
        meanwhile.push(booksToo());
        setTimeout(() => (ehr.slowOn = null), 50);
      },
    };

    const answer = await frozen.ask('book_appointment', booking('09:00'));

    expect(await Promise.all(meanwhile)).toMatchObject([{ success: true }]);
    expect(answer).toEqual(TAKEN);
    expect(booked()).toHaveLength(1);
    expect([await toMend(frozen), await toMend(other)]).toEqual([[], []]);
  });

  test('one that was held up, and whose time nobody took, stays', async () => {
    clinic.slots('09:00');
    const caller = await aNewCaller('Ann');
    clinic.ehr.slowOn = { when: 'POST Appointment', ms: 500 };
    clinic.ehr.meanwhile = { when: 'POST Appointment', work: () => void timesExpire() };

    expect(await caller.ask('book_appointment', booking('09:00'))).toMatchObject({ success: true });
  });
});

test('a visit is not moved to a time that somebody has, and goes back where somebody came first', async () => {
  clinic.slots('15:00', '15:30', '16:00');
  const { call, visit } = await ann();
  const other = somebodyElse();
  clinic.appointmentThere(other.id, '15:00');

  const taken = await call.ask('reschedule_appointment', { newDateTime: at('15:00') });
  const writtenBefore = clinic.ehr.asked().filter((request) => request === 'PUT Appointment/{id}');
  clinic.ehr.meanwhile = { when: 'PUT Appointment/{id}', work: () => void clinic.appointmentThere(other.id, '15:30') };
  const overtaken = await call.ask('reschedule_appointment', { newDateTime: at('15:30') });
  const kept = structuredClone(clinic.ehr.records.get(`Appointment/${visit.id}`));
  const moved = await call.ask('reschedule_appointment', { newDateTime: at('16:00') });

  expect([taken, overtaken]).toEqual([TAKEN, TAKEN]);
  expect(writtenBefore).toEqual([]);
  expect(kept).toMatchObject({ status: 'booked', start: at('11:00'), end: at('11:30') });
  expect(moved).toMatchObject({ success: true, scheduledAt: at('16:00') });
  expect(await toMend(call)).toEqual([]);
});

describe('a visit that lasts longer than a slot', () => {
  const long = async () => {
    const found = await ann();
    clinic.ehr.records.get(`Appointment/${found.visit.id}`)!.end = at('12:15');
    return found;
  };
  const toFour = { newDateTime: at('16:00') };

  test.each(['update', 'cancel-and-rebook'] as const)(
    'keeps its length where it is moved, by %s',
    async (rescheduling) => {
      await clinic.change({ rescheduling }, { marksSlots: true });
      const slots = clinic.slots('16:00', '16:30', '17:00', '17:30');
      const { call } = await long();

      expect(await call.ask('reschedule_appointment', toFour)).toMatchObject({ success: true });
      expect(booked()).toMatchObject([
        {
          start: at('16:00'),
          end: at('17:15'),
          slot: slots.slice(0, 3).map(({ id }) => ({ reference: `Slot/${id}` })),
        },
      ]);
      expect(slots.map(({ id }) => clinic.ehr.records.get(`Slot/${id}`)?.status)).toEqual([
        'busy',
        'busy',
        'busy',
        'free',
      ]);
    },
  );

  /** Four slots from eleven on, of which the visit has the first three. */
  const withSlots = async () => {
    const slots = clinic.slots('11:00', '11:30', '12:00', '12:30');
    const { call, visit } = await long();
    const slot = slots.slice(0, 3).map(({ id }) => ({ reference: `Slot/${id}` }));
    clinic.ehr.records.get(`Appointment/${visit.id}`)!.slot = slot;
    for (const { reference } of slot) clinic.ehr.records.get(reference)!.status = 'busy';
    return { call, visit, states: () => slots.map(({ id }) => clinic.ehr.records.get(`Slot/${id}`)?.status) };
  };
  const halfAnHourLater = { newDateTime: at('11:30') };

  test.each([
    ['takes transactions', 'update', true, ['free', 'busy', 'busy', 'busy']],
    ['leaves its slots alone', 'update', false, ['busy', 'busy', 'busy', 'free']],
    ['takes transactions', 'cancel-and-rebook', true, ['free', 'busy', 'busy', 'busy']],
    ['leaves its slots alone', 'cancel-and-rebook', false, ['busy', 'busy', 'busy', 'free']],
  ] as const)(
    'is moved within its own time where the server %s, by %s',
    async (_what, rescheduling, marksSlots, states) => {
      await clinic.change({ rescheduling }, { marksSlots });
      const { call, ...there } = await withSlots();

      expect(await call.ask('reschedule_appointment', halfAnHourLater)).toMatchObject({ success: true });
      expect(booked()).toMatchObject([{ start: at('11:30'), end: at('12:45'), slot: [{}, {}, {}] }]);
      expect(there.states()).toEqual(states);
    },
  );

  describe('at a server that lets nobody have a part of it, and has no move', () => {
    const isBooking = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && /Appointment(\/\$book)?$/.test(path);
    const busy = outcome(409, 'conflict', 'the time is taken');
    const states = () =>
      clinic.ehr.all('Appointment').map(({ status, start }) => `${status} ${String(start).slice(11, 16)}`);
    beforeEach(() => clinic.change({ rescheduling: 'cancel-and-rebook' }));

    test.each([{}, { canBook: true }])('makes room for itself (%j)', async (declared) => {
      await clinic.change({ rescheduling: 'cancel-and-rebook' }, declared);
      const { call, visit } = await withSlots();
      clinic.ehr.instead = (request) =>
        isBooking(request) && clinic.ehr.records.get(`Appointment/${visit.id}`)?.status === 'booked' ? busy : null;

      expect(await call.ask('reschedule_appointment', halfAnHourLater)).toMatchObject({ success: true });
      expect(states()).toEqual(['cancelled 11:00', 'booked 11:30']);
      expect(await toMend(call)).toEqual([]);
    });

    test('is brought back where the new time is not to be had after all', async () => {
      const { call, visit } = await withSlots();
      clinic.ehr.instead = (request) => (isBooking(request) ? busy : null);

      expect(await call.ask('reschedule_appointment', halfAnHourLater)).toEqual(TAKEN);
      expect(clinic.ehr.records.get(`Appointment/${visit.id}`)).toMatchObject({
        status: 'booked',
        start: at('11:00'),
        end: at('12:15'),
        slot: [{}, {}, {}],
      });
      expect(clinic.ehr.records.get(`Appointment/${visit.id}`)).not.toHaveProperty('cancelationReason');
      expect(await toMend(call)).toEqual([]);
    });

    test('is brought back where somebody came first after all', async () => {
      const { call, visit } = await withSlots();
      const other = somebodyElse();
      clinic.ehr.instead = (request) => {
        if (!isBooking(request)) return null;
        if (clinic.ehr.records.get(`Appointment/${visit.id}`)?.status === 'booked') return busy;
        clinic.appointmentThere(other.id, '12:15');
        return null;
      };

      expect(await call.ask('reschedule_appointment', halfAnHourLater)).toEqual(TAKEN);
      expect(states()).toEqual(['booked 11:00', 'booked 12:15', 'cancelled 11:30']);
      expect(await toMend(call)).toEqual([]);
    });

    const isBroughtBack = ({ method, body }: { method: string; body: string }) =>
      method === 'PUT' && JSON.parse(body).status === 'booked';
    const isOfNewTime = ({ body }: { body: string }) => body.includes(at('11:30'));

    test('is booked anew at its old time where the server takes back no cancellation', async () => {
      const { call } = await withSlots();
      const { ehr } = clinic;
      for (const slot of ehr.all('Slot')) slot.status = 'free';
      ehr.instead = (request) =>
        isBroughtBack(request)
          ? outcome(422, 'business-rule', 'x')
          : isBooking(request) && isOfNewTime(request)
            ? busy
            : null;

      expect(await call.ask('reschedule_appointment', halfAnHourLater)).toEqual(TAKEN);
      expect(states()).toEqual(['cancelled 11:00', 'booked 11:00']);
      expect(await toMend(call)).toEqual([]);
    });

    test('is left to staff where it cannot be brought back', async () => {
      const { call } = await withSlots();
      clinic.ehr.instead = (request) =>
        isBroughtBack(request) || isBooking(request) ? outcome(409, 'conflict', 'x') : null;

      const answer = await call.ask('reschedule_appointment', halfAnHourLater);

      expect(answer).toEqual({ success: false, error: expect.stringContaining('call them back') });
      expect(await toMend(call)).toMatchObject([{ reason: 'booking_to_check', detail: { action: 'move' } }]);
    });

    test('stays where somebody else has a part of the new time, and where another booking of ours is at it', async () => {
      const { call, visit } = await withSlots();
      const one = { holder: 'another', actor: 'Practitioner/7', startsAt: at('12:15'), endsAt: at('12:30') };
      await app.stores.ehrTimes.take(clinic.clinicId, one);
      clinic.ehr.instead = (request) => (isBooking(request) ? busy : null);

      const first = await call.ask('reschedule_appointment', halfAnHourLater);
      clinic.appointmentThere(somebodyElse().id, '12:15');
      const second = await call.ask('reschedule_appointment', halfAnHourLater);

      expect([first, second]).toEqual([TAKEN, TAKEN]);
      expect(clinic.ehr.records.get(`Appointment/${visit.id}`)?.meta.versionId).toBe('1');
    });
  });

  test.each(['update', 'cancel-and-rebook'] as const)(
    'goes back from a part of its own time with the slots that it had, by %s',
    async (rescheduling) => {
      await clinic.change({ rescheduling }, { marksSlots: true });
      const { call, visit, states } = await withSlots();
      const other = somebodyElse();
      clinic.ehr.meanwhile = { when: 'POST ', work: () => void clinic.appointmentThere(other.id, '12:15') };

      expect(await call.ask('reschedule_appointment', halfAnHourLater)).toEqual(TAKEN);
      expect(clinic.ehr.records.get(`Appointment/${visit.id}`)).toMatchObject({ start: at('11:00'), end: at('12:15') });
      expect(states()).toEqual(['busy', 'busy', 'busy', 'free']);
      expect(await toMend(call)).toEqual([]);
    },
  );

  test.each([
    ['somebody else has', 'busy', '12:30'],
    ['nobody may have', 'busy-unavailable', '12:00'],
  ])('does not move to a slot that %s: one that is %s', async (_who, status, time) => {
    const { call, visit } = await withSlots();
    const slot = clinic.ehr.all('Slot').find(({ start }) => start === at(time))!;
    slot.status = status;

    expect(await call.ask('reschedule_appointment', halfAnHourLater)).toEqual(TAKEN);
    expect(clinic.ehr.records.get(`Appointment/${visit.id}`)).toMatchObject({ start: at('11:00') });
  });

  test.each<[string, () => void]>([
    ['a slot of its time is not there', () => void clinic.slots('16:00', '16:30')],
    [
      'somebody has a part of its time',
      () => {
        clinic.slots('16:00', '16:30', '17:00');
        clinic.appointmentThere(somebodyElse().id, '17:00');
      },
    ],
  ])('stays where %s', async (_what, prepare) => {
    prepare();
    const { call, visit } = await long();

    expect(await call.ask('reschedule_appointment', toFour)).toEqual(TAKEN);
    expect(clinic.ehr.records.get(`Appointment/${visit.id}`)).toMatchObject({ start: at('11:00'), end: at('12:15') });
    expect(await toMend(call)).toEqual([]);
  });
});

test('a visit whose move is answered to nobody goes back to where it was before, not to where it went', async () => {
  clinic.slots('15:30');
  const { call, visit } = await ann();
  const other = somebodyElse();
  clinic.ehr.meanwhile = { when: 'PUT Appointment/{id}', work: () => void clinic.appointmentThere(other.id, '15:30') };
  clinic.ehr.losesAnswerTo = 'PUT Appointment/{id}';

  expect(await call.ask('reschedule_appointment', { newDateTime: at('15:30') })).toEqual(TAKEN);
  expect(clinic.ehr.records.get(`Appointment/${visit.id}`)).toMatchObject({ start: at('11:00'), end: at('11:30') });
  expect(await toMend(call)).toEqual([]);
});

test('a visit whose old time somebody has taken while it was moved is left to staff', async () => {
  clinic.slots('15:30');
  const { call } = await ann();
  const other = somebodyElse();
  const { ehr } = clinic;
  const takesTheOld = () => void clinic.appointmentThere(other.id, '11:00');
  ehr.meanwhile = {
    when: 'PUT Appointment/{id}',
    work: () => {
      clinic.appointmentThere(other.id, '15:30');
      ehr.meanwhile = { when: 'GET Appointment/{id}', work: takesTheOld };
    },
  };

  const answer = await call.ask('reschedule_appointment', { newDateTime: at('15:30') });

  expect(answer).toEqual({ success: false, error: expect.stringContaining('call them back') });
  expect(await toMend(call)).toMatchObject([{ reason: 'booking_to_check', detail: { action: 'move' } }]);
});

test('a visit that the clinic calls off while it is moved, and somebody came first, stays called off', async () => {
  clinic.slots('15:30');
  const { call, visit } = await ann();
  const other = somebodyElse();
  const { ehr } = clinic;
  const callsOff = () => {
    const moved = ehr.records.get(`Appointment/${visit.id}`)!;
    ehr.records.set(`Appointment/${visit.id}`, { ...moved, status: 'cancelled' });
  };
  ehr.meanwhile = {
    when: 'PUT Appointment/{id}',
    work: () => {
      clinic.appointmentThere(other.id, '15:30');
      ehr.meanwhile = { when: 'GET Appointment/{id}', work: callsOff };
    },
  };

  const answer = await call.ask('reschedule_appointment', { newDateTime: at('15:30') });

  expect(answer).toEqual({ success: false, error: expect.stringContaining('call them back') });
  expect(ehr.records.get(`Appointment/${visit.id}`)).toMatchObject({ status: 'cancelled', start: at('15:30') });
  const why = 'Your own system answered the appointment was called off there, after a part of it was done.';
  expect(await toMend(call)).toMatchObject([{ reason: 'booking_to_check', detail: { action: 'move', why } }]);
});

test('a visit that was moved is looked at when it is found: where somebody came first staff see to it', async () => {
  clinic.slots('15:30', '16:00');
  const { call } = await ann();
  const other = somebodyElse();
  clinic.ehr.meanwhile = { when: 'PUT Appointment/{id}', work: () => void clinic.appointmentThere(other.id, '15:30') };
  clinic.ehr.instead = ({ path }) =>
    /Appointment\?actor=/.test(path) && clinic.ehr.all('Appointment').length > 1 ? { status: 503 } : null;
  const move = (time: string) => call.ask('reschedule_appointment', { newDateTime: at(time) });

  const first = await move('15:30');
  clinic.ehr.instead = null;
  const rest = [await move('15:30'), await move('16:00')];

  const callBack = { success: false, error: expect.stringContaining('call them back') };
  expect([first, ...rest]).toEqual([callBack, callBack, callBack]);
  expect(await toMend(call)).toMatchObject([{ reason: 'booking_to_check', detail: { action: 'move' } }]);
});

test('who is refused by $book with the status of a success is booked at another time in the same call', async () => {
  clinic.slots('15:30', '16:00');
  await clinic.change({}, { canBook: true });
  const caller = await aVerifiedCaller();
  const body = { resourceType: 'Appointment', id: 'a', status: 'cancelled' };
  clinic.ehr.instead = ({ path }) => (path.endsWith('/$book') ? { status: 200, body } : null);
  const first = await caller.ask('book_appointment', booking('15:30'));
  clinic.ehr.instead = null;

  const second = await caller.ask('book_appointment', booking('16:00'));

  expect([first, second]).toMatchObject([{ success: false }, { success: true, scheduledAt: at('16:00') }]);
});

describe('a visit that is booked anew in place of the old one', () => {
  beforeEach(() => clinic.change({ rescheduling: 'cancel-and-rebook' }));

  test('may begin before the old one ends', async () => {
    clinic.slots('11:30', '12:00');
    const { call, visit } = await ann();
    clinic.ehr.records.get(`Appointment/${visit.id}`)!.end = at('12:00');

    expect(await call.ask('reschedule_appointment', { newDateTime: at('11:30') })).toMatchObject({ success: true });
    expect(booked().map(({ start }) => start)).toEqual([at('11:30')]);
  });

  test('beside the old one, which cannot be cancelled, is left to staff before a third one is made', async () => {
    clinic.slots('15:00', '16:00');
    const { call } = await ann();
    clinic.ehr.instead = ({ method }) => (method === 'PUT' ? { status: 422 } : null);
    await call.ask('reschedule_appointment', { newDateTime: at('15:00') });
    clinic.ehr.instead = null;

    const other = await call.ask('reschedule_appointment', { newDateTime: at('16:00') });
    const left = await toMend(call);
    const same = await call.ask('reschedule_appointment', { newDateTime: at('15:00') });

    expect([other.success, left.length, same]).toMatchObject([false, 1, { success: true, scheduledAt: at('15:00') }]);
    expect(booked().map(({ start }) => start)).toEqual([at('15:00')]);
    expect(await toMend(call)).toEqual([]);
  });
});

/** Somebody new who has stated the right date of birth: they may ask as often as they like. */
async function aVerifiedCaller(): Promise<LiveCallOf> {
  const patientId = await clinic.aPatient({ firstName: 'Ann', lastName: 'New', birthDate: '1990-02-03' });
  const call = await clinic.aCall({ workflowType: 'new-patient-journey', patientId });
  await call.verify();
  return call;
}

test.each<[string, () => void]>([
  ['whose answer was lost', () => (clinic.ehr.losesAnswerTo = 'POST Appointment')],
  [
    'after which nobody could look who came first',
    () =>
      (clinic.ehr.instead = ({ method, path }) =>
        method === 'GET' && /Appointment\?actor=/.test(path) && clinic.ehr.all('Appointment').length > 0
          ? { status: 422 }
          : null),
  ],
  [
    'that could not be undone',
    () => (clinic.ehr.instead = ({ method }) => (method === 'PUT' ? { status: 503 } : null)),
  ],
])('a booking %s is looked at when it is found: where somebody came first it is undone', async (_what, spoil) => {
  clinic.slots('09:00', '10:00');
  const caller = await aVerifiedCaller();
  const other = somebodyElse();
  clinic.ehr.meanwhile = { when: 'POST Appointment', work: () => void clinic.appointmentThere(other.id, '09:00') };
  spoil();

  const first = await caller.ask('book_appointment', booking('09:00'));
  const left = await toMend(caller);
  clinic.ehr.instead = null;
  const again = await caller.ask('book_appointment', booking('09:00'));
  const another = await caller.ask('book_appointment', booking('10:00'));

  expect([first.success, left.length, again, another]).toMatchObject([false, 1, TAKEN, { success: true }]);
  expect(booked().map(({ start, participant }) => [start, JSON.stringify(participant).includes(other.id)])).toEqual([
    [at('09:00'), true],
    [at('10:00'), false],
  ]);
  expect(await toMend(caller)).toEqual([]);
});

test('of two bookings of a call the one that somebody came before is undone for the other', async () => {
  clinic.slots('09:00', '10:00');
  const caller = await aVerifiedCaller();
  const other = somebodyElse();
  clinic.ehr.meanwhile = { when: 'POST Appointment', work: () => void clinic.appointmentThere(other.id, '09:00') };
  clinic.ehr.losesAnswerTo = 'POST Appointment';

  await caller.ask('book_appointment', booking('09:00'));
  const another = await caller.ask('book_appointment', booking('10:00'));

  expect(another).toMatchObject({ success: true });
  expect(booked().map(({ start }) => start)).toEqual([at('09:00'), at('10:00')]);
  expect(await toMend(caller)).toEqual([]);
});

test('a booking that the server keeps as pending is none, however often it is asked for', async () => {
  clinic.slots('09:00');
  const caller = await aVerifiedCaller();
  clinic.ehr.booksAs = 'pending';

  const first = await caller.ask('book_appointment', booking('09:00'));
  const again = await caller.ask('book_appointment', booking('09:00'));

  const callBack = { success: false, error: expect.stringContaining('call them back') };
  expect([first, again]).toEqual([callBack, callBack]);
  expect(await toMend(caller)).toMatchObject([{ reason: 'booking_to_check', detail: { action: 'book' } }]);
});

test('an undoing that fails is left to staff, and nothing is promised', async () => {
  clinic.slots('09:00');
  const caller = await aNewCaller('Ann');
  const other = somebodyElse();
  clinic.ehr.meanwhile = { when: 'POST Appointment', work: () => void clinic.appointmentThere(other.id, '09:00') };
  clinic.ehr.instead = ({ method }) => (method === 'PUT' ? { status: 503 } : null);

  const answer = await caller.ask('book_appointment', booking('09:00'));

  expect(answer).toEqual({ success: false, error: expect.stringContaining('call them back') });
  expect(await toMend(caller)).toMatchObject([{ reason: 'booking_to_check', detail: { action: 'book' } }]);
});

describe('a server that takes transactions', () => {
  beforeEach(() => clinic.change({}, { marksSlots: true }));
  const statusOf = ({ id }: { id: string }) => clinic.ehr.records.get(`Slot/${id}`)?.status;

  test('has the slot marked with its appointment, all or nothing, and free again when it is moved or cancelled', async () => {
    const [eleven, three] = clinic.slots('11:00', '15:00');
    const patientId = await clinic.aPatient({ birthDate: '1990-02-03' });
    clinic.annThere();
    const first = await clinic.aCall({ workflowType: 'new-patient-journey', patientId });
    await first.verify();
    const call = await clinic.aCall({ workflowType: 'reschedule-follow-up', patientId });
    await call.verify();
    const marks = () => [statusOf(eleven!), statusOf(three!)];
    const seen: unknown[] = [];

    seen.push([(await first.ask('book_appointment', booking('11:00'))).success, marks()]);
    seen.push([(await call.ask('reschedule_appointment', { newDateTime: at('15:00') })).success, marks()]);
    seen.push([(await call.ask('cancel_appointment')).success, marks()]);

    expect(seen).toEqual([
      [true, ['busy', 'free']],
      [true, ['free', 'busy']],
      [true, ['free', 'free']],
    ]);
    expect(clinic.ehr.asked().filter((request) => request === 'POST ')).toHaveLength(3);
  });

  test('has the slot of a visit marked again that goes back where somebody came first', async () => {
    const [eleven] = clinic.slots('11:00', '15:00');
    const { call, visit } = await ann();
    clinic.ehr.records.get(`Slot/${eleven!.id}`)!.status = 'busy';
    clinic.ehr.records.get(`Appointment/${visit.id}`)!.slot = [{ reference: `Slot/${eleven!.id}` }];
    const other = somebodyElse();
    clinic.ehr.meanwhile = { when: 'POST ', work: () => void clinic.appointmentThere(other.id, '15:00') };

    expect(await call.ask('reschedule_appointment', { newDateTime: at('15:00') })).toEqual(TAKEN);
    expect(clinic.ehr.records.get(`Appointment/${visit.id}`)).toMatchObject({ start: at('11:00') });
    expect(statusOf(eleven!)).toBe('busy');
    expect(await toMend(call)).toEqual([]);
  });

  test('refuses a slot that somebody has changed since it was read', async () => {
    const [nine] = clinic.slots('09:00');
    const caller = await aNewCaller('Ann');
    const slot = clinic.ehr.records.get(`Slot/${nine!.id}`)!;
    const taken = { ...slot, status: 'busy', meta: { ...slot.meta, versionId: '2' } };
    clinic.ehr.meanwhile = { when: 'POST ', work: () => void clinic.ehr.records.set(`Slot/${nine!.id}`, taken) };

    expect(await caller.ask('book_appointment', booking('09:00'))).toEqual(TAKEN);
    expect([clinic.ehr.all('Appointment'), await toMend(caller)]).toEqual([[], []]);
  });
});
