import { holidaysOf } from '@clinic/api/routes/calendar/holidays';
import { openDatabase, type Database } from '@clinic/prisma/client';
import type { Prisma } from '@clinic/prisma/generated/client';
import { createStores, type Stores } from '@clinic/prisma/stores';
import { localDate, plusDays, toInstant } from '@clinic/shared/domain/calendar/clinic-time';
import type { WorkingHours } from '@clinic/shared/domain/calendar/slots';
import type { DevClinic, DevStack } from '../dev-file';
import { localKeys } from '../environment';
import { createRandom } from '../random';
import { type ClinicToFill, idsOf, pauseOf } from './clinic';
import { rowsOf } from './made-up';
import { FIRST_IDENTIFIER } from './people';
import type { Rows } from './rows';
import { startRuns } from './started-runs';

interface Filling {
  dev: DevStack;
  /** Recovery cases in all; everything else goes with them. */
  cases: number;
  seed: number;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** The first clinic has most of it. */
const shares = [0.85, 0.15];
const operator = { actor: 'operator' };
const ROWS_AT_ONCE = 500;
/** A machine that is busy otherwise takes long from one statement to the next. */
const PATIENCE_MS = 120_000;

/** Gives the demo clinics of a local stack a year of records: made up by a seed, and over, but for some runs that are really started. */
export async function fillDemoClinics({ dev, cases, seed, say, signal }: Filling): Promise<void> {
  refuseOtherThanLocal(dev);
  const database = openDatabase(dev.databaseUrl, { poolSize: 2, statementTimeoutMs: PATIENCE_MS });
  try {
    const stores = createStores(database, localKeys(dev).secretKeys);
    for (const [index, share] of shares.entries()) {
      const clinic = dev.clinics[index];
      if (!clinic) continue;
      const filled = { clinicId: clinic.clinicId, cases: Math.round(cases * share), seed: seed + index };
      const people = await fillClinic({ database, stores }, filled, { say, signal });
      await pauseCareGaps(stores, clinic);
      await startRuns({ dev, clinic, people, say });
    }
    await database.sql`analyze`;
  } finally {
    await database.close();
  }
}

interface Records {
  database: Database;
  stores: Stores;
}

/** What of it is in the records alone: all of it or nothing. Returns the patients. */
export async function fillClinic(
  { database, stores }: Records,
  { clinicId, cases, seed }: { clinicId: string; cases: number; seed: number },
  progress: Pick<Filling, 'say' | 'signal'>,
): Promise<Rows['patients']> {
  progress.signal.throwIfAborted();
  const { name, ...clinic } = await clinicOf(database, { clinicId, cases, seed, now: Date.now() });
  progress.say(`\n${name}: making up ${cases} forms that were left, and what became of them …`);
  await closeDays(stores, clinic);
  await letCallsBook(stores, clinicId);
  const rows = rowsOf(clinic);
  await write(database, clinic, rows, progress);
  return rows.patients;
}

/** Made-up patients among real ones could never be told apart again. */
function refuseOtherThanLocal({ databaseUrl, baseUrl }: DevStack): void {
  const hosts = [databaseUrl, baseUrl].map((url) => new URL(url).hostname);
  if (hosts.every((host) => ['localhost', '127.0.0.1', '[::1]'].includes(host))) return;
  throw new Error('Only the local stack is filled: its database is on another machine.');
}

async function clinicOf(
  { prisma }: Database,
  { clinicId, cases, seed, now }: Pick<ClinicToFill, 'clinicId' | 'cases' | 'now'> & { seed: number },
): Promise<ClinicToFill & { name: string }> {
  const clinic = await prisma.clinic.findUnique({
    where: { id: clinicId, isDemo: true, voiceProvider: 'simulator' },
    include: { providers: true, receivers: { where: { isFirst: true } }, users: true },
  });
  const [receiver] = clinic?.receivers ?? [];
  if (!clinic || !receiver) throw new Error(`${clinicId} is no demo clinic whose calls are simulated.`);
  const { name, timezone: zone } = clinic;
  const country = clinic.defaultCountry === 'GB' ? 'GB' : 'US';
  const isFilled = { clinicId, identifier: FIRST_IDENTIFIER };
  if ((await prisma.patient.count({ where: isFilled })) > 0)
    throw new Error(`${name} was filled already. Start afresh: npm run reset && npm start`);
  return {
    name,
    clinicId,
    cases,
    now,
    zone,
    country,
    receiverId: receiver.id,
    providers: clinic.providers.map((provider) => ({
      ...provider,
      workingHours: provider.workingHours as unknown as WorkingHours,
    })),
    userIds: clinic.users.map(({ id }) => id),
    closedDays: holidays({ now, zone, country }).map(([date]) => date),
    random: createRandom(seed),
    newId: idsOf(`${seed}/${clinicId}`),
  };
}

/** All of a clinic or nothing of it. */
async function write(
  { prisma }: Database,
  clinic: ClinicToFill,
  rows: Rows,
  { say, signal }: Pick<Filling, 'say' | 'signal'>,
): Promise<void> {
  const { from, until, reason } = pauseOf(clinic);
  const work = async (tx: Prisma.TransactionClient) => {
    const add = async <Row>(what: string, list: readonly Row[], insert: (data: Row[]) => Promise<unknown>) => {
      for (let start = 0; start < list.length; start += ROWS_AT_ONCE) {
        signal.throwIfAborted();
        await insert(list.slice(start, start + ROWS_AT_ONCE));
      }
      say(`  ${String(list.length).padStart(6)} ${what}`);
    };
    await add('patients', rows.patients, (data) => tx.patient.createMany({ data }));
    await add('runs', rows.runs, (data) => tx.workflowRun.createMany({ data }));
    await add('cases', rows.cases, (data) => tx.recoveryCase.createMany({ data }));
    await add('calls', rows.calls, (data) => tx.call.createMany({ data }));
    await add('transcripts', rows.evidence, (data) => tx.callEvidence.createMany({ data }));
    await add('decisions about calls', rows.decisions, (data) => tx.callDecision.createMany({ data }));
    await add('events', rows.events, (data) => addEvents(tx, data, rows));
    await add('attempts to deliver them', rows.attempts, (data) => tx.deliveryAttempt.createMany({ data }));
    await add('tasks', rows.tasks, (data) => tx.staffTask.createMany({ data }));
    await add('notes on tasks', rows.notes, (data) => tx.taskNote.createMany({ data }));
    await add('opt-outs', rows.optOuts, (data) => tx.optOut.createMany({ data, skipDuplicates: true }));
    await add('appointments', rows.appointments, (data) => tx.appointment.createMany({ data, skipDuplicates: true }));
    await add('entries of the waitlist', rows.waitlist, (data) =>
      tx.waitlistEntry.createMany({ data, skipDuplicates: true }),
    );
    const endsAt = new Date(until);
    await tx.outreachPause.create({
      data: {
        id: clinic.newId(from),
        clinicId: clinic.clinicId,
        reason,
        pausedBy: 'operator',
        pausedAt: new Date(from),
        endsAt,
        resumedBy: 'operator',
        resumedAt: endsAt,
      },
    });
  };
  await prisma.$transaction(work, { timeout: 300_000, maxWait: 10_000 });
}

/** With their deliveries as they ended, in place of those that the database has made to be sent. */
async function addEvents(
  tx: Prisma.TransactionClient,
  data: Prisma.OutboundEventCreateManyInput[],
  { deliveries }: Rows,
): Promise<void> {
  const made = await tx.outboundEvent.createManyAndReturn({ data, select: { id: true, sequence: true } });
  const places = new Map(made.map(({ id, sequence }) => [id, sequence]));
  await tx.delivery.deleteMany({ where: { eventId: { in: [...places.keys()] } } });
  await tx.delivery.createMany({
    data: deliveries.flatMap((delivery) => {
      const place = places.get(delivery.eventId);
      return place === undefined ? [] : [{ ...delivery, place }];
    }),
  });
}

/** The next ones of the clinic's country, beside those that it has. */
async function closeDays({ clinics }: Stores, clinic: ClinicToFill): Promise<void> {
  const before = await clinics.closedDays(clinic.clinicId);
  await clinics.setClosedDays(clinic.clinicId, { ...Object.fromEntries(holidays(clinic)), ...before }, operator);
}

/** What is made up of the waitlist and of missed visits happens where calls act on this calendar alone. */
async function letCallsBook({ clinics }: Stores, clinicId: string): Promise<void> {
  await clinics.setPolicy(clinicId, { ...(await clinics.policy(clinicId)), booksInOwnCalendar: true }, operator);
}

/** Those of the next half year, as `closed-days` takes them. */
function holidays({
  now,
  zone,
  country,
}: Pick<ClinicToFill, 'now' | 'zone' | 'country'>): [date: string, name: string][] {
  const today = localDate(toInstant(now), zone);
  const year = Number(today.slice(0, 4));
  return [year, year + 1]
    .flatMap((of) => holidaysOf({ country, year: of, language: 'en' }))
    .filter(({ date }) => date > today && date < plusDays(today, 200))
    .map(({ date, name }) => [date, name]);
}

/** What is started of them waits for Monday, and is there to be looked at. */
async function pauseCareGaps({ pauses }: Stores, { clinicId, timezone }: DevClinic): Promise<void> {
  const today = localDate(toInstant(Date.now()), timezone);
  const weekday = new Date(`${today}T12:00:00Z`).getUTCDay();
  const monday = plusDays(today, (8 - weekday) % 7 || 7);
  await pauses.pause(
    {
      clinicId,
      workflowType: 'care-gap-follow-up',
      reason: 'Flu vaccine is out of stock until Monday',
      until: new Date(`${monday}T15:00:00Z`),
    },
    operator,
  );
}
