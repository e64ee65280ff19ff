import type { Database } from '@clinic/prisma/client';
import type { Stores } from '@clinic/prisma/stores';
import { createCursors } from '@clinic/prisma/stores/cursor';
import { boundedTotal } from '@clinic/prisma/stores/total';
import { aClinic, freshStores } from '../../support/stores';

let database: Database;
let stores: Stores;
let clinicId: string;
let otherClinicId: string;

beforeAll(async () => {
  ({ database, stores } = await freshStores());
});

beforeEach(async () => {
  [clinicId, otherClinicId] = [await aClinic(stores, 'Harbor'), await aClinic(stores, 'Meadow')];
});

afterAll(() => database.close());

describe('a cursor', () => {
  const cursors = createCursors('a-secret');
  const position = { at: new Date('2026-03-02T15:00:00.123Z'), id: 'row-1' };

  test('carries its position', () => {
    expect(cursors.decode(cursors.encode('harbor', position), 'harbor')).toEqual(position);
    expect(cursors.decode(undefined, 'harbor')).toBeNull();
  });

  test('is understood by every process that has the secret, and by no other', () => {
    const cursor = cursors.encode('harbor', position);

    expect(createCursors('a-secret').decode(cursor, 'harbor')).toEqual(position);
    expect(() => createCursors('another').decode(cursor, 'harbor')).toThrow(
      'cursor is not one that this service gave out',
    );
  });

  test('of one list is refused by every other', () => {
    const cursor = cursors.of('tasks').encode('harbor', position);

    expect(cursors.of('tasks').decode(cursor, 'harbor')).toEqual(position);
    for (const other of [cursors, cursors.of('calls'), cursors.of('tasks').of('calls')]) {
      expect(() => other.decode(cursor, 'harbor')).toThrow(expect.objectContaining({ code: 'bad_request' }));
    }
  });

  test.each([
    ['of another clinic', (cursor: string) => cursor, 'meadow'],
    ['whose position was changed', (cursor: string) => `x${cursor}`, 'harbor'],
    ['without its signature', (cursor: string) => cursor.split('.')[0] ?? '', 'harbor'],
    ['of no text', () => '', 'harbor'],
    ['that somebody made up', () => 'bm9uc2Vuc2U.bm9uc2Vuc2U', 'harbor'],
  ])('%s is refused', (_, change, clinic) => {
    const cursor = change(cursors.encode('harbor', position));

    expect(() => cursors.decode(cursor, clinic)).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
});

describe('a list', () => {
  test('gives each row once over its pages, newest first, also rows of one instant', async () => {
    await database.sql`
      insert into opt_outs (id, clinic_id, phone, created_at)
      select 'row-' || n || '-' || ${clinicId}::text, ${clinicId}, '+1415555' || (1000 + n),
        timestamptz '2026-03-02 15:00:00Z' + make_interval(secs => n / 3)
      from generate_series(1, 10) n`;

    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await stores.optOuts.list(clinicId, { limit: 3, cursor });
      expect(page.items.length).toBeLessThanOrEqual(3);
      seen.push(...page.items.map(({ phone }) => phone));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);

    expect(new Set(seen).size).toBe(10);
    const all = await stores.optOuts.list(clinicId, { limit: 100 });
    expect(all.items.map(({ phone }) => phone)).toEqual(seen);
    expect(all.items.map(({ createdAt }) => createdAt.getTime())).toEqual(
      all.items.map(({ createdAt }) => createdAt.getTime()).toSorted((one, other) => other - one),
    );
  });

  test('of the audit gives each entry once over its pages, newest first, also entries of one instant', async () => {
    const first = Date.parse('2026-03-02T15:00:00.000Z');
    const entries = Array.from({ length: 10 }, (_, index) => ({
      id: `${(index * 7) % 10}-${clinicId}`,
      clinicId,
      actor: 'account:ada',
      action: 'clinic.rename',
      at: new Date(first + Math.floor(index / 4) * 1_000),
    }));
    await database.prisma.auditEntry.createMany({ data: entries });

    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null && seen.length < 20;) {
      const page = await stores.audit.list(clinicId, { limit: 3, ...(cursor && { cursor }) });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }

    const newestFirst = entries.toSorted(
      (one, other) => other.at.getTime() - one.at.getTime() || (one.id < other.id ? 1 : -1),
    );
    expect(seen).toEqual(newestFirst.map(({ id }) => id));
  });

  test('refuses the cursor of another clinic', async () => {
    for (const phone of ['+14155551001', '+14155551002']) await stores.optOuts.add(clinicId, phone);
    const { nextCursor } = await stores.optOuts.list(clinicId, { limit: 1 });

    await expect(stores.optOuts.list(otherClinicId, { limit: 1, cursor: nextCursor ?? '' })).rejects.toMatchObject({
      code: 'bad_request',
    });
  });
});

describe('how many a filter finds', () => {
  /** Asks for at most 20,000 rows back; a clinic with more has this one there. */
  const floor = new Date('2026-03-02T00:00:00.000Z');
  const total = (filter: { from?: string; state?: string; reason?: string }, found = 7) =>
    boundedTotal(filter, {
      slow: ['reason'],
      newest: () => Promise.resolve(floor),
      count: ({ from }) => Promise.resolve(from === floor.toISOString() ? found - 1 : found),
    });

  test('is exact for one condition, and for several among the newest rows', async () => {
    expect(await total({ state: 'OPEN' })).toEqual({ count: 7, isMore: false });
    expect(await total({ state: 'OPEN', reason: 'a' })).toEqual({ count: 6, isMore: true });
    expect(await total({ reason: 'a' })).toEqual({ count: 6, isMore: true });
    expect(await total({ reason: 'a', from: '2026-03-03T00:00:00.000Z' })).toEqual({ count: 7, isMore: false });
  });

  test('is counted up to a thousand', async () => {
    expect(await total({}, 1_000)).toEqual({ count: 1_000, isMore: false });
    expect(await total({}, 1_001)).toEqual({ count: 1_000, isMore: true });
  });
});

describe('the list of phones that are never called', () => {
  const by = { actor: 'account:ada' };

  test('has a phone once, no matter who adds it again', async () => {
    const first = await stores.optOuts.add(clinicId, '+14155551001', by);
    const again = await Promise.all([1, 2].map(() => stores.optOuts.add(clinicId, '+14155551001', by)));

    expect(again).toEqual([first, first]);
    expect((await stores.audit.list(clinicId, { limit: 10 })).items).toHaveLength(1);
  });

  test('is of one clinic', async () => {
    await stores.optOuts.add(clinicId, '+14155551001');

    expect((await stores.optOuts.list(otherClinicId, { limit: 10 })).items).toEqual([]);
  });

  test('forgets a phone once', async () => {
    const { id } = await stores.optOuts.add(clinicId, '+14155551001');

    expect(await stores.optOuts.remove(clinicId, { id }, by)).toBe(true);
    expect(await stores.optOuts.remove(clinicId, { id }, by)).toBe(false);
    expect((await stores.audit.list(clinicId, { limit: 10 })).items).toMatchObject([
      { action: 'opt-out.remove', subject: id, actor: 'account:ada' },
    ]);
  });
});

test('audit entries are found by what was done, by whom and to what', async () => {
  const entries = [
    { actor: 'account:ada', action: 'api-key.create', subject: 'key-1' },
    { actor: 'account:ada', action: 'api-key.revoke', subject: 'key-1' },
    { actor: 'api-key:2', action: 'task.change', subject: 'task-1', detail: { state: 'RESOLVED' } },
  ];
  for (const entry of entries) await stores.audit.write({ clinicId, ...entry });

  const actionsOf = async (filter: { action?: string; actor?: string; subject?: string }) =>
    (await stores.audit.list(clinicId, { ...filter, limit: 10 })).items.map(({ action }) => action).toSorted();

  expect(await actionsOf({ actor: 'account:ada' })).toEqual(['api-key.create', 'api-key.revoke']);
  expect(await actionsOf({ action: 'task.change' })).toEqual(['task.change']);
  expect(await actionsOf({ subject: 'key-1', action: 'api-key.revoke' })).toEqual(['api-key.revoke']);
  expect((await stores.audit.list(clinicId, { action: 'task.change', limit: 1 })).items[0]?.detail).toEqual({
    state: 'RESOLVED',
  });
});
