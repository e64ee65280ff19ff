import { Context } from '@temporalio/activity';
import { WorkflowFailedError, type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { TIMEOUT_MS as VAPI_TIMEOUT_MS } from '@clinic/gateways/voice/vapi/calls';
import { recoveryStatuses } from '@clinic/shared/domain/outreach/case-state';
import { taskFor } from '@clinic/shared/domain/outreach/workflow-types';
import { searchableSession } from '@clinic/temporal/start-options';
import { callEnded, cancelRun, caseState, formCompleted, testCallOpened, toolUsed } from '@clinic/workflows/messages';
import { eventually } from '../support/eventually';
import type { PlacedCall } from '../support/fake-voice';
import { testPayloadKeys } from '../support/histories';
import {
  agrees,
  doesNotAnswer,
  endsWith,
  openCase,
  type RecoveryStory,
  resolution,
  resolve,
  resolves,
  type Setting,
} from '../support/recovery-story';
import { currentDetails, type Fakes, openBench, untilWaiting, type WorkflowBench } from '../support/workflow-bench';

const HOUR = 3_600_000;
const refused = { refused: 'call.start.error-vapifault' };
const waits = { firstCallDelaySeconds: 3_600 };

const completesThen =
  (then: (call: PlacedCall) => Promise<void>) =>
  async (call: PlacedCall): Promise<void> => {
    await call.completeForm();
    await then(call);
  };

/** Resolves when the request has been made, whatever comes of it. */
const asked = async (request: Promise<unknown>): Promise<void> => void (await request);

async function expectRefused(update: Promise<unknown>, { type }: { type: string }): Promise<void> {
  const error: unknown = await update.then(
    () => 'accepted',
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(WorkflowUpdateFailedError);
  expect((error as WorkflowUpdateFailedError).cause).toMatchObject({ type });
}

async function untilState(workflow: WorkflowHandle, status: string): Promise<void> {
  await eventually(async () => (await workflow.query(caseState)).status === status, { every: 5 });
}

/** A history as text, with what its payloads hold. */
const readable = (history: object): string =>
  JSON.stringify(history).replaceAll(/"data":"([^"]*)"/g, (_all, data: string) =>
    Buffer.from(data, 'base64').toString(),
  );

describe('a recovery', () => {
  let bench: WorkflowBench;
  beforeAll(async () => {
    bench = await openBench();
  });
  afterAll(() => bench.close());

  const open = (setting: Setting = {}) => openCase(bench, setting);

  describe('calls', () => {
    test('the patient agrees at the first attempt: the clinic heard of the case first and hears of its end', async () => {
      const story = await open({ calls: [agrees], record: 'settled' });

      expect(await story.outcome()).toBe('RECOVERED');
      expect(story.log).toEqual([
        'told the clinic',
        'reserved call 1, attempt 1',
        'placed',
        'RECOVERED, completed',
        'told the clinic',
      ]);
    });

    test.each(recoveryStatuses)('the agent resolves the case as %s: that is its outcome', async (status) => {
      const story = await open({ calls: [resolves(status)] });

      expect(await story.outcome()).toBe(status);
      expect(story.endings).toEqual([
        expect.objectContaining({
          outcome: status,
          status: 'completed',
          resolution: resolution(status),
          taskReason: taskFor(status, []),
        }),
      ]);
    });

    test('nobody ever answers: three attempts, then PATIENT_NOT_REACHED', async () => {
      const story = await open({
        calls: [doesNotAnswer, endsWith('voicemail'), endsWith('customer-busy')],
        record: 'never-answers',
      });

      expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
      expect(story.voice.dialled.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
      expect(story.log).toEqual([
        'told the clinic',
        'reserved call 1, attempt 1',
        'placed',
        'PENDING',
        'reserved call 2, attempt 2',
        'placed',
        'PENDING',
        'reserved call 3, attempt 3',
        'placed',
        'PENDING',
        'PATIENT_NOT_REACHED, completed',
        'told the clinic',
      ]);
    });

    test('the patient answers at the second attempt', async () => {
      const story = await open({ calls: [doesNotAnswer, agrees], record: 'answers-second-time' });

      expect(await story.outcome()).toBe('RECOVERED');
      const [first, second] = story.voice.dialled;
      expect(Date.parse(second!.at) - Date.parse(first!.at)).toBeGreaterThanOrEqual(HOUR);
    });

    test.each(['customer-ended-call', 'assistant-ended-call', 'a-reason-nobody-has-seen', 'manually-canceled'])(
      'a call that ends without an outcome, %s, is left to staff',
      async (reason) => {
        const story = await open({ calls: [endsWith(reason)] });

        expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
        expect(story.endings[0]).toMatchObject({ status: 'completed', taskReason: 'follow_up_required' });
      },
    );

    test('who asks in a call for no more calls is not called back by staff either', async () => {
      const story = await open({
        calls: [
          async (call) => {
            // The tool has written the opt-out.
            story.facts.isOptedOut = true;
            await call.hangUp('customer-ended-call');
          },
        ],
        record: 'stopped-by-the-patient',
      });

      expect(await story.outcome()).toBe('PATIENT_NOT_INTERESTED');
      expect(story.endings[0]).toMatchObject({ status: 'completed', taskReason: null });
      expect(story.voice.dialled).toHaveLength(1);
    });

    test('a number that is not one: a task for staff, and no further call', async () => {
      const story = await open({ calls: [endsWith('customer-misdialed')], record: 'bad-number' });

      expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
      expect(story.tasks).toEqual(['bad_number']);
    });

    test('a number that fails to connect twice is not one', async () => {
      const failed = endsWith('call.in-progress.error-providerfault-outbound-sip-failed-to-connect');
      const story = await open({ calls: [failed, failed] });

      expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
      expect(story.tasks).toEqual(['bad_number']);
    });

    test('the platform refuses twice: the same attempt is made again, and counts once', async () => {
      const story = await open({ calls: [refused, refused, agrees], record: 'refused-twice' });

      expect(await story.outcome()).toBe('RECOVERED');
      expect(story.voice.dialled.map(({ attempt, dial }) => [attempt, dial])).toEqual([
        [1, 1],
        [1, 2],
        [1, 3],
      ]);
      expect(story.tasks).toEqual([]);
    });

    test('the platform drops a call: that was no attempt either', async () => {
      const dropped = endsWith('pipeline-error-openai-llm-failed');
      const story = await open({ calls: [dropped, doesNotAnswer, doesNotAnswer, doesNotAnswer] });

      expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
      expect(story.voice.dialled.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 3]);
    });

    test('the platform drops a call that somebody had answered: that was an attempt, and is not made again at once', async () => {
      const dropped = ({ hangUp }: PlacedCall) => hangUp('pipeline-error-openai-llm-failed', { wasAnswered: true });
      const story = await open({ calls: [dropped, doesNotAnswer, doesNotAnswer] });

      expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
      expect(story.voice.dialled.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
      const [first, second] = story.voice.dialled.map(({ at }) => Date.parse(at));
      expect(second! - first!).toBeGreaterThanOrEqual(HOUR);
    });

    test.each<[how: string, calls: Parameters<typeof open>[0]]>([
      [
        'it is asked about it',
        { calls: [async () => undefined], fakes: { lookUpCall: async () => ({ kind: 'lost' }) } },
      ],
      [
        'it is asked to place it once more',
        { fakes: { placeCall: async () => ({ kind: 'refused', reason: 'call-not-found' }) } },
      ],
      ['its end is told by a pass over left calls', { calls: [endsWith('call-not-found')] }],
    ])('the platform has lost a call when %s: staff look after it, and nobody is called again', async (_, told) => {
      const story = await open(told);

      expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
      expect(story.endings).toMatchObject([{ outcome: 'FOLLOW_UP_REQUIRED', taskReason: 'call_lost' }]);
      expect(story.voice.dialled).toHaveLength(1);
    });

    test('the platform loses a call in which the form is completed: that was the call', async () => {
      const story = await open({
        calls: [completesThen(async () => undefined)],
        fakes: { lookUpCall: async () => ({ kind: 'lost' }) },
      });

      expect(await story.outcome()).toBe('RECOVERED');
      expect(story.endings).toMatchObject([{ outcome: 'RECOVERED', taskReason: null }]);
    });

    test('every call is withdrawn at the last moment: it is decided anew, more and more rarely', async () => {
      const story = await open({ fakes: { placeCall: async () => ({ kind: 'withdrawn' }) } });
      await bench.skip(HOUR);
      await story.complete();

      expect(await story.outcome()).toBe('ALREADY_COMPLETED');
      expect(story.voice.dialled.length).toBeGreaterThan(7);
      expect(story.voice.dialled.length).toBeLessThan(20);
      const [sixth = 0, seventh = 0] = story.voice.dialled.slice(5, 7).map(({ at }) => Date.parse(at));
      expect(seventh - sixth).toBeGreaterThanOrEqual(16_000);
      expect(seventh - sixth).toBeLessThan(32_000);
    });

    test('begun anew after Temporal was lost: earlier calls count from when they ended, and nobody is called for them again', async () => {
      const endedAt = new Date(Date.parse(await bench.now()) - 3 * HOUR).toISOString();
      const end = { kind: 'ended', reason: 'customer-did-not-answer', wasAnswered: false, endedAt } as const;
      const story = await open({
        policy: { maxAttempts: 2, secondsBetweenAttempts: 7_200 },
        fakes: { placeCall: async () => ({ kind: 'over', end }) },
      });

      expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
      expect(story.voice.lookUps).toEqual([]);
      const [first, second] = story.voice.dialled;
      expect(Date.parse(second!.at) - Date.parse(first!.at)).toBeLessThan(60_000);
    });

    test('no free line: the attempt waits for one', async () => {
      const story = await open({ calls: [agrees], policy: waits, record: 'busy-line' });
      story.voice.busy = 4;

      expect(await story.outcome()).toBe('RECOVERED');
      expect(story.log.filter((line) => line === 'queued')).toHaveLength(4);
    });
  });

  describe('no call', () => {
    const unreachable: [string, Setting, string][] = [
      ['the patient opted out', { facts: { isOptedOut: true }, record: 'opted-out' }, 'PATIENT_NOT_INTERESTED'],
      ['there is no phone', { facts: { phone: null } }, 'PATIENT_NOT_REACHED'],
      ['no hour of the week permits calls', { policy: { callingHours: {} } }, 'PATIENT_NOT_REACHED'],
      ['the form was completed before', { recovery: { isFormCompleted: true } }, 'ALREADY_COMPLETED'],
    ];
    test.each(unreachable)('is made when %s', async (_situation, setting, outcome) => {
      const story = await open(setting);

      expect(await story.outcome()).toBe(outcome);
      expect(story.log).toEqual(['told the clinic', `${outcome}, completed`, 'told the clinic']);
    });

    test('is made to a patient who opts out between attempts', async () => {
      const story = await open({ calls: [doesNotAnswer] });
      await untilCalled(story, 1);
      story.facts.isOptedOut = true;

      expect(await story.outcome()).toBe('PATIENT_NOT_INTERESTED');
    });
  });

  describe('the form is completed', () => {
    test('before the first call: ALREADY_COMPLETED, at once, without a call', async () => {
      const story = await open({ policy: waits, record: 'completed-before-call' });
      await untilWaiting(story.workflow);
      await story.complete();

      expect(await story.workflow.result()).toBe('ALREADY_COMPLETED');
      expect(story.voice.dialled).toEqual([]);
      await story.outcome();
    });

    test('while the clinic is being told of the case', async () => {
      const story = await open({ when: { sendAtOnce: ({ complete }) => complete() } });

      expect(await story.outcome()).toBe('ALREADY_COMPLETED');
      expect(story.voice.dialled).toEqual([]);
    });

    test('while the next step is decided', async () => {
      const story = await open({ when: { loadRun: ({ complete }) => complete() } });

      expect(await story.outcome()).toBe('ALREADY_COMPLETED');
      expect(story.voice.dialled).toEqual([]);
    });

    test('between attempts: ALREADY_COMPLETED, without another call', async () => {
      const story = await open({ calls: [doesNotAnswer], record: 'completed-between-calls' });
      await untilCalled(story, 1);
      await story.complete();

      expect(await story.workflow.result()).toBe('ALREADY_COMPLETED');
      expect(story.voice.dialled).toHaveLength(1);
      await story.outcome();
    });

    test('while a free line is waited for', async () => {
      const story = await open();
      story.voice.busy = Infinity;
      await untilWaiting(story.workflow);
      await story.complete();

      expect(await story.workflow.result()).toBe('ALREADY_COMPLETED');
    });

    test('while the platform is given time to recover', async () => {
      const story = await open({ calls: [refused] });
      await untilWaiting(story.workflow);
      await story.complete();

      expect(await story.workflow.result()).toBe('ALREADY_COMPLETED');
    });

    test('while the platform refuses a call: nobody waits until it has recovered', async () => {
      const placeCall: Fakes['placeCall'] = async ({ callId }) => {
        // The next wait is then nine minutes long.
        if (callId.endsWith('-call-10')) await story.complete();
        return { kind: 'refused', reason: refused.refused };
      };
      const story = await open({ fakes: { placeCall } });
      await bench.skip(HOUR / 6);

      await eventually(() => story.endings.length > 0);
      expect(await story.outcome()).toBe('ALREADY_COMPLETED');
      expect(story.voice.dialled).toHaveLength(10);
    });

    test('between the intent to call and the ring: nobody rings', async () => {
      const story = await open({ when: { placeCall: ({ complete }) => complete() }, record: 'completed-before-ring' });

      expect(await story.outcome()).toBe('ALREADY_COMPLETED');
      expect(story.log).toContain('withdrawn');
      expect(story.voice.dialled.map(({ wasPlaced }) => wasPlaced)).toEqual([false]);
    });

    test('before the line is reserved', async () => {
      const story = await open({ when: { reserveCall: ({ complete }) => complete() } });

      expect(await story.outcome()).toBe('ALREADY_COMPLETED');
      expect(story.voice.dialled).toEqual([]);
    });

    test.each(['customer-ended-call', 'customer-did-not-answer', 'pipeline-error-openai-llm-failed'])(
      'during a call that ends without a resolution, %s: RECOVERED',
      async (reason) => {
        const story = await open({ calls: [completesThen(endsWith(reason))] });

        expect(await story.outcome()).toBe('RECOVERED');
        expect(story.voice.dialled).toHaveLength(1);
        expect(story.endings[0]).toMatchObject({ resolution: null, taskReason: null });
      },
    );

    test('during a call that the agent resolves: the resolution stands', async () => {
      const story = await open({ calls: [completesThen(resolves('PRICING_ESCALATION'))] });

      expect(await story.outcome()).toBe('PRICING_ESCALATION');
    });

    test('and told of twice: one outcome', async () => {
      const story = await open({ policy: waits });
      await untilWaiting(story.workflow);
      await Promise.all([story.complete(), story.workflow.signal(formCompleted, {})]);

      expect(await story.outcome()).toBe('ALREADY_COMPLETED');
      expect(story.endings).toHaveLength(1);
    });
  });

  describe('messages', () => {
    test('what was resolved is told twice: one outcome', async () => {
      const story = await open({
        calls: [
          async (call) => {
            await resolve(call, 'CLINICAL_ESCALATION');
            await resolve(call, 'CLINICAL_ESCALATION');
            await call.hangUp('assistant-ended-call');
          },
        ],
      });

      expect(await story.outcome()).toBe('CLINICAL_ESCALATION');
      expect(story.endings).toHaveLength(1);
    });

    test('what was resolved is never told: the end of the call brings it', async () => {
      const story = await open({
        calls: [
          async (call) => {
            story.recovery.resolution = resolution('PRICING_ESCALATION');
            await call.hangUp('assistant-ended-call');
          },
        ],
      });

      expect(await story.outcome()).toBe('PRICING_ESCALATION');
      expect(story.voice.dialled).toHaveLength(1);
    });

    test('the end of a call told twice is one attempt; that of an unknown call is none', async () => {
      const story = await open({
        calls: [
          async (call) => {
            await call.workflow.signal(callEnded, {
              callId: 'unknown',
              reason: 'voicemail',
              wasAnswered: false,
              isTest: false,
            });
            await doesNotAnswer(call);
            await doesNotAnswer(call);
          },
          agrees,
        ],
      });

      expect(await story.outcome()).toBe('RECOVERED');
      expect(story.voice.dialled.map(({ attempt }) => attempt)).toEqual([1, 2]);
    });

    test('the end of a call that overtakes the answer of the platform is not lost', async () => {
      const story = await open({
        calls: [async () => undefined, agrees],
        when: {
          placeCall: ({ workflow, voice }) =>
            workflow.signal(callEnded, {
              callId: voice.dialled[0]!.callId,
              reason: 'voicemail',
              wasAnswered: false,
              isTest: false,
            }),
        },
      });

      expect(await story.outcome()).toBe('RECOVERED');
      expect(story.voice.lookUps).toEqual([]);
    });

    test('the end of a call that nobody reports is found out by asking', async () => {
      const story = await open({
        calls: [
          async ({ endUnreported }) => {
            setTimeout(() => endUnreported('customer-ended-call'), 20);
          },
        ],
        record: 'unreported-end',
      });

      expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
      expect(story.voice.lookUps.length).toBeGreaterThan(0);
    });

    test('asking about a call may take longer than the platform is given for its reply', async () => {
      const given: number[] = [];
      const story = await open({
        calls: [async () => undefined],
        fakes: {
          async lookUpCall() {
            given.push(Context.current().info.startToCloseTimeoutMs);
            return { kind: 'lost' };
          },
        },
      });

      expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
      expect(Math.min(...given)).toBeGreaterThan(VAPI_TIMEOUT_MS);
    });

    test('a resolved case stays with its call until that is over', async () => {
      const story = await open({
        calls: [
          async (call) => {
            await resolve(call, 'RECOVERED');
            call.endUnreported('customer-ended-call');
          },
        ],
      });

      expect(await story.outcome()).toBe('RECOVERED');
      expect(story.voice.lookUps).toHaveLength(1);
    });
  });

  describe('a test call', () => {
    const opened = (story: RecoveryStory, callId = 'test-1') => {
      story.isInTestCall = true;
      return story.workflow.executeUpdate(testCallOpened, { args: [{ callId }] });
    };
    const closed = (story: RecoveryStory, callId = 'test-1') =>
      story.workflow.signal(callEnded, { callId, reason: 'closed', wasAnswered: true, isTest: true });

    test('makes the case CALLING while it is open', async () => {
      const story = await open({ policy: waits, calls: [agrees], record: 'test-call' });
      await untilWaiting(story.workflow);
      await opened(story);
      expect(await story.workflow.query(caseState)).toMatchObject({ status: 'CALLING' });
      await closed(story);
      await closed(story);

      expect(await story.outcome()).toBe('RECOVERED');
      expect(story.log.slice(0, 3)).toEqual(['told the clinic', 'CALLING', 'PENDING']);
      expect(story.log.filter((line) => line === 'PENDING')).toHaveLength(1);
    });

    test('can resolve the case', async () => {
      const story = await open({ policy: waits });
      await untilWaiting(story.workflow);
      await opened(story);
      await resolve({ callId: 'test-1', workflow: story.workflow }, 'PRICING_ESCALATION');

      expect(await story.workflow.result()).toBe('PRICING_ESCALATION');
    });

    test('in which the form is completed ends the case as RECOVERED', async () => {
      const story = await open({ policy: waits });
      await untilWaiting(story.workflow);
      await opened(story);
      await story.complete();
      await closed(story);

      expect(await story.workflow.result()).toBe('RECOVERED');
      expect(story.voice.dialled).toEqual([]);
    });

    test('after a call that nobody answered ends the case as well where the form is completed in it', async () => {
      const story = await open({ calls: [doesNotAnswer, agrees] });
      await untilCalled(story, 1);
      await opened(story);
      await story.complete();
      await closed(story);

      expect(await story.workflow.result()).toBe('RECOVERED');
      expect(story.voice.dialled).toHaveLength(1);
      expect(story.endings).toHaveLength(1);
    });

    test('that is over has the next step decided: what was told before it waits no longer', async () => {
      const story = await open({ policy: waits });
      await untilWaiting(story.workflow);
      await opened(story);
      story.isInTestCall = false;
      await story.complete();
      const before = Date.parse(await bench.now());
      await closed(story);

      expect(await story.workflow.result()).toBe('ALREADY_COMPLETED');
      expect(Date.parse(await bench.now()) - before).toBeLessThan(60_000);
    });

    test('of two the last one decides', async () => {
      const story = await open({ policy: waits, calls: [agrees] });
      await untilWaiting(story.workflow);
      await opened(story, 'test-1');
      await opened(story, 'test-2');
      await closed(story, 'test-1');
      expect(await story.workflow.query(caseState)).toMatchObject({ status: 'CALLING' });
      await closed(story, 'test-2');

      expect(await story.outcome()).toBe('RECOVERED');
    });

    test('that ends while an operator cancels leaves nothing half done', async () => {
      const story: RecoveryStory = await open({
        policy: waits,
        fakes: {
          async setCaseStatus({ status }) {
            if (status === 'PENDING') await story.workflow.cancel();
          },
        },
      });
      await untilWaiting(story.workflow);
      await opened(story);
      await closed(story);

      expect(await story.workflow.result()).toBe('FOLLOW_UP_REQUIRED');
      expect(story.endings).toEqual([expect.objectContaining({ status: 'cancelled' })]);
    });

    test('is refused once the case has ended', async () => {
      const story = await open({
        calls: [
          async (call) => {
            await resolve(call, 'RECOVERED');
            await expectRefused(call.workflow.executeUpdate(testCallOpened, { args: [{ callId: 'test-1' }] }), {
              type: 'already_ended',
            });
            await call.hangUp('assistant-ended-call');
          },
        ],
      });

      expect(await story.outcome()).toBe('RECOVERED');
    });
  });

  describe.each([
    ['staff cancel', (workflow: WorkflowHandle) => workflow.executeUpdate(cancelRun, { args: [{ by: 'account:a' }] })],
    ['an operator cancels in Temporal', (workflow: WorkflowHandle) => workflow.cancel()],
  ])('%s', (who, cancel) => {
    const name = who.startsWith('staff') ? 'staff' : 'operator';

    test('while the case waits', async () => {
      const story = await open({ policy: waits, record: `cancelled-by-${name}-while-waiting` });
      await untilWaiting(story.workflow);
      await cancel(story.workflow);

      expect(await story.workflow.result()).toBe('FOLLOW_UP_REQUIRED');
      expect(story.endings).toEqual([expect.objectContaining({ outcome: 'FOLLOW_UP_REQUIRED', status: 'cancelled' })]);
      expect(story.log.at(-1)).toBe('told the clinic');
      await story.outcome();
    });

    test('while a free line is waited for', async () => {
      const story = await open({ record: `cancelled-by-${name}-in-line` });
      story.voice.busy = Infinity;
      await untilWaiting(story.workflow);
      await cancel(story.workflow);

      expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
      expect(story.voice.dialled).toEqual([]);
    });

    test('during a call: the case ends at once, its run when the call does', async () => {
      const story = await open({
        calls: [
          async (call) => {
            await cancel(call.workflow);
            await untilState(call.workflow, 'FOLLOW_UP_REQUIRED');
            await call.hangUp('customer-ended-call');
          },
        ],
        record: `cancelled-by-${name}`,
      });

      expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
      expect(story.endings).toEqual([expect.objectContaining({ status: 'cancelled' })]);
    });

    test('while the clinic is being told of the case', async () => {
      const story = await open({ when: { sendAtOnce: ({ workflow }) => asked(cancel(workflow)) } });

      expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
      expect(story.voice.dialled.filter(({ wasPlaced }) => wasPlaced)).toEqual([]);
    });

    test('while a line is reserved: nobody rings', async () => {
      const story = await open({ when: { reserveCall: ({ workflow }) => asked(cancel(workflow)) } });

      expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
      expect(story.voice.dialled.filter(({ wasPlaced }) => wasPlaced)).toEqual([]);
      expect(story.endings).toEqual([expect.objectContaining({ status: 'cancelled' })]);
    });

    test('between the intent to call and the ring: nobody rings', async () => {
      const story = await open({
        when: {
          async placeCall({ workflow, endings }) {
            await asked(cancel(workflow));
            await eventually(() => endings.length > 0, { every: 5 });
          },
        },
      });

      expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
      expect(story.log).toContain('withdrawn');
    });

    test('between attempts', async () => {
      const story = await open({ calls: [doesNotAnswer] });
      await untilCalled(story, 1);
      await cancel(story.workflow);

      expect(await story.workflow.result()).toBe('FOLLOW_UP_REQUIRED');
      expect(story.voice.dialled).toHaveLength(1);
    });

    test('while another outcome is being written: that one stands, and is written', async () => {
      const story = await open({
        facts: { isOptedOut: true },
        when: { endRun: ({ workflow }) => asked(cancel(workflow).catch(() => undefined)) },
      });

      expect(await story.outcome()).toBe('PATIENT_NOT_INTERESTED');
      expect(story.endings).toHaveLength(1);
      expect(new Set(story.log)).toEqual(new Set(['told the clinic', 'PATIENT_NOT_INTERESTED, completed']));
    });
  });

  test('a workflow that has ended is not cancelled by staff', async () => {
    const story = await open({
      calls: [
        async (call) => {
          await resolve(call, 'RECOVERED');
          await expectRefused(call.workflow.executeUpdate(cancelRun, { args: [{ by: 'account:a' }] }), {
            type: 'already_ended',
          });
          await call.hangUp('assistant-ended-call');
        },
      ],
    });

    expect(await story.outcome()).toBe('RECOVERED');
  });

  describe('trouble', () => {
    test('an activity that fails for a while delays the case', async () => {
      let failures = 2;
      const story = await open({
        calls: [agrees],
        fakes: {
          async loadRun() {
            failures -= 1;
            if (failures >= 0) throw new Error('the database is away');
            return story.facts;
          },
        },
        record: 'record-retried',
      });

      expect(await story.outcome()).toBe('RECOVERED');
      expect(failures).toBe(-1);
    });

    test('an activity that fails for good leaves the case to staff, and its run failed', async () => {
      const story = await open({
        fakes: {
          async loadRun() {
            throw ApplicationFailure.nonRetryable('the case is unknown', 'not_found');
          },
        },
      });

      const error: unknown = await story.outcome().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(WorkflowFailedError);
      expect((error as WorkflowFailedError).cause).toMatchObject({ type: 'not_found' });
      expect(story.endings).toEqual([expect.objectContaining({ outcome: 'FOLLOW_UP_REQUIRED', status: 'failed' })]);
      expect(story.log.at(-1)).toBe('told the clinic');
    });

    test('an outcome that cannot be written fails the run, for all to see', async () => {
      const story = await open({
        calls: [(call) => resolve(call, 'RECOVERED')],
        fakes: {
          async endRun() {
            throw ApplicationFailure.nonRetryable('the record is broken', 'broken_record');
          },
        },
      });

      await expect(story.outcome()).rejects.toBeInstanceOf(WorkflowFailedError);
    });
  });

  describe('what operators see', () => {
    test('ids and states to search by, and where the case stands', async () => {
      const seen: string[] = [];
      const story = await open({
        policy: waits,
        calls: [
          async (call) => {
            seen.push(await currentDetails(call.workflow));
            await doesNotAnswer(call);
          },
          async (call) => {
            const used = { callId: call.callId, tool: 'submit_insurance_info', fact: 'insurance_updated' } as const;
            await call.workflow.signal(toolUsed, used);
            seen.push(await currentDetails(call.workflow));
            await agrees(call);
          },
        ],
        recovery: { sessionId: 'session-to-search' },
      });
      await untilWaiting(story.workflow);
      seen.push(await currentDetails(story.workflow));

      expect(await story.outcome()).toBe('RECOVERED');
      const { typedSearchAttributes } = await story.workflow.describe();
      const shown = Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
      expect(shown).toEqual({
        ClinicId: 'clinic-1',
        RecoveryCaseId: story.caseId,
        SessionId: searchableSession(testPayloadKeys, 'clinic-1', 'session-to-search')[0],
        CaseStatus: 'RECOVERED',
      });
      expect(seen).toEqual([
        expect.stringMatching(/^Waiting until .*Z: first call delay$/),
        'Attempt 1',
        'In a call: insurance updated',
      ]);
      expect(await currentDetails(story.workflow)).toBe('Ended: RECOVERED');
    });

    test('nothing of the patient, in any event of the history', async () => {
      const story = await open({
        facts: { phone: '+15005550199' },
        recovery: { sessionId: 'session-1' },
        calls: [agrees],
      });
      await story.outcome();

      const text = readable(await story.workflow.fetchHistory());
      expect(text).toContain('"RECOVERED"');
      expect(text).not.toContain('5005550199');
    });
  });

  /** The workflow has had so many calls and waits for the next. */
  async function untilCalled(story: RecoveryStory, calls: number): Promise<void> {
    await eventually(() => story.log.filter((line) => line === 'PENDING').length >= calls, { every: 5 });
    await untilWaiting(story.workflow);
  }
});

describe('a platform that is down for days', () => {
  let bench: WorkflowBench;
  beforeAll(async () => {
    bench = await openBench();
  });
  afterAll(() => bench.close());

  test('costs no attempt; in the end staff are asked to look', async () => {
    const story = await openCase(bench, {
      calls: Array.from({ length: 61 }, () => ({ refused: 'call.start.error-vapifault' })),
    });

    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    expect(story.tasks).toEqual(['platform_fault']);
    expect(story.endings[0]).toMatchObject({ status: 'completed' });
    expect(story.voice.dialled.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(hoursBetween(story.voice.dialled)).toBeGreaterThan(45);
    expect(hoursBetween(story.voice.dialled)).toBeLessThan(60);
  });
});

function hoursBetween(calls: { at: string }[]): number {
  return (Date.parse(calls.at(-1)!.at) - Date.parse(calls[0]!.at)) / 3_600_000;
}
