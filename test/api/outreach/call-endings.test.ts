import { newId } from '@clinic/shared/crypto';
import { type App, startApp } from '../../support/app';
import { aPhone } from '../../support/builders';

let app: App;
let staff: string;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  staff = await app.staff();
});
afterAll(() => app.stop());

const get = (path: string) => app.request('GET', path, { bearer: staff });

/** A case whose calls ended with these reasons, one after the other; null is a call that is still going on. */
async function aCaseWithCalls(reasons: { endedReason: string | null; isTest?: boolean }[]) {
  const { body } = await app.abandon({ phone: aPhone() });
  const { clinicId } = app.clinic;
  const { patientId } = await app.database.prisma.recoveryCase.findFirstOrThrow({ where: { id: body.recoveryCaseId } });
  const ids = reasons.map(() => newId());
  for (const [index, { endedReason, isTest = false }] of reasons.entries()) {
    const createdAt = new Date(Date.now() - (reasons.length - index) * 60_000);
    await app.database.prisma.call.create({
      data: {
        id: ids[index] ?? '',
        clinicId,
        patientId,
        isTest,
        endedReason,
        createdAt,
        workflowType: 'abandonment-recovery',
        workflowId: body.workflowId,
        caseId: body.recoveryCaseId,
        phone: aPhone(),
        direction: 'outbound',
        state: endedReason === null ? 'IN_PROGRESS' : 'ENDED',
        endedAt: endedReason === null ? null : createdAt,
        attempt: index + 1,
        dial: index + 1,
      },
    });
  }
  return { ids, workflowId: body.workflowId, recoveryCaseId: body.recoveryCaseId };
}

interface Shown {
  id: string;
  endedReason: string | null;
  ending: string | null;
}

/** What the list, each call by itself and the timeline of the case say of every call. */
async function shownEndings({ ids, workflowId, recoveryCaseId }: Awaited<ReturnType<typeof aCaseWithCalls>>) {
  const listed: Shown[] = (await get(`/calls?workflowId=${workflowId}`)).body.items;
  const read: Shown[] = await Promise.all(ids.map(async (id) => (await get(`/calls/${id}`)).body));
  const { timeline } = (await get(`/cases/${recoveryCaseId}`)).body;
  const told: Shown[] = timeline.flatMap((entry: { kind: string; call: Shown }) =>
    entry.kind === 'call' ? [entry.call] : [],
  );
  const endingsIn = (calls: Shown[]) => ids.map((id) => calls.find((call) => call.id === id)?.ending);
  return { list: endingsIn(listed), detail: endingsIn(read), timeline: endingsIn(told) };
}

test.each([
  ['customer-did-not-answer', 'not_reached'],
  ['customer-misdialed', 'bad_number'],
  ['call.start.error-get-transport', 'platform_fault'],
  ['manually-canceled', 'cancelled'],
  ['customer-ended-call', 'conversation'],
  ['a-word-that-is-new', 'conversation'],
])('a call that ended with %s says %s', async (endedReason, ending) => {
  const made = await aCaseWithCalls([{ endedReason }]);

  expect(await shownEndings(made)).toEqual({ list: [ending], detail: [ending], timeline: [ending] });
});

test('a call that goes on has no ending yet', async () => {
  const made = await aCaseWithCalls([{ endedReason: null }]);

  expect(await shownEndings(made)).toEqual({ list: [null], detail: [null], timeline: [null] });
});

test('the second failed connection of a workflow is a wrong number, as the workflow itself decides', async () => {
  const failed = { endedReason: 'call.in-progress.error-sip-outbound-call-failed-to-connect' };
  const made = await aCaseWithCalls([failed, { endedReason: 'customer-busy' }, failed, failed]);

  const endings = ['not_reached', 'not_reached', 'bad_number', 'bad_number'];
  expect(await shownEndings(made)).toEqual({ list: endings, detail: endings, timeline: endings });
});

test('neither a test call nor another workflow makes a first failed connection a wrong number', async () => {
  const failed = { endedReason: 'failed-to-connect' };
  await aCaseWithCalls([failed]);
  const made = await aCaseWithCalls([{ ...failed, isTest: true }, failed]);

  const endings = ['not_reached', 'not_reached'];
  expect(await shownEndings(made)).toEqual({ list: endings, detail: endings, timeline: endings });
});
