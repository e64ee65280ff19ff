/** What was counted of the recovery cases that were opened in a stretch of time. */
export interface CaseCounts {
  opened: number;
  ended: number;
  recovered: number;
  /** Finished by the patient before a call: neither won nor lost by calling. */
  alreadyCompleted: number;
  /** Cases whose patient's phone rang. */
  called: number;
  /** Of those, cases in which a person answered. */
  reached: number;
  /** Calls that rang, of all cases. */
  calls: number;
}

export interface CaseRates {
  /** Of the cases that ended, without those that the patient finished alone; from 0 to 1. */
  recoveryRate: number | null;
  /** Of the cases whose patient was called; from 0 to 1. */
  reachRate: number | null;
  callsPerRecovery: number | null;
}

/** Null where there is nothing to divide by. */
export const ratesOf = ({ ended, recovered, alreadyCompleted, called, reached, calls }: CaseCounts): CaseRates => ({
  recoveryRate: ratio(recovered, ended - alreadyCompleted),
  reachRate: ratio(reached, called),
  callsPerRecovery: ratio(calls, recovered),
});

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
