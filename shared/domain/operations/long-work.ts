/** Work that goes on after the request that asked for it, each piece in a workflow of its own. */
export type LongWorkKind = 'cancel_runs' | 'resend_deliveries' | 'erase_patient';

/** A piece of it: `id` is that of the bulk job or of the erasure, whose row says how far it is. */
export interface LongWork {
  kind: LongWorkKind;
  clinicId: string;
  id: string;
}
