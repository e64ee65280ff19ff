/** What an activity that sends returns to its workflow. */
export type DeliveryStep =
  /** Nothing is left to send. */
  | { kind: 'none' }
  /** An attempt was made; `hasMore` says whether another event waits. */
  | { kind: 'attempted'; hasMore: boolean }
  /** An attempt was made and failed: the same event is to be sent again, some time later. */
  | { kind: 'failed' }
  /** Not before this instant, which is so far away by the database's clock. */
  | { kind: 'later'; at: string; waitMs: number };
