import { randomUUID } from 'node:crypto';
import { compare, load, report } from './load';
import type { BenchStack } from './stack';

/**
 * What an entry of the audit adds to a read: the same patient is read by one session, which is noted once, and by addresses that
 * differ each time, each of which is noted before its answer. The aim is at most 5 % at p50.
 */
export async function auditOfReads({ api, clinic, database, get, post }: BenchStack): Promise<void> {
  const signedIn = await post(`${api}/auth/sign-in/email`, { email: clinic.email, password: clinic.password });
  const headers = { authorization: `Bearer ${(JSON.parse(signedIn) as { token: string }).token}` };
  const { clinicId } = clinic;
  const data = { id: randomUUID(), clinicId, firstName: 'Ann', lastName: 'Lee', phone: '+15005550142' };
  const { id } = await database.prisma.patient.create({ data });
  let turn = 0;
  for (const clients of [1, 16]) {
    const times = 1_000 * Math.sqrt(clients);
    const compared = await compare({
      ours: () => load({ clients, times, work: () => get(`${api}/patients/${id}?turn=${(turn += 1)}`, headers) }),
      baseline: () => load({ clients, times, work: () => get(`${api}/patients/${id}`, headers) }),
    });
    const added = (compared.ours.p50 / compared.baseline.p50 - 1) * 100;
    report(`a patient, noted each time, beside not noted again, ${clients} at once`, compared, 'above 0.95');
    console.log(`  added at p50  ${added.toFixed(0)} %\n`);
  }
}
