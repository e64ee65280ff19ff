import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startApp, type App } from '../../support/app';
import type { Answer } from '../../support/clinic-client';
import { aBooking, type FhirClinic, type FhirSlot, openSandbox, parametersOf } from '../../support/fhir';
import { assertR4 } from '../../support/r4';
import { thorough } from '../../support/thorough';
import { seeded } from '../../shared/domain/calendar/seeded';

const BOOKERS = 64;
const SLOTS = thorough({ few: 12, all: 100 });
/** Of the bookers of each slot, those who move an appointment there. */
const MOVERS = 4;

const random = seeded();
let app: App;
let clinics: FhirClinic[];

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  clinics = await Promise.all([openSandbox(app), openSandbox(app, app.otherClinic)]);
});
afterAll(() => app.stop());

test(`${BOOKERS} bookers at once on each of ${SLOTS} slots of two clinics, some of them moving there, while others cancel: one winner each (SEED=${random.seed})`, async () => {
  const { below } = random;
  const shuffled = <Item>(items: Item[]) =>
    items
      .map((item) => ({ item, at: below(2 ** 30) }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ item }) => item);
  const races = (await Promise.all(clinics.map((clinic) => prepare(clinic)))).flat();
  expect(races).toHaveLength(SLOTS);

  const answers: { race: Race; answer: Answer }[] = [];
  // Several slots are fought over at the same time.
  for (const batch of chunks(shuffled(races), 5)) {
    const contenders = batch.flatMap((race) => race.contenders.map((contend) => ({ race, contend })));
    const bystanders = batch.map(({ bystander }) => patiently(bystander));
    const contests = shuffled(contenders).map(async ({ race, contend }) => ({
      race,
      answer: await patiently(contend),
    }));
    answers.push(...(await Promise.all(contests)));
    for (const cancelled of await Promise.all(bystanders)) expect(cancelled.status).toBe(200);
  }

  expect(answers).toHaveLength(SLOTS * BOOKERS);
  for (const race of races) {
    const its = answers
      .filter((each) => each.race === race)
      .map(({ answer: { status, body } }) =>
        status === 200 ? 'has it' : `${status} ${body.issue?.[0].diagnostics ?? body.message}`,
      );
    expect(its.filter((each) => each !== '409 slot_taken')).toEqual(['has it']);
  }
  await expectNoOverlap();
}, 240_000);

test('a slot that was cancelled has one winner again', async () => {
  const [clinic] = clinics as [FhirClinic];
  const { id, start } = await clinic.aBooked();
  const patients = await Promise.all(Array.from({ length: 8 }, clinic.aPatient));

  const before = await clinic.book({ patient: patients[0]!, start });
  await clinic.cancel(id);
  const after = await Promise.all(
    Array.from({ length: BOOKERS }, (_, index) => clinic.book({ patient: patients[index % 8]!, start })),
  );

  expect(before.status).toBe(409);
  expect(after.filter(({ status }) => status === 200)).toHaveLength(1);
  await expectNoOverlap();
});

test(`of ${BOOKERS} bookers on ${BOOKERS} different slots none is refused`, async () => {
  const [clinic] = clinics as [FhirClinic];
  const patient = await clinic.aPatient();
  const free = await clinic.slotsAhead('Dr.Patel');

  const answers = await Promise.all(
    free.slice(0, BOOKERS).map(({ start }) => clinic.book({ patient, start, provider: 'Dr.Patel' })),
  );

  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: BOOKERS }, () => 200));
});

test(`${BOOKERS} retries under one Idempotency-Key make one appointment and get one answer`, async () => {
  const [clinic] = clinics as [FhirClinic];
  const [patient, start] = [await clinic.aPatient(), await clinic.aStart()];
  const headers = { 'idempotency-key': 'one-booking' };

  const answers = await Promise.all(Array.from({ length: BOOKERS }, () => clinic.book({ patient, start }, headers)));
  const later = await clinic.book({ patient, start }, headers);

  expect(new Set([...answers, later].map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(later.status).toBe(200);
  const rows = await app.database.sql`select id from appointments where patient_id = ${patient}`;
  expect(rows).toEqual([{ id: later.body.id }]);
});

test('two appointments that change places at the same time never overlap', async () => {
  const [clinic] = clinics as [FhirClinic];
  const pairs = await Promise.all(
    Array.from({ length: 8 }, async () => [await clinic.aBooked(), await clinic.aBooked()] as const),
  );

  const answers = await Promise.all(
    pairs.flatMap(([one, other]) => [clinic.reschedule(one.id, other.start), clinic.reschedule(other.id, one.start)]),
  );

  expect(answers.map(({ status }) => status).filter((status) => ![200, 409].includes(status))).toEqual([]);
  await expectNoOverlap();
});

describe('holding a time', () => {
  const held = (clinic: FhirClinic, about: { patient: string; start: string }, minutes?: unknown) => {
    const { parameter } = aBooking(about);
    const more = minutes === undefined ? [] : [{ name: 'minutes', valueInteger: minutes }];
    return clinic.post('/Appointment/$hold', parametersOf(...parameter, ...more));
  };

  test('keeps it for one patient: to others it is neither free nor to be had, until it is confirmed or given up', async () => {
    const [clinic] = clinics as [FhirClinic];
    const [patient, rival, start, given] = [
      await clinic.aPatient(),
      await clinic.aPatient(),
      await clinic.aStart(),
      await clinic.aStart(),
    ];

    const hold = await held(clinic, { patient, start }, 15);
    const free = await clinic.slots();
    const refused = await clinic.book({ patient: rival, start });
    const upcoming = await clinic.get(`/Appointment?patient=Patient/${patient}`);
    const confirmed = await clinic.post(`/Appointment/${hold.body.id}/$confirm`);
    const other = await held(clinic, { patient, start: given });
    const released = await clinic.cancel(other.body.id);
    const booked = await clinic.book({ patient: rival, start: given });
    const expired = await clinic.post(`/Appointment/${other.body.id}/$confirm`);

    assertR4(hold.body);
    expect(hold).toMatchObject({ status: 200, body: { resourceType: 'Appointment', status: 'pending', start } });
    const [{ url, valueInstant }] = hold.body.extension;
    expect(url).toMatch(/\/api\/StructureDefinition\/held-until$/);
    expect(Math.abs(Date.parse(valueInstant) - Date.now() - 15 * 60_000)).toBeLessThan(60_000);
    expect(free.map((slot) => slot.start)).not.toContain(start);
    expect([refused.status, refused.body.issue[0].diagnostics]).toEqual([409, 'slot_held']);
    expect(refused.headers.get('x-refusal-reason')).toBe('slot_held');
    expect(refused.headers.get('x-nearest-slots')?.split(', ')).toHaveLength(3);
    expect(upcoming.body.total).toBe(0);
    expect(confirmed).toMatchObject({ status: 200, body: { id: hold.body.id, status: 'booked', start } });
    expect([released.status, released.body.status, booked.status]).toEqual([200, 'cancelled', 200]);
    expect([expired.status, expired.body.issue[0].diagnostics]).toEqual([409, 'hold_expired']);
  });

  test("ends by the sandbox's clock, and asks for whole minutes from 1 to 15", async () => {
    const clinic = clinics[1]!;
    const clock = (method: string, path: string, body?: unknown) =>
      app.request(method, `/sandbox/clock${path}`, { body, bearer: clinic.admin });
    const [patient, rival] = [await clinic.aPatient(), await clinic.aPatient()];
    await clock('PUT', '', { at: '2031-03-03T08:00:00-07:00' });
    const { start } = (await clinic.slots())[0]!;

    const bad = await Promise.all([0, 16, 2.5, '5'].map((minutes) => held(clinic, { patient, start }, minutes)));
    const hold = await held(clinic, { patient, start });
    await clock('POST', '/advance', { minutes: 4 });
    const early = await clinic.book({ patient: rival, start });
    await clock('POST', '/advance', { minutes: 1 });
    const late = await clinic.book({ patient: rival, start });
    await clock('DELETE', '');

    expect(bad.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(bad[0]!.body.details[0].path).toBe('minutes');
    expect(hold.body.extension[0].valueInstant).toBe('2031-03-03T15:05:00.000Z');
    expect([early.status, early.body.issue?.[0].diagnostics]).toEqual([409, 'slot_held']);
    expect(late.status).toBe(200);
  });

  describe('is confirmed by what is held alone, by $confirm as by $book:', () => {
    type At = { clinic: FhirClinic; clock: (method: string, path: string, body?: unknown) => Promise<Answer> };
    const heldBy = async ({ clinic }: At, start?: string): Promise<string> => {
      const about = { patient: await clinic.aPatient(), start: start ?? (await clinic.aStart()) };
      return (await held(clinic, about)).body.id;
    };

    test.each<[what: string, id: (at: At) => Promise<string>, status: number, reason: string | null]>([
      ['what is held', heldBy, 200, null],
      ['what was confirmed', async ({ clinic }) => (await clinic.aBooked()).id, 200, null],
      ['what nobody holds', async () => 'nowhere', 404, 'unknown_appointment'],
      ['what another clinic holds', async (at) => heldBy({ ...at, clinic: clinics[0]! }), 404, 'unknown_appointment'],
      [
        'what was given up',
        async (at) => {
          const id = await heldBy(at);
          await at.clinic.cancel(id);
          return id;
        },
        409,
        'hold_expired',
      ],
      [
        'what was booked and cancelled',
        async ({ clinic }) => {
          const { id } = await clinic.aBooked();
          await clinic.cancel(id);
          return id;
        },
        409,
        'appointment_cancelled',
      ],
      [
        'what has taken place',
        async ({ clinic }) => {
          const { id } = await clinic.aBooked();
          await app.database.sql`update appointments set status = 'fulfilled' where id = ${id}`;
          return id;
        },
        409,
        'appointment_fulfilled',
      ],
      [
        'what has begun',
        async ({ clinic, clock }) => {
          const start = await clinic.aStart();
          await clock('PUT', '', { at: new Date(Date.parse(start) - 60_000).toISOString() });
          const id = await heldBy({ clinic, clock }, start);
          await clock('POST', '/advance', { minutes: 1 });
          return id;
        },
        400,
        'in_the_past',
      ],
    ])('%s', async (_what, idOf, status, reason) => {
      const clinic = clinics[1]!;
      const clock = (method: string, path: string, body?: unknown) =>
        app.request(method, `/sandbox/clock${path}`, { body, bearer: clinic.admin });
      const id = await idOf({ clinic, clock });

      const answers = [
        await clinic.post(`/Appointment/${id}/$confirm`),
        await clinic.post('/Appointment/$book', parametersOf({ name: 'appt-id', valueUri: `Appointment/${id}` })),
      ];
      await clock('DELETE', '');

      for (const answer of answers)
        expect([answer.status, answer.headers.get('x-refusal-reason')]).toEqual([status, reason]);
    });
  });

  test('takes the parameters of the Argonaut and IHE guides too', async () => {
    const [clinic] = clinics as [FhirClinic];
    const patient = await clinic.aPatient();
    const hold = async (name: string) => {
      const [{ resource }] = aBooking({ patient, start: await clinic.aStart() }).parameter as [{ resource: object }];
      return clinic.post('/Appointment/$hold', parametersOf({ name, resource }));
    };
    const book = (parameter: object) => clinic.post('/Appointment/$book', parametersOf(parameter));

    const [one, other] = [await hold('appt-resource'), await hold('appointment-resource')];
    const reference = `Appointment/${other.body.id}`;
    const answers = [
      await book({ name: 'appt-id', valueUri: `Appointment/${one.body.id}` }),
      await book({ name: 'appointment-reference', valueReference: { reference } }),
      await book({ name: 'appointment-reference', valueReference: { reference } }),
    ];
    const refused = [
      await book({ name: 'appt-id', valueUri: 'Appointment/nowhere' }),
      await book({ name: 'appt-id' }),
      await book({ name: 'appt' }),
    ];

    expect(answers.map(({ status, body }) => [status, body.status, body.id])).toEqual([
      [200, 'booked', one.body.id],
      [200, 'booked', other.body.id],
      [200, 'booked', other.body.id],
    ]);
    expect(refused.map(({ status }) => status)).toEqual([404, 400, 400]);
    expect(refused[2]!.body.message).toBe('parameter must hold one parameter named appointment');
  });

  test('what $find proposes is held and booked by its id, by the clinic that has patient and practitioner', async () => {
    const [clinic, elsewhere] = clinics as [FhirClinic, FhirClinic];
    const patient = await clinic.aPatient();
    const find = (...parameter: object[]) =>
      clinic.post(
        '/Appointment/$find',
        parametersOf(
          { name: 'start', valueDateTime: '2033-05-02' },
          { name: 'end', valueDateTime: '2033-05-04T00:00:00Z' },
          { name: 'patient-reference', valueReference: { reference: `Patient/${patient}` } },
          ...parameter,
        ),
      );
    const practitioner = (name: string) => ({
      name: 'practitioner',
      valueReference: { reference: `Practitioner/${name}` },
    });
    const by = (id: string) =>
      parametersOf({ name: 'appointment-reference', valueReference: { reference: `Appointment/${id}` } });

    const [found, ofAny] = [await find(practitioner('Dr.Chen')), await find()];
    const [first, second, third] = found.body.entry.map(({ resource }: { resource: FhirSlot }) => resource);
    const onHold = await clinic.post('/Appointment/$hold', by(first.id));
    const booked = await clinic.post('/Appointment/$book', by(onHold.body.id));
    const atOnce = await clinic.post('/Appointment/$book', by(second.id));
    const again = await find(practitioner('Dr.Chen'));
    const foreign = await elsewhere.post('/Appointment/$hold', by(third.id));
    const unknown = await clinic.post('/Appointment/$hold', by(`p${'0'.repeat(57)}`));
    const bad = [await find(practitioner('Dr.Nobody')), await clinic.post('/Appointment/$find', parametersOf())];

    assertR4(found.body);
    expect(first).toMatchObject({ status: 'proposed', start: expect.stringMatching(/^2033-05-02T/) });
    expect(ofAny.body.entry.length).toBeGreaterThan(found.body.entry.length);
    expect([onHold.body.status, onHold.body.start]).toEqual(['pending', first.start]);
    expect([booked.status, booked.body.id, booked.body.status]).toEqual([200, onHold.body.id, 'booked']);
    expect([atOnce.status, atOnce.body.status, atOnce.body.start]).toEqual([200, 'booked', second.start]);
    expect(again.body.entry[0].resource.start).toBe(third.start);
    expect([foreign.status, unknown.status, ...bad.map(({ status }) => status)]).toEqual([404, 404, 404, 400]);
  });

  test(`${BOOKERS} who hold, book and confirm at once: one has it`, async () => {
    const [clinic] = clinics as [FhirClinic];
    const patients = await Promise.all(Array.from({ length: 8 }, clinic.aPatient));
    const start = await clinic.aStart();
    const contend = async (index: number) => {
      // Who books holds nothing: a booking would take the hold of the same patient.
      const isBooking = index % 3 === 0;
      const patient = patients[(index % 4) + (isBooking ? 0 : 4)]!;
      if (isBooking) return clinic.book({ patient, start });
      const hold = await held(clinic, { patient, start });
      return hold.status === 200 ? clinic.post(`/Appointment/${hold.body.id}/$confirm`) : hold;
    };

    const answers = await Promise.all(Array.from({ length: BOOKERS }, (_, index) => contend(index)));

    const ids = answers.filter(({ status }) => status === 200).map(({ body }) => body.id);
    const others = answers.filter(({ status }) => status !== 200);
    expect(new Set(ids).size).toBe(1);
    for (const { status, body } of others) {
      expect([status, body.issue?.[0].diagnostics]).toEqual([409, expect.stringMatching(/^slot_(taken|held)$/)]);
    }
    await expectNoOverlap();
  });
});

test('an administrator books a time that is not on offer, with a reason that stays, and never one that is taken or held', async () => {
  const [clinic] = clinics as [FhirClinic];
  const [patientId, rival, held] = [await clinic.aPatient(), await clinic.aPatient(), await clinic.aStart()];
  const [first] = await clinic.slots('Dr.Chen', '&start=ge2032-03-01');
  const at = (minutes: number) => new Date(Date.parse(first!.start) + minutes * 60_000).toISOString();
  const override = (startsAt: string, about: object = {}, bearer = clinic.admin) =>
    app.request('POST', '/appointments/override', {
      body: { patientId, providerName: 'Dr.Chen', startsAt, reason: 'urgent', ...about },
      bearer,
    });
  await clinic.post('/Appointment/$hold', aBooking({ patient: rival, start: held }));

  const [early, offTheGrid] = [await override(at(-300)), await override(at(40))];
  const overlapping = await override(at(50));
  const onHold = await override(held);
  const free = await clinic.slots('Dr.Chen', '&start=ge2032-03-01');
  const refused = await Promise.all([
    override(at(-240), {}, clinic.staff),
    override(at(-240), {}, clinic.clinic.apiKey),
    override(at(-240), { reason: 'Ann is in pain' }),
    override(at(-240.5)),
    override('2020-01-01T10:00:00Z'),
    override(at(-240), { patientId: 'nobody' }),
  ]);

  expect([early.status, early.body.status, offTheGrid.status]).toEqual([200, 'booked', 200]);
  expect([overlapping.status, overlapping.body.message]).toEqual([409, 'slot_taken']);
  expect([onHold.status, onHold.body.message]).toEqual([409, 'slot_held']);
  expect(free.slice(0, 2).map(({ start }) => start)).toEqual([at(0), at(90)]);
  expect(refused.map(({ status }) => status)).toEqual([403, 401, 400, 400, 400, 404]);
  const { items } = (await app.request('GET', `/audit?subject=${early.body.id}`, { bearer: clinic.admin })).body;
  expect(items).toMatchObject([{ action: 'appointment.override', detail: { reason: 'urgent', isOnOffer: false } }]);
  await expectNoOverlap();
});

/** Asks again where the process says that too much is under way, as its clients are to. */
async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    await delay(1_000);
  }
}

/** One request, however often it is sent: an answer that came too late, of a booking that stands, is had by the next try. */
function byKey(ask: (headers: Record<string, string>) => Promise<Answer>): () => Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID() };
  return () => ask(headers);
}

interface Race {
  /** Everybody who wants the slot, each as one request. */
  contenders: (() => Promise<Answer>)[];
  /** Somebody who cancels something else meanwhile. */
  bystander: () => Promise<Answer>;
}

/** Half of the slots: those of one clinic, with people who have appointments to move or to cancel. */
async function prepare(clinic: FhirClinic): Promise<Race[]> {
  const count = SLOTS / clinics.length;
  const patients = await Promise.all(Array.from({ length: 8 }, clinic.aPatient));
  const free = await clinic.slotsAhead('Dr.Chen');
  const later = (await clinic.slots('Dr.Chen', '&start=ge2030-01-01')).concat(
    await clinic.slots('Dr.Chen', '&start=ge2030-02-01'),
  );
  const patientOf = (index: number) => patients[index % patients.length]!;
  const booked = async (index: number) => {
    const { body } = await clinic.book({ patient: patientOf(index), start: later[index]!.start });
    return body.id as string;
  };

  return Promise.all(
    free.slice(0, count).map(async ({ start }, index): Promise<Race> => {
      // Everybody else's appointments lie years ahead.
      const [cancelled, ...moving] = await Promise.all(
        Array.from({ length: MOVERS + 1 }, (_, each) => booked(index * (MOVERS + 1) + each)),
      );
      return {
        contenders: [
          ...moving.map((id) => byKey((headers) => clinic.reschedule(id, start, headers))),
          ...Array.from({ length: BOOKERS - MOVERS }, (_, each) =>
            byKey((headers) => clinic.book({ patient: patientOf(each), start }, headers)),
          ),
        ],
        bystander: () => clinic.cancel(cancelled!),
      };
    }),
  );
}

async function expectNoOverlap() {
  const overlapping = await app.database.sql`
    select one.id from appointments one join appointments other
      on other.provider_id = one.provider_id and other.id > one.id and other.status = 'booked'
      and tstzrange(one.starts_at, one.ends_at) && tstzrange(other.starts_at, other.ends_at)
    where one.status = 'booked'`;
  expect(overlapping).toEqual([]);
}

function* chunks<Item>(items: Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
