import { aTown, sayings } from '../../support/people';
import { load } from './load';
import type { BenchStack } from './stack';

const PEOPLE = 100_000;
const TIMES = 2_000;
const WARM = 200;
const CLIENTS = 1;
/** What `$match` takes at most in 19 of 20 cases. */
const AIM_MS = 25;

/** `$match` of what is said of people, among a hundred thousand of one clinic. Throws where the aim is missed. */
export async function match({ api, clinic, database, stores, post, analyze }: BenchStack): Promise<void> {
  const { clinicId, email, password } = clinic;
  await stores.sandbox.setEnabled({ clinicId, isEnabled: true, now: new Date() });
  await stores.sandboxLeniency.change({ clinicId, to: { matchesIdentifiersOnly: false } });
  const town = aTown({ people: PEOPLE, seed: 11 });
  for (let first = 0; first < town.length; first += 10_000) {
    const rows = JSON.stringify(town.slice(first, first + 10_000));
    await database.sql`
      insert into patients (id, clinic_id, identifier, first_name, last_name, birth_date, phone, email, address, patient_type)
      select id, ${clinicId}, identifier, "firstName", "lastName", "birthDate", phone, email, address, 'EXISTING'
      from json_to_recordset(${rows}::json) as person(id text, identifier text, "firstName" text, "lastName" text,
        "birthDate" text, phone text, email text, address text)`;
  }
  await analyze();
  const { token } = JSON.parse(await post(`${api}/auth/sign-in/email`, { email, password })) as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  const asked = sayings({ town, count: TIMES + WARM, seed: 7 });
  let [certain, wrong] = [0, 0];
  const work = async (index: number) => {
    const { asked: said, meant } = asked[index] ?? { asked: null, meant: null };
    if (!said) return;
    const { entry } = JSON.parse(await post(`${api}/Patient/$match`, bodyOf(said), headers)) as {
      entry: { resource: { id: string }; search: { extension: [{ valueCode: string }] } }[];
    };
    const found = entry.filter(({ search }) => search.extension[0].valueCode === 'certain');
    certain += found.length;
    wrong += found.filter(({ resource }) => resource.id !== meant).length;
  };
  await load({ clients: CLIENTS, times: WARM, work: (index) => work(TIMES + index) });
  const { p50, p95, p99 } = await load({ clients: CLIENTS, times: TIMES, work });
  console.log(
    `POST /Patient/$match among ${PEOPLE} people: p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} p99 ${p99.toFixed(1)} ms, ` +
      `goal p95 <= ${AIM_MS}; certain ${certain}, of those wrong ${wrong}\n`,
  );
  if (p95 > AIM_MS) throw new Error(`$match takes ${p95.toFixed(1)} ms (p95), and ${AIM_MS} are wanted`);
}

type Said = ReturnType<typeof sayings>[number]['asked'];

/** What is said, as a FHIR client sends it. */
function bodyOf({ firstName, lastName, birthDate, phone, email, address }: Said) {
  const telecom = [
    ...(phone === null ? [] : [{ system: 'phone', value: phone }]),
    ...(email === null ? [] : [{ system: 'email', value: email }]),
  ];
  const resource = {
    resourceType: 'Patient',
    name: [{ family: lastName, given: [firstName] }],
    ...(birthDate !== null && { birthDate }),
    ...(telecom.length > 0 && { telecom }),
    ...(address !== null && { address: [{ text: address }] }),
  };
  return { resourceType: 'Parameters', parameter: [{ name: 'resource', resource }] };
}
