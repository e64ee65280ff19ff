import { alarmKinds } from '../tasks/alarms';
import type { TaskReason } from '../tasks/task';

/** What open tasks of a clinic tell an operator, by what is at fault; other tasks are for its staff alone. */
export const faultReasons = {
  runs: ['workflow_failed', 'records_incomplete'],
  voice: ['platform_fault', 'call_lost'],
  systems: ['booking_to_check', 'clinic_system_not_told', 'crm_sync_failed'],
  setup: ['voice_key_unreadable', 'voice_setup_fault', 'endpoint_failing', 'signing_secret_unreadable'],
  alarms: alarmKinds,
} as const satisfies Record<string, readonly TaskReason[]>;

/** Figures of a clinic that say since when what they count is there. */
export const datedFigures = [
  'unstartedRuns',
  'runFaults',
  'voiceFaults',
  'systemFaults',
  'setupFaults',
  'alarms',
  'failingEndpoints',
  'deadDeliveries',
  'waitingDeliveries',
  'waitingErasures',
] as const;
export type DatedFigure = (typeof datedFigures)[number];

/** How the cause of a task begins about a change at a clinic's EHR whose end is unknown. Others of its reason are about what was said in a call. */
export const EHR_CHANGE = 'ehr_change:';

/** A duty of the worker whose last pass is older than this, in seconds, is late. */
const lateAfterSeconds: Record<string, number> = { relay: 60, reconcile: 300, fulfil: 300, mail: 180 };

/** Whether a duty is late; `passedAt` is null where it has made no pass yet. */
export const isLate = (duty: string, passedAt: Date | null, now: Date): boolean =>
  passedAt === null || now.getTime() - passedAt.getTime() > (lateAfterSeconds[duty] ?? 300) * 1_000;
