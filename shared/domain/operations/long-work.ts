/** Work that goes on after the request that asked for it, each piece in a workflow of its own. */
export const longWorkKinds = ['cancel_runs', 'resend_deliveries', 'erase_patient'] as const;
export type LongWorkKind = (typeof longWorkKinds)[number];

/** A piece of it: `id` is that of the bulk job or of the erasure, whose row says how far it is. */
export interface LongWork {
  kind: LongWorkKind;
  clinicId: string;
  id: string;
}
