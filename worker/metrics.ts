import { Counter, Gauge, Registry } from 'prom-client';

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

/** What the worker's `/metrics` shows. Labels are the platform's codes: never an id, never a sentence. */
export function createWorkerMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    setupFaults: new Counter({
      name: 'voice_setup_faults_total',
      help: 'Calls that the voice platform refuses as it is set up: only a change of settings mends it',
      labelNames: ['reason'],
      registers,
    }),
    clinicsWithoutVoice: new Gauge({
      name: 'clinics_without_voice_settings',
      help: 'Clinics whose calls go through a voice platform that this worker has no settings for, when it started',
      registers,
    }),
  };
}
