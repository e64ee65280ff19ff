import { setTimeout as delay } from 'node:timers/promises';
import { aPhone } from '../faults/load';
import { formSender } from './forms';
import { load } from './load';
import type { BenchStack } from './stack';

const FEW = 100;
const MANY = 10_000;
const BATCH = 500;
/** One patient in so many has a phone; the others' cases end at once. */
const CALLED = 10;

/** Resident memory of API and worker after many cases, beside that after a few; every tenth case is called. */
export async function memory(stack: BenchStack): Promise<void> {
  const { analyze, settled } = stack;
  const send = formSender(stack);
  const run = async (from: number, to: number) => {
    const work = (index: number) => send(`memory-${from + index}`, phoneOf(from + index));
    await load({ clients: 16, times: to - from, work });
    await settled();
  };

  await run(0, FEW);
  // What is let go of soon is no growth.
  await delay(5_000);
  const few = stack.memory();
  for (let from = FEW; from < MANY; from += BATCH) {
    await run(from, Math.min(from + BATCH, MANY));
    await analyze();
    const { api: ofApi, worker } = stack.memory();
    console.log(`  ${Math.min(from + BATCH, MANY)} cases: API ${ofApi.toFixed(0)} MB, worker ${worker.toFixed(0)} MB`);
  }
  await delay(5_000);
  const many = stack.memory();
  const line = (name: 'api' | 'worker') =>
    `  ${name.padEnd(9)} ${few[name].toFixed(0)} MB after ${FEW}, ${many[name].toFixed(0)} MB after ${MANY}: ` +
    `${(many[name] / few[name]).toFixed(2)}   goal <= 1.3`;
  console.log(`Memory\n${line('api')}\n${line('worker')}\n`);
}

const phoneOf = (index: number) => (index % CALLED === 0 ? aPhone() : undefined);
