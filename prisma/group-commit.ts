import { AppError } from '@clinic/shared/errors';
import { forAll } from './while-held';

/** Nobody waits longer than this for the commits of others; whoever has is told to come again. */
const MAX_WAIT_MS = 1_000;
/** One connection stores a batch row by row: more of them would only wait for each other. */
const MAX_BATCH = 64;

type Commit<Item, Result> = (items: readonly Item[], how: { isAlone: boolean }) => Promise<readonly Result[]>;

export interface GroupCommit<Item, Result> {
  (item: Item): Promise<Result>;
  /** Whether anything waits for the commit before its own. */
  isBehind(): boolean;
}

interface Waiting<Item, Result> {
  item: Item;
  since: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Commits together what arrives while the commit before is under way. One that arrives alone waits for nothing, and the more
 * arrive at once the fewer commits they cost. Each resolves after the commit it is in. `commit` returns the results in the order of its items,
 * and is safe to repeat: when it fails, each item is committed by itself (`isAlone`), which nobody waits for, so that one that cannot be
 * stored fails alone. An item that has waited too long is refused as `unavailable`, and is not stored.
 */
export function createGroupCommit<Item, Result>({
  commit,
  lanes = 1,
  laneOf = () => 0,
  maxBatch = MAX_BATCH,
  maxWaitMs = MAX_WAIT_MS,
}: {
  commit: Commit<Item, Result>;
  /** So many commits at once. What must not meet in the database goes by the same lane. */
  lanes?: number;
  laneOf?: (item: Item) => number;
  maxBatch?: number;
  maxWaitMs?: number;
}): GroupCommit<Item, Result> {
  const all = Array.from({ length: lanes }, () => createLane({ commit, maxBatch, maxWaitMs }));
  const add = async (item: Item) => {
    const lane = all[laneOf(item) % lanes];
    if (!lane) throw new Error('a lane is a whole number from 0 on');
    return lane(item);
  };
  return Object.assign(add, { isBehind: () => all.some((lane) => lane.isBehind()) });
}

function createLane<Item, Result>({
  commit,
  maxBatch,
  maxWaitMs,
}: {
  commit: Commit<Item, Result>;
  maxBatch: number;
  maxWaitMs: number;
}): GroupCommit<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let isBusy = false;
  const isLate = ({ since }: Waiting<Item, Result>) => performance.now() - since >= maxWaitMs;
  const refuseLate = () => {
    for (const each of waiting.filter(isLate)) each.reject(tooSlow());
    waiting = waiting.filter((each) => !isLate(each));
  };

  const alone = ({ item, resolve, reject }: Waiting<Item, Result>) =>
    commit([item], { isAlone: true }).then(([result]) => resolve(result as Result), reject);

  const commitAll = async () => {
    isBusy = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      const watch = setInterval(refuseLate, maxWaitMs / 4);
      try {
        const results = await commit(
          batch.map(({ item }) => item),
          { isAlone: false },
        );
        batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
      } catch (error) {
        // What has waited so long already is not tried again.
        for (const each of batch) void (isLate(each) ? each.reject(error) : alone(each));
      }
      clearInterval(watch);
    }
    isBusy = false;
  };

  const add = (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, since: performance.now(), resolve, reject });
      if (!isBusy) void forAll(commitAll);
    });
  return Object.assign(add, { isBehind: () => waiting.length > 0 });
}

const tooSlow = () => new AppError('unavailable', 'Too much is being stored; please try again shortly');
