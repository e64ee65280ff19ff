/** Why staff have a task. Each is opened once for its cause, and shown with words of its own. */
export const taskReasons = [
  'bad_number',
  'billing_escalation',
  'booking_to_check',
  'bulk_reads',
  'call_lost',
  'clinic_system_not_told',
  'clinical_escalation',
  'crm_sync_failed',
  'emergency_access',
  'endpoint_failing',
  'external_records_request',
  'follow_up_required',
  'identity_match',
  'insurance_unchecked',
  'nothing_on_file',
  'platform_fault',
  'records_exported',
  'records_incomplete',
  'refused_sign_ins',
  'registration_incomplete',
  'signing_secret_unreadable',
  'unmet_call_hours',
  'unreadable_phone',
  'unverified_caller',
  'unverified_change',
  'verification_locked',
  'voice_key_unreadable',
  'voice_setup_fault',
  'workflow_failed',
] as const;
export type TaskReason = (typeof taskReasons)[number];

/** What a call about a task came to. After `try_later` the task stays open, due at another time; after the others it is done. */
export const taskOutcomes = ['spoke', 'voicemail', 'no_answer', 'try_later'] as const;
export type TaskOutcome = (typeof taskOutcomes)[number];

export const taskStates = ['OPEN', 'RESOLVED'] as const;
export type TaskState = (typeof taskStates)[number];

/** How urgent people find a task; the first is the most urgent. */
export const taskPriorities = ['HIGH', 'NORMAL', 'LOW'] as const;
export type TaskPriority = (typeof taskPriorities)[number];
