import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@clinic/prisma/client';
import { eventually } from './eventually';

/** How many statements on this database wait for the lock of another transaction. */
export async function waitingForLocks({ sql }: Pick<Database, 'sql'>): Promise<number> {
  const waiting = await sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return waiting.length;
}

/** What is answered where a table takes no writes for a while: nothing, until it does again. */
export const answeredOnceWritten = <T>(
  database: Pick<Database, 'sql' | 'transaction'>,
  table: 'staff_tasks' | 'task_notes' | 'viewers' | 'secrets',
  ask: () => Promise<T>,
): Promise<{ before: boolean; answer: T }> =>
  whileHeld(
    database,
    async (tx) => {
      if (table === 'staff_tasks') await tx`lock table staff_tasks in exclusive mode`;
      else if (table === 'task_notes') await tx`lock table task_notes in exclusive mode`;
      else if (table === 'viewers') await tx`lock table viewers in exclusive mode`;
      else await tx`lock table secrets in exclusive mode`;
    },
    ask,
  );

/** The same where a patient's own row takes none; others may still name the patient. */
export const answeredOncePatientIsWritten = <T>(
  database: Pick<Database, 'sql' | 'transaction'>,
  patientId: string,
  ask: () => Promise<T>,
): Promise<{ before: boolean; answer: T }> =>
  whileHeld(database, (tx) => tx`select 1 from patients where id = ${patientId} for no key update`, ask);

async function whileHeld<T>(
  { sql, transaction }: Pick<Database, 'sql' | 'transaction'>,
  hold: (tx: Database['sql']) => Promise<unknown>,
  ask: () => Promise<T>,
): Promise<{ before: boolean; answer: T }> {
  let isAnswered = false;
  const held = await transaction(async (tx) => {
    await hold(tx);
    const asking = ask().finally(() => (isAnswered = true));
    await eventually(async () => (await waitingForLocks({ sql })) > 0, { within: 10_000 });
    await delay(120);
    return { asking, before: isAnswered };
  });
  return { before: held.before, answer: await held.asking };
}

/** What is answered to who asks while another process is in the midst of a change, and goes on with it once that one waits, or is done. */
export async function whileChanging<T>(
  { sql, transaction }: Pick<Database, 'sql' | 'transaction'>,
  change: (tx: Database['sql']) => Promise<unknown>,
  ask: () => Promise<T>,
  goOn?: (tx: Database['sql']) => Promise<unknown>,
): Promise<T> {
  let isAnswered = false;
  const { asking } = await transaction(async (tx) => {
    await change(tx);
    const asked = ask().finally(() => (isAnswered = true));
    await eventually(async () => isAnswered || (await waitingForLocks({ sql })) > 0, { every: 5, within: 10_000 });
    await goOn?.(tx);
    return { asking: asked };
  });
  return asking;
}
