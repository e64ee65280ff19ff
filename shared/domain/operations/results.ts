import { datesOf, type Period } from './periods';

/** What was counted of the recovery cases that were opened in a stretch of time. */
export interface CaseCounts {
  opened: number;
  ended: number;
  recovered: number;
  /** Finished by the patient before a call: neither won nor lost by calling. */
  alreadyCompleted: number;
  /** Ended in any other way. */
  lost: number;
  /** Cases whose patient's phone rang. */
  called: number;
  /** Of those, cases in which a person answered. */
  reached: number;
  /** Calls that rang, of all cases. */
  calls: number;
  /** Of the unit prices that came with the forms. */
  valueRecovered: number;
  valueLost: number;
  /** Of all calls of these cases, as the platform bills them. */
  callCostUsd: number;
  callSeconds: number;
}

export const noCases: CaseCounts = {
  opened: 0,
  ended: 0,
  recovered: 0,
  alreadyCompleted: 0,
  lost: 0,
  called: 0,
  reached: 0,
  calls: 0,
  valueRecovered: 0,
  valueLost: 0,
  callCostUsd: 0,
  callSeconds: 0,
};

/** Each day of a period, those without a case too. */
export function onEveryDay<Day extends CaseCounts & { date: string }>(
  period: Period,
  byDay: readonly Day[],
): (CaseCounts & { date: string })[] {
  const found = new Map(byDay.map((day) => [day.date, day]));
  return datesOf(period).map((date) => found.get(date) ?? { ...noCases, date });
}

export interface CaseRates {
  /** Of the cases that ended, without those that the patient finished alone; from 0 to 1. */
  recoveryRate: number | null;
  /** Of the cases whose patient was called; from 0 to 1. */
  reachRate: number | null;
  callsPerRecovery: number | null;
}

/** Null where there is nothing to divide by. */
export const ratesOf = ({ recovered, lost, called, reached, calls }: CaseCounts): CaseRates => ({
  recoveryRate: ratio(recovered, recovered + lost),
  reachRate: ratio(reached, called),
  callsPerRecovery: ratio(calls, recovered),
});

/** What recovery brought and cost, in the clinic's currency; null where nobody has said what a dollar costs in it. */
export interface Money {
  callCost: number | null;
  /** What was recovered, without what the calls cost. */
  net: number | null;
  costPerRecovered: number | null;
  netPerRecovered: number | null;
}

/** `usdRate` is what a US dollar costs; `recoveredPatients` counts each patient once. */
export function moneyOf(
  { valueRecovered, callCostUsd }: CaseCounts,
  { usdRate, recoveredPatients }: { usdRate: number | null; recoveredPatients: number },
): Money {
  if (usdRate === null) return { callCost: null, net: null, costPerRecovered: null, netPerRecovered: null };
  const callCost = callCostUsd * usdRate;
  const net = valueRecovered - callCost;
  return {
    callCost,
    net,
    costPerRecovered: ratio(callCost, recoveredPatients),
    netPerRecovered: ratio(net, recoveredPatients),
  };
}

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
