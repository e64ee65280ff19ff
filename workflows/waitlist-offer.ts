import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import { endOfOffer, offerOutcome } from '@clinic/shared/domain/calendar/waitlist';
import type { OutcomeOf } from '@clinic/shared/domain/outreach/workflow-types';
import { openOutreach } from './outreach/outreach';
import type { RunInput } from './outreach/outreach-state';
import { recordsAtOnce } from './timeouts';

const { postponeOffer } = proxyLocalActivities<Activities>(recordsAtOnce);

/** A time has become free that the patient waits for, and is held for them. Call before the hold ends, and ask whether they take it. */
export async function waitlistOffer(input: RunInput): Promise<OutcomeOf<'waitlist-offer'>> {
  const outreach = openOutreach('waitlist-offer', input);
  const { clinicId } = input;
  return outreach.reach({
    async decide(facts) {
      const { offer } = facts;
      // Started over REST: staff have a time in mind that the records do not hold.
      if (!offer) return outreach.nextCall(facts);
      const outcome = endOfOffer(offer, new Date().toISOString());
      if (outcome) return { kind: 'end', outcome };
      const step = outreach.nextCall(facts, { uselessFrom: offer.endsAt });
      // Who was not called yet and may be only later is passed over until then: the time goes to the next on the list.
      const whenever = outreach.nextCall(facts);
      const isTooLate = step.kind === 'no_call' || (step.kind === 'wait' && step.reason === 'paused');
      if (isTooLate && whenever.kind === 'wait' && outreach.attempts() === 0) {
        // What is freed while outreach is paused is offered to nobody, so that nobody need be put off longer than the pause.
        const until = step.kind === 'wait' ? new Date().toISOString() : whenever.until;
        await postponeOffer({ clinicId, workflowId: outreach.workflowId, until });
        return { kind: 'end', outcome: 'PATIENT_NOT_REACHED' };
      }
      return step;
    },
    uncalled: (reason) => (reason === 'opted_out' ? 'DECLINED' : 'PATIENT_NOT_REACHED'),
    conclude: async (call) => offerOutcome(await outreach.review(call)),
  });
}
