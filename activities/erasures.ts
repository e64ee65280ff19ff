import { ApplicationFailure } from '@temporalio/activity';
import type { Logger } from '@clinic/shared/log';
import type { Stores } from '@clinic/prisma/stores';
import type { ErasedIds, ReplyPlace } from '@clinic/prisma/stores/patients/erased-rows';
import type { ErasureRecord } from '@clinic/prisma/stores/patients/erased-rows';
import { withHeartbeat } from './heartbeat';

interface Erasure {
  clinicId: string;
  id: string;
}

/** What keeps a patient from being erased. */
export interface WhatIsOpen {
  /** Ids of open runs, of many not all. */
  runs: string[];
  /** Who asked for the erasure, as the audit names them. */
  by: string;
  openCalls: number;
  /** Runs of which the clinic is still to be told. */
  owed: number;
  /** Since it was requested. */
  ageMs: number;
}

export interface ErasureActivityDeps {
  stores: Stores;
  /** Has Temporal delete the histories of what was erased. Returns whether none was left when it was asked. */
  deleteHistoriesOf: (erased: ErasedIds) => Promise<boolean>;
  log: Logger;
}

/** Well within an activity's time. */
const TURN_MS = 4_000;

/** The steps of an erasure. Each is safe to repeat: what was done stands in the records. */
export function createErasureActivities({ stores, deleteHistoriesOf, log }: ErasureActivityDeps) {
  const find = async ({ clinicId, id }: Erasure): Promise<ErasureRecord> => {
    const erasure = await stores.erasures.find(clinicId, id);
    if (!erasure) throw ApplicationFailure.nonRetryable(`erasure ${id} is unknown`, 'not_found');
    return erasure;
  };

  return {
    /** Closes the patient's test calls, which nobody else does, and returns what is open then; null once the records are gone. */
    async whatIsOpen(ref: Erasure): Promise<WhatIsOpen | null> {
      const erasure = await find(ref);
      if (erasure.state !== 'REQUESTED') return null;
      const { testCalls, ...standing } = await stores.erasures.standing(erasure);
      for (const callId of testCalls) await stores.calls.closeTestCall(ref.clinicId, callId);
      return { ...standing, openCalls: standing.openCalls - testCalls.length, by: erasure.requestedBy };
    },

    eraseRecords: (ref: Erasure): Promise<'erased' | 'busy'> =>
      withHeartbeat(async () => {
        const { kind } = await stores.erasures.erase(await find(ref));
        if (kind === 'in_line')
          throw ApplicationFailure.retryable('another patient of the clinic is being erased', kind);
        return kind;
      }),

    deleteErasedHistories: (ref: Erasure): Promise<boolean> =>
      withHeartbeat(async () => deleteHistoriesOf(await stores.erasures.erasedIds(await find(ref)))),

    /** Forgets replies for some seconds, beginning after a place. Returns where to go on; null where nothing is left. */
    forgetErasedReplies: ({ after, ...ref }: Erasure & { after: ReplyPlace | null }): Promise<ReplyPlace | null> =>
      withHeartbeat(async () => {
        const until = Date.now() + TURN_MS;
        const erasure = await find(ref);
        let next = await stores.erasures.forgetReplies(erasure, after);
        while (next !== null && Date.now() < until) next = await stores.erasures.forgetReplies(erasure, next);
        return next;
      }),

    async endErasure(ref: Erasure): Promise<void> {
      await stores.erasures.markDone(await find(ref));
      log.info({ clinicId: ref.clinicId, subject: ref.id }, 'an erasure is done');
    },
  };
}
