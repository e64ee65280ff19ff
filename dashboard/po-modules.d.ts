declare module '*.po' {
  import type { Messages } from '@lingui/core';
  /** In Spanish. */
  export const messages: Messages;
}

declare module '*.po?source' {
  import type { Messages } from '@lingui/core';
  /** In English. */
  export const messages: Messages;
}
