import { CancellationScope, setCurrentDetails, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import type { Outcome } from '@clinic/shared/domain/outreach/workflow-types';
import * as messages from '../messages';
import type { OutreachState } from './outreach-state';
import { shielded } from './shielded';
import type { Story } from './story';

/** Who cancels a workflow in Temporal itself. */
const OPERATOR = 'operator';

/** What every outreach hears of, whatever its type. */
export function setHandlers<Ends extends Outcome>(outreach: OutreachState<Ends>, story: Story<Ends>): void {
  const { line, analysed } = outreach;
  const cancel = shielded((told?: { by: string }) =>
    outreach.end('FOLLOW_UP_REQUIRED', { status: 'cancelled', isInUpdate: true, cancelledBy: told?.by }),
  );
  setHandler(messages.lineFreed, () => {
    outreach.isLineFree = true;
  });
  setHandler(messages.rulesChanged, outreach.wake);
  setHandler(messages.callAnalysed, ({ callId }) => void analysed.add(callId));
  setHandler(messages.toolUsed, ({ fact }) => {
    if (outreach.isOpen()) setCurrentDetails(`In a call: ${fact.replaceAll('_', ' ')}`);
  });
  setHandler(messages.runEnd, () => outreach.ended);
  setHandler(messages.cancelRun, cancel, { validator: outreach.refuseIfEnded });
  setHandler(
    messages.callEnded,
    shielded(async ({ callId, reason, wasAnswered, isTest, endedAt }) => {
      if (isTest) await closeTestCall(outreach, story, { callId, reason });
      else line.hangUp(callId, { kind: 'ended', reason, wasAnswered, endedAt });
    }),
  );
  // The task fails and is given to another worker, until one comes whose release knows the message: none is passed over.
  setDefaultSignalHandler((name) => {
    if (!Object.hasOwn(messages, name)) throw new Error(`this release does not know the message ${name}`);
  });
  // Anyone who waits for the end is told of a write that failed.
  CancellationScope.current()
    .cancelRequested.catch(() => cancel({ by: OPERATOR }))
    .catch(() => undefined);
}

/** The last call that is over decides. What was told while it went on is decided about when it is over, as after any other call. */
async function closeTestCall<Ends extends Outcome>(
  outreach: OutreachState<Ends>,
  story: Story<Ends>,
  { callId, reason }: { callId: string; reason: string },
): Promise<void> {
  const { known, line } = outreach;
  if (!known.testCalls.includes(callId)) return;
  known.testCalls = known.testCalls.filter((id) => id !== callId);
  const isInCall = line.isInCall() || known.testCalls.length > 0;
  const over = { callId, reason, ending: 'conversation', wasAnswered: true } as const;
  const outcome = isInCall ? null : await story.conclude(over);
  if (outcome) return outreach.end(outcome);
  await outreach.backToPending();
  if (!isInCall) outreach.wake();
}
