import type { Scenario } from '../stage';
import { apiKilled, postgresKilled, temporalKilled, twoAtATime, workerFrozen, workerKilled } from './kills';
import { badNetwork, repliesLost } from './network';
import { badReceiver } from './receivers';
import { rollingRestart, secretsRotated } from './restarts';
import { lateAndTwice, overload, poolExhausted, soak } from './traffic';

/** In the order in which they are played. */
export const scenarios: Scenario[] = [
  apiKilled,
  workerKilled,
  temporalKilled,
  postgresKilled,
  twoAtATime,
  workerFrozen,
  rollingRestart,
  repliesLost,
  badNetwork,
  badReceiver,
  lateAndTwice,
  poolExhausted,
  secretsRotated,
  overload,
  soak,
];
