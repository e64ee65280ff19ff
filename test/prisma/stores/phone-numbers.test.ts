import type { Database } from '@clinic/prisma/client';
import type { Stores } from '@clinic/prisma/stores';
import { aClinic, freshStores } from '../../support/stores';

let database: Database;
let stores: Stores;
let clinicId: string;
let otherClinicId: string;
let last = 0;

beforeAll(async () => {
  ({ database, stores } = await freshStores());
});

beforeEach(async () => {
  [clinicId, otherClinicId] = [await aClinic(stores, 'Harbor'), await aClinic(stores, 'Meadow')];
});

afterAll(() => database.close());

const aNumber = (platformId: string | null = `platform-${(last += 1)}`) => ({
  number: `+1415555${2000 + (last += 1)}`,
  platformId,
  assistantId: null,
});

test('the numbers of a clinic are those that were given last', async () => {
  const [first, second, third] = [aNumber(), aNumber(), aNumber()];
  await stores.phoneNumbers.replace(clinicId, [first, second]);

  await stores.phoneNumbers.replace(clinicId, [second, third]);

  expect(await stores.phoneNumbers.list(clinicId)).toMatchObject([second, third]);
});

test('a number that stays keeps its id', async () => {
  const number = aNumber();
  const [before] = await stores.phoneNumbers.replace(clinicId, [number]);

  const [after] = await stores.phoneNumbers.replace(clinicId, [{ ...number, assistantId: 'assistant' }]);

  expect(after).toEqual({ ...before, assistantId: 'assistant' });
});

test('two numbers may swap what the platform calls them', async () => {
  const [first, second] = [aNumber(), aNumber()];
  await stores.phoneNumbers.replace(clinicId, [first, second]);

  const swapped = [
    { ...first, platformId: second.platformId },
    { ...second, platformId: first.platformId },
  ];
  await stores.phoneNumbers.replace(clinicId, swapped);

  expect(await stores.phoneNumbers.list(clinicId)).toMatchObject(swapped);
});

test.each([
  ['a number', (taken: ReturnType<typeof aNumber>) => ({ ...aNumber(), number: taken.number })],
  ["the platform's name of a number", (taken: ReturnType<typeof aNumber>) => aNumber(taken.platformId)],
])('%s of another clinic is refused, and nothing is changed', async (_, given) => {
  const [taken, own] = [aNumber(), aNumber()];
  await stores.phoneNumbers.replace(otherClinicId, [taken]);
  await stores.phoneNumbers.replace(clinicId, [own]);

  await expect(stores.phoneNumbers.replace(clinicId, [given(taken)])).rejects.toMatchObject({ code: 'conflict' });

  expect(await stores.phoneNumbers.list(clinicId)).toMatchObject([own]);
  expect(await stores.phoneNumbers.list(otherClinicId)).toMatchObject([taken]);
});
