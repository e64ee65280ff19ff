import { createClinic } from '@clinic/accounts/seed';
import { idsOf } from '@clinic/local/history/clinic';
import { fillClinic, fillDemoClinics } from '@clinic/local/history/fill';
import { rowsOf } from '@clinic/local/history/made-up';
import { createRandom } from '@clinic/local/random';
import { providerFixtures } from '@clinic/prisma/fixtures';
import type { DevStack } from '@clinic/local/dev-file';
import { type Decision, decidedAgain } from '@clinic/shared/domain/outreach/call-decisions';
import { recoveryStatuses } from '@clinic/shared/domain/outreach/case-state';
import { secretKeys, freshStores } from '../support/stores';

const progress = { say: () => undefined, signal: new AbortController().signal };

let records: Awaited<ReturnType<typeof freshStores>>;
let clinicId: string;

beforeAll(async () => {
  records = await freshStores();
  clinicId = await aClinic({ demo: true });
  await fillClinic(records, { clinicId, cases: 120, seed: 7 }, progress);
}, 60_000);

afterAll(() => records.database.close());

async function aClinic({ demo }: { demo: boolean }): Promise<string> {
  const seeding = { database: records.database, secretKeys, authSecret: 'a'.repeat(32) };
  const made = await createClinic(seeding, { name: 'Cedar', timezone: 'America/Denver', demo });
  return made.clinicId;
}

test('a filled clinic has what a year leaves behind, and nothing in it waits for a workflow', async () => {
  const { prisma, sql } = records.database;

  const statuses = await prisma.recoveryCase.groupBy({ by: ['status'], where: { clinicId } });
  expect(statuses.map(({ status }) => status).toSorted()).toEqual([...recoveryStatuses].toSorted());
  const [counts] = await sql<{
    openRuns: number;
    openCalls: number;
    pendingDeliveries: number;
    overdueVisits: number;
    impossibleCases: number;
    eventsPastRetention: number;
  }>`
    select (select count(*) from workflow_runs where status = 'started' or dispatched_at is null)::int as "openRuns",
      (select count(*) from calls where state <> 'ENDED' and not is_test)::int as "openCalls",
      (select count(*) from deliveries where state = 'PENDING')::int as "pendingDeliveries",
      (select count(*) from appointments where status = 'booked' and ends_at < now() - interval '1 hour')::int as "overdueVisits",
      (select count(*) from recovery_cases where ended_at > now() or created_at > ended_at)::int as "impossibleCases",
      (select count(*) from outbound_events where created_at < now() - interval '90 days')::int as "eventsPastRetention"`;
  expect(counts).toEqual({
    openRuns: 0,
    openCalls: 0,
    pendingDeliveries: 0,
    overdueVisits: 0,
    impossibleCases: 0,
    eventsPastRetention: 0,
  });
  const some = [
    prisma.staffTask.count({ where: { clinicId, state: 'OPEN' } }),
    prisma.staffTask.count({ where: { clinicId, state: 'RESOLVED' } }),
    prisma.delivery.count({ where: { clinicId, state: 'DELIVERED' } }),
    prisma.appointment.count({ where: { clinicId, status: 'booked' } }),
    prisma.appointment.count({ where: { clinicId, status: 'fulfilled' } }),
    prisma.waitlistEntry.count({ where: { clinicId, status: 'waiting' } }),
    prisma.optOut.count({ where: { clinicId, source: 'tool' } }),
    prisma.outreachPause.count({ where: { clinicId } }),
  ];
  for (const count of await Promise.all(some)) expect(count).toBeGreaterThan(0);
});

test('nobody in it can be reached, and every call was decided as the rules of today decide', async () => {
  const { prisma } = records.database;

  const phones = await prisma.patient.findMany({ where: { clinicId, phone: { not: null } }, select: { phone: true } });
  for (const { phone } of phones) expect(phone).toMatch(/^\+1\d{3}55501\d{2}$/);
  const decisions = await prisma.callDecision.findMany({ where: { clinicId } });
  expect(decisions.length).toBeGreaterThan(300);
  for (const decision of decisions) {
    expect(decidedAgain(decision as unknown as Decision)).toEqual(decision.decided);
  }
});

test('the same seed makes up the same, and another one others', () => {
  const made = (seed: number) =>
    rowsOf({
      clinicId: 'clinic-1',
      zone: 'Europe/London',
      country: 'GB',
      receiverId: 'receiver-1',
      providers: providerFixtures.map((provider) => ({ ...provider, id: provider.name })),
      userIds: ['user-1'],
      closedDays: [],
      cases: 40,
      now: Date.parse('2026-11-25T10:00:00Z'),
      random: createRandom(seed),
      newId: idsOf(String(seed)),
    });

  expect(made(1)).toEqual(made(1));
  expect(made(2).patients).not.toEqual(made(1).patients);
});

test('a clinic is filled once, only where it is a demo, and never on another machine', async () => {
  const real = await aClinic({ demo: false });
  const fillAgain = (id: string) => fillClinic(records, { clinicId: id, cases: 20, seed: 9 }, progress);

  await expect(fillAgain(clinicId)).rejects.toThrow('was filled already');
  await expect(fillAgain(real)).rejects.toThrow('is no demo clinic');
  expect(await records.database.prisma.recoveryCase.count({ where: { clinicId: real } })).toBe(0);
  const dev = { databaseUrl: 'postgresql://db.example/clinic', baseUrl: 'http://localhost:1/api' } as DevStack;
  const elsewhere = fillDemoClinics({ dev, cases: 20, seed: 1, ...progress });
  await expect(elsewhere).rejects.toThrow('on another machine');
});
