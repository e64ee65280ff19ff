import { randomUUID } from 'node:crypto';
import { openDatabase } from '@clinic/prisma/client';
import { inBackground } from '../../support/fill-indexes';
import { compare, load, type Measured, report, shown } from './load';
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

const TIMES = 40;
const DEFAULT_ENTRIES = 10_000_000;
const DAY = 'from=2026-03-02T00:00:00.000Z&until=2026-03-03T00:00:00.000Z';

/** What the page of the audit asks: by person, patient, action and day, common, rare and found nowhere. */
const searches: [string, string][] = [
  ['changes', ''],
  ['all', 'reads=true'],
  ['of a person', 'reads=true&actor=account:7'],
  ['of a person who did little', 'reads=true&actor=account:rare'],
  ['of a person, on a day', `reads=true&actor=account:7&${DAY}`],
  ['of a patient', 'reads=true&subject=patient-4242'],
  ['of a patient, on a day', `reads=true&subject=patient-4242&${DAY}`],
  ['of a patient, by a person', 'reads=true&subject=patient-4242&actor=account:7'],
  ['of a patient seen all the time', 'reads=true&subject=patient-0'],
  ['of an action', 'reads=true&action=patient.read'],
  ['of a rare action', 'reads=true&action=patient.export'],
  ['of a day', `reads=true&${DAY}`],
  ['of nobody', 'reads=true&actor=account:nobody'],
  ['of no patient', 'reads=true&subject=patient-none'],
];

/**
 * Searches of the audit at one client, empty and then with `AUDIT_ENTRIES` entries of the clinic (10,000,000 unless set), of which 95 % are reads. The
 * aim is 25 ms at p50.
 */
export async function auditOfMany({ api, clinic, database, get, post, holdWorker, resumeWorker }: BenchStack) {
  const entries = Number(process.env.AUDIT_ENTRIES ?? DEFAULT_ENTRIES);
  const signedIn = await post(`${api}/auth/sign-in/email`, { email: clinic.email, password: clinic.password });
  const headers = { authorization: `Bearer ${(JSON.parse(signedIn) as { token: string }).token}` };
  const measure = async () => {
    const measured = new Map<string, Measured>();
    for (const [name, query] of searches) {
      const work = () => get(`${api}/audit?${query}`, headers);
      await load({ clients: 1, times: 10, work });
      measured.set(name, await load({ clients: 1, times: TIMES, work }));
    }
    return measured;
  };

  // It would give a place in the chain to each entry that is filled in.
  holdWorker();
  try {
    const empty = await measure();
    await fillAudit(database.url, clinic.clinicId, entries);
    const filled = await measure();
    console.log(`searches of the audit of one clinic with ${entries} entries, one client, ms at p50 / p95`);
    for (const [name] of searches) {
      console.log(
        `  ${name.padEnd(32)} ${shown(empty.get(name)).padStart(14)} -> ${shown(filled.get(name)).padStart(14)}`,
      );
    }
  } finally {
    resumeWorker();
  }
}

/** Six years of entries, made without their indexes, which are made afterwards as they were. */
async function fillAudit(url: string, clinicId: string, entries: number): Promise<void> {
  const database = openDatabase(url, { statementTimeoutMs: 3_600_000, silenceMs: 3_600_000, poolSize: 1 });
  await inBackground(database, true, async (tx) => {
    await tx`
      insert into audit_entries (id, clinic_id, actor, action, subject, is_read, route, subjects, request_id, address, at)
      select 'filled-' || n, ${clinicId}, 'account:' || case when n % 2000000 = 1 then 'rare' else (n % 40)::text end,
        case when n % 20 = 0 then (array['patient.change', 'task.change', 'appointment.move'])[1 + n % 3]
          when n % 500000 = 3 then 'patient.export' when n % 3 = 0 then 'patient.list' else 'patient.read' end,
        case when n % 20 = 0 then 'patient-' || (n * 7919 % 100000) end, n % 20 <> 0, case when n % 20 <> 0 then 'GET /patients/:patientId' end,
        case when n % 20 = 0 then '{}' when n % 50 = 1 then array['patient-0'] else array['patient-' || (n * 7919 % 100000)] end,
        'request-' || n, '192.0.2.' || n % 250,
        timestamptz '2026-11-01' - n * interval '6 years' / ${entries}::float8
      from generate_series(1, ${entries}::bigint) n`;
  });
  await database.sql`vacuum analyze audit_entries`;
  await database.close();
}
