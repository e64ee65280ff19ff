/** @realPasswords */
import { setTimeout as delay } from 'node:timers/promises';
import { demoPolicy } from '@clinic/prisma/fixtures';
import type { DevClinic } from '@clinic/accounts/seed';
import type { CallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { newId } from '@clinic/shared/crypto';
import { scenes } from '@clinic/shared/domain/voice/scenes';
import { endOfCall } from '@clinic/gateways/voice/simulator/speak';
import { aPhone } from '../../support/builders';
import { lineOf } from '../../support/calls';
import type { Answer } from '../../support/clinic-client';
import { eventually } from '../../support/eventually';
import { noteFigure } from '../../support/figures';
import { startVoicePlatform, type VoicePlatform } from '../../support/live-call';
import { waitlistFaults } from '../../support/waitlist';
import type { VapiCall } from '../../support/outside/vapi-server';
import { type Service, type ServiceProcess, startService } from '../../support/service';

/** Sizes that take seconds. `npm run prove -- calling` sets those that the rules were made for. */
const STOPS = Number(process.env.STOPS_END_TO_END ?? 8);
const DUE = Number(process.env.CASES_DUE ?? 24);
const PAUSED = Number(process.env.CASES_PAUSED ?? 80);
const KILLS = Number(process.env.PAUSE_KILLS ?? 2);
const WORKERS = Number(process.env.DIALLING_WORKERS ?? 2);
const CANCELLED = Number(process.env.CANCELLATIONS_KILLED ?? 100);
const CANCELLATION_KILLS = Number(process.env.CANCELLATION_KILLS ?? 4);
/** Fewer calls than this say nothing of commits: what idle processes look for every second is more. */
const COUNTS_COMMITS = DUE >= 500;
/** How many clinics are paused at once, and how many phones opt out at once. */
const LANES = 4;
const LONG_MS = 3_600_000;

let platform: VoicePlatform;
let service: Service;
let isOver = false;
/** How long a phone rings until the platform gives up. */
let ringsForMs = 30;
/** Phones that ring until the test lets the platform give up; null where it does so by itself. */
let held: VapiCall[] | null = null;

beforeAll(async () => {
  platform = await startVoicePlatform();
  platform.onCall = (call) => {
    if (held) held.push(call);
    else setTimeout(() => void giveUp(call), ringsForMs);
  };
  service = await startService({ env: platform.env, workers: WORKERS });
  await service.database.sql`update clinics set voice_provider = 'vapi'`;
}, 240_000);

afterAll(async () => {
  isOver = true;
  await service.stop();
  await platform.close();
});

/** Nobody picks up. The platform says so at the address that came with the call, until somebody listens. */
async function giveUp(call: VapiCall): Promise<void> {
  const endedReason = 'customer-did-not-answer';
  Object.assign(call, { status: 'ended', endedReason });
  const { metadata, server } = call.assistantOverrides ?? {};
  const about = { id: call.id, assistantOverrides: { metadata } };
  for (const message of endOfCall({ reason: endedReason, summary: 'Nobody picked up.' })) {
    const body = JSON.stringify({ message: { call: about, ...message } });
    const headers = { 'content-type': 'application/json', ...server?.headers };
    await untilAnswered(async () => {
      const response = await fetch(server?.url ?? '', { method: 'POST', headers, body });
      await response.text();
      return response.ok;
    });
  }
}

/** Asks again while nobody answers, because processes are killed. Null once the test is over. */
async function untilAnswered<T>(ask: () => Promise<T | false>): Promise<T | null> {
  while (!isOver) {
    const answer = await ask().catch(() => false as const);
    if (answer !== false) return answer;
    await delay(150);
  }
  return null;
}

const setPolicy = (clinic: DevClinic, about: Partial<CallingPolicy> = {}) =>
  service.stores.clinics.setPolicy(clinic.clinicId, { ...demoPolicy, maxAttempts: 1, ...about });
const definite = (answer: Answer): Answer | false => answer.status < 500 && answer;
const pause = async (bearer: string): Promise<void> => {
  const body = { reason: 'a test' };
  await untilAnswered(async () => {
    const { status } = await service.request('POST', '/pauses', { bearer, body });
    return status === 200;
  });
};
/** Ends every pause of the clinic: one whose answer was lost holds too. */
const resume = async (bearer: string): Promise<void> => {
  const pauses = await untilAnswered(async () => definite(await service.request('GET', '/pauses', { bearer })));
  for (const { id } of pauses?.body.items ?? [])
    await untilAnswered(async () => definite(await service.request('DELETE', `/pauses/${id}`, { bearer })));
};
const clock = async (): Promise<number> => {
  const [row] = await service.database.sql<{ at: Date | null }>`select clock_timestamp() as at`;
  return row?.at?.getTime() ?? 0;
};
const callIdOf = ({ assistantOverrides }: VapiCall) => String(assistantOverrides?.metadata?.callId);
interface Opened {
  workflowId: string;
  phone: string;
}
/** Cases become due, a few at a time. */
const open = async (clinic: DevClinic, count: number): Promise<Opened[]> => {
  const opened: Opened[] = [];
  while (opened.length < count) {
    const some = Array.from({ length: Math.min(8, count - opened.length) }, async () => {
      const phone = aPhone();
      const { body } = await service.abandon({ phone }, clinic);
      return { workflowId: String(body.workflowId), phone };
    });
    opened.push(...(await Promise.all(some)));
  }
  return opened;
};
const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** What a stop forbids: nothing of these runs begins between two instants of the database's clock. */
interface Stop {
  workflowIds: string[];
  from: number;
  until: number;
  forbidsIntents: boolean;
}

/** What began all the same, by the database's clock; and every ring in the platform's log that no permitted request explains. */
async function lateOnes(stops: Stop[]): Promise<{ late: string[]; begun: number; held: number }> {
  const late: string[] = [];
  let [begun, heldBack] = [0, 0];
  const rungOf = new Set(platform.calls.map(callIdOf));
  for (const { workflowIds, from, until, forbidsIntents } of stops) {
    const calls = await service.database.prisma.call.findMany({ where: { workflowId: { in: workflowIds } } });
    // Both are rounded to the millisecond.
    const isForbidden = (at: Date | null) => at !== null && at.getTime() > from + 1 && at.getTime() < until;
    for (const { id, requestedAt, createdAt, withdrawnBecause } of calls) {
      if (isForbidden(requestedAt)) late.push(`${id} was dialled`);
      if (forbidsIntents && isForbidden(createdAt)) late.push(`${id} was intended`);
      if (rungOf.has(id) && (requestedAt === null || withdrawnBecause !== null)) late.push(`${id} rang`);
    }
    const isBegun = (id: string) =>
      calls.some(
        ({ workflowId, requestedAt }) => workflowId === id && requestedAt && requestedAt.getTime() <= from + 1,
      );
    begun += workflowIds.filter(isBegun).length;
    heldBack += workflowIds.filter((id) => !isBegun(id)).length;
  }
  return { late, begun, held: heldBack };
}

/** Lets stops come when dials begin: the next one earlier where this one came too late, later where it came too early. */
function createTiming(firstMs: number) {
  let aroundMs = firstMs;
  return {
    next: () => aroundMs * (0.5 + Math.random()),
    learn: (hasBegun: boolean) => {
      aroundMs = Math.max(2, aroundMs * (hasBegun ? 0.85 : 1.18));
    },
  };
}

test(
  `stops over REST, ${STOPS} of them, while dials begin: nothing is dialled once a stop was acknowledged`,
  async () => {
    const { clinic, otherClinic } = service;
    const pausedClinics = [
      otherClinic,
      ...(await Promise.all(['One', 'Two', 'Three'].map((name) => service.addClinic(name)))),
    ];
    await Promise.all([clinic, ...pausedClinics].map((each) => setPolicy(each)));
    const admin = await service.admin();
    const admins = await Promise.all(pausedClinics.map((each) => service.signIn(each)));
    const placed = async (phone: string) => Date.parse((await platform.callTo(phone)).createdAt);
    const [first] = await open(clinic, 1);
    const startedAt = Date.now();
    const [second] = await open(clinic, 1);
    const usualMs = Math.max(20, (await placed(second?.phone ?? '')) - startedAt);
    await placed(first?.phone ?? '');
    const stops: Stop[] = [];
    const phones: string[] = [];

    const optOuts = createTiming(usualMs);
    const optOut = async () => {
      const [run = { workflowId: '', phone: '' }] = await open(clinic, 1);
      await delay(optOuts.next());
      const body = { phone: run.phone };
      const { status } = await service.request('POST', '/integrations/opt-outs', { bearer: admin, body });
      const from = await clock();
      expect(status).toBe(200);
      stops.push({ workflowIds: [run.workflowId], from, until: Infinity, forbidsIntents: false });
      await service.ended(run.workflowId, clinic);
      optOuts.learn(platform.ringsOf(run.phone) > 0);
    };
    const pauses = createTiming(usualMs);
    const pauseAll = async (lane: number) => {
      const [paused, bearer] = [pausedClinics[lane] ?? otherClinic, admins[lane] ?? ''];
      const runs = await open(paused, 3);
      await delay(pauses.next());
      await pause(bearer);
      const from = await clock();
      // What was begun before arrives.
      await delay(300);
      const until = await clock();
      pauses.learn(runs.filter(({ phone }) => platform.ringsOf(phone) > 0).length >= 2);
      await resume(bearer);
      stops.push({ workflowIds: runs.map(({ workflowId }) => workflowId), from, until, forbidsIntents: true });
      phones.push(...runs.map(({ phone }) => phone));
      await Promise.all(runs.map(({ workflowId }) => service.ended(workflowId, paused)));
    };
    const perLane = Math.ceil(STOPS / 2 / LANES);
    const lanes = Array.from({ length: LANES }, async (_, lane) => {
      for (let n = 0; n < perLane; n += 1) await optOut();
      for (let n = 0; n < perLane; n += 1) await pauseAll(lane);
    });
    await Promise.all(lanes);
    let found = await lateOnes(stops);
    // Both must have come first at times, or nothing has raced.
    for (let more = 0; more < 30 && (found.begun === 0 || found.held === 0); more += 1) {
      await optOut();
      found = await lateOnes(stops);
    }
    noteFigure(`${stops.length} stops; ${found.begun} dials had begun before theirs, ${found.held} had not`);

    expect(found.late).toEqual([]);
    expect(found.begun).toBeGreaterThan(0);
    expect(found.held).toBeGreaterThan(0);
    // Anyone who was held back by a pause is called once, when it is over.
    expect(phones.filter((phone) => platform.ringsOf(phone) !== 1)).toEqual([]);
  },
  LONG_MS,
);

describe(`${DUE} cases are due at once in one clinic`, () => {
  const lookAt = (clinic: DevClinic) => {
    looks += 1;
    return lineOf(service.database, clinic);
  };
  let looks = 0;

  /** Sessions tell of their commits ten seconds after the last one at the latest. */
  const commits = async () => {
    if (!COUNTS_COMMITS) return { count: 0, at: Date.now() };
    await delay(11_000);
    const [row] = await service.database.sql<{ count: number | null }>`
      select xact_commit::int as count from pg_stat_database where datname = current_database()`;
    return { count: (row?.count ?? 0) - looks, at: Date.now() };
  };
  type Count = Awaited<ReturnType<typeof commits>>;

  /** All of them wait in a pause, so that they become due in one moment. `whenDue` is called when the first of them is. */
  const dueAtOnce = async (clinic: DevClinic, count: number, whenDue?: () => Promise<void>) => {
    const { clinicId } = clinic;
    const bearer = await service.signIn(clinic);
    await pause(bearer);
    const decided = async () => {
      const runs = await service.database.prisma.callDecision.groupBy({
        by: ['workflowId'],
        where: { clinicId, rule: 'paused' },
      });
      looks += 1;
      return runs.length;
    };
    const before = await decided();
    const opened = await open(clinic, count);
    await eventually(async () => (await decided()) >= before + count, { within: LONG_MS, every: 500 });
    await resume(bearer);
    if (whenDue) {
      await eventually(async () => (await lookAt(clinic)).live > 0, { within: 60_000, every: 50 });
      await whenDue();
    }
    return opened;
  };

  const untilEnded = async (opened: Opened[]) => {
    const id = { in: opened.map(({ workflowId }) => workflowId) };
    const isDone = async () => {
      looks += 1;
      return (await service.database.prisma.workflowRun.count({ where: { id, status: 'started' } })) === 0;
    };
    await eventually(isDone, { within: LONG_MS, every: 500 });
  };

  let rings = 0;
  /** How long it takes from the event until the phone rings. */
  const firstRing = async (clinic: DevClinic): Promise<number> => {
    rings += 1;
    const phone = aPhone();
    const startedAt = Date.now();
    await service.abandon({ phone }, clinic);
    const placed = () => platform.calls.find(({ customer }) => customer?.number === phone);
    const call = await eventually(placed, { within: 300_000, every: 20 });
    return Date.parse(call.createdAt) - startedAt;
  };
  const firstRings = async (clinic: DevClinic, times: number): Promise<number> => {
    const all: number[] = [];
    for (let n = 0; n < times; n += 1) all.push(await firstRing(clinic));
    return median(all);
  };

  test.each([1, 10])(
    'with %i lines they are called in order, all lines are in use, and the other clinic does not wait',
    async (lines) => {
      const [busy, quiet] = [service.clinic, service.otherClinic];
      await Promise.all([setPolicy(busy, { maxConcurrentCalls: lines }), setPolicy(quiet)]);
      // As many calls a second with many lines as with one, and in the full size no more than two cores can place: what
      // is measured is the line, not the machine. Real phones ring for twenty seconds.
      ringsForMs = (COUNTS_COMMITS ? 300 : 60) * lines;
      const times = COUNTS_COMMITS ? 5 : 3;
      const alone = await firstRings(quiet, times);

      // What a call costs the database where it waits for nothing.
      const idleFrom = await commits();
      const idleTo = await commits();
      const idlePerMs = (idleTo.count - idleFrom.count) / (idleTo.at - idleFrom.at);
      const between = (from: Count, to: Count) => to.count - from.count - idlePerMs * (to.at - from.at);
      const unhurried = COUNTS_COMMITS ? 100 : 0;
      if (unhurried > 0) {
        await untilEnded(await dueAtOnce(quiet, unhurried));
      }
      const begun = await commits();
      const perFreeCall = between(idleTo, begun) / Math.max(1, unhurried);

      const others = rings;
      held = [];
      const asked: { atOnce: number } = { atOnce: 0 };
      const opened = await dueAtOnce(busy, DUE, async () => {
        asked.atOnce = await firstRing(quiet);
      });
      const inLine = await eventually(
        async () => {
          const { waiting } = await lookAt(busy);
          return waiting.length === DUE - lines && waiting;
        },
        { within: LONG_MS, every: 500 },
      );
      const released = held;
      held = null;
      await Promise.all(released.map(giveUp));
      const elsewhere = firstRings(quiet, times);
      elsewhere.catch(() => undefined);
      const wrong: string[] = [];
      let used = 0;
      let seen = 0;
      for (;;) {
        const { live, granted, waiting } = await lookAt(busy);
        if (waiting.length === 0) break;
        seen += 1;
        used += live;
        if (live + granted !== lines) wrong.push(`${live} calls and ${granted} grants with ${waiting.length} in line`);
        if (waiting.join() !== inLine.slice(-waiting.length).join()) wrong.push(`not the first of the line went`);
        await delay(COUNTS_COMMITS ? 200 : 50);
      }
      const whileInLine = await elsewhere;
      await untilEnded(opened);
      const done = await commits();
      const waitingCost = (between(begun, done) - (rings - others) * perFreeCall) / DUE - perFreeCall;
      noteFigure(
        `${lines} lines: the other clinic's first ring after ${alone} ms alone, ${whileInLine} ms while ${DUE} are in line, ` +
          `${asked.atOnce} ms in the moment when they are due; ${(used / Math.max(1, seen)).toFixed(1)} calls live in ${seen} looks` +
          (COUNTS_COMMITS
            ? `; ${waitingCost.toFixed(1)} commits for waiting beside ${perFreeCall.toFixed(1)} of a call`
            : ''),
      );

      expect(wrong).toEqual([]);
      const workflowOf = new Map(opened.map(({ workflowId, phone }) => [phone, workflowId]));
      const placed = platform.calls.flatMap(({ customer }) => workflowOf.get(customer?.number ?? '') ?? []);
      expect(placed).toHaveLength(DUE);
      if (lines === 1) expect(placed.slice(1)).toEqual(inLine);
      // A machine that does other work meanwhile may hiccup; what is told of is minutes.
      expect(whileInLine).toBeLessThan(2 * alone + (COUNTS_COMMITS ? 0 : 2_000));
      // One ring, and not the middle one of several: it gets a second.
      expect(asked.atOnce).toBeLessThan(2 * alone + (COUNTS_COMMITS ? 1_000 : 2_000));
      if (COUNTS_COMMITS) expect(waitingCost).toBeLessThan(5);
    },
    LONG_MS,
  );
});

test(
  `a pause with ${WORKERS} workers and ${PAUSED} cases due, while processes are killed ${KILLS} times: nobody intends to call after the answer`,
  async () => {
    const { clinic, api, workers } = service;
    const { clinicId } = clinic;
    const bearer = await service.admin();
    await setPolicy(clinic, { maxConcurrentCalls: 8 });
    ringsForMs = 400;
    const [firstWorker, ...otherWorkers] = workers;
    const targets = [...(firstWorker ? [firstWorker] : []), api, ...otherWorkers];
    const restarts = new Map<ServiceProcess, Promise<void>>();
    const rungBefore = platform.calls.length;
    const callsNow = async () => {
      const calls = await service.database.prisma.call.findMany({ where: { clinicId } });
      return new Map(calls.map((call) => [call.id, call]));
    };
    const opened = await open(clinic, PAUSED);
    const late: string[] = [];
    const stillDue: number[] = [];

    for (let round = 0; round < KILLS; round += 1) {
      const placed = platform.calls.length;
      await eventually(() => platform.calls.length >= placed + 5, { within: 180_000 });
      const target = targets[round % targets.length] ?? api;
      await restarts.get(target);
      const kill = async () => {
        await delay(Math.random() * 300);
        await target.kill();
        const restarted = target.start();
        restarted.catch(() => undefined);
        restarts.set(target, restarted);
      };
      const killed = kill();
      await delay(Math.random() * 100);
      await pause(bearer);
      const from = await clock();
      const known = await callsNow();
      await Promise.all([killed, delay(700 + Math.random() * 800)]);
      const later = await callsNow();
      for (const { id, createdAt, requestedAt } of later.values()) {
        if (!known.has(id) || createdAt.getTime() > from + 1) late.push(`${id} was intended`);
        if (requestedAt !== null && requestedAt.getTime() > from + 1) late.push(`${id} was dialled`);
      }
      stillDue.push(PAUSED - new Set(opened.filter(({ phone }) => platform.ringsOf(phone) > 0)).size);
      await resume(bearer);
    }
    const placed = platform.calls.length;
    await eventually(() => platform.calls.length > placed, { within: 180_000 });
    await Promise.all(restarts.values());
    noteFigure(
      `${KILLS} kills, as many pauses; ${platform.calls.length - rungBefore} phones rung between them, ` +
        `${Math.min(...stillDue)} cases or more due in each`,
    );

    expect(late).toEqual([]);
    expect(Math.min(...stillDue)).toBeGreaterThan(0);
    expect(opened.filter(({ phone }) => platform.ringsOf(phone) > 1)).toEqual([]);
  },
  LONG_MS,
);

test(
  `${CANCELLED} cancellations while workers are killed ${CANCELLATION_KILLS} times: none is offered twice, none forgotten`,
  async () => {
    const clinic = await service.addClinic('Waitlist');
    const { clinicId } = clinic;
    const { stores, database, workers } = service;
    await database.sql`update clinics set voice_provider = 'simulator', sandbox_enabled = true where id = ${clinicId}`;
    await setPolicy(clinic, { maxConcurrentCalls: 8 });
    const provider = clinic.providers[0] ?? '';
    const from = new Date(Date.now() + 3 * 86_400_000).toISOString();
    const until = new Date(Date.now() + 400 * 86_400_000).toISOString();
    const search = { clinicId, provider, from, until, now: new Date() };
    const found = await stores.appointments.openSlots(search);
    if (found.kind !== 'slots') throw new Error(found.kind);
    const times = found.slots.slice(0, CANCELLED).map(({ startsAt }) => startsAt);
    expect(times).toHaveLength(CANCELLED);
    const aPatient = async (phone: string) => {
      const id = newId();
      await database.prisma.patient.create({ data: { id, clinicId, firstName: 'Ann', lastName: 'Lee', phone } });
      return id;
    };
    const visit = { clinicId, provider, visitType: 'Check-up' };
    const appointments: string[] = [];
    for (const startsAt of times) {
      const patientId = await aPatient(aPhone());
      const booking = await stores.appointments.book({ ...visit, patientId, startsAt, now: new Date() });
      if (booking.kind !== 'booked') throw new Error(booking.kind);
      appointments.push(booking.appointment.id);
    }
    // Most agree, some decline whatever they are offered, and there are fewer of them than times.
    const list = { clinicId, provider: null, visitType: 'Check-up', earliestOn: '2020-01-01', latestOn: '2099-12-31' };
    const declining: string[] = [];
    const waiting = Math.ceil(CANCELLED * 0.6);
    for (let n = 0; n < waiting; n += 1) {
      const declines = n % 20 === 0;
      const patientId = await aPatient(declines ? scenes.declines.phone : aPhone());
      const added = await stores.waitlist.add({ ...list, patientId, fromTime: null, untilTime: null }, 'test');
      if (added.kind !== 'added') throw new Error(added.kind);
      if (declines) declining.push(added.entry.id);
    }
    const booked = () => database.prisma.waitlistEntry.count({ where: { clinicId, status: 'booked' } });
    const willing = waiting - declining.length;

    let isKilling = true;
    const kills = (async () => {
      for (let round = 0; round < CANCELLATION_KILLS && isKilling; round += 1) {
        await delay(1_000 + Math.random() * 2_000);
        const target = workers[round % workers.length];
        await target?.kill();
        await target?.start();
      }
    })();
    const bearer = await service.signIn(clinic);
    const cancel = async (id: string) =>
      untilAnswered(async () => definite(await service.request('POST', `/appointments/${id}/cancel`, { bearer })));
    for (let n = 0; n < appointments.length; n += 8) {
      await Promise.all(appointments.slice(n, n + 8).map(cancel));
    }
    const isQuiet = async () => {
      const [row] = await database.sql<{ left: number | null }>`
        select (select count(*) from freed_times where clinic_id = ${clinicId})::int
          + (select count(*) from waitlist_offers where clinic_id = ${clinicId} and status = 'open')::int as left`;
      return row?.left === 0;
    };
    await kills;
    await eventually(async () => (await booked()) === willing, { within: LONG_MS, every: 500 });
    // They would be asked about each of the other times, one call after the other.
    for (const id of declining) await stores.waitlist.remove(clinicId, id);
    await eventually(isQuiet, { within: LONG_MS, every: 500 });
    isKilling = false;
    const offers = await database.sql<{ status: string; count: number | null }>`
      select status, count(*)::int as count from waitlist_offers where clinic_id = ${clinicId} group by status order by 1`;
    noteFigure(
      `${CANCELLED} cancellations, ${CANCELLATION_KILLS} kills: ${offers.map(({ status, count }) => `${count} ${status}`).join(', ')}`,
    );

    expect(await waitlistFaults(database, { clinicId, freed: times })).toEqual([]);
    const unasked = await database.sql`
      select o.id from waitlist_offers o where o.clinic_id = ${clinicId} and o.status = 'accepted' and not exists (
        select from calls k where k.clinic_id = o.clinic_id and k.workflow_id = o.workflow_id)`;
    expect(unasked).toEqual([]);
  },
  LONG_MS,
);

test(
  '20 cancellations, one after the other: how soon each time is offered',
  async () => {
    const clinic = await service.addClinic('Waitlist at once');
    const { clinicId } = clinic;
    const { stores, database } = service;
    await database.sql`update clinics set voice_provider = 'simulator', sandbox_enabled = true where id = ${clinicId}`;
    const provider = clinic.providers[0] ?? '';
    const from = new Date(Date.now() + 3 * 86_400_000).toISOString();
    const until = new Date(Date.now() + 30 * 86_400_000).toISOString();
    const found = await stores.appointments.openSlots({ clinicId, provider, from, until, now: new Date() });
    if (found.kind !== 'slots') throw new Error(found.kind);
    const aPatient = async () => {
      const id = newId();
      await database.prisma.patient.create({ data: { id, clinicId, firstName: 'Ann', phone: aPhone() } });
      return id;
    };
    const list = { clinicId, provider: null, visitType: 'Check-up', earliestOn: '2020-01-01', latestOn: '2099-12-31' };
    const booked: string[] = [];
    for (const { startsAt } of found.slots.slice(0, 20)) {
      const visit = {
        clinicId,
        provider,
        visitType: 'Check-up',
        patientId: await aPatient(),
        startsAt,
        now: new Date(),
      };
      const booking = await stores.appointments.book(visit);
      if (booking.kind !== 'booked') throw new Error(booking.kind);
      booked.push(booking.appointment.id);
      await stores.waitlist.add({ ...list, patientId: await aPatient(), fromTime: null, untilTime: null }, 'test');
    }
    const bearer = await service.signIn(clinic);
    for (const id of booked) {
      await service.request('POST', `/appointments/${id}/cancel`, { bearer });
      // At any moment between two looks.
      await delay(300 + Math.random() * 1_000);
    }
    const offered = () => database.sql<{ ms: number | null }>`
      select (1000 * extract(epoch from min(o.offered_at) - a.cancelled_at))::int as ms
      from appointments a join waitlist_offers o on o.clinic_id = a.clinic_id and o.starts_at = a.starts_at
      where a.clinic_id = ${clinicId} and a.id = any(${booked}) group by a.id, a.cancelled_at order by 1`;
    const waits = await eventually(async () => {
      const rows = await offered();
      return rows.length === booked.length && rows.map(({ ms }) => ms ?? 0);
    });
    const at = (share: number) => waits[Math.ceil(share * waits.length) - 1] ?? 0;
    noteFigure(`from the cancellation to the offer: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`);

    expect(waits).toHaveLength(20);
  },
  LONG_MS,
);
