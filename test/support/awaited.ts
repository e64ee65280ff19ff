import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database } from '@clinic/prisma/client';
import type { Stores } from '@clinic/prisma/stores';
import type { Sql } from '@clinic/prisma/sql';

/** How many statements of a call of a store have begun and have no answer yet. */
const ofCall = new AsyncLocalStorage<{ open: number }>();

/**
 * A database whose transactions refuse a statement while the one before has no answer, and an end while one has none: nobody would
 * hear how it failed, and what is answered would be told as stored.
 */
export function awaitedDatabase(database: Database): Database {
  return {
    ...database,
    sql: countedIn(database.sql),
    transaction: (work) =>
      database.transaction(async (tx) => {
        let isBusy = false;
        const oneByOne: Sql = async (text, ...values) => {
          if (isBusy) throw new Error(`a statement of a transaction was not awaited before: ${text.join('…').trim()}`);
          isBusy = true;
          return tx<never>(text, ...values).finally(() => (isBusy = false));
        };
        const result = await work(oneByOne);
        if (isBusy) throw new Error('the last statement of a transaction was not awaited');
        return result;
      }),
  };
}

const countedIn =
  (sql: Sql): Sql =>
  async (text, ...values) => {
    const call = ofCall.getStore();
    if (!call) return sql<never>(text, ...values);
    call.open += 1;
    return sql<never>(text, ...values).finally(() => (call.open -= 1));
  };

/** Stored together with what comes meanwhile, which is no statement of the call alone. */
const together = new Set(['audit.writeRequest', 'runs.openRun', 'runs.openRecovery', 'inboundEvents.formCompleted']);

/** Stores over such a database that answer no call before all of its statements are answered. */
export function awaitedStores(stores: Stores): Stores {
  const watched = Object.entries(stores).map(([store, members]) => [
    store,
    Object.fromEntries(
      Object.entries(members).map(([name, member]) => {
        const given: unknown = member;
        if (typeof given !== 'function' || together.has(`${store}.${name}`)) return [name, given];
        const method = given as (...args: unknown[]) => unknown;
        return [name, (...args: unknown[]) => watch(`${store}.${name}`, () => method.apply(members, args))];
      }),
    ),
  ]);
  return Object.fromEntries(watched) as Stores;
}

function watch(name: string, ask: () => unknown): unknown {
  const call = { open: 0 };
  const answer = ofCall.run(call, ask);
  if (!(answer instanceof Promise)) return answer;
  return answer.then((result: unknown) => {
    if (call.open > 0) throw new Error(`${name} was answered before its statements were`);
    return result;
  });
}
