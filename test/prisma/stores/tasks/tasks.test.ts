import { alarmKinds } from '@clinic/shared/domain/tasks/alarms';
import type { TaskToOpen } from '@clinic/prisma/stores/tasks/tasks';
import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
let patientId: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  clinicId = await records.aClinic();
  patientId = await aPatient('+13035550100');
});
afterAll(() => records.close());

const by = { actor: 'account:ann' };

async function aPatient(phone: string): Promise<string> {
  const id = newId();
  await records.database.prisma.patient.create({
    data: { id, clinicId, firstName: 'Ann', lastName: 'Lee', phone },
  });
  return id;
}

async function aTask(about: object = {}): Promise<string> {
  const id = newId();
  await records.database.prisma.staffTask.create({
    data: { id, clinicId, cause: newId(), reason: 'bad_number', ...about },
  });
  return id;
}

const find = (id: string) => records.stores.tasks.find(clinicId, id);
const all = async () => (await records.stores.tasks.list(clinicId, { limit: 50, order: 'oldest' })).items;
const audited = async () =>
  records.database.prisma.auditEntry.findMany({ where: { clinicId }, orderBy: { at: 'asc' } });

describe('a task', () => {
  const about = { reason: 'bad_number' as const, cause: 'one' };

  test('is opened once for a cause, with all that is known', async () => {
    const ids = { patientId, callId: 'call', caseId: 'case', workflowId: 'run' };
    await records.stores.tasks.open({ clinicId, ...about, ...ids, detail: { by: 'a test' } });
    await records.stores.tasks.open({ clinicId, ...about, reason: 'call_lost' });
    await records.stores.tasks.open({ clinicId, ...about, cause: 'two' });

    const [first, second, ...more] = await all();

    expect(first).toMatchObject({ ...about, ...ids, state: 'OPEN', detail: { by: 'a test' } });
    expect(second).toMatchObject({ cause: 'two', patientId: null, callId: null, caseId: null, detail: {} });
    expect([second?.workflowId, more]).toEqual([null, []]);
  });

  test('says the barrier of its case, how many notes it has, and what its phone is not called about', async () => {
    const recovery = await records.aCase({ clinicId });
    await records.database.prisma.recoveryCase.update({
      where: { id: recovery.caseId ?? '' },
      data: { barrier: { primaryBarrier: 'price' } },
    });
    const other = await aPatient('+13035550101');
    await records.stores.optOuts.add(clinicId, '+13035550100', by);
    await records.stores.optOuts.add(records.otherClinicId, '+13035550101', by);
    const [full, plain] = [await aTask({ caseId: recovery.caseId, patientId }), await aTask({ patientId: other })];
    const bare = await aTask({ caseId: 'unknown' });
    for (const note of ['one', 'two'])
      await records.stores.tasks.addNote({ id: newId(), clinicId, taskId: full, note }, by);

    const shown = await records.stores.tasks.findAll(clinicId, [full, plain, bare]);
    const of = (id: string) => {
      const task = shown.find((each) => each.id === id);
      return [task?.barrier, task?.noteCount, task?.optOutScope, task?.patient?.phone ?? null];
    };

    expect(of(full)).toEqual([{ primaryBarrier: 'price' }, 2, 'all', '+13035550100']);
    expect(of(plain)).toEqual([null, 0, null, '+13035550101']);
    expect(of(bare)).toEqual([null, 0, null, null]);
    expect(await find(full)).toMatchObject({ noteCount: 2, optOutScope: 'all', barrier: { primaryBarrier: 'price' } });
    expect(await find(newId())).toBeNull();
    expect(await records.stores.tasks.findAll(clinicId, [])).toEqual([]);
  });
});

test('workflows that the records do not know have a task each, once; known and erased ones, and of no clinic, have none', async () => {
  const known = await records.aRun({ clinicId });
  const shown = { shown: 'a run', closedAt: null };
  await records.database.prisma.erasure.create({
    data: { id: 'erasure', clinicId, patientId: newId(), reason: 'patient_request', requestedBy: 'account:ann' },
  });
  await records.database.prisma.tombstone.create({
    data: { clinicId, kind: 'run', key: 'erased', erasureId: 'erasure' },
  });
  const workflows = ['lost', 'also-lost', 'erased', known.workflowId].map((workflowId) => ({
    workflowId: workflowId === 'lost' || workflowId === 'also-lost' ? `${workflowId}-${clinicId}` : workflowId,
    clinicId,
    ...shown,
  }));
  const open = () =>
    records.stores.tasks.openForUnknownRuns([
      ...workflows,
      { workflowId: 'of-nobody', clinicId: null, ...shown },
      { workflowId: 'of-another', clinicId: 'no-clinic', ...shown },
    ]);

  expect([await open(), await open()]).toEqual([2, 0]);
  expect(new Set((await all()).map(({ workflowId }) => workflowId))).toEqual(
    new Set([`also-lost-${clinicId}`, `lost-${clinicId}`]),
  );
  expect((await all())[0]).toMatchObject({ reason: 'records_incomplete', detail: { shown: 'a run', closedAt: null } });
});

describe('a change that is about to be asked of another system', () => {
  const cause = 'a change';
  const intent = (key: string, isOpen = true) => ({ intent: { key, isOpen } });
  const intend = (detail: { intent: { key: string; isOpen: boolean } }, about: Partial<TaskToOpen> = {}) =>
    records.stores.tasks.intend({ clinicId, reason: 'booking_to_check', cause, ...about, detail });

  const closed = { state: 'RESOLVED', resolvedAt: new Date() };
  test.each<[string, object, boolean]>([
    ['the same change that is open', intent('one'), true],
    ['another change that is open', intent('two'), false],
    ['another change that is done', intent('two', false), true],
    ['no change', { other: true }, true],
  ])('takes the task that stands for %s: %#', async (_what, detail, isTaken) => {
    const id = await aTask({ cause, detail });
    const other = await aTask({ detail: { other: true } });

    expect(await intend(intent('one'))).toBe(isTaken);

    expect((await find(id))?.state).toBe('OPEN');
    expect(await records.stores.tasks.pending(clinicId, cause)).toEqual({
      detail: isTaken ? intent('one') : detail,
      isClosed: false,
    });
    expect((await find(other))?.detail).toEqual({ other: true });
  });

  test.each<[string, object, object | null]>([
    ['the same change that is open', { ...intent('one'), more: 1 }, { more: 1 }],
    ['another change that is open', intent('two'), null],
    ['another change that is done', { ...intent('two', false), more: 1 }, { more: 1 }],
    ['no change', { other: true }, { other: true }],
  ])('has a new task beside one of %s that staff have closed: %#', async (_what, detail, left) => {
    const id = await aTask({ cause, detail, ...closed });
    const theirs = await aTask({ clinicId: records.otherClinicId, cause, detail, ...closed });

    expect(await intend(intent('one'))).toBe(left !== null);

    const { cause: _cause, ...task } = (await find(id)) ?? { cause: '' };
    expect(task).toMatchObject({ ...closed, detail: left ?? detail });
    const [one, ...others] = (await all()).filter((each) => each.cause === cause);
    expect([one?.state, one?.id === id, others]).toEqual(left ? ['OPEN', false, []] : ['RESOLVED', true, []]);
    const other = await records.database.prisma.staffTask.delete({ where: { id: theirs } });
    expect(other).toMatchObject({ cause, state: 'RESOLVED', detail });
  });

  test('opens one with what it is about, which is taken back with all that is known to be in order', async () => {
    const ids = { patientId, callId: 'call', caseId: 'case', workflowId: 'run' };
    const other = await aTask({ detail: intent('other') });

    expect(await intend(intent('one'), ids)).toBe(true);
    expect((await all()).find((task) => task.cause === cause)).toMatchObject(ids);
    const theirs = await aTask({ clinicId: records.otherClinicId, cause, detail: intent('one') });
    await records.stores.tasks.withdraw(clinicId, cause);

    expect(await records.stores.tasks.pending(clinicId, cause)).toBeNull();
    const left = await records.database.prisma.staffTask.findUnique({ where: { id: theirs } });
    expect(left?.detail).toEqual(intent('one'));
    await records.database.prisma.staffTask.deleteMany({ where: { id: theirs } });
    expect((await find(other))?.detail).toEqual(intent('other'));
  });

  test('stays on record, for nothing, once staff have closed its task', async () => {
    const id = await aTask({ cause, state: 'RESOLVED', detail: { ...intent('one'), more: 1 } });

    await records.stores.tasks.withdraw(clinicId, cause);

    expect(await find(id)).toMatchObject({ state: 'RESOLVED', detail: { more: 1 } });
    expect((await find(id))?.detail).not.toHaveProperty('intent');
  });
});

describe('a list of tasks', () => {
  const at = (day: number) => new Date(Date.UTC(2035, 0, day));

  test('takes each condition, and is counted by the same', async () => {
    const [one, two, three, four] = [
      await aTask({ createdAt: at(1), assigneeId: 'ann', dueOn: at(10), priority: 'HIGH', caseId: 'case' }),
      await aTask({ createdAt: at(2), assigneeId: 'bo', dueOn: at(11), patientId }),
      await aTask({ createdAt: at(3), state: 'RESOLVED', reason: 'call_lost' }),
      await aTask({ createdAt: at(4), reason: 'bulk_reads', priority: 'LOW' }),
    ];
    const iso = (day: number) => at(day).toISOString();
    const names = new Map([one, two, three, four].map((id, index) => [id, index + 1]));
    const cases: [object, number[]][] = [
      [{}, [4, 3, 2, 1]],
      [{ state: 'OPEN' }, [4, 2, 1]],
      [{ reason: 'call_lost' }, [3]],
      [{ assigneeIds: ['ann'] }, [1]],
      [{ assigneeIds: ['ann', 'bo'] }, [2, 1]],
      [{ assigneeIds: [null] }, [4, 3]],
      [{ assigneeIds: ['bo', null] }, [4, 3, 2]],
      [{ assigneeIds: [] }, [4, 3, 2, 1]],
      [{ patientId }, [2]],
      [{ caseId: 'case' }, [1]],
      [{ from: iso(2), until: iso(4) }, [3, 2]],
      [{ priority: 'HIGH' }, [1]],
      [{ dueUntil: '2035-01-10' }, [1]],
      [{ dueUntil: '2035-01-11' }, [2, 1]],
      [{ isDue: true }, [2, 1]],
      [{ isDue: false }, [4, 3]],
      [{ isDue: true, dueUntil: '2035-01-10' }, [1]],
      [{ isDue: false, dueUntil: '2035-01-10' }, []],
      [{ withoutAlarms: true }, [3, 2, 1]],
      [{ withoutAlarms: true, reason: 'bulk_reads' }, []],
      [{ withoutAlarms: false }, [4, 3, 2, 1]],
    ];

    for (const [filter, expected] of cases) {
      const { items } = await records.stores.tasks.list(clinicId, { limit: 50, ...filter });
      const total = await records.stores.tasks.count(clinicId, filter);

      expect([filter, items.map(({ id }) => names.get(id))]).toEqual([filter, expected]);
      expect([filter, total]).toEqual([filter, { count: expected.length, isMore: false }]);
    }
  });

  test.each(['newest', 'oldest', 'due', '-due'] as const)(
    'goes on from page to page in the order %s',
    async (order) => {
      const tasks = {
        soonAndLow: await aTask({ createdAt: at(1), dueOn: at(10), priority: 'LOW' }),
        never: await aTask({ createdAt: at(2) }),
        urgent: await aTask({ createdAt: at(3), priority: 'HIGH' }),
        soon: await aTask({ createdAt: at(4), dueOn: at(10) }),
      };
      const { soonAndLow, never, urgent, soon } = tasks;
      const byTime = [soonAndLow, never, urgent, soon];
      const byTurn = [soon, soonAndLow, urgent, never];
      const expected = { newest: byTime.toReversed(), oldest: byTime, due: byTurn, '-due': byTurn.toReversed() };

      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await records.stores.tasks.list(clinicId, { limit: 1, order, cursor });
        found.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);

      expect(found).toEqual(expected[order]);
    },
  );

  test('of what was last given to somebody has their open tasks alone, the latest first', async () => {
    const given = (day: number) => ({ assigneeId: 'ann', assignedBy: 'account:bo', assignedAt: at(day) });
    const [first, second] = [await aTask(given(1)), await aTask(given(2))];
    await aTask({ ...given(3), state: 'RESOLVED' });
    await aTask({ ...given(4), assigneeId: 'cem' });
    await aTask({ ...given(5), assignedBy: null });
    await aTask({ ...given(6), assignedAt: null });
    const latest = async (limit: number) =>
      (await records.stores.tasks.latestAssigned(clinicId, 'ann', limit)).map(({ id }) => id);

    expect([await latest(10), await latest(1)]).toEqual([[second, first], [second]]);
  });
});

describe('a change of tasks', () => {
  const change = async (id: string, about: object, version?: number, actor: typeof by | undefined = by) =>
    (await records.stores.tasks.change(clinicId, [{ id, version }], about, actor)).get(id);
  const dayOf = (at: Date | null | undefined) => at?.toISOString().slice(0, 10) ?? null;

  test('sets what it names and leaves the rest, for those that are named', async () => {
    const [id, other] = [await aTask({ patientId }), await aTask()];

    await change(id, { priority: 'HIGH' });
    await change(id, { dueOn: '2035-01-10', dueTime: '14:30' });
    await change(id, { assigneeId: 'bo' });
    const set = await find(id);
    await change(id, { dueOn: '2035-01-11' });
    await change(id, { assigneeId: null });
    const unset = await find(id);
    await change(id, { dueOn: null });

    expect(set).toMatchObject({ priority: 'HIGH', dueTime: '14:30', assigneeId: 'bo', assignedBy: 'account:ann' });
    expect([dayOf(set?.dueOn), set?.assignedAt === null, set?.state]).toEqual(['2035-01-10', false, 'OPEN']);
    expect(unset).toMatchObject({ priority: 'HIGH', dueTime: null, assigneeId: null, assignedBy: null });
    expect([dayOf(unset?.dueOn), unset?.assignedAt]).toEqual(['2035-01-11', null]);
    expect((await find(id))?.dueOn).toBeNull();
    expect(await find(other)).toMatchObject({ priority: 'NORMAL', version: 1, assigneeId: null });
    const entries = await audited();
    expect(entries.map(({ action, subject, subjects }) => [action, subject, subjects])).toEqual(
      Array.from({ length: 6 }, () => ['task.change', id, [patientId]]),
    );
    expect(entries[1]?.detail).toMatchObject({ reason: 'bad_number', dueOn: '2035-01-10', dueTime: '14:30' });
  });

  test('that resolves keeps when it was resolved first; one that opens forgets that, and what the call came to', async () => {
    const id = await aTask();
    await change(id, { state: 'RESOLVED', outcome: 'spoke' });
    const first = await find(id);
    await change(id, { state: 'RESOLVED' });
    await change(id, { priority: 'LOW' });
    const second = await find(id);
    await change(id, { state: 'OPEN' });
    const opened = await find(id);
    await change(id, { state: 'OPEN', outcome: 'try_later' });

    expect([first?.state, first?.outcome, first?.resolvedAt === null]).toEqual(['RESOLVED', 'spoke', false]);
    expect([second?.state, second?.outcome, second?.resolvedAt]).toEqual(['RESOLVED', 'spoke', first?.resolvedAt]);
    expect([opened?.state, opened?.outcome, opened?.resolvedAt]).toEqual(['OPEN', null, null]);
    expect((await find(id))?.outcome).toBe('try_later');
  });

  test('is made of the version that was seen alone, and of no task that is not there', async () => {
    const [id, other] = [await aTask(), await aTask()];

    expect(await change(id, { priority: 'HIGH' }, 2)).toBe('changed_meanwhile');
    expect(await change(id, { priority: 'HIGH' }, 1)).toBe('changed');
    expect(await change(id, { priority: 'LOW' }, 1)).toBe('changed_meanwhile');
    expect(await change(newId(), { priority: 'LOW' })).toBe('unknown');
    const results = await records.stores.tasks.change(
      clinicId,
      [
        { id, version: 1 },
        { id: other, version: 1 },
      ],
      { priority: 'LOW' },
      by,
    );
    expect([results.get(id), results.get(other)]).toEqual(['changed_meanwhile', 'changed']);
    const crossed = await records.stores.tasks.change(
      clinicId,
      [
        { id, version: 1 },
        { id: await aTask(), version: 2 },
      ],
      { priority: 'LOW' },
      by,
    );
    expect([...crossed.values()]).toEqual(['changed_meanwhile', 'changed_meanwhile']);
    expect([...results.keys()]).toEqual([id, other]);
    expect([(await find(id))?.priority, (await find(other))?.priority]).toEqual(['HIGH', 'LOW']);
  });

  test.each([...alarmKinds])('by who is no administrator knows no %s', async (reason) => {
    const [alarm, task] = [await aTask({ reason }), await aTask()];

    expect(await change(alarm, { state: 'RESOLVED', withoutAlarms: true })).toBe('unknown');
    expect(await change(task, { state: 'RESOLVED', withoutAlarms: true })).toBe('changed');
    expect(await change(alarm, { state: 'RESOLVED', withoutAlarms: false })).toBe('changed');
    expect(await change(alarm, { state: 'OPEN' })).toBe('changed');
  });
});

test('a note is kept once, the latest are listed first, and the audit says whose patient it is about', async () => {
  const [taskId, other] = [await aTask({ patientId }), await aTask()];
  const { tasks } = records.stores;
  const [one, two] = [newId(), newId()];
  const add = (id: string, of: string, note: string) => tasks.addNote({ id, clinicId, taskId: of, note }, by);

  const added = [await add(one, taskId, 'first'), await add(one, taskId, 'again'), await add(two, taskId, 'second')];
  added.push(await add(newId(), newId(), 'lost'), await add(newId(), other, 'elsewhere'));
  await records.database.prisma.taskNote.update({ where: { id: one }, data: { createdAt: new Date(0) } });

  expect(added).toEqual([true, true, true, false, true]);
  expect((await tasks.notes(clinicId, taskId, 10)).map(({ id, note, writtenBy }) => [id, note, writtenBy])).toEqual([
    [two, 'second', 'account:ann'],
    [one, 'first', 'account:ann'],
  ]);
  expect(await tasks.notes(clinicId, taskId, 1)).toHaveLength(1);
  expect((await audited()).map(({ action, subject, subjects }) => [action, subject, subjects])).toEqual([
    ['task.note', taskId, [patientId]],
    ['task.note', taskId, [patientId]],
    ['task.note', other, []],
  ]);
});

describe('the follow-up of a call', () => {
  const call = (about: object = {}) => ({
    id: 'call',
    clinicId,
    patientId,
    caseId: null,
    workflowId: null,
    ...about,
  });
  const take = (accountId: string, about?: object) => records.stores.tasks.takeOver(call(about), accountId, by);

  test('is one task of who takes it over, who may do so again; nobody else gets it', async () => {
    const id = await take('ann');
    const cause = 'follow_up_required:call';
    await aTask({ assigneeId: 'bo' });
    const elsewhere = await aTask({ clinicId: records.otherClinicId, cause, assigneeId: 'bo' });
    const [again, theirs] = [await take('ann'), await take('bo')];
    await records.database.prisma.staffTask.delete({ where: { id: elsewhere } });

    expect([again, theirs]).toEqual([id, null]);
    expect(await find(id ?? '')).toMatchObject({
      reason: 'follow_up_required',
      assigneeId: 'ann',
      assignedBy: 'account:ann',
      patientId,
      callId: 'call',
      state: 'OPEN',
    });
    expect((await audited()).map(({ action, subject, detail }) => [action, subject, detail])).toEqual([
      ['call.take-over', 'call', { taskId: id }],
    ]);
  });

  test.each<[string, object, boolean]>([
    ['nobody has', {}, true],
    ['is resolved', { state: 'RESOLVED', resolvedAt: new Date(), assigneeId: 'bo' }, true],
    ['somebody has', { assigneeId: 'bo' }, false],
  ])('that %s: %#', async (_how, about, isTaken) => {
    const id = await aTask({ cause: 'follow_up_required:run', callId: 'earlier', ...about });

    expect(await take('ann', { workflowId: 'run' })).toBe(isTaken ? id : null);

    const task = await find(id);
    expect([task?.assigneeId, task?.callId, task?.state, task?.resolvedAt]).toEqual(
      isTaken ? ['ann', 'call', 'OPEN', null] : ['bo', 'earlier', 'OPEN', null],
    );
  });

  test('is that of its case, else of its run, else of the call alone', async () => {
    const causes = [
      { caseId: 'case', workflowId: 'run' },
      { caseId: null, workflowId: 'run' },
      { caseId: null, workflowId: null },
    ];
    for (const about of causes) await take('ann', about);

    expect((await all()).map(({ cause }) => cause.split(':')[1] ?? '').toSorted()).toEqual(['call', 'case', 'run']);
  });
});
