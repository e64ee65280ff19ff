import type { Logger } from '@clinic/shared/log';
import type { Stores } from '@clinic/prisma/stores';
import { type Duty, type OnPass, startDuty } from './duty';

/** Few enough to hold no lock for long. */
const BATCH = 500;
const EVERY_MS = 60_000;

/** Marks every appointment that has ended as fulfilled, once a minute, in one process at a time; after a standstill, batch after batch. */
export const startFulfilment = ({ stores, log, onPass }: { stores: Stores; log: Logger; onPass?: OnPass }): Duty =>
  startDuty({
    name: 'fulfil',
    duties: stores.duties,
    everyMs: EVERY_MS,
    // Nobody waits for it: a lease that is seldom prolonged.
    leaseMs: EVERY_MS,
    log,
    onPass,
    pass: async () => (await stores.appointments.fulfilPast(new Date(), BATCH)) === BATCH,
  });
