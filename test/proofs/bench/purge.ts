import { createRetentionActivities } from '@clinic/activities/retention';
import { openDatabase } from '@clinic/prisma/client';
import { retentionDefaults } from '@clinic/shared/domain/operations/retention';
import { fill } from '../../support/fill';
import { formSender } from './forms';
import { load, type Measured } from './load';
import type { BenchStack } from './stack';

const DEFAULT_CASES = 100_000;
const CLIENTS = 8;
const TIMES = 2_000;

/**
 * How long writers wait while everything that is old loses its contents: forms that are accepted meanwhile, beside the same
 * before. Two years of `PURGE_CASES` cases (100,000 unless set). The aim is that nobody waits for longer than a second.
 */
export async function purging(stack: BenchStack): Promise<void> {
  const { clinic, database, stores, holdWorker, resumeWorker } = stack;
  const cases = Number(process.env.PURGE_CASES ?? DEFAULT_CASES);
  // It would start the runs that are filled in, which Temporal does not know.
  holdWorker();
  try {
    const unhurried = openDatabase(database.url, { statementTimeoutMs: 3_600_000, silenceMs: 3_600_000 });
    const rows = await fill(unhurried, { clinicIds: [clinic.clinicId], cases });
    // Nobody looks for what is older than the clinic.
    await unhurried.sql`update clinics set created_at = now() - interval '800 days' where id = ${clinic.clinicId}`;
    await unhurried.close();
    const send = formSender(stack);
    const accept = (name: string, times: number) =>
      load({ clients: CLIENTS, times, work: (index) => send(`purge-${name}-${index}`) });
    await accept('warm-up', 500);
    const alone = await accept('alone', TIMES);

    const { purgeSomeContents } = createRetentionActivities({ stores, retentionDays: retentionDefaults });
    const startedAt = Date.now();
    let isDone = false;
    let purged = 0;
    const purge = async () => {
      while (!isDone) {
        const { counts, isDone: isLast } = await purgeSomeContents();
        purged += Object.values(counts).reduce((sum, count) => sum + count, 0);
        isDone = isLast;
      }
    };
    const rounds: Measured[] = [];
    const acceptMeanwhile = async () => {
      while (!isDone) rounds.push(await accept(`meanwhile-${rounds.length}`, TIMES));
    };
    await Promise.all([purge(), acceptMeanwhile()]);

    const seconds = (Date.now() - startedAt) / 1_000;
    const longest = Math.max(...rounds.map(({ max }) => max));
    const p99 = Math.max(...rounds.map((each) => each.p99));
    console.log(`Purging what is old of ${cases} cases (${rows} rows), ${CLIENTS} clients that send forms meanwhile`);
    console.log(`  purged    ${purged} rows in ${seconds.toFixed(0)} s`);
    console.log(
      `  alone     p50 ${alone.p50.toFixed(1)} p99 ${alone.p99.toFixed(1)} longest ${alone.max.toFixed(0)} ms`,
    );
    console.log(`  meanwhile p99 ${p99.toFixed(1)} longest ${longest.toFixed(0)} ms   goal <= 1,000 ms\n`);
  } finally {
    resumeWorker();
  }
}
