/** What the worker runs: workflow functions and nothing else. */
export { abandonmentRecovery } from './abandonment-recovery';
export { deliverEvents } from './deliver-events';
export { simulatedCall } from './simulated-call';
