/** What an activity that sends returns to its workflow. */
export type DeliveryStep =
  /** Nothing is left to send. */
  | { kind: 'none' }
  /** An attempt was made. `hasMore` is left out in histories from before, where it was not known. */
  | { kind: 'attempted'; hasMore?: boolean }
  /** An attempt was made and failed: the same event is to be sent again, some time later. */
  | { kind: 'failed' }
  /** Not before this instant. */
  | { kind: 'later'; at: string };
