import { EHR_CHANGE } from '@clinic/shared/domain/operations/clinic-faults';
import type { Stores } from '@clinic/prisma/stores';
import type { LiveCall } from '@clinic/prisma/stores/outreach/live-calls';
import { z } from 'zod';
import type { ClinicApiFailure } from '../../clinic-api/result';
import type { CalendarAppointment, NotChanged, TimeRefusal } from '../port';
import type { EhrAnswer } from './server';

/** A change at the EHR, as the task keeps it that stands for it until its end is known. */
const Change = z.object({
  action: z.enum(['book', 'move', 'cancel']),
  key: z.string(),
  startsAt: z.string(),
  appointment: z
    .object({
      id: z.string(),
      providerName: z.string().nullable(),
      actor: z.string().nullable(),
      visitType: z.string(),
      startsAt: z.string(),
    })
    .nullable(),
});
type Change = z.infer<typeof Change>;

const Pending = Change.extend({
  /** Whether it was asked for and nobody knows what came of it. */
  isOpen: z.boolean(),
});

export interface UnfinishedChanges {
  /** The change of this call whose end is unknown; null where there is none. */
  unfinished(): Promise<Change | null>;
  /**
   * Makes a change, which is on record as a task from before it is asked for until its end is known: a process that dies, or an
   * answer that is lost, leaves the task. While the end of one is unknown nothing else is changed in this call; the same one is
   * asked for again only where that cannot make a second appointment. `ifMade` answers for a booking that turns out to be made.
   */
  run<Done>(
    change: Change,
    work: () => Promise<EhrAnswer<Done>>,
    ifMade?: (appointment: CalendarAppointment) => Done,
  ): Promise<Done | NotChanged>;
  /** Leaves a look-up that failed to staff, once in a call. */
  leaveLookUp(failure: ClinicApiFailure): Promise<LeftToStaff>;
}

type LeftToStaff = Extract<NotChanged, { kind: 'left_to_staff' }>;

interface Options {
  call: LiveCall;
  tasks: Pick<Stores['tasks'], 'intend' | 'open' | 'pending' | 'withdraw'>;
  /** The id of a booking at the server; null where it is not on record there, a refusal where it was undone. */
  findBooking: (booking: { key: string; startsAt: string }) => Promise<EhrAnswer<string | null>>;
}

const leftToStaff: LeftToStaff = { kind: 'left_to_staff' };
const slotTaken: TimeRefusal = { kind: 'time_refused', reason: 'slot_taken' };

/** The changes of one call at its clinic's EHR. */
export function createUnfinishedChanges({ call, tasks, findBooking }: Options): UnfinishedChanges {
  const { clinicId, callId, patientId, caseId, workflowId } = call;
  const cause = `${EHR_CHANGE}${callId}`;
  const about = { clinicId, reason: 'booking_to_check', patientId, callId, caseId, workflowId } as const;

  const noted = async () => {
    const task = await tasks.pending(clinicId, cause);
    const intent = Pending.safeParse(task?.detail.intent).data;
    return task && intent && { isClosed: task.isClosed, detail: { ...task.detail, intent } };
  };
  /** The task of a change that failed: a booking makes up for another one, and any change of a visit for one of the same visit. */
  const failedCause = ({ action, appointment }: Change) => `${cause}:${appointment?.id ?? action}`;
  const note = (change: Change, why: string, isOpen: boolean) => {
    const { action, startsAt } = change;
    return tasks.intend({ ...about, cause, detail: { why, action, startsAt, intent: { ...change, isOpen } } });
  };
  const withdraw = () => tasks.withdraw(clinicId, cause);
  const makeUpFor = (change: Change) => tasks.withdraw(clinicId, failedCause(change));
  /** What a booking of this call, whose answer was lost, has come to: made, or undone as somebody else came first; null where nobody knows. */
  const endOfLost = async ({ action, key, startsAt }: Change): Promise<CalendarAppointment | TimeRefusal | null> => {
    if (action !== 'book') return null;
    const found = await findBooking({ key, startsAt });
    if (found.kind === 'refused' && found.because === 'time_taken') return slotTaken;
    if (found.kind !== 'done' || found.value === null) return null;
    return { id: found.value, providerName: null, startsAt, status: 'booked' };
  };

  return {
    async unfinished() {
      const pending = (await noted())?.detail.intent;
      return pending?.isOpen ? pending : null;
    },

    async run(change, work, ifMade) {
      const before = await noted();
      const last = before?.detail.intent;
      const earlier = last?.isOpen ? last : null;
      if (earlier) {
        const isSame = earlier.key === change.key;
        const end = await endOfLost(earlier);
        const mayRepeat = isSame && change.action !== 'book';
        if (end === null && !mayRepeat) return leftToStaff;
        if (end !== null) {
          await withdraw();
          if ('kind' in end) {
            if (isSame) return end;
          } else {
            await makeUpFor(earlier);
            return isSame && ifMade ? ifMade(end) : { kind: 'booked_before', appointment: end };
          }
        }
      }
      // The next change takes over the task of the call: what has failed before keeps one of its own until something makes up for it, or staff have closed it.
      if (before && last && !before.isClosed && !last.isOpen && last.key !== change.key)
        await tasks.intend({ ...about, cause: failedCause(last), detail: before.detail });
      const isMine = await note(change, 'It was asked of your own system, and nobody knows yet what came of it.', true);
      // Another request of this call is at work.
      if (!isMine) return leftToStaff;
      const answer = await work();
      const end = endOf(answer);
      if (answer.kind !== 'done' && end === leftToStaff) await note(change, whyNot(answer), !changedNothing(answer));
      else await withdraw();
      if (answer.kind === 'done') await makeUpFor(change);
      return end;
    },

    async leaveLookUp(failure) {
      await tasks.open({ ...about, cause: `ehr_look_up:${callId}`, detail: { why: whyNot(failure) } });
      return leftToStaff;
    },
  };
}

function endOf<Done>(answer: EhrAnswer<Done>): Done | NotChanged {
  if (answer.kind === 'done') return answer.value;
  if (answer.kind === 'refused' && answer.because === 'time_taken') return slotTaken;
  return answer.kind === 'unusable' ? { kind: 'patient_not_identified' } : leftToStaff;
}

/** A refusal, or a circuit that is open, has left everything there as it was, unless a part of it was done before. */
function changedNothing(failure: ClinicApiFailure): boolean {
  if ('isInPart' in failure && failure.isInPart) return false;
  return failure.kind !== 'unavailable' || failure.error === 'circuit_open' || failure.error === 'unauthorized';
}

function whyNot(failure: ClinicApiFailure): string {
  switch (failure.kind) {
    case 'unavailable':
      return `Your own system did not answer: ${failure.said ?? failure.error}.`;
    case 'refused':
      return `Your own system answered ${failure.fault}${failure.isInPart ? ', after a part of it was done' : ''}.`;
    case 'unusable':
      return `Your own system could not be asked: ${failure.reason}.`;
    case 'not_permitted':
      return 'Your own system is switched off meanwhile.';
  }
}
