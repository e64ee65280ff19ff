import { createHash } from 'node:crypto';
import type { Database } from '../../client';
import { createGroupCommit, type GroupCommit } from '../../group-commit';

/** What arrives from outside once and counts, as `take_in` of the migration reads it. */
export interface Arrival {
  kind: 'opening' | 'completion';
  clinicId: string;
  sessionId: string;
  /** By which an erasure of what it is about is recognised. */
  erasedKeys: string[];
  [part: string]: unknown;
}

export interface TakenIn {
  isNewEvent: boolean;
  /** Of a run that was opened by it. */
  patientId: string | null;
  /** Of a case whose form is completed. */
  workflowId: string | null;
  caseId: string | null;
}

/** Stores an arrival with all that follows from it, in one commit with those that arrive at the same time. */
export type Intake = GroupCommit<Arrival, TakenIn>;

const LANES = 2;

export const createIntake = ({ sql }: Database): Intake =>
  createGroupCommit({
    lanes: LANES,
    laneOf: ({ sessionId }) => lockOf(sessionId),
    async commit(arrivals: readonly Arrival[], { isAlone }) {
      const rows = await sql<TakenIn & { place: number }>`
        select place, is_new_event as "isNewEvent", patient_id as "patientId", workflow_id as "workflowId", case_id as "caseId"
        from take_in(${JSON.stringify(arrivals)}::jsonb, ${isAlone})`;
      const taken = new Map(rows.map(({ place, ...row }) => [place, row]));
      return arrivals.map((_, index) => {
        const row = taken.get(index + 1);
        if (!row) throw new Error('every arrival has a row');
        return row;
      });
    },
  });

/** Sessions of one number may share a lock, as `lock_of_session` tells: in two lanes they would wait for each other. */
const lockOf = (sessionId: string): number => createHash('sha256').update(sessionId).digest()[1] ?? 0;
