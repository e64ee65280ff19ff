import { startApp, type App } from '../support/app';
import type { Answer } from '../support/clinic-client';
import { type FhirClinic, openSandbox } from '../support/fhir';
import { thorough } from '../support/thorough';
import { seeded } from '../shared/domain/seeded';

const BOOKERS = 64;
const SLOTS = thorough({ few: 20, all: 100 });
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
    const bystanders = batch.map(({ bystander }) => bystander());
    const contests = shuffled(contenders).map(async ({ race, contend }) => ({ race, answer: await contend() }));
    answers.push(...(await Promise.all(contests)));
    for (const cancelled of await Promise.all(bystanders)) expect(cancelled.status).toBe(200);
  }

  expect(answers).toHaveLength(SLOTS * BOOKERS);
  for (const race of races) {
    const its = answers.filter((each) => each.race === race).map(({ answer }) => answer);
    const losers = its.filter(({ status }) => status !== 200);
    expect(its.length - losers.length).toBe(1);
    for (const { status, body } of losers) {
      expect([status, body.issue[0].diagnostics]).toEqual([409, 'slot_taken']);
    }
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
  const free = await clinic.slots('Dr.Patel');

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
  const free = await clinic.slots('Dr.Chen');
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
          ...moving.map((id) => () => clinic.reschedule(id, start)),
          ...Array.from(
            { length: BOOKERS - MOVERS },
            (_, each) => () => clinic.book({ patient: patientOf(each), start }),
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
