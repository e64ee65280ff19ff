import { createCallActivities } from '@clinic/activities/calls';
import {
  type PlaceCall,
  type PlacedCall,
  type PlatformCall,
  type VoiceGateway,
  VoiceUnknownOutcome,
} from '@clinic/activities/gateways/voice/port';
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

const activities = () =>
  createCallActivities({ stores: records.stores, voice: () => platform, publicUrl: 'https://service.example' });
const place = (callId: string) => inActivity(() => activities().placeCall({ clinicId: run.clinicId, callId }));
const lookUp = (callId: string) => inActivity(() => activities().lookUpCall({ clinicId: run.clinicId, callId }));
const stored = (id: string) => records.database.prisma.call.findUniqueOrThrow({ where: { id } });
const set = (id: string, data: object) => records.database.prisma.call.update({ where: { id }, data });
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

describe('placing a call', () => {
  test('twice is one request', async () => {
    const callId = await records.aReservedCall(run);

    expect(await place(callId)).toEqual({ kind: 'placed' });
    expect(await place(callId)).toEqual({ kind: 'placed' });

    expect(platform.placedCalls).toHaveLength(1);
    expect(platform.placedCalls[0]).toMatchObject({ callId, phone: run.phone, attempt: 1, earlierFaults: 0 });
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

  test('is not tried a second time before the platform has had time to show the first', async () => {
    const callId = await records.aReservedCall(run);
    await records.stores.calls.beginRequest(run.clinicId, callId);
    await set(callId, { requestedAt: ago(10) });

    const failure = await place(callId).catch((error: unknown) => error);

    expect(failure).toMatchObject({ type: 'unknown_outcome' });
    const { nextRetryDelay } = failure as { nextRetryDelay: number };
    expect(nextRetryDelay).toBeGreaterThan(0);
    expect(nextRetryDelay).toBeLessThanOrEqual(5_000);
    expect(platform.placedCalls).toEqual([]);
  });

  test('is tried a second time when the platform shows nothing after that', async () => {
    const callId = await records.aReservedCall(run);
    await records.stores.calls.beginRequest(run.clinicId, callId);
    await set(callId, { requestedAt: ago(16) });

    expect(await place(callId)).toEqual({ kind: 'placed' });
    expect(platform.placedCalls).toHaveLength(1);
  });

  test('that the platform refuses is over, and stays over', async () => {
    const callId = await records.aReservedCall(run);
    platform.reply = () => ({ kind: 'refused', reason: 'customer-misdialed', isBadNumber: true });

    expect(await place(callId)).toEqual({ kind: 'refused', reason: 'customer-misdialed' });
    expect(await stored(callId)).toMatchObject({ state: 'ENDED', endedReason: 'customer-misdialed' });
    expect(await place(callId)).toEqual({ kind: 'withdrawn' });
    expect(platform.placedCalls).toHaveLength(1);
  });

  test('rings nobody once its run has ended', async () => {
    const callId = await records.aReservedCall(run);
    await records.database.prisma.workflowRun.updateMany({
      where: { id: run.workflowId },
      data: { status: 'cancelled', outcome: 'FOLLOW_UP_REQUIRED', completedAt: new Date() },
    });

    expect(await place(callId)).toEqual({ kind: 'withdrawn' });
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

  test('that nobody knows, or that is of another clinic, fails for good', async () => {
    const callId = await records.aReservedCall(run);

    const foreign = inActivity(() => activities().placeCall({ clinicId: records.otherClinicId, callId }));

    await expect(foreign).rejects.toMatchObject({ type: 'not_found', nonRetryable: true });
  });
});

describe('reserving a line', () => {
  const reserve = (about: object) => inActivity(() => activities().reserveCall(records.anIntent(run, about)));

  test('waits a little for a line that becomes free', async () => {
    const held = await records.aReservedCall(await records.aRun({ phone: run.phone }));
    const reserving = reserve({});
    setTimeout(() => {
      void records.stores.calls.close({ clinicId: run.clinicId, callId: held, reason: 'voicemail' });
    }, 400);

    expect((await reserving).kind).toBe('reserved');
  });

  test('does not wait for a patient who has had their calls: the workflow decides anew', async () => {
    const { callId } = await records.aPlacedCall(await records.aRun({ phone: run.phone }));
    await records.stores.calls.close({ clinicId: run.clinicId, callId, reason: 'voicemail' });
    const startedAt = Date.now();

    expect(await reserve({ callsPerPatientPerDay: 1 })).toEqual({ kind: 'busy' });
    expect(Date.now() - startedAt).toBeLessThan(4_000);
  });
});

describe('looking up a call that is silent', () => {
  const anInboundCall = async () => {
    const { callId } = await records.stores.inboundCalls.open({
      owner: { clinicId: run.clinicId, country: 'US', assistantId: null },
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

    expect(await lookUp(callId)).toEqual({ kind: 'ended', reason: 'voicemail' });
    expect(await stored(callId)).toMatchObject({ state: 'ENDED', endedReason: 'voicemail' });
  });

  test('ends one of ours that the platform has lost as a fault of the platform', async () => {
    const { callId } = await records.aPlacedCall(run);

    expect(await lookUp(callId)).toEqual({ kind: 'ended', reason: 'call-lost-providerfault' });
    expect((await stored(callId)).state).toBe('ENDED');
  });

  test('leaves a caller whom the platform does not know for an hour, then ends the call', async () => {
    const callId = await anInboundCall();

    await set(callId, { createdAt: ago(3_540) });
    const within = await lookUp(callId);
    await set(callId, { createdAt: ago(3_660) });
    const after = await lookUp(callId);

    expect(within).toEqual({ kind: 'going_on' });
    expect(after).toEqual({ kind: 'ended', reason: 'call-lost-providerfault' });
    expect((await stored(callId)).state).toBe('ENDED');
  });
});
