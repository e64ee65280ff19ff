import { changeOf, type Mutant, type Operator } from './mutant';

/** A change that no test can notice, found again by its line wherever that stands. */
interface Equivalent {
  file: string;
  operator: Operator;
  /** The line without its margin, and what of it is replaced by what: as `npm run prove -- mutation` lists survivors. */
  at: string;
  change: string;
  /** Why nothing can be told apart. */
  reason: string;
}

const equivalents: Equivalent[] = [];

/** Why a mutant is none; null where it is one. */
export function reasonAgainst(mutant: Mutant, text: string): string | null {
  const found = equivalents.find(
    ({ file, operator, at, change }) =>
      file === mutant.file && operator === mutant.operator && at === mutant.at && change === changeOf(mutant, text),
  );
  return found?.reason ?? null;
}
