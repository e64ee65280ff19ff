import { setTimeout as delay } from 'node:timers/promises';
import type { Clinic } from '../faults/house';
import { aPhone, type FormOperation } from '../faults/load';
import type { Phones, Scene } from '../faults/phones';
import type { Random } from '@clinic/local/random';
import { aGate, type Gate } from '../../support/gate';

/** The clinics of a drill: what distinguishes them is their calling policy. */
export const drillClinics = [
  { name: 'Cedar Family Health', timezone: 'America/Denver' },
  { name: 'Harbour Clinic', timezone: 'Europe/London' },
  { name: 'Clinic that waits before it calls', timezone: 'America/New_York' },
  { name: 'Clinic that waits between calls', timezone: 'America/Chicago' },
  { name: 'Clinic that pauses', timezone: 'America/Los_Angeles' },
  { name: 'Clinic with three lines', timezone: 'America/Denver' },
  { name: 'Clinic whose receiver fails', timezone: 'America/Denver' },
];

/** A group of runs that are to be in one phase when the fault comes. */
export interface Group {
  name: string;
  clinic: Clinic;
  count: number;
  /** How the case may end. */
  expected: string[];
  /** What happens when the patient's phone rings, the first time and later; null where there is no phone. */
  scenes: ((gate: Gate) => Scene[]) | null;
}

/** When calls go on that are held: at the fault, some time after it, or at the end. */
export interface Gates {
  atFault: Gate;
  atEnd: Gate;
  /** Draws one, or a moment of its own within so many seconds of the fault. */
  draw(random: Random, withinSeconds: number): Gate;
}

export function createGates(): Gates {
  const [atFault, atEnd] = [aGate(), aGate()];
  return {
    atFault,
    atEnd,
    draw(random, withinSeconds) {
      const kind = random.whole(1, 4);
      if (kind === 1) return atFault;
      if (kind > 2) return atEnd;
      const [own, waitMs] = [aGate(), random.between(0, withinSeconds * 1_000)];
      void atFault.opened.then(() => delay(waitMs)).then(own.open);
      return own;
    },
  };
}

/** The forms that bring a group's runs about; their phones are planned. */
export function castOf(
  { name, clinic, count, expected, scenes }: Group,
  { prefix, phones, gateFor }: { prefix: string; phones: Phones; gateFor: () => Gate },
): FormOperation[] {
  return Array.from({ length: count }, (_unused, index) => {
    const phone = scenes ? aPhone() : null;
    if (phone !== null && scenes) phones.plan(phone, scenes(gateFor()));
    return {
      operation: `${prefix}${name}-${index}`,
      clinic,
      sessionId: `${prefix}${name}-${index}`,
      phone,
      expected,
      copies: 1,
      spreadMs: 0,
      completedAfterMs: null,
      asStart: false,
    };
  });
}

/** Does something for each, so many at a time. */
export async function inLanes<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    }),
  );
}

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, at: random.between(0, 1) }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
