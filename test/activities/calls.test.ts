import { type CallActivityDeps, createCallActivities, type SetupFault } from '@clinic/activities/calls';
import {
  type PlaceCall,
  type PlacedCall,
  type PlatformCall,
  type VoiceGateway,
  VoiceUnavailable,
  VoiceUnknownOutcome,
} from '@clinic/gateways/voice/port';
import { keyUnreadable } from '@clinic/shared/domain/voice/ended-reason';
import { VoiceChange, withKeptKey } from '@clinic/shared/contracts/voice/voice';
import { createSafeHttp } from '@clinic/gateways/http/safe-http';
import { clinicVoice } from '@clinic/gateways/voice/clinic-voice';
import { createVapiGateway } from '@clinic/gateways/voice/vapi/calls';
import { startVapiServer } from '../support/outside/vapi-server';
import { inActivity } from '../support/activity';
import { openRecords, type OpenedRun, type Records } from '../support/records';

let records: Records;
let run: OpenedRun;
let platform: FakePlatform;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  run = await records.aRun();
  platform = aPlatform();
});
afterAll(() => records.close());

/** Work that is done and then not returned from until `open` is called. */
function withGate<Args extends unknown[], Result>(done: (...args: Args) => Promise<Result>) {
  let open = () => {};
  let reach = () => {};
  const opened = new Promise<void>((resolve) => void (open = resolve));
  const reached = new Promise<void>((resolve) => void (reach = resolve));
  return {
    open: () => open(),
    reached,
    async work(...args: Args): Promise<Result> {
      const result = await done(...args);
      reach();
      await opened;
      return result;
    },
  };
}

interface FakePlatform extends VoiceGateway {
  placedCalls: PlaceCall[];
  /** What it says of a request; throws where it cannot tell. */
  reply: () => PlacedCall;
  /** The call it shows for our intent. */
  shows: string | null;
  found: PlatformCall | null;
}

function aPlatform(): FakePlatform {
  const self: FakePlatform = {
    settleMs: 180_000,
    account: 'the account',
    placedCalls: [],
    reply: () => ({ kind: 'placed', platformCallId: `platform-${self.placedCalls.at(-1)?.callId}` }),
    shows: null,
    found: null,
    async place(call) {
      self.placedCalls.push(call);
      return self.reply();
    },
    findByIntent: async () => self.shows,
    lookUp: async () => self.found,
  };
  return self;
}

const activities = (how: Pick<CallActivityDeps, 'onSetupFault'> = {}) =>
  createCallActivities({ stores: records.stores, voice: () => platform, publicUrl: 'https://service.example', ...how });
const place = (callId: string) => inActivity(() => activities().placeCall({ clinicId: run.clinicId, callId }));
const lookUp = (callId: string) => inActivity(() => activities().lookUpCall({ clinicId: run.clinicId, callId }));
const stored = (id: string) => records.database.prisma.call.findUniqueOrThrow({ where: { id } });
const set = (id: string, data: object) => records.database.prisma.call.update({ where: { id }, data });
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
const isPhoneInCall = async () => {
  const [found] = await records.database.sql<{ count: number }>`
    select count(*)::int as count from phones_in_call where clinic_id = ${run.clinicId} and phone = ${run.phone}`;
  return found?.count === 1;
};

describe('placing a call', () => {
  test('twice is one request', async () => {
    const callId = await records.aReservedCall(run);

    expect(await place(callId)).toEqual({ kind: 'placed' });
    expect(await place(callId)).toEqual({ kind: 'placed' });

    expect(platform.placedCalls).toHaveLength(1);
    expect(platform.placedCalls[0]).toMatchObject({ callId, phone: run.phone, attempt: 1, earlierFaults: 0 });
  });

  test('that was placed and is over says how and when it ended: a workflow that begins anew need not ask', async () => {
    const { callId } = await records.aPlacedCall(run);
    await records.stores.calls.close({ clinicId: run.clinicId, callId, reason: 'customer-did-not-answer' });
    const { endedAt } = await stored(callId);

    expect(await place(callId)).toEqual({
      kind: 'over',
      end: {
        kind: 'ended',
        reason: 'customer-did-not-answer',
        wasAnswered: false,
        endedAt: endedAt?.toISOString(),
      },
    });

    expect(platform.placedCalls).toEqual([]);
  });

  test('whose request got no answer adopts the call that the platform shows', async () => {
    const callId = await records.aReservedCall(run);
    platform.reply = () => {
      throw new VoiceUnknownOutcome('the connection broke');
    };
    await expect(place(callId)).rejects.toThrow('the connection broke');
    platform.shows = 'shown-later';

    expect(await place(callId)).toEqual({ kind: 'placed' });

    expect(platform.placedCalls).toHaveLength(1);
    expect((await stored(callId)).platformCallId).toBe('shown-later');
  });

  test('that is refused as the platform is set up says why, in a task and to those who watch, and counts as nothing', async () => {
    const callId = await records.aReservedCall(run);
    const reason = 'call.start.error-http-402';
    platform.reply = () => ({ kind: 'refused', reason, isBadNumber: false, said: 'Wallet Balance is 0' });
    const { clinicId, workflowId, patientId, caseId } = run;
    const heard: SetupFault[] = [];

    const placed = await place(callId);
    const fault = { clinicId, workflowId, callId, reason, said: 'Wallet Balance is 0' };
    const { reportSetupFault } = activities({ onSetupFault: (told) => heard.push(told) });
    for (let times = 0; times < 2; times += 1) await reportSetupFault({ ...fault, patientId, caseId });

    expect(placed).toEqual({ kind: 'refused', reason, said: 'Wallet Balance is 0' });
    expect(await stored(callId)).toMatchObject({ state: 'ENDED', endedReason: reason, rangAt: null });
    expect(heard[0]).toEqual(fault);
    const tasks = await records.database.prisma.staffTask.findMany({ where: { clinicId, workflowId } });
    expect(tasks).toMatchObject([
      { reason: 'voice_setup_fault', callId, patientId, detail: { reason, said: 'Wallet Balance is 0' } },
    ]);
    const facts = await records.stores.runs.facts(clinicId, workflowId);
    expect(facts?.previousCallsAt).toEqual([]);
  });

  test('that waits for a key which cannot be decrypted is one task of the clinic, and is told to those who watch each time', async () => {
    run = await records.aRun({ clinicId: await records.aClinic() });
    const { clinicId } = run;
    platform.reply = () => ({ kind: 'refused', reason: keyUnreadable, isBadNumber: false, said: 'enter it again' });
    const heard: SetupFault[] = [];
    const { placeCall } = activities({ onSetupFault: (fault) => heard.push(fault) });
    const ids = [await records.aReservedCall(run), await records.aReservedCall(await records.aRun({ clinicId }))];

    for (const callId of ids) {
      const placed = await inActivity(() => placeCall({ clinicId, callId }));
      expect(placed).toEqual({ kind: 'refused', reason: keyUnreadable, said: 'enter it again' });
    }

    const tasks = await records.database.prisma.staffTask.findMany({ where: { clinicId } });
    // Once a day, also while an older release opens it too.
    const cause = `voice_key_unreadable:${new Date().toISOString().slice(0, 10)}`;
    expect(tasks).toMatchObject([{ reason: 'voice_key_unreadable', cause, state: 'OPEN', patientId: null }]);
    expect(heard).toEqual(ids.map((callId) => ({ clinicId, callId, reason: keyUnreadable, said: 'enter it again' })));
  });

  test('whose fault cannot be written for staff is told to nobody as if it were', async () => {
    const { clinicId, workflowId, patientId, caseId } = run;
    const heard: SetupFault[] = [];
    const { reportSetupFault } = activities({ onSetupFault: (told) => heard.push(told) });
    const fault = { clinicId, workflowId, callId: 'c', reason: 'call.start.error', said: 'no text: \u0000' };

    await expect(reportSetupFault({ ...fault, patientId, caseId })).rejects.toMatchObject({ name: expect.any(String) });

    expect(heard).toEqual([]);
  });

  test('is not tried a second time before the platform has had time to show the first', async () => {
    const callId = await records.aReservedCall(run);
    await records.stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });
    await set(callId, { requestedAt: ago(10) });

    const failure = await place(callId).catch((error: unknown) => error);

    expect(failure).toMatchObject({ type: 'unknown_outcome' });
    const { nextRetryDelay } = failure as { nextRetryDelay: number };
    expect(nextRetryDelay).toBeGreaterThanOrEqual(10_000);
    expect(nextRetryDelay).toBeLessThanOrEqual(20_000);
    expect(platform.placedCalls).toEqual([]);
  });

  test('is tried a second time when the platform shows nothing after that', async () => {
    const callId = await records.aReservedCall(run);
    await records.stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });
    await set(callId, { requestedAt: ago(181) });

    expect(await place(callId)).toEqual({ kind: 'placed' });
    expect(platform.placedCalls).toHaveLength(1);
  });

  describe('whose answer was lost, and whose key is another since', () => {
    const asked = async () => {
      platform.reply = () => {
        throw new VoiceUnknownOutcome('the connection broke');
      };
      const callId = await records.aReservedCall(run);
      await expect(place(callId)).rejects.toThrow('the connection broke');
      platform.account = 'of another key';
      return callId;
    };

    test('is not tried again, and keeps its phone as long as it may ring where nobody can see it', async () => {
      const callId = await asked();
      const looks: number[] = [];
      for (let age = 181; age < 3_650; age += (looks.at(-1) ?? 0) / 1_000) {
        await set(callId, { requestedAt: ago(age) });
        const failure = (await place(callId).catch((error: unknown) => error)) as { nextRetryDelay: number };
        expect([failure, await isPhoneInCall()]).toMatchObject([{ type: 'unknown_outcome' }, true]);
        looks.push(failure.nextRetryDelay);
      }
      await set(callId, { requestedAt: ago(3_660) });

      expect(Math.max(...looks)).toBe(60_000);
      expect(await place(callId)).toEqual({ kind: 'refused', reason: 'call-not-found' });
      expect(await isPhoneInCall()).toBe(false);
      expect(platform.placedCalls).toHaveLength(1);
    });

    test('is taken over where that is a key of the same account', async () => {
      const callId = await asked();
      platform.shows = `shown-to-the-new-key-${callId}`;

      expect(await place(callId)).toEqual({ kind: 'placed' });
      expect((await stored(callId)).platformCallId).toBe(platform.shows);
      expect(platform.placedCalls).toHaveLength(1);
    });

    test('waits on where that one cannot be asked', async () => {
      const callId = await asked();
      platform.findByIntent = () => Promise.reject(new VoiceUnavailable('http 401'));

      await expect(place(callId)).rejects.toMatchObject({ type: 'unknown_outcome' });
      await set(callId, { requestedAt: ago(3_680) });
      expect(await place(callId)).toEqual({ kind: 'refused', reason: 'call-not-found' });
    });
  });

  test('whose answer was lost is looked for on where the settings have changed and the account has not', async () => {
    run = await records.aRun({ clinicId: await records.aClinic() });
    const change = VoiceChange.parse({ provider: 'simulator', apiKey: 'the-key' });
    const settings = withKeptKey(change, null);
    await records.stores.settings.setVoice(run.clinicId, change.provider, settings);
    const callId = await records.aReservedCall(run);
    await records.stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });
    await records.stores.settings.setVoice(run.clinicId, change.provider, { ...settings, maxCallSeconds: 90 });

    await expect(place(callId)).rejects.toMatchObject({ type: 'unknown_outcome' });
  });

  test('whose answer was lost is looked for more and more rarely, for three minutes', async () => {
    const callId = await records.aReservedCall(run);
    await records.stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });
    const looks: number[] = [];
    for (let age = 0.5; looks.length < 40;) {
      await set(callId, { requestedAt: ago(age) });
      const failure = (await place(callId).catch((error: unknown) => error)) as { nextRetryDelay?: number };
      if (failure.nextRetryDelay === undefined) break;
      age += failure.nextRetryDelay / 1_000 + 0.01;
      looks.push(age);
    }

    expect(looks.length).toBeLessThan(12);
    expect(looks.at(-1)).toBeGreaterThanOrEqual(179);
    expect(platform.placedCalls).toHaveLength(1);
  });

  test('whose worker was frozen between the intent and the request, and wakes when another has placed it, rings once', async () => {
    const vapi = await startVapiServer('vapi-key');
    const http = createSafeHttp({ allowPrivateTargets: true });
    const account = { apiKey: 'vapi-key', assistantId: 'assistant-1', phoneNumberId: 'number-1', secret: 'secret' };
    const variables = { apiKey: 'KEY', assistantId: 'ASSISTANT', phoneNumberId: 'NUMBER' };
    const voice = () =>
      createVapiGateway({
        http,
        baseUrl: vapi.url,
        apiKey: 'vapi-key',
        voice: clinicVoice(null, { ...account, variables }, null),
      });
    const publicUrl = 'https://service.example';
    const callId = await records.aReservedCall(run);
    const intent = { clinicId: run.clinicId, callId };
    const clock = jest.spyOn(Date, 'now');
    try {
      const frozen = withGate(records.stores.calls.beginRequest);
      const calls = { ...records.stores.calls, beginRequest: frozen.work };
      const sleeper = createCallActivities({ stores: { ...records.stores, calls }, voice, publicUrl });
      const asleep = inActivity(() => sleeper.placeCall(intent)).catch((error: unknown) => error);
      await frozen.reached;
      await set(callId, { requestedAt: ago(181) });
      const another = createCallActivities({ stores: records.stores, voice, publicUrl });
      const placed = await inActivity(() => another.placeCall(intent));

      const now = Date.now();
      clock.mockImplementation(() => now + 181_000);
      frozen.open();

      expect(placed).toEqual({ kind: 'placed' });
      expect(await asleep).toBeInstanceOf(VoiceUnknownOutcome);
      expect(vapi.calls).toHaveLength(1);
    } finally {
      clock.mockRestore();
      await Promise.all([http.close(), vapi.close()]);
    }
  });

  test('that this process thinks is older than it is, by its own clock, is not tried a second time', async () => {
    const callId = await records.aReservedCall(run);
    await records.stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);

    try {
      await expect(place(callId)).rejects.toMatchObject({ type: 'unknown_outcome' });
    } finally {
      clock.mockRestore();
    }
    expect(platform.placedCalls).toEqual([]);
  });

  test('that two begin at the same moment is one request', async () => {
    const callId = await records.aReservedCall(run);

    const both = await Promise.allSettled([place(callId), place(callId)]);

    expect(platform.placedCalls).toHaveLength(1);
    expect(both.map(({ status }) => status)).toContain('fulfilled');
  });

  test('that another has requested since it was looked at is asked about, and not requested again', async () => {
    const callId = await records.aReservedCall(run);
    const intent = { clinicId: run.clinicId, callId };
    const late = withGate(records.stores.calls.toPlace);
    const calls = { ...records.stores.calls, toPlace: late.work };
    const { placeCall } = createCallActivities({
      stores: { ...records.stores, calls },
      voice: () => platform,
      publicUrl: 'https://service.example',
    });
    const overtaken = inActivity(() => placeCall(intent)).catch((error: unknown) => error);
    await late.reached;
    await records.stores.calls.beginRequest({ ...intent, requests: 0 });

    late.open();

    expect(await overtaken).toMatchObject({ type: 'unknown_outcome', nextRetryDelay: 2_000 });
    expect(platform.placedCalls).toEqual([]);
  });

  test('that the platform refuses is over, and stays over', async () => {
    const callId = await records.aReservedCall(run);
    platform.reply = () => ({ kind: 'refused', reason: 'customer-misdialed', isBadNumber: true });

    expect(await place(callId)).toEqual({ kind: 'refused', reason: 'customer-misdialed' });
    expect(await stored(callId)).toMatchObject({ state: 'ENDED', endedReason: 'customer-misdialed' });
    expect(await place(callId)).toEqual({
      kind: 'over',
      end: {
        kind: 'ended',
        reason: 'customer-misdialed',
        wasAnswered: false,
        endedAt: (await stored(callId)).endedAt?.toISOString(),
      },
    });
    expect(platform.placedCalls).toHaveLength(1);
  });

  test('rings nobody once its run has ended', async () => {
    const callId = await records.aReservedCall(run);
    await records.database.prisma.workflowRun.updateMany({
      where: { id: run.workflowId },
      data: { status: 'cancelled', outcome: 'FOLLOW_UP_REQUIRED', completedAt: new Date() },
    });

    for (const kind of ['withdrawn', 'withdrawn']) expect(await place(callId)).toEqual({ kind });
    expect(platform.placedCalls).toEqual([]);
    expect(await stored(callId)).toMatchObject({ state: 'ENDED', endedReason: 'withdrawn' });
  });

  test('says how often the platform has failed before, for this attempt alone', async () => {
    const faults = [
      { attempt: 1, dial: 1 },
      { attempt: 2, dial: 2 },
      { attempt: 2, dial: 3 },
    ];
    for (const fault of faults) {
      const callId = await records.aReservedCall(run, fault);
      await records.stores.calls.close({ clinicId: run.clinicId, callId, reason: 'vapifault' });
    }
    const callId = await records.aReservedCall(run, { attempt: 2, dial: 4 });

    await place(callId);

    expect(platform.placedCalls[0]).toMatchObject({ attempt: 2, earlierFaults: 2 });
  });

  test('that is of another clinic is neither placed nor asked about, and fails for good', async () => {
    const callId = await records.aReservedCall(run);

    const foreign = { clinicId: records.otherClinicId, callId };

    const acts = [() => activities().placeCall(foreign), () => activities().lookUpCall(foreign)];
    for (const act of acts) {
      await expect(inActivity<unknown>(act)).rejects.toMatchObject({ type: 'not_found', nonRetryable: true });
    }
    expect((await stored(callId)).state).toBe('QUEUED');
  });
});

describe('looking up a call that is silent', () => {
  const anInboundCall = async () => {
    const { callId } = await records.stores.inboundCalls.open({
      owner: { clinicId: run.clinicId, country: 'US' },
      platformCallId: `inbound-${run.workflowId}`,
      callerNumber: null,
      state: 'IN_PROGRESS',
    });
    return callId;
  };

  test('says that it goes on as long as the platform says so', async () => {
    const { callId } = await records.aPlacedCall(run);
    platform.found = { state: 'IN_PROGRESS', endedReason: null };

    expect(await lookUp(callId)).toEqual({ kind: 'going_on' });
    expect((await stored(callId)).state).not.toBe('ENDED');
  });

  test('ends it for the reason that the platform gives, once', async () => {
    const { callId } = await records.aPlacedCall(run);
    platform.found = { state: 'ENDED', endedReason: 'voicemail' };
    await lookUp(callId);
    platform.found = { state: 'ENDED', endedReason: 'customer-busy' };

    expect(await lookUp(callId)).toMatchObject({ kind: 'ended', reason: 'voicemail' });
    expect(await stored(callId)).toMatchObject({ state: 'ENDED', endedReason: 'voicemail' });
  });

  test.each([
    { what: 'when the platform says that it ended, not when it was asked', secondsAgo: 300, keptSecondsAgo: 300 },
    { what: 'not before it was asked for', secondsAgo: 900, keptSecondsAgo: 600 },
  ])('ends it $what, and has the workflow told so', async ({ secondsAgo, keptSecondsAgo }) => {
    const { callId } = await records.aPlacedCall(run);
    const asked = ago(600);
    await set(callId, { requestedAt: asked });
    const endedAt = new Date(asked.getTime() + (600 - secondsAgo) * 1_000).toISOString();
    const kept = new Date(asked.getTime() + (600 - keptSecondsAgo) * 1_000);
    platform.found = { state: 'ENDED', endedReason: 'voicemail', endedAt };

    const ends = [await lookUp(callId), await lookUp(callId)];

    for (const end of ends) expect(end).toMatchObject({ kind: 'ended', endedAt: kept.toISOString() });
    expect((await stored(callId)).endedAt).toEqual(kept);
    const [told] = await records.database.prisma.workflowMessage.findMany({ where: { workflowId: run.workflowId } });
    expect(told).toMatchObject({ signal: 'callEnded', payload: { callId, endedAt: kept.toISOString() } });
  });

  test('ends it now where the clock of the platform is ahead', async () => {
    const { callId } = await records.aPlacedCall(run);
    platform.found = { state: 'ENDED', endedReason: 'voicemail', endedAt: ago(-3_600).toISOString() };
    await lookUp(callId);

    expect((await stored(callId)).endedAt?.getTime()).toBeLessThan(ago(-1_800).getTime());
  });

  test('reads what the platform says of an ended call like its report, and has the workflow told', async () => {
    const { callId } = await records.aPlacedCall(run);
    const analysis = { said: 'confirmed' } as const;
    platform.found = { state: 'ENDED', endedReason: 'assistant-ended-call', summary: 'They will come.', analysis };

    expect(await lookUp(callId)).toMatchObject({ kind: 'ended', reason: 'assistant-ended-call' });

    expect(await stored(callId)).toMatchObject({ summary: 'They will come.', said: 'confirmed' });
    const told = await records.database.prisma.workflowMessage.findMany({ where: { workflowId: run.workflowId } });
    expect(told.map(({ signal }) => signal).toSorted()).toEqual(['callAnalysed', 'callEnded']);
  });

  const minutesPass = (callId: string) =>
    records.database.sql`update calls set not_found_at = not_found_at - interval '2 minutes' where id = ${callId}`;

  test('does not end one of ours that the platform does not know once, nor again within minutes', async () => {
    const { callId } = await records.aPlacedCall(run);
    await set(callId, { state: 'IN_PROGRESS' });

    for (let look = 0; look < 6; look += 1) expect(await lookUp(callId)).toEqual({ kind: 'going_on' });

    expect((await stored(callId)).state).toBe('IN_PROGRESS');
  });

  test('gives one of ours up as lost when the platform does not know it four times, minutes apart', async () => {
    const { callId } = await records.aPlacedCall(run);

    for (let look = 1; look < 4; look += 1) {
      expect(await lookUp(callId)).toEqual({ kind: 'going_on' });
      await minutesPass(callId);
    }

    expect(await lookUp(callId)).toEqual({ kind: 'lost' });
    expect(await lookUp(callId)).toEqual({ kind: 'lost' });
    expect(await stored(callId)).toMatchObject({ state: 'ENDED', endedReason: 'call-not-found' });
  });

  test('begins to count anew once the platform knows the call again', async () => {
    const { callId } = await records.aPlacedCall(run);
    for (let look = 1; look < 4; look += 1) {
      await lookUp(callId);
      await minutesPass(callId);
    }
    platform.found = { state: 'IN_PROGRESS', endedReason: null };
    await lookUp(callId);
    platform.found = null;

    expect(await lookUp(callId)).toEqual({ kind: 'going_on' });
  });

  test('tells whether it had been answered', async () => {
    const { callId } = await records.aPlacedCall(run);
    await set(callId, { state: 'IN_PROGRESS', startedAt: new Date() });
    platform.found = { state: 'ENDED', endedReason: 'pipeline-error-openai-llm-failed' };

    expect(await lookUp(callId)).toMatchObject({ kind: 'ended', wasAnswered: true });
  });

  describe('whose clinic has another account since', () => {
    const placedAt = async (account: string) => {
      const { callId } = await records.aPlacedCall(run);
      await set(callId, { requestedAccount: account, state: 'IN_PROGRESS' });
      return callId;
    };

    test('asks the one that placed it', async () => {
      const callId = await placedAt('the account');
      platform.found = { state: 'IN_PROGRESS', endedReason: null };
      const voice: CallActivityDeps['voice'] = (_provider, _clinicId, account) =>
        account === platform.account ? platform : { ...aPlatform(), account: 'another' };
      const { lookUpCall } = createCallActivities({ stores: records.stores, voice, publicUrl: 'https://us.example' });

      for (let look = 0; look < 6; look += 1) {
        expect(await inActivity(() => lookUpCall({ clinicId: run.clinicId, callId }))).toEqual({ kind: 'going_on' });
        await minutesPass(callId);
      }
      expect(await stored(callId)).toMatchObject({ notFoundCount: 0 });
    });

    test('asks with the key that is kept now: what it shows is of the same account', async () => {
      const callId = await placedAt('of the key before');

      platform.found = { state: 'IN_PROGRESS', endedReason: null };
      expect(await lookUp(callId)).toEqual({ kind: 'going_on' });
      platform.found = { state: 'ENDED', endedReason: 'customer-ended-call' };
      expect(await lookUp(callId)).toMatchObject({ kind: 'ended', reason: 'customer-ended-call' });
    });

    test('leaves it for the longest that a call can last where that cannot be asked any more, then gives it up as lost', async () => {
      const callId = await placedAt('gone');
      for (let look = 0; look < 6; look += 1) {
        expect(await lookUp(callId)).toEqual({ kind: 'going_on' });
        await minutesPass(callId);
      }
      platform.lookUp = () => Promise.reject(new VoiceUnavailable('http 401'));
      expect(await lookUp(callId)).toEqual({ kind: 'going_on' });

      await set(callId, { requestedAt: ago(3_660) });

      expect(await lookUp(callId)).toEqual({ kind: 'lost' });
      expect(await stored(callId)).toMatchObject({ state: 'ENDED', endedReason: 'call-not-found' });
    });
  });

  describe('of which the platform never says that it is over', () => {
    const never: [string, FakePlatform['lookUp']][] = [
      ['as it does not reply', () => Promise.reject(new VoiceUnavailable('http 401'))],
      ['as it says that it goes on', async () => ({ state: 'IN_PROGRESS', endedReason: null })],
    ];

    test.each(never)('%s, frees the phone once it is longer than a call can last', async (_why, says) => {
      const { callId } = await records.aPlacedCall(run);
      platform.lookUp = says;

      await set(callId, { requestedAt: ago(3_640) });
      await lookUp(callId).catch(() => undefined);
      const before = await isPhoneInCall();
      await set(callId, { requestedAt: ago(3_680) });
      const after = await lookUp(callId);

      expect([before, await isPhoneInCall()]).toEqual([true, false]);
      expect(after).toEqual({ kind: 'lost' });
      expect(await stored(callId)).toMatchObject({ state: 'ENDED', endedReason: 'call-not-found' });
    });

    test.each([
      ['asked for, however long before it was reserved', { createdAt: ago(7_200), requestedAt: ago(3_600) }],
      ['answered, however long before it was asked for', { requestedAt: ago(7_200), startedAt: ago(3_600) }],
    ])('goes on for as long as a call can last since it was %s', async (_since, times) => {
      const { callId } = await records.aPlacedCall(run);
      platform.found = { state: 'IN_PROGRESS', endedReason: null };
      await set(callId, times);

      expect(await lookUp(callId)).toEqual({ kind: 'going_on' });
      expect(await isPhoneInCall()).toBe(true);
    });

    test('nor whether it was placed: nobody rings a second time, and the phone is free', async () => {
      const callId = await records.aReservedCall(run);
      platform.reply = () => {
        throw new VoiceUnknownOutcome('the connection broke');
      };
      platform.findByIntent = () => Promise.reject(new VoiceUnavailable('http 401'));
      await expect(place(callId)).rejects.toThrow('the connection broke');

      await set(callId, { requestedAt: ago(3_640) });
      await expect(place(callId)).rejects.toThrow('http 401');
      const before = await isPhoneInCall();
      await set(callId, { requestedAt: ago(3_680) });

      expect(await place(callId)).toEqual({ kind: 'refused', reason: 'call-not-found' });
      expect([before, await isPhoneInCall()]).toEqual([true, false]);
      expect(platform.placedCalls).toHaveLength(1);
    });
  });

  test('asks where the clinic calls about a caller who withholds the number', async () => {
    run = await records.aRun({ clinicId: await records.aClinic() });
    await records.stores.clinics.setVoiceProvider(run.clinicId, 'vapi');
    const callId = await anInboundCall();
    const asked: string[] = [];
    const voice: CallActivityDeps['voice'] = (provider) => {
      asked.push(provider);
      return platform;
    };
    const { lookUpCall } = createCallActivities({ stores: records.stores, voice, publicUrl: 'https://us.example' });

    await inActivity(() => lookUpCall({ clinicId: run.clinicId, callId }));

    expect(asked).toEqual(['vapi']);
  });

  test('leaves a caller whom the platform does not know for an hour, then ends the call', async () => {
    const callId = await anInboundCall();

    await set(callId, { startedAt: ago(3_540) });
    const within = await lookUp(callId);
    await set(callId, { startedAt: ago(3_660) });
    const after = await lookUp(callId);

    expect(within).toEqual({ kind: 'going_on' });
    expect(after).toMatchObject({ kind: 'ended', reason: 'call-lost-platformfault' });
    expect((await stored(callId)).state).toBe('ENDED');
  });
});
