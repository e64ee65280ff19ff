import { anAbandonedForm as form } from './forms';
import { compare, load, report } from './load';
import type { BenchStack } from './stack';

/** Accepting events: 16 clients against one INSERT behind bare Express, and a burst of 64 with none lost or doubled. */
export async function inbound(stack: BenchStack): Promise<void> {
  const { clinic, api, baseline, post, database, analyze, settled } = stack;
  const url = `${api}/automation/webhook/${clinic.clinicId}/forms-abandoned`;
  const headers = { 'x-automation-secret': clinic.inboundSecrets['forms-abandoned'] };

  const compared = await compare({
    rounds: 3,
    baseline: (round) =>
      load({
        clients: 16,
        times: 1_000,
        work: (index) =>
          post(`${baseline}/insert`, {
            ...form(`base-${round}-${index}`),
            session: `base-${round}-${index}`,
            clinicId: clinic.clinicId,
          }),
      }),
    ours: async (round) => {
      const measured = await load({
        clients: 16,
        times: 1_000,
        work: (index) => post(url, form(`ours-${round}-${index}`), headers),
      });
      await settled();
      await analyze();
      return measured;
    },
  });
  report('Inbound webhook, answered (16 clients)', compared, '>= 0.60');

  const sessions = 3_000;
  const burst = await load({
    clients: 64,
    times: sessions,
    work: (index) => post(url, form(`burst-${index}`), headers),
  });
  const startedAt = Date.now();
  const [cases] = await database.sql<{ count: number }>`
    select count(*)::int as count from recovery_cases where session_id like 'burst-%'`;
  await settled();
  console.log(`Burst of ${sessions} sessions, 64 clients`);
  console.log(`  accepted  ${burst.perSecond.toFixed(0)}/s, p99 ${burst.p99.toFixed(1)} ms   goal >= 1,000/s`);
  console.log(
    `  cases     ${cases?.count} of ${sessions}; all ended ${((Date.now() - startedAt) / 1_000).toFixed(1)} s later\n`,
  );
}
