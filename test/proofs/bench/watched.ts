import { load, type Measured } from './load';
import type { BenchStack } from './stack';

const TIMES = 400;
const ROUNDS = 8;
const GOAL_MS = 1;

/** What a validation run costs the requests that it watches: rounds with a run and without, in turns, one request at a time. */
export async function watched({ api, clinic, stores, get, post, analyze }: BenchStack): Promise<void> {
  const { clinicId, email, password, apiKey } = clinic;
  await stores.sandbox.setEnabled({ clinicId, isEnabled: true, now: new Date() });
  const { patient } = await stores.sandbox.match(clinicId, 'MRN-1001');
  await analyze();
  const { token } = JSON.parse(await post(`${api}/auth/sign-in/email`, { email, password })) as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  const key = { authorization: `Bearer ${apiKey}` };

  for (const [name, path] of [
    ['GET /Slot, 100 of 14 days', '/Slot?schedule=Schedule/Dr.Chen&_count=100'],
    ['GET /Appointment', `/Appointment?patient=Patient/${patient.id}`],
  ]) {
    const round = () => load({ clients: 1, times: TIMES, work: () => get(`${api}${path}`, headers) });
    await round();
    const differences: { p50: number; mean: number }[] = [];
    for (let each = 0; each < ROUNDS; each += 1) {
      const without = await round();
      const { id } = JSON.parse(await post(`${api}/validation-runs`, {}, key)) as { id: string };
      const beside = await round();
      await post(`${api}/validation-runs/${id}/end`, {}, key);
      differences.push({ p50: beside.p50 - without.p50, mean: meanOf(beside) - meanOf(without) });
    }
    const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
    const [p50, mean] = [median(differences.map((each) => each.p50)), median(differences.map((each) => each.mean))];
    console.log(
      `${name}, watched\n  more at p50 ${p50.toFixed(3)} ms, in the mean ${mean.toFixed(3)} ms   goal <= ${GOAL_MS} ms\n`,
    );
  }
}

/** One client: as much time as passes is the requests'. */
const meanOf = ({ perSecond }: Measured): number => 1_000 / perSecond;
