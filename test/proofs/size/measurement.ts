import { join } from 'node:path';
import { z } from 'zod';

/** What the last `npm run bench -- busy-hour --temporal postgres` measured. */
export const measurementFile = join(__dirname, 'measured.json');

const Of = <Name extends string>(...names: Name[]) => z.record(z.enum(names), z.number());

/** `msPerCase` is the slope over the steps of load, `idlePercent` of a core what is used without any. */
export const Measurement = z.object({
  on: z.iso.date(),
  cores: z.int(),
  temporal: z.enum(['dev', 'postgres']),
  casesPerSecond: z.array(z.number()),
  minutes: z.number(),
  processor: z.record(z.string(), z.object({ msPerCase: z.number(), idlePercent: z.number() })),
  walKbPerCase: z.number(),
  statementsPerCase: Of('service', 'temporal'),
  diskKbPerCase: Of('service', 'temporal'),
  memoryMb: Of('api', 'worker'),
  callsAtOnce: z.int(),
  scheduleToStartP95Ms: Of('workflow', 'activity'),
  oldestSeconds: Of('start', 'message', 'dueCall', 'dueDelivery'),
});
export type Measurement = z.infer<typeof Measurement>;
